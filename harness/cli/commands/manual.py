"""Add marks given by hand to a run."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import options
from harness.common.csv_tables import read_sheet
from harness.common.words import counted
from harness.reporting.export.manual_marks import read_manual
from harness.reporting.writing import write_reports
from harness.results.database import store_of
from harness.results.store import Store

SECTION = "Grading"


@options.click_command(
    "manual",
    "harness export reports/connect4ish --to manual-marks -o style.csv",
    "harness manual reports/connect4ish style.csv",
)
@click.argument("run", type=options.PATH)
@click.argument("file", type=options.PATH)
def command(run: Path, file: Path) -> int:
    """Take the marks that people gave into RUN (a report folder) from FILE, a table begun with
    `harness export RUN --to manual-marks`.

    They join the totals in results.json, on the pages and in gradebooks, and stay when the
    submissions are graded again. A file with a mistake in it is refused as a whole.
    """
    path = store_of(run)
    sheet = read_sheet(file)
    with Store.open(path) as store:
        plan = store.plan()
        given = read_manual(sheet, store.run(), plan)
        store.give(given)
        result = store.run()
    write_reports(result, plan, path.parent)
    complete = sum(each.total is not None for each in result.submissions)
    click.echo(
        f"{counted(len(given), 'submission')} changed; "
        f"{complete} of {len(result.submissions)} have their whole mark"
    )
    return 0
