"""What lies between the shared start and the shared end of two texts."""

from __future__ import annotations

from dataclasses import dataclass

from harness.judging.alignment import shared_end, shared_start
from harness.judging.case import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """From line `at` (0-based) on, `inserted` stands where `removed` should; `actual` is all."""

    at: int
    removed: list[str]
    inserted: list[str]
    actual: list[str]
    expected_count: int

    @property
    def is_last_line(self) -> bool:
        """Whether nothing follows the edit on either side."""
        return self.at + len(self.removed) == self.expected_count and self.at + len(
            self.inserted
        ) == len(self.actual)


def edit_of(texts: Texts) -> Edit:
    """The one edit that makes the actual text of the expected one."""
    expected, actual = texts.expected.split("\n"), texts.actual.split("\n")
    start = shared_start(expected, actual)
    most = min(len(expected), len(actual)) - start
    end = shared_end(expected, actual, most)
    return Edit(
        at=start,
        removed=expected[start : len(expected) - end],
        inserted=actual[start : len(actual) - end],
        actual=actual,
        expected_count=len(expected),
    )
