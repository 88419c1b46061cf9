"""Presents a student's results on GitHub, using only what the student may see.

There are annotations on lines (`::error file=…,line=…::message`) and a summary in Markdown.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.common.escaping import encoded, visible, visible_lines
from harness.common.words import counted
from harness.reporting.terminal.cards import explain_failures
from harness.reporting.view import words
from harness.results.redaction import ShownCause
from harness.results.student_view import StudentView

_PLACE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+)(?:: (?P<rest>.*))?", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A message at a file and line."""

    message: str
    level: str = "error"  # "error" or "warning"
    file: str = ""
    line: int = 0  # counted from 1; 0 means that no line is known
    column: int = 0
    title: str = ""

    def __str__(self) -> str:
        values = {"file": self.file, "line": self.line, "col": self.column, "title": self.title}
        properties: list[str] = []
        for name, value in values.items():
            if value:
                properties.append(f"{name}={_in_property(str(value))}")
        start = self.level
        if properties:
            start += f" {','.join(properties)}"
        return f"::{start}::{_in_message(self.message)}"


def placed(text: str, *, title: str = "", where: str = "") -> Annotation:
    """Return an error annotation.

    The place `file:line:column` is at the start of `text`, or given as `where`.
    """
    place = _PLACE.fullmatch(where) or _PLACE.fullmatch(text)
    if place is None:
        message = text
        if where:
            message = f"{where}: {text}"
        return Annotation(message=message, title=title)
    return Annotation(
        message=place["rest"] or text,
        file=place["file"],
        line=int(place["line"]),
        column=int(place["column"]),
        title=title,
    )


def of_submission(view: StudentView, files: Mapping[str, str]) -> Iterator[Annotation]:
    """Yield an annotation for each thing to fix that visible scenarios show.

    `files` maps file names to their paths in the repository.
    """
    for finding in view.findings:
        yield Annotation(
            level="warning",
            message=finding.message,
            file=files.get(finding.file, finding.file),
            line=finding.line,
            column=finding.column,
            title=finding.rule,
        )
    first_file = next(iter(files.values()), "")
    if view.problem:
        yield Annotation(message=view.problem, file=first_file)
    broken = view.unparsable
    if broken is not None:
        yield Annotation(
            message=broken.reason,
            file=files.get(broken.file, broken.file),
            line=broken.line or 0,
            column=broken.column or 0,
        )
    if view.problem or broken is not None:
        return
    for cause in view.causes:
        yield _of_cause(cause, files, first_file)


def _of_cause(cause: ShownCause, files: Mapping[str, str], first_file: str) -> Annotation:
    title = cause.function
    message = cause.message
    if cause.first is not None:
        title = f"{cause.first.function}: {cause.first.name}"
    if len(cause.checks) > 1:
        message += f" ({counted(len(cause.checks), 'check')} failed)"
    if not message:
        message = f"{counted(cause.hidden, 'hidden check')} failed"
    file = first_file
    line = cause.line or 0
    if cause.place is not None:
        file = files.get(cause.place.file, cause.place.file)
        line = cause.line or cause.place.first
    text = "\n".join([message, *words.advice(cause)])
    return Annotation(message=text, file=file, line=line, title=title)


def _in_property(text: str) -> str:
    return _in_message(text).replace(":", "%3A").replace(",", "%2C")


def _in_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


MAX_BYTES = 60_000  # maximum size of an explanation; platforms reject pages of a megabyte
_COLUMNS = 100


def markdown_summary(view: StudentView, failures: int) -> str:
    """Return a Markdown summary: a heading, passed checks by function, and the first `failures`
    failures in code blocks that no output can break out of.
    """
    # The title is plain text from the course, so it must be escaped.
    title = re.sub(r"([\\`*_{}\[\]<>()#+.!|~&@-])", r"\\\1", " ".join(view.title.split()))
    lines: list[str] = []
    if view.functions:
        lines += ["| function | checks passed |", "|---|---|"]
    for tally in view.functions:
        lines.append(f"| {_code(tally.function)} | {tally.passed} of {tally.total} |")
    text = explain_failures(view, failures, width=_COLUMNS)
    # Names in a note come from the student: as code, they cannot mention people or link anywhere.
    notes = [f"- {_code(visible(note))}" for note in view.notes]
    parts = [f"### {title}", "\n".join(lines), fenced(text), "\n".join(notes)]
    said = words.said_by_hand(view)
    if said:
        parts.append(fenced("\n".join(map(visible_lines, said))))
    return "\n\n".join(filter(None, parts)) + "\n"


def fenced(text: str) -> str:
    """Return a Markdown code block with the text, shortened to `MAX_BYTES`.

    The fence is longer than any in the text.
    """
    data = encoded(text)
    if len(data) > MAX_BYTES:
        text = data[:MAX_BYTES].decode("utf-8", "ignore") + "\n… (cut)\n"
    text = text.strip("\n")
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _code(text: str) -> str:
    """Return one line of text as inline code, also valid in tables."""
    return f"`{text.replace('`', chr(39)).replace('|', '¦')}`"
