"""Prepares a submission's files for display, with notes and people's comments next to
their lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from harness.common.escaping import shorten
from harness.model.notebook import PROGRAM_LINES, CellPart, LineNames, Notebook
from harness.model.policy import Finding, Unparsable
from harness.model.result import LineComment, SubmissionResult
from harness.policy.rules import finding_kind
from harness.reporting.view.own_lines import TAB_WIDTH, marked_lines
from harness.reporting.view.shown_causes import Card, CardKind
from harness.results.redaction import ShownCause
from harness.results.student_view import StudentView

_MAX_LINES = 3000  # maximum for all files together
_MAX_NOTE = 160  # characters


class LineMark(StrEnum):
    """How a line is highlighted."""

    EXACT = "exact"  # the failing line, or a code issue
    LOOK = "look"  # the place to look first


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """A note next to a line.

    A note of None only highlights the line; the cause's sentence is next to another line.
    """

    said: ShownCause | Finding | Unparsable | None
    cause: int = 0  # number of the cause, counted from 1; 0 for none
    mark: LineMark | None = None

    @property
    def text(self) -> str:
        match self.said:
            case None:
                return ""
            case ShownCause(function="", message=message):
                text = message
            case ShownCause(function=function, message=message) if function in message.split():
                text = message
            case ShownCause(function=function, message=message):
                text = f"{function}: {message}"
            case Finding(rule=rule, message=message):
                text = f"{finding_kind(rule).title}: {message}"
            case Unparsable(reason=reason):
                return reason
        return shorten(text, _MAX_NOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedFile:
    """A file with its lines. Notes and comments are keyed by line number, counted from 1.

    Comments on lines that no longer exist are under 0.
    """

    name: str
    anchor: str  # prefix of its line anchors: `L` in `L12`
    lines: tuple[str, ...]
    title: str  # file name as the student knows it
    notebook: Notebook | None = None  # the notebook it was made from
    notes: dict[int, list[LineNote]] = field(default_factory=lambda: defaultdict(list))
    comments: dict[int, list[LineComment]] = field(default_factory=lambda: defaultdict(list))
    left_out: int  # lines

    def part_of_cell(self, line: int) -> CellPart | None:
        """Return which part of a notebook's cell a line is; None for any other line."""
        return None if self.notebook is None else self.notebook.part(line)


def annotated(
    result: SubmissionResult | StudentView, cards: Sequence[Card], *, notes: bool = True
) -> list[AnnotatedFile]:
    """Return a submission's files with people's comments.

    With `notes`, also add notes for cards and code issues.
    """
    lines_left = _MAX_LINES
    files: list[AnnotatedFile] = []
    by_name: dict[str, AnnotatedFile] = {}
    for number, file in enumerate(result.shown_files, start=1):
        shown = tuple(line.expandtabs(TAB_WIDTH) for line in file.lines[:lines_left])
        lines_left -= len(shown)
        anchor = "L"
        if number > 1:
            anchor = f"F{number}L"
        left_out = len(file.lines) - len(shown)
        annotated_file = AnnotatedFile(
            name=file.name,
            title=result.line_names.file(file.name),
            anchor=anchor,
            lines=shown,
            notebook=_notebook(result.notebook, file.name),
            left_out=left_out,
        )
        files.append(annotated_file)
        by_name.setdefault(file.name, annotated_file)
    if notes:
        for name, line, note in _notes(result, cards):
            if name in by_name:
                by_name[name].notes[line].append(note)
    for comment in result.line_comments:
        if comment.file in by_name:
            line = 0 if comment.outdated else comment.line
            by_name[comment.file].comments[line].append(comment)
    return files


def _notebook(notebook: Notebook | None, name: str) -> Notebook | None:
    if notebook is None or notebook.file != name:
        return None
    return notebook


class LineLinks:
    """Makes links to lines of a submission's files on its page."""

    def __init__(self, files: Iterable[AnnotatedFile], names: LineNames = PROGRAM_LINES) -> None:
        self.names = names
        self._files = {file.name: file for file in files}

    def to(self, name: str, line: int | None) -> str:
        """Return the link to a line, such as `#L12`; "" if the page does not show this line."""
        file = self._files.get(name)
        if file is None or line is None or not 1 <= line <= len(file.lines):
            return ""
        return f"#{file.anchor}{line}"


def _notes(
    result: SubmissionResult | StudentView, cards: Sequence[Card]
) -> Iterator[tuple[str, int, LineNote]]:
    """Yield (file name, line number, note) for each cause and code issue."""
    for card in cards:
        if card.kind is CardKind.CAUSE:
            yield from _notes_of_cause(card.number, card.cause)
    for finding in result.findings:
        yield finding.file, finding.line, LineNote(said=finding, mark=LineMark.EXACT)
    broken = result.unparsable
    if broken is not None and broken.line is not None and not cards:
        yield broken.file, broken.line, LineNote(said=broken, mark=LineMark.EXACT)


def _notes_of_cause(number: int, cause: ShownCause) -> Iterator[tuple[str, int, LineNote]]:
    """Yield the cause's sentence for the first line of its first place, and notes that only
    highlight its other lines.
    """
    said: ShownCause | None = None
    if cause.function or cause.message:
        said = cause
    for marked in marked_lines(cause):
        name = marked.place.file
        first = marked.place.first
        if said and first not in marked.marked:
            yield name, first, LineNote(said=said, cause=number)
            said = None
        mark = LineMark.EXACT if marked.exact else LineMark.LOOK
        for line in marked.marked:
            beside = said if line == first else None
            yield name, line, LineNote(said=beside, cause=number, mark=mark)
        said = None
