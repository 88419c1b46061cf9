"""What the package runs on the platform: `prepare` when the image is built, `run` a submission.

`run` only watches: the grading is a process of its own (`grade`), which may be killed, by us when
the time is over or by the container when memory is. Whatever happens, a valid results.json is
there: `run_autograder` put one there before anything else, and each later one replaces it whole.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from harness.common.errors import HarnessError, UserError
from harness.common.files import write
from harness.grading import one_handed_in
from harness.packaging.gradescope.grading import NoMark, PlatformRun, grade_one, prepared
from harness.packaging.gradescope.results import results_json
from harness.packaging.gradescope.settings import Tree, read_metadata

ROOT, STARTED = "AUTOGRADER_ROOT", "AUTOGRADER_STARTED"
_HERE = "harness.packaging.gradescope.run"


def prepare(tree: Tree) -> int:
    """Make the answer key for the interpreter that setup.sh found, and say what there is.

    Raises UserError and HarnessError: then the image is not built.
    """
    context = prepared(tree.specification(), tree.interpreter(), tree.keys)
    tier = context.tier.tier
    print(f"{tree.settings().assignment}: Python {context.interpreter.version}, {tier} confinement")
    return 0


def run(tree: Tree) -> int:
    """Grade the submission within the time limit; valid results are written in any case."""
    started = time.monotonic()
    settings = tree.settings()
    _close(tree)
    command = [sys.executable, "-P", "-s", "-m", _HERE, "grade"]
    variables = {**os.environ, STARTED: repr(started)}
    grading = subprocess.Popen(
        command, env=variables, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        status = grading.wait(settings.end_after)
    except subprocess.TimeoutExpired:
        _end(grading)
        _write(tree, started, PlatformRun(no_mark=NoMark.OUT_OF_TIME, complaint="was ended"))
        return 0
    if status != 0:
        complaint = f"the grading process ended with status {status}"
        _write(tree, started, PlatformRun(no_mark=NoMark.FAILED, complaint=complaint))
    return 0


def grade(tree: Tree) -> int:
    """Grade, and replace the results."""
    started = float(os.environ[STARTED])
    end = started + tree.settings().stop_after
    specification = tree.specification()
    name = read_metadata(tree.metadata).id
    try:
        context = prepared(specification, tree.interpreter(), tree.keys)
        submission = one_handed_in(tree.submission, specification.plan.assignment, name)
        found = grade_one(context, submission, end)
    except (HarnessError, UserError) as failure:
        found = PlatformRun(no_mark=NoMark.FAILED, complaint=str(failure))
    _write(tree, started, found)
    return 0


def _write(tree: Tree, started: float, found: PlatformRun) -> None:
    """Write the results, and print the outcome to stdout, which students do not see."""
    settings, plan = tree.settings(), tree.specification().plan
    seconds = time.monotonic() - started
    metadata = read_metadata(tree.metadata)
    write(tree.results, results_json(found, plan, settings, metadata, seconds))
    state = found.no_mark or (found.result.status if found.result else "")
    print(f"{settings.assignment}: {state} after {seconds:.1f} s", found.complaint, flush=True)


def _close(tree: Tree) -> None:
    """Make package and results inaccessible to other users: the package holds the answers."""
    for folder, mode in ((tree.source, 0o700), (tree.results.parent, 0o755)):
        with contextlib.suppress(OSError):
            folder.chmod(mode)


def _end(grading: subprocess.Popen[bytes]) -> None:
    """End the process; its servers end with it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(grading.pid, signal.SIGKILL)
    grading.wait()


def main(arguments: list[str]) -> int:
    """Run one of the three steps; a failure is one line on stderr and status 1."""
    tree = Tree(Path(os.environ.get(ROOT, "/autograder")))
    verbs = {"prepare": prepare, "run": run, "grade": grade}
    try:
        return verbs[arguments[0]](tree)
    except (UserError, HarnessError) as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
