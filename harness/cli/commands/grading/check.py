"""Check one file against the visible scenarios."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.cli.printing import tell_notice
from harness.common import escaping
from harness.common.errors import UserError, error_lines
from harness.grading.check import (
    check_submissions,
    not_here,
    notes,
    notes_about,
    submitted,
    without_files,
)
from harness.grading.context import GradingContext, prepare, visible_only, without_tags
from harness.model.plan import Assignment
from harness.reporting.github import markdown_summary, of_submission
from harness.reporting.terminal.cards import explain_on_screen
from harness.results.student_view import student_view

Stamps = Mapping[Path, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _CheckOptions:
    """The options: whether to check again after changes, and how results are shown."""

    watch: Annotated[bool, options.flag("--watch", "Check again each time a file is saved.")]
    failures: Annotated[
        int,
        options.option(
            "--failures", "How many failures to explain.", default=3, type=click.IntRange(1)
        ),
    ]
    whole: Annotated[bool, options.flag("--all", "whole", "Explain every failure in full.")]
    form: Annotated[str, options.report_format]


@options.click_command(
    "check",
    "harness check a1.py --assignment connect4ish",
    "harness check a1.py --assignment connect4ish --watch",
)
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="FILE…")
@options.several(options.assignment, options.course, options.without)
@options.logging
@options.options_of("chosen", _CheckOptions)
def command(
    files: tuple[Path, ...],
    assignment: str | None,
    course: options.CourseOptions,
    without: tuple[str, ...],
    chosen: _CheckOptions,
) -> int:
    """Run the visible checks on FILE… and explain the first failures.

    Exit status: 0 all passed, 1 something failed, 2 cannot run.
    """
    base = course.base(files)
    assignment_id = options.the_assignment(base, assignment, files)
    # Load all scenarios, to know which tags exist.
    loaded = load(base, assignment_id, support=course.support, visible=not without)
    visible = visible_only(without_tags(loaded, without))
    context = prepare(visible, python=course.python, cache=base / CACHE, recall_tier=True)
    tell_notice(context.interpreter.notice)
    if chosen.form == options.GITHUB:
        failures = chosen.failures
        if chosen.whole:
            failures = sys.maxsize
        return _annotate(context, files, failures)
    before = stamps(files)
    passed = _check(context, files, chosen)
    if chosen.watch:
        for _ in saves(files, before):
            click.clear()
            try:
                passed = _check(context, files, chosen)
            except UserError as error:  # editors may remove the file for a moment
                click.echo(error_lines(str(error)), nl=False, err=True)
                passed = False
    return _status(passed=passed)


def _status(*, passed: bool) -> int:
    return 0 if passed else 1


def _check(context: GradingContext, files: tuple[Path, ...], chosen: _CheckOptions) -> bool:
    plan = context.specification.plan
    submissions = submitted(files, plan.assignment)
    for note in notes(files, submissions, plan.assignment):
        click.echo(f"note: {escaping.visible(note)}", err=True)
    absent = not_here(files, plan.assignment)
    checked = check_submissions(context, submissions)
    results = [without_files(result, absent) for result in checked]
    for result in results:
        view = student_view(result, plan)
        for note in notes_about(result, submissions):
            click.echo(f"note: {escaping.visible(note)}", err=True)
        click.echo(explain_on_screen(view, chosen.failures, whole=chosen.whole), nl=False)
    return all(result.all_passed for result in results)


def _annotate(context: GradingContext, files: tuple[Path, ...], failures: int) -> int:
    """Print only GitHub annotations; return the exit status.

    No line starts with a program's own output, because GitHub would interpret it as a command.
    Explanations go to the job's summary page.
    """
    plan = context.specification.plan
    results = check_submissions(context, submitted(files, plan.assignment))
    paths = _places_of_files(files, plan.assignment)
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    for result in results:
        view = student_view(result, plan)
        for annotation in of_submission(view, paths):
            click.echo(str(annotation))
        if page:
            with Path(page).open("ab") as file:
                file.write(escaping.encoded(markdown_summary(view, failures)))
    passed = all(result.all_passed for result in results)
    all_or_not = "all" if passed else "not all"
    click.echo(f"{all_or_not} visible checks passed")
    return _status(passed=passed)


def _places_of_files(files: tuple[Path, ...], assignment: Assignment) -> dict[str, str]:
    """Return the paths of the files that messages may name, if only one FILE is checked."""
    if len(files) != 1:
        return {}
    (given,) = files
    names = [*assignment.submission_files]
    if assignment.laid_as:
        names.append(assignment.laid_as)
    places: dict[str, str] = {}
    for name in names:
        path = given / name if given.is_dir() else given
        places[name] = str(path)
    return places


LOOK_SECONDS = 0.1


def saves(files: Sequence[Path], before: Stamps) -> Iterator[None]:
    """Yield each time a file is saved, created or deleted; `before` is the initial state.

    `files` may contain folders, which stand for the files directly inside. Changes made while the
    caller is busy are not lost. Several changes at once count as one.
    """
    known = now = before
    while True:
        time.sleep(LOOK_SECONDS)
        last, now = now, stamps(files)
        if (
            last == now != known
        ):  # wait for stable files, because an editor may save in several steps
            known = now
            yield


def stamps(files: Sequence[Path]) -> Stamps:
    """Return, for each existing file, the data that changes when it is saved.

    A folder stands for its files, except editors' own temporary files.
    """
    found: dict[Path, tuple[int, ...]] = {}
    for file in files:
        with suppress(OSError):  # the file may disappear at any time
            paths = file.iterdir() if file.is_dir() else (file,)
            for path in paths:
                of_an_editor = path.name.startswith(".") or path.name.endswith("~")
                if path in files or (path.is_file() and not of_an_editor):
                    status = path.stat()
                    found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found
