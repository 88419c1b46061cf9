"""Stage 3, identify: who handed in what and who should have, by the roster, the due time,
extensions and groups; and what people decided about submissions that are held for them: whose a
submission is, and which file is graded."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from zoneinfo import ZoneInfo

from harness.common.errors import UserError, place_of
from harness.common.people import (
    By,
    Person,
    by_key,
    by_name_line,
    id_key,
    name_keys,
    pairs,
    without_zeros,
    zeros_line,
)
from harness.intake.entries import Entry, EntryKind, RefusedUpload, listed, safe_id
from harness.intake.platforms import Times
from harness.intake.recognising import PLAIN, Download
from harness.intake.selecting import in_order
from harness.intake.submissions import (
    extra_modules,
    held_for_review,
    program_files,
    submission_of,
)
from harness.intake.terms import Extension, Terms, in_zone
from harness.intake.uploads import Attempt, Listed, StudentUploads
from harness.model.plan import Assignment, SourceFile
from harness.model.result import Decision, DecisionKind
from harness.model.submission import Student, Submission, Withheld

MAX_SUBMISSIONS = 20_000  # their files are in memory until all are graded


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """Everybody who handed in or should have."""

    members: tuple[StudentUploads, ...]  # in the order of ids
    students: int  # who handed in
    submissions: int  # all attempts; a group's common submission counts once
    notices: tuple[str, ...] = ()


def identify(downloads: Sequence[Download], terms: Terms) -> Class:
    """Return everybody once, each with the uploads of all downloads and the due time.

    Raise UserError for more than `MAX_SUBMISSIONS`, and for terms that cannot be used here.
    """
    members = everybody = _merged_by_student(downloads, terms)
    notices: list[str] = []
    if terms.due is not None:
        notices += _without_times(downloads)
    if terms.roster is not None:
        members, strangers = _on_roster(everybody, terms.roster, terms.roster_place)
        notices += strangers
    if terms.due is not None:
        _check_times(downloads, members, terms.roster_place)
    members, unused = _with_extensions(members, terms.extensions, terms.due)
    notices += unused
    members, slip_days = _with_late_terms(members, terms)
    notices += slip_days
    notices += _test_students(downloads)
    return Class(
        members=tuple(sorted(members, key=_place)),
        students=len(everybody),
        submissions=_submission_count(everybody),
        notices=tuple(notices),
    )


def _without_times(downloads: Sequence[Download]) -> list[str]:
    """Return a line about each platform that only marks attempts as late."""
    names = {download.name for download in downloads if download.times is Times.LATE_ONLY}
    what = "gives no times: submissions marked LATE there are late, and --due has no effect"
    return [f"{platform} {what}" for platform in sorted(names)]


def _test_students(downloads: Sequence[Download]) -> Iterator[str]:
    """Yield a line for each lecturer who tried the assignment: Canvas lists the lecturer as a
    student."""
    for download in downloads:
        if download.name != "Canvas":
            continue
        for uploads in download.uploads:
            if uploads.student and uploads.student.name == "studenttest":
                yield f"{uploads.identity} is Canvas's test student, not a person"


def _submission_count(everybody: Sequence[StudentUploads]) -> int:
    """Return the number of all attempts; a group's common submission counts once."""
    attempts = set()
    elsewhere_by_group = {}
    for uploads in everybody:
        for attempt in uploads.attempts:
            attempts.add((attempt.origin, attempt.number))
        elsewhere_by_group[uploads.attempts[0].origin] = len(uploads.elsewhere)
    return len(attempts) + sum(elsewhere_by_group.values())


def _place(member: StudentUploads) -> tuple[str, ...]:
    """Return the key of the order of members: the id, then the origin of the first attempt."""
    origins = [attempt.origin for attempt in member.attempts[:1]]
    return (safe_id(member.identity), *origins)


def _merged_by_student(downloads: Sequence[Download], terms: Terms) -> list[StudentUploads]:
    zone = terms.zone
    everybody: dict[tuple[str, str], StudentUploads] = {}
    for download in downloads:
        for uploads in download.uploads:
            zoned = _zoned(uploads, zone)
            if uploads.student:
                key = download.name, uploads.student.id
            else:  # two plain folders of one name are two
                key = PLAIN, str(Path(uploads.attempts[0].origin).absolute())
            if key not in everybody:
                everybody[key] = zoned
            elif download.layout is not None:
                everybody[key] = _merged(everybody[key], zoned)
        if len(everybody) > MAX_SUBMISSIONS:
            raise UserError(f"more than {MAX_SUBMISSIONS} submissions", place=str(download.path))
    return list(everybody.values())


