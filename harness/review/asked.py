"""A student's request for another look, on the page: whose it is, and what it is about beside what
was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from harness.common.errors import UserError
from harness.model.result import SubmissionResult
from harness.reporting.view.shown_causes import AnnotatedFile
from harness.results import regrade_request
from harness.results.student_view import ShownCause
from harness.review.desk import Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """A scenario or function that a request names: the number of the thing to fix that it belongs
    to, else whether it passes."""

    name: str
    cause: int = 0
    passes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request and the number of its submission."""

    number: int
    request: regrade_request.RegradeRequest

    def about(self, result: SubmissionResult, causes: Sequence[ShownCause]) -> list[About]:
        """What it names, as `causes` are numbered."""
        passed = {each.scenario_id for each in result.scenarios if each.verdict.passed}
        numbers: dict[str, int] = {}
        for number, cause in enumerate(causes, start=1):
            for name in (cause.function, *(check.id for check in cause.checks)):
                numbers.setdefault(name, number)
        return [
            About(name=name, cause=numbers.get(name, 0), passes=name in passed)
            for name in self.request.about
        ]


def read_asked(path: Path, desk: Desk) -> Asked:
    """The request in a file; UserError, with the file's name, where it is none for this run."""
    try:
        with path.open("rb") as file:
            request = regrade_request.read_request(file.read(regrade_request.MOST_BYTES + 1))
        numbers = desk.numbers()
        number = numbers[regrade_request.submission_of(request, desk.plan, numbers)]
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(path)) from None
    except UserError as error:
        raise UserError(error.what, place=str(path), hint=error.hint) from None
    return Asked(number=number, request=request)


def line_of(
    about: Sequence[About], causes: Sequence[ShownCause], files: Sequence[AnnotatedFile]
) -> int:
    """The line of the whole source, from 1, of the first thing to fix that is asked about; 0: it
    has none."""
    lengths = [len(file.lines) for file in files]
    before = dict(zip((file.name for file in files), accumulate(lengths, initial=0), strict=False))
    for cause in (causes[each.cause - 1] for each in about if each.cause):
        if cause.place is not None and cause.place.file in before:
            return before[cause.place.file] + (cause.line or cause.place.first)
    return 0
