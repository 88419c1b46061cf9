"""A side without any text is shown as that, whatever a scenario ignores."""

from itertools import combinations

import pytest

from harness.judging.side_by_side.comparison import compare_texts
from harness.model.expectation import Ignore, TextRules
from harness.model.verdict import Absence, Channel

ALL = [
    frozenset(chosen) for size in range(len(Ignore) + 1) for chosen in combinations(Ignore, size)
]


@pytest.mark.parametrize("ignore", ALL, ids=lambda chosen: ",".join(sorted(chosen)) or "nothing")
def test_an_empty_side_is_told(ignore: frozenset[Ignore]) -> None:
    rules = TextRules(ignore=ignore)
    missing = compare_texts(Channel.PRINTS, "printed text", "a  b\n", "", rules)
    assert [row.other.note for row in missing.rows] == [Absence.NOTHING_PRINTED]
    more = compare_texts(Channel.PRINTS, "printed text", "", "a  b\n", rules)
    assert [row.expected.note for row in more.rows] == [Absence.NOTHING_PRINTED]
