"""People's changes to a run, each with author and time, and their effect on a submission."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from harness.common.escaping import shorten
from harness.common.words import rounded
from harness.model.assignment import ManualSlot, RubricItem
from harness.model.result import (
    Adjustment,
    Decision,
    DecisionKind,
    LineComment,
    ManualMark,
    Override,
    PickedItem,
    SubmissionResult,
)

MAX_QUOTED = 200  # characters of a commented line that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkGiven:
    """A person's mark for a part, which replaces the rubric's; None removes everything about the
    part.
    """

    slot: str
    mark: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPicked:
    """A rubric item that applies, with its level if it has levels; with level None it no longer
    applies.
    """

    slot: str
    item: str
    level: str | None = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAdded:
    """A new item in a rubric, for the whole class."""

    slot: str
    item: RubricItem


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCommented:
    """A comment on a line; an empty text removes it."""

    comment: LineComment


@dataclass(frozen=True, slots=True, kw_only=True)
class Commented:
    """The comment on a submission as a whole; an empty text removes it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentKept:
    """A comment saved for reuse in this assignment."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """Marks added or subtracted; None removes the adjustment."""

    adjustment: Adjustment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overridden:
    """A mark that replaces the harness's; None removes it."""

    override: Override | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision; an empty value removes it."""

    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Whether a person has marked the submission as done."""

    done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """The change with this id does not count. If this undo is undone, the change counts again."""

    change: str


