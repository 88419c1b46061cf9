"""The last measurement of how strong an assignment's scenarios are, in a file."""

from __future__ import annotations

from pathlib import Path

from harness.common import files, serial
from harness.model.plan import Plan
from harness.model.study import StrengthReport


def write_strength(cache: Path, report: StrengthReport) -> None:
    """Keep a report below `cache` in place of the assignment's earlier one."""
    files.write(_path(cache, report.assignment), serial.dumps(report))


def latest_strength(cache: Path, plan: Plan) -> StrengthReport | None:
    """The report below `cache` of exactly these scenarios and this reference; None where there is
    none, or where either has changed since."""
    try:
        found = serial.loads(StrengthReport, _path(cache, plan.assignment.id).read_bytes())
    except (OSError, serial.SerialError):
        return None
    measured = (found.spec_digest, found.reference_digest)
    return found if measured == (plan.spec_digest, plan.reference_digest) else None


def _path(cache: Path, assignment: str) -> Path:
    return cache / "strength" / f"{assignment}.json"
