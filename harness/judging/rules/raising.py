"""Rules about exceptions. The place they name is always the student's own line."""

from __future__ import annotations

import re

from harness.judging.case import Case
from harness.judging.visible import plain
from harness.model.observation import Raised

_WRONG_ARGUMENTS = re.compile(
    r"takes .* argument|missing \d+ required|unexpected keyword argument|takes no arguments"
)


def called_exit(case: Case) -> str | None:
    """`exit()` where the function should come back."""
    raised = _unexpected(case)
    if raised is None or not _is(raised, "SystemExit"):
        return None
    return case.says(f"called exit, which ends the whole program{_line(raised)}")


def recursed_too_deep(case: Case) -> str | None:
    """A function that calls itself without end."""
    raised = _unexpected(case)
    if raised is None or not _is(raised, "RecursionError"):
        return None
    return case.says(f"recursed too deep: a function calls itself without end{_line(raised)}")


def wrong_parameters(case: Case) -> str | None:
    """The call itself fails: the function is defined with other parameters."""
    raised = _unexpected(case)
    if raised is None or raised.type_name != "TypeError" or raised.frames:
        return None
    if not _WRONG_ARGUMENTS.search(raised.message[:300]):
        return None
    return f"The parameters do not fit the call: TypeError: {plain(raised.message)}."


def raised_unexpectedly(case: Case) -> str | None:
    """An exception where there should be none."""
    raised = _unexpected(case)
    if raised is None:
        return None
    return case.says(f"raised {_named(raised)}{_line(raised)}")


def wrong_exception(case: Case) -> str | None:
    """Another exception, or another message, than should be raised."""
    mismatch = case.raises
    if mismatch is None or mismatch.expected is None or mismatch.actual is None:
        return None
    if mismatch.expected.type_name == mismatch.actual.type_name:
        message = plain(mismatch.actual.message)
        return case.says(f"raised {mismatch.actual.type_name} with another message: {message}")
    expected = mismatch.expected.type_name
    raised = mismatch.actual
    return case.says(f"raised {_named(raised)} where {expected} is expected{_line(raised)}")


def did_not_raise(case: Case) -> str | None:
    """No exception where there should be one."""
    mismatch = case.raises
    if mismatch is None or mismatch.expected is None or mismatch.actual is not None:
        return None
    return case.says(f"raised nothing, where {mismatch.expected.type_name} should be raised")


def _unexpected(case: Case) -> Raised | None:
    mismatch = case.raises
    return mismatch.actual if mismatch and mismatch.expected is None else None


def _is(raised: Raised, name: str) -> bool:
    return name in (raised.type_name, *raised.bases)


def _named(raised: Raised) -> str:
    name = plain(raised.type_name, limit=60)
    return f"{name}: {plain(raised.message)}" if raised.message else name


def _line(raised: Raised) -> str:
    if not raised.frames:
        return ""
    frame = raised.frames[-1]
    source = plain(frame.source.strip(), limit=80)
    return f" (line {frame.line}: {source})" if source else f" (line {frame.line})"