def _zoned(uploads: StudentUploads, zone: ZoneInfo | None) -> StudentUploads:
    """Return the uploads with their times in this zone, if they name none."""
    attempts = []
    for attempt in uploads.attempts:
        if attempt.at is None:
            attempts.append(attempt)
        else:
            attempts.append(replace(attempt, at=in_zone(attempt.at, zone)))
    elsewhere = tuple(in_zone(at, zone) for at in uploads.elsewhere)
    return replace(uploads, attempts=tuple(attempts), elsewhere=elsewhere)


def _check_times(
    downloads: Sequence[Download], members: Sequence[StudentUploads], roster: str
) -> None:
    """Raise UserError if a due time cannot be compared with anything."""
    times = [attempt.at for member in members for attempt in member.attempts]
    for download in downloads:
        if download.times is Times.NONE and not any(times):
            whose = f"a download from {download.name}" if download.layout else "this"
            what = f"{whose} does not say when anything was handed in, so --due cannot be applied"
            hint = "add --roster with a column handed_in, or leave out --due"
            if roster:
                what += f", and {roster} has no column handed_in with times"
                hint = f"add the column handed_in to {roster}, or leave out --due"
            raise UserError(what, place=str(download.path), hint=hint)
    if any(at is not None and at.tzinfo is None for at in times):
        place, hint = str(downloads[0].path), "add --time-zone Australia/Brisbane (or yours)"
        raise UserError("these times have no time zone", place=place, hint=hint)


def _merged(first: StudentUploads, other: StudentUploads) -> StudentUploads:
    """Merge one student of two downloads; an attempt that is in both counts once."""
    known = {_identity(attempt) for attempt in first.attempts} - {None}
    further = [attempt for attempt in other.attempts if _identity(attempt) not in known]
    return replace(
        first,
        attempts=(*first.attempts, *further),
        elsewhere=tuple(dict.fromkeys((*first.elsewhere, *other.elsewhere))),
        doubt=first.doubt or other.doubt,
        notes=tuple(dict.fromkeys((*first.notes, *other.notes))),
    )


def _identity(attempt: Attempt) -> tuple[str, str, int] | None:
    """Return the key that distinguishes an attempt from all others; None if the platform gives
    no time or number."""
    if attempt.at is None and attempt.number is None:
        return None
    return attempt.source, str(attempt.at), attempt.number or 0


def _on_roster(
    everybody: Sequence[StudentUploads], roster: Sequence[Listed], place: str
) -> tuple[list[StudentUploads], list[str]]:
    """Return everybody who handed in or is on the roster, and lines about uncertain matches.

    The lines name those who were found only by name or are not on the roster. A student is found by
    id or email, otherwise by a name that nobody else has. Raise UserError if nobody of the roster
    is found.
    """
    people = [uploads.person for uploads in everybody]
    lines = [line.person for line in roster]
    # By position in `everybody`: the position in the roster.
    by_id = pairs(people, lines, By.ID, shared=True)  # one may be in downloads of two platforms
    by_zeros = _also_found(people, lines, By.ZEROS, by_id)
    by_number = by_id | by_zeros
    by_name = _also_found(people, lines, By.NAME, by_number)
    at_line = by_number | by_name
    line_of = {index: roster[at] for index, at in at_line.items()}
    doubts = _zeros_lost(everybody, roster, at_line)
    if everybody and not line_of:
        what = "no student on the roster has a submission"
        hint = "check that it has the platform's ids and complete names"
        raise UserError(what, place=place, hint="; ".join([*doubts, hint]))
    members: list[StudentUploads] = []
    strangers: list[str] = []
    unsure: set[str] = set()
    for index, uploads in enumerate(everybody):
        member = _on_line(uploads, line_of.get(index))
        members.append(member)
        if member.listed is None:
            strangers.append(member.identity)
            unsure.update(member.person.keys(By.NAME))
    found = set(at_line.values())
    absent: list[StudentUploads] = []
    for at, line in enumerate(roster):
        if at not in found:
            absent.append(_absent(line, members, unsure))

    def taken_to_be(indexes: Iterable[int]) -> list[str]:
        return [_taken_to_be(everybody[index], line_of[index]) for index in sorted(indexes)]

    notices = [*by_name_line(taken_to_be(by_name)), *zeros_line(taken_to_be(by_zeros)), *doubts]
    if strangers:
        are = "is" if len(strangers) == 1 else "are"
        notices.append(f"{listed(strangers)} {are} not on the roster")
    return [*members, *absent], notices


