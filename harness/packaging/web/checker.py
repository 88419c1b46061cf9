"""Check and run programs for the page in a browser, inside the page's Python.

`check` does the same as `harness check`. The plan and the reference's answers are in the same
archive.
"""

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

from harness.common.errors import HarnessError, UserError
from harness.execution import MACHINE_BOOT, BrowserDriver, Interpreter, Machine, machine_modules
from harness.grading.check import not_here, notes, submitted, without_files
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.observation import Ending, Observation, Turn
from harness.model.stimulus import Limits, Stimulus, Typed
from harness.model.submission import Submission
from harness.packaging.program_file import packed
from harness.packaging.web.callees_first import callees_first
from harness.reporting.html.submission_pages import check_results
from harness.results.redaction import ShownCheck
from harness.results.student_view import StudentView, student_view
from harness.stimuli.run import Run

__all__ = ["MACHINE_BOOT", "check", "machine_modules", "play", "run"]

# The folder of the files that are checked.
_FOLDER = Path("/handed-in")
_packed = cache(packed)


def check(machine: Machine, files: Mapping[str, bytes]) -> str:
    """Check these files and return JSON for the page.

    It has the cards (`html`), the `verdicts`, a message (`told`) and its `kind`, the `functions`
    with their numbers of passed checks, and the place (`at`) of a syntax error.
    """
    plan, key = _packed()
    paths = _write_files(files)
    try:
        submission, *_ = submitted(paths, plan.assignment)
        setup = GraderSetup(plan=plan, key=key)
        interpreter = _this_interpreter()
        with BrowserDriver(interpreter, machine) as driver, Grader(setup, driver) as grader:
            graded = grader.grade(submission).result
    except UserError as error:
        return _not_checked(str(error))
    except HarnessError as error:
        return _not_checked(f"The check failed, which is not your program's fault: {error}")
    result = without_files(graded, not_here(paths, plan.assignment))
    view = student_view(result, plan)
    passed = sum(tally.passed for tally in view.functions)
    total = sum(tally.total for tally in view.functions)
    kind = "bad"
    message = "The file could not be checked."
    if total:
        message = f"{passed} of {total} visible checks passed."
        if passed == total:
            kind = "good"
    told = notes(paths, (submission,), plan.assignment)
    causes = callees_first(view.causes, submission.files)
    shown = _as_checked(replace(view, causes=causes, notes=tuple(told)))
    html = check_results(shown)
    verdicts = {entry.scenario_id: entry.verdict.kind for entry in result.scenarios}
    functions = [(tally.function, tally.passed, tally.total) for tally in view.functions]
    answer = {
        "html": html,
        "verdicts": verdicts,
        "told": message,
        "kind": kind,
        "functions": functions,
        "at": _place_of_mistake(view),
    }
    return json.dumps(answer)


def _not_checked(problem: str) -> str:
    answer = {"html": "", "verdicts": {}, "told": problem, "kind": "bad"}
    return json.dumps(answer | {"functions": [], "at": None})


def _place_of_mistake(view: StudentView) -> tuple[str, int, int] | None:
    """Return the file, line and column of the first syntax error; None if there is none."""
    mistake = view.unparsable
    if mistake is None or mistake.line is None:
        return None
    return (mistake.file, mistake.line, mistake.column or 1)


def _as_checked(view: StudentView) -> StudentView:
    """Return the view without marks, because a check gives none, and without clauses, because the
    archive lacks their texts.
    """
    causes = []
    for cause in view.causes:
        checks = _without_clauses(cause.checks)
        causes.append(replace(cause, marks=Fraction(0), clauses=(), checks=checks))
    return replace(view, mark=None, causes=tuple(causes), shown=_without_clauses(view.shown))


def _without_clauses(checks: Iterable[ShownCheck]) -> tuple[ShownCheck, ...]:
    return tuple(replace(check, clauses=()) for check in checks)


