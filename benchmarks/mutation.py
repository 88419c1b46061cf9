"""Changes single lines of `harness/`, and says which of them the tests notice.

`python -m benchmarks.mutation map` runs the tests once and keeps, beside each function of the
harness, the test files that call it (in their own process). `python -m benchmarks.mutation run`
then draws changes, the same ones for a seed, spread over the packages; each is made in a clone of
the last commit, where the tests of its function and of its package run; what they do not notice is
tried together with all tests of `make test`. It prints a table and fails where one was not noticed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from types import FrameType

import pytest

from harness.model.assignment import SourceFile
from harness.study.strength import ReferenceChange, changes

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / ".harness-cache" / "tests-by-function.json"
PARTS = "MUTATION_MAP"  # the variable that names the folder for what each process of tests called
_PARTS = (ast.FunctionDef, ast.ClassDef)
CHOICE = ("-m", "not alone and not release")
TESTS = ("-q", "-x", "--tb=no", "-p", "no:cacheprovider", *CHOICE)
SIDE_BY_SIDE = ("-n", "logical", "--dist", "loadfile")
PATIENCE = 1800  # seconds; tests that hang have noticed the change
NO_TESTS = 5  # pytest's status


class Calls:
    """A plugin of pytest: the functions of the harness that each test file calls."""

    def __init__(self) -> None:
        self._called: dict[str, set[str]] = defaultdict(set)
        self._here = ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._here = nodeid.partition("::")[0]
        sys.setprofile(self._hear)
        threading.setprofile(self._hear)

    def pytest_sessionfinish(self) -> None:
        sys.setprofile(None)
        found = {key: sorted(files) for key, files in self._called.items()}
        Path(os.environ[PARTS], f"{os.getpid()}.json").write_text(json.dumps(found), "utf-8")

    def _hear(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            file = frame.f_code.co_filename
            if "/harness/" in file and file.startswith(str(ROOT)):
                name = frame.f_code.co_qualname.replace("<locals>.", "")
                self._called[_key(Path(file).relative_to(ROOT).as_posix(), name)].add(self._here)


def pytest_configure(config: pytest.Config) -> None:
    if PARTS in os.environ:
        config.pluginmanager.register(Calls(), "calls-of-the-harness")


def _key(file: str, function: str) -> str:
    return f"{file}::{function}"


def make_map() -> None:
    """Run the tests and keep which functions they call."""
    with tempfile.TemporaryDirectory() as parts:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "benchmarks.mutation", *SIDE_BY_SIDE, *CHOICE],
            cwd=ROOT,
            env={**os.environ, PARTS: parts},
            check=False,
        )
        merged: dict[str, set[str]] = defaultdict(set)
        for part in Path(parts).iterdir():
            for key, files in json.loads(part.read_text("utf-8")).items():
                merged[key].update(files)
    MAP.parent.mkdir(exist_ok=True)
    MAP.write_text(json.dumps({key: sorted(merged[key]) for key in sorted(merged)}), "utf-8")


def drawn(seed: int, count: int) -> list[ReferenceChange]:
    """One change of each of so many modules, all packages in turn; the same for a seed."""
    chance = random.Random(seed)
    packages: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((ROOT / "harness").rglob("*.py")):
        packages[path.relative_to(ROOT).parts[1]].append(path)
    for paths in packages.values():
        chance.shuffle(paths)
    in_turn = chain.from_iterable(zip_longest(*packages.values()))
    return list(_first(count, (_one_of(path, chance) for path in in_turn if path)))


def _first(count: int, found: Iterator[ReferenceChange | None]) -> Iterator[ReferenceChange]:
    given = (change for change in found if change is not None)
    return (change for _, change in zip(range(count), given, strict=False))


def _one_of(path: Path, chance: random.Random) -> ReferenceChange | None:
    """A change of one of the module's functions and classes; None where there is none."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    parts = [each for each in ast.parse(text).body if isinstance(each, _PARTS)]
    for part in chance.sample(parts, len(parts)):
        first, last = part.lineno - 1, part.end_lineno or part.lineno
        alone = "\n" * first + "".join(lines[first:last])
        if possible := changes((SourceFile(name=name, data=alone.encode()),)):
            change = chance.choice(possible)
            changed = change.text.decode().splitlines(keepends=True)[first:]
            whole = "".join([*lines[:first], *changed, *lines[last:]])
            return replace(change, text=whole.encode())
    return None


def noticed_nearby(change: ReferenceChange, calls: dict[str, list[str]]) -> str:
    """Which of the tests next to a change notice it; empty where none does."""
    file, function = change.part
    package = f"tests/{Path(file).parts[1].removesuffix('.py')}"
    with _copy_with(change) as copy:
        for name, tests in (
            ("tests that call it", calls.get(_key(file, function), [])),
            ("tests of its package", [package] if (ROOT / package).is_dir() else []),
        ):
            if tests and _fails(copy, *tests):
                return name
    return ""


def noticed_by_all(changes: list[ReferenceChange]) -> list[ReferenceChange]:
    """Those of these that some test notices: made together, then each half by itself, since most of
    what the tests nearby do not notice is noticed by none."""
    if not changes:
        return []
    with _copy_with(*changes) as copy:
        if not _fails(copy, *SIDE_BY_SIDE, "tests"):
            return []
    half = len(changes) // 2
    return noticed_by_all(changes[:half]) + noticed_by_all(changes[half:]) if half else changes


@contextmanager
def _copy_with(*changes: ReferenceChange) -> Iterator[Path]:
    """A clone of the last commit with these changes, each of another module."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(copy)], check=True)
        for change in changes:
            (copy / change.part[0]).write_bytes(change.text)
        yield copy


def _fails(copy: Path, *tests: str) -> bool:
    command = [sys.executable, "-m", "pytest", *TESTS, *tests]
    with subprocess.Popen(
        command,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as run:
        try:
            return run.wait(PATIENCE) not in (0, NO_TESTS)
        except subprocess.TimeoutExpired:
            run.kill()
            return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["map", "run"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60, help="how many changes")
    asked = parser.parse_args()
    if asked.what == "map":
        make_map()
        return 0
    calls = json.loads(MAP.read_text("utf-8")) if MAP.exists() else {}
    with _copy_with() as unchanged:
        if _fails(unchanged, *SIDE_BY_SIDE, "tests"):
            sys.exit("error: the tests fail without any change, and would notice all: commit first")
    made = drawn(asked.seed, asked.count)
    left: list[ReferenceChange] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        nearby = pool.map(lambda change: noticed_nearby(change, calls), made)
        for change, by in zip(made, nearby, strict=True):
            left += [] if by else [change]
            _print(change, by or "not nearby")
    seen = noticed_by_all(left)
    for change in left:
        _print(change, "all tests" if change in seen else "NOTHING")
    missed = len(left) - len(seen)
    print(f"{missed} of {len(made)} changes were not noticed")
    return 1 if missed else 0


def _print(change: ReferenceChange, by: str) -> None:
    made = change.outcome
    print(f"{by:22} {made.file}:{made.line} {made.function}")
    print(f"    - {made.before}\n    + {made.after}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
