"""What the page's worker calls, in the interpreter that judges: `harness check`, with the plan and
the answers that lie beside this file, and a program played by hand."""

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
from harness.grading.observing.judged_runs import GraderSetup
from harness.model.observation import Ending, Turn
from harness.model.stimulus import Typed
from harness.model.submission import Submission
from harness.packaging.program_file import packed
from harness.reporting.html.submission_pages import check_results
from harness.results.redaction import ShownCheck
from harness.results.student_view import StudentView, student_view

__all__ = ["MACHINE_BOOT", "check", "machine_modules", "play"]

_FOLDER = Path("/handed-in")  # the files that are checked
_packed = cache(packed)


def check(machine: Machine, files: Mapping[str, bytes]) -> str:
    """Check these files and return JSON: cards (`html`), `verdicts`, a message (`told`) and its
    `kind`."""
    plan, key = _packed()
    paths = _laid(files)
    try:
        submission, *_ = submitted(paths, plan.assignment)
        setup = GraderSetup(plan=plan, key=key)
        with BrowserDriver(_this_interpreter(), machine) as driver, Grader(setup, driver) as it:
            graded = it.grade(submission).result
    except UserError as error:
        return _not_checked(str(error))
    except HarnessError as error:
        return _not_checked(f"The check failed, which is not your program's fault: {error}")
    result = without_files(graded, not_here(paths, plan.assignment))
    view = student_view(result, plan)
    told = notes(paths, (submission,), plan.assignment)
    passed = sum(tally.passed for tally in view.functions)
    total = sum(tally.total for tally in view.functions)
    summary = f"{passed} of {total} visible checks passed."
    said = summary if total else "The file could not be checked."
    kind = "good" if 0 < total == passed else ""
    html = check_results(replace(_as_checked(view), notes=tuple(told)))
    verdicts = {each.scenario_id: each.verdict.kind for each in result.scenarios}
    return json.dumps({"html": html, "verdicts": verdicts, "told": said, "kind": kind})


def _not_checked(problem: str) -> str:
    return json.dumps({"html": "", "verdicts": {}, "told": problem, "kind": "bad"})


def _as_checked(view: StudentView) -> StudentView:
    """The view without marks, which a check does not give, and clauses: no text of them is here."""

    def unquoted(checks: Iterable[ShownCheck]) -> tuple[ShownCheck, ...]:
        return tuple(replace(check, clauses=()) for check in checks)

    causes = tuple(
        replace(cause, marks=Fraction(0), clauses=(), checks=unquoted(cause.checks))
        for cause in view.causes
    )
    return replace(view, mark=None, causes=causes, shown=unquoted(view.shown))


def play(machine: Machine, files: Mapping[str, bytes], name: str, lines: Sequence[str]) -> str:
    """Run a scenario with these lines typed in place of its own, and return JSON.

    It has the `screen` (texts, and whether they were typed), whether the program `waits` for
    another line, the scenario's `next` line and a `hint` for it. Raise KeyError if there is no
    such scenario.
    """
    plan, _ = _packed()
    scenario = plan.scenario(name)
    stimulus = scenario.stimuli[0]
    own = [typed.text for typed in stimulus.inputs if typed.key is None]
    typed = tuple(Typed(text=line) for line in lines)
    submission: Submission = submitted(_laid(files), plan.assignment)[0]
    with (
        BrowserDriver(_this_interpreter(), machine) as driver,
        driver.submission(plan.assignment, submission.files) as program,
    ):
        seen = program.observe(replace(stimulus, inputs=typed, replies=None), scenario.limits)
    waits = seen.ending is Ending.ASKED_FOR_MORE
    screen = []
    for turn in (Turn(printed=seen.loading_printed), *seen.turns):
        screen.append((turn.printed, False))
        if turn.typed is not None:
            screen += [(turn.typed.text or "⏎", True), ("\n", False)]
    ended = f"It was ended: {seen.ending.value.replace('_', ' ')}."
    if seen.ending is Ending.ANSWERED:
        ended = f"The {'program' if stimulus.action.program else 'call'} has ended."
    if seen.raised is not None:
        ended = f"{seen.raised.type_name}: {seen.raised.message}"
    if not waits:
        screen.append((f"\n[{ended}]", False))
    following = own[len(lines)] if waits and len(lines) < len(own) else None
    hint = "" if following is None else f"The example types {following or 'Enter alone'} now."
    return json.dumps({"screen": screen, "waits": waits, "next": following, "hint": hint})


def _laid(files: Mapping[str, bytes]) -> list[Path]:
    os.chdir("/")
    shutil.rmtree(_FOLDER, ignore_errors=True)
    _FOLDER.mkdir()
    os.chdir(_FOLDER)
    paths = [Path(Path(name).name) for name in files]
    for path, data in zip(paths, files.values(), strict=True):
        path.write_bytes(bytes(data))
    return paths


def _this_interpreter() -> Interpreter:
    build = f"{sys.implementation.name} {sys.version} {sys.platform}"
    return Interpreter(path=Path("python"), version=platform.python_version(), build=build)
