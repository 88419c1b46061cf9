"""What of a person's actions is refused, each in one line."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.common.errors import UserError
from harness.model.plan import ManualSlot, RubricItem, SourceFile
from harness.model.result import Adjustment, Decision, DecisionKind, LineComment, Override
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
    Reviewed,
)
from harness.review.actions import check_action
from tests.model.test_review import MAGIC, SHAPE, STYLE
from tests.results.small_run import result

ADA = replace(
    result("ada"),
    files=(SourceFile(name="a1.py", data=b"x = 1\ny = 2\n"),),
    choices=(SourceFile(name="b.py", data=b""),),
    line_comments=(LineComment(id="old", file="gone.py", line=9, text="a"),),
)
FREE = ManualSlot(id="free", title="Free", out_of=Fraction(2))
SLOTS = {"style": STYLE, "free": FREE}


def item(points: str, title: str = "More") -> ItemAdded:
    return ItemAdded(slot="free", item=RubricItem(id="m", title=title, points=Fraction(points)))


def on_line(line: int, file: str = "a1.py", text: str = "t", id: str = "new") -> LineCommented:
    return LineCommented(comment=LineComment(id=id, file=file, line=line, text=text))


def over(mark: str, reason: str = "r") -> Overridden:
    return Overridden(override=Override(mark=Fraction(mark), reason=reason))


def choose(value: str) -> Decided:
    return Decided(decision=Decision(kind=DecisionKind.CHOOSE, value=value))


REFUSED: dict[str, Action] = {
    "the assignment has no mark 'other'": MarkGiven(slot="other", mark=Fraction(1)),
    "style: 4.50 is not between 0 and 4.00": MarkGiven(slot="style", mark=Fraction(9, 2)),
    "style: -1.00 is not between 0 and 4.00": MarkGiven(slot="style", mark=Fraction(-1)),
    "style: the rubric has no 'shape odd'": ItemPicked(slot="style", item="shape", level="odd"),
    "style: the rubric has no 'shape'": ItemPicked(slot="style", item="shape"),
    "style: the rubric has no 'none'": ItemPicked(slot="style", item="none"),
    "Free: 2.50 points more would exceed 2.00. Hint: the rubric leaves 2.00": item("5/2"),
    "Style: 1.50 points more would exceed 4.00. Hint: the rubric leaves 1.00": ItemAdded(
        slot="style", item=RubricItem(id="m", title="More", points=Fraction(3, 2))
    ),
    "an item of a rubric needs a title": item("1", ""),
    "-1000000.00 is not a number of points": item("-1000000"),
    "a1.py has no line 3": on_line(3),
    "a1.py has no line 0": on_line(0),
    "there is no file 'b.py' to comment on": on_line(1, "b.py"),
    "the comment is too long (1,000,000 characters). Hint: at most 10,000 are kept": Commented(
        text="x" * 1_000_000
    ),
    "the comment is too long (10,001 characters). Hint: at most 10,000 are kept": CommentKept(
        text="x" * 10_001
    ),
    "an override of -0.50 is below 0": over("-1/2"),
    "an override needs a reason": over("1", " "),
    "an override of 7.10 is above 7.00. Hint: it takes the place of the mark without marks by hand":
        over("7.1"),
    "an override of 1000000.00 is no mark": over("1000000"),
    "the reason is too long (501 characters). Hint: at most 500 are kept": over("1", "x" * 501),
    "an adjustment needs a reason": Adjusted(adjustment=Adjustment(marks=Fraction(-1), reason="")),
    "there is no file '../c.py' to choose": choose("../c.py"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "action"), REFUSED.items(), ids=REFUSED)
def test_what_is_refused(line: str, action: Action) -> None:
    with pytest.raises(UserError) as refused:
        check_action(action, SLOTS, ADA, Fraction(7))
    assert str(refused.value) == line


TAKEN: list[Action] = [
    MarkGiven(slot="style"),
    MarkGiven(slot="style", mark=Fraction(4)),
    ItemPicked(slot="style", item="shape", level="all"),
    ItemPicked(slot="style", item="gone", level=None),
    item("2"),
    item("-9"),
    ItemAdded(slot="style", item=replace(MAGIC, id="again")),
    ItemAdded(slot="style", item=replace(SHAPE, id="again")),
    on_line(2, text="<script>alert(1)</script>\x1b[31m=1+1"),
    on_line(9, "gone.py", "", "old"),
    Commented(text="x" * 10_000),
    over("7"),
    Overridden(),
    Adjusted(),
    choose("b.py"),
    choose(""),
    Reviewed(),
]


@pytest.mark.parametrize("action", TAKEN)
def test_what_is_taken(action: Action) -> None:
    check_action(action, SLOTS, ADA, Fraction(7))
