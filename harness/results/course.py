"""The runs of a course: which of them count, and who of one is who in another.

Students are one person by an id of one platform or an email that both runs have, or that a list of
students connects. Names connect nobody: two people may have one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
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

_NAMED = 3  # of a list, in a line
_MOST_RUNS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseRun:
    """A run, read; `path` is its report folder, below the one that was named. The results have
    nothing of scenarios and files."""

    path: str
    facts: RunFacts
    assignment: Assignment
    results: tuple[SubmissionResult, ...]

    @property
    def at(self) -> str:
        """When it was finished, or begun."""
        return self.facts.finished or self.facts.started

    @property
    def mean(self) -> Fraction | None:
        """Of the totals that there are."""
        totals = [each.total for each in self.results if each.total is not None]
        return sum(totals, Fraction(0)) / len(totals) if totals else None

    @property
    def out_of(self) -> Fraction:
        return max((each.total_out_of for each in self.results), default=Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseStudent:
    """One student: what each run that counts has, in their order; None: nothing."""

    results: tuple[SubmissionResult | None, ...]
    listed: Student | None = None  # on the list of students

    @property
    def people(self) -> tuple[Student, ...]:
        """As the runs and the list call the student, each once."""
        own = [_who(each) for each in self.results if each is not None]
        return tuple(dict.fromkeys([*own, *([self.listed] if self.listed else [])]))

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are not the same letters in another order, or an id of who has none."""
        by_key: dict[str, str] = {}
        for name in (each.name for each in self.people):
            if by_key.keys().isdisjoint(name_keys(name)):
                by_key |= dict.fromkeys(name_keys(name), name)
        return tuple(dict.fromkeys(by_key.values())) or self.ids[:1]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.id for each in self.people))

    @property
    def marked(self) -> tuple[SubmissionResult, ...]:
        """Those with a total."""
        return tuple(each for each in self.results if each is not None and each.total is not None)

    @property
    def slip_days(self) -> int:
        """Used in all."""
        return sum(each.late.slip_days for each in self.results if each is not None and each.late)


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
        policies = (run.assignment.late for run in self.runs)
        return max((late.slip_days for late in policies if late is not None), default=0)


def is_missing(result: SubmissionResult | None) -> bool:
    """Whether nothing was handed in, and somebody waits for it."""
    missing = SubmissionStatus.NO_SUBMISSION
    return result is None or (result.status is missing and not result.excused)


def _who(result: SubmissionResult) -> Student:
    return result.student or Student(id=result.id)


def read_course(folder: Path) -> tuple[tuple[CourseRun, ...], tuple[str, ...]]:
    """Read the runs whose databases are below a folder; return them and a line for each unreadable
    one.

    Raise UserError if none can be read.
    """
    if not folder.is_dir():
        raise UserError("there is no such folder", place=str(folder), hint="name that of the runs")
    paths = sorted(folder.rglob(STORE_NAME))
    if len(paths) > _MOST_RUNS:
        what = f"has more than {_MOST_RUNS} runs"
        raise UserError(what, place=str(folder), hint="name the folder of one course's runs")
    runs, unread = [], []
    for path in paths:
        name = path.parent.relative_to(folder).as_posix()
        try:
            with StoreReader.read_only(path) as store:
                facts, assignment = store.facts(), store.plan().assignment
                results = tuple(map(_in_short, store.run().submissions))
        except UserError as error:
            unread.append(str(error))
        else:
            runs.append(CourseRun(path=name, facts=facts, assignment=assignment, results=results))
    if not runs:
        what = f"none of the runs here can be read: {unread[0]}" if unread else "has no run"
        raise UserError(what, place=str(folder), hint="name the folder of harness grade's reports")
    return tuple(runs), tuple(unread)


def _in_short(result: SubmissionResult) -> SubmissionResult:
    """A term's results are in memory together."""
    return replace(result, scenarios=(), causes=(), findings=(), files=(), notes=())


