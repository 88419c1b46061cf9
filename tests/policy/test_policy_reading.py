"""Which bytes are a Python file, which are accepted with a note, and why others are not; a policy
rule is one new file."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

import harness
from harness.model.plan import SourceFile
from harness.model.policy import (
    Consequence,
    ImportPolicy,
    NameList,
    Policy,
    PolicyReport,
    Severity,
    UnreadableKind,
)
from harness.policy.checking import check
from tests.intake.cohorts import told
from tests.tiny_course import Course, environment, ran

FOUR = (
    "too many quotes in a row: an empty text has two, a text over several lines begins with three"
)
TOO_DEEP = "the code is nested too deeply to be read"
UTF_16 = "the file is saved as UTF-16; Python needs UTF-8"
NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def read(data: bytes, policy: Policy | None = None) -> PolicyReport:
    return check((SourceFile(name="a1.py", data=data),), policy)


# Where a line is said, it is marked with @@.
REFUSED: dict[str, object] = {
    "the file is empty": [b"", b"\xef\xbb\xbf \r\n\t\n"],
    UTF_16: "a = 1\n".encode("utf-16"),
    "the file is saved as UTF-16 or UTF-32; Python needs UTF-8": "a = 1\n".encode("utf-16-le"),
    "the file holds NUL bytes, so it is not a text file": b"a = 1\nprint('hello')\0\n",
    "the file is a Jupyter notebook, not a Python text file": NOTEBOOK.encode(),
    "the file is larger than 512 KiB": b"a = 1\n" * 100_000,
    "the file is not UTF-8 text (byte 0xe9 here): save it as UTF-8": b"a = 1\n@@b = 'caf\xe9'\n",
    "the file is not ASCII text (byte 0xc3 here): save it as UTF-8, without the line that "
    "declares ascii": b"# coding: ascii\n@@b = 'caf\xc3\xa9'\n",
    "the file is not Windows-1252 text (byte 0x81 here): save it as UTF-8, without the line that "
    "declares cp1252": b"# coding: cp1252\n@@b = '\x81'\n",
    "the file declares the text encoding cp1252, but only UTF-8 is "
    "accepted": b"\xef\xbb\xbf@@# coding: cp1252\na = 1\n",
    "the file declares the text encoding rot13, but only UTF-8 is accepted": [
        b"@@# coding: rot13\nvzcbeg bf\n",
        b"# x\r@@# coding: rot13\rvzcbeg bf\r",  # lines of an old Mac
    ],
    "the file declares the text encoding utf-7, but only UTF-8 is accepted": (
        b"#!/usr/bin/python\n@@# -*- coding: utf-7 -*-\n# +AAo-import os\n"
    ),
    "tabs and spaces are mixed in the indentation": b"def f():\n        a = 1\n@@\treturn a\n",
    FOUR: [
        b'def f():\n    """Text.\n@@    """"\n    return 1\n',
        b'@@b = """"\nc = 2\ndef f():\n    """\n        Text.\n    """\n',
    ],
    "syntax error: expected ':'": [
        b'a = """"b"""\n@@if a\n    a = 1\n',  # fewer quotes would not help
        b"@@if 1\n    a = 1\n",
    ],
    "this line is indented further than it should be": [
        b'a = """"""\n@@  b = 2\n',  # six are an empty text
        b"a = 1\n@@  b = 2\n",
    ],
    "the indentation of this line matches no earlier line": b"if 1:\n    a = 1\n@@  b = 2\n",
    "print is written as in Python 2": b"@@print 'hello'\n",
    "except is written as in Python 2": b"try:\n    a = 1\n@@except A, e:\n    pass\n",
    "a curly quotation mark is where Python needs a straight one "
    "(' or \")": "a = 1\n@@b = \u201chello\u201d\n".encode(),
    "a number may not begin with a zero": b"@@a = 012\n",
    "syntax error: 'return' outside function": b"a = 1\n@@return a\n",
    "syntax error: 'break' outside loop": b"@@break\n",
    TOO_DEEP: [
        b"@@a = " + b"[" * 5000 + b"]" * 5000,
        b"".join(b"@@" * (depth == 100) + b" " * depth + b"if 1:\n" for depth in range(120))
        + b" " * 120
        + b"pass\n",
    ],
}


