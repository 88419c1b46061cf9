"""Rules about exceptions. The place they name is always the student's own line."""

from __future__ import annotations

import re

from harness.common.escaping import plain, quoted
from harness.judging.channels import expected_ending
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, at_line, rule
from harness.judging.mismatches import has_base
from harness.model.observation import Phase, Raised
from harness.model.stimulus import Call

_WRONG_ARGUMENTS = re.compile(
    r"takes .* argument|missing \d+ required|unexpected keyword argument|takes no arguments"
)


@rule(Stage.ENDING, 120, "calls exit")
def called_exit(failure: Failure) -> str | None:
    """`exit()` where the function should come back."""
    raised = _unexpected(failure)
    if raised is None or not _is(raised, "SystemExit"):
        return None
    return failure.says(f"called exit, which ends the whole program{at_line(raised)}")


@rule(Stage.ENDING, 130, "calls itself without end")
def recursed_too_deep(failure: Failure) -> str | None:
    """A function that calls itself without end."""
    raised = _unexpected(failure)
    if raised is None or not _is(raised, "RecursionError"):
        return None
    return failure.says(
        f"recursed too deeply: a function calls itself without end{at_line(raised)}"
    )


@rule(Stage.ENDING, 140, "has other parameters")
def wrong_parameters(failure: Failure) -> str | None:
    """The call itself fails: the function is defined with other parameters."""
    raised = _unexpected(failure)
    if raised is None or raised.type_name != "TypeError" or raised.frames:
        return None
    if not _WRONG_ARGUMENTS.search(raised.message[:300]):
        return None
    return f"The parameters do not fit the call: TypeError: {plain(raised.message)}."


@rule(Stage.ENDING, 45, "ends before what is asked for")
def ended_elsewhere(failure: Failure) -> str | None:
    """It ended as it should, but before the call or the session."""
    early = failure.observation.phase in (Phase.GIVEN, Phase.ARGUMENTS)
    if not early or failure.ending is not expected_ending(failure.expectation):
        return None
    action = failure.stimulus.action
    call = plain(action.expression, limit=80) if isinstance(action, Call) else "the session"
    return f"It ended as it should, but already in what comes before {call}, which never ran."


@rule(Stage.ENDING, 145, "raises before what is asked for, or after it")
def raised_elsewhere(failure: Failure) -> str | None:
    """An exception before the call or the session, or after the call: what should raise did not
    run, or did not raise."""
    mismatch = failure.raises
    if mismatch is None or mismatch.actual is None or failure.loading:
        return None
    named, line = _named(mismatch.actual), at_line(mismatch.actual)
    action, given = failure.stimulus.action, failure.stimulus.given.strip()
    call = plain(action.expression, limit=80) if isinstance(action, Call) else "the session"
    if mismatch.phase is Phase.GIVEN:
        one = given and "\n" not in given
        first = f"{plain(given, limit=80)}, which comes first," if one else "What comes first"
        return f"{first} raised {named}{line}, so {call} never ran."
    if mismatch.expected is None:
        return None
    if mismatch.phase is Phase.ARGUMENTS:
        before = f"In {call}, what comes before the call itself"
        return f"{before} raised {named}{line}, so the call never ran."
    if mismatch.phase is Phase.RESULT:
        return f"{call} returned, and {named} was raised only when what it returned was read{line}."
    return None


@rule(Stage.ENDING, 150, "raises an exception")
def raised_unexpectedly(failure: Failure) -> str | None:
    """An exception where there should be none."""
    raised = _unexpected(failure)
    if raised is None:
        return None
    return failure.says(f"raised {_named(raised)}{at_line(raised)}")


@rule(Stage.ENDING, 160, "raises another exception")
def wrong_exception(failure: Failure) -> str | None:
    """Another exception, or another message, than should be raised."""
    mismatch = failure.raises
    if mismatch is None or mismatch.expected is None or mismatch.actual is None:
        return None
    if mismatch.expected.allows(mismatch.actual.type_name):
        if not has_base(mismatch.expected, mismatch.actual):
            return failure.says(_other_base(mismatch.actual, mismatch.expected.is_a))
        name, message = mismatch.actual.type_name, quoted(mismatch.actual.message)
        wanted = mismatch.expected.message
        text = None if wanted is None else wanted.exact_text
        expected = "another" if wanted is None else quoted(text) if text else wanted.in_words()
        return failure.says(f"raised {name} with the message {message}, expected {expected}")
    expected = mismatch.expected.in_words()
    raised = mismatch.actual
    return failure.says(f"raised {_named(raised)} instead of {expected}{at_line(raised)}")


def _other_base(actual: Raised, wanted: str) -> str:
    name = plain(actual.type_name)
    bases = [base for base in actual.bases if base not in ("BaseException", "object")]
    derived = f", which derives from {plain(bases[0])}" if bases else ""
    advice = f": its class should begin with class {name}({wanted})"
    return f"raised {name}{derived} and is no {wanted}{advice}"


@rule(Stage.ENDING, 170, "raises no exception")
def did_not_raise(failure: Failure) -> str | None:
    """No exception where there should be one."""
    mismatch = failure.raises
    if mismatch is None or mismatch.expected is None or mismatch.actual is not None:
        return None
    return failure.says(f"raised nothing, but {mismatch.expected.in_words()} should be raised")


def _unexpected(failure: Failure) -> Raised | None:
    mismatch = failure.raises
    return mismatch.actual if mismatch and mismatch.expected is None else None


def _is(raised: Raised, name: str) -> bool:
    return name in (raised.type_name, *raised.bases)


def _named(raised: Raised) -> str:
    name = plain(raised.type_name, limit=60)
    return f"{name}: {plain(raised.message)}" if raised.message else name
