"""A submission's files line by line, and what its lecturer is told beside the lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from harness.common.escaping import shorten
from harness.model.policy import Finding, Unparsable
from harness.model.result import LineComment, SubmissionResult
from harness.model.student_view import ShownCause
from harness.policy.rules import finding_kind
from harness.reporting.view.shown_causes import marked_lines

_MOST_LINES = 3000  # of all files together
_LONGEST_NOTE = 160
_TAB = 4


class Mark(StrEnum):
    """How a line is marked."""

    EXACT = "exact"  # it fails, or is an issue
    LOOK = "look"  # it is where to look first


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """What is said beside a line."""

    about: ShownCause | Finding | Unparsable
    cause: int = 0  # the number of the cause, from 1; 0: it is about none
    mark: Mark | None = None
    again: bool = False  # only that the line is to blame: the cause's sentence is beside another

    @property
    def text(self) -> str:
        if self.again:
            return ""
        match self.about:
            case Unparsable(reason=reason):
                return reason
            case Finding(rule=rule, message=message):
                return shorten(f"{finding_kind(rule).title}: {message}", _LONGEST_NOTE)
            case ShownCause(function=name, message=message):
                return shorten(f"{name}: {message}" if name else message, _LONGEST_NOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedFile:
    """A file, its lines, and by the numbers of lines, from 1, the notes and what people say; what
    they said of a line that is no longer there is under 0."""

    name: str
    lines: tuple[str, ...]
    notes: dict[int, list[LineNote]]
    comments: dict[int, list[LineComment]]
    left_out: int = 0  # lines


def annotated(result: SubmissionResult, causes: Sequence[ShownCause]) -> list[AnnotatedFile]:
    """The files of a submission; `causes` in the order in which they are numbered."""
    notes: defaultdict[str, defaultdict[int, list[LineNote]]]
    notes = defaultdict(lambda: defaultdict(list))
    for number, cause in enumerate(causes, start=1):
        _note_cause(number, cause, notes)
    for finding in result.findings:
        notes[finding.file][finding.line].append(LineNote(about=finding, mark=Mark.EXACT))
    broken = result.unparsable
    if broken is not None and broken.line is not None and not causes:
        notes[broken.file][broken.line].append(LineNote(about=broken, mark=Mark.EXACT))
    comments: defaultdict[str, defaultdict[int, list[LineComment]]]
    comments = defaultdict(lambda: defaultdict(list))
    for comment in result.line_comments:
        comments[comment.file][0 if comment.outdated else comment.line].append(comment)
    left = _MOST_LINES
    files = []
    for file in result.files:
        lines = file.lines
        shown = tuple(line.expandtabs(_TAB) for line in lines[:left])
        left -= len(shown)
        files.append(
            AnnotatedFile(
                name=file.name,
                lines=shown,
                notes=dict(notes[file.name]),
                comments=dict(comments[file.name]),
                left_out=len(lines) - len(shown),
            )
        )
    return files


def _note_cause(
    number: int, cause: ShownCause, notes: defaultdict[str, defaultdict[int, list[LineNote]]]
) -> None:
    """The cause's sentence beside the first line of its first place, a note beside each line that
    is marked."""
    note = LineNote(about=cause, cause=number)
    is_said = not note.text
    for each in marked_lines(cause):
        of_file, first = notes[each.place.file], each.place.first
        if not is_said and first not in each.marked:
            of_file[first].append(note)
            is_said = True
        mark = Mark.EXACT if each.exact else Mark.LOOK
        for line in each.marked:
            of_file[line].append(replace(note, mark=mark, again=is_said or line != first))
        is_said = True
