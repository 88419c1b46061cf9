"""Reads the actions that the review page sends as JSON objects; each error is one line.

An action is checked against the rubric, the files and the maximum marks.
"""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from harness.common.errors import UserError
from harness.common.escaping import shorten
from harness.common.words import counted, read_number, rounded
from harness.model import review
from harness.model.assignment import ManualSlot, RubricItem
from harness.model.result import (
    Decision,
    DecisionKind,
    LineComment,
    Override,
    SubmissionResult,
    SubmissionStatus,
)
from harness.reporting.view.marks import unmarked
from harness.reporting.view.words import number

Slots = Mapping[str, ManualSlot]
Students = Mapping[str, str]  # names by ids
_MAX_TEXT = 10_000  # characters of a comment
_MAX_REASON = 500  # maximum length of a reason, a rubric item or a file name
_MAX_MARK = 100_000
_CHOSEN_ID = re.compile("[0-9a-f]{32}")


class UnknownStudentError(UserError):
    """A submission is to be assigned to someone who is not in the class.

    The user can confirm this.
    """


class SentFields:
    """The fields that the page sent."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        value = self._fields.get(name, "")
        if not isinstance(value, str):
            raise UserError(f"{name} is not a text")
        # A browser may send a lone surrogate.
        text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text.replace("\r\n", "\n").replace("\0", "\ufffd").strip()

    def comment(self) -> str:
        return _bounded(self.text("text"), "the comment", _MAX_TEXT)

    def slot(self, slots: Slots) -> ManualSlot:
        name = self.text("slot")
        if name not in slots:
            raise UserError(f"the assignment has no mark {name!r}")
        return slots[name]

    def mark(self, name: str, what: str) -> Fraction | None:
        """Return a number as people write it, such as `3,5`; None if the field is empty."""
        text = self.text(name)
        mark = read_number(text)
        if text and mark is None:
            raise UserError(f"{what}: {shorten(text, 40)!r} is not a number")
        return mark

    def line(self) -> int:
        value = self._fields.get("line")
        if type(value) is not int:
            raise UserError("line is not a number")
        return value


def read_action(
    fields: Mapping[str, Any],
    slots: Slots,
    result: SubmissionResult,
    most: Fraction,
    students: Students,
) -> review.Action:
    """Return the requested action for this submission.

    `slots` are the parts marked by hand, with added rubric items. `most` is the maximum mark
    without marks by hand, `students` are those of the class. Raise UserError if the action is
    invalid.
    """
    sent = SentFields(fields)
    match sent.text("do"):
        case "mark":
            return _mark(sent, slots)
        case "pick":
            return _pick(sent, slots)
        case "item":
            return _item(sent, slots)
        case "line":
            return _line(sent, result)
        case "comment":
            return review.Commented(text=sent.comment())
        case "keep":
            return review.CommentKept(text=sent.comment())
        case "override":
            return _override(sent, most)
        case "decide":
            return _decide(sent, result, students)
        case "done":
            return _reviewed(result)
    raise UserError(f"unknown action {shorten(sent.text('do'), 40)!r}")


def _bounded(text: str, what: str, most: int = _MAX_REASON) -> str:
    if len(text) > most:
        length = counted(len(text), "character")
        raise UserError(f"{what} is too long ({length})", hint=f"at most {most:,} are kept")
    return text


def _mark(sent: SentFields, slots: Slots) -> review.Action:
    name = sent.text("slot")
    if sent.text("mark") == "start" and name in slots:
        return review.MarkGiven(slot=name, mark=slots[name].start)
    mark = sent.mark("mark", name)
    slot = sent.slot(slots)
    if mark is not None and not 0 <= mark <= slot.out_of:
        raise UserError(f"{slot.title}: {number(mark)} is not between 0 and {number(slot.out_of)}")
    return review.MarkGiven(slot=name, mark=mark)


def _pick(sent: SentFields, slots: Slots) -> review.Action:
    """Return the action that gives a rubric item the requested level.

    The page sends the level and not the pressed button, because another window may have changed the
    item meanwhile.
    """
    slot = sent.slot(slots)
    name = sent.text("item")
    if sent.text("off"):
        return review.ItemPicked(slot=slot.id, item=name, level=None)
    level = sent.text("level")
    items = {item.id: item for item in slot.rubric}
    if name not in items or items[name].worth(level) is None:
        wanted = f"{name} {level}".strip()
        raise UserError(f"{slot.id}: the rubric has no {wanted!r}")
    return review.ItemPicked(slot=slot.id, item=name, level=level)


def _item(sent: SentFields, slots: Slots) -> review.Action:
    points = sent.mark("points", "points")
    if points is None:
        raise UserError("a rubric item needs points")
    title = " ".join(sent.text("title").split())
    slot = sent.slot(slots)
    if not _bounded(title, "the item"):
        raise UserError("a rubric item needs a title")
    if abs(points) > _MAX_MARK:
        what = f"the points must be between -{_MAX_MARK} and {_MAX_MARK}, got {rounded(points)}"
        raise UserError(what)
    spare = max(slot.spare, Fraction(0))
    if points > spare:
        what = f"{slot.title}: {rounded(points)} points more would exceed {rounded(slot.out_of)}"
        used = rounded(slot.out_of - spare)
        raise UserError(what, hint=f"the rubric already adds up to {used}")
    item = RubricItem(id=uuid.uuid4().hex, title=title, points=points)
    return review.ItemAdded(slot=slot.id, item=item)


def _line(sent: SentFields, result: SubmissionResult) -> review.Action:
    """Return a comment on a line: a new one, or a changed one that keeps its line.

    The page may choose a new comment's id, so that it can update the comment while it is being
    typed.
    """
    wanted = sent.text("comment")
    for comment in result.line_comments:
        if comment.id == wanted:
            return _changed_comment(sent, result, comment)
    if wanted and not _CHOSEN_ID.fullmatch(wanted):
        raise UserError(f"unknown comment {shorten(wanted, 40)!r}")
    file = sent.text("file")
    line = sent.line()
    if not sent.text("text"):
        raise UserError("the comment is empty")
    text = sent.comment()
    lines = _lines(result, file)
    if not 1 <= line <= len(lines):
        raise UserError(f"{file} has no line {line}")
    comment = LineComment(
        id=wanted or uuid.uuid4().hex,
        file=file,
        line=line,
        text=text,
        quoted=lines[line - 1][: review.MAX_QUOTED],
    )
    return review.LineCommented(comment=comment)


def _changed_comment(sent: SentFields, result: SubmissionResult, old: LineComment) -> review.Action:
    quoted = old.quoted
    if old.moved_from:
        lines = _lines(result, old.file)
        quoted = lines[old.line - 1][: review.MAX_QUOTED]
    text = sent.comment()
    kept = replace(old, text=text, quoted=quoted, moved_from=0, outdated=False)
    return review.LineCommented(comment=kept)


def _lines(result: SubmissionResult, name: str) -> Sequence[str]:
    for file in result.shown_files:
        if file.name == name:
            return file.lines
    raise UserError(f"the submission has no file {name!r} to comment on")


def _override(sent: SentFields, most: Fraction) -> review.Action:
    mark = sent.mark("mark", "override")
    reason = sent.text("reason")
    if mark is None:
        return review.Overridden()
    if not _bounded(reason, "the reason"):
        raise UserError("an override needs a reason")
    if mark < 0:
        raise UserError(f"an override of {rounded(mark)} is below 0")
    if mark > _MAX_MARK:
        raise UserError(f"an override of {rounded(mark)} is not a mark")
    if mark > most:
        raise UserError(f"functionality is out of {rounded(most)}")
    return review.Overridden(override=Override(mark=mark, reason=reason))


_CANNOT_BE_MARKED = (SubmissionStatus.NEEDS_REVIEW, SubmissionStatus.HARNESS_ERROR)


def _reviewed(result: SubmissionResult) -> review.Action:
    """Return the action that switches the "looked at" state of the submission."""
    missing = unmarked(result)
    if not result.reviewed and missing and result.status not in _CANNOT_BE_MARKED:
        raise UserError(f"not marked yet: {', '.join(missing)}")
    return review.Reviewed(done=not result.reviewed)


def _student(value: str, students: Students, *, is_confirmed: bool) -> str:
    """Return the id of the student with this id or unique name."""
    if value in students or is_confirmed or not value:
        return value
    named: list[str] = []
    for student, name in students.items():
        if name.casefold() == value.casefold():
            named.append(student)
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(sorted(named))
        raise UserError(f"{shorten(value, 60)!r} is the name of several students", hint=ids)
    raise UnknownStudentError(f"this class has no student {shorten(value, 60)!r}")


def _decide(sent: SentFields, result: SubmissionResult, students: Students) -> review.Action:
    try:
        kind = DecisionKind(sent.text("kind"))
    except ValueError:
        raise UserError(f"{shorten(sent.text('kind'), 40)!r} is not a decision") from None
    value = _bounded(sent.text("value"), "the decision")
    if kind is DecisionKind.CHOOSE and value:
        names = [file.name for file in result.choices]
        if value not in names:
            raise UserError(f"the submission has no file {value!r} to choose")
    if kind is DecisionKind.MATCH:
        value = _student(value, students, is_confirmed=bool(sent.text("added")))
    return review.Decided(decision=Decision(kind=kind, value=value))