def put_together(
    name: str, runs: Sequence[CourseRun], roster: Sequence[tuple[Student, Person]] = ()
) -> Course:
    """The course of these runs. Of two runs of one assignment the complete one counts, of two such
    the later one. Who is on the `roster` is in it, whether there is anything of them or not."""
    of_assignment: dict[str, list[CourseRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: (run.facts.complete, _seconds(run.at), run.path)):
        of_assignment[run.assignment.id].append(run)
    counting, notices = [], []
    for each in sorted(of_assignment, key=lambda name: (_in_numbers(name), name)):
        first, *others = reversed(of_assignment[each])
        counting.append(first)
        notices += [_which_counts(first, other) for other in others]
        if not first.facts.complete:
            notices.append(f"{first.path}: this run is not complete: grade again to finish it")
    students, lines = _students(counting, roster)
    return Course(name=name, runs=tuple(counting), students=students, notices=(*notices, *lines))


def _in_numbers(name: str) -> list[tuple[int, str]]:
    """So that a10 comes after a2."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _which_counts(run: CourseRun, other: CourseRun) -> str:
    if run.facts.complete != other.facts.complete:
        why = f"{other.path} is not complete"
    elif _seconds(run.at) == _seconds(other.at):
        why = "both are of the same time, and it is the last by name"
    else:
        why = f"it is of {run.at}, the other of {other.at}"
    ids = {id_key(_who(each).id) for each in run.results}
    lost = [each.id for each in other.results if id_key(_who(each).id) not in ids]
    line = f"{run.assignment.id}: {run.path} counts, not {other.path}: {why}"
    return f"{line}; only in the other: {_first(lost)}" if lost else line


def _first(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return listed([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def _students(
    runs: Sequence[CourseRun], roster: Sequence[tuple[Student, Person]]
) -> tuple[tuple[CourseStudent, ...], list[str]]:
    own = [(at, each) for at, run in enumerate(runs) for each in run.results]
    keys = [_keys(runs[at], each) for at, each in own]
    platforms = {*map(_platforms, runs)}
    for _, person in roster:
        ids = person.keys(By.LOGIN)
        keys.append(ids | id_keys(f"{key} of {each}" for key in ids for each in platforms))
    notices, students = [], []
    for group in connected(keys):
        submitted = [own[at] for at in group if at < len(own)]
        named = next((roster[at - len(own)][0] for at in group if at >= len(own)), None)
        parts = [dict(submitted)]
        if len(parts[0]) < len(submitted):
            who = _first([each.id for _, each in submitted])
            notices.append(f"{who} have one id or email and several submissions: not put together")
            parts, named = [dict([each]) for each in submitted], None
        for of_runs in parts:
            results = tuple(of_runs.get(at) for at in range(len(runs)))
            students.append(CourseStudent(results=results, listed=named))
    students.sort(key=lambda each: (each.names[0].casefold(), each.ids))
    return tuple(students), [*notices, *_same_names(students)]


def _keys(run: CourseRun, result: SubmissionResult) -> frozenset[str]:
    """An id is a platform's: another platform may have given it to somebody else."""
    who = _who(result)
    of_platform = f"{who.id.strip() or result.id} of {_platforms(run)}"
    return id_keys([of_platform, who.email])


def _platforms(run: CourseRun) -> str:
    return " and ".join(run.facts.cohort.layouts if run.facts.cohort is not None else ())


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
    """Return the student with this id, email or name. Raise UserError if there is none, or
    several."""
    students = [
        each
        for each in course.students
        if id_key(name) in id_keys([*each.ids, *(who.email for who in each.people)])
    ] or [each for each in course.students if name_keys(name) & _all_keys(each)]
    if not students:
        raise UserError(f"no student {name!r}", hint="name an id, an email or a whole name")
    if len(students) > 1:
        what = f"{counted(len(students), 'student')} are called {name!r}"
        raise UserError(what, hint=f"name {_first([each.ids[0] for each in students])}")
    return students[0]
