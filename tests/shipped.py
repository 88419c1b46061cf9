"""The assignments and examples that are shipped here, each compiled and its answer key made once,
whichever test asks first: in this process by memory, among those that run side by side by the
cache folder."""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

from harness.assignment.loading import CACHE, load
from harness.common.errors import UserError
from harness.grading.context import GradingContext, prepare
from harness.model.plan import Specification

ROOT = Path(__file__).parents[1]


def root_of(assignment_id: str) -> Path:
    """The course of the assignment."""
    return ROOT if (ROOT / "specs" / assignment_id).is_dir() else ROOT / "examples" / assignment_id


@contextmanager
def one_at_a_time(file: Path) -> Iterator[None]:
    """Wait for all processes that are within this block for the same lock file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def shipped(assignment_id: str) -> Specification:
    """The assignment, compiled."""
    root = root_of(assignment_id)
    with one_at_a_time(root / CACHE / f"{assignment_id}.lock"):
        return load(root, assignment_id)


def context_of(assignment_id: str) -> GradingContext:
    """What it is graded with on this machine. The test is skipped where its packages are not
    installed and no index answers."""
    context = _context_of(assignment_id)
    if isinstance(context, str):
        pytest.skip(context)
    return context


@cache
def _context_of(assignment_id: str) -> GradingContext | str:
    specification = shipped(assignment_id)
    cache = root_of(assignment_id) / CACHE
    with one_at_a_time(cache / f"{assignment_id}.lock"):
        try:
            return prepare(specification, cache=cache, recall_tier=True)
        except UserError as error:
            if "no package index answers" in str(error):
                return str(error)
            raise


def program(path: Path) -> Any:
    """A program's file as a module, which is run here."""
    return module_of(path.stem, path.read_text())


def module_of(name: str, source: str) -> Any:
    """A program's text as a module, which is run here."""
    module = ModuleType(name)
    exec(source, module.__dict__)
    return module


def screen_of(module: Any, function: str, typed: Iterable[str]) -> str:
    """What a program shows while this is typed, with its Enters; up to where there is no more."""
    answers, screen = iter(typed), ""

    def show(*texts: object, end: str = "\n") -> None:
        nonlocal screen
        screen += " ".join(map(str, texts)) + end

    def answer(prompt: str = "") -> str:
        show(prompt, end="")
        line = next(answers, None)
        if line is None:
            raise EOFError
        show(line)
        return line

    with patch.multiple(module, create=True, input=answer, print=show), suppress(EOFError):
        getattr(module, function)()
    return screen
