"""Check one file against the visible scenarios."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

import click

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.common import escaping
from harness.common.errors import UserError, error_lines
from harness.grading.check import check_submissions, not_here, notes, submitted, without_files
from harness.grading.context import GradingContext, prepare, visible_only, without_tags
from harness.reporting.github import markdown_summary, of_submission
from harness.reporting.terminal.cards import explain_on_screen
from harness.results.student_view import student_view

SECTION = "Grading"


@options.click_command(
    "check",
    "harness check a1.py --assignment connect4ish",
    "harness check a1.py --assignment connect4ish --watch",
)
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="FILE…")
@options.several(options.assignment, options.root, options.python, options.support, options.without)
@click.option("--watch", is_flag=True, help="Check again whenever a file is saved.")
@options.option("--failures", "How many failures to explain.", default=3, type=click.IntRange(1))
@click.option("--all", "whole", is_flag=True, help="Explain every failure, at any length.")
@options.report_format
def command(
    files: tuple[Path, ...],
    assignment: str | None,
    root: Path | None,
    python: Path | None,
    support: Path | None,
    without: tuple[str, ...],
    watch: bool,
    failures: int,
    whole: bool,
    form: str,
) -> int:
    """Run the visible scenarios on FILE… and explain the first failures.

    Exit status: 0 all passed, 1 something failed, 2 cannot run.
    """
    base = options.the_root(root, files)
    assignment_id = options.the_assignment(base, assignment, files)
    # Which tags there are is known of all scenarios alone.
    loaded = load(base, assignment_id, support=support, visible=not without)
    visible = visible_only(without_tags(loaded, without))
    context = prepare(visible, python=python, cache=base / CACHE, recall_tier=True)
    if context.interpreter.notice:
        click.echo(f"notice: {context.interpreter.notice}", err=True)
    if form == options.GITHUB:
        return _annotate(context, files, sys.maxsize if whole else failures)
    again = saves(files) if watch else ()
    passed = _check(context, files, failures, whole=whole)
    for _ in again:
        click.clear()
        try:
            passed = _check(context, files, failures, whole=whole)
        except UserError as error:  # an editor may have the file away for a moment
            click.echo(error_lines(str(error)), nl=False, err=True)
            passed = False
    return 0 if passed else 1


def _check(context: GradingContext, files: tuple[Path, ...], failures: int, *, whole: bool) -> bool:
    plan = context.specification.plan
    submissions = submitted(files, plan.assignment)
    for note in notes(files, submissions, plan.assignment):
        click.echo(f"note: {escaping.visible(note)}", err=True)
    absent = not_here(files, plan.assignment)
    results = [without_files(each, absent) for each in check_submissions(context, submissions)]
    for result in results:
        text = explain_on_screen(student_view(result, plan), failures, whole=whole)
        click.echo(text, nl=False)
    return all(result.all_passed for result in results)


def _annotate(context: GradingContext, files: tuple[Path, ...], failures: int) -> int:
    """Annotations alone: what a program printed never begins a line, where it would command the
    runner. The explanations go into the page that the runner makes of the job."""
    plan = context.specification.plan
    results = check_submissions(context, submitted(files, plan.assignment))
    paths: dict[str, str] = {}  # where each file lies that a message may name
    if len(files) == 1:
        (path,) = files
        names = filter(None, (*plan.assignment.submission_files, plan.assignment.laid_as))
        paths = {name: str(path / name if path.is_dir() else path) for name in names}
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    for result in results:
        view = student_view(result, plan)
        for annotation in of_submission(view, paths):
            click.echo(str(annotation))
        if page:
            with Path(page).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(markdown_summary(view, failures))
    passed = all(result.all_passed for result in results)
    click.echo("all visible checks passed" if passed else "not all visible checks passed")
    return 0 if passed else 1


# How long one look for changes waits; also how long it takes until watching has surely begun.
LOOK_MS = 100


def saves(files: Sequence[Path]) -> Iterator[None]:
    """Yield whenever one of `files`, or a file directly in a folder among them, was saved, made or
    removed; several changes at once count as one. It watches from its call on, also while the
    caller is busy. UserError without the library that watches."""
    try:
        from watchfiles import watch  # noqa: PLC0415  (the extra `watch`)
    except ImportError as error:
        hint = "pip install 'a1-harness[watch]'"
        raise UserError("watching needs watchfiles", place="--watch", hint=hint) from error
    # By both paths: systems differ in whether they report a linked file by its link.
    wanted = {path for file in files for path in (file.absolute(), file.resolve())}
    folders = {path for path in wanted if path.is_dir()}
    # Folders, for many editors save by putting a new file in the old one's place.
    changes = watch(
        *(folders | {path.parent for path in wanted - folders}),
        watch_filter=lambda _, changed: is_save(Path(changed), wanted, folders),
        rust_timeout=LOOK_MS,
        yield_on_timeout=True,
        recursive=False,
    )
    next(changes)  # a generator: this begins
    return (None for changed in changes if changed)


def is_save(changed: Path, wanted: Set[Path], folders: Set[Path]) -> bool:
    """Whether it is one of `wanted`, or in one of `folders` and not an editor's own file."""
    of_an_editor = changed.name.startswith(".") or changed.name.endswith("~")
    return changed in wanted or (changed.parent in folders and not of_an_editor)
