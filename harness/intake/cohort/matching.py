"""Who handed in and who should have: the roster, extensions, groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harness.common.errors import UserError
from harness.common.person_names import by_name_line, id_key, name_keys
from harness.intake.cohort.roster import Listed
from harness.intake.cohort.terms import Extension
from harness.intake.files.entries import listed
from harness.intake.files.uploads import StudentUploads
from harness.intake.selecting import NO_DUE, Due
from harness.model.submission import Student


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassMember:
    """One student: what was handed in (no attempts: nothing), what it is held to, and the line of
    the roster."""

    uploads: StudentUploads
    due: Due = NO_DUE
    listed: Listed | None = None


def on_roster(
    everybody: Sequence[StudentUploads], roster: Sequence[Listed], place: str
) -> tuple[list[ClassMember], list[str]]:
    """Everybody who handed in and everybody who should have; and lines about those who are in one
    place only.

    A student is found by id or email, else by a name that nobody else has. Raises UserError when
    nobody of the roster is found.
    """
    by_id = _by_id(everybody, roster)
    by_name = _by_name(everybody, roster, by_id)
    lines = by_id | by_name
    members = [_known(uploads, lines.get(index)) for index, uploads in enumerate(everybody)]
    if everybody and not lines:
        raise UserError(
            "nobody on the roster is among those who handed in",
            place=place,
            hint="see whether its ids are the platform's, or its names complete",
        )
    strangers = [s.uploads.identity for s in members if s.listed is None]
    found = {id(line) for line in lines.values()}
    missing = [line for line in roster if id(line) not in found]
    unsure = _names(member.uploads for member in members if member.listed is None)
    members += [_absent(line, members, unsure) for line in missing]
    alone = [_by_name_alone(everybody[index], by_name[index]) for index in sorted(by_name)]
    notices = by_name_line(alone)
    if strangers:
        are = "is" if len(strangers) == 1 else "are"
        notices.append(f"{listed(strangers)} {are} not on the roster")
    return members, notices


def _by_name_alone(uploads: StudentUploads, line: Listed) -> str:
    """Both names, so that a person can see whether it is the same one."""
    own = uploads.student.name if uploads.student else ""
    who = f"{uploads.identity} ({own})" if own and own != uploads.identity else uploads.identity
    return f"{who} is taken to be {line.place}: {line.student.name}"


def with_extensions(
    members: Sequence[ClassMember], extensions: Sequence[Extension], due: Due
) -> tuple[list[ClassMember], list[str]]:
    """Everybody with the time due, and lines about extensions of nobody here: whoever has one may
    not have handed in yet. UserError for one of several, for one before the class's due time, and
    where all are of nobody."""
    by_key: dict[str, set[int]] = defaultdict(set)
    for index, member in enumerate(members):
        for key in _keys(member.uploads) | (member.listed.ids if member.listed else set()):
            by_key[key].add(index)
    held = [replace(member, due=due) for member in members]
    known = listed(sorted(member.uploads.identity for member in members)[:3])
    unknown = []
    for extension in extensions:
        if due.at is not None and extension.due < due.at:
            raise UserError(
                f"the extension of {extension.id} ends before the time due for all",
                place=extension.place,
                hint="correct it, or leave the line out",
            )
        meant = by_key.get(id_key(extension.id), set())
        if len(meant) > 1:
            raise UserError(
                f"{len(meant)} students are called {extension.id}",
                place=extension.place,
                hint=f"ids here are like {known}",
            )
        unknown += [] if meant else [extension]
        for index in meant:
            held[index] = replace(held[index], due=Due(at=extension.due, extended=True))
    if unknown and len(unknown) == len(extensions):
        what, hint = f"there is no student {unknown[0].id}", f"ids here are like {known}"
        raise UserError(what, place=unknown[0].place, hint=hint)
    lines = [
        f"{e.place}: there is no student {e.id}, so the extension is not used" for e in unknown
    ]
    return held, lines


def _by_id(everybody: Sequence[StudentUploads], roster: Sequence[Listed]) -> dict[int, Listed]:
    """The line of the roster for each of everybody (by position) whose id or email it has."""
    by_id: dict[str, list[Listed]] = defaultdict(list)
    for line in roster:
        for key in line.ids | {id_key(line.student.email)} - {""}:
            by_id[key].append(line)
    lines: dict[int, Listed] = {}
    for index, uploads in enumerate(everybody):
        meant = {id(line): line for key in _keys(uploads) for line in by_id.get(key, ())}
        if len(meant) == 1:
            lines[index] = next(iter(meant.values()))
    return lines


def _by_name(
    everybody: Sequence[StudentUploads], roster: Sequence[Listed], known: dict[int, Listed]
) -> dict[int, Listed]:
    """The line of each other who has a name that nobody else has, here or there."""
    lines: dict[int, Listed] = {}
    taken = {id(line) for line in known.values()}
    by_name: dict[str, list[Listed]] = defaultdict(list)
    for line in roster:
        for key in name_keys(line.student.name):
            by_name[key].append(line)
    named: dict[str, list[int]] = defaultdict(list)
    for index, uploads in enumerate(everybody):
        for key in _name_keys(uploads):
            named[key].append(index)
    for key, indexes in named.items():
        meant_lines = by_name.get(key, [])
        if len(indexes) != 1 or len(meant_lines) != 1 or indexes[0] in known:
            continue
        if id(meant_lines[0]) not in taken:
            lines.setdefault(indexes[0], meant_lines[0])
    return lines


def _known(uploads: StudentUploads, line: Listed | None) -> ClassMember:
    if line is None:
        return ClassMember(uploads=uploads)
    own = uploads.student or line.student
    student = Student(
        id=own.id, name=line.student.name or own.name, email=own.email or line.student.email
    )
    attempts = uploads.attempts
    if line.handed_in is not None and len(attempts) == 1 and attempts[0].at is None:
        attempts = (replace(attempts[0], at=line.handed_in),)
    return ClassMember(uploads=replace(uploads, student=student, attempts=attempts), listed=line)


def _absent(line: Listed, members: Sequence[ClassMember], unsure: set[str]) -> ClassMember:
    """Somebody of whom nothing was found: another of the group may have handed in."""
    one = StudentUploads(identity=line.student.id, student=line.student, attempts=())
    if name_keys(line.student.name) & unsure:
        why = "somebody of this name handed in, and nothing tells who of several it is"
        return ClassMember(uploads=replace(one, doubt=why), listed=line)
    theirs = [s for s in members if line.group and _is_of_group(s, line.group)]
    origins = {attempt.files.origin for s in theirs for attempt in s.uploads.attempts}
    if not origins:
        return ClassMember(uploads=one, listed=line)
    first = theirs[0].uploads
    if any({a.files.origin for a in s.uploads.attempts} != origins for s in theirs):
        doubt = "several of the group handed in"
        return ClassMember(uploads=replace(one, attempts=first.attempts, doubt=doubt), listed=line)
    by = first.student.name or first.student.id if first.student else first.identity
    notes = (f"handed in by {by} for the group",)
    theirs_too = replace(first, identity=one.identity, student=one.student, notes=notes)
    return ClassMember(uploads=theirs_too, listed=line)


def _is_of_group(member: ClassMember, group: str) -> bool:
    uploads = member.uploads
    if not uploads.attempts:
        return False
    if member.listed is not None:
        return member.listed.group == group
    return bool(name_keys(group) & _name_keys(uploads))


def _keys(uploads: StudentUploads) -> set[str]:
    own = uploads.student
    keys = {uploads.identity, own.id if own else "", own.email if own else ""}
    return {id_key(key) for key in keys} - {""}


def _name_keys(uploads: StudentUploads) -> frozenset[str]:
    return name_keys(uploads.student.name if uploads.student else uploads.identity)


def _names(everybody: Iterable[StudentUploads]) -> set[str]:
    return {key for uploads in everybody for key in _name_keys(uploads)}
