"""What the page sends, read: a JSON object of texts, strictly, each mistake in one line; and
whether it may be done: against the rubric, the files and the bounds."""

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

Slots = Mapping[str, ManualSlot]
Students = Mapping[str, str]  # names by ids
_MOST_TEXT = 10_000  # characters of a comment
_MOST_REASON = 500  # of a reason, a rubric's item, a file's name
_MOST_MARK = 100_000
_CHOSEN_ID = re.compile("[0-9a-f]{32}")


class UnknownStudentError(UserError):
    """A submission is assigned to somebody who is not in the class; it can be confirmed."""


class Sent:
    """The fields that the page sent."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        value = self._fields.get(name, "")
        if not isinstance(value, str):
            raise UserError(f"{name} is not a text")
        text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # half a letter
        return text.replace("\r\n", "\n").replace("\0", "\ufffd").strip()

    def comment(self) -> str:
        return _bounded(self.text("text"), "the comment", _MOST_TEXT)

    def slot(self, slots: Slots) -> ManualSlot:
        name = self.text("slot")
        if name not in slots:
            raise UserError(f"the assignment has no mark {name!r}")
        return slots[name]

    def mark(self, name: str, what: str) -> Fraction | None:
        """A number as people write it; None for none."""
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
    """Return the action of a request about this submission.

    `slots` include added rubric items, `most` is the highest mark without marks by hand, `students`
    are those of the class. Raise UserError with one line if the action is not valid.
    """
    sent = Sent(fields)
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
    raise UserError(f"there is no action {shorten(sent.text('do'), 40)!r}")


def _bounded(text: str, what: str, most: int = _MOST_REASON) -> str:
    if len(text) > most:
        length = counted(len(text), "character")
        raise UserError(f"{what} is too long ({length})", hint=f"at most {most:,} are kept")
    return text


def _mark(sent: Sent, slots: Slots) -> review.Action:
    name = sent.text("slot")
    if sent.text("mark") == "start" and name in slots:
        return review.MarkGiven(slot=name, mark=slots[name].start)
    mark, slot = sent.mark("mark", name), sent.slot(slots)
    if mark is not None and not 0 <= mark <= slot.out_of:
        raise UserError(f"{name}: {rounded(mark)} is not between 0 and {rounded(slot.out_of)}")
    return review.MarkGiven(slot=name, mark=mark)


def _pick(sent: Sent, slots: Slots) -> review.Action:
    """What shall hold, not what was pressed: another window may have changed it."""
    slot, name = sent.slot(slots), sent.text("item")
    level = None if sent.text("off") else sent.text("level")
    items = {item.id: item for item in slot.rubric}
    if level is not None and (name not in items or items[name].worth(level) is None):
        raise UserError(f"{slot.id}: the rubric has no {f'{name} {level}'.strip()!r}")
    return review.ItemPicked(slot=slot.id, item=name, level=level)


def _item(sent: Sent, slots: Slots) -> review.Action:
    points = sent.mark("points", "points")
    if points is None:
        raise UserError("an item of a rubric needs points")
    title, slot = " ".join(sent.text("title").split()), sent.slot(slots)
    if not _bounded(title, "the item"):
        raise UserError("an item of a rubric needs a title")
    if abs(points) > _MOST_MARK:
        raise UserError(f"{rounded(points)} is not a number of points")
    spare = max(slot.spare, Fraction(0))
    if points > spare:
        what = f"{slot.title}: {rounded(points)} points more would exceed {rounded(slot.out_of)}"
        used = rounded(slot.out_of - spare)
        raise UserError(what, hint=f"the rubric already adds up to {used}")
    item = RubricItem(id=uuid.uuid4().hex, title=title, points=points)
    return review.ItemAdded(slot=slot.id, item=item)


def _line(sent: Sent, result: SubmissionResult) -> review.Action:
    """Return a comment on a line: one that is there, by its id, which keeps its line; else a new
    one. The page may choose the id of a new one, and so changes it while it is being written."""
    wanted = sent.text("comment")
    comments = {each.id: each for each in result.line_comments}
    if old := comments.get(wanted):
        quoted = old.quoted
        if old.moved_from:
            quoted = _lines(result, old.file)[old.line - 1][: review.MOST_QUOTED]
        kept = replace(old, text=sent.comment(), quoted=quoted, moved_from=0, outdated=False)
        return review.LineCommented(comment=kept)
    if wanted and not _CHOSEN_ID.fullmatch(wanted):
        raise UserError(f"there is no comment {shorten(wanted, 40)!r} here")
    file, line = sent.text("file"), sent.line()
    if not sent.text("text"):
        raise UserError("the comment is empty")
    text, lines = sent.comment(), _lines(result, file)
    if not 1 <= line <= len(lines):
        raise UserError(f"{file} has no line {line}")
    comment = LineComment(
        id=wanted or uuid.uuid4().hex,
        file=file,
        line=line,
        text=text,
        quoted=lines[line - 1][: review.MOST_QUOTED],
    )
    return review.LineCommented(comment=comment)


def _lines(result: SubmissionResult, name: str) -> Sequence[str]:
    for file in result.files:
        if file.name == name:
            return file.lines
    raise UserError(f"there is no file {name!r} to comment on")


def _override(sent: Sent, most: Fraction) -> review.Action:
    mark, reason = sent.mark("mark", "override"), sent.text("reason")
    if mark is None:
        return review.Overridden()
    if not _bounded(reason, "the reason"):
        raise UserError("an override needs a reason")
    what = f"an override of {rounded(mark)} is"
    if not 0 <= mark <= _MOST_MARK:
        raise UserError(f"{what} {'below 0' if mark < 0 else 'not a mark'}")
    if mark > most:
        raise UserError(f"functionality is out of {rounded(most)}")
    return review.Overridden(override=Override(mark=mark, reason=reason))


_CANNOT_BE_MARKED = (SubmissionStatus.NEEDS_REVIEW, SubmissionStatus.HARNESS_ERROR)


def _reviewed(result: SubmissionResult) -> review.Action:
    """Return that somebody has looked at the submission, or takes that back."""
    unmarked = [part.slot.title for part in result.manual if part.mark is None]
    if not result.reviewed and unmarked and result.status not in _CANNOT_BE_MARKED:
        raise UserError(f"not marked yet: {', '.join(unmarked)}")
    return review.Reviewed(done=not result.reviewed)


def _student(value: str, students: Students, *, is_confirmed: bool) -> str:
    """Return the id of a student who is named by an id or a unique name."""
    named = [each for each, name in students.items() if name.casefold() == value.casefold()]
    if value in students or is_confirmed or not value:
        return value
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(sorted(named))
        raise UserError(f"{shorten(value, 60)!r} is the name of several students", hint=ids)
    raise UnknownStudentError(f"there is no student {shorten(value, 60)!r} in this class")


def _decide(sent: Sent, result: SubmissionResult, students: Students) -> review.Action:
    try:
        kind = DecisionKind(sent.text("kind"))
    except ValueError:
        raise UserError(f"{shorten(sent.text('kind'), 40)!r} is not a decision") from None
    value = _bounded(sent.text("value"), "the decision")
    if kind is DecisionKind.CHOOSE and value not in ("", *(file.name for file in result.choices)):
        raise UserError(f"there is no file {value!r} to choose")
    if kind is DecisionKind.MATCH:
        value = _student(value, students, is_confirmed=bool(sent.text("added")))
    return review.Decided(decision=Decision(kind=kind, value=value))
