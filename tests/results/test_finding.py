"""A submission is found by its id, or by its student's id or name."""

import pytest

from harness.results.finding import only_match
from tests.reporting.pages_read import refusal

CALLED = (
    ("s1", "Cleo Larsen", "0042"),
    ("s2", "Bo Larsen", "17"),
    ("s3", "", ""),
    ("17", "Zoe M\u00fcller", "99"),
)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("s1", 0), ("Cleo Larsen", 0), ("larsen, CLEO", 0), ("cleo", 0), ("0042", 0), ("17", 3)],
)
def test_who_is_meant(wanted: str, found: int) -> None:
    assert only_match(wanted, CALLED) == found


REFUSED = {
    "Larsen": "'Larsen' names 2 submissions. Hint: name one by its id: s1, s2",
    "Cleo Larson": "no submission 'Cleo Larson'. Hint: did you mean Cleo Larsen?",
    "": "no submission ''. Hint: harness show RUN lists them",
}


@pytest.mark.parametrize("wanted", REFUSED)
def test_a_name_of_nobody_or_of_several_is_refused(wanted: str) -> None:
    assert refusal(only_match, wanted, CALLED) == REFUSED[wanted]
