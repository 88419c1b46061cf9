"""Replace a submission that cannot be shown by an error of its own, which is held for review.

It is never a mark. The pages, rows and exports of all other submissions are made all the same.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from harness.common.errors import UserError, place_of
from harness.model.result import RunResult, SubmissionResult, SubmissionStatus

Made = TypeVar("Made")
# The fault of the user or the machine: no submission is to blame.
OF_EVERYBODY = (UserError, OSError)


def hold_back(result: SubmissionResult, what: str, error: Exception) -> SubmissionResult:
    """Return the submission without anything that may have kept `what` from being made. Its student
    may read the reason: that is where our code failed, and not the words of the exception."""
    return SubmissionResult(
        id=result.id,
        status=SubmissionStatus.HARNESS_ERROR,
        mark=None,
        out_of=result.out_of,
        flagged=True,
        problem=f"{what} could not be made ({place_of(error)}); everything else was written. The "
        "mark waits until a person has checked it.",
        source_digest=result.source_digest,
        student=result.student,
        source=result.source,
    )


def made_for_all(
    make: Callable[[RunResult], Made], run: RunResult, what: str
) -> tuple[Made, tuple[SubmissionResult, ...]]:
    """Return what `make` makes of a run, and the submissions that are held for it because it fails
    if given only one of them.

    Raise what `make` raises for a run in which all of these are held. UserError and OSError are
    raised at once, because they are not a submission's fault.
    """
    try:
        return make(run), ()
    except OF_EVERYBODY:
        raise
    except Exception:
        shown: list[SubmissionResult] = []
        kept_back: list[SubmissionResult] = []
        for result in run.submissions:
            instead = _shown_alone(make, run, result, what)
            shown.append(instead)
            if instead != result:
                kept_back.append(instead)
        return make(replace(run, submissions=tuple(shown))), tuple(kept_back)


def _shown_alone(
    make: Callable[[RunResult], object], run: RunResult, result: SubmissionResult, what: str
) -> SubmissionResult:
    """Return the submission if something can be made of it, otherwise a held one in its place.

    If even that fails, the held one is without the names of its student and its file.
    """
    error = _failure(make, run, result)
    if error is None:
        return result
    instead = hold_back(result, what, error)
    if _failure(make, run, instead) is None:
        return instead
    return replace(instead, student=None, source="")


def _failure(
    make: Callable[[RunResult], object], run: RunResult, result: SubmissionResult
) -> Exception | None:
    """Return what our code raises for a run of only this submission."""
    try:
        make(replace(run, submissions=(result,)))
    except OF_EVERYBODY:  # such as a gradebook in which it is not
        return None
    except Exception as error:
        return error
    return None
