"""Exports which faults the students' own tests notice, as CSV: one row for each submission, one
column for each fault.
"""

from harness.common.csv_tables import csv_text
from harness.model.plan import Plan
from harness.model.result import RunResult
from harness.reporting.export.exporter import text_exporter
from harness.reporting.view.noticed import Fault, faults_of, noticed_by

_WORDS = {True: "1", False: "0", None: ""}


def faults_csv(run: RunResult, plan: Plan) -> str:
    """Return the CSV text.

    A cell is 1 if the tests notice the fault, 0 if they do not, and empty if unknown.
    """
    faults = faults_of(plan)
    rows: list[list[str]] = [["id", *map(_title, faults)]]
    for result in run.submissions:
        cells = [_WORDS[noticed] for noticed in noticed_by(result, faults)]
        rows.append([result.id, *cells])
    return csv_text(rows)


def _title(fault: Fault) -> str:
    return f"{fault.id}: {fault.why}" if fault.why else fault.id


EXPORTER = text_exporter(
    "faults", "faults that students' tests notice", faults_csv, may_be_anonymous=True
)
