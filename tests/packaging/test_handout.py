"""What a course hands out: complete for a student, and nothing of the course's own in it; a text in
every field of a result with hidden scenarios, looked for in all that a student gets. A new field is
planted as well: it may be seen only when this list names it."""

import ast
import io
import shutil
import sys
import types
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import pytest

from harness.assignment.loading import CACHE, load
from harness.common import serial
from harness.grading.context import prepare, visible_only
from harness.grading.stub import bodies, handed_out_stubs, stub
from harness.model.expectation import Answer, ScenarioAnswers
from harness.model.plan import SourceFile
from harness.model.result import (
    RunFacts,
    RunResult,
    SubmissionResult,
)
from harness.model.stimulus import Limits
from harness.packaging.handout import student_key, student_plan
from harness.reporting.export.anonymous import anonymous
from harness.reporting.view import paste
from harness.results.results_json import results_json
from tests.downloads import laid
from tests.packaging.given_away import IDS, Check, Handout, handed_out, of_program, packed, telling
from tests.planter import Planter
from tests.results.small_run import PLAN
from tests.shipped import ROOT, shipped
from tests.tiny_course import FIXTURE, Course, ran


def test_all_that_a_student_needs(tiny_handout: dict[str, bytes]) -> None:
    assert sorted(tiny_handout) == [
        "README.txt",
        "a1.py",
        "gameplay/two_amounts.txt",
        "selfcheck.pyz",
        "till.py",
        "visible-scenarios.txt",
    ]
    assert tiny_handout["till.py"] == (FIXTURE / "reference/tiny/till.py").read_bytes()
    assert "python3 selfcheck.pyz a1.py" in tiny_handout["README.txt"].decode()
    page = tiny_handout["visible-scenarios.txt"].decode()
    assert "an empty basket\n  try    total([])\n  gives  0\n" in page
    # A game is as a person sees it: no name of a constant between braces, typed lines too.
    game = tiny_handout["gameplay/two_amounts.txt"].decode()
    assert "{{" not in game
    template = (FIXTURE / "specs/tiny/gameplay/two_amounts.txt").read_text("utf-8")
    assert len(game.splitlines()) == len(template.splitlines())