MIXED_TABS = "tabs and spaces are mixed in the indentation"
KINDS = {TOO_DEEP: UnreadableKind.TOO_DEEP, MIXED_TABS: UnreadableKind.MIXED_TABS}


@pytest.mark.parametrize(("marked", "reason"), told(REFUSED))
def test_unparsable_files_are_reported_with_their_place(marked: bytes, reason: str) -> None:
    before, mark, after = marked.partition(b"@@")
    shown = re.split(rb"[\r\n]", after)[0].decode(errors="replace")
    unparsable = read(before + after).unparsable
    assert (unparsable.file, unparsable.reason) == ("a1.py", reason)
    assert unparsable.kind is KINDS.get(reason, UnreadableKind.OTHER)
    assert unparsable.line == (len(re.findall(rb"\r\n|\r|\n", before)) + 1 if mark else None)
    assert unparsable.source == shown[:300] + "…" * (len(shown) > 300)


@pytest.mark.parametrize(
    "data",
    [
        b"a = " + b"-" * 100_000 + b"1\n",
        b"a = 1" + b"+1" * 100_000 + b"\n",
        b"a = f" + b".b" * 100_000 + b"\n",
        b"a = " + b"not " * 60_000 + b"1\n",
        b"a = 1 if " + b"(lambda: " * 150 + b"1" + b")" * 150 + b" else 2\n",
    ],
    ids=["signs", "sums", "attributes", "nots", "lambdas"],
)
def test_deep_code_ends_with_an_answer(data: bytes) -> None:
    unparsable = read(data).unparsable
    assert unparsable is None or unparsable.kind is UnreadableKind.TOO_DEEP


ACCEPTED: dict[str, object] = {
    "": [
        b"a = 1\n",
        b"# nothing yet\n",
        "# -*- coding: UTF_8 -*-\na = 'é'\n".encode(),
        b"# coding=ascii\na = 1\n",
        b"a = 1\n# coding: rot13\n",  # too late to count
        b"a = 1\nb = 'coding: rot13'\n",
    ],
    "a1.py begins with a byte order mark; accepted": b"\xef\xbb\xbfa = 1\n",
    "a1.py has Windows or old Mac line ends; accepted": b"a = 1\r\nb = 2\r\n",
    "a1.py declares the text encoding Latin-1; accepted": b"# coding: latin-1\na = '\xe9'\n",
    "a1.py declares the text encoding Windows-1252; "
    "accepted": b"# -*- coding: windows-1252 -*-\na = '\x80'\n",
    "a1.py line 2: Python warns: ": b"a = 1\nb = a is 1\n",
    "a1.py line 1 contains invisible marks that reorder its text": "a = 1  # \u202egnp\n".encode(),
}


@pytest.mark.parametrize(("data", "note"), told(ACCEPTED))
def test_deviations_are_accepted_with_a_note(data: bytes, note: str) -> None:
    report = read(data)
    assert (report.unparsable, len(report.notes)) == (None, bool(note))
    assert "".join(report.notes).startswith(note)


def test_columns_and_lines_survive_a_mark_windows_ends_and_a_form_feed() -> None:
    data = b"\xef\xbb\xbf# \x0c a\r\nimport os; import re\r\n"
    report = read(data, Policy(imports=ImportPolicy()))
    assert [(f.line, f.column, f.source) for f in report.findings] == [
        (2, 1, "import os; import re"),
        (2, 12, "import os; import re"),
    ]