Action = (
    MarkGiven
    | ItemPicked
    | ItemAdded
    | LineCommented
    | Commented
    | CommentKept
    | Adjusted
    | Overridden
    | Decided
    | Reviewed
    | Undone
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change made by a person, with author and time."""

    who: str
    assignment: str  # the assignment's id; empty: the run's own
    submission: str  # the submission's id; empty: the change concerns the assignment
    action: Action
    id: str = ""  # unique, on all machines; empty until it is stored
    at: str = ""  # UTC in ISO 8601; also empty if times were not stored
    source_digest: str = ""  # of the files that were looked at


def in_force(changes: Iterable[Change]) -> list[Change]:
    """Return the changes in the order of time, without undone ones and without undo actions."""
    ordered = sorted(changes, key=lambda change: (change.at, change.id))
    undone: set[str] = set()
    standing: list[Change] = []
    for change in reversed(ordered):
        if change.id in undone:
            continue
        if isinstance(change.action, Undone):
            undone.add(change.action.change)
        else:
            standing.append(change)
    return standing[::-1]


def overwrites(new: Action, old: Action) -> bool:
    """Return whether a later action on the same submission replaces this one completely."""
    match new, old:
        case MarkGiven(slot=slot), MarkGiven(slot=other) | ItemPicked(slot=other):
            return slot == other
        case ItemPicked(slot=slot), MarkGiven(slot=other):
            return slot == other
        case ItemPicked(slot=slot, item=item), ItemPicked(slot=other, item=other_item):
            return (slot, item) == (other, other_item)
        case LineCommented(comment=comment), LineCommented(comment=other_comment):
            return comment.id == other_comment.id
        case Decided(decision=decision), Decided(decision=other_decision):
            return decision.kind is other_decision.kind
    return isinstance(new, _ONE_AT_A_TIME) and type(new) is type(old)


_ONE_AT_A_TIME = (Commented, Adjusted, Overridden, Reviewed)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneChange:
    """A change, and the change that undid it."""

    of: Change
    by: Change


def newest_undo(changes: Iterable[Change], who: str) -> UndoneChange | None:
    """Return the newest undo of a person that can be taken back: they have done nothing else
    since. None if there is none."""
    everything = {change.id: change for change in changes}
    of_person = [change for change in everything.values() if change.who == who]
    of_person.sort(key=lambda change: (change.at, change.id))
    taken_back: set[str] = set()
    while of_person:
        last = of_person.pop()
        if not isinstance(last.action, Undone):
            return None
        target = everything.get(last.action.change)
        if target is None or last.id in taken_back:
            continue
        if isinstance(target.action, Undone):  # a redo
            taken_back.add(target.id)
            continue
        return UndoneChange(of=target, by=last)
    return None


@dataclass(slots=True, kw_only=True)
class SlotMark:
    """The marks of a slot: one mark, or items of its rubric."""

    mark: Fraction | None = None
    # Levels of the items that apply, by item id.
    levels: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class ByHand:
    """Everything that people entered for one submission."""

    marks: dict[str, SlotMark] = field(default_factory=dict)  # by the ids of slots
    adjustment: Adjustment | None = None
    comment: str = ""
    source_digest: str = ""  # digest of the files that the person saw when giving the last mark
    override: Override | None = None
    line_comments: dict[str, LineComment] = field(default_factory=dict)  # by their ids
    decisions: dict[DecisionKind, Decision] = field(default_factory=dict)
    reviewed: bool = False

    def add(self, change: Change) -> None:
        """Add a change that is later than all earlier ones."""
        match change.action:
            case MarkGiven(slot=slot, mark=None):
                self.marks.pop(slot, None)
            case MarkGiven(slot=slot, mark=mark):
                self.marks[slot] = SlotMark(mark=mark)
            case ItemPicked(slot=slot, item=item, level=level):
                levels = self.marks.get(slot, SlotMark()).levels
                levels.pop(item, None)
                if level is not None:
                    levels[item] = level
                self.marks[slot] = SlotMark(levels=levels)
            case LineCommented(comment=comment):
                self.line_comments[comment.id] = comment  # keeps its place if it is changed
                if not comment.text:
                    del self.line_comments[comment.id]
            case Decided(decision=decision):
                self.decisions.pop(decision.kind, None)
                if decision.value:
                    self.decisions[decision.kind] = decision
            case Commented(text=text):
                self.comment = text
            case Adjusted(adjustment=adjustment):
                self.adjustment = adjustment
            case Overridden(override=override):
                self.override = override
            case Reviewed(done=done):
                self.reviewed = done
        if isinstance(change.action, MarkGiven | ItemPicked | Adjusted | Overridden | Commented):
            self.source_digest = change.source_digest


def by_hand(changes: Iterable[Change]) -> dict[str, ByHand]:
    """Return everything that people entered, keyed by submission id."""
    hands: defaultdict[str, ByHand] = defaultdict(ByHand)
    for change in in_force(changes):
        if change.submission:
            hands[change.submission].add(change)
    return dict(hands)


def apply_changes(result: SubmissionResult, changes: Sequence[Change]) -> SubmissionResult:
    """Return the result with these changes applied, including those about the assignment.

    A slot that the assignment no longer has is left out. Marks for an earlier version of the files
    are kept, with a note."""
    if not changes:
        return result
    given = by_hand(changes).get(result.id, ByHand())
    added = [change.action for change in in_force(changes) if isinstance(change.action, ItemAdded)]
    notes = list(result.notes)
    if excuse := given.decisions.get(DecisionKind.EXCUSE):
        notes.append(f"excused: {excuse.value}")
    if given.source_digest not in ("", result.source_digest):
        notes.append("a tutor marked an earlier version of these files")
    comments = [_comment_in(comment, result) for comment in given.line_comments.values()]
    return replace(
        result,
        manual=tuple(_manual_mark(part.slot, added, given) for part in result.manual),
        adjustment=given.adjustment,
        comment=given.comment,
        notes=tuple(notes),
        override=given.override,
        line_comments=tuple(sorted(comments, key=lambda comment: (comment.file, comment.line))),
        decisions=tuple(given.decisions.values()),
        reviewed=given.reviewed,
    )


def _manual_mark(slot: ManualSlot, added: Sequence[ItemAdded], hand: ByHand) -> ManualMark:
    more = (action.item for action in added if action.slot == slot.id)
    slot = replace(slot, rubric=(*slot.rubric, *more))
    given = hand.marks.get(slot.id)
    if given is None or given.mark is not None:
        return ManualMark(slot=slot, mark=given.mark if given else None)
    items = tuple(
        PickedItem(item=item.id, title=item.title, points=points, level=given.levels[item.id])
        for item in slot.rubric
        if item.id in given.levels and (points := item.worth(given.levels[item.id])) is not None
    )
    return ManualMark(slot=slot, mark=slot.mark_of(given.levels), items=items)


def _comment_in(comment: LineComment, result: SubmissionResult) -> LineComment:
    """Return the comment at its line in files that may have changed since."""
    files = (file.lines for file in result.shown_files if file.name == comment.file)
    lines = [line[:MAX_QUOTED].strip() for line in next(files, [])]
    quoted = comment.quoted.strip()
    if comment.line <= len(lines) and lines[comment.line - 1] == quoted:
        return comment
    if quoted and lines.count(quoted) == 1:
        return replace(comment, line=lines.index(quoted) + 1, moved_from=comment.line)
    return replace(comment, outdated=True)


def merge(ours: Sequence[Change], theirs: Sequence[Change]) -> tuple[list[Change], list[str]]:
    """Return the changes of `theirs` that `ours` lacks, and a line for each thing that both sides
    changed differently: there the later change counts, on both sides.
    """
    ids = {change.id for change in ours}
    new = [change for change in theirs if change.id not in ids]
    shared = ids & {change.id for change in theirs}
    mine, others = _last_changes(ours, shared), _last_changes(theirs, shared)
    hands = [by_hand(changes) for changes in (ours, theirs, [*ours, *new])]
    conflicts = []
    for name, about in sorted(mine.keys() & others.keys()):
        here, there, now = (_states(hand.get(name, ByHand())).get(about, "-") for hand in hands)
        if here != there:
            sides = f"{here} by {mine[name, about]} here, {there} by {others[name, about]} there"
            conflicts.append(f"{name}: {about}: {sides}; the later change counts: {now}")
    return new, conflicts


def _last_changes(changes: Sequence[Change], shared: set[str]) -> dict[tuple[str, str], str]:
    """Return who last changed each thing of each submission, without the shared changes."""
    by_id = {change.id: change for change in changes}
    touched: dict[tuple[str, str], str] = {}
    for change in changes:
        meant = change
        while isinstance(meant.action, Undone) and meant.action.change in by_id:
            meant = by_id[meant.action.change]
        if change.id not in shared and change.submission:
            touched[change.submission, subject(meant.action)] = change.who or "somebody"
    return touched


def subject(action: Action) -> str:
    """Return what an action is about, as a key: `mark style`, `comment`."""
    match action:
        case MarkGiven(slot=slot) | ItemPicked(slot=slot) | ItemAdded(slot=slot):
            return f"mark {slot}"
        case Decided(decision=decision):
            return f"decision to {decision.kind}"
        case LineCommented(comment=comment):
            return f"comment on line {comment.line}"
    return _SUBJECTS[type(action)]


_SUBJECTS: dict[type, str] = {
    Commented: "comment",
    CommentKept: "comment to use again",
    Adjusted: "adjustment",
    Overridden: "override",
    Reviewed: "that nothing is left to do",
    Undone: "undo",
}


def _states(hand: ByHand) -> dict[str, str]:
    """Return the present state by subject, without comments on lines, because several of these can
    exist together.
    """
    states = {
        f"decision to {kind}": repr(decision.value) for kind, decision in hand.decisions.items()
    }
    for slot, given in hand.marks.items():
        items = ", ".join(sorted(f"{item} {level}".strip() for item, level in given.levels.items()))
        states[f"mark {slot}"] = items or rounded(given.mark or Fraction(0))
    if hand.comment:
        states["comment"] = repr(shorten(hand.comment, 40))
    if hand.adjustment is not None:
        states["adjustment"] = rounded(hand.adjustment.marks)
    if hand.override is not None:
        states["override"] = rounded(hand.override.mark)
    return states
