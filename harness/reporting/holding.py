"""Replaces a submission that cannot be displayed by an error entry that is held for review.

Such an entry never has a mark. The pages, rows and exports of all other submissions are made
normally.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from harness.common.errors import UserError, place_of
from harness.model.result import RunResult, SubmissionResult, SubmissionStatus

Made = TypeVar("Made")
# Errors of the user or the machine, never caused by a submission.
OF_EVERYBODY = (UserError, OSError)


def hold_back(result: SubmissionResult, what: str, error: Exception) -> SubmissionResult:
    """Return the submission as an error entry, without the data that made the output `what` fail.

    Its student may read the reason, so it gives the place in the harness's code and not the
    exception's message.
    """
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
    """Return the result of `make` for the run, and the submissions held for review because `make`
    fails for them.

    UserError and OSError are raised at once, because no submission causes them. Other exceptions
    are raised only if `make` still fails once these submissions are replaced.
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
    """Return the submission if `make` succeeds for it, otherwise its error entry.

    If `make` fails even for the error entry, return one without the student's and the file's name.
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
    """Return the exception that `make` raises for a run with only this submission; None if it
    succeeds.
    """
    try:
        make(replace(run, submissions=(result,)))
    except OF_EVERYBODY:  # for example, the gradebook does not contain the student
        return None
    except Exception as error:
        return error
    return None
