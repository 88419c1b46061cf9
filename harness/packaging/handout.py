"""Build the students' archive, without hidden scenarios and without the reference's code.

It contains the stub, the provided files, transcripts, a program that checks without installation,
and the visible scenarios as text: calls, typed lines and expected results. The results come from
the scenario or, if it states none, from running the reference.
"""

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath

from harness.common import serial
from harness.common.errors import UserError
from harness.common.escaping import encoded
from harness.common.files import zipped
from harness.grading.context import GradingContext
from harness.grading.stub import handed_out_stubs
from harness.model.expectation import (
    Answer,
    AnswerKey,
)
from harness.model.observation import CourseTestOutcome, Raised
from harness.model.plan import Assignment, Clause, Plan, Specification
from harness.model.policy import SourceFile
from harness.packaging.notebook import notebook_of
from harness.packaging.program_file import program_file
from harness.packaging.scenarios_page import scenarios_page

SELFCHECK = "selfcheck.pyz"
PAGE = "visible-scenarios.txt"
README = "README.txt"
REQUIREMENTS = "requirements.txt"
GAMEPLAY = "gameplay"
_NOT_HERE = (
    "Not in this folder, because the text differs between checks: {}. To try a check by "
    f"hand, write the file as {PAGE} shows it under that check."
)


def handout_zip(
    specification: Specification, context: GradingContext, *, notebook: bool = False
) -> bytes:
    """Return the bytes of the students' archive.

    The same specification, harness and interpreter always give the same bytes. With `notebook` the
    stub is a notebook.

    `specification` is the whole assignment; `context` was prepared from its visible part
    (`visible_only`). Raise UserError if two files would have the same name, and HarnessError if a
    stub failed.
    """
    plan = student_plan(context.specification)
    stubs = handed_out_stubs(specification)
    if notebook:
        stubs = (notebook_of(stubs, plan.assignment, f"python {SELFCHECK}"),)
    parts = _parts(specification, context, plan, stubs)
    names = [name for name, _ in parts]
    to_write = [stub.name for stub in stubs] if notebook else []
    parts.append((README, _readme(plan, names, to_write).encode()))
    files: dict[str, bytes] = {}
    for name, data in parts:
        if name in files:
            problem = f"two files of the handout would have the name {name}"
            raise UserError(problem, place=plan.assignment.id)
        files[name] = data
    return zipped(files)


def _parts(
    specification: Specification,
    context: GradingContext,
    plan: Plan,
    stubs: Sequence[SourceFile],
) -> list[tuple[str, bytes]]:
    """Return the names and contents of all files in the archive except the README."""
    shown = context.specification
    assignment = shown.plan.assignment
    key = student_key(context, plan)
    provided = (*assignment.variants[0].files, *assignment.shown_extra_files())
    parts = [(file.name, file.data) for file in (*stubs, *provided)]
    for name, contents in _files_beside(plan).items():
        if len(contents) == 1:
            parts.append((name, contents.pop()))
    for file in plan.assignment.test_files:
        parts.append((file.name, file.data))
    parts.append((PAGE, encoded(scenarios_page(plan, key))))
    parts.append((SELFCHECK, program_file(plan, key)))
    for game in shown.transcripts:
        name = PurePosixPath(game.path.replace("\\", "/")).name
        played = key.answers(game.scenario_id)[0].observation.transcript()
        parts.append((f"{GAMEPLAY}/{name}", encoded(played)))
    return parts


def _files_beside(plan: Plan) -> dict[str, set[bytes]]:
    """Return the files that visible scenarios put into the submission's folder.

    Each name has all of its contents, because scenarios may give one file different contents.
    """
    other_files = {PAGE, SELFCHECK, README, *plan.assignment.submission_files}
    contents: dict[str, set[bytes]] = {}
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            for file in stimulus.files:
                if file.name not in other_files:
                    contents.setdefault(file.name, set()).add(file.data)
    return dict(sorted(contents.items()))


