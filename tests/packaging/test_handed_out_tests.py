"""Visible tests of the course's in the students' archive: their files, and in the self-check."""

from pathlib import Path

import pytest

from tests.downloads import laid
from tests.packaging.given_away import HOST, handed_out, packed
from tests.tiny_course import PATIENCE, Course, environment, ran

ASSIGNMENT = """\
title: Accounts
course: C1
python: "3.11"
submission: {files: [a1.py]}
functionality_marks: 4
tests:
  files: [test_public.py, test_private.py]
  beside: [amounts.py]
  hand_out: [test_public.py, amounts.py]
  select: [{match: "test_public.py::*", visible: true}]
"""
REFERENCE = """\
class Account:
    def __init__(self):
        self._ledger_4711 = []

    def pay(self, amount):
        if amount < 0:
            raise ValueError
        self._ledger_4711.append(amount)

    def balance(self):
        return sum(self._ledger_4711)
"""
PUBLIC = """\
from a1 import Account
from amounts import SOME

def test_balance():
    account = Account()
    for amount in SOME:
        account.pay(amount)
    assert account.balance() == 7
"""
PRIVATE = """\
import pytest
from a1 import Account

def test_xanthippe():
    with pytest.raises(ValueError):
        Account().pay(-1)
"""
FORGETFUL = """\
class Account:
    def pay(self, amount):
        self.last = amount

    def balance(self):
        return self.last
"""
FILES = {
    "specs/accounts/assignment.yaml": ASSIGNMENT,
    "specs/accounts/test_public.py": PUBLIC,
    "specs/accounts/test_private.py": PRIVATE,
    "specs/accounts/amounts.py": "SOME = (3, 4)\n",
    "reference/accounts/a1.py": REFERENCE,
}
pytestmark = pytest.mark.process


def test_students_get_the_named_files_and_the_self_check_runs_their_tests(tmp_path: Path) -> None:
    root = tmp_path / "course"
    Course.lay(root, FILES)
    files = packed(handed_out(root, "accounts", tmp_path / "handout.zip"))
    assert {"test_public.py", "amounts.py"} < files.keys()
    assert "pip install pytest" in files["README.txt"].decode()
    program = packed(files["selfcheck.pyz"])
    for secret in (b"xanthippe", b"test_private", b"ledger_4711"):
        assert [name for name, data in (files | program).items() if secret in data] == []
    student = laid(files, tmp_path / "student")
    (student / "a1.py").write_text(FORGETFUL)
    command = [HOST, "selfcheck.pyz", "a1.py"]
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert checked.returncode == 1
    assert "balance() returned 4" in checked.stdout
    (student / "a1.py").write_text(REFERENCE)
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert (checked.returncode, checked.stderr.count("1 visible check")) == (0, 1)


def test_a_python_without_pytest_is_told_how_to_get_it(tmp_path: Path) -> None:
    root = tmp_path / "course"
    Course.lay(root, FILES)
    student = laid(packed(handed_out(root, "accounts", tmp_path / "handout.zip")), tmp_path / "own")
    (student / "a1.py").write_text(REFERENCE)
    # -S leaves out the packages that are installed.
    command = [HOST, "-I", "-S", "selfcheck.pyz", "a1.py"]
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert checked.returncode == 2
    assert checked.stderr.startswith("error: the check needs pytest")
    assert "-m pip install pytest" in checked.stderr


OWN_TESTS = """\
title: Doubling, with tests
course: C1
python: "3.11"
submission: {files: [a1.py], tests: [test_a1.py]}
functionality_marks: 3
clauses: clauses.yaml
mutants: mutants.yaml
test_writing: {accepts: 1, accepts_own: 1, visible: true, notices: {"1": 1}}
"""
WITH_OWN_TESTS = {
    "specs/double/assignment.yaml": OWN_TESTS,
    "specs/double/clauses.yaml": "clauses:\n  - {id: '1', section: '1', text: double doubles.}\n",
    "specs/double/mutants.yaml": (
        "mutants:\n"
        "  - {clause: '1', file: a1.py, find: x * 2, replace: x + 86243, why: xanthippe}\n"
    ),
    "reference/double/a1.py": (
        "def double(x):\n    twice_in_secret = x * 2\n    return twice_in_secret\n"
    ),
    "reference/double/test_a1.py": (
        "from a1 import double\n\n\ndef test_of_xanthippe():\n    assert double(3) == 6\n"
    ),
}


