"""Lines that GitHub Actions shows beside the code: `::error file=…,line=…::message`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.common.words import counted
from harness.model.student_view import ShownCause, StudentView

_PLACE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+)(?:: (?P<rest>.*))?", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One message at a place; `level` is "error", "warning" or "notice", lines count from 1 and
    0 is no line."""

    level: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    title: str = ""

    def __str__(self) -> str:
        known = (
            ("file", self.file),
            ("line", str(self.line or "")),
            ("col", str(self.column or "")),
            ("title", self.title),
        )
        properties = ",".join(f"{name}={_in_property(value)}" for name, value in known if value)
        return f"::{self.level}{' ' if properties else ''}{properties}::{_in_message(self.message)}"


def placed(text: str, *, title: str = "", where: str = "") -> Annotation:
    """A problem as an error: its `file:line:column` in front of it, or apart in `where`."""
    found = _PLACE.fullmatch(where) or _PLACE.fullmatch(text)
    if found is None:
        message = f"{where}: {text}" if where else text
        return Annotation(level="error", message=message, title=title)
    return Annotation(
        level="error",
        message=found["rest"] or text,
        file=found["file"],
        line=int(found["line"]),
        column=int(found["column"]),
        title=title,
    )


def of_submission(view: StudentView, files: dict[str, str]) -> tuple[Annotation, ...]:
    """What a student has to fix, from what a student may see: visible scenarios alone.

    `files` maps the name of each submitted file to its path.
    """
    found = [
        Annotation(
            level="warning",
            message=each.message,
            file=files.get(each.file, each.file),
            line=each.line,
            column=each.column,
            title=each.rule,
        )
        for each in view.findings
    ]
    anywhere = next(iter(files.values()), "")
    if view.problem:
        found.append(Annotation(level="error", message=view.problem, file=anywhere))
    if view.unparsable is not None:
        broken = view.unparsable
        file = files.get(broken.file, broken.file)
        line = broken.line or 0
        found.append(Annotation(level="error", message=broken.reason, file=file, line=line))
    if view.problem or view.unparsable:
        return tuple(found)
    return (*found, *(_of_cause(cause, files, anywhere) for cause in view.causes))


def _of_cause(cause: ShownCause, files: dict[str, str], anywhere: str) -> Annotation:
    """One thing to fix, at its line or where its function begins."""
    place = cause.place
    first = cause.checks[0] if cause.checks else None
    title = f"{first.function}: {first.name}" if first is not None else cause.function
    message = cause.message or f"{counted(cause.hidden, 'hidden check')} failed"
    if len(cause.checks) > 1:
        message += f" ({counted(len(cause.checks), 'check')} failed)"
    return Annotation(
        level="error",
        message=message,
        file=anywhere if place is None else files.get(place.file, place.file),
        line=cause.line or (place.first if place is not None else 0),
        title=title,
    )


def _in_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _in_property(text: str) -> str:
    return _in_message(text).replace(":", "%3A").replace(",", "%2C")
