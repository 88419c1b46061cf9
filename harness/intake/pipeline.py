"""Paths in, submissions out, in five stages: find, recognise, identify, select, submission; what
people decided about submissions that are held: whose one is, and which file is graded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from harness.common.people import id_key
from harness.intake.entries import Entry, EntryKind, Refused, shown_path, unique_ids
from harness.intake.identifying import identify
from harness.intake.recognising import Download, find, recognise
from harness.intake.submissions import in_order, program_files, submission_of
from harness.intake.terms import ClassOptions, read_terms, shown
from harness.intake.uploads import Attempt, StudentUploads
from harness.model.plan import Assignment, SourceFile
from harness.model.result import CohortFacts, Contents, Decision, DecisionKind
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The submissions of a class in the order of ids; where they came from; and lines that the
    user should see."""

    submissions: tuple[Submission, ...]
    facts: CohortFacts
    notices: tuple[str, ...] = ()


def read(paths: Sequence[Path], assignment: Assignment) -> tuple[Submission, ...]:
    """The submissions alone, as `read_cohort` finds them when nothing is asked for."""
    return read_cohort(paths, assignment, ClassOptions()).submissions


def read_cohort(
    paths: Sequence[Path],
    assignment: Assignment,
    asked: ClassOptions,
    decisions: Decisions = MappingProxyType({}),
) -> Cohort:
    """Every student's submission under the paths, each once, and what is known of them; of those
    that were held before as people decided.

    What is wrong with one submission is its own `problem` and stops no other. Raises UserError
    when a path itself is missing or cannot be read, its layout is not clear, it holds more than
    can be read, or what was asked for (due time, extensions, roster) cannot be used.
    """
    terms = read_terms(asked, assignment)
    hands_in_archives = assignment.archive is not None and asked.layout is None
    with ExitStack() as archives:
        named = find(paths, archives, students_hand_in_archives=hands_in_archives)
        downloads = recognise(named, assignment, asked.layout)
        class_ = identify(downloads, terms)
        ids = unique_ids(uploads.identity for uploads in class_.members)
        members = zip(ids, class_.members, strict=True)
        submissions = list(submissions_of(members, assignment, decisions))
    facts = CohortFacts(
        layouts=tuple(dict.fromkeys(download.name for download in downloads)),
        submissions=class_.submissions,
        students=class_.students,
        due=shown(terms.due) if terms.due else "",
        time_zone=terms.zone.key if terms.zone else "",
        contents=_contents(downloads, submissions),
    )
    submissions.sort(key=lambda submission: submission.id)
    return Cohort(submissions=tuple(submissions), facts=facts, notices=class_.notices)


def _contents(downloads: Sequence[Download], submissions: Iterable[Submission]) -> Contents:
    """What became of everything in the downloads: a student's, for a person to look at, ignored.

    Each thing is counted once, by what holds it in the end, so that nothing can be lost unseen.
    """
    in_review = {one.origin for one in submissions if one.withheld is Withheld.NEEDS_REVIEW}
    kinds: set[EntryKind] = set()
    of_students = students = 0
    review: list[str] = []
    ignored: list[str] = []
    metadata: list[str] = []
    for download in downloads:
        needs_review: dict[str, bool] = {}  # by the names that are a student's
        for uploads in download.uploads:
            parts = [part for attempt in uploads.attempts for part in attempt.parts]
            doubted = any(attempt.origin in in_review for attempt in uploads.attempts)
            students += bool(parts) and not doubted
            for part in parts:
                needs_review[part] = doubted or needs_review.get(part, False)
        needs = download.layout.needs if download.layout else ""
        for entry in download.contents:
            if entry.name in needs_review:
                kinds.add(EntryKind.FOLDER if entry.is_folder else EntryKind.FILE)
            if needs_review.get(entry.name):
                review.append(shown_path(entry.name))
            elif entry.name in needs_review:
                of_students += 1
            else:
                others = metadata if entry.name == needs else ignored
                others.append(shown_path(entry.name))
    return Contents(
        what=f"{kinds.pop().value}s" if len(kinds) == 1 else "files and folders",
        total=sum(len(download.contents) for download in downloads),
        students=students,
        of_students=of_students,
        review=tuple(review),
        ignored=tuple(ignored),
        metadata=tuple(metadata),
    )