def play(machine: Machine, files: Mapping[str, bytes], name: str, lines: Sequence[str]) -> str:
    """Run a scenario with these typed lines instead of its own, and return JSON for the page.

    It has the `screen` (texts, and whether each was typed), whether the program `waits` for another
    line, the scenario's `next` line and a `hint` for it. These two are null and empty if a typed
    line differs from the scenario's. Raise KeyError if the scenario does not exist.
    """
    plan, _ = _packed()
    scenario = plan.scenario(name)
    stimulus = scenario.stimuli[0]
    observation = _observed(machine, files, stimulus, lines, scenario.limits)
    kind = "program" if stimulus.action.program else "call"
    example_lines = [typed.text for typed in stimulus.inputs if typed.key is None]
    count = len(lines)
    following: list[str] = []
    if list(lines) == example_lines[:count]:
        following = example_lines[count:]
    return _shown(observation, kind, following)


def run(machine: Machine, files: Mapping[str, bytes], name: str, lines: Sequence[str]) -> str:
    """Run a file of the submission as a program with these typed lines.

    Return JSON like `play`, but without a next line.
    """
    plan, _ = _packed()
    stimulus = Stimulus(action=Run(program=name))
    observation = _observed(machine, files, stimulus, lines, plan.assignment.limits)
    return _shown(observation, "program", ())


def _observed(
    machine: Machine,
    files: Mapping[str, bytes],
    stimulus: Stimulus,
    lines: Sequence[str],
    limits: Limits,
) -> Observation:
    """Run the stimulus (a call or a program run) on these files, with `lines` as typed input.

    Return what was observed.
    """
    plan, _ = _packed()
    assignment = plan.assignment
    paths = _write_files(files)
    submission: Submission = submitted(paths, assignment)[0]
    typed = tuple(Typed(text=line) for line in lines)
    played = replace(stimulus, inputs=typed, replies=None)
    interpreter = _this_interpreter()
    with (
        BrowserDriver(interpreter, machine) as driver,
        driver.submission(assignment, submission.files) as program,
    ):
        return program.observe(played, limits)


def _shown(observation: Observation, kind: str, example_lines: Sequence[str]) -> str:
    """Return JSON with the parts of a run that the page shows.

    `example_lines` are the scenario's lines that were not typed yet.
    """
    waits = observation.ending is Ending.ASKED_FOR_MORE
    screen = _screen(observation)
    following = None
    hint = ""
    if not waits:
        end = _end_in_words(observation, kind)
        screen.append((f"\n[{end}]", False))
    elif example_lines:
        following = example_lines[0]
        typed = following or "only Enter"
        hint = f"The example now types {typed}."
    return json.dumps({"screen": screen, "waits": waits, "next": following, "hint": hint})


def _screen(observation: Observation) -> list[tuple[str, bool]]:
    """Return each text on the screen, and whether the user typed it."""
    screen = []
    for turn in (Turn(printed=observation.loading_printed), *observation.turns):
        screen.append((turn.printed, False))
        if turn.typed is not None:
            typed = turn.typed.text or "⏎"
            screen += [(typed, True), ("\n", False)]
    return screen


def _end_in_words(observation: Observation, kind: str) -> str:
    raised = observation.raised
    if raised is not None:
        return f"{raised.type_name}: {raised.message}"
    if observation.ending is Ending.ANSWERED:
        return f"The {kind} has ended."
    reason = observation.ending.value.replace("_", " ")
    return f"It was ended: {reason}."


def _write_files(files: Mapping[str, bytes]) -> list[Path]:
    """Empty the folder, write these files into it and make it the current folder.

    Return their relative paths.
    """
    os.chdir("/")
    shutil.rmtree(_FOLDER, ignore_errors=True)
    _FOLDER.mkdir()
    os.chdir(_FOLDER)
    paths = []
    for name, data in files.items():
        path = Path(Path(name).name)
        path.write_bytes(bytes(data))
        paths.append(path)
    return paths


def _this_interpreter() -> Interpreter:
    build = f"{sys.implementation.name} {sys.version} {sys.platform}"
    return Interpreter(path=Path("python"), version=platform.python_version(), build=build)
