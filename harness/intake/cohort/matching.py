"""Who handed in, held against who should have: the roster, extensions, groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harness.common.errors import UserError
from harness.common.person_names import id_key, name_keys
from harness.intake.cohort.attempts import NO_DUE, Due
from harness.intake.cohort.roster import Listed
from harness.intake.cohort.terms import Extension
from harness.intake.entries import listed
from harness.intake.uploads import StudentUploads
from harness.model.submission import Student


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterEntry:
    """One student: what was handed in (no attempts: nothing), what it is held to, and the line of
    the roster."""

    handed: StudentUploads
    due: Due = NO_DUE
    listed: Listed | None = None


def on_roster(
    everybody: Sequence[StudentUploads], roster: Sequence[Listed], place: str
) -> tuple[list[RosterEntry], list[str]]:
    """Everybody who handed in and everybody who should have; and lines about those who are in one
    place only.

    A student is found by id or email, else by a name that nobody else has. Raises UserError when
    nobody of the roster is found.
    """
    by_id = _by_id(everybody, roster)
    by_name = _by_name(everybody, roster, by_id)
    lines = by_id | by_name
    standings = [_known(handed, lines.get(index)) for index, handed in enumerate(everybody)]
    if everybody and not lines:
        raise UserError(
            "nobody on the roster is among those who handed in",
            place=place,
            hint="see whether its ids are the platform's, or its names complete",
        )
    alone = [everybody[index].identity for index in sorted(by_name)]
    strangers = [s.handed.identity for s in standings if s.listed is None]
    found = {id(line) for line in lines.values()}
    missing = [line for line in roster if id(line) not in found]
    unsure = _names(standing.handed for standing in standings if standing.listed is None)
    standings += [_absent(line, standings, unsure) for line in missing]
    notices = []
    if alone:
        were = "was" if len(alone) == 1 else "were"
        notices.append(f"{listed(alone)} {were} found on the roster by name alone")
    if strangers:
        are = "is" if len(strangers) == 1 else "are"
        notices.append(f"{listed(strangers)} {are} not on the roster")
    return standings, notices


def with_extensions(
    standings: Sequence[RosterEntry], extensions: Sequence[Extension], due: Due
) -> list[RosterEntry]:
    """Everybody with the time due; UserError for an extension of nobody, or of several."""
    by_key: dict[str, set[int]] = defaultdict(set)
    for index, standing in enumerate(standings):
        for key in _keys(standing.handed) | (standing.listed.ids if standing.listed else set()):
            by_key[key].add(index)
    held = [replace(standing, due=due) for standing in standings]
    for extension in extensions:
        meant = by_key.get(id_key(extension.id), set())
        if len(meant) != 1:
            what = "there is no student" if not meant else f"{len(meant)} students are called"
            known = listed(sorted(standing.handed.identity for standing in standings)[:3])
            raise UserError(
                f"{what} {extension.id}", place=extension.place, hint=f"ids here are like {known}"
            )
        (index,) = meant
        held[index] = replace(held[index], due=Due(at=extension.due, extended=True))
    return held


def _by_id(everybody: Sequence[StudentUploads], roster: Sequence[Listed]) -> dict[int, Listed]:
    """The line of the roster for each of everybody (by position) whose id or email it has."""
    by_id: dict[str, list[Listed]] = defaultdict(list)
    for line in roster:
        for key in line.ids | {id_key(line.student.email)} - {""}:
            by_id[key].append(line)
    lines: dict[int, Listed] = {}
    for index, handed in enumerate(everybody):
        meant = {id(line): line for key in _keys(handed) for line in by_id.get(key, ())}
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
    for index, handed in enumerate(everybody):
        for key in _name_keys(handed):
            named[key].append(index)
    for key, indexes in named.items():
        meant_lines = by_name.get(key, [])
        if len(indexes) != 1 or len(meant_lines) != 1 or indexes[0] in known:
            continue
        if id(meant_lines[0]) not in taken:
            lines.setdefault(indexes[0], meant_lines[0])
    return lines


def _known(handed: StudentUploads, line: Listed | None) -> RosterEntry:
    if line is None:
        return RosterEntry(handed=handed)
    own = handed.student or line.student
    student = Student(
        id=own.id, name=line.student.name or own.name, email=own.email or line.student.email
    )
    attempts = handed.attempts
    if line.handed_in is not None and len(attempts) == 1 and attempts[0].at is None:
        attempts = (replace(attempts[0], at=line.handed_in),)
    return RosterEntry(handed=replace(handed, student=student, attempts=attempts), listed=line)


def _absent(line: Listed, standings: Sequence[RosterEntry], unsure: set[str]) -> RosterEntry:
    """Somebody of whom nothing was found: another of the group may have handed in."""
    one = StudentUploads(identity=line.student.id, student=line.student, attempts=())
    if name_keys(line.student.name) & unsure:
        why = "somebody of this name handed in, and nothing tells who of several it is"
        return RosterEntry(handed=replace(one, doubt=why), listed=line)
    theirs = [s for s in standings if line.group and _is_of_group(s, line.group)]
    origins = {attempt.found.origin for s in theirs for attempt in s.handed.attempts}
    if not origins:
        return RosterEntry(handed=one, listed=line)
    first = theirs[0].handed
    if any({a.found.origin for a in s.handed.attempts} != origins for s in theirs):
        doubt = "several of the group handed in"
        return RosterEntry(handed=replace(one, attempts=first.attempts, doubt=doubt), listed=line)
    by = first.student.name or first.student.id if first.student else first.identity
    notes = (f"handed in by {by} for the group",)
    theirs_too = replace(first, identity=one.identity, student=one.student, notes=notes)
    return RosterEntry(handed=theirs_too, listed=line)


def _is_of_group(standing: RosterEntry, group: str) -> bool:
    handed = standing.handed
    if not handed.attempts:
        return False
    if standing.listed is not None:
        return standing.listed.group == group
    return bool(name_keys(group) & _name_keys(handed))


def _keys(handed: StudentUploads) -> set[str]:
    own = handed.student
    keys = {handed.identity, own.id if own else "", own.email if own else ""}
    return {id_key(key) for key in keys} - {""}


def _name_keys(handed: StudentUploads) -> frozenset[str]:
    return name_keys(handed.student.name if handed.student else handed.identity)


def _names(everybody: Iterable[StudentUploads]) -> set[str]:
    return {key for handed in everybody for key in _name_keys(handed)}