def _readme(plan: Plan, names: list[str], notebooks: Sequence[str] = ()) -> str:
    """Return the README.

    `notebooks` has the names of the files that are handed out as notebooks.
    """
    assignment = plan.assignment
    files = tuple(notebooks) or assignment.submission_files
    same: list[str] = []
    differing: list[str] = []
    for name, contents in _files_beside(plan).items():
        group = same if len(contents) == 1 else differing
        group.append(name)
    rows = _listed_files(assignment, files, same, names)
    width = max(len(name) for name, _ in rows)
    listed = "".join(f"  {name:<{width}}  {text}\n" for name, text in rows)
    if differing:
        not_here = _NOT_HERE.format(", ".join(differing))
        listed += "\n" + textwrap.fill(not_here, 88) + "\n"
    named = assignment.archive or shlex.join(files)
    if notebooks:
        named = shlex.join(files)
    packages = " ".join(needed_packages(assignment))
    if packages:
        nothing = "Nothing else"
        install = f"Install its packages, once:\n\n  python3 -m pip install {packages}\n\n"
    else:
        nothing = "Nothing"
        install = ""
    return (
        f"{assignment.title}\n{assignment.course}\n\n{listed}\n{install}"
        "Check your work, in a terminal in this folder, with Python "
        f"{assignment.python}:\n\n  python3 {SELFCHECK} {named}\n\n"
        f"(py {SELFCHECK} {named} on Windows.) {nothing} has to be installed. It explains the\n"
        "first thing to fix; fix it, save, and check again. Another Python from 3.11 on will\n"
        "do, but grading uses the version named here.\n\n"
        "The check runs your program without protection, as you would run it yourself, and gives\n"
        "no marks. Grading makes other checks too.\n"
    )


def needed_packages(assignment: Assignment) -> tuple[str, ...]:
    """Return the packages that the self-check needs: those of the programs, and pytest for
    tests."""
    if assignment.needs_pytest:
        return (*assignment.packages, "pytest")
    return assignment.packages


def _listed_files(
    assignment: Assignment, files: Sequence[str], beside: Sequence[str], names: Iterable[str]
) -> list[tuple[str, str]]:
    """Return the name and the purpose of each file in the archive."""
    several = len(files) > 1
    rows = list(_files_to_write(assignment, files))
    for file in (*assignment.variants[0].files, *assignment.shown_extra_files()):
        rows.append((file.name, "provided: do not change it"))
    if beside:
        what = "a file" if len(beside) == 1 else "files"
        rows.append((", ".join(beside), f"{what} that the checks read"))
    tests = [file.name for file in assignment.test_files]
    if tests:
        rows.append((", ".join(tests), "tests of your course, which the check runs too"))
    if any(name.startswith(f"{GAMEPLAY}/") for name in names):
        rows.append((f"{GAMEPLAY}/", "examples of games, with the typed lines"))
    rows.append((PAGE, "the checks that you can run yourself, with the expected results"))
    rows.append((SELFCHECK, f"runs them on your {'files' if several else 'file'}"))
    return rows


