"""A run while people mark it: its submissions, marks and comments, and new changes.

When a method returns, its change is stored. `refresh` reads changes by other windows and machines.
"""

import itertools
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.common.errors import UserError
from harness.marking.mark import most_mark
from harness.model import review
from harness.model.plan import Plan
from harness.model.result import DecisionKind, RunFacts, SubmissionResult, SubmissionStatus
from harness.reporting.export.anonymous import unrelated_order
from harness.reporting.view import figures, words
from harness.reporting.view.marks import counting_mark
from harness.results.database import StoreReader
from harness.results.finding import only_match
from harness.results.store import record
from harness.review.actions import read_action

_HELD = (SubmissionStatus.NEEDS_REVIEW, SubmissionStatus.HARNESS_ERROR)
_NOTHING_TO_SEE = (SubmissionStatus.NO_SUBMISSION, SubmissionStatus.LATE)
MAX_OFFERED = 300  # comments offered for reuse


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPart:
    """The part of the class to mark, counted from 1: `--part 1/3`."""

    number: int = 1
    of: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """A submission as shown in lists."""

    number: int  # from 1; the page knows submissions by it
    id: str
    shown: str  # the id, or while marking is anonymous a number
    reason: str  # why it needs attention; empty if it does not
    status: SubmissionStatus
    name: str = ""
    student_id: str = ""  # empty if the submission has no known student
    outline: SubmissionResult | None = None  # for its mark: without scenarios, causes and files


