"""When two values are the same; matchers of a text, whose patterns have a budget of time; a new
matcher is one new file."""

import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.assignment.loading import SpecErrors
from harness.common import serial
from harness.common.errors import HarnessError
from harness.judging.judge import judge
from harness.matchers import kinds
from harness.matchers.comparison import same_shown, with_tolerated
from harness.matchers.kinds import texts as search
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine, NoneOf, OneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.texts import HasNumber, Matches, fault_of, occurs
from harness.matchers.kinds.values import exactly
from harness.model.expectation import Expectation, Expected, Floats, Ignore, Matcher, TextRules
from harness.model.values import Value, ValueKind
from tests.assignment.small_assignment import scenario_of
from tests.conftest import Added
from tests.judging.judging_cases import CALL, called

BOTH = AllOf(matchers=(Contains(text="tries"), HasNumber(number="4")))
TRIES = LastLine(matcher=BOTH)
SOMEWHERE = ALine(matcher=BOTH)
UNMARKED = TextRules(ignore=(Ignore.PUNCTUATION,))


@pytest.mark.parametrize(
    ("matcher", "text", "accepted"),
    [
        (HasNumber(number="4"), "You needed 4 tries.", True),
        (HasNumber(number="4"), "4", True),
        (HasNumber(number="4"), "it is 4.", True),
        (HasNumber(number="4"), "1, 4, 7", True),
        (HasNumber(number="4"), "a4b", True),
        (HasNumber(number="4"), "3-4", True),
        (HasNumber(number="4"), "14 or 40", False),
        (HasNumber(number="4"), "4.5", False),
        (HasNumber(number="4"), "0.4", False),
        (HasNumber(number="4"), "4,000", False),
        (HasNumber(number="4"), "it is -4", False),
        (HasNumber(number="4"), "-4", False),
        (HasNumber(number="-4"), "it is -4", True),
        (HasNumber(number="-4"), "it is 4", False),
        (HasNumber(number="2.50"), "costs 2.50 each", True),
        (HasNumber(number="2.50"), "costs 2.5 each", False),
        (TRIES, "1 try?\nafter 4 tries\n", True),
        (TRIES, "after 4 tries\n\n", True),
        (TRIES, "after 4 tries\nbye\n", False),
        (TRIES, "4\nafter many tries\n", False),
        (SOMEWHERE, "after 4 tries\nbye\n", True),
        (SOMEWHERE, "hello\nafter 4 tries", True),
        (SOMEWHERE, "4\nafter many tries\n", False),
        (SOMEWHERE, "", False),
        (ALine(matcher=NoneOf(matchers=(Contains(text="a"),))), "", False),
        (ALine(matcher=NoneOf(matchers=(Contains(text="a"),))), "a\n", False),
        (ALine(matcher=NoneOf(matchers=(Contains(text="a"),))), "a\n\n", True),
        (ALine(matcher=Matches(pattern="^b$")), "a\nb\n", True),
    ],
)
def test_accepts(matcher: Matcher, text: str, accepted: bool) -> None:
    assert matcher.accepts_text(text) is accepted
    assert matcher.accepts(Value.of(text)) is accepted
    assert not matcher.accepts(Value.of(4))


@pytest.mark.parametrize(
    ("matcher", "words"),
    [
        (HasNumber(number="4"), "text with the number 4"),
        (LastLine(matcher=HasNumber(number="4")), "a last line with the number 4"),
        (LastLine(matcher=Contains(text="tries")), 'a last line that contains "tries"'),
        (TRIES, 'a last line that contains "tries" and has the number 4'),
        (SOMEWHERE, 'a line that contains "tries" and has the number 4'),
        (ALine(matcher=HasNumber(number="4")), "a line with the number 4"),
        (ALine(matcher=Matches(pattern="x", words="a goodbye")), "a line that is a goodbye"),
        (
            LastLine(matcher=Matches(pattern="x", words="a goodbye")),
            "a last line that is a goodbye",
        ),
    ],
)
def test_in_words(matcher: Matcher, words: str) -> None:
    assert matcher.in_words() == words


