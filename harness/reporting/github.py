"""What GitHub shows of a check: lines beside the code (`::error file=…,line=…::message`), and what
a student has to fix as Markdown: both made of what the student may see."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.common.escaping import encoded, visible, visible_lines
from harness.common.words import counted
from harness.reporting.terminal.cards import explain_failures
from harness.reporting.view import words
from harness.results.student_view import StudentView

_PLACE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+)(?:: (?P<rest>.*))?", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One message at a place."""

    message: str
    level: str = "error"  # or "warning"
    file: str = ""
    line: int = 0  # from 1; 0 is not a line
    column: int = 0
    title: str = ""

    def __str__(self) -> str:
        values = {"file": self.file, "line": self.line, "col": self.column, "title": self.title}
        given = {name: _in_message(str(value)) for name, value in values.items() if value}
        properties = ",".join(
            f"{name}={text.replace(':', '%3A').replace(',', '%2C')}" for name, text in given.items()
        )
        return f"::{self.level}{' ' if properties else ''}{properties}::{_in_message(self.message)}"


def placed(text: str, *, title: str = "", where: str = "") -> Annotation:
    """Return a problem as an error, with its `file:line:column` in front, or separate in
    `where`.
    """
    place = _PLACE.fullmatch(where) or _PLACE.fullmatch(text)
    if place is None:
        return Annotation(message=f"{where}: {text}" if where else text, title=title)
    message, file = place["rest"] or text, place["file"]
    line, column = int(place["line"]), int(place["column"])
    return Annotation(message=message, file=file, line=line, column=column, title=title)


def of_submission(view: StudentView, files: dict[str, str]) -> Iterator[Annotation]:
    """Return what a student has to fix, only from visible scenarios; `files` has the paths by
    name.
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
    anywhere = next(iter(files.values()), "")
    if view.problem:
        yield Annotation(message=view.problem, file=anywhere)
    if (broken := view.unparsable) is not None:
        file, line, column = files.get(broken.file, broken.file), broken.line, broken.column
        yield Annotation(message=broken.reason, file=file, line=line or 0, column=column or 0)
    for cause in view.causes if not (view.problem or broken) else ():
        place = cause.place
        title, message = cause.function, cause.message
        if cause.checks:
            title = f"{cause.checks[0].function}: {cause.checks[0].name}"
        if len(cause.checks) > 1:
            message += f" ({counted(len(cause.checks), 'check')} failed)"
        message = message or f"{counted(cause.hidden, 'hidden check')} failed"
        yield Annotation(
            message="\n".join([message, *words.advice(cause)]),
            file=anywhere if place is None else files.get(place.file, place.file),
            line=cause.line or (place.first if place is not None else 0),
            title=title,
        )


def _in_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


MOST_BYTES = 60_000  # of an explanation; platforms refuse pages of a megabyte
_COLUMNS = 100


def markdown_summary(view: StudentView, failures: int) -> str:
    """Return a heading, the passed checks by function, and the first `failures` in code blocks
    that no text can end.
    """
    # The title is text of the course that is neither Markdown nor HTML.
    title = re.sub(r"([\\`*_{}\[\]<>()#+.!|~&@-])", r"\\\1", " ".join(view.title.split()))
    rows = [f"| {_code(one.function)} | {one.passed} of {one.total} |" for one in view.functions]
    table = ["| function | checks passed |", "|---|---|", *rows] if rows else []
    text = explain_failures(view, failures, width=_COLUMNS)
    # A name in a note is a student's: only in code is it no mention, reference or address.
    notes = [f"- {_code(visible(note))}" for note in view.notes]
    parts = [f"### {title}", "\n".join(table), fenced(text), "\n".join(notes)]
    if said := words.said_by_hand(view):
        parts.append(fenced("\n".join(map(visible_lines, said))))
    return "\n\n".join(part for part in parts if part) + "\n"


def fenced(text: str) -> str:
    """Return a code block of the text, cut at `MOST_BYTES`; its fence is longer than any in the
    text.
    """
    data = encoded(text)
    if len(data) > MOST_BYTES:
        text = data[:MOST_BYTES].decode("utf-8", "ignore") + "\n… (cut)\n"
    text = text.strip("\n")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _code(text: str) -> str:
    """Return a line of the text as code, also for tables."""
    return f"`{text.replace('`', chr(39)).replace('|', '¦')}`"
