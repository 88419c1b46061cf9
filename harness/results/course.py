"""Combine the runs of a course: choose one run for each assignment, and find each student's
results.

Two results belong to the same student if both have the same id on the same platform or the same
email, or if a list of students connects them. Names are not compared, because two people may have
the same name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from pathlib import Path

from harness.common.errors import UserError
from harness.common.people import By, Person, connected, id_key, id_keys, name_keys
from harness.common.words import counted, listed
from harness.model.plan import Assignment
from harness.model.result import RunFacts, SubmissionResult, SubmissionStatus
from harness.model.submission import Student
from harness.results.database import STORE_NAME, StoreReader

# Names of a list that a line shows.
_NAMED = 3
_MAX_RUNS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseRun:
    """A run of one assignment. Its results have no scenarios and no files, to save memory.

    `path` is the run's report folder, relative to the folder that was searched.
    """

    path: str
    facts: RunFacts
    assignment: Assignment
    results: tuple[SubmissionResult, ...]

    @property
    def at(self) -> str:
        """Return the time when the run was finished or, if it was not, started."""
        return self.facts.finished or self.facts.started

    @property
    def mean(self) -> Fraction | None:
        """Return the mean of all students' totals; None if nobody has a total."""
        totals = [result.total for result in self.results if result.total is not None]
        if not totals:
            return None
        return sum(totals, Fraction(0)) / len(totals)

    @property
    def out_of(self) -> Fraction:
        """Return the highest total that a student can have."""
        return max((result.total_out_of for result in self.results), default=Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseStudent:
    """A student, with one result for each run of the course; None for a run without a result."""

    results: tuple[SubmissionResult | None, ...]
    # The entry on the list of students.
    listed: Student | None = None

    @property
    def present(self) -> tuple[SubmissionResult, ...]:
        """Return the student's results, without None."""
        return tuple(result for result in self.results if result is not None)

    @property
    def people(self) -> tuple[Student, ...]:
        """Return the different descriptions of the student (name, id, email) in the runs and on
        the list.
        """
        people = [_student_of(result) for result in self.present]
        if self.listed:
            people.append(self.listed)
        return tuple(dict.fromkeys(people))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the student's different names, or an id if there are none.

        A name counts once, even if its words are in another order.
        """
        names: list[str] = []
        known: set[str] = set()
        for person in self.people:
            keys = name_keys(person.name)
            if keys and known.isdisjoint(keys):
                known.update(keys)
                names.append(person.name)
        return tuple(names) or self.ids[:1]

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the different ids of the student."""
        return tuple(dict.fromkeys(person.id for person in self.people))

    @property
    def marked(self) -> tuple[SubmissionResult, ...]:
        """Return the results that have a total."""
        return tuple(result for result in self.present if result.total is not None)

    @property
    def slip_days(self) -> int:
        """Return the number of slip days (free days of lateness) that the student used in all
        runs.
        """
        return sum(result.late.slip_days for result in self.present if result.late)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """All students of a course, and one run for each assignment."""

    name: str
    runs: tuple[CourseRun, ...]
    students: tuple[CourseStudent, ...]
    # Lines about runs and students that a person must read.
    notices: tuple[str, ...] = ()

    @property
    def slip_days(self) -> int:
        """Return the number of slip days (free days of lateness) that each student has in the
        course.
        """
        most = 0
        for run in self.runs:
            late = run.assignment.late
            if late is not None:
                most = max(most, late.slip_days)
        return most


def is_missing(result: SubmissionResult | None) -> bool:
    """Return whether the student submitted nothing and is not excused."""
    if result is None:
        return True
    return result.status is SubmissionStatus.NO_SUBMISSION and not result.excused


def _student_of(result: SubmissionResult) -> Student:
    return result.student or Student(id=result.id)


def read_course(folder: Path) -> tuple[tuple[CourseRun, ...], tuple[str, ...]]:
    """Read all runs in a folder. Return them, and a message for each run that cannot be read.

    Raise UserError if no run can be read.
    """
    if not folder.is_dir():
        raise UserError(
            "this folder does not exist",
            place=str(folder),
            hint="name the folder that contains the runs",
        )
    paths = sorted(folder.rglob(STORE_NAME))
    if len(paths) > _MAX_RUNS:
        problem = f"has more than {_MAX_RUNS} runs"
        raise UserError(problem, place=str(folder), hint="name the folder of one course's runs")
    runs: list[CourseRun] = []
    unread: list[str] = []
    for path in paths:
        try:
            runs.append(_read_run(folder, path))
        except UserError as error:
            unread.append(str(error))
    if not runs:
        problem = "has no run"
        if unread:
            problem = f"none of the runs here can be read: {unread[0]}"
        hint = "name the folder of harness grade's reports"
        raise UserError(problem, place=str(folder), hint=hint)
    return tuple(runs), tuple(unread)


def _read_run(folder: Path, path: Path) -> CourseRun:
    with StoreReader.read_only(path) as store:
        return CourseRun(
            path=path.parent.relative_to(folder).as_posix(),
            facts=store.facts(),
            assignment=store.plan().assignment,
            results=tuple(map(_in_short, store.run().submissions)),
        )


def _in_short(result: SubmissionResult) -> SubmissionResult:
    """Return a copy of a result without its large parts, because all results of a term are in
    memory at once.
    """
    return replace(result, scenarios=(), causes=(), findings=(), files=(), notes=())


def merge_runs(
    name: str, runs: Sequence[CourseRun], roster: Sequence[tuple[Student, Person]] = ()
) -> Course:
    """Combine these runs to a course.

    Students on the `roster` are included even if they have no results. If an assignment has several
    runs, the latest complete run counts.
    """
    by_assignment: dict[str, list[CourseRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: (run.facts.complete, _seconds(run.at), run.path)):
        by_assignment[run.assignment.id].append(run)
    counting: list[CourseRun] = []
    notices: list[str] = []
    for assignment in sorted(by_assignment, key=lambda id_: (_in_numbers(id_), id_)):
        chosen, *others = reversed(by_assignment[assignment])
        counting.append(chosen)
        for other in others:
            notices.append(_which_counts(chosen, other))
        if not chosen.facts.complete:
            notices.append(f"{chosen.path}: this run is not complete: grade again to finish it")
    students, lines = _students(counting, roster)
    return Course(name=name, runs=tuple(counting), students=students, notices=(*notices, *lines))


def _in_numbers(name: str) -> list[tuple[int, str]]:
    """Return a sort key that compares numbers by value, so that a10 comes after a2."""
    key = []
    for part in re.split(r"(\d+)", name):
        if part.isdecimal():
            key.append((int(part), ""))
        else:
            key.append((-1, part))
    return key


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _which_counts(run: CourseRun, other: CourseRun) -> str:
    """Return a message that says why `run` counts and `other` does not."""
    if run.facts.complete != other.facts.complete:
        why = f"{other.path} is not complete"
    elif _seconds(run.at) == _seconds(other.at):
        why = "both have the same time, and its name is the last"
    else:
        why = f"it is from {run.at}, the other from {other.at}"
    line = f"{run.assignment.id}: {run.path} counts, not {other.path}: {why}"
    ids = {id_key(_student_of(result).id) for result in run.results}
    lost = []
    for result in other.results:
        if id_key(_student_of(result).id) not in ids:
            lost.append(result.id)
    if lost:
        line += f"; only in the other: {_first(lost)}"
    return line


def _first(names: Sequence[str]) -> str:
    """List the first few names, then the number of all others: "ada, bob and 3 more"."""
    shown = list(names[:_NAMED])
    more = len(names) - _NAMED
    if more > 0:
        shown.append(f"{more} more")
    return listed(shown)


def _students(
    runs: Sequence[CourseRun], roster: Sequence[tuple[Student, Person]]
) -> tuple[tuple[CourseStudent, ...], list[str]]:
    """Return the students with their results, and a message for each student who is in doubt."""
    submitted: list[tuple[int, SubmissionResult]] = []
    keys: list[frozenset[str]] = []
    for number, run in enumerate(runs):
        for result in run.results:
            submitted.append((number, result))
            keys.append(_keys(run, result))
    keys += _roster_keys(runs, roster)
    notices: list[str] = []
    students: list[CourseStudent] = []
    for group in connected(keys):
        results: list[tuple[int, SubmissionResult]] = []
        listed_students: list[Student] = []
        for place in group:
            if place < len(submitted):
                results.append(submitted[place])
            else:
                student, _ = roster[place - len(submitted)]
                listed_students.append(student)
        by_run = dict(results)
        if len(by_run) == len(results):
            first_listed = next(iter(listed_students), None)
            students.append(_course_student(runs, by_run, first_listed))
            continue
        who = _first([result.id for _, result in results])
        notices.append(f"{who} share one id or email, but have several submissions: not added up")
        for number, result in results:
            students.append(_course_student(runs, {number: result}, None))
    students.sort(key=lambda student: (student.names[0].casefold(), student.ids))
    return tuple(students), [*notices, *_same_names(students)]


def _course_student(
    runs: Sequence[CourseRun], by_run: Mapping[int, SubmissionResult], entry: Student | None
) -> CourseStudent:
    results = [by_run.get(number) for number in range(len(runs))]
    return CourseStudent(results=tuple(results), listed=entry)


def _roster_keys(
    runs: Sequence[CourseRun], roster: Sequence[tuple[Student, Person]]
) -> Iterator[frozenset[str]]:
    """Yield the set of keys for each student on the list.

    Since the list names no platform, its ids are combined with every platform.
    """
    platforms = set(map(_platforms, runs))
    for _, person in roster:
        ids = person.keys(By.LOGIN)
        of_platforms: list[str] = []
        for platform in platforms:
            for id_ in ids:
                of_platforms.append(f"{id_} of {platform}")
        yield ids | id_keys(of_platforms)


def _keys(run: CourseRun, result: SubmissionResult) -> frozenset[str]:
    """Return the keys of a result's student. Results with a common key belong to the same student.

    An id is combined with its platform, because another platform may have given it to somebody
    else.
    """
    student = _student_of(result)
    id_of_platform = f"{student.id.strip() or result.id} of {_platforms(run)}"
    return id_keys([id_of_platform, student.email])


def _platforms(run: CourseRun) -> str:
    if run.facts.cohort is None:
        return ""
    return " and ".join(run.facts.cohort.layouts)


def _same_names(students: Sequence[CourseStudent]) -> list[str]:
    """Return a message about students with the same name, who may be one person with two ids;
    empty if there are none.
    """
    counts: Counter[str] = Counter()
    for student in students:
        counts.update(_all_keys(student))
    alike = []
    for student in students:
        if any(counts[key] > 1 for key in _all_keys(student)):
            alike.append(f"{student.names[0]} ({student.ids[0]})")
    if not alike:
        return []
    return [
        f"{counted(len(alike), 'student')} have the same name as another: {_first(alike)}. If two "
        "are one person, add --roster with a line that has both ids, or an id and an email"
    ]


def _all_keys(student: CourseStudent) -> frozenset[str]:
    keys: set[str] = set()
    for person in student.people:
        keys.update(name_keys(person.name))
    return frozenset(keys)


def find_student(course: Course, name: str) -> CourseStudent:
    """Return the student with this id, email or name.

    Raise UserError if there is none, or more than one.
    """
    students = _with_id(course, name)
    if not students:
        keys = name_keys(name)
        students = [student for student in course.students if keys & _all_keys(student)]
    if not students:
        raise UserError(f"no student {name!r}", hint="write an id, an email or a full name")
    if len(students) > 1:
        ids = _first([student.ids[0] for student in students])
        problem = f"{counted(len(students), 'student')} are called {name!r}"
        raise UserError(problem, hint=f"name {ids}")
    return students[0]


def _with_id(course: Course, name: str) -> list[CourseStudent]:
    """Return the students with this id or email."""
    found = []
    for student in course.students:
        emails = [person.email for person in student.people]
        if id_key(name) in id_keys([*student.ids, *emails]):
            found.append(student)
    return found