def _without_names(result: SubmissionResult, entry: ListEntry) -> SubmissionResult:
    """Return the result without anything that may identify the student."""
    problem = ""
    if result.problem:
        problem = "the uploaded files cannot be graded as they are"
    late = result.late
    if late is not None:
        late = replace(late, due="")  # an individual due time would identify the student
    return replace(
        result,
        id=entry.shown,
        student=None,
        handed_in="",
        source="",
        notes=(),
        problem=problem,
        choices=(),
        extended_to="",
        late=late,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPerson:
    """A student of the class to whom a submission may be assigned."""

    id: str
    name: str
    is_missing: bool  # without a submission so far


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAction:
    """An action from the page after it was stored."""

    change: str  # the id of its change
    replaced: tuple[str, ...] = ()  # whose newer changes, which the page has not shown, it replaces


def is_done(status: SubmissionStatus, reason: str, hand: review.ByHand, slots: Set[str]) -> bool:
    """Return whether nothing is left to do for a submission; the key `d` on the page claims this.

    Submissions that cannot be marked (late, missing) are done. A held one is done when somebody has
    decided about it or looked at it. Others are done when every part has a mark and, if they need
    attention (`reason`), somebody has looked at them.
    """
    if status in _NOTHING_TO_SEE or DecisionKind.EXCUSE in hand.decisions:
        return True
    if status in _HELD:
        return bool(hand.decisions) or hand.reviewed
    return slots <= hand.marks.keys() and (hand.reviewed or not reason)


def _order(entry: ListEntry) -> tuple[bool, bool, int]:
    """Return a sort key: held submissions first, then those that need attention."""
    return entry.status not in _HELD, not entry.reason, entry.number


class Desk:
    """One person's view of a run, or of a part of it, that is being marked, with everybody's
    changes.

    Its methods can be called from several threads.
    """

    def __init__(
        self, database: Path, *, who: str, part: ClassPart = ClassPart(), anonymous: bool = False
    ) -> None:
        """Open the run. Raise UserError if it cannot be read or written."""
        self.who = who
        self.anonymous = anonymous
        self._database = database
        self._part = part
        self.lock = threading.RLock()
        record(database, [])  # brings an older store up to date, and shows that it can be written
        self.readings = 0  # how often the run was read as a whole
        self.newest_change = 0  # the number of the newest change that was read
        # By id: the number of the newest change when one of this submission was read.
        self._changed_at: dict[str, int] = {}
        self._others_at: dict[str, int] = {}  # the same, of changes by others
        # The stored bytes of the submission that was shown last, and their meaning.
        self._last_shown_data: object = None
        self._last_shown: SubmissionResult | None = None
        self._facts: RunFacts | None = None
        self._changes = defaultdict[str, list[review.Change]](list)  # by their subject
        self._change_numbers: dict[str, int] = {}  # by the ids of changes
        self._hands: dict[str, review.ByHand] = {}
        self.plan: Plan
        self._entries: dict[int, ListEntry] = {}
        self._numbers: dict[str, int] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read new changes, and the whole run if it was graded again."""
        with self.lock, StoreReader.read_only(self._database) as reader:
            facts = reader.facts()
            if facts != self._facts:  # graded again, or somebody was forgotten
                self.plan = reader.plan()
                self._read_entries(reader, facts)
                self._facts = facts
                self.readings += 1
                self.newest_change = 0
                self._hands = {}
                self._changes.clear()
            changed: set[str] = set()
            for number, change in reader.changes(after=self.newest_change):
                self.newest_change = number
                self._changes[change.submission].append(change)
                self._change_numbers[change.id] = number
                changed.add(change.submission)
                if change.who != self.who:
                    self._others_at[change.submission] = number
            for name in changed - {""}:
                hands = review.by_hand(self._changes[name])
                self._hands[name] = hands.get(name, review.ByHand())
                self._changed_at[name] = self.newest_change

    def _read_entries(self, reader: StoreReader, facts: RunFacts) -> None:
        """Read the submissions of this part.

        Parts depend only on the ids, so every machine computes the same.
        """
        results = self._results_of_part(reader)
        graded = {result.id for result in results}
        if self._facts is not None and not facts.complete:
            # It is being graded again: submissions that are missing now will come back.
            graded.update(self._numbers)
        # A number stays that of its submission: an open window must not show another one by it.
        for result in results:
            number = self._numbers.setdefault(result.id, len(self._numbers) + 1)
            self._entries[number] = self._entry(number, result)
        for number, entry in list(self._entries.items()):
            if entry.id not in graded:
                del self._entries[number]

    def _results_of_part(self, reader: StoreReader) -> list[SubmissionResult]:
        names = sorted(reader.states())[self._part.number - 1 :: self._part.of]
        results: list[SubmissionResult] = []
        for name in names:
            result = reader.outline(name) or reader.unreadable(name)
            if result.flagged:
                # The outline does not say why.
                result = reader.result(name) or result
            results.append(result)
        if self.anonymous:
            results.sort(key=unrelated_order)
        return results

    def _entry(self, number: int, result: SubmissionResult) -> ListEntry:
        reasons = dict.fromkeys(kind for kind, _ in figures.reasons(result))
        name = ""
        student_id = ""
        if result.student is not None:
            name = result.student.name
            student_id = result.student.id
        shown = result.id
        if self.anonymous:
            shown = f"Submission {number}"
            name = ""
        return ListEntry(
            number=number,
            id=result.id,
            shown=shown,
            reason=", ".join(reasons),
            status=result.status,
            name=name,
            student_id=student_id,
            outline=replace(result, scenarios=(), causes=(), files=(), choices=()),
        )

    def rows(self, since: int = -1) -> list[dict[str, Any]]:
        """Return the rows for the page's list, those that need a person first.

        With `since`, only rows changed after the change with this number.
        """
        with self.lock:
            chosen: list[ListEntry] = []
            for entry in self._entries.values():
                if self._changed_at.get(entry.id, 0) > since:
                    chosen.append(entry)
            chosen.sort(key=_order)
            return [self._row(entry) for entry in chosen]

    def row_of(self, number: int) -> list[dict[str, Any]]:
        with self.lock:
            return [self._row(self._entries[number])]

    def _row(self, entry: ListEntry) -> dict[str, Any]:
        hand = self._hands.get(entry.id, review.ByHand())
        slots = {slot.id for slot in self.plan.assignment.manual}
        marked = slots & hand.marks.keys()
        has_begun = marked or hand.comment or hand.line_comments or hand.override
        return {
            "number": entry.number,
            "shown": entry.shown,
            "name": entry.name,
            "status": words.STATUS[entry.status],
            "reason": entry.reason,
            "seen": self._changed_at.get(entry.id, 0),
            "others": self._others_at.get(entry.id, 0),
            "reviewed": hand.reviewed,
            "done": is_done(entry.status, entry.reason, hand, slots),
            "begun": bool(has_begun),
            "mark": self._mark_of(entry),
        }

    def _mark_of(self, entry: ListEntry) -> str:
        """Return the present mark, for the list."""
        if entry.outline is None:
            return ""
        changes = [*self._changes[""], *self._changes[entry.id]]
        return counting_mark(review.apply_changes(entry.outline, changes)).text_of_total

    def item_counts(self) -> dict[tuple[str, str], int]:
        """Return how many submissions have each rubric item, keyed by (id of the part, item id)."""
        counts: Counter[tuple[str, str]] = Counter()
        with self.lock:
            for hand in self._hands.values():
                for slot, given in hand.marks.items():
                    counts.update((slot, item) for item in given.levels)
        return dict(counts)

    def comment_authors(self, number: int) -> dict[str, str]:
        """Return the last author of each comment on a line, keyed by comment id."""
        with self.lock:
            authors: dict[str, str] = {}
            for change in review.in_force(self._changes[self._entries[number].id]):
                if isinstance(change.action, review.LineCommented):
                    authors[change.action.comment.id] = change.who
        return authors

    def numbers(self) -> dict[str, int]:
        """Return the numbers of the submissions of this part, by their ids."""
        with self.lock:
            return {entry.id: entry.number for entry in self._entries.values()}

    def number_of(self, wanted: str) -> int:
        """Return the number of the submission with this id, or of this student's only one.

        Raise UserError if this part has none or several.
        """
        with self.lock:
            entries = list(self._entries.values())
        called = [(entry.id, entry.name, entry.student_id) for entry in entries]
        return entries[only_match(wanted, called)].number

    def result(self, number: int) -> SubmissionResult:
        """Return a submission with people's marks and comments, without names if marking is
        anonymous.

        Raise UserError if it does not exist or is being graded.
        """
        with self.lock:
            self.refresh()
            entry = self._entries.get(number)
            if entry is None:
                raise UserError(f"this list has no submission {number}")
            result = self._read_result(entry)
            if result is None:
                raise UserError(f"{entry.shown} is being graded", hint="try again in a moment")
            result = review.apply_changes(result, [*self._changes[""], *self._changes[entry.id]])
        if self.anonymous:
            return _without_names(result, entry)
        return result

    def _read_result(self, entry: ListEntry) -> SubmissionResult | None:
        """Return the stored result; None while it is being graded."""
        with StoreReader.read_only(self._database) as reader:
            data = reader.result_data(entry.id)
            # The last one is kept: reading it takes longer than everything else.
            if data != self._last_shown_data:
                self._last_shown_data = data
                self._last_shown = reader.result(entry.id)
            if data is not None and self._last_shown is None:
                self._last_shown = reader.unreadable(entry.id)
        return self._last_shown

    def do(self, number: int, fields: Mapping[str, Any]) -> StoredAction:
        """Store an action from the page. Raise UserError if it is not allowed.

        `fields` may name the earlier change that this one `continues`, so that text stored while it
        was typed becomes a single change. It may also contain the number of the newest change that
        the page has `seen`.
        """
        with self.lock:
            result = self.result(number)
            slots = {part.slot.id: part.slot for part in result.manual}
            students = {person.id: person.name for person in self.people()}
            action = read_action(fields, slots, result, most_mark(self.plan), students)
            submission = self._entries[number].id
            if isinstance(action, review.ItemAdded | review.CommentKept):
                submission = ""  # the change is about the run, not a submission
            draft = review.Change(
                who=self.who,
                assignment=self.plan.assignment.id,
                submission=submission,
                action=action,
                source_digest=result.source_digest,
            )
            overwritten = self._overwritten(draft)
            drafts = [draft]
            for change in overwritten:
                if change.who == self.who and change.id == fields.get("continues"):
                    drafts.insert(0, replace(draft, action=review.Undone(change=change.id)))
            replaced = self._unseen(overwritten, fields.get("seen"))
            *_, stored = record(self._database, drafts)
            self.refresh()
            return StoredAction(change=stored.id, replaced=replaced)

    def _overwritten(self, draft: review.Change) -> list[review.Change]:
        if not draft.submission:
            return []
        standing = review.in_force(self._changes[draft.submission])
        return [change for change in standing if review.overwrites(draft.action, change.action)]

    def _unseen(self, changes: Iterable[review.Change], last_shown: object) -> tuple[str, ...]:
        """Return who made changes that are newer than the page."""
        if not isinstance(last_shown, int):
            return ()
        people: list[str] = []
        for change in changes:
            is_newer = self._change_numbers[change.id] > last_shown
            if is_newer and change.who != self.who and change.who not in people:
                people.append(change.who)
        return tuple(people)

    def undo(self, wanted: str = "") -> tuple[int | None, str]:
        """Undo this person's newest change, or the change with the `wanted` id.

        Return the submission's number (None if the change was about the assignment) and a message.
        Raise UserError if there is nothing to undo.
        """
        with self.lock:
            self.refresh()
            here = {*self.numbers(), ""}
            undoable: list[review.Change] = []
            for change in review.in_force(self._all_changes()):
                is_meant = wanted in ("", change.id)
                if is_meant and change.who == self.who and change.submission in here:
                    undoable.append(change)
            if not undoable:
                raise UserError("you have no change to undo")
            last = undoable[-1]
            record(self._database, [replace(last, action=review.Undone(change=last.id))])
            self.refresh()
            return self._told("undone", last)

    def redo(self) -> tuple[int | None, str]:
        """Repeat this person's last undone change, unless they changed something since.

        Return the same as `undo`. Raise UserError if there is nothing to redo.
        """
        with self.lock:
            self.refresh()
            undo = review.newest_undo(self._all_changes(), self.who)
            if undo is None:
                raise UserError("you have no change to redo")
            record(self._database, [replace(undo.by, action=review.Undone(change=undo.by.id))])
            self.refresh()
            return self._told("done again", undo.of)

    def _all_changes(self) -> list[review.Change]:
        return list(itertools.chain.from_iterable(self._changes.values()))

    def _told(self, what: str, change: review.Change) -> tuple[int | None, str]:
        number = self.numbers().get(change.submission)
        shown = "the assignment"
        if number is not None:
            shown = self._entries[number].shown
        return number, f"{what}: {review.subject(change.action)} of {shown}"

    def offered(self) -> list[str]:
        """Return comments to reuse: first those that people saved, newest first, then those in
        use, most used first.
        """
        kept: list[str] = []
        used: Counter[str] = Counter()
        with self.lock:
            for change in review.in_force(self._changes[""]):
                if isinstance(change.action, review.CommentKept):
                    kept.append(change.action.text)
            for hand in self._hands.values():
                used[hand.comment] += 1
                used.update(comment.text for comment in hand.line_comments.values())
        texts = dict.fromkeys(reversed(kept))
        for text, _ in used.most_common():
            if text:
                texts[text] = None
        return list(texts)[:MAX_OFFERED]

    def people(self) -> list[KnownPerson]:
        """Return the students of the class, those without a submission first; empty if marking is
        anonymous.
        """
        if self.anonymous:
            return []
        found: list[KnownPerson] = []
        with self.lock:
            for entry in self._entries.values():
                is_missing = entry.status is SubmissionStatus.NO_SUBMISSION
                known_id = entry.student_id
                if not known_id and is_missing:
                    known_id = entry.id
                if known_id:
                    found.append(KnownPerson(id=known_id, name=entry.name, is_missing=is_missing))
        return sorted(found, key=lambda person: (not person.is_missing, person.id))

    def command_again(self) -> str:
        """Return the lines that grade the class again, as it was graded.

        Empty if they are unknown, or if marking is anonymous: a path may name a student.
        """
        with self.lock:
            if self.anonymous or self._facts is None or self._facts.command is None:
                return ""
            return str(self._facts.command)

    def progress(self) -> tuple[int, int]:
        """Return (finished submissions, all submissions) of this part."""
        rows = self.rows()
        return sum(row["done"] for row in rows), len(rows)
