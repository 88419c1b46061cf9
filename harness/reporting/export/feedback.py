"""Feedback for a platform to hand back: a page per student, under its own file names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from markupsafe import escape

from harness.common.errors import UserError
from harness.common.files import page_name, zipped
from harness.model.result import RunResult, SubmissionResult, SubmissionStatus
from harness.reporting.export.exporter import Exported, Exporter, ExportRequest

_INDEX = "index.html"


def feedback_exporter(
    name: str, title: str, page: Callable[[str], str | None], *, index: bool
) -> Exporter:
    """The format that a platform takes feedback in. `page` is the path of a student's page in the
    zip, given the name of what was downloaded (one folder or file), or None for a name that is
    not this platform's; with `index` the zip lists its pages in `index.html`."""

    def name_of(result: SubmissionResult) -> str | None:
        return page(result.source) if _is_one_name(result.source) else None

    def export(request: ExportRequest) -> Exported:
        return _zip(request.run, request.folder, name_of, title, index=index)

    return Exporter(
        name=f"feedback-{name}",
        help=f"feedback pages to upload to {title} (zip)",
        export=export,
        is_archive=True,
    )


def _export_by_id(request: ExportRequest) -> Exported:
    return _zip(request.run, request.folder, lambda result: page_name(result.id), "", index=False)


EXPORTER = Exporter(
    name="feedback",
    help="feedback pages by the submissions' ids (zip)",
    export=_export_by_id,
    is_archive=True,
)


def _zip(
    run: RunResult,
    folder: Path,
    name_of: Callable[[SubmissionResult], str | None],
    platform: str,
    *,
    index: bool,
) -> Exported:
    """Pack the pages that grading wrote into `folder`/feedback.

    Raises UserError when a page is missing, or no submission came from this platform.
    """
    files: dict[str, bytes | Path] = {}
    whose: dict[str, str] = {}
    warnings: list[str] = []
    for result in run.submissions:
        name = name_of(result)
        if name is None:
            if result.status is not SubmissionStatus.NO_SUBMISSION:
                warnings.append(f"{result.id}: not from a download of {platform}")
        elif name in files:
            warnings.append(f"{result.id}: {name} is the page of {whose[name]}, of the same group")
        else:
            whose[name] = result.id
            files[name] = folder / "feedback" / page_name(result.id)
    if not files:
        raise UserError(
            f"no submission of this run came from a download of {platform}",
            place=str(folder),
            hint="--to feedback packs the pages by id",
        )
    if index:
        files[_INDEX] = _index_page(sorted(files))
    try:
        return Exported(data=zipped(files), warnings=tuple(warnings))
    except OSError as error:
        raise UserError(
            f"cannot be read ({error.strerror})",
            place=str(error.filename),
            hint="grade again to write it",
        ) from None


def _is_one_name(source: str) -> bool:
    """Whether it is the name of one folder or file, and no path."""
    return source not in ("", ".", "..") and not set(source) & set("/\\\0")


def _index_page(names: list[str]) -> bytes:
    items = "".join(f"<li>{escape(name)}</li>\n" for name in names)
    head = '<html lang="en"><head><meta charset="utf-8"><title>Feedback</title></head>'
    page = f"<!DOCTYPE html>\n{head}<body><ul>\n{items}</ul></body></html>\n"
    return page.encode("utf-8", "backslashreplace")
