"""Whatever was observed agrees with itself, and a change of it does not; aligning: both sides come
back whole, and a flood costs no more than a look along it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.common.escaping import visible
from harness.judging.compare.session import screen_of
from harness.judging.compare.value import first_difference
from harness.judging.goldens import disagreements
from harness.judging.judge import Judge, judge
from harness.judging.side_by_side.comparison import (
    CONTEXT,
    MAX_LINE,
    WINDOW,
    Opposite,
    aligned,
    window,
)
from harness.matchers.comparison import same
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expected, Ignore, StatedRaise
from harness.model.observation import Ending, NamedValue, Observation, Raised, StepOutcome, Turn
from harness.model.stimulus import Stimulus, Typed
from harness.model.values import Value
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests.judging.judging_cases import CALL, called, exactly, expecting

TEXT = st.text(max_size=20)
Question = tuple[Observation, Stimulus]
LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(TEXT | st.integers(), inner, max_size=3)
        | st.sets(st.integers() | TEXT, min_size=1, max_size=3)
    ),
    max_leaves=12,
)
VALUES = LITERALS.map(Value.of)
RAISED = st.builds(
    lambda name, message: Raised(type_name=name, message=message),
    st.sampled_from(["ValueError", "KeyError", "TypeError"]),
    TEXT,
)
TYPED = st.lists(
    st.builds(lambda p, t: Turn(printed=p, typed=Typed(text=t)), TEXT, st.sampled_from("abc")),
    max_size=4,
)
TURNS = st.builds(lambda some, last: (*some, Turn(printed=last)), TYPED, TEXT)


@st.composite
def outcomes(draw: st.DrawFn) -> dict[str, object]:
    """Either a value or an exception."""
    if draw(st.booleans()):
        return {"raised": draw(RAISED)}
    return {"value": draw(VALUES)}


STEPS = st.lists(st.builds(lambda t, o: StepOutcome(turns=t, **o), TURNS, outcomes()), max_size=4)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """An observation and the stimulus that it may be of."""
    kind = draw(st.sampled_from(["call", "run", "session"]))
    if kind == "session":
        steps = tuple(draw(STEPS))
        names = draw(st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3))
        observation = Observation(
            ending=Ending.ANSWERED,
            steps=steps,
            turns=tuple(turn for step in steps for turn in step.turns),
            variables=tuple(NamedValue(name=n, value=v) for n, v in names.items()),
        )
        action = Session(steps=tuple(f"f({index})" for index in range(len(steps))))
    elif kind == "run":
        observation = Observation(
            ending=Ending.ANSWERED,
            turns=draw(TURNS),
            raised=draw(st.none() | RAISED),
            exit_status=draw(st.integers(0, 3)),
        )
        action = Run(program="a1.py")
    else:
        before = draw(st.lists(VALUES, max_size=3))
        observation = Observation(
            ending=draw(st.sampled_from([Ending.ANSWERED, Ending.ASKED_FOR_MORE])),
            turns=draw(TURNS),
            arguments_before=tuple(before),
            arguments=tuple(draw(VALUES) for _ in before),
            **draw(outcomes()),
        )
        action = Call(expression="f(1, 2, 3)")
    inputs = tuple(turn.typed for turn in observation.turns if turn.typed)
    return observation, Stimulus(action=action, inputs=inputs)


def everything(observation: Observation) -> Expected:
    """All that an observation shows, stated."""
    raised = observation.raised
    told = raised and StatedRaise(type_name=raised.type_name, message=exactly(raised.message))
    value = observation.value
    return Expected(
        returns=None if value is None or raised else Exactly(value=value),
        prints=exactly(observation.printed),
        transcript=observation.transcript(),
        shown=tuple(screen_of(step) for step in observation.steps) or None,
        raises=told,
        exit=observation.exit_status,
        reads=observation.reads,
        ends=observation.ending,
    )


@given(question=questions(), ignore=st.sets(st.sampled_from(Ignore)))
def test_an_observation_passes_against_itself(question: Question, ignore: set[Ignore]) -> None:
    observation, stimulus = question
    stated = Expected(ignore=tuple(ignore))
    assert judge(observation, expecting(observation, stated), stimulus).passed


@given(question=questions())
def test_an_observation_passes_where_all_of_it_is_stated(question: Question) -> None:
    observation, stimulus = question
    stated = everything(observation)
    assert judge(observation, expecting(observation, stated), stimulus).passed
    assert judge(observation, expecting(None, stated), stimulus).passed
    assert disagreements(observation, expecting(observation, stated), stimulus) == ()


@given(question=questions(), other=questions())
def test_any_two_observations_are_judged_with_a_reason(question: Question, other: Question) -> None:
    observation, stimulus = question
    verdict = judge(other[0], expecting(observation), stimulus)
    assert verdict.passed is (verdict.explanation is None)
    assert verdict.passed is (verdict.differences == ())
    assert verdict.message.isprintable()


@given(question=questions(), text=st.text(alphabet="abc", min_size=1, max_size=5))
def test_one_more_character_is_seen(question: Question, text: str) -> None:
    observation, stimulus = question
    if isinstance(stimulus.action, Session):
        return
    first, *rest = observation.turns
    other = replace(observation, turns=(replace(first, printed=first.printed + text), *rest))
    assert not judge(other, expecting(observation), stimulus).passed


@given(question=questions(), other=questions(), own=st.booleans(), exit_status=st.integers(0, 1))
def test_a_judge_gives_the_same_verdict_as_judging_anew(
    question: Question, other: Question, own: bool, exit_status: int
) -> None:
    reference, stimulus = question
    stated = Expected(exit=exit_status) if own else everything(reference)
    expected = expecting(reference, stated)
    one = Judge(expected, stimulus)
    slower = replace(reference, cpu_seconds=1.0)
    louder = replace(reference, loading_printed="x")
    for observation in (reference, other[0], slower, louder, reference):
        assert one.verdict(observation) == judge(observation, expected, stimulus)


@given(left=LITERALS, right=LITERALS)
def test_values_are_the_same_exactly_when_their_spelling_is(left: object, right: object) -> None:
    one, other = Value.of(left), Value.of(right)
    assert same(one, one)
    assert same(one, other) is same(other, one)
    if one.source() == other.source():
        assert same(one, other)
    if same(one, other):
        assert left == right
    else:
        place = first_difference(one, other)
        assert (
            place.expected is None or place.actual is None or not same(place.expected, place.actual)
        )


@given(text=st.text(alphabet=st.characters(), max_size=50))
def test_visible_text_is_one_printable_line(text: str) -> None:
    assert visible(text).isprintable()
    assert len(visible(text)) >= len(text)


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=25)


class Counted(str):
    """A line that counts how often it is compared."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__ne__(self, other)


