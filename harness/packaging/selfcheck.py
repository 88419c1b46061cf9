"""Run `harness check` inside `selfcheck.pyz`, with the same exit status.

It needs only the standard library. The plan and the reference's answers are in the same archive.
"""

import argparse
import io
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.common.errors import HarnessError, UserError, error_lines, without_capital
from harness.common.escaping import visible
from harness.common.words import counted
from harness.grading.check import (
    not_here,
    notes,
    notes_about,
    passed_all,
    submitted,
    what_to_name,
    without_files,
)
from harness.model.plan import Plan
from harness.packaging.program_file import Packed, graded, packed, this_interpreter
from harness.reporting.terminal.cards import explain_on_screen
from harness.results.student_view import student_view


def main(arguments: Sequence[str] | None = None, packed_here: Callable[[], Packed] = packed) -> int:
    """Check the files named on the command line, and return the exit status.

    `packed_here` returns the plan and the answers that are stored in `selfcheck.pyz`.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # The terminal may lack some of our characters.
            stream.reconfigure(errors="backslashreplace")
    try:
        return _check(arguments, packed_here)
    except KeyboardInterrupt:
        message = "interrupted\n"
        status = 130
    except UserError as error:
        message = error_lines(str(error))
        status = 2
    except HarnessError as error:
        message = error_lines(f"the self-check failed, not your program: {error}")
        status = 3
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        reason = without_capital(error.strerror or str(error))
        message = error_lines(place + reason)
        status = 2
    sys.stdout.flush()
    sys.stderr.write(message)
    return status


def _check(arguments: Sequence[str] | None, packed_here: Callable[[], Packed]) -> int:
    plan, key = packed_here()
    options = _options(plan, arguments)
    paths = [Path(file) for file in options.files]
    if not paths:
        example = f"{Path(sys.argv[0]).name} {what_to_name(plan.assignment)}"
        raise UserError("no file is named", hint=f"python3 {example} (Windows: py {example})")
    submissions = submitted(paths, plan.assignment)
    interpreter = this_interpreter(plan)
    sys.stderr.write(f"{about(plan)}\n")
    if interpreter.notice:
        sys.stderr.write(f"warning: {interpreter.notice}\n")
    for note in notes(paths, submissions, plan.assignment):
        sys.stderr.write(f"note: {visible(note)}\n")
    sys.stderr.flush()
    absent = not_here(paths, plan.assignment)
    status = 0
    for found in graded(plan, key, interpreter, submissions):
        result = without_files(found, absent)
        view = student_view(result, plan)
        for note in notes_about(result, submissions):
            sys.stderr.write(f"note: {visible(note)}\n")
        sys.stdout.write(explain_on_screen(view, options.failures, whole=options.all))
        if not passed_all(result, plan):
            status = 1
    sys.stdout.flush()
    return status


def _options(plan: Plan, arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=Path(sys.argv[0]).name or "selfcheck.pyz",
        description=f"Run the visible checks of {plan.assignment.title} on your file and "
        "explain the first failures. Exit status: 0 all passed, 1 something failed, 2 cannot run.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="a file that you will submit")
    parser.add_argument(
        "--failures",
        type=int,
        default=3,
        metavar="N",
        help="how many failures to explain (default: 3)",
    )
    parser.add_argument("--all", action="store_true", help="explain every failure in full")
    options = parser.parse_args(arguments)
    if options.failures < 1:
        raise UserError("--failures needs a number of 1 or more")
    return options


def about(plan: Plan) -> str:
    """Return the program's purpose and limits, and which checks it contains."""
    counts: Counter[str] = Counter()
    for scenario in plan.scenarios:
        if not scenario.informational:
            counts[scenario.function] += 1
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    return (
        f"Self-check of {plan.assignment.title}: it runs your program as you would, without "
        "protection, and gives no marks. It has the "
        f"{counted(counts.total(), 'visible check')} ({listed}); hidden checks are graded too."
    )
