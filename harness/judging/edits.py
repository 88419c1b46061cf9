"""What lies between the shared start and the shared end of two texts."""

from __future__ import annotations

from dataclasses import dataclass

from harness.judging.alignment import shared_end, shared_start


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """From line `at` (0-based) on, `inserted` stands where `removed` should."""

    at: int
    removed: list[str]
    inserted: list[str]
    expected: list[str]
    actual: list[str]

    @property
    def at_end(self) -> bool:
        """Whether nothing follows on either side."""
        return self.at + len(self.removed) == len(self.expected) and self.at + len(
            self.inserted
        ) == len(self.actual)


def edit_of(expected: list[str], actual: list[str]) -> Edit:
    """The one edit that makes the actual lines of the expected ones."""
    start = shared_start(expected, actual)
    most = min(len(expected), len(actual)) - start
    end = shared_end(expected, actual, most)
    return Edit(
        at=start,
        removed=expected[start : len(expected) - end],
        inserted=actual[start : len(actual) - end],
        expected=expected,
        actual=actual,
    )
