"""`test:` a test of the course's, as pytest would run it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, Form, StimulusParts, Typed

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader

ALL_SETS = -1  # of a test's parameters
ALL_PARTS = -1  # subTests of a test


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseTest(Action):
    """A test in a file of `tests:`, like test_a1.py::test_add."""

    key = "test"
    form = Form.TEST
    takes = ()
    elsewhere = "the test states the expected results"
    order = 50
    by_name = False
    subject = "the program"

    file: str = field()
    test: str = ""  # below the file: `Class::test`; empty: the whole file, of doctests
    index: int = ALL_SETS  # of its set of parameters
    part: int = ALL_PARTS  # the number of the subTest, from 0
    runner: str = "pytest"

    @classmethod
    def read(
        cls, reader: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Read the file and the name of the test."""
        file, _, test = reader.text("test").partition("::")
        runner = reader.test_runner(loc, file, test)
        return StimulusParts(action=cls(file=file, test=test, runner=runner), inputs=inputs)

    def yaml_keys(self) -> Mapping[str, str]:
        """Return the keys and values as a scenario states them."""
        return {"test": self.name}

    @property
    def name(self) -> str:
        """Return the test's name, with its file's."""
        return f"{self.file}::{self.test}" if self.test else self.file

    def display(self, bound: Sequence[str] = ()) -> str:
        """Return the command that runs the test."""
        return f"pytest {self.name}"

    @property
    def in_words(self) -> str:
        """Return the test's name in a sentence."""
        return self.test or self.file

    @property
    def lines(self) -> tuple[str, ...]:
        """Return no lines, because a test cannot be pasted into Python."""
        return ()