def _also_found(
    people: Sequence[Person], lines: Sequence[Person], by: By, found: Mapping[int, int]
) -> dict[int, int]:
    """Find who else is who, by position, among those who were not found so far."""
    taken = set(found.values())
    sure = pairs(people, lines, by)
    return {index: at for index, at in sure.items() if index not in found and at not in taken}


def _zeros_lost(
    everybody: Sequence[StudentUploads], roster: Sequence[Listed], found: Mapping[int, int]
) -> list[str]:
    """Name each student of the roster who could be several others if their id lost its zeros."""
    taken = set(found.values())
    left = [uploads for at, uploads in enumerate(everybody) if at not in found]
    of_key = by_key((uploads, uploads.person.keys(By.ZEROS)) for uploads in left)
    lines = []
    for at, line in enumerate(roster):
        keys = line.person.keys(By.ZEROS)
        identities: set[str] = set()
        for key in keys:
            identities |= {uploads.identity for uploads in of_key[key]}
        meant = sorted(identities)
        if at not in taken and meant:
            what = f"{line.student.id} may have lost leading zeros: it could be {listed(meant)}"
            lines.append(f"{line.place}: {what}")
    return lines


def _taken_to_be(uploads: StudentUploads, line: Listed) -> str:
    """Return a line with both names, so that a reader can see whether it is the same person."""
    who = uploads.identity
    name = uploads.student.name if uploads.student else ""
    if name and name != who:
        who = f"{who} ({name})"
    return f"{who} is treated as {line.place}: {line.student.name or line.student.id}"


def _with_extensions(
    members: Sequence[StudentUploads], extensions: Sequence[Extension], due: datetime | None
) -> tuple[list[StudentUploads], list[str]]:
    """Return everybody with the due time, and lines about extensions of students who are not here.

    Those students may not have handed in yet. Raise UserError if no extension is of a student here,
    if several students have an extension's id, or if an extension ends before the due time of the
    class.
    """
    indexes = _indexes_by(By.ID, members)
    shorter = _indexes_by(By.ZEROS, members)
    notices = []
    with_due = [replace(member, due=due) for member in members]
    hint = f"ids here are like {listed(sorted(member.identity for member in members)[:3])}"
    unknown = []
    for extension in extensions:
        if due is not None and extension.due < due:
            what = f"the extension of {extension.id} ends before the due time of the class"
            raise UserError(what, place=extension.place, hint="correct it, or leave the line out")
        meant = indexes[id_key(extension.id)]
        if not meant:
            for key in without_zeros([extension.id]):
                meant = [*meant, *shorter[key]]
            if len(meant) == 1:
                who = f"{extension.id} is treated as {members[meant[0]].identity}"
                notices += zeros_line([f"{extension.place}: {who}"])
        if len(meant) > 1:
            what = f"{len(meant)} students are called {extension.id}"
            raise UserError(what, place=extension.place, hint=hint)
        if not meant:
            unknown.append(extension)
        for index in meant:
            with_due[index] = replace(with_due[index], due=extension.due, is_extended=True)
    if unknown and len(unknown) == len(extensions):
        what = f"unknown student {unknown[0].id}"
        raise UserError(what, place=unknown[0].place, hint=hint)
    for extension in unknown:
        what = f"unknown student {extension.id}, so the extension is not used"
        notices.append(f"{extension.place}: {what}")
    return with_due, notices


def _indexes_by(by: By, members: Sequence[StudentUploads]) -> Mapping[str, Sequence[int]]:
    """Return the positions of the members by their keys."""
    return by_key((index, member.person.keys(by)) for index, member in enumerate(members))