def test_in_whole_words_nothing_of_a_part_is_cut() -> None:
    parts = tuple(Contains(text=letter) for letter in "abcdefgh")
    one = OneOf(values=(), matchers=(NoneOf(matchers=parts),))
    assert 'contains "h"' in one.in_words(whole=True)
    assert 'contains "h"' not in one.in_words()


@pytest.mark.parametrize(
    ("matcher", "text", "words"),
    [
        (TRIES, "4 of 5\nafter 5 tries\n", "a last line with the number 4"),
        (SOMEWHERE, "after many tries\n", "a line with the number 4"),
        (SOMEWHERE, "4\n", 'a line that contains "tries"'),
        (SOMEWHERE, "4\nafter many tries\n", 'a line that contains "tries" and has the number 4'),
    ],
)
def test_the_part_of_a_line_that_fails_is_named(matcher: Matcher, text: str, words: str) -> None:
    assert matcher.failing_part(lambda part: part.accepts_text(text)).in_words() == words


def test_ignore_rules_apply_to_single_lines() -> None:
    assert ALine(matcher=Contains(text="Tries")).accepts_text(
        "4 TRIES\n", TextRules(ignore=(Ignore.CASE,))
    )


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("Hello, world!\n", "Hello world\n"),
        ("Don\u2019t \u2013 stop\u2026\n", "Dont  stop\n"),
        ("The mean is 3.14.\n", "The mean is: 3.14\n"),
        ("1,000 at 10:30\n", "1,000; at (10:30)\n"),
        ("-5\n", '"-5"\n'),
    ],
)
def test_the_marks_of_a_sentence_are_forgiven(expected: str, printed: str) -> None:
    assert exactly(expected).accepts_text(printed, UNMARKED)
    assert not exactly(expected).accepts_text(printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("3.14\n", "314\n"),
        ("-5\n", "5\n"),
        ("-.5\n", ".5\n"),
        ("10:30\n", "1030\n"),
        ("1,2\n", "12\n"),
        ("a b\n", "ab\n"),
        ("a_b\n", "ab\n"),
        ("2 + 3\n", "2  3\n"),
        ("a\nb\n", "a b\n"),
    ],
)
def test_a_number_and_words_keep_their_marks_if_punctuation_is_ignored(
    expected: str, printed: str
) -> None:
    assert not exactly(expected).accepts_text(printed, UNMARKED)


def test_a_stated_mark_is_required_where_punctuation_is_ignored() -> None:
    assert not Contains(text="!").accepts_text("Hello\n", UNMARKED)
    assert Contains(text="Hello!").accepts_text("Hello.\n", UNMARKED)
    assert not Matches(pattern=r"o\.$").accepts_text("Hello", UNMARKED)
    assert Matches(pattern=r"o\.$").accepts_text("Hello.", UNMARKED)


# None of these would come to an end in a lifetime, or in an hour.
ENDLESS = {
    "nested quantifiers": (r"(a+)+$", "a" * 60 + "!"),
    "alternatives that overlap": (r"(?:a|a)*$", "a" * 60 + "!"),
    "many that share a text": (r"a*a*a*a*a*a*b", "a" * 10_000),
}


@pytest.mark.parametrize(("pattern", "text"), ENDLESS.values(), ids=ENDLESS.keys())
def test_a_pattern_that_tries_for_ever_is_our_failure(
    pattern: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BUDGET_SECONDS", 0.05)
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(HarnessError) as caught:
        NoneOf(matchers=(Matches(pattern=pattern),)).accepts_text(text)
    assert str(caught.value).startswith(f'the pattern "{pattern}" takes more than 0.05 s of CPU')
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


@pytest.mark.parametrize(("pattern", "is_there"), [(r"\bb\b", True), (r"\bc\b", False)])
def test_other_patterns_are_searched_for(pattern: str, is_there: bool) -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    assert occurs(pattern, "a b") is is_there
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("pattern", "version", "fault"),
    [
        ("(a", (3, 12, 0), "not a regular expression (missing ), unterminated subpattern"),
        (r"(?:a(?!b))++c", (3, 11, 4), "Python 3.11.4 has a bug with possessive"),
        (r"(?:a(?!b)){2,}+c", (3, 11, 2), "Python 3.11.2 has a bug with possessive"),
        (r"(?:a(?!b))++c", (3, 11, 5), ""),
        (r"(?>(?:a(?!b))+)c", (3, 11, 1), "Python 3.11.1 has a bug with atomic groups"),
        (r"(?>(?:a(?!b))+)c", (3, 11, 2), ""),
        (r"[^|]*+a?+", (3, 11, 0), ""),
    ],
)
def test_patterns_that_python_searches_wrongly_are_found(
    pattern: str, version: tuple[int, ...], fault: str
) -> None:
    found = fault_of(pattern, version)
    assert found.startswith(fault)
    assert bool(found) is bool(fault)


