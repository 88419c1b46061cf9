"""Characters that look like others are named."""

import unicodedata

import pytest

from harness.common.lookalikes import first_odd_character, look_alike
from harness.matchers.kinds.texts import HasNumber, HasNumbers
from harness.model.expectation import TextMatcher

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
def test_other_differences_get_no_remark(expected: str, actual: str) -> None:
    assert look_alike(expected, actual) is None


MINUSES = "\u2010\u2011\u2012\u2013\u2014\u2212\u02d7\u2043\u2796\ufe63\uff0d"
POINTS = "\u066b\u00b7\u22c5\uff0e\u2024"
FIVES = "\uff15\u0665\u096b\U0001d7d3"
NUMBERS = [
    HasNumber(number="-5.5"),
    HasNumber(number="-5.5", within=0.1),
    HasNumbers(numbers=(-5.5,)),
]
WRITTEN = [
    *(f"{minus}5.5" for minus in MINUSES),
    *(f"-5{point}5" for point in POINTS),
    *(f"-{five}.5" for five in FIVES),
]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("written", WRITTEN)
def test_the_reason_why_a_text_is_not_a_number_is_named(number: TextMatcher, written: str) -> None:
    (odd,) = (character for character in written if not character.isascii())
    text = f"The r\u00e9sult is {written} \u2013 no more.\n"
    if number.accepts_text(text):
        assert unicodedata.category(odd) == "Nd"
        return
    words = first_odd_character(text, number.accepts_text)
    assert f"{odd} is written as U+{ord(odd):04X}" in (words or "")


def test_a_wrong_number_gets_no_hint() -> None:
    assert first_odd_character("\u22125.6", HasNumber(number="-5.5").accepts_text) is None
    assert first_odd_character("-5.6", HasNumber(number="-5.5").accepts_text) is None
