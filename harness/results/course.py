"""The runs of a course: which of them count, and who of one is who in another.

Students are one person by an id or an email that both runs have, or that a list of students
connects. Names connect nobody: two people may have one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from pathlib import Path

from harness.common.errors import UserError
from harness.common.people import By, Person, id_key, id_keys, name_keys
from harness.common.words import counted, listed
from harness.model.plan import Plan
from harness.model.result import RunFacts, SubmissionResult, SubmissionStatus
from harness.model.submission import Student
from harness.results.database import STORE_NAME, StoreReader

_NAMED = 3  # of a list, in a line
_MOST_RUNS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseEntry:
    """What one run has of one student."""

    id: str
    student: Student  # of the submission's id alone where nothing else is known
    status: SubmissionStatus
    out_of: Fraction
    total: Fraction | None = None  # exact; None: excused, no mark, or not all of it yet
    waits: tuple[str, ...] = ()  # titles of the marks by hand that are not given yet
    excused: str = ""
    slip_days: int = 0

    @property
    def is_missing(self) -> bool:
        """Whether nothing was handed in."""
        return self.status is SubmissionStatus.NO_SUBMISSION and not self.excused


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseRun:
    """A run, read; `path` is its report folder, below the one that was named."""

    path: str
    assignment: str
    title: str
    course: str
    at: str  # when it was finished, or begun; ISO 8601
    complete: bool
    entries: tuple[CourseEntry, ...]
    layouts: tuple[str, ...] = ()  # the platforms, whose ids they are
    slip_days: int = 0  # that a student has in the whole course

    @property
    def mean(self) -> Fraction | None:
        """Of the totals that there are."""
        totals = [each.total for each in self.entries if each.total is not None]
        return sum(totals, Fraction(0)) / len(totals) if totals else None

    @property
    def out_of(self) -> Fraction:
        return max((each.out_of for each in self.entries), default=Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseStudent:
    """One student: of each run that counts, in their order, what it has; None: nothing."""

    entries: tuple[CourseEntry | None, ...]
    listed: Student | None = None  # on the list of students

    @property
    def people(self) -> tuple[Student, ...]:
        """As the runs and the list call the student, each once."""
        own = (each.student for each in self.entries if each is not None)
        return tuple(dict.fromkeys((*own, *([self.listed] if self.listed else ()))))

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are not the same letters in another order, or the ids of who has none."""
        found: dict[frozenset[str], str] = {}
        for name in (each.name for each in self.people if each.name):
            if not any(keys & name_keys(name) for keys in found):
                found[name_keys(name)] = name
        return tuple(found.values()) or self.ids[:1]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.id for each in self.people))

    @property
    def marked(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Each total that there is, and what it is out of."""
        found = [each for each in self.entries if each is not None]
        return tuple((each.total, each.out_of) for each in found if each.total is not None)

    @property
    def slip_days(self) -> int:
        """Used in all."""
        return sum(each.slip_days for each in self.entries if each is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The runs that count, one an assignment, and everybody; `notices` are lines about runs and
    students that a person must read."""

    name: str
    runs: tuple[CourseRun, ...]
    students: tuple[CourseStudent, ...]
    notices: tuple[str, ...] = ()

    @property
    def slip_days(self) -> int:
        """How many a student has."""
        return max((run.slip_days for run in self.runs), default=0)


def read_course(folder: Path) -> tuple[tuple[CourseRun, ...], tuple[str, ...]]:
    """The runs whose databases are below a folder, and a line for each that cannot be read.
    UserError where there is none that can."""
    if not folder.is_dir():
        raise UserError("there is no such folder", place=str(folder), hint="name that of the runs")
    paths = sorted(folder.rglob(STORE_NAME))
    if len(paths) > _MOST_RUNS:
        what = f"has more than {_MOST_RUNS} runs"
        raise UserError(what, place=str(folder), hint="name the folder of one course's runs")
    runs, unread = [], []
    for path in paths:
        try:
            runs.append(_read(path, path.parent.relative_to(folder).as_posix()))
        except UserError as error:
            unread.append(str(error))
    if not runs:
        what = f"none of the runs here can be read: {unread[0]}" if unread else "has no run"
        raise UserError(what, place=str(folder), hint="name the folder of harness grade's reports")
    return tuple(runs), tuple(unread)


def _read(path: Path, name: str) -> CourseRun:
    with StoreReader.read_only(path) as store:
        facts, plan = store.facts(), store.plan()
        return course_run(name, facts, plan, store.run().submissions)


def course_run(
    path: str, facts: RunFacts, plan: Plan, submissions: Iterable[SubmissionResult]
) -> CourseRun:
    """A run as a course needs it: nothing of scenarios and files."""
    assignment = plan.assignment
    return CourseRun(
        path=path,
        assignment=assignment.id,
        title=assignment.title,
        course=assignment.course,
        at=facts.finished or facts.started,
        complete=facts.complete,
        entries=tuple(map(_entry, submissions)),
        layouts=facts.cohort.layouts if facts.cohort is not None else (),
        slip_days=assignment.late.slip_days if assignment.late is not None else 0,
    )


def _entry(result: SubmissionResult) -> CourseEntry:
    return CourseEntry(
        id=result.id,
        student=result.student or Student(id=result.id),
        status=result.status,
        out_of=result.total_out_of,
        total=result.total,
        waits=tuple(part.slot.title for part in result.manual if part.mark is None),
        excused=result.excused,
        slip_days=result.late.slip_days if result.late is not None else 0,
    )


def put_together(
    name: str, runs: Sequence[CourseRun], roster: Sequence[tuple[Student, Person]] = ()
) -> Course:
    """The course of these runs. Of two runs of one assignment the complete one counts, of two such
    the later one. Who is on the `roster` is in it, whether there is anything of them or not."""
    of_assignment: dict[str, list[CourseRun]] = defaultdict(list)
    for run in runs:
        of_assignment[run.assignment].append(run)
    counting, notices = [], []
    for each in sorted(of_assignment, key=_in_numbers):
        first, *others = sorted(of_assignment[each], key=_rank, reverse=True)
        counting.append(first)
        notices += [_which_counts(first, other) for other in others]
        if not first.complete:
            notices.append(f"{first.path}: this run is not complete: grade again to finish it")
    students, lines = _students(counting, roster)
    return Course(name=name, runs=tuple(counting), students=students, notices=(*notices, *lines))


def _in_numbers(name: str) -> list[tuple[int, str]]:
    """So that a10 comes after a2."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def _rank(run: CourseRun) -> tuple[bool, float, str]:
    return run.complete, _seconds(run.at), run.path


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _which_counts(run: CourseRun, other: CourseRun) -> str:
    if run.complete != other.complete:
        why = f"{other.path} is not complete"
    elif _seconds(run.at) == _seconds(other.at):
        why = "both are of the same time, and it is the last by name"
    else:
        why = f"it is of {run.at}, the other of {other.at}"
    ids = {id_key(each.student.id) for each in run.entries}
    lost = [each.id for each in other.entries if id_key(each.student.id) not in ids]
    line = f"{run.assignment}: {run.path} counts, not {other.path}: {why}"
    return f"{line}; only in the other: {_first(lost)}" if lost else line


def _first(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return listed([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])


_Own = tuple[int, CourseEntry]  # the place of a run, and an entry of it


def _students(
    runs: Sequence[CourseRun], roster: Sequence[tuple[Student, Person]]
) -> tuple[tuple[CourseStudent, ...], list[str]]:
    own: list[_Own] = [(at, each) for at, run in enumerate(runs) for each in run.entries]
    alien = _aliens(runs)
    keys = [_keys(runs[at], each, alien) for at, each in own]
    keys += [person.keys(By.LOGIN) for _, person in roster]
    notices = [
        f"{key}: {_first(names)} have this id on different platforms: not put together"
        for key, names in sorted(alien.items())
    ]
    students = []
    for group in _connected(keys):
        entries = [own[at] for at in group if at < len(own)]
        lines = [roster[at - len(own)][0] for at in group if at >= len(own)]
        if len({at for at, _ in entries}) < len(entries):
            who = _first([each.id for _, each in entries])
            notices.append(f"{who} have one id or email and several submissions: not put together")
            students += [_student(len(runs), [each]) for each in entries]
        else:
            students.append(_student(len(runs), entries, lines[0] if lines else None))
    students.sort(key=lambda each: (each.names[0].casefold(), each.ids))
    return tuple(students), [*notices, *_same_names(students)]


def _student(count: int, own: Iterable[_Own], listed: Student | None = None) -> CourseStudent:
    entries: list[CourseEntry | None] = [None] * count
    for at, each in own:
        entries[at] = each
    return CourseStudent(entries=tuple(entries), listed=listed)


def _aliens(runs: Sequence[CourseRun]) -> dict[str, list[str]]:
    """Ids that different platforms gave to people of different names, with these."""
    seen: dict[str, dict[tuple[str, ...], Student]] = defaultdict(dict)
    for run in runs:
        for each in run.entries:
            seen[id_key(each.student.id)].setdefault(run.layouts, each.student)
    found = {}
    for key, people in seen.items():
        names = [each.name for each in people.values() if each.name]
        first = name_keys(names[0]) if names else frozenset()
        if any(first.isdisjoint(name_keys(name)) for name in names):
            found[key] = names
    return found


def _keys(run: CourseRun, entry: CourseEntry, alien: Iterable[str]) -> frozenset[str]:
    key = id_key(entry.student.id)
    own = f"{key} of {run.layouts}" if key in alien else key
    return id_keys([own, entry.student.email]) or frozenset([f"{entry.id} of {run.path}"])


def _connected(keys: Sequence[frozenset[str]]) -> Iterator[list[int]]:
    """The places of those that share a key, or are connected through others."""
    leader: dict[str, str] = {}

    def find(key: str) -> str:
        while leader.setdefault(key, key) != key:
            leader[key] = key = leader[leader[key]]
        return key

    for each in keys:
        first, *others = sorted(each)
        for other in others:
            leader[find(other)] = find(first)
    groups: dict[str, list[int]] = defaultdict(list)
    for at, each in enumerate(keys):
        groups[find(min(each))].append(at)
    yield from groups.values()


def _same_names(students: Sequence[CourseStudent]) -> list[str]:
    """A line about those who may be one person under two ids."""
    named = Counter(key for each in students for key in _all_keys(each))
    alike = [each for each in students if any(named[key] > 1 for key in _all_keys(each))]
    if not alike:
        return []
    who = _first([f"{each.names[0]} ({each.ids[0]})" for each in alike])
    return [
        f"{counted(len(alike), 'student')} share a name with another: {who}; those who are one "
        "person need a --roster that has both ids, or an id and an email, in one line"
    ]


def _all_keys(student: CourseStudent) -> frozenset[str]:
    return frozenset(key for each in student.people for key in name_keys(each.name))


def find_student(course: Course, name: str) -> CourseStudent:
    """The one with this id, email or name; UserError where that is nobody, or several."""
    key = id_key(name)
    found = [
        each
        for each in course.students
        if key in id_keys([*each.ids, *(who.email for who in each.people)])
    ] or [each for each in course.students if name_keys(name) & _all_keys(each)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"no student {name!r}", hint="name an id, an email or a whole name")
    ids = _first([each.ids[0] for each in found])
    raise UserError(f"{counted(len(found), 'student')} are called {name!r}", hint=f"name {ids}")
