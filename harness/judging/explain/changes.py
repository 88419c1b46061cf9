"""Changes to the arguments of a call, or to a session's variables, that are not as expected."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from harness.judging.channels import argument_name
from harness.matchers import Exactly, same
from harness.model.expectation import Expectation
from harness.model.observation import Observation
from harness.model.stimulus import DROPPED, Session, Stimulus
from harness.model.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentChange:
    """A name's value before, as it should be afterwards, and as it is; the last two differ.

    `returned` is what the function returned. `later` is set where the value was only
    seen after further steps of a session.
    """

    name: str
    before: Value
    expected: Value
    actual: Value
    returned: Value | None
    later: bool = False

    @property
    def should_change(self) -> bool:
        """Whether it should differ from before at all."""
        return not same(self.before, self.expected)

    @property
    def did_change(self) -> bool:
        """Whether it differs from before."""
        return not same(self.before, self.actual)


def changes(
    observation: Observation, expectation: Expectation, stimulus: Stimulus, step: int | None
) -> tuple[ArgumentChange, ...]:
    """The arguments (or, in a session, the variable shown at the failing step) that differ."""
    if isinstance(stimulus.action, Session):
        return _in_session(observation, expectation, stimulus.action, step)
    changed: list[ArgumentChange] = []
    sides = zip(observation.arguments_before, observation.arguments, strict=False)
    for position, (before, actual) in enumerate(sides):
        name = argument_name(expectation, position)
        matcher = _expected_argument(expectation, position, name, before)
        if matcher is not None and not matcher.accepts(actual):
            changed.append(_change(name, matcher, before, actual, observation.value))
    return tuple(changed)


def _change(
    name: str,
    expected: Exactly,
    before: Value,
    actual: Value,
    returned: Value | None = None,
    *,
    later: bool = False,
) -> ArgumentChange:
    """Floats that are near enough to the expected ones are no change."""
    return ArgumentChange(
        name=name,
        before=expected.pair(before)[1],
        expected=expected.value,
        actual=expected.pair(actual)[1],
        returned=returned and expected.pair(returned)[1],
        later=later,
    )


def _expected_argument(
    expectation: Expectation, position: int, name: str, before: Value
) -> Exactly | None:
    stated, reference = expectation.stated, expectation.reference
    for leave in stated.leaves:
        if leave.name == name:
            return leave.value if isinstance(leave.value, Exactly) else None
    if stated.leaves_unchanged:
        return Exactly(value=before)
    if reference is None or position >= len(reference.arguments):
        return None
    return Exactly(value=reference.arguments[position], within=expectation.within)


def _in_session(
    observation: Observation, expectation: Expectation, session: Session, step: int | None
) -> tuple[ArgumentChange, ...]:
    """A step that only shows a variable shows what an earlier call did to it."""
    reference = expectation.reference
    if reference is None:
        return ()
    if step is None:
        return _at_the_end(observation, expectation, session)
    if step >= min(len(session.steps), len(reference.steps)):
        return ()
    shown = step
    name = _shown_name(session.steps[step])
    while name is None and shown + 1 < min(len(session.steps), len(observation.steps)):
        # The call itself fails (it returned something else): look at what it left behind.
        shown += 1
        name = _shown_name(session.steps[shown])
    if name is None or shown >= min(len(observation.steps), len(reference.steps)):
        return ()
    before = _before(observation, session, name, shown)
    wanted, actual = reference.steps[shown].value, observation.steps[shown].value
    if before is None or wanted is None or actual is None:
        return ()
    expected = Exactly(value=wanted, within=expectation.within)
    if expected.accepts(actual):
        return ()
    returned = observation.steps[shown - 1].value if shown else None
    return (_change(name, expected, before, actual, returned, later=shown > step + 1),)


def _at_the_end(
    observation: Observation, expectation: Expectation, session: Session
) -> tuple[ArgumentChange, ...]:
    """What no step shows: the variables when the session is over."""
    changed: list[ArgumentChange] = []
    variables = expectation.reference.variables if expectation.reference else ()
    wanted = {
        variable.name: Exactly(value=variable.value, within=expectation.within)
        for variable in variables
    }
    for name, actual in ((variable.name, variable.value) for variable in observation.variables):
        expected = wanted.get(name)
        before = _before(observation, session, name, len(observation.steps))
        if before is None or expected is None or name == DROPPED or expected.accepts(actual):
            continue
        changed.append(_change(name, expected, before, actual))
    return tuple(changed)


def _shown_name(source: str) -> str | None:
    source = source.strip()
    return source if source.isidentifier() else None


def _before(observation: Observation, session: Session, name: str, shown: int) -> Value | None:
    """The name's value when it was last shown or assigned as a literal."""
    for index in range(min(shown, len(session.steps), len(observation.steps)) - 1, -1, -1):
        if _shown_name(session.steps[index]) == name:
            return observation.steps[index].value
        node = _assignment(session.steps[index], name)
        if node is not None:
            return _literal(node)
    return None


def _assignment(source: str, name: str) -> ast.expr | None:
    """What a step of one assignment gives the name."""
    try:
        body = ast.parse(source.strip()).body
    except (SyntaxError, ValueError):
        return None
    if len(body) != 1 or not isinstance(body[0], ast.Assign):
        return None
    target = body[0].targets[0]
    return body[0].value if isinstance(target, ast.Name) and target.id == name else None


def _literal(node: ast.expr) -> Value | None:
    try:
        return Value.of(ast.literal_eval(node))
    except (ValueError, TypeError):
        return None