def in_a_thread(pattern: str, text: str, flags: int = 0) -> bool:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(occurs, pattern, text, flags).result()


@pytest.mark.process
@pytest.mark.parametrize(("pattern", "text"), ENDLESS.values(), ids=ENDLESS.keys())
def test_the_budget_of_any_thread(pattern: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BUDGET_SECONDS", 0.05)
    with pytest.raises(HarnessError, match=r"takes more than 0\.05 s of CPU time"):
        in_a_thread(pattern, text)


@pytest.mark.process
@pytest.mark.parametrize(
    ("pattern", "text", "flags"),
    [("A", "a", 0), ("A", "a", re.IGNORECASE), (r"\Aé\udc80\x00$", "é\udc80\x00\n", 0)],
)
def test_a_thread_finds_what_the_main_thread_finds(pattern: str, text: str, flags: int) -> None:
    assert in_a_thread(pattern, text, flags) is occurs(pattern, text, flags)


@pytest.mark.process
def test_a_thread_that_cannot_search_gives_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(HarnessError, match="no process could search for a pattern"):
        in_a_thread("a", "a")


DEEP = Value.of(0.1)
for _ in range(5000):
    DEEP = Value(ValueKind.LIST, items=(DEEP,))


@pytest.mark.parametrize(
    ("expected", "actual", "within", "left"),
    [
        (0.3, 0.31, 0.1, 0.3),
        (0.3, 0.31, None, 0.31),
        (0.3, 0.5, 0.1, 0.5),
        (1, 1.01, 0.1, 1.01),
        (1j, 1.01j, 0.1, 1j),
        ([0.3, 1.0], [0.31, 2.0, 0.31], 0.1, [0.3, 2.0, 0.31]),
        ([0.3, 1.0], [0.31], 0.1, [0.3]),
        ([0.3], (0.31,), 0.1, (0.31,)),
        ({"a": 0.3, "b": [1.0]}, {"b": [1.01], "a": 0.31}, 0.1, {"b": [1.0], "a": 0.3}),
        ({"a": 0.3}, {"b": 0.31}, 0.1, {"b": 0.31}),
        ({0.3}, {0.31}, 0.1, {0.31}),
    ],
)
def test_near_numbers_are_taken_as_equal(
    expected: object, actual: object, within: float | None, left: object
) -> None:
    assert with_tolerated(
        Value.of(expected), Value.of(actual), within and Floats(within=within)
    ) == Value.of(left)


def test_tolerance_stops_at_the_depth_of_the_expected_value() -> None:
    assert (
        with_tolerated(Value.of([[0.1]]), DEEP, Floats(within=0.1)).items[0].items[0]
        is DEEP.items[0].items[0]
    )


@pytest.mark.parametrize(
    ("expected", "actual", "within", "agrees"),
    [
        ("A(0.3)", "A(0.30000000000000004)", 1e-9, True),
        ("A(0.3)", "A(0.30000000000000004)", None, False),
        ("A(0.3)", "A(0.4)", 1e-9, False),
        ("A(-0.3, 1e-20)", "A(-0.30000000000000004, -2e-21)", 1e-9, True),
        ("A(0.3)", "B(0.30000000000000004)", 1e-9, False),
        ("A(3)", "A(3.0)", 1e-9, False),
        ("A(0.3)", "A(0.30000000000000004, 1.0)", 1e-9, False),
        ("v1.0", "v1.00000000001", 1e-9, False),
        ("1e999", "2e999", 1e-9, False),
        ("1" * 200_000, "2" * 200_000, 1e-9, False),
    ],
)
def test_floats_in_texts_have_a_tolerance(
    expected: str, actual: str, within: float | None, agrees: bool
) -> None:
    assert same_shown(expected, actual, within and Floats(within=within)) is agrees


EQUAL = [
    ("2", "2.0"), ("2.0", "2"), ("1", "True"), ("[2, (0.5, 1)]", "[2.0, (0.5, True)]"),
    ("{1: 2.0}", "{1.0: 2}"), ("{1, 2.0}", "{2, 1.0}"), ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
    ("[1, True]", "[True, 1]"), ("0.0", "-0.0"), ("None", "None"), ("b'x'", "b'x'"), ("2j", "2j"),
]  # fmt: skip
DIFFERENT = [
    ("2", "2.5"), ("2", "'2'"), ("'x'", "b'x'"), ("[1]", "(1,)"), ("[1]", "[1, 1]"), ("0", "None"),
    ("{'a': 1}", "{'a': 2}"), ("{'a': 1}", "[('a', 1)]"), ("{1, 2}", "{1}"), ("2", "2.0000001"),
    ("9007199254740993", "9007199254740992.0"),
]  # fmt: skip


@pytest.mark.parametrize("pair", EQUAL + DIFFERENT)
def test_numbers_of_any_type_are_equal_and_other_data_is_not(pair: tuple[str, str]) -> None:
    expected, actual = map(Value.parse, pair)
    matcher = EqualTo(expression="f()").resolved({"f()": expected})
    assert matcher.accepts(actual) is (pair in EQUAL)


def test_a_set_is_not_a_frozenset() -> None:
    matcher = EqualTo(expression="{1}").resolved({})
    assert matcher.accepts(Value.of({1}))
    assert not matcher.accepts(Value.of(frozenset({1})))


def test_an_expression_that_was_not_evaluated_is_not_a_failure() -> None:
    matcher = EqualTo(expression="f()").resolved({})
    with pytest.raises(HarnessError, match="was not evaluated"):
        matcher.accepts(Value.of({1}))
    made = Value(ValueKind.OBJECT, "Box")
    assert not EqualTo(expression="Box()").resolved({"Box()": made}).accepts(Value.of(1))


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

ENDS_WITH = matcher_key("ends_with", EndsWith, text=TEXT)
"""


def test_a_new_matcher_is_one_new_file(tmp_path: Path, added: Added) -> None:
    added(kinds, "ends_with", TOY)
    body = "call: check_input('')\nreturns: {ends_with: '{{ BOARD_SIZE }}th'}"
    one = scenario_of(tmp_path, body).stated
    assert one.returns.in_words() == "text that ends with 8th"
    assert serial.loads(Expected, serial.dumps(one)) == one
    expectation = Expectation(stated=one, reference=None)
    assert judge(called("the 8th"), expectation, CALL).passed
    message = "add returned 'the 9th', expected text that ends with 8th."
    assert judge(called("the 9th"), expectation, CALL).message == message
    properties = [each["properties"] for each in kinds.schemas()["TextMatcher"]["anyOf"]]
    assert {"ends_with": {"type": "string"}} in properties


def test_a_new_matcher_is_named_in_hints(tmp_path: Path, added: Added) -> None:
    added(kinds, "ends_with", TOY)
    with pytest.raises(SpecErrors, match=r"ends_wiht: unknown matcher\. Hint: did you mean ends_"):
        scenario_of(tmp_path, "call: check_input('')\nreturns: {ends_wiht: x}")


def test_two_matchers_cannot_have_one_key(added: Added) -> None:
    added(kinds, "ends_with", TOY.replace('"ends_with"', '"contains"'))
    with pytest.raises(ValueError, match="the place of ENDS_WITH is taken"):
        kinds.schemas()
