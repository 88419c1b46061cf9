"""`harness validate --accept`: records what the programs do now, and shows each change."""

from __future__ import annotations

import difflib
from dataclasses import replace
from pathlib import Path

import click

from harness.assignment import as_template, expectation_text, load, record_draws
from harness.common import escaping
from harness.common.files import write_bytes
from harness.grading import record_transcripts
from harness.grading.validation import SampleOutcome, ValidationReport

_MOST_LINES = 60
_EXPECTED = "expect.yaml"
_OF_SAMPLES = ("samples", "causes")  # checks


def accept_recordings(root: Path, assignment_id: str, python: Path | None) -> None:
    """Draw again and record transcripts again, and show what changed."""
    recording = load(root, assignment_id, recording=True)
    folder = Path(recording.folder)
    named = {folder / transcript.path for transcript in recording.transcripts}
    before = {path: path.read_bytes() for path in {*_draws(folder), *named} if path.is_file()}
    drawn = record_draws(root, assignment_id)
    written = set(drawn)
    if recording.reference:
        written |= {*record_transcripts(recording, as_template, python=python)}
    for path in sorted({*before, *written}):
        now = path.read_bytes() if path.is_file() else b""
        _show(path, before.get(path, b""), now)


def accept_samples(report: ValidationReport, folder: Path) -> ValidationReport:
    """Write the expect.yaml of every sample that is a problem as it is; the report without these.

    Causes that are other than stated are a problem only where they are too many.
    """
    wrong = {problem.place for problem in report.problems if problem.check in _OF_SAMPLES}
    return replace(
        report,
        samples=tuple(
            _accepted(sample, folder) if f"{sample.name}/{_EXPECTED}" in wrong else sample
            for sample in report.samples
        ),
        problems=tuple(each for each in report.problems if each.check not in _OF_SAMPLES),
    )


def _accepted(sample: SampleOutcome, folder: Path) -> SampleOutcome:
    path = folder / sample.name / _EXPECTED
    before, now = path.read_bytes(), expectation_text(sample.accepted).encode()
    _show(path, before, now)
    write_bytes(path, now)
    return replace(sample, parts=(), other_causes=None if sample.other_causes is None else "")


def _draws(folder: Path) -> set[Path]:
    return set((folder / "draws").glob("*.json"))


def _show(path: Path, before: bytes, now: bytes) -> None:
    if before == now:
        return
    here = Path.cwd()
    name = str(path.relative_to(here) if path.is_relative_to(here) else path)
    lines = list(
        difflib.unified_diff(
            before.decode("utf-8", "backslashreplace").splitlines(),
            now.decode("utf-8", "backslashreplace").splitlines(),
            f"{name} before",
            f"{name} now",
            lineterm="",
        )
    )
    for line in lines[:_MOST_LINES]:
        click.echo(escaping.visible(line))
    if len(lines) > _MOST_LINES:
        click.echo(f"… and {len(lines) - _MOST_LINES} more lines")
