"""What people do to a run: a list of changes that only grows, each with who and when; and what
follows from it for a submission."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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

MOST_QUOTED = 200  # characters of a commented line that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkGiven:
    """A mark for a slot in place of the rubric's; None takes back everything about the slot."""

    slot: str
    mark: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPicked:
    """An item of a slot's rubric applies, in this level where it has levels; or (None) no more."""

    slot: str
    item: str
    level: str | None = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAdded:
    """A rubric has one more item, for everybody."""

    slot: str
    item: RubricItem


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCommented:
    """A comment on a line; without a text it is taken back."""

    comment: LineComment


@dataclass(frozen=True, slots=True, kw_only=True)
class Commented:
    """The comment on a submission as a whole; without a text it is taken back."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentKept:
    """A comment to use again, in this assignment."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """Marks added or taken; None: none."""

    adjustment: Adjustment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overridden:
    """A mark in place of the harness's; None: none."""

    override: Override | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision; without a value it is taken back."""

    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Whether there is nothing left to do."""

    done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """The change of this id does not count; undone itself, it counts again."""

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
    """What somebody did."""

    who: str
    assignment: str  # its id; empty: whichever the run is of
    submission: str  # its id; empty: it is about the assignment
    action: Action
    id: str = ""  # unique, on all machines; empty until it is stored
    at: str = ""  # UTC in ISO 8601; empty as well where times were not kept
    source_digest: str = ""  # of the files that were looked at


def in_force(changes: Iterable[Change]) -> list[Change]:
    """The changes in the order of time, without what was undone and without undoing."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotMark:
    """What was given for the slot of this id: a mark, or items of its rubric."""

    slot: str
    mark: Fraction | None = None
    levels: tuple[tuple[str, str], ...] = ()  # of the items that apply: id and level


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """All that people gave one submission."""

    marks: tuple[SlotMark, ...] = ()
    adjustment: Adjustment | None = None
    comment: str = ""
    source_digest: str = ""  # of the bytes that were looked at when a mark was given last
    assignment: str = ""  # its id
    override: Override | None = None
    line_comments: tuple[LineComment, ...] = ()
    decisions: tuple[Decision, ...] = ()
    reviewed: bool = False


@dataclass(slots=True)
class _Collector:
    """What a submission has while its changes are gone through."""

    marks: dict[str, SlotMark] = field(default_factory=dict)
    comments: dict[str, LineComment] = field(default_factory=dict)
    decisions: dict[DecisionKind, Decision] = field(default_factory=dict)
    rest: ByHand = ByHand()

    def add(self, change: Change) -> None:
        match change.action:
            case MarkGiven(slot=slot, mark=None):
                self.marks.pop(slot, None)
            case MarkGiven(slot=slot, mark=mark):
                self.marks[slot] = SlotMark(slot=slot, mark=mark)
            case ItemPicked(slot=slot, item=item, level=level):
                levels = dict(self.marks.get(slot, SlotMark(slot=slot)).levels)
                levels.pop(item, None)
                if level is not None:
                    levels[item] = level
                self.marks[slot] = SlotMark(slot=slot, levels=tuple(levels.items()))
            case LineCommented(comment=comment):
                self.comments.pop(comment.id, None)
                if comment.text:
                    self.comments[comment.id] = comment
            case Decided(decision=decision):
                self.decisions.pop(decision.kind, None)
                if decision.value:
                    self.decisions[decision.kind] = decision
            case Commented(text=text):
                self.rest = replace(self.rest, comment=text)
            case Adjusted(adjustment=adjustment):
                self.rest = replace(self.rest, adjustment=adjustment)
            case Overridden(override=override):
                self.rest = replace(self.rest, override=override)
            case Reviewed(done=done):
                self.rest = replace(self.rest, reviewed=done)
        if isinstance(change.action, MarkGiven | ItemPicked | Adjusted | Overridden | Commented):
            self.rest = replace(self.rest, source_digest=change.source_digest)

    def by_hand(self) -> ByHand:
        return replace(
            self.rest,
            marks=tuple(self.marks.values()),
            line_comments=tuple(self.comments.values()),
            decisions=tuple(self.decisions.values()),
        )


def by_hand(changes: Iterable[Change]) -> dict[str, ByHand]:
    """What people gave each submission by its id, of the changes to one run."""
    collectors: defaultdict[str, _Collector] = defaultdict(_Collector)
    for change in in_force(changes):
        if change.submission:
            collector = collectors[change.submission]
            collector.rest = replace(collector.rest, assignment=change.assignment)
            collector.add(change)
    return {name: collector.by_hand() for name, collector in collectors.items()}


def added_items(changes: Iterable[Change]) -> dict[str, tuple[RubricItem, ...]]:
    """The items that rubrics were given, by the ids of slots."""
    items: defaultdict[str, tuple[RubricItem, ...]] = defaultdict(tuple)
    for change in in_force(changes):
        if isinstance(change.action, ItemAdded):
            items[change.action.slot] += (change.action.item,)
    return dict(items)


def with_items(slot: ManualSlot, added: Mapping[str, Sequence[RubricItem]]) -> ManualSlot:
    """The slot with the items that its rubric was given."""
    more = added.get(slot.id, ())
    return replace(slot, rubric=(*slot.rubric, *more)) if more else slot


def joined(
    result: SubmissionResult,
    given: ByHand,
    added: Mapping[str, Sequence[RubricItem]] | None = None,
) -> SubmissionResult:
    """The result with what people gave it, by rubrics that were given the items `added`. A slot
    that the assignment no longer has is left out; what was given for other bytes is kept, with a
    note that says so."""
    marks = {entry.slot: entry for entry in given.marks}
    slots = (with_items(part.slot, added or {}) for part in result.manual)
    manual = tuple(_marked(slot, marks.get(slot.id)) for slot in slots)
    notes = [*result.notes, *filter(None, map(_note, given.decisions))]
    if given.source_digest not in ("", result.source_digest):
        notes.append("what a person gave was given for an earlier version of these files")
    placed = (_placed(comment, result) for comment in given.line_comments)
    return replace(
        result,
        manual=manual,
        adjustment=given.adjustment,
        comment=given.comment,
        notes=tuple(notes),
        override=given.override,
        line_comments=tuple(sorted(placed, key=lambda each: (each.file, each.line, each.id))),
        decisions=given.decisions,
        reviewed=given.reviewed,
    )


def reviewed(result: SubmissionResult, changes: Sequence[Change]) -> SubmissionResult:
    """The result with what these changes gave it, those of the assignment among them."""
    given = by_hand(changes).get(result.id, ByHand())
    return joined(result, given, added_items(changes)) if changes else result


def _note(decision: Decision) -> str:
    return f"excused: {decision.value}" if decision.kind is DecisionKind.EXCUSE else ""


def _marked(slot: ManualSlot, given: SlotMark | None) -> ManualMark:
    if given is None:
        return ManualMark(slot=slot)
    if given.mark is not None:
        return ManualMark(slot=slot, mark=given.mark)
    levels = dict(given.levels)
    found = ((item, levels[item.id]) for item in slot.rubric if item.id in levels)
    worth = ((item, level, item.worth(level)) for item, level in found)
    items = tuple(
        PickedItem(item=item.id, title=item.title, points=points, level=level)
        for item, level, points in worth
        if points is not None
    )
    return ManualMark(slot=slot, mark=slot.mark_of(levels), items=items)


def _placed(comment: LineComment, result: SubmissionResult) -> LineComment:
    """The comment at its line in files that may have changed since."""
    files = (file.lines for file in result.files if file.name == comment.file)
    lines = [line[:MOST_QUOTED].strip() for line in next(files, [])]
    quoted = comment.quoted.strip()
    if comment.line <= len(lines) and lines[comment.line - 1] == quoted:
        return comment
    if quoted and lines.count(quoted) == 1:
        return replace(comment, line=lines.index(quoted) + 1, moved_from=comment.line)
    return replace(comment, outdated=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Something that two people changed, neither knowing of the other, to something else."""

    submission: str
    subject: str
    ours: str  # what and by whom
    theirs: str
    now: str

    def __str__(self) -> str:
        """`ada: style: 3 by ann here, 4 by ben there; now 4, the later`."""
        sides = f"{self.ours} here, {self.theirs} there"
        return f"{self.submission}: {self.subject}: {sides}; now {self.now}, by the later changes"


