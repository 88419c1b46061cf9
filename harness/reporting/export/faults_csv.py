"""CSV of the faults that students' tests notice: a row a submission, a column a fault."""

from harness.common.csv_tables import csv_text
from harness.model.plan import Plan
from harness.model.result import RunResult
from harness.reporting.export.exporter import text_exporter
from harness.reporting.view.noticed import Fault, faults_of, noticed_by

_WORDS = {True: "1", False: "0", None: ""}


def faults_csv(run: RunResult, plan: Plan) -> str:
    """Return 1 for each fault that a submission's tests notice, 0 for each other one, and nothing
    if it is not known."""
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
