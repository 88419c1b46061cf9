"""Run one scenario again and show the terminal."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.cli import options
from harness.common.escaping import visible, visible_lines
from harness.grading.single_runs import graded_files_at, replay, stored_files
from harness.model.observation import Observation, Raised
from harness.model.stimulus import Action, Stimulus
from harness.results.database import read_submission


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReplayOptions:
    """The options: the files to run, and the Python interpreter."""

    handed_in: Annotated[
        Path | None,
        options.option(
            "--submission",
            "handed_in",
            "A file, folder, archive or download with the graded files (default: the run's own "
            "copy).",
            type=options.PATH,
        ),
    ]
    python: Annotated[Path | None, options.python]


@options.click_command(
    "replay",
    "harness replay reports/connect4ish perfect check_input/a-word-for-an-action",
    "harness replay reports/connect4ish jo check_win/one-piece --submission jo/a1.py",
)
@click.argument("run", type=options.RUN)
@click.argument("student")
@click.argument("scenario")
@options.options_of("chosen", _ReplayOptions)
@options.logging
def command(run: Path, student: str, scenario: str, chosen: _ReplayOptions) -> int:
    """Run SCENARIO of STUDENT's submission in RUN again, in its own process and terminal, and
    show the screen. RUN is a report folder, or its run.sqlite."""
    graded, plan = read_submission(run, student)
    if chosen.handed_in is None:
        submission = stored_files(graded)
    else:
        submission = graded_files_at(chosen.handed_in, plan.assignment, graded)
    observed = replay(plan, graded, submission, scenario, python=chosen.python)
    for stimulus, observation in observed:
        for line in _comparison_lines(stimulus, observation):
            click.echo(line)
    return 0


def _comparison_lines(stimulus: Stimulus, observation: Observation) -> list[str]:
    lines = _circumstances(stimulus)
    if stimulus.action.steps:
        lines += _lines_of_steps(stimulus.action, observation)
    else:
        lines += _lines_of_run(stimulus.action, observation)
    lines += _exception_lines(observation.raised)
    ending = observation.ending.value.replace("_", " ")
    return [*lines, f"({ending})", ""]


def _circumstances(stimulus: Stimulus) -> list[str]:
    """Return lines that describe everything the scenario sets up before its call or program."""
    lines = [f"# {constant.name} = {constant.literal}" for constant in stimulus.constants]
    for binding in stimulus.bindings:
        lines.append(f"# {binding.name} = {visible(binding.literal)}")
    for stand_in in stimulus.stand_ins:
        lines.append(f"# the course's own {stand_in.module} instead of the submission's")
    lines += visible_lines(stimulus.given).splitlines()
    return lines


def _lines_of_run(action: Action, observation: Observation) -> list[str]:
    """Return the lines that show a program's run or a single call."""
    prompt = "$" if action.program else ">>>"
    lines = [f"{prompt} {visible(action.display())}"]
    lines += visible_lines(observation.loading_printed + observation.transcript()).splitlines()
    if observation.value is not None:
        lines.append(visible(observation.value.source()))
    return lines


def _lines_of_steps(action: Action, observation: Observation) -> list[str]:
    """Return the lines that show each step of a session with its result, as far as it got."""
    lines: list[str] = []
    for number, step in enumerate(action.steps):
        lines += [f">>> {line}" for line in visible_lines(step).splitlines()]
        if number < len(observation.steps):
            outcome = observation.steps[number]
            lines += visible_lines(outcome.printed).splitlines()
            if outcome.value:
                lines.append(visible(outcome.value.source()))
            lines += _exception_lines(outcome.raised)
    return lines


def _exception_lines(raised: Raised | None) -> list[str]:
    if raised is None:
        return []
    lines = []
    for frame in raised.frames:
        place = f"{visible(frame.file)}, line {frame.line}, in {visible(frame.function)}"
        lines.append(f"  {place}: {visible(frame.source.strip())}")
    lines.append(f"{visible(raised.type_name)}: {visible(raised.message)}")
    return lines
