"""What a page or a terminal says of a cause."""

from __future__ import annotations

from harness.model.student_view import ShownCause
from harness.model.verdict import VerdictKind


def is_missing(cause: ShownCause) -> bool:
    """Whether it is a function that is not there: then an example says nothing more."""
    return bool(cause.checks) and all(
        check.verdict.kind is VerdictKind.MISSING for check in cause.checks[:1]
    )
