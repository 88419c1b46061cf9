"""A number that YAML readers disagree about, or that is quoted, is refused with one that works."""

import pytest

from harness.assignment.document import HintedError, resolve
from harness.matchers.reading import number_hint

WRITTEN = {
    "1e-6": "0.000001",
    "1.0e-6": "0.0000010",
    "1E3": "1000.0",
    ".5": "0.5",
    "5.": "5.0",
    "+1": "1",
    "-1_000.5": "-1000.5",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_the_form_that_works_is_named_and_works(text: str) -> None:
    with pytest.raises(HintedError) as refused:
        resolve(text)
    assert WRITTEN[text] in refused.value.hint
    assert WRITTEN[text] in number_hint(text)
    assert resolve(WRITTEN[text]) == float(text)


@pytest.mark.parametrize("value", ["", "half", "nan", "1e400", "1e-300", "0x1F", None, [1]])
def test_values_that_are_not_numbers_get_no_hint(value: object) -> None:
    assert not number_hint(value)


def test_a_quoted_number_is_to_be_written_without_quotes() -> None:
    assert "0.5" in number_hint("0.5")
