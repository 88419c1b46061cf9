"""Finding where two long lines differ takes little memory, whatever is ignored."""

import tracemalloc

import pytest

from harness.matchers.comparison import difference_of
from harness.model.expectation import EXACT, Ignore, TextRules

LENGTH = 200_000


@pytest.mark.parametrize(
    ("rules", "bytes_a_character"),
    [(EXACT, 1), *((TextRules(ignore=(ignore,)), 40) for ignore in Ignore)],
    ids=["exact", *Ignore],
)
def test_a_difference_in_a_long_line_takes_little_memory(
    rules: TextRules, bytes_a_character: int
) -> None:
    expected, actual = "x" * LENGTH + "a", "x" * LENGTH + "b"
    tracemalloc.start()
    found = difference_of(expected, actual, rules)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == (LENGTH, LENGTH)
    assert peak < bytes_a_character * LENGTH


def test_places_count_what_is_ignored() -> None:
    rules = TextRules(ignore=(Ignore.WHITESPACE, Ignore.CASE))
    assert difference_of("  A \t b1 ", "a B2", rules) == (7, 3)


def test_numbers_in_a_long_line_take_little_memory() -> None:
    rules = TextRules(within=0.1)
    tracemalloc.start()
    found = difference_of("1.5 of 2", "1.5 " * LENGTH, rules)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == (4, 4)
    assert peak < 10 * LENGTH
