"""What the page sends, read: a JSON object of texts, strictly, each mistake in one line; and
whether it may be done: against the rubric, the files and the bounds.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from harness.common.errors import UserError
from harness.common.escaping import shorten
from harness.common.words import counted, read_number, rounded
from harness.model.assignment import ManualSlot, RubricItem
from harness.model.result import (
    Decision,
    DecisionKind,
    LineComment,
    Override,
    SubmissionResult,
)
from harness.model.review import (
    MOST_QUOTED,
    Action,
    Adjusted,
    Commented,
    CommentKept,
    Decided,
    ItemAdded,
    ItemPicked,
    LineCommented,
    MarkGiven,
    Overridden,
    Reviewed,
)

Slots = Mapping[str, ManualSlot]


class Sent:
    """The fields that the page sent."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        value = self._fields.get(name, "")
        if not isinstance(value, str):
            raise UserError(f"{name} is not a text")
        whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # half a letter
        return whole.replace("\r\n", "\n").replace("\0", "\ufffd").strip()

    def mark(self, name: str, what: str) -> Fraction | None:
        """A number as people write it; None for none."""
        text = self.text(name)
        if text and (mark := read_number(text)) is not None:
            return mark
        if text:
            raise UserError(f"{what}: {shorten(text, 40)!r} is not a number")
        return None

    def line(self) -> int:
        value = self._fields.get("line")
        if type(value) is not int:
            raise UserError("line is not a number")
        return value


def read_action(fields: Mapping[str, Any], slots: Slots, result: SubmissionResult) -> Action:
    """The action of a request, on this submission; UserError where it is none."""
    sent = Sent(fields)
    match sent.text("do"):
        case "mark":
            return _mark(sent, slots)
        case "pick":  # what shall hold, not what was pressed: another window may have changed it
            level = None if sent.text("off") else sent.text("level")
            return ItemPicked(slot=sent.text("slot"), item=sent.text("item"), level=level)
        case "item":
            return _item(sent)
        case "line":
            return _line(sent, result)
        case "comment":
            return Commented(text=sent.text("text"))
        case "keep":
            return CommentKept(text=sent.text("text"))
        case "override":
            mark = sent.mark("mark", "override")
            reason = sent.text("reason")
            return Overridden(override=mark if mark is None else Override(mark=mark, reason=reason))
        case "decide":
            return _decide(sent)
        case "done":
            return Reviewed(done=not result.reviewed)
    raise UserError(f"there is nothing called {shorten(sent.text('do'), 40)!r} to do")


def _mark(sent: Sent, slots: Slots) -> Action:
    slot = sent.text("slot")
    if sent.text("mark") == "start" and slot in slots:
        return MarkGiven(slot=slot, mark=slots[slot].start)
    return MarkGiven(slot=slot, mark=sent.mark("mark", slot))


def _item(sent: Sent) -> Action:
    points = sent.mark("points", "points")
    if points is None:
        raise UserError("an item of a rubric needs points")
    title = " ".join(sent.text("title").split())
    item = RubricItem(id=uuid.uuid4().hex, title=title, points=points)
    return ItemAdded(slot=sent.text("slot"), item=item)


def _line(sent: Sent, result: SubmissionResult) -> Action:
    """A comment on a line: a new one, or one that is there by its id, which keeps its line."""
    known = {each.id: each for each in result.line_comments}
    if old := known.get(sent.text("comment")):
        comment = replace(old, moved_from=0, outdated=False)
        if old.moved_from:
            comment = replace(comment, quoted=_quoted(result, old.file, old.line))
        return LineCommented(comment=replace(comment, text=sent.text("text")))
    file, line = sent.text("file"), sent.line()
    if not sent.text("text"):
        raise UserError("the comment is empty")
    name, quoted = uuid.uuid4().hex, _quoted(result, file, line)
    comment = LineComment(id=name, file=file, line=line, text=sent.text("text"), quoted=quoted)
    return LineCommented(comment=comment)


def _quoted(result: SubmissionResult, name: str, line: int) -> str:
    lines = next((file.lines for file in result.files if file.name == name), [])
    return lines[line - 1][:MOST_QUOTED] if 1 <= line <= len(lines) else ""


