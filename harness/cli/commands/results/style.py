"""Gather evidence for the person who marks style."""

from pathlib import Path

import click

from harness.cli import options
from harness.cli.progress import steps
from harness.common.escaping import visible
from harness.reporting.html.study_pages import style_in_words, write_style
from harness.reporting.writing import write_reports
from harness.results.database import store_of
from harness.results.store import Store
from harness.study.similarity import graded_submissions
from harness.study.style import style_report


@options.click_command(
    "style",
    "harness style reports/connect4ish",
    "harness export reports/connect4ish --to manual-marks -o style.csv",
)
@click.argument("run", type=options.RUN)
@options.python
def command(run: Path, python: Path | None) -> int:
    """Gather evidence about style for each program of RUN (a report folder): findings of ruff by a
    small set of rules, the longest functions, missing docstrings, numbers without a name, and
    repeated statements.

    The evidence is on the lecturer's page of each submission and in the table of `harness export
    --to manual-marks`. It is never a mark, and students do not see it. If ruff is not installed,
    its findings are left out.
    """
    path = store_of(run)
    with Store.read_only(path) as store:
        submissions, left_out = graded_submissions(store)
        plan, graded = store.plan(), store.run()
        for name, why in left_out.items():
            click.echo(f"{visible(name)}: left out, {visible(why)}", err=True)
        with steps() as tell:
            report = style_report(
                plan.assignment,
                submissions,
                python=python,
                progress=lambda done: tell("reading", done, len(submissions)),
            )
        target = write_style(report, path.parent)
        write_reports(graded, plan, path.parent)
    evidence = {program.source_digest: program.evidence for program in report.submissions}
    for submission in submissions:
        words = style_in_words(evidence[submission.digest])
        click.echo(f"{visible(submission.id)}: {visible(words)}")
    click.echo(f"evidence: {target}, and on the page of each submission; no mark depends on it")
    return 0
