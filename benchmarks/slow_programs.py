"""Programs that take as much as they can get: what each costs with a budget and without one.

With `--class`, all of them are also handed in as one class beside programs that are not slow, whose
pages are compared with those of a class without the slow ones.

    python -m benchmarks.slow_programs [--total-seconds 3] [--scenarios 8] [--budget-only] [--class]
        [NAME…]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.assignments import tree_cpu
from harness import grade, load_assignment

_ASSIGNMENT = """\
title: Slow
course: Benchmark
python: "3.12"
submission: {files: [a1.py]}
functionality_marks: 10
limits: {cpu_seconds: 0.5, wall_seconds: 2}
"""
_MODULES = ("os", "queue", "select", "signal", "subprocess", "sys", "threading", "time")
_BURNS = "t = time.process_time() + 0.45\n    while time.process_time() < t: 1"
RIGHT = "def double(n):\n    return 2 * n\n"
OTHERS = (
    RIGHT,
    "def double(n):\n    return n + 2\n",
    "def double(n):\n    return n * n\n",
    "def double(n):\n    while n > 5: pass\n    return 2 * n\n",
    "def double(n):\n    return [double][n](n)\n",
    "def twice(n):\n    return 2 * n\n",
    "import time\ndef double(n):\n    time.sleep(0.5)\n    return 2 * n\n",
    "def double(n):\n    print('doubling')\n    return 2 * n\n",
)
_BODIES = {
    "right": "pass",
    "burns 90 % of each limit": _BURNS,
    "burns on a terminal only": f"if not sys.stdin.isatty(): return 2 * n\n    {_BURNS}",
    "burns in hidden scenarios": f"if n < 2: return 2 * n\n    {_BURNS}",
    "burns in the first call": f"CALLS.append(n)\n    if CALLS[1:]: return 2 * n\n    {_BURNS}",
    "burns in later calls": f"CALLS.append(n)\n    if not CALLS[1:]: return 2 * n\n    {_BURNS}",
    "burns in a child": f"if os.fork(): os.wait(); return 2 * n\n    {_BURNS}\n    os._exit(0)",
    "loops": "while True: 1",
    "loops on some inputs": "while n > 2: 1",
    "select, 1.8 s": "select.select([], [], [], 1.8)",
    "select, endless": "select.select([], [], [])",
    "event, 1.8 s": "threading.Event().wait(1.8)",
    "event, endless": "threading.Event().wait()",
    "lock": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "lock, 1.8 s": "lock = threading.Lock(); lock.acquire(); lock.acquire(timeout=1.8)",
    "barrier, 1.8 s": "try: threading.Barrier(2).wait(1.8)\n    except Exception: pass",
    "thread.join, 1.8 s": "t = threading.Thread(target=threading.Event().wait)\n"
    "    try: t.start(); t.join(1.8)\n    except RuntimeError: pass",
    "poll, 1.8 s": "select.poll().poll(1800)",
    "epoll, 1.8 s": "select.epoll().poll(1.8)",
    "SimpleQueue, 1.8 s": "try: queue.SimpleQueue().get(timeout=1.8)\n    except Exception: pass",
    "sigtimedwait, 1.8 s": "signal.sigtimedwait([signal.SIGUSR1], 1.8)",
    "subprocess, 1.8 s": "try: subprocess.run(['sleep', '1.8'])\n    except OSError: pass",
    "signal.pause": "signal.pause()",
    "sleep, 1.8 s": "time.sleep(1.8)",
    "sleep beside signal, 1.8 s": "signal.SIGALRM; time.sleep(1.8)",
    "full pipe": "os.write(os.pipe()[1], bytes(1 << 20))",
    "prints nearly its limit": "print('x' * (255 * 1024))",
    "takes nearly all memory": "kept = bytearray(200 << 20)",
    "takes more with each call": "CALLS.append(bytearray(40 << 20))",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--total-seconds", type=float, default=3.0)
    parser.add_argument("--scenarios", type=int, default=8)
    parser.add_argument("--budget-only", action="store_true", help="not without a budget")
    parser.add_argument("--class", action="store_true", dest="whole", help="and as one class")
    parser.add_argument("names", nargs="*", help="of programs; all without one")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lay_assignment(root, asked.scenarios)
        print("| program | seconds with a budget (CPU) | without (CPU) | status |")
        print("|---|---|---|---|")
        names = asked.names or tuple(_BODIES)
        for name in names:
            body = _BODIES[name]
            with_budget, status = _cost(root, body, asked.total_seconds, thorough=False)
            without = "not measured"
            if not asked.budget_only:
                without, _ = _cost(root, body, asked.total_seconds, thorough=True)
            print(f"| {name} | {with_budget} | {without} | {status} |", flush=True)
        if asked.whole:
            _compare_others(root, names, asked.total_seconds)


def lay_assignment(root: Path, scenarios: int) -> None:
    """Write the small assignment `slow`, of one function with so many scenarios."""
    rows = [
        f"  - {{name: of {n}, call: double({n}), visible: {str(n < 2).lower()}}}\n"
        for n in range(scenarios)
    ]
    texts = {
        "specs/slow/assignment.yaml": _ASSIGNMENT,
        "specs/slow/all.yaml": "function: double\nscenarios:\n" + "".join(rows),
        "reference/slow/a1.py": RIGHT,
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _cost(root: Path, body: str, seconds: float, *, thorough: bool) -> tuple[str, str]:
    """Wall and CPU seconds of the whole command, and what became of the submission."""
    program = root / "submissions" / "slow" / "s" / "a1.py"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(_text(body), "utf-8")
    loaded = load_assignment(root, "slow")
    begun, before = time.monotonic(), tree_cpu()
    options = {"thorough": True} if thorough else {"total_seconds": seconds}
    run = grade(loaded, [program], root / "out", jobs=1, fresh=True, **options)
    (result,) = run.submissions
    over = result.over_budget
    status = str(result.status) if over is None else f"{over.undecided} not run"
    elapsed, cpu = time.monotonic() - begun, tree_cpu() - before
    return f"{elapsed:.1f} ({cpu:.1f})", status


def _text(body: str) -> str:
    """Return the program whose function begins with `body`."""
    # Only what it needs: beside `signal`, say, no wait is skipped.
    used = [name for name in _MODULES if f"{name}." in body]
    imports = "".join(f"import {name}\n" for name in used) + "CALLS = []\n"
    return f"{imports}def double(n):\n    {body}\n    return 2 * n\n"


def _compare_others(root: Path, names: Sequence[str], seconds: float) -> None:
    """Grade a class with these programs and one without, and compare the others' pages."""
    pages: list[dict[str, bytes]] = []
    for slow in ((), names):
        place = root / f"class{len(slow)}"
        texts = {f"other{at}": text for at, text in enumerate(OTHERS)}
        texts["others-last"] = RIGHT  # its page has a link to the next one's
        texts |= {f"slow{at}": _text(_BODIES[name]) for at, name in enumerate(slow)}
        for student, text in texts.items():
            path = place / student / "a1.py"
            path.parent.mkdir(parents=True)
            path.write_text(f"{text}\n# {student}\n", "utf-8")
        loaded = load_assignment(root, "slow")
        out = root / f"out{len(slow)}"
        begun, before = time.monotonic(), tree_cpu()
        grade(loaded, [place], out, jobs=1, fresh=True, total_seconds=seconds)
        elapsed, cpu = time.monotonic() - begun, tree_cpu() - before
        print(f"class with {len(slow)} of them beside {len(OTHERS)}: {elapsed:.1f} ({cpu:.1f}) s")
        found = sorted(out.rglob("other[0-9]*"))
        pages.append({str(path.relative_to(out)): path.read_bytes() for path in found})
    differ = [name for name in pages[0] if pages[0][name] != pages[1].get(name)]
    print(f"{len(pages[0])} files of the others, of which differ: {differ}", flush=True)


if __name__ == "__main__":
    main()