def _decide(sent: Sent) -> Action:
    try:
        kind = DecisionKind(sent.text("kind"))
    except ValueError:
        raise UserError(f"{shorten(sent.text('kind'), 40)!r} is no decision") from None
    return Decided(decision=Decision(kind=kind, value=sent.text("value")))


MOST_TEXT = 10_000  # characters of a comment
MOST_REASON = 500  # of a reason, a rubric's item, a file's name
MOST_MARK = 100_000


def check_action(action: Action, slots: Slots, result: SubmissionResult, most: Fraction) -> None:
    """Raise UserError for what cannot be taken: one line that says what is wrong. `slots` have the
    items that were added; `most` is the highest mark that can be reached without marks by hand."""
    match action:
        case MarkGiven(slot=name, mark=mark):
            slot = _slot(slots, name)
            if mark is not None and not 0 <= mark <= slot.out_of:
                raise UserError(
                    f"{name}: {rounded(mark)} is not between 0 and {rounded(slot.out_of)}"
                )
        case ItemPicked(slot=name, item=picked, level=level):
            items = {item.id: item for item in _slot(slots, name).rubric}
            if level is not None and (picked not in items or items[picked].worth(level) is None):
                raise UserError(f"{name}: the rubric has no {f'{picked} {level}'.strip()!r}")
        case ItemAdded(slot=name, item=item):
            _check_item(_slot(slots, name), item)
        case LineCommented(comment=comment):
            _check_comment(comment, result)
        case Commented(text=text) | CommentKept(text=text):
            _check_text(text, "the comment", MOST_TEXT)
        case Adjusted(adjustment=adjustment) if adjustment is not None:
            _check_mark(adjustment.marks, adjustment.reason, "an adjustment", least=-MOST_MARK)
        case Overridden(override=override) if override is not None:
            _check_mark(override.mark, override.reason, "an override", least=0)
            if override.mark > most:
                what = f"an override of {rounded(override.mark)} is above {rounded(most)}"
                raise UserError(what, hint="it takes the place of the mark without marks by hand")
        case Decided(decision=decision):
            _check_text(decision.value, "the decision", MOST_REASON)
            choices = [file.name for file in result.choices]
            if decision.kind is DecisionKind.CHOOSE and decision.value not in ("", *choices):
                raise UserError(f"there is no file {decision.value!r} to choose")


def _slot(slots: Slots, name: str) -> ManualSlot:
    if name not in slots:
        raise UserError(f"the assignment has no mark {name!r}")
    return slots[name]


def _check_item(slot: ManualSlot, item: RubricItem) -> None:
    _check_text(item.title, "the item", MOST_REASON)
    if not item.title:
        raise UserError("an item of a rubric needs a title")
    if abs(item.most) > MOST_MARK:
        raise UserError(f"{rounded(item.most)} is not a number of points")
    if item.most > max(slot.spare, Fraction(0)):
        raise UserError(
            f"{slot.title}: {rounded(item.most)} points more would exceed {rounded(slot.out_of)}",
            hint=f"the rubric leaves {rounded(max(slot.spare, Fraction(0)))}",
        )


def _check_comment(comment: LineComment, result: SubmissionResult) -> None:
    _check_text(comment.text, "the comment", MOST_TEXT)
    files = {file.name: file for file in result.files}
    if comment.id in {each.id for each in result.line_comments}:
        return
    if comment.file not in files:
        raise UserError(f"there is no file {comment.file!r} to comment on")
    if not 1 <= comment.line <= len(files[comment.file].lines):
        raise UserError(f"{comment.file} has no line {comment.line}")


def _check_text(text: str, what: str, most: int) -> None:
    if len(text) > most:
        length = counted(len(text), "character")
        raise UserError(f"{what} is too long ({length})", hint=f"at most {most:,} are kept")


def _check_mark(mark: Fraction, reason: str, what: str, *, least: int) -> None:
    _check_text(reason, "the reason", MOST_REASON)
    if not reason.strip():
        raise UserError(f"{what} needs a reason")
    if mark < least:
        raise UserError(f"{what} of {rounded(mark)} is below {least}")
    if mark > MOST_MARK:
        raise UserError(f"{what} of {rounded(mark)} is no mark")