def merged(ours: Sequence[Change], theirs: Sequence[Change]) -> tuple[list[Change], list[Conflict]]:
    """The changes of `theirs` that `ours` lacks, and what both changed since they last knew the
    same, to something else: there the later changes count, on both sides alike."""
    known = {change.id for change in ours}
    new = [change for change in theirs if change.id not in known]
    shared = known & {change.id for change in theirs}
    mine, others = _touched(ours, shared), _touched(theirs, shared)
    hands = [by_hand(changes) for changes in (ours, theirs, [*ours, *new])]
    conflicts = []
    for name, about in sorted(mine.keys() & others.keys()):
        here, there, now = (_states(hand.get(name, ByHand())).get(about, "-") for hand in hands)
        if here != there:
            conflict = Conflict(
                submission=name,
                subject=about,
                ours=f"{here} by {mine[name, about]}",
                theirs=f"{there} by {others[name, about]}",
                now=now,
            )
            conflicts.append(conflict)
    return new, conflicts


def _touched(changes: Sequence[Change], shared: set[str]) -> dict[tuple[str, str], str]:
    """Who changed what of which submission last, beside the changes that are shared."""
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
    """What an action is about: `mark style`, `comment`."""
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
    """What there is by its subject, but for comments on lines, which stand beside each other."""
    states = {f"decision to {each.kind}": repr(each.value) for each in hand.decisions}
    for given in hand.marks:
        items = ", ".join(sorted(f"{item} {level}".strip() for item, level in given.levels))
        states[f"mark {given.slot}"] = items or rounded(given.mark or Fraction(0))
    if hand.comment:
        states["comment"] = repr(shorten(hand.comment, 40))
    if hand.adjustment is not None:
        states["adjustment"] = rounded(hand.adjustment.marks)
    if hand.override is not None:
        states["override"] = rounded(hand.override.mark)
    return states
