"""Whether an action of a person's may be taken: against the rubric, the files and the bounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from harness.common.errors import UserError
from harness.common.words import counted, rounded
from harness.model.assignment import ManualSlot, RubricItem
from harness.model.result import DecisionKind, LineComment, SubmissionResult
from harness.model.review import (
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
)

MOST_TEXT = 10_000  # characters of a comment
MOST_REASON = 500  # of a reason, a rubric's item, a file's name
MOST_MARK = 100_000


def check_action(
    action: Action, slots: Mapping[str, ManualSlot], result: SubmissionResult | None
) -> None:
    """Raise UserError for what cannot be taken: one line that says what is wrong. `slots` have the
    items that were added; `result` is of the submission, None for what is about the assignment."""
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
        case Decided(decision=decision):
            _check_text(decision.value, "the decision", MOST_REASON)
            choices = [file.name for file in result.choices] if result is not None else []
            if decision.kind is DecisionKind.CHOOSE and decision.value not in ("", *choices):
                raise UserError(f"there is no file {decision.value!r} to choose")


def _slot(slots: Mapping[str, ManualSlot], name: str) -> ManualSlot:
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


def _check_comment(comment: LineComment, result: SubmissionResult | None) -> None:
    _check_text(comment.text, "the comment", MOST_TEXT)
    files = {file.name: file for file in result.files} if result is not None else {}
    known = {each.id for each in result.line_comments} if result is not None else set()
    if comment.id in known:
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
