"""Characters that look like others are named."""

import pytest

from harness.common.lookalikes import look_alike

NAMED = [
    ("M\u00fcller", "Mu\u0308ller", "u + U+0308 COMBINING DIAERESIS, it should be U+00FC"),
    ("Mu\u0308ller", "M\u00fcller", "should be u + U+0308 COMBINING DIAERESIS"),
    ("abc", "\u0430bc", "U+0430 CYRILLIC SMALL LETTER A"),
    ("AB", "A\u0392", "U+0392 GREEK CAPITAL LETTER BETA"),
    ("a b", "a\u00a0b", "has U+00A0 NO-BREAK SPACE where U+0020 SPACE should be"),
    ("ab", "a\u200bb", "has U+200B ZERO WIDTH SPACE, which is invisible"),
    ("ab", "\ufeffab", "has U+FEFF ZERO WIDTH NO-BREAK SPACE, which is invisible"),
    ("ab", "ab\u00ad", "has U+00AD SOFT HYPHEN, which is invisible"),
    ("a\u200bb", "ab", "lacks U+200B ZERO WIDTH SPACE"),
    ("it's", "it\u2019s", "U+2019 RIGHT SINGLE QUOTATION MARK"),
    ('"x"', "\u201cx\u201d", "U+201C LEFT DOUBLE QUOTATION MARK"),
    ("A1", "\uff211", "U+FF21 FULLWIDTH LATIN CAPITAL LETTER A"),
    ("1-2", "1\u22122", "U+2212 MINUS SIGN"),
]


@pytest.mark.parametrize(("expected", "actual", "words"), NAMED)
def test_the_character_is_named(expected: str, actual: str, words: str) -> None:
    assert words in (look_alike(expected, actual) or "")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("a", "a"), ("a", "b"), ("\u00e9", "e"), ("a\tb", "a b"), ("ab", "ac\u00a0"), ("a", "A")],
)
def test_nothing_is_said_of_other_differences(expected: str, actual: str) -> None:
    assert look_alike(expected, actual) is None
