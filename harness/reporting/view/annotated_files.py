"""A submission's files with the notes and comments of people beside their lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from harness.common.escaping import shorten
from harness.model.notebook import PROGRAM_LINES, LineNames, Notebook, NotebookCell
from harness.model.policy import Finding, Unparsable
from harness.model.result import LineComment, SubmissionResult
from harness.policy.rules import finding_kind
from harness.reporting.view.own_lines import TAB_WIDTH, marked_lines
from harness.reporting.view.shown_causes import Card, CardKind
from harness.results.redaction import ShownCause
from harness.results.student_view import StudentView

_MAX_LINES = 3000  # of all files together
_MAX_NOTE = 160  # characters


class LineMark(StrEnum):
    """How a line is marked."""

    EXACT = "exact"  # it fails, or is an issue
    LOOK = "look"  # it is where to look first


class CellPart(StrEnum):
    """Lines of a notebook that are not shown like other lines."""

    HEADING = "heading"  # above the code of a cell
    FIRST_LINE = "first_line"  # of that code: lines are counted from here
    TEXT_HEADING = "text_heading"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """A note beside a line.

    None means only that the line is to blame, because the cause's sentence stands beside another.
    """

    said: ShownCause | Finding | Unparsable | None
    cause: int = 0  # the number of the cause, from 1; 0: it is about none
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
    """A file with its lines and, by line number from 1, the notes and people's comments.

    Comments on a line that no longer exists are under 0.
    """

    name: str
    anchor: str  # the prefix of its lines' names on a page: `L` of `L12`
    lines: tuple[str, ...]
    title: str  # the name by which the student knows it
    cells: tuple[NotebookCell, ...] = ()  # of the notebook that it was made of
    notes: dict[int, list[LineNote]] = field(default_factory=lambda: defaultdict(list))
    comments: dict[int, list[LineComment]] = field(default_factory=lambda: defaultdict(list))
    left_out: int  # lines

    def part_of_cell(self, line: int) -> CellPart | None:
        """Return which part of a notebook's cell a line is; None for any other line."""
        for cell in self.cells:
            if line == cell.first - 1:
                return CellPart.TEXT_HEADING if cell.is_text else CellPart.HEADING
            if cell.first <= line <= cell.last:
                if cell.is_text:
                    return CellPart.TEXT
                return CellPart.FIRST_LINE if line == cell.first else None
        return None


def annotated(
    result: SubmissionResult | StudentView, cards: Sequence[Card], *, notes: bool = True
) -> list[AnnotatedFile]:
    """Return the files of a submission with people's comments on their lines, and with `notes` also
    the words of the cards and code issues."""
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
            cells=_cells(result.notebook, file.name),
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


def _cells(notebook: Notebook | None, name: str) -> tuple[NotebookCell, ...]:
    if notebook is None or notebook.file != name:
        return ()
    return notebook.cells


class LineLinks:
    """The links to the lines of a submission's files on its page."""

    def __init__(self, files: Iterable[AnnotatedFile], names: LineNames = PROGRAM_LINES) -> None:
        self.names = names
        self._files = {file.name: file for file in files}

    def to(self, name: str, line: int | None) -> str:
        """Return the link to a line, such as `#L12`; empty if the page does not show it."""
        file = self._files.get(name)
        if file is None or line is None or not 1 <= line <= len(file.lines):
            return ""
        return f"#{file.anchor}{line}"


def _notes(
    result: SubmissionResult | StudentView, cards: Sequence[Card]
) -> Iterator[tuple[str, int, LineNote]]:
    """Yield the notes, each with its file and its line."""
    for card in cards:
        if card.kind is CardKind.CAUSE:
            yield from _notes_of_cause(card.number, card.cause)
    for finding in result.findings:
        yield finding.file, finding.line, LineNote(said=finding, mark=LineMark.EXACT)
    broken = result.unparsable
    if broken is not None and broken.line is not None and not cards:
        yield broken.file, broken.line, LineNote(said=broken, mark=LineMark.EXACT)


def _notes_of_cause(number: int, cause: ShownCause) -> Iterator[tuple[str, int, LineNote]]:
    """Yield the cause's sentence beside the first line of its first place, and a note beside
    marked ones.
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
