"""Show the marks of a class, or the reasons for one mark."""

from pathlib import Path

import click

from harness.cli import options
from harness.cli.printing import print_result
from harness.reporting.terminal.tables import show_submission, summary_table
from harness.results.database import read_run, read_submission


@options.click_command(
    "show", "harness show reports/connect4ish", "harness show connect4ish perfect"
)
@click.argument("run", type=options.RUN)
@click.argument("student", required=False)
@click.option("--submission", metavar="STUDENT", help="Same as the argument STUDENT.")
def command(run: Path, student: str | None, submission: str | None) -> int:
    """Show the class table of RUN, or every reason for the mark of STUDENT.

    RUN is a report folder, or the name of one in reports/.
    """
    student = student or submission
    if student is None:
        result, plan = read_run(run)
        print_result(summary_table(result, plan))
        if not result.facts.complete:
            print_result("[red]This run is not complete: grade again to finish it.")
        return 0
    print_result(show_submission(*read_submission(run, student)))
    return 0
