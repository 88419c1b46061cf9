"""Rules about exceptions. The place they name is always the student's own line."""

from __future__ import annotations

import re

from harness.common.escaping import plain, quoted
from harness.judging.compare.mismatches import has_base
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, at_line, rule
from harness.model.observation import Raised

_WRONG_ARGUMENTS = re.compile(
    r"takes .* argument|missing \d+ required|unexpected keyword argument|takes no arguments"
)


@rule(Stage.ENDING, 120)
def called_exit(failure: Failure) -> str | None:
    """`exit()` where the function should come back."""
    raised = _unexpected(failure)
    if raised is None or not _is(raised, "SystemExit"):
        return None
    return failure.says(f"called exit, which ends the whole program{at_line(raised)}")


@rule(Stage.ENDING, 130)
def recursed_too_deep(failure: Failure) -> str | None:
    """A function that calls itself without end."""
    raised = _unexpected(failure)
    if raised is None or not _is(raised, "RecursionError"):
        return None
    return failure.says(
        f"recursed too deeply: a function calls itself without end{at_line(raised)}"
    )


@rule(Stage.ENDING, 140)
def wrong_parameters(failure: Failure) -> str | None:
    """The call itself fails: the function is defined with other parameters."""
    raised = _unexpected(failure)
    if raised is None or raised.type_name != "TypeError" or raised.frames:
        return None
    if not _WRONG_ARGUMENTS.search(raised.message[:300]):
        return None
    return f"The parameters do not fit the call: TypeError: {plain(raised.message)}."


@rule(Stage.ENDING, 150)
def raised_unexpectedly(failure: Failure) -> str | None:
    """An exception where there should be none."""
    raised = _unexpected(failure)
    if raised is None:
        return None
    return failure.says(f"raised {_named(raised)}{at_line(raised)}")


@rule(Stage.ENDING, 160)
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


@rule(Stage.ENDING, 170)
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
