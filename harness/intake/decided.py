"""What people decided about submissions that are held: whose one is, and which file is graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from harness.common.people import id_key
from harness.intake.entries import Entry, EntryKind, Refused
from harness.intake.submissions import in_order, program_files, submission_of
from harness.intake.uploads import Attempt, StudentUploads
from harness.model.plan import Assignment, SourceFile
from harness.model.result import Decision, DecisionKind
from harness.model.submission import Student, Submission, Withheld

Decisions = Mapping[str, Sequence[Decision]]  # by the ids of submissions
Member = tuple[str, StudentUploads]  # the submission's id, and what was handed in

MOST_CHOICES = 20
MOST_SHOWN = 32 * 1024  # bytes of a file that may be chosen


def submissions_of(
    members: Iterable[Member], assignment: Assignment, decisions: Decisions
) -> Iterator[Submission]:
    """The members' submissions, as people decided; one that a person must look at has the files of
    which it may be said that they are graded."""
    for name, uploads in _matched(list(members), decisions):
        found = submission_of(name, uploads, assignment)
        file = _decided(decisions, name, DecisionKind.CHOOSE)
        if found.withheld is not Withheld.NEEDS_REVIEW and not found.problem and not file:
            yield found
            continue
        choices = {choice.label: choice for choice in _choices(uploads, assignment)}
        if file in choices:
            found = _chosen(name, replace(uploads, attempts=(choices[file].attempt,)), assignment)
            found = replace(found, notes=(*found.notes, f"a person chose {file}"))
        yield replace(found, choices=tuple(choice.file for choice in choices.values()))


def _chosen(name: str, uploads: StudentUploads, assignment: Assignment) -> Submission:
    """The submission of one attempt that a person looked at: neither others of the same time nor a
    time that is not known hold it."""
    found = submission_of(name, uploads, assignment)
    if found.withheld is not Withheld.NEEDS_REVIEW or uploads.doubt or found.problem:
        return found
    return submission_of(name, replace(uploads, due=None, late=None), assignment)


def _decided(decisions: Decisions, name: str, kind: DecisionKind) -> str:
    return next((each.value for each in decisions.get(name, ()) if each.kind is kind), "")


def _matched(members: list[Member], decisions: Decisions) -> Iterator[Member]:
    """The members, those of whom a person said whose they are with that student; who is on the
    roster without having handed in is no member of their own then. Two of one student are held."""
    absent = {
        key: (name, uploads)
        for name, uploads in members
        if not uploads.attempts and uploads.student is not None
        for key in (id_key(name), id_key(uploads.student.id))
    }
    wanted = {
        name: match
        for name, uploads in members
        if uploads.attempts and (match := _decided(decisions, name, DecisionKind.MATCH))
    }
    gone = {absent[id_key(match)][0] for match in wanted.values() if id_key(match) in absent}
    owners = Counter(
        id_key(wanted.get(name) or (uploads.student.id if uploads.student else name))
        for name, uploads in members
        if uploads.attempts
    )
    for name, uploads in members:
        if name in wanted:
            match = wanted[name]
            doubt = f"{match} has another submission too" if owners[id_key(match)] > 1 else ""
            yield name, replace(_as_of(uploads, match, absent), doubt=doubt)
        elif name not in gone:
            yield name, uploads


def _as_of(uploads: StudentUploads, match: str, absent: Mapping[str, Member]) -> StudentUploads:
    notes = (*uploads.notes, "a person said whose it is")
    if id_key(match) not in absent:
        own = uploads.student
        is_own = own is not None and id_key(own.id) == id_key(match)
        who = own if is_own else Student(id=match)
        return replace(uploads, student=who, notes=notes)
    other = absent[id_key(match)][1]
    return replace(
        uploads,
        student=other.student,
        listed=other.listed,
        due=other.due,
        is_extended=other.is_extended,
        late=other.late,
        notes=notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """A file that may be graded, as the page names it, and the attempt that is this file alone."""

    label: str
    attempt: Attempt
    entry: Entry | None = None

    @property
    def file(self) -> SourceFile:
        """What a person sees of it: no bytes where it cannot be read or is large."""
        data = b""
        if self.entry is not None and self.entry.kind is EntryKind.FILE:
            with suppress(OSError, Refused):
                data = self.entry.load(MOST_SHOWN)
        return SourceFile(name=self.label, data=data)


def _choices(uploads: StudentUploads, assignment: Assignment) -> Iterator[_Choice]:
    """The files, of assignments that ask for one; else the attempts, where there are several."""
    expected = assignment.submission_files
    attempts = in_order(uploads)
    left = MOST_CHOICES
    for number, attempt in enumerate(attempts, start=1):
        which = f"attempt {attempt.number or number}" if len(attempts) > 1 else ""
        numbered = replace(attempt, number=attempt.number or number)
        if len(expected) != 1:
            if which:
                yield _Choice(label=which, attempt=numbered)
            continue
        for entry in program_files(attempt, assignment)[:left]:
            left -= 1
            yield _Choice(
                label=f"{which}: {entry.shown}" if which else entry.shown,
                entry=entry,
                attempt=replace(numbered, entries=(_as(entry, expected[0]),), problem=""),
            )


def _as(entry: Entry, name: str) -> Entry:
    return replace(entry, name=name, folder="")
