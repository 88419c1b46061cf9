"""Short ways to write observations and cases in the tests of judging."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.judging.compare import mismatches
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import registered_rules
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import (
    Expectation,
    Expected,
    Floats,
    Matcher,
    StatedRaise,
    StatedTurn,
    StatedTurns,
)
from harness.model.observation import (
    Ending,
    Frame,
    NamedValue,
    Observation,
    OutputLimit,
    Phase,
    Raised,
    StepOutcome,
    Turn,
)
from harness.model.stimulus import Stimulus, Typed
from harness.model.values import Value
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session

BY_NAME = {rule.name: rule.explain for rule in registered_rules()}


def turns(*parts: str) -> tuple[Turn, ...]:
    """Printed and typed text by turns: printed, typed, printed, typed, …"""
    found = []
    for index in range(0, len(parts), 2):
        typed = Typed(text=parts[index + 1]) if index + 1 < len(parts) else None
        found.append(Turn(printed=parts[index], typed=typed))
    return tuple(found)


def called(value: object = None, *parts: str, before: tuple = (), after: tuple = ()) -> Observation:
    """A call that answered with a plain value."""
    return Observation(
        ending=Ending.ANSWERED,
        value=value if isinstance(value, Value) else Value.of(value),
        turns=turns(*parts),
        arguments_before=tuple(Value.of(one) for one in before),
        arguments=tuple(Value.of(one) for one in after or before),
    )


def ran(*parts: str, status: int | None = 0) -> Observation:
    """A program that ran to its end."""
    return Observation(ending=Ending.ANSWERED, turns=turns(*parts), exit_status=status)


def ended(
    ending: Ending,
    *parts: str,
    detail: str = "",
    phase: Phase = Phase.STIMULUS,
    ends_in_double: bool = False,
    output_limit: OutputLimit | None = None,
) -> Observation:
    """A process that ended without an answer."""
    return Observation(
        ending=ending,
        turns=turns(*parts),
        detail=detail,
        phase=phase,
        ends_in_double=ends_in_double,
        output_limit=output_limit,
    )


def raised(
    type_name: str,
    message: str = "",
    *,
    line: int | None = None,
    source: str = "",
    phase: Phase = Phase.STIMULUS,
    parts: tuple[str, ...] = (),
    bases: tuple[str, ...] = (),
) -> Observation:
    """A call that raised, on the student's own line if there is one."""
    frames = () if line is None else (Frame(file="a1.py", line=line, function="f", source=source),)
    return Observation(
        ending=Ending.ANSWERED,
        phase=phase,
        turns=turns(*parts),
        raised=Raised(type_name=type_name, message=message, frames=frames, bases=bases),
    )


def step(value: object = ..., *parts: str, error: str = "") -> StepOutcome:
    """A session step: a value (`...`: a statement), printed text, or an exception's type."""
    return StepOutcome(
        turns=turns(*parts),
        value=None if value is ... else Value.of(value),
        raised=Raised(type_name=error, message="") if error else None,
    )


def session(*steps: StepOutcome, variables: tuple = ()) -> Observation:
    """A session that went through."""
    return Observation(
        ending=Ending.ANSWERED,
        steps=steps,
        variables=variables,
        turns=tuple(turn for one in steps for turn in one.turns),
    )


def variable(name: str, value: object) -> NamedValue:
    """A session variable, at the end."""
    return NamedValue(name=name, value=Value.of(value))


def exactly(value: object) -> Matcher:
    """The matcher of one plain value."""
    return Exactly(value=Value.of(value))


def some_turns(printed: Mapping[int, Matcher], *, all_turns: bool = False) -> StatedTurns:
    """What these turns print, by their numbers."""
    stated = tuple(StatedTurn(index=index, printed=each) for index, each in printed.items())
    return StatedTurns(turns=stated, all_turns=all_turns)


def raising(type_name: str, message: object = None, *, is_a: str = "") -> Expected:
    """What is stated of a call that raises this, with this plain message if there is one."""
    told = None if message is None else exactly(message)
    return Expected(raises=StatedRaise(type_name=type_name, message=told, is_a=is_a))


CALL = Stimulus(action=Call(expression="add(board, 'X', 1)"))
RUN = Stimulus(action=Run(program="a1.py"))


def typing(*inputs: str, stimulus: Stimulus = RUN) -> Stimulus:
    """A stimulus with these inputs."""
    return Stimulus(action=stimulus.action, inputs=tuple(Typed(text=one) for one in inputs))


def steps(*sources: str) -> Stimulus:
    """A session of these statements."""
    return Stimulus(action=Session(steps=sources))


def expecting(
    reference: Observation | None,
    stated: Expected | None = None,
    names: tuple[str, ...] = ("board",),
) -> Expectation:
    """What a stimulus is held to."""
    return Expectation(stated=stated or Expected(), reference=reference, parameters=names)


def case(
    reference: Observation | None,
    observation: Observation,
    stimulus: Stimulus = CALL,
    stated: Expected | None = None,
    within: float | None = None,
) -> Failure:
    """The case of an observation that fails (and it must)."""
    floats = None if within is None else Floats(within=within)
    told = stated or Expected()
    expectation = expecting(reference, replace(told, floats=told.floats or floats))
    found = mismatches(observation, expectation, stimulus)
    assert found, "this observation is as expected"
    return Failure(observation, expectation, stimulus, found)


def returns(expected: object, actual: object, stimulus: Stimulus = CALL, **more: Any) -> Failure:
    """The case of a call that returns a wrong value."""
    return case(called(expected), called(actual), stimulus, **more)


def prints(expected: str, actual: str) -> Failure:
    """The case of a call that prints another text."""
    return case(called(None, expected), called(None, actual))


def breaks(matcher: Matcher, value: object) -> Failure:
    """The case of a call whose value does not meet the matcher."""
    return case(None, called(value), stated=Expected(returns=matcher))


def fails_to_print(matcher: Matcher, text: str) -> Failure:
    """The case of a call that prints a text which does not meet the matcher."""
    return case(None, called(None, text), stated=Expected(prints=matcher))


def changed(before: object, after: object, value: object = True) -> Observation:
    """A call that was given one argument, and what it made of it."""
    return called(value, before=(before,), after=(after,))


# By rule: each sentence, and the case or cases of which it is said.
Sentences = dict[str, dict[str, Failure | list[Failure]]]
# By rule: near enough to its cases to be taken for one.
Neighbours = dict[str, list[Failure]]