def _files_to_write(assignment: Assignment, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that the student writes: programs, tests, and programs to try tests with."""
    writing = assignment.test_writing
    tests = () if writing is None else writing.files
    at_home = assignment.only_at_home
    begin = "start here: "
    programs = [name for name in files if name not in tests and name not in at_home]
    for names, what in ((programs, "program"), (tests, "tests")):
        if not names:
            continue
        several = len(names) > 1
        where = "in them" if several else "in it"
        plural = "s" if several and what == "program" else ""
        yield ", ".join(names), f"{begin}write your {what}{plural} {where}"
        begin = ""
    if at_home:
        yield ", ".join(at_home), "not handed in: write the program, to try your tests with it"


_NAME = re.compile(r"[^\W\d]\w*")
# CPU seconds are rounded up to one of these, because they differ from run to run.
_ROUND_TO = (0.0, 0.1, 1.0, 10.0, 100.0)
# Fewer CPU seconds count as none.
_QUICK = 0.05


# The fields of an assignment that a check needs. All others stay in the course.
_OF_ASSIGNMENT = (
    *("id", "title", "course", "python", "submission_files", "laid_as", "archive", "otherwise"),
    *("extra_modules", "takes_notebooks"),
    *("functionality_marks", "limits", "policy", "variants", "extra_files", "packages"),
    *("isolate_all", "compare", "floats_within", "writes_files", "tells_time"),
    *("test_files", "handed_out_tests", "sent_names", "test_writing", "only_at_home"),
)


def student_plan(specification: Specification) -> Plan:
    """Return the plan that students get: only visible scenarios, and only the parts that a check
    needs.

    It has the ids of clauses, but not their texts. Of the reference's functions, it has only those
    that scenarios call by name.
    """
    plan = specification.plan
    assignment = plan.assignment
    names = _names_in_stimuli(plan)
    functions = []
    for function in assignment.functions:
        if names.issuperset(function.name.split(".")):
            functions.append(function)
    used_clauses = {clause for scenario in plan.scenarios for clause in scenario.clauses}
    clauses = []
    for clause in assignment.clauses:
        if clause.id in used_clauses:
            clauses.append(Clause(id=clause.id, section="", text=""))
    shown = Assignment(
        **{name: getattr(assignment, name) for name in _OF_ASSIGNMENT},
        clauses=tuple(clauses),
        functions=tuple(functions),
        other_names=tuple(name for name in assignment.other_names if name in names),
    )
    # A digest of the whole assignment could confirm a guess of a small hidden file.
    student = replace(plan, assignment=shown, spec_digest="", reference_digest="")
    digest = sha256(serial.dumps(student).encode("ascii")).hexdigest()
    return replace(student, spec_digest=digest)


def _names_in_stimuli(plan: Plan) -> set[str]:
    names: set[str] = set()
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            for text in stimulus.source_texts():
                names.update(_NAME.findall(text))
            for binding in stimulus.bindings:
                names.update(_NAME.findall(binding.literal))
    return names


def student_key(context: GradingContext, plan: Plan) -> AnswerKey:
    """Return the reference's answers to the scenarios of `plan`.

    Lines of the reference are left out. So are measured times, which would make each archive
    different.
    """
    key = context.key.subset(scenario.id for scenario in plan.scenarios)
    entries = []
    most = 0.0
    for entry in key.scenarios:
        answers = tuple(map(_without_source, entry.answers))
        entries.append(replace(entry, answers=answers))
        most += sum(max(_QUICK, answer.observation.cpu_seconds) for answer in answers)
    return replace(
        key,
        made_with="",
        run_seconds=round(most, 2),
        spec_digest=plan.spec_digest,
        reference_digest="",
        scenarios=tuple(entries),
    )


def _without_source(answer: Answer) -> Answer:
    observation = answer.observation
    steps = []
    for step in observation.steps:
        steps.append(replace(step, raised=_without_frames(step.raised)))
    cpu_seconds = 0.0
    if observation.cpu_seconds >= _QUICK:
        cpu_seconds = next(step for step in _ROUND_TO if step > observation.cpu_seconds)
    test = observation.test
    if test is not None:
        ignored = None if test.ignored is None else ""
        test = CourseTestOutcome(
            result=test.result, given_values=test.given_values, ignored=ignored
        )
    shown = replace(
        observation.without_varying(),
        raised=_without_frames(observation.raised),
        steps=tuple(steps),
        test=test,
        suite=None,  # it would name the course's own tests
        cpu_seconds=cpu_seconds,
    )
    return replace(answer, observation=shown)


def _without_frames(raised: Raised | None) -> Raised | None:
    if raised is None:
        return None
    return replace(raised, frames=())


# The platform's limit for a bundle.
MAX_BYTES = 10_000_000
GRADER = "grader.pyz"
_AUTOGRADER = f"""\
#!/usr/bin/env python3
\"\"\"Grades the checkout that it is started in. Needs Python 3.11 or later and nothing else.\"\"\"

import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.exit(subprocess.call([sys.executable, "-I", os.path.join(here, "{GRADER}")]))
"""


def classroom50_bundle(context: GradingContext) -> dict[str, bytes]:
    """Return two files: `autograder.py`, which Classroom 50 starts, and `grader.pyz`.

    The same specification, harness and interpreter always give the same bytes. `context` was
    prepared from the scenarios to include. Everybody who has the bundle can read them. Raise
    UserError if the bundle is too large for the platform.
    """
    plan = student_plan(context.specification)
    key = student_key(context, plan)
    grader = program_file(plan, key, "harness.packaging.classroom50")
    if len(grader) + len(_AUTOGRADER) > MAX_BYTES:
        problem = f"the bundle has {len(grader) / 1e6:.1f} MB, and the platform takes at most 10"
        hint = "make some scenarios with large boards or many draws hidden"
        raise UserError(problem, place=plan.assignment.id, hint=hint)
    bundle = {"autograder.py": _AUTOGRADER.encode(), GRADER: grader}
    packages = needed_packages(plan.assignment)
    if packages:
        requirements = "\n".join(packages) + "\n"
        bundle[REQUIREMENTS] = requirements.encode()
    return bundle
