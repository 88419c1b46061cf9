"""A new matcher is one new file: it is read, described in the schema, compared and worded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.assignment.loading import SpecErrors, load
from harness.common import serial
from harness.judging.judge import judge
from harness.matchers import kinds
from harness.model.expectation import Expectation, Expected
from tests.assignment.small_assignment import scenario_file, write
from tests.conftest import Added
from tests.judging.judging_cases import CALL, called

TOY = """
from dataclasses import dataclass
from harness.matchers.reading import TEXT, matcher_key
from harness.model.expectation import TextMatcher

@dataclass(frozen=True, slots=True, kw_only=True)
class EndsWith(TextMatcher):
    text: str

    def accepts_text(self, text, ignore=()):
        return text.endswith(self.text)

    def in_words(self, *, whole=False):
        return f"text that ends with {self.text}"

ENDS_WITH = matcher_key("ends_with", EndsWith, order=500, text=TEXT)
"""


@pytest.fixture
def toy(added: Added) -> Iterator[None]:
    added(kinds, "ends_with", TOY)
    _forget()
    yield
    _forget()


def _forget() -> None:
    kinds._keys.cache_clear()
    kinds.matcher_classes.cache_clear()


def stated(root: Path, lines: str) -> Expected:
    """What a scenario of a small assignment states."""
    write(root, {"specs/small/f.yaml": scenario_file(lines)})
    return load(root, "small").plan.scenarios[0].stated


@pytest.mark.usefixtures("toy")
def test_a_new_matcher_is_one_new_file(tmp_path: Path) -> None:
    one = stated(
        tmp_path, "name: one\ncall: check_input('')\nreturns: {ends_with: '{{ BOARD_SIZE }}th'}"
    )
    assert one.returns is not None
    assert one.returns.in_words() == "text that ends with 8th"
    assert serial.loads(Expected, serial.dumps(one)) == one
    expectation = Expectation(stated=one, reference=None)
    assert judge(called("the 8th"), expectation, CALL).passed
    message = "add_piece returned 'the 9th', expected text that ends with 8th."
    assert judge(called("the 9th"), expectation, CALL).message == message
    properties = [each["properties"] for each in kinds.schemas()["TextMatcher"]["anyOf"]]
    assert {"ends_with": {"type": "string"}} in properties


@pytest.mark.usefixtures("toy")
def test_a_new_matcher_is_named_in_hints(tmp_path: Path) -> None:
    with pytest.raises(SpecErrors, match=r"ends_wiht: unknown matcher\. Hint: did you mean ends_"):
        stated(tmp_path, "name: one\ncall: check_input('')\nreturns: {ends_wiht: x}")


@pytest.mark.usefixtures("toy")
def test_two_matchers_cannot_have_one_key(added: Added) -> None:
    added(kinds, "ends_with", TOY.replace('"ends_with"', '"contains"'))
    with pytest.raises(ValueError, match="the place of ENDS_WITH is taken"):
        kinds.schemas()
