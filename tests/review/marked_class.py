"""A run of small programs to mark: every third is flagged, the last is held, with a rubric."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from harness.model.plan import ManualSlot, SourceFile
from harness.model.result import ManualMark, SubmissionResult, SubmissionStatus
from harness.model.submission import Student
from harness.results.database import STORE_NAME
from harness.results.store import Store
from tests.model.test_review import MAGIC, NAMES, SHAPE, STYLE
from tests.reporting.report_samples import FACTS, MANY_FAULTS, PERFECT, PLAN

REPORT = ManualSlot(id="report", title="The report", out_of=Fraction(2))
COURSE = replace(PLAN, assignment=replace(PLAN.assignment, manual=(STYLE, REPORT)))
PROGRAM = "def check_input(text: str) -> int:\n    # {name}\n\n    return len(text)\n"
__all__ = ["COURSE", "MAGIC", "NAMES", "REPORT", "SHAPE", "STYLE", "database_of", "submission"]


def submission(number: int) -> SubmissionResult:
    name = f"s{number:03}"
    sample = PERFECT if number % 2 else MANY_FAULTS
    return replace(
        sample,
        id=name,
        flagged=number % 3 == 0,
        manual=(ManualMark(slot=STYLE), ManualMark(slot=REPORT)),
        student=Student(id=name, name=f"Student <{number}>"),
        handed_in=f"2024-03-22T16:00:{number:02}+10:00",
        notes=(f"{name}_a1.py was graded as a1.py",),
        source_digest=f"{number:064}",
        files=(SourceFile(name="a1.py", data=PROGRAM.format(name=f"the {name}").encode()),),
    )


def held(number: int) -> SubmissionResult:
    return replace(
        submission(number),
        status=SubmissionStatus.NEEDS_REVIEW,
        mark=None,
        scenarios=(),
        causes=(),
        findings=(),
        problem="found old.py and new.py, expected a1.py",
        choices=tuple(SourceFile(name=n, data=b"print(1)\n") for n in ("old.py", "new.py")),
        files=(),
    )


def database_of(folder: Path, count: int) -> Path:
    with Store.open(folder / STORE_NAME) as store:
        store.begin(FACTS, COURSE)
        for number in range(1, count + 1):
            store.save(held(number) if number == count else submission(number))
        store.finish(replace(FACTS, complete=True))
        return store.path
