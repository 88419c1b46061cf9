"""Programs that take as much as they can get: what each costs with a budget and without one.

python -m benchmarks.slow_programs [--total-seconds 3] [--scenarios 8]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from harness import grade, load_assignment

_ASSIGNMENT = """\
title: Slow
course: Benchmark
python: "3.12"
submission: {files: [a1.py]}
functionality_marks: 10
limits: {cpu_seconds: 0.5, wall_seconds: 2}
"""
_RIGHT = "def double(n):\n    return 2 * n\n"
_BODIES = {
    "right": "pass",
    "burns 90 % of each limit": "t = time.process_time() + 0.45\n"
    "    while time.process_time() < t: 1",
    "loops": "while True: 1",
    "loops on some inputs": "while n > 2: 1",
    "select, 1.8 s": "select.select([], [], [], 1.8)",
    "select, endless": "select.select([], [], [])",
    "event, 1.8 s": "threading.Event().wait(1.8)",
    "event, endless": "threading.Event().wait()",
    "lock": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "signal.pause": "signal.pause()",
    "sleep, 1.8 s": "time.sleep(1.8)",
    "full pipe": "os.write(os.pipe()[1], bytes(1 << 20))",
    "prints nearly its limit": "print('x' * (255 * 1024))",
    "takes nearly all memory": "kept = bytearray(200 << 20)",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--total-seconds", type=float, default=3.0)
    parser.add_argument("--scenarios", type=int, default=8)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _lay(root, asked.scenarios)
        print("| program | seconds with a budget | without | status |")
        print("|---|---|---|---|")
        for name, body in _BODIES.items():
            with_budget, status = _cost(root, body, asked.total_seconds, thorough=False)
            without, _ = _cost(root, body, asked.total_seconds, thorough=True)
            print(f"| {name} | {with_budget} | {without} | {status} |", flush=True)


def _lay(root: Path, scenarios: int) -> None:
    rows = [f"  - {{name: of {n}, call: double({n})}}\n" for n in range(scenarios)]
    texts = {
        "specs/slow/assignment.yaml": _ASSIGNMENT,
        "specs/slow/all.yaml": "function: double\nvisible: true\nscenarios:\n" + "".join(rows),
        "reference/slow/a1.py": _RIGHT,
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _cost(root: Path, body: str, seconds: float, *, thorough: bool) -> tuple[str, str]:
    """Wall seconds of the whole command, and what became of the submission."""
    program = root / "submissions" / "slow" / "s" / "a1.py"
    program.parent.mkdir(parents=True, exist_ok=True)
    imports = "import os, select, signal, threading, time\n"
    program.write_text(f"{imports}def double(n):\n    {body}\n    return 2 * n\n", "utf-8")
    loaded = load_assignment(root, "slow")
    begun = time.monotonic()
    options = {"thorough": True} if thorough else {"total_seconds": seconds}
    run = grade(loaded, [program], root / "out", jobs=1, fresh=True, **options)
    (result,) = run.submissions
    over = result.over_budget
    status = str(result.status) if over is None else f"{over.undecided} not run"
    return f"{time.monotonic() - begun:.1f}", status


if __name__ == "__main__":
    main()
