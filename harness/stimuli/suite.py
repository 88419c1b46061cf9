"""The tests that a student submitted, run against a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, Form, StimulusParts, Typed

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader


class SuiteQuestion(StrEnum):
    """Questions about a suite of tests."""

    RUNS = "runs"  # are there tests that can be run?
    ACCEPTS = "accepts"  # do all tests pass on the reference?
    ACCEPTS_OWN = "accepts_own"  # do all tests pass on the program handed in beside them?
    COVERS = "covers"  # do they run enough of the reference?
    NOTICES = "notices"  # does a test fail on a program with a fault?
    HELPS = "helps"  # does each test notice a fault, and no two the same ones?


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun(Action):
    """One question about the tests that were handed in (`test_writing:` in assignment.yaml)."""

    key = "suite"
    form = Form.SUITE
    takes = ()
    order = 90
    by_name = False
    subject = "the tests"
    is_stated = False

    question: SuiteQuestion = field()
    files: tuple[str, ...] = field()  # with the tests
    against: str = ""  # the name of the course's program; empty: the one handed in
    breaks: str = ""  # the clause that this program breaks
    statements: int = 0  # of the program, in percent, that the tests should run
    branches: int = 0
    documented: tuple[str, ...] = ()  # files whose docstrings hold tests

    @classmethod
    def read(
        cls, context: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Raise TypeError, because scenarios cannot state this kind."""
        raise TypeError("a suite is asked for by test_writing:, not by a scenario")

    def yaml_keys(self) -> Mapping[str, str]:
        """Return no keys, because scenarios cannot state this kind."""
        return {}

    def display(self, bound: Sequence[str] = ()) -> str:
        """Return the command that runs the tests."""
        option = "--doctest-modules " if self.documented else ""
        return f"pytest {option}{' '.join(self.files)}"

    @property
    def lines(self) -> tuple[str, ...]:
        """Return no lines, because tests cannot be pasted into Python."""
        return ()
