"""Feedback for a platform to hand back: one page a student, under the names it gave us."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from markupsafe import escape

from harness.common.errors import UserError
from harness.common.files import page_name
from harness.common.zips import zipped
from harness.model.result import RunResult, SubmissionStatus

_PAGE = "feedback.html"
_MOODLE = re.compile(r"(?P<folder>.+_\d+_assignsubmission_(?:file|onlinetext)_?)(?P<file>.*)")
_CANVAS = re.compile(r".+_\d+_\d+_.+|(?:LATE_)?anon_[A-Za-z0-9]+_.+")
_INDEX = "index.html"


class FeedbackFor(StrEnum):
    """Who takes the pages back; PLAIN is a folder of pages for anything else."""

    MOODLE = "moodle"
    CANVAS = "canvas"
    BRIGHTSPACE = "brightspace"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackArchive:
    """A zip's bytes, how many pages are in it, and a line for each that is not."""

    data: bytes
    pages: int
    warnings: tuple[str, ...]


def feedback_zip(run: RunResult, folder: Path, platform: FeedbackFor) -> FeedbackArchive:
    """Pack the pages that grading wrote into `folder`/feedback.

    Raises UserError when a page is not there, or no submission came from this platform.
    """
    pages: dict[str, Path] = {}
    whose: dict[str, str] = {}
    warnings: list[str] = []
    for result in run.submissions:
        if platform is FeedbackFor.PLAIN:
            name = page_name(result.id)
        else:
            found = _NAMES[platform](result.source) if _is_one_name(result.source) else None
            if found is None:
                if result.status is not SubmissionStatus.NO_SUBMISSION:
                    warnings.append(f"{result.id}: not from a download of {platform.value}")
                continue
            name = found
        if name in pages:
            warnings.append(f"{result.id}: {name} is the page of {whose[name]}, of the same group")
            continue
        whose[name] = result.id
        pages[name] = folder / "feedback" / page_name(result.id)
    if not pages:
        raise UserError(
            f"no submission of this run came from a download of {platform.value}",
            place=str(folder),
            hint="--to feedback packs the pages by id",
        )
    files: dict[str, bytes | Path] = dict(pages)
    if platform is FeedbackFor.BRIGHTSPACE:
        files[_INDEX] = _index(sorted(pages))
    try:
        data = zipped(files)
    except OSError as error:
        raise UserError(
            f"cannot be read ({error.strerror})",
            place=str(error.filename),
            hint="grade again to write it",
        ) from None
    return FeedbackArchive(data=data, pages=len(pages), warnings=tuple(warnings))


def _moodle(source: str) -> str | None:
    """The folder that was downloaded; of a flat download the same beginning of the file's name."""
    found = _MOODLE.fullmatch(source)
    if found is None:
        return None
    return f"{found['folder']}{_PAGE}" if found["file"] else f"{source}/{_PAGE}"


def _canvas(source: str) -> str | None:
    """The file's own name, as a page: Canvas goes by the two numbers in it."""
    if _CANVAS.fullmatch(source) is None:
        return None
    return str(PurePosixPath(source).with_suffix(".html"))


def _brightspace(source: str) -> str | None:
    """The folder that was downloaded."""
    return f"{source}/{_PAGE}" if source.count(" - ") >= 2 else None


_NAMES: dict[FeedbackFor, Callable[[str], str | None]] = {
    FeedbackFor.MOODLE: _moodle,
    FeedbackFor.CANVAS: _canvas,
    FeedbackFor.BRIGHTSPACE: _brightspace,
}


def _is_one_name(source: str) -> bool:
    """Whether it is the name of one folder or file, and no path."""
    return source not in ("", ".", "..") and not set(source) & set("/\\\0")


def _index(names: list[str]) -> bytes:
    items = "".join(f"<li>{escape(name)}</li>\n" for name in names)
    head = '<html lang="en"><head><meta charset="utf-8"><title>Feedback</title></head>'
    page = f"<!DOCTYPE html>\n{head}<body><ul>\n{items}</ul></body></html>\n"
    return page.encode("utf-8", "backslashreplace")
