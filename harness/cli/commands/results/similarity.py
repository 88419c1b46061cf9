"""Find similar programs in a class."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click
from rich.table import Column, Table
from rich.text import Text

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.cli.printing import print_result
from harness.cli.progress import steps
from harness.common import files, serial
from harness.common.escaping import visible
from harness.common.words import counted
from harness.model.assignment import SourceFile
from harness.model.study import SimilarityReport
from harness.reporting.html.study_pages import write_similarity, write_study
from harness.reporting.view.words import percent
from harness.reporting.writing import write_reports
from harness.results.database import store_of
from harness.results.reuse import latest_strength
from harness.results.store import Store
from harness.study.similarity import (
    compare_class,
    earlier_submissions,
    graded_submissions,
    without_ids,
)

_LISTED = 20  # pairs that are printed; the page has all


@dataclass(frozen=True, slots=True, kw_only=True)
class _SimilarityOptions:
    """The options: which programs to compare with, and how students are named."""

    earlier: Annotated[
        tuple[Path, ...],
        options.option(
            "--base",
            "earlier",
            "Submissions of an earlier year. Programs similar to one of them are listed, and "
            "code that they contain counts less otherwise. Can be repeated.",
            type=options.PATH,
            multiple=True,
            metavar="PATH",
        ),
    ]
    anonymous: Annotated[bool, options.flag("--anonymous", "Write numbers instead of student ids.")]
    python: Annotated[Path | None, options.python]
    root: Annotated[Path | None, options.root]


@options.click_command(
    "similarity",
    "harness similarity reports/connect4ish",
    "harness similarity reports/connect4ish --anonymous",
)
@click.argument("run", type=options.RUN)
@options.options_of("chosen", _SimilarityOptions)
def command(run: Path, chosen: _SimilarityOptions) -> int:
    """Compare the programs graded in RUN (a report folder) pair by pair.

    Names, comments, layout and the order of functions make no difference. Code from the stub, the
    provided files or the reference does not count, and code that many students share counts less. A
    program with a syntax error is compared by its tokens.

    The results are in RUN: the folder `similarity` with pairs side by side, `similarity.json` with
    all pairs, and `study.html`, an overview. Similarity does not prove copying, and no mark depends
    on it. The command uses no network.
    """
    base = options.the_root(chosen.root, [run])
    return compare(run, base, chosen.python, chosen.earlier, anonymous=chosen.anonymous)


def compare(
    run: Path,
    base: Path,
    python: Path | None = None,
    earlier: Sequence[Path] = (),
    *,
    anonymous: bool = False,
) -> int:
    """Run the command and return its exit status. `base` is the folder that contains specs/."""
    path = store_of(run)
    with Store.read_only(path) as store:
        submissions, left_out = graded_submissions(store)
        plan = store.plan()
        graded = store.run()
    for name, why in left_out.items():
        click.echo(f"{visible(name)}: not compared, {visible(why)}", err=True)
    ids = {submission.id for submission in submissions}
    older = earlier_submissions(earlier, plan.assignment, ids)
    if anonymous:
        submissions = without_ids(submissions)
        older = without_ids(older, "earlier")
    specification = load(base, plan.assignment.id)
    count = len(submissions) + len(older)
    with steps() as tell:
        report = compare_class(
            specification,
            submissions,
            earlier=older,
            python=python,
            progress=lambda done: tell("reading", done, count),
        )
    sources: dict[str, tuple[SourceFile, ...]] = {}
    for submission in (*submissions, *older):
        sources[submission.id] = submission.files
    people: dict[str, str] = {}
    if not anonymous:
        for result in graded.submissions:
            people[result.id] = result.student.name if result.student else ""
    page = write_similarity(report, specification.plan, sources, path.parent, people)
    files.write(path.parent / "similarity.json", serial.dumps(report) + "\n", private=True)
    study = write_study(path.parent, plan, latest_strength(base / CACHE, plan), report)
    write_reports(graded, plan, path.parent)  # the class page must show the groups
    _show(report, with_earlier=bool(older))
    click.echo("Similarity does not prove copying: look at both programs.")
    click.echo(f"Report: {page}")
    click.echo(f"Overview: {study}")
    return 0


def _show(report: SimilarityReport, *, with_earlier: bool) -> None:
    """Print the most similar pairs and their number."""
    table = Table(Column("score", justify="right"), "first", "second")
    for place in report.worth_a_look(_LISTED):
        pair = report.pairs[place]
        first = Text(visible(pair.first))
        second = Text(visible(pair.second))
        table.add_row(f"{percent(pair.score)} %", first, second)
    print_result(table)
    programs = counted(report.compared, "program")
    if with_earlier:
        click.echo(f"{programs} compared, also with {report.earlier} earlier ones")
    else:
        click.echo(f"{programs} compared")
    cut = f"{percent(report.cut)} %"
    if report.by_tokens:
        cut += f" ({percent(report.token_cut)} % if a program is compared by its tokens)"
    pairs = counted(len(report.pairs), "pair")
    groups = counted(len(report.groups), "group")
    click.echo(f"{pairs} with at least {cut}, {groups}")