def _with_late_terms(
    members: Sequence[StudentUploads], terms: Terms
) -> tuple[list[StudentUploads], list[str]]:
    """Return everybody with the slip days that are left, and a line if none were counted.

    Raise UserError for a row that may be of several students, and if no row is of a student here.
    """
    late = terms.late
    if late is None:
        return list(members), []
    indexes = _indexes_by(By.ID, members)
    used = Counter[int]()
    for row in terms.slip_days:
        meant: set[int] = set()
        for key in row.keys:
            meant.update(indexes[key])
        if len(meant) > 1:
            what = f"{len(meant)} students are called {row.id}"
            raise UserError(what, place=row.place, hint="write the id of the right one")
        used.update(dict.fromkeys(meant, row.count))
    if terms.slip_days and not used:
        row = terms.slip_days[0]
        what = f"nobody on this list is a student of this class, for example {row.id}"
        raise UserError(what, place=row.place, hint="write ids or emails of this class")
    lines = []
    if late.slip_days and not terms.slip_days:
        lines.append("slip days: without --slip-days, no earlier use is counted")
    with_late = []
    for index, member in enumerate(members):
        days = max(0, late.slip_days - used[index])
        with_late.append(replace(member, late=replace(late, slip_days=days)))
    return with_late, lines


def _on_line(uploads: StudentUploads, line: Listed | None) -> StudentUploads:
    """Return the uploads with the details of their line of the roster."""
    if line is None:
        return uploads
    listed_as = line.student
    known_as = uploads.student or listed_as
    student = Student(
        id=known_as.id,
        name=listed_as.name or known_as.name,
        email=known_as.email or listed_as.email,
    )
    attempts = uploads.attempts
    if line.handed_in is not None and len(attempts) == 1 and attempts[0].at is None:
        attempts = (replace(attempts[0], at=line.handed_in),)
    return replace(uploads, student=student, attempts=attempts, listed=line)


def _absent(line: Listed, members: Sequence[StudentUploads], unsure: set[str]) -> StudentUploads:
    """Return a student on the roster who handed in nothing, with the group's upload if another
    member made one.
    """
    who = line.student
    absent = StudentUploads(identity=who.id, student=who, attempts=(), listed=line)
    if unsure.intersection(line.person.keys(By.NAME)):
        why = "several students have this name, and the download does not tell them apart"
        return replace(absent, doubt=why)
    theirs = [member for member in members if line.group and _is_of_group(member, line.group)]
    if not theirs:
        return absent
    first = theirs[0]
    if len({_origins(member) for member in theirs}) > 1:
        return replace(absent, attempts=first.attempts, doubt="several of the group handed in")
    by = first.identity
    if first.student:
        by = first.student.name or first.student.id
    notes = (f"handed in by {by} for the group",)
    return replace(first, identity=who.id, student=who, notes=notes, listed=line)


def _origins(member: StudentUploads) -> frozenset[str]:
    return frozenset(attempt.origin for attempt in member.attempts)


def _is_of_group(member: StudentUploads, group: str) -> bool:
    if member.listed is not None:
        return member.listed.group == group
    return not name_keys(group).isdisjoint(member.person.keys(By.NAME))


Decisions = Mapping[str, Sequence[Decision]]  # by the ids of submissions
Member = tuple[str, StudentUploads]  # the submission's id and its uploads

_MAX_CHOICES = 20
_MAX_SHOWN = 32 * 1024  # bytes of a file that may be chosen


def submissions_of(
    members: Iterable[Member], assignment: Assignment, decisions: Decisions
) -> Iterator[Submission]:
    """Yield the members' submissions, according to people's decisions.

    If a submission is held for a person, its `choices` are the files that this person may choose to
    be graded. If our own code fails on a submission, it is held, and its message names the place in
    the code.
    """
    for name, uploads in _matched(list(members), decisions):
        file = _decided(decisions, name, DecisionKind.CHOOSE)
        try:
            submission = _decided_submission(name, uploads, assignment, file)
        except UserError:
            raise
        except Exception as error:
            problem = f"it cannot be read ({place_of(error)}); a person must look at it"
            submission = held_for_review(name, uploads, problem)
        yield submission


def _decided_submission(
    name: str, uploads: StudentUploads, assignment: Assignment, file: str
) -> Submission:
    """Return the submission. If a person chose a `file`, only that file is graded."""
    submission = submission_of(name, uploads, assignment)
    is_held = submission.withheld is Withheld.NEEDS_REVIEW or submission.problem
    if not is_held and not file:
        return submission
    choices = {choice.file.name: choice for choice in _choices(uploads, assignment)}
    if file in choices:
        chosen = replace(uploads, attempts=(choices[file].attempt,))
        submission = submission_of(name, chosen, assignment)
        doubted = submission.withheld is Withheld.NEEDS_REVIEW
        if doubted and not (uploads.doubt or submission.problem):  # because of its time
            submission = submission_of(name, replace(chosen, due=None, late=None), assignment)
        submission = replace(submission, notes=(*submission.notes, f"a person chose {file}"))
    return replace(submission, choices=tuple(choice.file for choice in choices.values()))


