"""Defines an export format for `harness export`: one text about a run, a gradebook, or a zip of
its pages.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from markupsafe import escape

from harness.common.errors import UserError
from harness.common.escaping import encoded
from harness.common.files import page_name, zipped
from harness.model.plan import Plan
from harness.model.result import RunResult, SubmissionResult, SubmissionStatus
from harness.reporting.holding import made_for_all
from harness.results.results_json import results_json

TextOfRun = Callable[[RunResult, Plan], str]
PathOfPage = Callable[[SubmissionResult], str | None]


class Marks(StrEnum):
    """Which marks are exported: totals, totals before lateness, or only functionality."""

    TOTAL = "total"
    BEFORE_LATENESS = "before-lateness"
    FUNCTIONALITY = "functionality"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """The run to export, with the command's options.

    Options with a default value only apply to gradebooks.
    """

    run: RunResult
    plan: Plan
    folder: Path  # report folder with the students' pages
    marks: Marks = Marks.TOTAL
    gradebook: Path | None = None  # gradebook file downloaded from the platform
    column: str | None = None  # title of the gradebook column
    clear: bool = False  # remove the marks of students who have none in this run
    match: Path | None = None  # a CSV file that assigns submissions to students
    roster: Path | None = None  # the course's list of students


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """The exported file's bytes, with one warning line for each problem that the user
    should know.
    """

    data: bytes
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """An export format. Modules of this package that define one add it to the command.

    `export` raises UserError if the run or the request does not fit the format.
    """

    name: str
    help: str  # one line for `harness export --help`
    export: Callable[[ExportRequest], Exported]
    is_gradebook: bool = False  # whether it accepts the gradebook options
    is_archive: bool = False  # binary: must be written to a file, not to a terminal
    may_be_anonymous: bool = False  # works for anonymous runs


def export_of_all(exporter: Exporter, request: ExportRequest) -> Exported:
    """Return the exported file.

    Submissions that the exporter cannot write are exported without a mark, held for review and
    named in a warning. Raise UserError if the exporter does.
    """

    def make(run: RunResult) -> Exported:
        return exporter.export(replace(request, run=run))

    exported, kept_back = made_for_all(make, request.run, f"its part of --to {exporter.name}")
    lines = tuple(f"{result.id}: {result.problem}" for result in kept_back)
    return replace(exported, warnings=(*exported.warnings, *lines))


def text_exporter(
    name: str, help_line: str, text: TextOfRun, *, may_be_anonymous: bool = False
) -> Exporter:
    """Return a format that is one text made from the run."""

    def export(request: ExportRequest) -> Exported:
        return Exported(data=encoded(text(request.run, request.plan)))

    return Exporter(name=name, help=help_line, export=export, may_be_anonymous=may_be_anonymous)


def feedback_exporter(
    name: str, help_line: str, page: PathOfPage, *, platform: str = "", index: bool = False
) -> Exporter:
    """Return a format that is a zip of the students' pages.

    `page` returns a page's path in the zip, or None if the submission was not downloaded from
    `platform`. With `index`, the zip gets an `index.html` that lists the pages. Raise UserError if
    a page is missing or no submission came from the platform.
    """

    def export(request: ExportRequest) -> Exported:
        files: dict[str, bytes | Path] = {}
        whose: dict[str, str] = {}
        warnings: list[str] = []
        for result in request.run.submissions:
            if (path := page(result)) is None:
                if result.status is not SubmissionStatus.NO_SUBMISSION:
                    warnings.append(f"{result.id}: not from a download of {platform}")
            elif path in files:
                who = whose[path]
                warnings.append(
                    f"{result.id}: {path} is the page of {who}, who is in the same group"
                )
            else:
                whose[path] = result.id
                files[path] = request.folder / "feedback" / page_name(result.id)
        if not files:
            what = f"no submission of this run came from a download of {platform}"
            hint = "--to feedback packs the pages by id"
            raise UserError(what, place=str(request.folder), hint=hint)
        if index:
            items = "".join(f"<li>{escape(name)}</li>\n" for name in sorted(files))
            head = '<html lang="en"><head><meta charset="utf-8"><title>Feedback</title></head>'
            listed = f"<!DOCTYPE html>\n{head}<body><ul>\n{items}</ul></body></html>\n"
            files["index.html"] = encoded(listed)
        try:
            return Exported(data=zipped(files), warnings=tuple(warnings))
        except OSError as error:
            what, hint = f"cannot be read ({error.strerror})", "grade again to write it"
            raise UserError(what, place=str(error.filename), hint=hint) from None

    return Exporter(name=name, help=help_line, export=export, is_archive=True)


FEEDBACK = feedback_exporter(
    "feedback", "feedback pages by the submissions' ids (zip)", lambda result: page_name(result.id)
)


RESULTS = text_exporter(
    "json", "results.json, hidden scenarios included", results_json, may_be_anonymous=True
)
