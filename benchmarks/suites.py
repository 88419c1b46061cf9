"""CPU time of grading one student's 40 tests against the faults of `examples/test-writing`.

The floor is the least that a script would do: `python -m pytest` with the same tests, once for the
reference and once for each fault, without any confinement. Prints the CPU seconds of both, of all
processes, and their ratio, for one submission more in a class whose programs are loaded.

    python -m benchmarks.suites [--rounds N] [--profile]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from operator import truediv
from pathlib import Path

from benchmarks.assignments import tree_cpu
from harness import load_assignment
from harness.execution import Driver, pick_cpu
from harness.grading.context import GradingContext, prepare
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.assignment import SourceFile, TestedProgram
from harness.model.result import SubmissionResult
from harness.model.submission import Submission

ROOT = Path(__file__).resolve().parents[1] / "examples" / "test-writing"
TESTS = 40
_FEES = {
    0: 0, 1: 0, 14: 0, 15: 0, 16: 200, 17: 200, 59: 200, 60: 200, 61: 400, 119: 400, 120: 400,
    121: 600, 180: 600, 240: 800, 420: 1400, 421: 1500, 1439: 1500, 1440: 1500, 1441: 1700,
    2880: 3000,
}  # fmt: skip
_HEAD = "import pytest\nfrom parking import CarPark, fee\n"
_PARK = """
def test_park_{n}():
    park = CarPark({n} + 1)
    tickets = [park.enter(f"Ab {{k}}") for k in range({n} + 1)]
    assert tickets == list(range(1, {n} + 2))
    assert park.enter("full") is None
    assert park.leave(tickets[0]) == "Ab 0"
    assert park.free == 1
    with pytest.raises(KeyError):
        park.leave(tickets[0])
    assert park.enter("AB 0") == {n} + 2
    with pytest.raises(ValueError):
        park.enter("aB 0")
"""


def suite_text(count: int = TESTS) -> str:
    """Return a file with so many tests, half of each kind."""
    texts = [_HEAD]
    for minutes, cents in list(_FEES.items())[: count // 2]:
        texts.append(f"def test_fee_{minutes}():\n    assert fee({minutes}) == {cents}\n")
    for number in range(count - len(texts)):
        texts.append(_PARK.format(n=number % 5).replace("test_park_", f"test_park_{number}_"))
    raises = "    with pytest.raises(ValueError, match='^minutes below 0$'):\n        fee(-1)\n"
    texts.append(f"def test_below_0():\n{raises}")
    return "\n".join(texts)


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    context = prepare(load_assignment(ROOT, "test-writing"))
    writing = context.specification.plan.assignment.test_writing
    assert writing is not None
    suite = suite_text()
    floors: list[float] = []
    ours: list[float] = []
    with (
        Driver(context.interpreter, context.tier.tier, cpu=pick_cpu()) as driver,
        Grader(GraderSetup(plan=context.specification.plan, key=context.key), driver) as grader,
    ):
        _check(_grade(grader, "# warm\n" + suite))  # the class's programs are loaded
        # In turn: the speed of a busy machine drifts, and with it all that a round measures.
        for number in range(chosen.rounds):
            floors.append(_floor(context, writing.programs, suite))
            before = tree_cpu()
            result = _grade(grader, f"# {number}\n{suite}")
            ours.append(tree_cpu() - before)
            _check(result)
    ratio = statistics.median(map(truediv, ours, floors))
    print(f"{TESTS} tests, {len(writing.programs) - 1} faults: {min(ours):.2f} s of CPU time,")
    print(f"{min(floors):.2f} s for pytest once a program: {ratio:.2f} times the floor")


def _grade(grader: Grader, suite: str) -> SubmissionResult:
    files = (SourceFile(name="test_parking.py", data=suite.encode()),)
    return grader.grade(Submission(id="s", origin="s", files=files)).result


def _check(result: SubmissionResult) -> None:
    assert result.mark is not None, result.status
    assert result.mark == result.out_of, result.mark


def _floor(context: GradingContext, programs: Sequence[TestedProgram], suite: str) -> float:
    total = 0.0
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            for file in program.files:
                Path(folder, file.name).write_bytes(file.data)
            Path(folder, "test_parking.py").write_text(suite, "utf-8")
            done = subprocess.Popen(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"],
                cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            _, status, used = os.wait4(done.pid, 0)
            done.returncode = os.waitstatus_to_exitcode(status)
            has_failed = done.returncode == 1
            assert has_failed is (program is not programs[0]), program.name
            total += used.ru_utime + used.ru_stime
    return total


if __name__ == "__main__":
    main()
