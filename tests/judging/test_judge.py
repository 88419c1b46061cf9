"""The verdict: kinds, channels, matchers, `ignore`, which side a difference shows; of a sample its
smallest failing draw."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.common.errors import HarnessError
from harness.grading.observing.answer_key import evaluated_parts
from harness.judging.compare import mismatches
from harness.judging.goldens import disagreements
from harness.judging.judge import PROMPTS_ARE_FREE, judge, resolve
from harness.judging.judge import combine as combine_kinds
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine, NoneOf, OneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import Matches
from harness.matchers.kinds.values import AnyValue, Approximately, OfType, PythonValue
from harness.model.expectation import (
    Expectation,
    Expected,
    Floats,
    Ignore,
    PythonAnswer,
    StatedLeave,
    StatedRaise,
    StatedStep,
)
from harness.model.explanation.facts import Stated
from harness.model.observation import Ending, NamedValue, Observation, Phase, StepOutcome
from harness.model.stimulus import Stimulus
from harness.model.values import NONE, Value, ValueKind
from harness.model.verdict import Channel, Explanation, Verdict, VerdictKind
from harness.stimuli.call import Call
from tests.judging.judging_cases import (
    CALL,
    RUN,
    called,
    ended,
    exactly,
    expecting,
    raised,
    raising,
    ran,
    session,
    some_turns,
    step,
    steps,
    turns,
    typing,
    variable,
)


def passes(
    reference: Observation | None,
    observation: Observation,
    stated: Expected | None = None,
    stimulus: Stimulus = CALL,
) -> bool:
    return judge(observation, expecting(reference, stated), stimulus).passed


VALUES = [
    (1, 1, True),
    (1, True, False),
    (1, 1.0, False),
    (float("nan"), float("nan"), True),
    (0.0, -0.0, True),
    (complex(0, 0.0), complex(0, -0.0), True),
    (float("inf"), float("-inf"), False),
    ([1, 2], (1, 2), False),
    ([1, [2]], [1, [2]], True),
    ([1, [2]], [1, [3]], False),
    ({1: 2, 3: 4}, {3: 4, 1: 2}, True),
    ({1: 2, 3: 4}, {3: 2, 1: 4}, False),
    ({1, 2}, {2, 1}, True),
    ({1}, frozenset({1}), False),
    ("a", b"a", False),
    (range(3), range(1, 3), False),
    (range(3), [0, 1, 2], False),
    (None, None, True),
    ("\ud800", "\ud800", True),
    # What is foreign is known by its type alone, and what is too large is the same as nothing.
    (Value(ValueKind.FOREIGN, "Grid"), Value(ValueKind.FOREIGN, "Grid"), True),
    (Value(ValueKind.FOREIGN, "Grid"), Value(ValueKind.FOREIGN, "Row"), False),
    (1, Value(ValueKind.FOREIGN, "int"), False),
    (Value(ValueKind.TOO_LARGE, "deep"), Value(ValueKind.TOO_LARGE, "deep"), False),
]


@pytest.mark.parametrize(("expected", "actual", "same"), VALUES)
def test_values_are_compared_type_exact(expected: object, actual: object, same: bool) -> None:
    assert passes(called(expected), called(actual)) is same


def test_a_value_far_deeper_than_the_stack_is_judged() -> None:
    def deep(end: object) -> Value:
        value = Value.of(end)
        for _ in range(5_000):
            value = Value(ValueKind.LIST, items=(value,))
        return value

    verdict = judge(called(deep(2)), expecting(called([1])), CALL)
    assert verdict.message.startswith("Item [0] of the result is [[[")
    assert passes(called([1]), called([1]))
    assert not passes(called(deep(1)), called(deep(2)))


MATCHERS = [
    (AnyValue(), Value(ValueKind.FOREIGN, "x"), True),
    (OfType(name="float"), 1.0, True),
    (OfType(name="float"), 1, False),
    (OfType(name="Grid"), Value(ValueKind.FOREIGN, "Grid"), True),
    (Approximately(number=3.14, within=0.01), 3.141, True),
    (Approximately(number=3.0, within=0.0), 3, True),
    (Approximately(number=1.0, within=0.5), True, False),
    (Approximately(number=1.0, within=1e9), float("nan"), False),
    (Approximately(number=1.0, within=1.0), 10**400, False),
    (Matches(pattern="^a.c$"), "abc", True),
    (Matches(pattern="b"), "abc", True),
    (Matches(pattern="1"), 1, False),
    (Contains(text="b"), "abc", True),
    (Contains(text="b"), ["b"], False),
    (OneOf(values=(Value.of(1), Value.of("a"))), "a", True),
    (OneOf(values=(Value.of(1), Value.of("a"))), True, False),
    (AllOf(matchers=(OfType(name="str"), Contains(text="b"))), "abc", True),
    (AllOf(matchers=(OfType(name="str"), Contains(text="b"))), "ac", False),
    (AllOf(matchers=(OfType(name="int"), Contains(text="b"))), "abc", False),
    (NoneOf(matchers=(Contains(text="x"), Contains(text="b"))), "abc", False),
    (NoneOf(matchers=(Contains(text="x"), Contains(text="y"))), "abc", True),
    (NoneOf(matchers=(Contains(text="x"),)), 5, True),
    (NoneOf(matchers=(Contains(text="x"),)), Value(ValueKind.TOO_LARGE, "a str"), False),
    (AllOf(matchers=(Contains(text="b"), NoneOf(matchers=(Contains(text="c"),)))), "ab", True),
    (AllOf(matchers=(Contains(text="b"), NoneOf(matchers=(Contains(text="c"),)))), "abc", False),
]


@pytest.mark.parametrize(("matcher", "value", "meets"), MATCHERS)
def test_a_matcher_replaces_the_reference(matcher: AnyValue, value: object, meets: bool) -> None:
    unlike = called("the reference's value")
    assert passes(unlike, called(value), Expected(returns=matcher)) is meets
    assert passes(None, called(value), Expected(returns=matcher)) is meets


def test_without_a_reference_only_what_is_stated_is_compared() -> None:
    loose = Expected(prints=exactly("hi\n"))
    assert passes(None, called(5, "hi\n", before=([],), after=([1],)), loose)
    assert not passes(None, called(5, "ho\n"), loose)
    assert not passes(None, raised("ValueError"), Expected(reads=0))
    assert not passes(None, ended(Ending.ASKED_FOR_MORE), Expected(returns=AnyValue()))


STEPS = [
    (StatedStep(step=0, returns=OfType(name="int")), step(5, "hi\n"), True),
    (StatedStep(step=0, returns=OfType(name="int")), step(5, "ho\n"), False),
    (StatedStep(step=0, returns=OfType(name="int")), step("5", "hi\n"), False),
    (StatedStep(step=0, prints=Contains(text="h")), step(1, "ho\n"), True),
    (StatedStep(step=0, prints=Contains(text="h")), step(2, "ho\n"), False),
    (StatedStep(step=0, shows=Contains(text="5")), step(5, ""), True),
    (StatedStep(step=0, shows=Contains(text="5")), step(1, "5"), True),
    (StatedStep(step=0, shows=Contains(text="5")), step(1, "hi\n"), False),
    (StatedStep(step=0, raises=StatedRaise(type_name="KeyError")), step(1, "hi\n"), False),
    (StatedStep(step=1, returns=AnyValue()), step(2, "hi\n"), False),
]


@pytest.mark.parametrize(("stated", "outcome", "meets"), STEPS)
def test_a_stated_result_of_a_step_replaces_the_references(
    stated: StatedStep, outcome: StepOutcome, meets: bool
) -> None:
    reference, stimulus = session(step(1, "hi\n")), steps("f()")
    held = Expected(steps=(stated,))
    assert passes(reference, session(outcome), held, stimulus) is meets


def test_variables_are_compared_unless_a_step_may_have_several_results() -> None:
    one, other = (
        session(step(1), variables=(variable("a", value), variable("b", value))) for value in (1, 2)
    )
    free = StatedStep(step=0, returns=OfType(name="int"))
    exact = StatedStep(step=0, returns=exactly(1))
    left = StatedLeave(name="b", value=exactly(1))
    stimulus = steps("f()")
    assert passes(one, other, Expected(steps=(free,)), stimulus)
    assert not passes(one, other, Expected(steps=(exact,)), stimulus)
    assert not passes(one, other, Expected(steps=(free,), leaves=(left,)), stimulus)
    assert not passes(one, other, Expected(), stimulus)


def test_the_reference_must_do_what_a_step_states() -> None:
    seen, stimulus = session(step(5, "hi\n")), steps("f()")
    for stated, agrees in (
        (StatedStep(step=0, returns=OfType(name="int")), True),
        (StatedStep(step=0, returns=OfType(name="str")), False),
        (StatedStep(step=0, prints=Contains(text="x")), False),
        (StatedStep(step=0, shows=Contains(text="x")), False),
        (StatedStep(step=0, raises=StatedRaise(type_name="KeyError")), False),
    ):
        held = expecting(seen, Expected(steps=(stated,)))
        assert (disagreements(seen, held, stimulus) == ()) is agrees


def test_leaves_any_accepts_every_argument_afterwards() -> None:
    reference = called(1, before=([1],), after=([1],))
    other = called(1, before=([1],), after=([],))
    free = Expected(leaves_any=True)
    assert passes(reference, other, free)
    assert not passes(reference, other)
    assert not passes(reference, called(2, before=([1],), after=([1],)), free)
    one, two = (session(step(1), variables=(variable("a", value),)) for value in (1, 2))
    assert passes(one, two, free, steps("f()"))
    assert not passes(one, two, Expected(), steps("f()"))


def test_a_line_begins_after_an_input_too() -> None:
    seen, stimulus = ran("Name? ", "Ann", "Hello Ann\n"), typing("Ann")
    for matcher, meets in (
        (ALine(matcher=Matches(pattern=r"\AHello Ann\Z")), True),
        (ALine(matcher=Matches(pattern=r"\AName\? Hello Ann\Z")), True),
        (LastLine(matcher=exactly("Hello Ann")), True),
        (AllOf(matchers=(ALine(matcher=exactly("Hello Ann")), Contains(text="Name"))), True),
        (Matches(pattern=r"(?m)^Hello"), False),
        (ALine(matcher=exactly("Hello")), False),
    ):
        assert passes(None, seen, Expected(prints=matcher), stimulus) is meets


def test_a_program_that_prints_what_it_should_return_fails() -> None:
    assert not passes(
        session(step(True)),
        session(step(None, "True\n")),
        Expected(shown=("True\n",)),
        steps("f()"),
    )


TEXTS = [
    (Expected(), "a\n", "a\n", True),
    (Expected(), "a\n", "a", False),
    (Expected(prints=Contains(text="b")), "a", "abc", True),
    (Expected(prints=Contains(text="b")), "b", "c", False),
    (Expected(prints=Matches(pattern=r"\d+")), "a", "x 12", True),
    (Expected(prints=exactly("a\n")), "a\n", "a\n", True),
    (Expected(prints=AnyValue()), "a\n", "b", True),
    (Expected(ignore=(Ignore.CASE,)), "Red WINS", "red wins", True),
    (Expected(ignore=(Ignore.CASE,)), "Red wins", "red won", False),
    (Expected(ignore=(Ignore.TRAILING_SPACE,)), "a \nb", "a\nb\t ", True),
    (Expected(ignore=(Ignore.TRAILING_SPACE,)), " a", "a", False),
    (Expected(ignore=(Ignore.BLANK_LINES,)), "a\n\nb\n", "\na\n  \nb\n\n", True),
    (Expected(ignore=(Ignore.BLANK_LINES,)), "a\nb", "ab", False),
    (Expected(ignore=(Ignore.CASE,), prints=Matches(pattern="RED")), "", "red", True),
    (Expected(ignore=(Ignore.CASE,), prints=Contains(text="RED")), "", "red", True),
    (Expected(ignore=(Ignore.CASE,), prints=OneOf(values=(Value.of("X"),))), "", "x", True),
    (
        Expected(ignore=(Ignore.CASE,), prints=AllOf(matchers=(Contains(text="RED"), AnyValue()))),
        "",
        "red",
        True,
    ),
    (
        Expected(ignore=(Ignore.CASE,), prints=NoneOf(matchers=(Contains(text="RED"),))),
        "",
        "red",
        False,
    ),
]


@pytest.mark.parametrize(("stated", "expected", "actual", "same"), TEXTS)
def test_printed_text_is_compared(stated: Expected, expected: str, actual: str, same: bool) -> None:
    assert passes(called(None, expected), called(None, actual), stated) is same


TOLERANT = Expected(floats=Floats(within=0.01, in_text=True))
VALUES_ONLY = Expected(floats=Floats(within=0.01))
TOLD = Stimulus(action=Call(expression="f()"), folder=True)


def _wrote(text: str) -> Observation:
    return replace(called(None), files=(NamedValue(name="a.txt", value=Value.of(text)),))


IN_TEXT = [
    (called(None, "mean 1.67\n"), called(None, "mean 1.666\n"), CALL),
    (ran("mean 1.67\n", "x", "1.5\n"), ran("mean 1.666\n", "x", "1.501\n"), typing("x")),
    (called("mean 1.67"), called("mean 1.666"), CALL),
    (called(["1.67"]), called(["1.666"]), CALL),
    (_wrote("1.67\n"), _wrote("1.666\n"), TOLD),
    (session(step(None, "1.67\n")), session(step(None, "1.666\n")), steps("print(f())")),
]


@pytest.mark.parametrize(("reference", "near", "stimulus"), IN_TEXT)
def test_a_tolerance_in_text_reaches_every_channel(
    reference: Observation, near: Observation, stimulus: Stimulus
) -> None:
    assert passes(reference, near, TOLERANT, stimulus)
    assert not passes(reference, near, VALUES_ONLY, stimulus)
    assert not passes(reference, near, Expected(), stimulus)


def test_a_tolerance_in_text_reaches_what_is_stated() -> None:
    near = replace(ran("> ", "x", "1.666\n"), stderr="1.666\n")
    transcript = replace(TOLERANT, transcript="> x\n1.67\n")
    stderr = replace(TOLERANT, stderr=exactly("1.67\n"))
    for stated in (transcript, stderr):
        assert not mismatches(near, Expectation(stated=stated, reference=None), typing("x"))
        exact = replace(stated, floats=None)
        assert mismatches(near, Expectation(stated=exact, reference=None), typing("x"))
    shown = replace(TOLERANT, shown=("1.67\n",))
    printed = session(step(None, "1.666\n"))
    assert not mismatches(printed, Expectation(stated=shown, reference=None), steps("f()"))


FORGIVEN = {
    Ignore.CASE: ("Ab c\n", "aB C\n"),
    Ignore.TRAILING_SPACE: ("Ab c\n", "Ab c  \n"),
    Ignore.BLANK_LINES: ("Ab\nc\n", "Ab\n\nc\n"),
    Ignore.WHITESPACE: ("Ab  c\n", " Ab\tc \n"),
    Ignore.PUNCTUATION: ("Ab, c!\n", "Ab: c\n"),
}


def _on_every_channel(text: str) -> dict[str, tuple[Observation, Stimulus]]:
    return {
        "printed": (called(None, text), CALL),
        "in a turn": (ran("> ", "x", text), typing("x")),
        "returned": (called(text), CALL),
        "written": (_wrote(text), TOLD),
        "printed in a session": (session(step(None, text)), steps("print(f())")),
        "shown in a session": (session(replace(step(text), shown=repr(text))), steps("f()")),
    }


@pytest.mark.parametrize("ignored", Ignore)
def test_a_forgiven_difference_is_forgiven_in_all_text(ignored: Ignore) -> None:
    expected, text = map(_on_every_channel, FORGIVEN[ignored])
    forgiving = Expected(ignore=(ignored,))
    for channel, (reference, stimulus) in expected.items():
        assert passes(reference, text[channel][0], forgiving, stimulus), channel
        assert not passes(reference, text[channel][0], Expected(), stimulus), channel
        stated = replace(forgiving, returns=exactly(FORGIVEN[ignored][0]))
        alone = Expectation(stated=stated, reference=None)
        if channel == "returned":
            assert not mismatches(text[channel][0], alone, stimulus)
    assert not passes(called([FORGIVEN[ignored][0]]), called([FORGIVEN[ignored][1]]), forgiving)


def test_text_is_compared_turn_by_turn() -> None:
    reference = ran("a\n> ", "x", "b\n")
    assert passes(reference, ran("a\n> ", "x", "b\n"), stimulus=typing("x"))
    assert not passes(reference, ran("> ", "x", "a\nb\n"), stimulus=typing("x"))


def test_silence_after_the_last_input_is_not_a_turn() -> None:
    assert passes(ran("> ", "x", ""), ran("> ", "x"), stimulus=typing("x"))
    assert passes(ran(), ran(""))


def test_stated_turns_replace_the_reference_on_those_turns_only() -> None:
    reference = ran("a", "x", "b", "y", "c")
    some = Expected(turns=some_turns({1: Contains(text="B")}))
    both = typing("x", "y")
    assert passes(reference, ran("a", "x", "-B-", "y", "c"), some, both)
    assert not passes(reference, ran("a", "x", "b", "y", "c"), some, both)
    assert not passes(reference, ran("A", "x", "B", "y", "c"), some, both)


def test_later_turns_are_free_if_the_reference_is_not_compared() -> None:
    some = Expected(turns=some_turns({0: Contains(text="a")}))
    free = replace(some, prints=AnyValue())
    reference, other = ran("a", "x", "b", "y", "c"), ran("-a-", "x", "-b-", "y", "-c-")
    both = typing("x", "y")
    assert passes(reference, other, free, both)
    assert not passes(reference, ran("b", "x", "a", "y", "c"), free, both)
    assert not passes(reference, other, some, both)
    assert passes(None, other, some, both)
    assert not passes(None, ran("b", "x", "a", "y", "c"), some, both)
    whole = replace(some, prints=Contains(text="c"))
    assert passes(reference, other, whole, both)
    assert not passes(reference, ran("a", "x", "b", "y", "d"), whole, both)


def test_a_stated_turn_behind_a_gap_leaves_the_gap_open() -> None:
    stated = Expected(turns=some_turns({2: Contains(text="c")}), prints=AnyValue())
    reference, both = ran("a", "x", "b", "y", "c"), typing("x", "y")
    assert passes(reference, ran("1", "x", "2", "y", "-c-"), stated, both)
    assert not passes(reference, ran("c", "x", "c", "y", ""), stated, both)


def test_a_list_of_turns_ends_with_their_number() -> None:
    stated = Expected(turns=some_turns({0: exactly("a"), 1: exactly("b")}, all_turns=True))
    assert passes(None, ran("a", "x", "b"), stated, typing("x"))
    assert not passes(None, ran("a", "x", "b", "y", ""), stated, typing("x", "y"))


def test_a_stated_transcript_is_compared_without_a_reference() -> None:
    stated = Expected(transcript="> x\nbye\n")
    assert passes(None, ran("> ", "x", "bye\n"), stated, typing("x"))
    assert not passes(None, ran("> ", "x", "Bye\n"), stated, typing("x"))


def asked(*texts: str, prompts: tuple[str, ...]) -> Observation:
    """What a program prints and is typed, in turn, with the texts of its `input` calls."""
    seen = ran(*texts)
    marked = [replace(turn, prompt=text) for turn, text in zip(seen.turns, prompts, strict=False)]
    return replace(seen, turns=(*marked, *seen.turns[len(marked) :]))


def test_free_prompts_do_not_belong_to_the_compared_text() -> None:
    free = Expected(prompts_any=True)
    reference = asked("Hi\nname? ", "x", "bye\n", prompts=("name? ",))
    other = asked("Hi\nYour name:\n", "x", "bye\n", prompts=("Your name:\n",))
    assert passes(reference, other, free, typing("x"))
    assert not passes(reference, other, Expected(), typing("x"))
    printed = asked("Hi\nname? ", "x", "bye\n", prompts=("",))  # by print, not by input
    assert not passes(reference, printed, free, typing("x"))
    wrong = asked("Hi\nname? ", "x", "Bye\n", prompts=("name? ",))
    assert not passes(reference, wrong, free, typing("x"))
    for stated in (
        Expected(prompts_any=True, prints=exactly("Hi\nbye\n")),
        Expected(prompts_any=True, turns=some_turns({0: exactly("Hi\n")})),
    ):
        assert passes(None, other, stated, typing("x"))
        assert disagreements(other, expecting(other, stated), typing("x")) == ()
        assert not passes(None, printed, stated, typing("x"))


def test_a_failure_mentions_that_the_prompts_are_free() -> None:
    reference = asked("name? ", "x", "bye\n", prompts=("name? ",))
    wrong = asked("Who? ", "x", "Bye\n", prompts=("Who? ",))
    crashed = raised("ValueError", "no")
    for observation, stated, said in (
        (wrong, Expected(prompts_any=True), (PROMPTS_ARE_FREE,)),
        (wrong, Expected(), ()),
        (crashed, Expected(prompts_any=True), ()),
    ):
        verdict = judge(observation, expecting(reference, stated), typing("x"))
        assert verdict.explanation is not None
        assert verdict.explanation.remarks == said


def test_exceptions_agree_by_type_and_by_message_only_where_stated() -> None:
    reference = raised("ValueError", "one way to say it")
    other = raised("ValueError", "another way")
    assert passes(reference, other)
    assert not passes(reference, other, raising("ValueError", "one way to say it"))
    assert not passes(reference, raised("KeyError"))
    assert not passes(reference, called(1))
    assert not passes(called(1), reference)


def test_any_number_of_inputs_and_any_files_where_that_is_stated() -> None:
    reference, more = ran("? ", "x", "bye"), ran("? ", "x", "", "y", "bye")
    free = Expected(prints=AnyValue(), reads_any=True)
    assert passes(reference, more, free, typing("x", "y"))
    assert not passes(reference, more, Expected(prints=AnyValue()), typing("x", "y"))
    assert not passes(reference, ran("? ", "x", "bye", status=1), free, typing("x", "y"))
    assert disagreements(reference, expecting(reference, free), typing("x", "y")) == ()
    assert disagreements(reference, expecting(reference), typing("x", "y")) != ()
    folder = replace(RUN, folder=True)
    nothing, log = ran("bye"), NamedValue(name="log.txt", value=Value.of("a\n"))
    wrote = replace(nothing, files=(log,))
    assert passes(nothing, wrote, Expected(writes_any=True), folder)
    assert not passes(nothing, wrote, Expected(), folder)
    assert not passes(nothing, replace(ran("by"), files=(log,)), Expected(writes_any=True), folder)
    assert disagreements(wrote, expecting(wrote, Expected(writes_any=True)), folder) == ()


def test_a_named_file_with_any_content_must_be_there() -> None:
    folder = replace(RUN, folder=True)
    log, other = (
        replace(ran("bye"), files=(NamedValue(name="log.txt", value=Value.of(text)),))
        for text in ("a\n", "b\n")
    )
    named = Expected(writes=(StatedLeave(name="log.txt", value=AnyValue()),))
    assert passes(log, other, named, folder)
    assert not passes(log, ran("bye"), named, folder)
    assert disagreements(ran("bye"), expecting(None, named), folder) != ()
    absent = OneOf(values=(NONE,), matchers=(AnyValue(),))
    free = Expected(writes=(StatedLeave(name="log.txt", value=absent),))
    assert passes(log, ran("bye"), free, folder)
    assert passes(log, other, free, folder)


def test_a_program_may_end_or_ask_for_more_where_that_is_stated() -> None:
    free = Expected(prints=AnyValue(), reads_any=True, ends_any=True)
    asks = replace(ran("? ", "x", "again? "), ending=Ending.ASKED_FOR_MORE, exit_status=None)
    for reference, other in ((ran("bye"), asks), (asks, ran("bye"))):
        assert passes(reference, other, free)
        assert not passes(reference, other, Expected(prints=AnyValue(), reads_any=True))
        assert disagreements(reference, expecting(reference, free), RUN) == ()
    for ending in (Ending.CPU_LIMIT, Ending.CRASHED, Ending.TAMPERED):
        assert not passes(ran("bye"), replace(asks, ending=ending), free)
        assert disagreements(replace(asks, ending=ending), expecting(None, free), RUN) != ()
    loading = replace(asks, phase=Phase.LOADING)
    assert not passes(called(1), loading, free)
    assert passes(called(1), replace(asks, phase=Phase.STIMULUS), free)


def test_the_exit_status_of_a_program() -> None:
    assert passes(ran("x"), ran("x"), stimulus=RUN)
    assert not passes(ran("x"), ran("x", status=3), stimulus=RUN)
    assert passes(ran("x", status=3), ran("x", status=3), Expected(exit=3), RUN)
    assert not passes(None, ran("x", status=1), Expected(exit=0), RUN)
    assert passes(ran("x"), ran("x", status=1), Expected(exit_any=True), RUN)
    assert passes(called(1), called(1), stimulus=RUN)


def test_leaving_by_exit_with_status_0_is_a_fine_way_to_end_a_program() -> None:
    by_exit = Observation(
        ending=Ending.ANSWERED, turns=turns("x"), raised=raised("SystemExit").raised, exit_status=0
    )
    assert passes(ran("x"), by_exit, stimulus=RUN)
    assert passes(by_exit, ran("x"), stimulus=RUN)
    assert not passes(called(None, "x"), by_exit)


def test_arguments_are_compared_afterwards() -> None:
    reference = called(None, before=([1],), after=([2],))
    assert passes(reference, called(None, before=([1],), after=([2],)))
    assert not passes(reference, called(None, before=([1],), after=([1],)))
    named = Expected(leaves=(StatedLeave(name="board", value=exactly([3])),))
    assert passes(reference, called(None, before=([1],), after=([3],)), named)
    assert not passes(reference, called(None, before=([1],), after=([2],)), named)
    stays = Expected(leaves_unchanged=True)
    assert passes(None, called(1, before=([1],), after=([1],)), stays)
    assert not passes(None, called(1, before=([1],), after=([2],)), stays)


def test_the_bases_of_an_exception_count_if_they_are_stated() -> None:
    reference = raised("NoMoney", bases=("ValueError", "Exception"))
    other = raised("NoMoney", bases=("Exception",))
    stated = raising("NoMoney", is_a="ValueError")
    assert passes(reference, reference, stated)
    assert not passes(reference, other, stated)
    assert passes(reference, other)
    itself = raising("ValueError", is_a="ValueError")
    assert passes(raised("ValueError"), raised("ValueError"), itself)


def test_a_raise_without_the_arguments_afterwards_hides_nothing() -> None:
    def failed(*, before: tuple[object, ...] = (), after: tuple[object, ...] = ()) -> Observation:
        arguments = called(None, before=before, after=after)
        return replace(
            raised("ValueError"),
            arguments_before=arguments.arguments_before,
            arguments=arguments.arguments,
        )

    reference = failed(before=([1],), after=([1],))
    stays = Expected(leaves_unchanged=True)
    assert passes(reference, failed(before=([1],), after=([1],)))
    assert passes(reference, failed(before=([1],), after=([1],)), stays)
    assert not passes(reference, failed())
    assert not passes(reference, failed(), stays)
    assert passes(failed(), failed())


def test_variables_of_a_session_afterwards() -> None:
    def left(**names: object) -> Observation:
        values = tuple(NamedValue(name=n, value=Value.of(v)) for n, v in names.items())
        return session(step(), variables=values)

    script = steps("x = 1")
    assert passes(left(x=1), left(x=1, own=2), stimulus=script)
    assert not passes(left(x=1), left(x=2), stimulus=script)
    assert not passes(left(x=1), left(), stimulus=script)
    assert passes(left(x=1, _=None), left(x=1, _=True), stimulus=script)
    assert passes(left(x=1, _=None), left(x=1), stimulus=script)
    assert not passes(left(_x=None), left(_x=True), stimulus=script)
    anything = Expected(leaves=(StatedLeave(name="x", value=AnyValue()),))
    assert passes(left(x=1), left(x=2), anything, script)


def test_a_session_fails_at_its_first_differing_step() -> None:
    reference = session(step(), step(1), step(2, "two\n"))
    observation = session(step(), step(5), step(2, "too\n"))
    verdict = judge(observation, expecting(reference), steps("x = 0", "f(x)", "g(x)"))
    assert verdict.message == "In step 2 (f(x)), f returned 5 instead of 1."
    assert [d.subject for d in verdict.differences] == ["return value, step 2: f(x)"]


def test_a_session_that_stops_asking_or_asks_too_much_fails() -> None:
    reference = session(step("r4", "> ", "r4", ""))
    script = steps("get_action()")
    assert not passes(reference, session(step("r4")), stimulus=script)
    assert not passes(reference, session(step("r4", "> ", "x", "> ", "r4", "")), stimulus=script)
    assert not passes(reference, session(), stimulus=script)


def test_without_a_reference_a_session_is_held_to_the_sheet() -> None:
    stated = Expected(shown=("hi\n'x'\n",))
    assert passes(None, session(step("x", "hi\n")), stated, steps("f()"))
    assert not passes(None, session(step("y", "hi\n")), stated, steps("f()"))


def echo(text: str, balance: int = 5) -> StepOutcome:
    """A step whose value is an account, shown as this text."""
    parts = (Value.of("balance"), Value.of(balance))
    return StepOutcome(value=Value(ValueKind.OBJECT, "Account", parts), shown=text)


@pytest.mark.parametrize(
    ("wanted", "outcome", "subjects"),
    [
        (step(None), echo("Account(5)"), ["return value, step 1: f()"]),
        (echo("Account(5)"), step(5), ["return value, step 1: f()"]),
        (echo("Account(5)"), echo("Account(6)", 6), ["return value, step 1: f()"]),
        (echo("Account(5)"), echo("Account 5"), ["shown text, step 1: f()"]),
        (step(8), step(8, "8\n"), ["printed text, step 1: f()"]),
        (step(8), step(None, "8\n"), ["return value, step 1: f()", "printed text, step 1: f()"]),
    ],
)
def test_a_value_shown_by_a_session_is_not_printed_text(
    wanted: StepOutcome, outcome: StepOutcome, subjects: list[str]
) -> None:
    verdict = judge(session(outcome), expecting(session(wanted)), steps("f()"))
    assert [difference.subject for difference in verdict.differences] == subjects


def test_without_a_reference_all_that_a_step_shows_is_compared() -> None:
    verdict = judge(session(step(8)), expecting(None, Expected(shown=("",))), steps("f()"))
    (difference,) = verdict.differences
    assert difference.subject == "shown text, step 1: f()"
    assert difference.channel is Channel.SHOWS


@pytest.mark.parametrize(
    "ending",
    [Ending.ASKED_FOR_MORE, *(each for each in Ending if each.name in VerdictKind.__members__)],
)
def test_an_ending_gives_its_verdict(ending: Ending) -> None:
    verdict = judge(ended(ending), expecting(called(1)), CALL)
    assert verdict.kind is VerdictKind.__members__.get(ending.name, VerdictKind.FAILED)
    assert verdict.message
    assert verdict.undecided or verdict.differences[0].channel is Channel.ENDING


def test_scenarios_that_did_not_run_get_no_other_remark() -> None:
    verdict = judge(ended(Ending.NOT_RUN), expecting(called(1)), CALL)
    assert verdict == Verdict(kind=VerdictKind.NOT_RUN, explanation=verdict.explanation)
    assert verdict.undecided
    sample = combine((Verdict(kind=VerdictKind.PASSED), verdict))
    assert (sample.kind, sample.draws_failed, sample.undecided) == (VerdictKind.NOT_RUN, 0, True)


def test_an_ending_passes_where_it_is_stated() -> None:
    stated = Expected(ends=Ending.ASKED_FOR_MORE)
    asked = ended(Ending.ASKED_FOR_MORE, "> ", "a", "> ")
    assert passes(asked, asked, stated, typing("a"))
    assert not passes(asked, ended(Ending.ASKED_FOR_MORE, ": ", "a", ": "), stated, typing("a"))
    assert not passes(asked, ran("> ", "a"), stated, typing("a"))


@pytest.mark.parametrize(
    "ending", [Ending.HARNESS_ERROR, Ending.TAMPERED, Ending.STOPPED_EARLY, Ending.NOT_RUN]
)
def test_some_endings_never_pass(ending: Ending) -> None:
    assert not passes(ended(ending), ended(ending))
    assert not passes(ended(ending), ended(ending), Expected(ends=ending))


def test_output_while_loading_is_not_compared() -> None:
    noisy = Observation(ending=Ending.ANSWERED, value=Value.of(1), loading_printed="hello\n")
    assert passes(called(1), noisy)


def test_a_difference_shows_both_sides_and_the_place() -> None:
    verdict = judge(called(None, "a\nbx\n"), expecting(called(None, "a\nby\n")), CALL)
    (difference,) = verdict.differences
    assert difference.channel is Channel.PRINTS
    assert [row.same for row in difference.rows] == [True, False]
    assert (difference.rows[1].expected.text, difference.rows[1].actual.text) == ("by", "bx")
    assert difference.rows[1].actual.mark == 1


@pytest.mark.parametrize(
    "observed",
    [
        lambda address: called(f"<a1.Account object at {address}>"),
        lambda address: called(None, f"<function show at {address}>\n"),
        lambda address: raised("KeyError", f"<a1.Account object at {address}>"),
    ],
)
def test_where_an_object_lies_is_not_shown(observed: Callable[[str], Observation]) -> None:
    verdict, other = (
        judge(observed(address), expecting(called("text")), CALL)
        for address in ("0x7fb843557740", "0x55d0")
    )
    assert verdict == other
    assert "0x…" in str(verdict)


def test_an_address_that_is_asked_for_passes() -> None:
    stated = Expected(returns=Matches(pattern=r"at 0x[0-9a-f]+>$"))
    assert passes(None, called("<a1.Account object at 0x55d0>"), stated)


def test_a_long_list_is_shown_item_by_item() -> None:
    rows = ["--------"] * 8
    verdict = judge(called([*rows[:5], "---X----", *rows[6:]]), expecting(called(rows)), CALL)
    (difference,) = verdict.differences
    assert [row.same for row in difference.rows].index(False) == 6
    assert difference.rows[6].actual.text == "    '---X----',"
    assert difference.rows[6].actual.mark == 8


def test_python_answers_take_the_place_of_their_expressions() -> None:
    expression = PythonValue(expression="1 + 1")
    stated = Expected(
        returns=expression,
        prints=expression,
        turns=some_turns({0: expression}),
        raises=StatedRaise(type_name="ValueError", message=expression),
        leaves=(StatedLeave(name="x", value=expression),),
    )
    two = exactly(2)
    known = resolve(stated, (PythonAnswer(expression="1 + 1", value=Value.of(2)),))
    assert (known.returns, known.prints, known.turns.turns[0].printed) == (two, two, two)
    assert (known.raises.message, known.leaves[0].value) == (two, two)
    with pytest.raises(HarnessError, match="1 \\+ 1"):
        resolve(stated, ())
    with pytest.raises(HarnessError, match="was not evaluated"):
        judge(called(2), expecting(None, stated), CALL)


def test_expressions_inside_combinations_are_replaced_too() -> None:
    inner = NoneOf(matchers=(PythonValue(expression="1 + 1"), OfType(name="str")))
    stated = Expected(returns=AllOf(matchers=(AnyValue(), inner)))
    assert [part.expression for part in evaluated_parts(stated)] == ["1 + 1"]
    known = resolve(stated, (PythonAnswer(expression="1 + 1", value=Value.of(2)),))
    assert not passes(None, called(2), known)
    assert passes(None, called(3), known)
    with pytest.raises(HarnessError, match="1 \\+ 1"):
        resolve(stated, ())


def test_of_a_combined_message_only_what_fails_is_shown() -> None:
    matcher = AllOf(matchers=(Contains(text="column"), Contains(text="full")))
    stated = Expected(raises=StatedRaise(type_name="ValueError", message=matcher))
    assert passes(None, raised("ValueError", "column is full"), stated)
    verdict = judge(raised("ValueError", "column 3"), expecting(None, stated), CALL)
    assert (
        verdict.differences[0].rows[0].expected.text
        == 'ValueError, its message: text that contains "full"'
    )


def test_lines_that_are_missing_stand_below_one_another() -> None:
    stated = Expected(prints=Contains(text="|  |0\n|X |1\n+--+\n 01"))
    verdict = judge(ran("nothing\n"), expecting(None, stated), RUN)
    (difference,) = verdict.differences
    assert (
        difference.rows[0].expected.text
        == "text that contains these 4 lines:\n|  |0\n|X |1\n+--+\n 01"
    )
    assert verdict.message.endswith('the 4 lines from "|  |0" to " 01" are missing.')


PASSED = Verdict(kind=VerdictKind.PASSED)
HARNESS = Verdict(kind=VerdictKind.HARNESS_ERROR)
CUT = Verdict(kind=VerdictKind.STOPPED_EARLY)
LOOP = Verdict(kind=VerdictKind.CPU_LIMIT)


WRONG, LATER = (
    replace(
        HARNESS,
        kind=VerdictKind.FAILED,
        explanation=Explanation(rule="r", facts=Stated(sentence=message)),
    )
    for message in "ab"
)


def combine(verdicts: tuple[Verdict, ...]) -> Verdict:
    return combine_kinds([verdict.kind for verdict in verdicts], verdicts.__getitem__)


def test_a_sample_whose_draws_all_pass_has_passed() -> None:
    assert combine((PASSED, PASSED, PASSED)) == Verdict(kind=VerdictKind.PASSED, draws_run=3)


@pytest.mark.parametrize(
    ("verdicts", "draw", "draws_failed"),
    [
        ((PASSED, WRONG, PASSED, LATER), 1, 2),  # the smallest that fails
        ((PASSED, LOOP, WRONG), 1, 2),  # a limit is a failure like another
        ((CUT, PASSED, WRONG), 2, 2),  # one that was seen comes before one cut short
        ((CUT, PASSED), 0, 1),
        # A fault of ours never costs a mark and hides no failure.
        ((PASSED, HARNESS), 1, 0),
        ((CUT, HARNESS), 1, 1),
        ((HARNESS, WRONG), 1, 1),
    ],
)
def test_which_draw_is_shown(verdicts: tuple[Verdict, ...], draw: int, draws_failed: int) -> None:
    shown, whole = replace(verdicts[draw], draw=draw), len(verdicts)
    assert combine(verdicts) == replace(shown, draws_failed=draws_failed, draws_run=whole)


def test_a_sample_without_draws_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one draw"):
        combine(())


def test_of_a_last_line_only_that_line_is_shown() -> None:
    stated = Expected(prints=LastLine(matcher=Contains(text="Total: 12")))
    verdict = judge(called(None, "1\n2\nTotal: 13\n"), expecting(None, stated), CALL)
    (shown,) = verdict.differences
    (row,) = shown.rows
    assert (row.actual.text, row.actual.mark) == ("Total: 13", len("Total: 1"))


def test_the_nearest_line_is_shown_if_any_line_may_match() -> None:
    stated = Expected(prints=ALine(matcher=Contains(text="Total: 12")))
    verdict = judge(called(None, "1\nTotal: 13\n2\n"), expecting(None, stated), CALL)
    (row,) = verdict.differences[0].rows
    assert (row.actual.text, row.actual.mark) == ("Total: 13", len("Total: 1"))
    other = judge(called(None, "a\nb\n"), expecting(None, stated), CALL)
    assert other.differences[0].rows[0].actual.text == "a\nb\n"


def test_a_character_that_looks_right_is_named_on_every_channel() -> None:
    got, wanted = "it\u2019s", "it's"
    raising_it = raising("ValueError", wanted)
    for reference, observation, stated in (
        (_wrote(f"{wanted}\n"), _wrote(f"{got}\n"), None),
        (raised("ValueError", wanted), raised("ValueError", got), raising_it),
        (called(None, wanted), called(None, got), None),
        (called({"a": wanted}), called({"a": got}), None),
    ):
        verdict = judge(observation, expecting(reference, stated), TOLD)
        assert "U+2019 RIGHT SINGLE QUOTATION MARK" in verdict.message