def test_one_unreadable_file_fails_only_checks_that_need_it() -> None:
    good, bad = SourceFile(name="a.py", data=b"X = 1\n"), SourceFile(name="b.py", data=b"f(\n")
    report = check((bad, good), None)
    assert report.unparsable is None
    assert report.notes == (
        "b.py, line 1 cannot be read: syntax error: '(' was never closed. Checks that need it fail",
    )


def test_a_submission_without_a_readable_file_is_unreadable() -> None:
    broken = [SourceFile(name=name, data=b"f(\n") for name in ("a.py", "b.py")]
    assert check(tuple(broken), None).unparsable.file == "a.py"


DEEP = b"def f(a):\n    return a" + b"[0]" * 2000 + b"\nexec('')\n"


def test_code_that_runs_and_is_deep_is_checked_all_the_same() -> None:
    report = read(DEEP)
    assert (report.unparsable, report.findings) == (None, ())
    found = read(DEEP, Policy(imports=ImportPolicy())).findings
    assert [(f.rule, f.line) for f in found] == [("import_evasion", 3)]


def test_programs_that_cannot_be_checked_are_held_for_a_person() -> None:
    # `ast.unparse`, which shows the name of what is called, gives up here.
    data = b"a" + b".b" * 1500 + b"()\n"
    policy = Policy(
        lists=(NameList(key="module_level", allow=("functions",)),),
        on_structure=Consequence(severity=Severity.NOTE),
    )
    report = read(data, policy)
    assert report.unparsable is None
    (finding,) = report.findings
    assert (finding.rule, finding.consequence.severity) == ("unchecked", Severity.REVIEW)
    assert finding.message == (
        "this file could not be checked (the code is nested too deeply to be read); a person "
        "must read it before the mark counts"
    )


def test_a_deep_file_beside_a_readable_one_is_for_a_person() -> None:
    deep = SourceFile(name="b.py", data=b"a = " + b"-" * 100_000 + b"1\n")
    report = check((SourceFile(name="a.py", data=b"X = 1\n"), deep), Policy())
    assert [(f.file, f.rule) for f in report.findings] == [("b.py", "unchecked")]


TOY = """
import ast

from harness.model.policy import PolicyGroup
from harness.policy.rule import Breach, FindingKind, ListSetting, policy_rule

_KIND = FindingKind(name="short_name", title="Short name", group=PolicyGroup.TECHNIQUES)
@policy_rule(90, _KIND, setting=ListSetting(key="letters", description="Letters.", noun="letter"))
def check_names(file):
    names = file.policy.names("letters")
    for visit in file.index.of(ast.arg) if names is not None else ():
        if not names.permits(visit.node.arg):
            yield Breach(visit.node, f"{visit.node.arg} is too short a name")
"""

CHECK = """
from harness.cli import main
from harness.policy.rules import finding_kind

print(finding_kind("short_name").title, flush=True)
main()
"""


@pytest.mark.process
def test_a_policy_rule_is_one_file(course: Course, tmp_path: Path) -> None:
    package = Path(harness.__file__).parent
    shutil.copytree(package, tmp_path / "harness", ignore=shutil.ignore_patterns("*.pyc.*"))
    (tmp_path / "harness" / "policy" / "rules" / "letters.py").write_text(TOY, encoding="utf-8")
    policy = course.path("specs/tiny/policy.yaml")
    policy.write_text(policy.read_text() + "letters: {forbid: [n]}\n", encoding="utf-8")
    program = course.path("reference/tiny/a1.py").read_text()
    course.write("a1.py", program + "\n\ndef f(n):\n    return n\n")
    done = ran(
        [sys.executable, "-c", CHECK, "check", "a1.py", "--assignment", "tiny"],
        cwd=course.root,
        env=environment(PYTHONPATH=str(tmp_path)),
    )
    title, finding, *_ = done.stdout.splitlines()
    assert (title, done.stderr) == ("Short name", "")
    assert finding.endswith(": n is too short a name")
