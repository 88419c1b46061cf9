"""Feedback for a platform to hand back: a page per student, under its own file names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from markupsafe import escape

from harness.common.errors import UserError
from harness.common.files import page_name, zipped
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.reporting.export.exporter import Exported, Exporter, ExportRequest


def feedback_exporter(
    name: str,
    help_line: str,
    page: Callable[[SubmissionResult], str | None],
    *,
    platform: str = "",
    index: bool = False,
) -> Exporter:
    """A zip of the pages that grading wrote. `page` is the path of a student's page in it, None for
    a submission that is not from a download of `platform`; with `index` the zip lists its pages in
    `index.html`. UserError when a page is missing, or no submission came from this platform."""

    def export(request: ExportRequest) -> Exported:
        files: dict[str, bytes | Path] = {}
        whose: dict[str, str] = {}
        warnings: list[str] = []
        for result in request.run.submissions:
            path = page(result)
            if path is None:
                if result.status is not SubmissionStatus.NO_SUBMISSION:
                    warnings.append(f"{result.id}: not from a download of {platform}")
            elif path in files:
                who = whose[path]
                warnings.append(f"{result.id}: {path} is the page of {who}, of the same group")
            else:
                whose[path] = result.id
                files[path] = request.folder / "feedback" / page_name(result.id)
        if not files:
            raise UserError(
                f"no submission of this run came from a download of {platform}",
                place=str(request.folder),
                hint="--to feedback packs the pages by id",
            )
        if index:
            files["index.html"] = _index_page(sorted(files))
        try:
            return Exported(data=zipped(files), warnings=tuple(warnings))
        except OSError as error:
            what, hint = f"cannot be read ({error.strerror})", "grade again to write it"
            raise UserError(what, place=str(error.filename), hint=hint) from None

    return Exporter(name=name, help=help_line, export=export, is_archive=True)


EXPORTER = feedback_exporter(
    "feedback", "feedback pages by the submissions' ids (zip)", lambda result: page_name(result.id)
)


def _index_page(names: list[str]) -> bytes:
    items = "".join(f"<li>{escape(name)}</li>\n" for name in names)
    head = '<html lang="en"><head><meta charset="utf-8"><title>Feedback</title></head>'
    page = f"<!DOCTYPE html>\n{head}<body><ul>\n{items}</ul></body></html>\n"
    return page.encode("utf-8", "backslashreplace")