def sides(pairs: list[Opposite]) -> tuple[list[int], list[int]]:
    return (
        [pair.expected for pair in pairs if pair.expected is not None],
        [pair.actual for pair in pairs if pair.actual is not None],
    )


@given(expected=LINES, actual=LINES)
def test_both_sides_come_back_whole_and_in_order(expected: list[str], actual: list[str]) -> None:
    pairs = aligned(expected, actual)
    left, right = sides(pairs)
    assert (left, right) == (list(range(len(expected))), list(range(len(actual))))
    assert all(pair.expected is not None or pair.actual is not None for pair in pairs)


@given(lines=LINES, extra=st.integers(min_value=0, max_value=25))
def test_one_more_line_is_the_only_one_without_a_partner(lines: list[str], extra: int) -> None:
    place = min(extra, len(lines))
    longer = [*lines[:place], "new", *lines[place:]]
    (alone,) = (pair for pair in aligned(lines, longer) if pair.expected is None)
    assert alone.actual is not None and longer[alone.actual] == "new"
    for pair in aligned(lines, longer):
        if pair.expected is not None and pair.actual is not None:
            assert lines[pair.expected] == longer[pair.actual]


def test_rows_of_a_board_stay_opposite_each_other() -> None:
    expected, actual = ["--", "X-", "--", "--"], ["--", "--", "X-", "--"]
    assert all(pair.expected == pair.actual for pair in aligned(expected, actual))


@given(expected=LINES, actual=LINES, shared=st.integers(min_value=0, max_value=60))
def test_a_window_is_part_of_both_sides(
    expected: list[str], actual: list[str], shared: int
) -> None:
    expected, actual = ["s"] * shared + expected, ["s"] * shared + actual
    for numbers in sides(window(expected, actual)):
        assert numbers == list(range(numbers[0], numbers[-1] + 1)) if numbers else True
        assert len(numbers) <= CONTEXT + WINDOW


@pytest.mark.parametrize(
    ("shared", "lines", "others"),
    [
        (0, [f"e{n}" for n in range(50_000)], [f"a{n}" for n in range(50_000)]),
        (100_000, [f"e{n}" for n in range(50_000)], [f"a{n}" for n in range(50_000)]),
        (0, ["a", "b"] * 25_000, ["b", "a"] * 25_000),
        (0, ["x"] * 50_000, ["y", "x"] * 25_000),
    ],
    ids=["no line in common", "after many", "one line apart", "every other line"],
)
def test_a_flood_is_aligned_in_a_window(shared: int, lines: list[str], others: list[str]) -> None:
    start = [Counted("s")] * shared
    expected, actual = (start + [Counted(line) for line in side] for side in (lines, others))
    Counted.comparisons = 0
    assert len(window(expected, actual)) <= CONTEXT + 2 * WINDOW
    assert Counted.comparisons <= shared + 3 * (CONTEXT + WINDOW) ** 2


FLOODS = [
    ("a\nb\n", "\n" * 262_144),
    ("a\nb\n" * 60_000, "a\nb\n" * 60_000 + "c"),
    ("a" * 262_144, "a" * 262_143 + "b"),
    ("|-|-|\n" * 30_000, "|-|-|\n" * 30_001),
    ("x", "\u202e" * 100_000),
    ("x\n" * 199, "y\nx\n" * 99),
]
VALUE_FLOODS = [
    (list(range(50_000)), [*range(49_999), 0]),
    ("x" * 300_000, "x" * 299_999 + "y"),
    ([["x"] * 300] * 300, [["x"] * 300] * 301),
    ({n: n for n in range(5_000)}, {}),
]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        *((called(None, one), called(None, other)) for one, other in FLOODS),
        *((called(one), called(other)) for one, other in VALUE_FLOODS),
    ],
)
def test_only_a_small_part_of_a_flood_is_kept(expected: Observation, actual: Observation) -> None:
    (part,) = judge(actual, expecting(expected), CALL).differences
    assert part.differs
    assert len(part.rows) <= 60
    shown = [cell.text for row in part.rows for cell in (row.expected, row.actual)]
    assert max(map(len, shown)) <= MAX_LINE
