"""Add marks given by hand to a run."""

from pathlib import Path

import click

from harness.cli import options
from harness.common.csv_tables import read_sheet
from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.common.words import counted
from harness.model.review import merge
from harness.reporting.export.manual_marks import read_manual
from harness.reporting.writing import write_reports
from harness.results.database import STORE_NAME, StoreReader, store_of
from harness.results.store import Store
from harness.review.desk import Desk


@options.click_command(
    "manual",
    "harness export reports/connect4ish --to manual-marks -o style.csv",
    "harness manual reports/connect4ish style.csv",
)
@click.argument("run", type=options.RUN)
@click.argument("file", type=options.PATH)
def command(run: Path, file: Path) -> int:
    """Add marks given by hand to RUN (a report folder). FILE is a table that `harness export RUN
    --to manual-marks` wrote, or another tutor's report folder of the same class.

    The marks count in totals, on pages and in gradebooks, and stay when submissions are graded
    again. If the table has an error, nothing of it is used. If two tutors changed the same thing,
    the command lists it and the later change counts.
    """
    path = store_of(run)
    other = file / STORE_NAME if file.is_dir() else file
    is_store = other.suffix == Path(STORE_NAME).suffix
    if is_store and other.resolve() == path.resolve():
        raise UserError("is the run itself", place=str(file))
    sheet = None if is_store else read_sheet(file)
    with Store.open(path) as store:
        if sheet is None:
            done = _merge(store, store_of(file))
        else:
            changes = read_manual(sheet, store.run(), store.plan(), options.login_name())
            store.append(changes)
            about = {change.submission for change in changes}
            done = f"{counted(len(about), 'submission')} changed"
        result, plan = store.run(), store.plan()
    write_reports(result, plan, path.parent)
    finished, count = Desk(path, who="").progress()
    click.echo(f"{done}; {finished} of {count} done")
    return 0


def _merge(store: Store, other: Path) -> str:
    """Add the changes in another store, print conflicts, and return a summary."""
    with StoreReader.read_only(other) as theirs:
        assignment = theirs.facts().assignment
        expected = store.facts().assignment
        if assignment != expected:
            what = f"contains a run of {assignment}, not of {expected}"
            raise UserError(what, place=str(other))
        further = [change for _, change in theirs.changes()]
    before = [change for _, change in store.changes()]
    new, conflicts = merge(before, further)
    store.take(new)
    named = {change.submission for change in new} - {""}
    unknown = named - store.states().keys()
    about = named - unknown
    for name in sorted(unknown):
        click.echo(visible(f"{name}: not in this run; the marks and comments are kept"), err=True)
    for conflict in conflicts:
        click.echo(visible(f"conflict: {conflict}"), err=True)
    return f"{counted(len(new), 'change')} to {counted(len(about), 'submission')} taken"
