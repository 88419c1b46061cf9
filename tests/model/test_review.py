"""What follows from a list of changes that people made: marks by a rubric, undoing, comments on
files that changed, and two lists put together."""

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.common import serial
from harness.model.assignment import ManualSlot, RubricItem, RubricLevel, SourceFile
from harness.model.result import (
    Decision,
    DecisionKind,
    LineComment,
    ManualMark,
    Override,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.review import (
    Action,
    Adjusted,
    Change,
    Commented,
    Decided,
    ItemAdded,
    ItemPicked,
    LineCommented,
    MarkGiven,
    Overridden,
    Reviewed,
    Undone,
    apply_changes,
    by_hand,
    merge,
)

NAMES = RubricItem(id="names", title="Good names", points=Fraction(2))
SHAPE = RubricItem(
    id="shape",
    title="Short functions",
    levels=(
        RubricLevel(title="none", points=Fraction(0)),
        RubricLevel(title="some", points=Fraction(1, 2)),
        RubricLevel(title="all", points=Fraction(1)),
    ),
)
MAGIC = RubricItem(id="magic", title="Numbers without a name", points=Fraction(-1))
STYLE = ManualSlot(id="style", title="Style", out_of=Fraction(4), rubric=(NAMES, SHAPE, MAGIC))
TAKES = replace(STYLE, rubric=(MAGIC, replace(MAGIC, id="copies", points=Fraction(-2))))
TEXT = b"def f():\n    return 1\n\nx = f()\n"
ADA = SubmissionResult(
    id="ada",
    status=SubmissionStatus.GRADED,
    mark=Fraction(5),
    out_of=Fraction(6),
    source_digest="a",
    manual=(ManualMark(slot=STYLE),),
    files=(SourceFile(name="a1.py", data=TEXT),),
)


def change(
    number: int, action: Action, submission: str = "ada", *, who: str = "ann", digest: str = "a"
) -> Change:
    return Change(
        id=f"{who}{number}",
        at=f"2026-03-01T12:00:{number:02}.000000+00:00",
        who=who,
        assignment="x",
        submission=submission,
        action=action,
        source_digest=digest,
    )


def style(*actions: Action, slot: ManualSlot = STYLE) -> ManualMark:
    changes = [change(number, action) for number, action in enumerate(actions)]
    (part,) = apply_changes(replace(ADA, manual=(ManualMark(slot=slot),)), changes).manual
    return part


def picked(item: str, level: str | None = "") -> ItemPicked:
    return ItemPicked(slot="style", item=item, level=level)


MARKS = {
    "nothing yet": ((), STYLE, None),
    "an item": ((picked("names"),), STYLE, 2),
    "an item and a level": ((picked("names"), picked("shape", "some")), STYLE, Fraction(5, 2)),
    "the last level": ((picked("shape", "some"), picked("shape", "all")), STYLE, 1),
    "taken back": ((picked("names"), picked("names", None)), STYLE, 0),
    "never below 0": ((picked("magic"),), STYLE, 0),
    "a mark instead of items": ((picked("names"), MarkGiven(slot="style", mark=3)), STYLE, 3),
    "an item after a mark": ((MarkGiven(slot="style", mark=3), picked("names")), STYLE, 2),
    "nothing again": ((picked("names"), MarkGiven(slot="style")), STYLE, None),
    "all of it where items take": ((picked("magic", None),), TAKES, 4),
    "items that take": ((picked("magic"), picked("copies")), TAKES, 1),
    "an item that is gone": ((picked("gone"),), STYLE, 0),
    "a level that is gone": ((picked("shape", "superb"), picked("names")), STYLE, 2),
}


@pytest.mark.parametrize(("actions", "slot", "mark"), MARKS.values(), ids=MARKS)
def test_a_rubric_adds_up_to_a_mark(
    actions: tuple[Action, ...], slot: ManualSlot, mark: Fraction | None
) -> None:
    assert style(*actions, slot=slot).mark == mark


def test_the_parts_of_a_mark_are_shown() -> None:
    items = style(picked("shape", "some"), picked("names")).items
    shown = [(item.title, item.level, item.points) for item in items]
    assert shown == [("Good names", "", 2), ("Short functions", "some", Fraction(1, 2))]


def test_an_item_that_was_added_holds_for_everybody() -> None:
    more = RubricItem(id="docs", title="Docstrings", points=Fraction(1))
    changes = [
        change(1, ItemAdded(slot="style", item=more), ""),
        change(2, picked("docs")),
        change(3, picked("names"), "bob"),
    ]
    assert apply_changes(ADA, changes).manual[0].mark == 1
    assert apply_changes(replace(ADA, id="bob"), changes).manual[0].slot.rubric[-1] == more


UNDONE = {
    "the last": ([picked("names"), Undone(change="ann0")], None),
    "undone and done again": ([picked("names"), Undone(change="ann0"), Undone(change="ann1")], 2),
    "the one before stays": (
        [MarkGiven(slot="style", mark=3), picked("names"), Undone(change="ann1")],
        3,
    ),
    "what is not there": ([picked("names"), Undone(change="none")], 2),
}


@pytest.mark.parametrize(("actions", "mark"), UNDONE.values(), ids=UNDONE)
def test_undoing(actions: list[Action], mark: int | None) -> None:
    assert style(*actions).mark == mark


TOTALS = {
    "an override": (Overridden(override=Override(mark=Fraction(2), reason="r")), 2),
    "an override taken back": (Overridden(), 5),
    "excused": (Decided(decision=Decision(kind=DecisionKind.EXCUSE, value="ill")), None),
    "not excused": (Decided(decision=Decision(kind=DecisionKind.EXCUSE, value="")), 5),
    "reviewed": (Reviewed(), 5),
    "not adjusted": (Adjusted(), 5),
}


@pytest.mark.parametrize(("action", "total"), TOTALS.values(), ids=TOTALS)
def test_the_total(action: Action, total: int | None) -> None:
    assert apply_changes(replace(ADA, manual=()), [change(1, action)]).total == total


def test_an_override_gives_a_mark_where_there_was_none() -> None:
    late = replace(ADA, status=SubmissionStatus.LATE, mark=None, manual=())
    override = Overridden(override=Override(mark=Fraction(3), reason="was ill"))
    assert apply_changes(late, [change(1, override)]).total == 3


NOW = {
    "the same files": (TEXT, "a", (2, 0, False)),
    "another line changed": (b"def f():\n    return 1\n\nx = 2\n", "b", (2, 0, False)),
    "the line moved": (b'"""Doc."""\n' + TEXT, "b", (3, 2, False)),
    "the line is gone": (b"def f():\n    return 2\n", "b", (2, 0, True)),
    "the line is there twice": (b"\ndef g():\n    return 1\n" + TEXT, "b", (2, 0, True)),
    "the file is gone": (None, "b", (2, 0, True)),
}


@pytest.mark.parametrize(("data", "digest", "place"), NOW.values(), ids=NOW)
def test_a_comment_on_a_line(data: bytes | None, digest: str, place: tuple[int, int, bool]) -> None:
    on_line = LineComment(id="c", file="a1.py", line=2, text="Why 1?", quoted="    return 1")
    files = () if data is None else (SourceFile(name="a1.py", data=data),)
    later = replace(ADA, files=files, source_digest=digest)
    (found,) = apply_changes(later, [change(1, LineCommented(comment=on_line))]).line_comments
    assert (found.line, found.moved_from, found.outdated) == place


def test_a_comment_on_a_line_is_written_again_and_taken_back() -> None:
    on_line = LineComment(id="c", file="a1.py", line=2, text="Why 1?", quoted="    return 1")
    again = change(2, LineCommented(comment=replace(on_line, text="Why?")))
    first = change(1, LineCommented(comment=on_line))
    assert [each.text for each in apply_changes(ADA, [first, again]).line_comments] == ["Why?"]
    gone = change(3, LineCommented(comment=replace(on_line, text="")))
    assert apply_changes(ADA, [first, again, gone]).line_comments == ()


def bens(number: int, action: Action, submission: str = "ada") -> Change:
    return change(number, action, submission, who="ben")


MARK = MarkGiven(slot="style", mark=Fraction(3))
OTHER = MarkGiven(slot="style", mark=Fraction(4))
SHARED = change(0, Commented(text="good"))
MERGED = {
    "each its own": ([change(1, MARK)], [bens(2, MARK, "bob")], []),
    "the same": ([change(1, MARK)], [bens(2, MARK)], []),
    "two marks": (
        [change(1, MARK)],
        [bens(2, OTHER)],
        ["ada: mark style: 3.00 by ann here, 4.00 by ben there; the later change counts: 4.00"],
    ),
    "ours is the later": (
        [change(3, MARK)],
        [bens(2, OTHER)],
        ["ada: mark style: 3.00 by ann here, 4.00 by ben there; the later change counts: 3.00"],
    ),
    "two items": (
        [change(1, picked("names"))],
        [bens(2, picked("shape", "all"))],
        [
            "ada: mark style: names by ann here, shape all by ben there; the later change "
            "counts: names, shape all"
        ],
    ),
    "two comments": (
        [SHARED, change(1, Commented(text="fine"))],
        [SHARED, bens(2, Commented(text="bad"))],
        ["ada: comment: 'fine' by ann here, 'bad' by ben there; the later change counts: 'bad'"],
    ),
    "one after the other": ([SHARED], [SHARED, bens(2, Commented(text="bad"))], []),
    "undone there": (
        [SHARED, change(1, Commented(text="fine"))],
        [SHARED, bens(2, Undone(change="ann0"))],
        ["ada: comment: 'fine' by ann here, - by ben there; the later change counts: 'fine'"],
    ),
    "comments on one line": (
        [change(1, LineCommented(comment=LineComment(id="1", file="f", line=1, text="a")))],
        [bens(1, LineCommented(comment=LineComment(id="2", file="f", line=1, text="b")))],
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "lines"), MERGED.values(), ids=MERGED)
def test_two_lists_put_together(ours: list[Change], theirs: list[Change], lines: list[str]) -> None:
    new, conflicts = merge(ours, theirs)
    assert conflicts == lines
    back, _ = merge(theirs, ours)
    assert by_hand([*ours, *new]) == by_hand([*theirs, *back])
    assert merge([*ours, *new], theirs) == ([], [])


def test_a_change_is_read_as_it_was_written() -> None:
    for number, action in enumerate((MARK, picked("shape", None), SHARED.action, Reviewed())):
        one = change(number, action)
        assert serial.loads(Change, serial.dumps(one)) == one
