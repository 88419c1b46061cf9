"""Submissions of a class and requests for a gradebook, for the tests of gradebooks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from harness.reporting.export.exporter import ExportRequest
from harness.reporting.export.gradebooks import GradebookEntry
from tests.reporting.report_samples import PLAN, RUN

TITLE = "A tiny till"
_PLAN = replace(PLAN, assignment=replace(PLAN.assignment, title=TITLE))


def request(gradebook: Path | None = None, **more: object) -> ExportRequest:
    """A request to export a gradebook of the assignment `TITLE`."""
    plain = ExportRequest(run=RUN, plan=_PLAN, folder=Path(), gradebook=gradebook)
    return replace(plain, **more)


def entry(number: int, name: str, mark: str, **more: str) -> GradebookEntry:
    """A submission of student `number` out of 6."""
    return GradebookEntry(
        id=more.pop("id", f"s{number}"),
        student_id=more.pop("student_id", str(number)),
        email=more.pop("email", ""),
        name=name,
        mark=mark,
        out_of=Fraction(6),
        **more,
    )