def test_the_command_of_the_readme(handout: Handout, tmp_path: Path, selfcheck_here: Check) -> None:
    laid(handout("first-steps"), tmp_path)
    for file in (ROOT / "examples/first-steps/submissions/right-short").glob("*.py"):
        shutil.copy(file, tmp_path)
    files = ("greeting.py", "triangle.py", "guess.py")
    command = f"\n  python3 selfcheck.pyz {' '.join(files)}\n"
    assert (tmp_path / "README.txt").read_text("utf-8").count("\n  python3 ") == 1
    assert command in (tmp_path / "README.txt").read_text("utf-8")
    done = ran([sys.executable, "selfcheck.pyz", *files], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 of 8 visible checks passed" in done.stdout
    (tmp_path / "guess.py").unlink()
    fewer = selfcheck_here("greeting.py", "triangle.py", cwd=tmp_path)
    assert (fewer.status, fewer.out.strip()) == (0, "5 of 5 visible checks passed")
    assert "note: not checked: guess.py is missing; hand in all 3 files\n" in fewer.err


def test_files_and_what_is_piped_in_are_handed_out_and_shown(handout: Handout) -> None:
    parts = handout("text-stats")
    data = ROOT / "examples" / "text-stats" / "specs" / "text-stats" / "data"
    assert parts["cat.txt"] == (data / "cat.txt").read_bytes()
    page = parts["visible-scenarios.txt"].decode()
    assert "  file   log.txt:\n           one\n" in page
    assert "  leaves log.txt:\n           one\n           two\n" in page
    assert "  pipe   piped in:\n           to be or\n           not to be\n" in page
    readme = parts["README.txt"].decode().split()
    assert "cat.txt, log.txt files that the checks read" in " ".join(readme)
    assert "dict(==" not in page


def test_a_file_of_several_contents_is_named_with_what_to_do(tmp_path: Path) -> None:
    name = "text-stats"
    course = Course.copy(ROOT / "examples" / name, tmp_path / "course")
    course.edit(
        f"specs/{name}/files.yaml",
        "name: append to no file, function: append_line,",
        'name: append to no file, function: append_line, visible: true, files: {log.txt: "a\\n"},',
    )
    parts = packed(handed_out(course.root, name, course.path("h.zip")))
    assert "log.txt" not in parts
    page = parts["visible-scenarios.txt"].decode()
    assert "  file   log.txt:\n           one\n" in page
    assert "  file   log.txt:\n           a\n" in page
    readme = " ".join(parts["README.txt"].decode().split())
    assert "cat.txt a file that the checks read" in readme
    assert (
        "Not in this folder, because the text differs between checks: log.txt. To try a "
        "check by hand, write the file as visible-scenarios.txt shows it under that check."
    ) in readme


def test_messages_that_are_compared_are_told_and_a_class_has_one_heading(handout: Handout) -> None:
    page = handout("bank")["visible-scenarios.txt"].decode()
    assert "raises ValueError: balance must not be negative\n" in page
    assert "         InsufficientFundsError: Ada has only 5 dollars\n" in page
    lines = page.splitlines()
    headings = [lines[n - 1] for n, line in enumerate(lines) if n and line and set(line) == {"="}]
    assert "Account" in headings
    assert len(headings) == len(set(headings))


def test_a_handout_has_the_same_bytes_every_time(course: Course) -> None:
    made = [handed_out(course.root, "tiny", course.path(f"{n}.zip")) for n in range(2)]
    assert made[0] == made[1]
    archive = zipfile.ZipFile(io.BytesIO(made[0]))
    inner = zipfile.ZipFile(io.BytesIO(archive.read("selfcheck.pyz")))
    for each in (archive, inner):
        assert each.namelist() == sorted(each.namelist())
        assert {entry.date_time for entry in each.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_busy_machine_changes_no_byte(course: Course) -> None:
    context = prepare(visible_only(load(course.root, "tiny")), cache=course.root / CACHE)
    plan = student_plan(context.specification)
    slowly: list[ScenarioAnswers] = []
    for entry in context.key.scenarios:
        answers: list[Answer] = []
        for answer in entry.answers:
            observation = replace(answer.observation, cpu_seconds=0.049)
            answers.append(replace(answer, observation=observation))
        slowly.append(replace(entry, answers=tuple(answers)))
    busy = replace(context.key, run_seconds=20.0, scenarios=tuple(slowly))
    usual = student_key(context, plan)
    same = student_key(replace(context, key=busy), plan)
    assert serial.dumps(same) == serial.dumps(usual)


def test_nothing_hidden_is_in_it(tiny_handout: dict[str, bytes]) -> None:
    assert not telling(tiny_handout | packed(tiny_handout["selfcheck.pyz"]))


@pytest.mark.parametrize("assignment_id", IDS)
def test_nothing_of_the_courses_own_is_in_it(assignment_id: str, handout: Handout) -> None:
    files = handout(assignment_id)
    inner = packed(files["selfcheck.pyz"])
    specification = shipped(assignment_id)
    visible = visible_only(specification).plan
    plan, key = of_program(files["selfcheck.pyz"])
    shown = {scenario.id for scenario in visible.scenarios}
    assert {scenario.id for scenario in plan.scenarios} == shown
    assert {entry.scenario_id for entry in key.scenarios} == shown
    assert not plan.assignment.stand_in_files
    assert not any(scenario.stand_ins for scenario in plan.scenarios)
    given = b"\n".join([*files.values(), *inner.values()]).decode("utf-8", "replace")
    assert not any(mutant.why in given for mutant in specification.mutants)
    texts = [c.text for c in specification.plan.assignment.clauses if len(c.text) > 40]
    assert texts
    assert not any(text in given for text in texts)
    for file in specification.plan.assignment.stand_in_files:
        assert file.data.decode() not in given
    asked = "\n".join(
        f"{paste.called(one)}\n{one.given}" for s in visible.scenarios for one in s.stimuli
    )
    # Provided files and the harness are not part of the reference: they are given, or are ours.
    ours = [files[name].decode() for name in files if name.endswith(("README.txt", "s.txt"))]
    ours += [inner[f"harness/packaging/{name}.json"].decode() for name in ("plan", "key")]
    for reference in specification.reference:
        ours.append(files[reference.name].decode())
        for body in bodies(ast.parse(reference.data)):
            line = ast.unparse(body)
            if "\n" not in line and len(line) > 25 and line not in asked:
                assert not any(line in text for text in ours), line


@pytest.mark.parametrize("assignment_id", IDS)
def test_a_stub_runs_without_bodies(assignment_id: str, handout: Handout, tmp_path: Path) -> None:
    plan = shipped(assignment_id).plan
    files = handout(assignment_id)
    laid({name: data for name, data in files.items() if name.endswith(".py")}, tmp_path)
    for reference in shipped(assignment_id).reference:
        for how in (["-c", f"import {Path(reference.name).stem}"], [reference.name]):
            done = ran([sys.executable, *how], cwd=tmp_path, timeout=60)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), (how, done)
        made = files[reference.name]
        tree, original = ast.parse(made), ast.parse(reference.data)
        kept, there = (
            {n.name: n for n in each.body if isinstance(n, ast.FunctionDef)}
            for each in (tree, original)
        )
        assert {s.function for s in plan.scenarios} & set(there) <= set(kept)
        assert list(kept) == [name for name in there if name in kept]
        for name, node in kept.items():
            assert ast.dump(node.args) == ast.dump(there[name].args)
            assert ast.get_docstring(node) == ast.get_docstring(there[name])
        assert not bodies(tree)
        imports, needed = (
            [ast.dump(n) for n in each.body if isinstance(n, ast.Import | ast.ImportFrom)]
            for each in (tree, original)
        )
        assert imports == needed
        assert b"#" not in made


def test_an_exception_that_only_a_scenario_names_is_in_the_stub(course: Course) -> None:
    own = "".join(f"class {name}(ValueError):\n    pass\n\n\n" for name in ("Full", "Other"))
    course.edit("reference/tiny/a1.py", "\n\n\ndef is_valid", f"\n\n\n{own}def is_valid")
    assert b"class" not in handed_out_stubs(load(course.root, "tiny"))[0].data
    named = "  - {name: full, call: 'total(None)', raises: {one_of: [Full, TypeError]}}\n"
    course.append("specs/tiny/total.yaml", named)
    (made,) = handed_out_stubs(load(course.root, "tiny"))
    assert b"class Full(ValueError):\n    ..." in made.data
    assert b"Other" not in made.data


ODD = '''\
"""The reference's own words."""
import os  # why os
from typing import (  # for a type
    Optional,
)
SECRET = [1, 2]
Row = list[str]
Rows = list[Row]
DEFAULT: int = 3


@staticmethod  # a remark
def wanted(
    first: Rows,  # the answer is in here
    second: int = DEFAULT, *rest: "Row",
    key=lambda a: {"b": a},
) -> Optional[Row]:  # and here
    # a comment before it
    """What it does: "quotes" and \\\\backslashes.

    Indented.
    """
    return os.path.join(*SECRET)  # done


def helper(x): return SECRET[x]
def short(x): "One line."; return helper(x)


class Thing(dict):
    """A thing."""
    size = 5
    def grow(self) -> None:
        self.size += 1
    def _hidden(self): return 4


class Bare:
    secret = 5


if __name__ == "__main__":
    helper(1)
'''


def test_an_odd_reference_keeps_its_secrets() -> None:
    source = SourceFile(name="odd.py", data=ODD.encode())
    assert stub(source, ["wanted", "short", "Thing", "Bare"], "Odd").decode() == STUB


STUB = '''\
"""Odd"""

import os
from typing import Optional

Row = list[str]
Rows = list[Row]
DEFAULT: int = 3


@staticmethod
def wanted(
    first: Rows,
    second: int = DEFAULT, *rest: "Row",
    key=lambda a: {"b": a},
) -> Optional[Row]:
    """What it does: "quotes" and \\\\backslashes.

    Indented.
    """
    ...


def helper(x):
    ...


def short(x):
    "One line."
    ...


class Thing(dict):
    """A thing."""

    def grow(self) -> None:
        ...


class Bare:
    ...


if __name__ == "__main__":
    helper(1)
'''


def test_no_place_for_it_is_told_in_one_line(course: Course, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_text("")
    outcome = course.run("handout", "tiny", "-o", folder / "file" / "a1.zip")
    assert (outcome.status, outcome.out) == (2, "")
    assert len(outcome.err.splitlines()) == 1
    assert [path.name for path in folder.iterdir()] == ["file"]


OWN_CLASSES = """\
from dataclasses import dataclass
from enum import Enum
def log(function):
    print("log")
    return function
class Money(Enum):
    EURO = "€"
@dataclass
class Entry:
    amount: int
    money: Money = Money.EURO
Entries = list[Entry]
class Base:
    START = 5
    def move(self, entry: Entry, start: int = START) -> Money:
        return entry.money
class Account(Base):
    @log
    def entries(self, money: Money = Money.EURO) -> Entries:
        return [Entry(1)]
    @property
    def total(self) -> int:
        return 2
def opened(account: Account, key=len) -> "Account":
    return account
"""


def test_a_stub_with_classes_of_its_own_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SourceFile(name="bank.py", data=OWN_CLASSES.encode())
    made = stub(source, ["opened", "Account"], "Bank").decode()
    module = types.ModuleType("bank")
    monkeypatch.setitem(sys.modules, "bank", module)  # where dataclasses look
    exec(made, vars(module))
    assert {name for name in vars(module) if not name.startswith("__")} == {
        *("Money", "Entry", "Entries", "Base", "Account", "opened", "Enum", "dataclass")
    }
    assert not bodies(ast.parse(made))
    assert "log" not in made


STAY_WHEN_ANONYMOUS = {
    *(f"findings.{name}" for name in ("rule", "clause", "line", "column", "source", "message")),
    *("unparsable.needs.major", "unparsable.needs.minor"),
    *("unparsable.reason", "unparsable.line", "manual.slot.id", "manual.slot.title"),
    *("attempt", "attempts", "late.begun.count", "late.slip_days"),
    *(f"causes.{name}" for name in ("function", "scenarios", "example")),
    *(f"causes.{name}" for name in ("line", "clauses", "hint", "together_with")),
    *(f"causes.place.{name}" for name in ("first", "last")),
    *(f"causes.symptoms.{name}" for name in ("rule", "scenarios", "line")),
    *(f"facts.{name}" for name in ("assignment", "started", "finished", "harness", "python")),
    *(f"facts.{name}" for name in ("python_wanted", "interpreter", "spec_digest")),
    *(f"facts.{name}" for name in ("reference_digest", "input_mechanism", "not_prevented")),
    *(f"facts.probes.{name}" for name in ("name", "detail")),
    *(f"facts.limits.{limit.name}" for limit in fields(Limits) if limit.type == "int"),
    *(f"facts.cohort.{name}" for name in ("layouts", "submissions", "students", "due")),
    *("facts.cohort.time_zone", "facts.strength.changes", "facts.strength.noticed"),
}


def test_only_listed_fields_reach_an_anonymous_export() -> None:
    planter = Planter()
    whole, facts = planter.make(SubmissionResult, ""), planter.make(RunFacts, "facts")
    text = results_json(anonymous(RunResult(facts=facts, submissions=(whole,))), PLAN)
    seen = {path for number, path in planter.where.items() if number in text}
    # An explanation stays whole, if the program's output shows it: its sentences are made of these.
    of_explanations = {path for path in seen if path.startswith("causes.explanation.")}
    assert of_explanations >= {"causes.explanation.rule", "causes.explanation.facts.sentence"}
    assert seen - of_explanations == STAY_WHEN_ANONYMOUS
