"""Check that reference, scenarios, mutants and samples agree."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.api import load_assignment
from harness.assignment.compile import record_draws
from harness.assignment.files.small_files import expectation_text, load_expectation
from harness.assignment.loading import CACHE, SpecErrors, available, load
from harness.assignment.symbols import as_template
from harness.cli import options
from harness.cli.commands.assignments.strength import first_name, measure_strength, show_strength
from harness.cli.printing import relative_to_here, result_console, say
from harness.cli.progress import steps
from harness.common import escaping
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.common.words import counted
from harness.grading.context import prepare
from harness.grading.observing.answer_key import CheckName
from harness.grading.single_runs import record_transcripts
from harness.grading.validation.report import ValidationReport
from harness.grading.validation.samples import Sample
from harness.grading.validation.validate import validate
from harness.intake.pipeline import read
from harness.model.plan import Assignment, Specification
from harness.reporting.github import placed


@dataclass(frozen=True, slots=True, kw_only=True)
class _ValidateOptions:
    """The options: which steps run, and how results are shown."""

    jobs: Annotated[int | None, options.jobs()]
    no_samples: Annotated[bool, options.flag("--no-samples", "Skip the sample submissions.")]
    isolation: Annotated[
        bool,
        options.flag(
            "--isolation",
            "Run mutants and samples twice, in shared and in separate processes, and compare.",
        ),
    ]
    strength: Annotated[
        bool,
        options.flag(
            "--strength", "Also measure how many changes of the reference the scenarios notice."
        ),
    ]
    accept: Annotated[
        bool,
        options.flag(
            "--accept",
            "Write the results of the reference and the samples into draws, transcripts and "
            "expect.yaml, after showing each difference.",
        ),
    ]
    details: Annotated[
        bool, options.flag("--details", "Also show every clause, mutant and sample in tables.")
    ]
    form: Annotated[str, options.report_format]


@options.click_command(
    "validate", "harness validate", "harness validate connect4ish --no-samples --strength"
)
@click.argument("ids", nargs=-1, metavar="[ID…]")
@options.several(options.course, options.logging)
@options.options_of("chosen", _ValidateOptions)
def command(
    ids: tuple[str, ...],
    course: options.CourseOptions,
    chosen: _ValidateOptions,
) -> int:
    """Check that reference, scenarios, mutants and samples agree, for the assignments ID… or all.

    If you use --accept, read every difference before you commit it: marks depend on it.

    Exit status: 0 sound, 1 something must be fixed, 2 cannot run.
    """
    base = course.base()
    cache = base / CACHE
    console = result_console()
    sound = True
    for assignment_id in ids or available(base):
        if chosen.accept:
            accept_recordings(base, assignment_id, course.python)
        loaded = _load(base, assignment_id, course.support, chosen.form)
        context = prepare(loaded, python=course.python, cache=cache, refuse=False, recall_tier=True)
        folder = base / "submissions"
        # If a folder has only one assignment, its samples may be in submissions/ itself.
        if (folder / assignment_id).is_dir() or len(available(base)) > 1:
            folder /= assignment_id
        samples: tuple[Sample, ...] = ()
        if not chosen.no_samples:
            samples = read_samples(folder, loaded.plan.assignment)
        with steps() as tell:
            report = validate(
                context, samples, jobs=chosen.jobs, isolation=chosen.isolation, progress=tell
            )
        if chosen.accept:
            report = accept_samples(report, folder)
        show(report, console, details=chosen.details)
        if chosen.form == options.GITHUB:
            for problem in report.problems:
                click.echo(str(placed(problem.message, where=problem.place, title=problem.check)))
        if context.interpreter.notice:
            say(console, f"[bold red]notice:[/] {escape(context.interpreter.notice)}")
        sound = sound and report.sound
        if chosen.strength and report.sound:
            strength_report = measure_strength(
                loaded, cache, python=course.python, jobs=chosen.jobs
            )
            show_strength(strength_report, console)
            sound = sound and not strength_report.mistakes
    return 0 if sound else 1


def _load(base: Path, assignment_id: str, support: Path | None, form: str) -> Specification:
    try:
        loaded = load_assignment(base, assignment_id, support=support)
        if loaded.mutant_mistakes:
            raise SpecErrors(loaded.mutant_mistakes)
        return loaded
    except UserError as error:
        if form == options.GITHUB:
            for line in str(error).splitlines():
                click.echo(str(placed(line)))
        raise


def read_samples(folder: Path, assignment: Assignment) -> tuple[Sample, ...]:
    """Return the sample submissions in a folder that have an expect.yaml."""
    if not folder.is_dir():
        return ()
    samples = []
    for submission in read((folder,), assignment):
        expect = folder / submission.id / _EXPECTED
        if expect.is_file():
            expected = load_expectation(expect)
            samples.append(Sample(submission=submission, expected=expected))
    return tuple(samples)


def show(report: ValidationReport, console: Console, *, details: bool = False) -> None:
    """Print the verdict, every problem, and a line for each function.

    With `details`, also print the tables of clauses, mutants and samples.
    """
    verdict = "[green]sound"
    if not report.sound:
        verdict = f"[red]{counted(len(report.problems), 'problem')}"
    console.print(f"[bold]{escape(report.assignment)}[/]: {verdict}", highlight=False)
    for problem in report.problems:
        say(console, f"[bold red]{problem.check}[/] {escape(str(problem))}")
    for line in report.advice:
        say(console, escape(line))
    say(
        console,
        f"{counted(report.groups, 'scenario')} ({report.scenarios} with all constants and "
        f"parameters, {counted(report.stimuli, 'run')} with all draws), "
        f"{report.goldens} with stated results",
    )
    _print_functions(console, report)
    for line in _in_short(report):
        say(console, escape(line))
    if not details:
        say(console, "[dim]--details shows every clause, mutant and sample[/]")
        return
    for line in report.tolerances:
        say(console, escape(line))
    _print_clauses(console, report)
    _print_samples(console, report)


def _print_functions(console: Console, report: ValidationReport) -> None:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    for _ in range(4):
        table.add_column(justify="right", no_wrap=True)
    for row in report.functions:
        counts = (
            counted(row.scenarios, "scenario"),
            f"{row.visible} visible",
            counted(row.stimuli, "run"),
        )
        table.add_row(escape(row.function), *counts, f"{float(row.share):.1%} of the marks")
    console.print(table)


def _in_short(report: ValidationReport) -> Iterator[str]:
    """Yield a one-line summary of each table that `--details` prints."""
    if report.clauses:
        tested = sum(bool(clause.scenarios) for clause in report.clauses)
        yield f"{tested} of {len(report.clauses):,} clauses have scenarios"
    if report.why_alone is not None:
        yield f"every scenario ran in its own process: {report.why_alone}"
    if report.mutants:
        killed = sum(bool(mutant.killed_by) for mutant in report.mutants)
        yield f"{killed} of {len(report.mutants):,} mutants are noticed"
    if report.samples:
        as_expected = sum(not sample.parts for sample in report.samples)
        yield f"{as_expected} of {len(report.samples):,} samples as expected"
    stated = [sample for sample in report.samples if sample.states_causes]
    other = [sample for sample in stated if sample.other_causes is not None]
    if stated:
        yield f"causes as stated: {len(stated) - len(other)} of {len(stated)} samples"
    for sample in other:
        yield f"  {sample.name}: {sample.other_causes}"
    for trivial in report.trivial:
        names = ", ".join(trivial.passed) or "nothing"
        yield f"{trivial.name} scores {trivial.mark} of {trivial.out_of} and passes {names}"


def _print_samples(console: Console, report: ValidationReport) -> None:
    if not report.samples:
        return
    samples = Table("sample", "mark", "failed", "as expected")
    for sample in report.samples:
        verdict = "[red]no" if sample.parts else "[green]yes"
        samples.add_row(escape(sample.name), sample.mark, str(sample.failed), verdict)
    console.print(samples)


def _print_clauses(console: Console, report: ValidationReport) -> None:
    clauses = Table("clause", "what", "scenarios", "mutants killed", "killed by")
    for entry in report.clauses:
        mutants = [mutant for mutant in report.mutants if mutant.clause == entry.clause.id]
        killed = [mutant for mutant in mutants if mutant.killed_by]
        count = by = ""
        if mutants:
            count = f"{len(killed)}/{len(mutants)}"
        if killed:
            by = first_name(killed[0].killed_by)
        what = escape(entry.clause.text)
        if entry.clause.unsettled:
            what += f" [dim](unsettled: {escape(entry.clause.unsettled)})[/]"
        clauses.add_row(entry.clause.id, what, str(entry.scenarios), count, escape(by))
    console.print(clauses)


_MAX_LINES = 60
_EXPECTED = "expect.yaml"
_OF_SAMPLES = (CheckName.SAMPLES, CheckName.CAUSES)


def accept_recordings(root: Path, assignment_id: str, python: Path | None) -> None:
    """Record generated inputs and transcripts again, and show what changed."""
    recording = load(root, assignment_id, recording=True)
    folder = Path(recording.folder)
    there = {*(folder / "draws").glob("*.json")}
    there |= {folder / transcript.path for transcript in recording.transcripts}
    before = {path: path.read_bytes() for path in there if path.is_file()}
    written = {*record_draws(root, assignment_id)}
    if recording.reference:
        written |= {*record_transcripts(recording, as_template, python=python)}
    for path in sorted({*before, *written}):
        now = path.read_bytes() if path.is_file() else b""
        _show_difference(path, before.get(path, b""), now)


def accept_samples(report: ValidationReport, folder: Path) -> ValidationReport:
    """Rewrite the expect.yaml of each sample that disagrees with it; return the report without
    these problems.

    Other causes than stated are a problem only if there are too many.
    """
    wrong = {problem.place for problem in report.problems if problem.check in _OF_SAMPLES}
    samples = list(report.samples)
    for at, sample in enumerate(samples):
        if f"{sample.name}/{_EXPECTED}" in wrong:
            path = folder / sample.name / _EXPECTED
            now = expectation_text(sample.accepted).encode()
            _show_difference(path, path.read_bytes(), now)
            write_bytes(path, now)
            samples[at] = replace(sample, parts=(), other_causes=None)
    problems = tuple(problem for problem in report.problems if problem.check not in _OF_SAMPLES)
    return replace(report, samples=tuple(samples), problems=problems)


def _show_difference(path: Path, before: bytes, now: bytes) -> None:
    if before == now:
        return
    name = relative_to_here(path)
    old = before.decode("utf-8", "backslashreplace").splitlines()
    new = now.decode("utf-8", "backslashreplace").splitlines()
    lines = [*difflib.unified_diff(old, new, f"{name} before", f"{name} now", lineterm="")]
    for line in lines[:_MAX_LINES]:
        click.echo(escaping.visible(line))
    if len(lines) > _MAX_LINES:
        click.echo(f"… and {len(lines) - _MAX_LINES} more lines")