def _decided(decisions: Decisions, name: str, kind: DecisionKind) -> str:
    for decision in decisions.get(name, ()):
        if decision.kind is kind:
            return decision.value
    return ""


def _matched(members: list[Member], decisions: Decisions) -> Iterator[Member]:
    """Return the members, with the students that people matched them with.

    A student who is only on the roster is not a member besides the match. Two members of one
    student are held.
    """
    absent: dict[str, Member] = {}
    matches: dict[str, str] = {}
    owners = Counter[str]()
    for name, uploads in members:
        student = uploads.student.id if uploads.student else name
        if uploads.attempts:
            match = _decided(decisions, name, DecisionKind.MATCH)
            if match:
                matches[name] = match
            owners[id_key(match or student)] += 1
        elif uploads.student is not None:
            absent[id_key(name)] = name, uploads
            absent[id_key(student)] = name, uploads
    replaced: set[str] = set()
    for match in matches.values():
        key = id_key(match)
        if key in absent:
            replaced.add(absent[key][0])
    for name, uploads in members:
        if name in matches:
            match = matches[name]
            doubt = ""
            if owners[id_key(match)] > 1:
                doubt = f"{match} has another submission too"
            yield name, replace(_as_of(uploads, match, absent), doubt=doubt)
        elif name not in replaced:
            yield name, uploads


def not_listed(members: Collection[Member], decisions: Decisions) -> list[str]:
    """Return a line about each student whom a person matched with a submission, and who is not on
    the roster.
    """
    on_roster = [uploads for _, uploads in members if uploads.listed is not None]
    if not on_roster:
        return []
    keys: set[str] = set()
    for uploads in on_roster:
        keys |= set(uploads.person.keys(By.LOGIN))
    lines = []
    for name, uploads in members:
        match = _decided(decisions, name, DecisionKind.MATCH) if uploads.attempts else ""
        if match and id_key(match) not in keys:
            lines.append(f"{match}, to whom {name} is assigned, is not on the roster")
    return lines


def _as_of(uploads: StudentUploads, match: str, absent: Mapping[str, Member]) -> StudentUploads:
    """Return the uploads as those of the student with the id `match`."""
    notes = (*uploads.notes, "assigned by a person")
    if id_key(match) not in absent:
        student = uploads.student
        if student is None or id_key(student.id) != id_key(match):
            student = Student(id=match)
        return replace(uploads, student=student, notes=notes)
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


def _modules_beside(entry: Entry, attempt: Attempt, assignment: Assignment) -> list[Entry]:
    """Return the modules in the entry's folder that a submission may have beside it."""
    beside = []
    for file in program_files(attempt, assignment):
        if file is not entry and file.folder == entry.folder:
            beside.append(file)
    extra, _ = extra_modules(beside, assignment)
    modules = chain.from_iterable(extra.values())
    return [replace(module, folder="") for module in modules]


@dataclass(frozen=True, slots=True, kw_only=True)
class _FileChoice:
    file: SourceFile  # as the page shows it: without bytes if it cannot be read or is large
    attempt: Attempt  # only this file


def _choices(uploads: StudentUploads, assignment: Assignment) -> Iterator[_FileChoice]:
    """Return the files to choose from, if the assignment asks for one; otherwise the attempts, if
    there are several.
    """
    expected = assignment.submission_files
    attempts = in_order(uploads)
    remaining = _MAX_CHOICES
    for number, attempt in enumerate(attempts, start=1):
        which = f"attempt {attempt.number or number}" if len(attempts) > 1 else ""
        numbered = replace(attempt, number=attempt.number or number)
        if len(expected) != 1:
            if which:
                yield _FileChoice(file=SourceFile(name=which, data=b""), attempt=numbered)
            continue
        for entry in program_files(attempt, assignment)[:remaining]:
            remaining -= 1
            data = b""
            if entry.kind is EntryKind.FILE:
                with suppress(OSError, RefusedUpload):
                    data = entry.load(_MAX_SHOWN)
            label = f"{which}: {entry.label}" if which else entry.label
            alone = replace(entry, name=expected[0], folder="")
            entries = (alone, *_modules_beside(entry, attempt, assignment))
            chosen = replace(numbered, entries=entries, problem="", wrong_files=None)
            yield _FileChoice(file=SourceFile(name=label, data=data), attempt=chosen)