def test_the_self_check_runs_a_students_tests_on_the_students_program_only(tmp_path: Path) -> None:
    root = tmp_path / "course"
    Course.lay(root, WITH_OWN_TESTS)
    files = packed(handed_out(root, "double", tmp_path / "handout.zip"))
    program = packed(files["selfcheck.pyz"])
    for secret in (b"twice_in_secret", b"86243", b"xanthippe"):
        assert [name for name, data in (files | program).items() if secret in data] == []
    student = laid(files, tmp_path / "student")
    (student / "a1.py").write_text("def double(x):\n    return x\n")
    (student / "test_a1.py").write_text(
        "from a1 import double\ndef test_double(): assert double(2) == 4\n"
    )
    command = [HOST, "selfcheck.pyz", "a1.py", "test_a1.py"]
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert (checked.returncode, "double(2) returned 2" in checked.stdout) == (1, True)
    (student / "a1.py").write_text("def double(x):\n    return x + x\n")
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert (checked.returncode, checked.stdout.strip()) == (0, "1 of 1 visible check passed")


ONLY_TESTS = {
    **WITH_OWN_TESTS,
    "specs/double/assignment.yaml": """\
title: Tests of doubling
course: C1
python: "3.11"
submission: {tests: [test_a1.py]}
functionality_marks: 3
clauses: clauses.yaml
mutants: mutants.yaml
test_writing: {program: [a1.py], accepts: 1, visible: hint, notices: {"1": 1}}
""",
}
DOCTESTS = {
    **WITH_OWN_TESTS,
    "specs/double/assignment.yaml": """\
title: Doubling, with examples
course: C1
python: "3.11"
submission: {files: [a1.py]}
functionality_marks: 3
clauses: clauses.yaml
mutants: mutants.yaml
test_writing: {doctests: true, notices: {"1": 1}}
""",
    "reference/double/a1.py": (
        'def double(x):\n    """\n    >>> double(3)\n    6\n    """\n'
        "    twice_in_secret = x * 2\n    return twice_in_secret\n"
    ),
}


def test_a_program_that_is_not_handed_in_may_be_written_to_try_tests(tmp_path: Path) -> None:
    root = tmp_path / "course"
    Course.lay(root, ONLY_TESTS)
    files = packed(handed_out(root, "double", tmp_path / "handout.zip"))
    assert "a1.py" not in files
    program = packed(files["selfcheck.pyz"])
    for secret in (b"twice_in_secret", b"86243", b"xanthippe"):
        assert [name for name, data in (files | program).items() if secret in data] == []
    student = laid(files, tmp_path / "student")
    (student / "test_a1.py").write_text(
        "from a1 import double\ndef test_double(): assert double(2) == 4\n"
    )
    command = [HOST, "selfcheck.pyz", "test_a1.py"]
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert (checked.returncode, "a1.py" in checked.stderr) == (1, True)
    (student / "a1.py").write_text("def double(x):\n    return x + x\n")
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert checked.returncode == 0


def test_the_self_check_runs_examples_in_docstrings_of_every_function(tmp_path: Path) -> None:
    root = tmp_path / "course"
    Course.lay(root, DOCTESTS)
    files = packed(handed_out(root, "double", tmp_path / "handout.zip"))
    student = laid(files, tmp_path / "student")
    text = 'def {0}(x):\n    """\n    >>> {0}(3)\n    {1}\n    """\n    return x + x\n'
    command = [HOST, "selfcheck.pyz", "a1.py"]
    # The reference has no function `mine`.
    (student / "a1.py").write_text(text.format("double", 6) + text.format("mine", 7))
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert (checked.returncode, "mine(3) returned 6" in checked.stdout) == (1, True)
    (student / "a1.py").write_text(text.format("double", 6) + text.format("mine", 6))
    checked = ran(command, cwd=student, env=environment(), timeout=PATIENCE)
    assert checked.returncode == 0
