"""One tier, ready to grade corpus entries by the real parts, an honest submission beside each."""

from __future__ import annotations

import hashlib
import os
import runpy
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hostile_entries import HERE, Entry
from hostile_machine import Meter, below

from harness.assignment import load
from harness.execution import Driver, find_interpreter
from harness.grading import Grader, make_key
from harness.intake import read
from harness.model import serial
from harness.model.answer_key import AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.result import SubmissionResult, Tier
from harness.model.errors import UserError
from harness.model.specification import Specification
from harness.reporting.pages import feedback_page, submission_page
from harness.results import student_view

CANARY = "canary-5f0c9d2e7ab84c31"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an entry, and of the world around it."""

    results: tuple[SubmissionResult, ...]
    observations: tuple[Observation, ...]
    memory_mib: float
    cpu_seconds: float
    survivors: int
    neighbours_same: bool
    pages: str = ""
    refusals: tuple[str, ...] = ()


def lay_course(folder: Path) -> Specification:
    """The corpus's own small assignment below `folder`."""
    shutil.copytree(HERE / "course", folder, dirs_exist_ok=True)
    return load(folder, "hostile")


class Stage:
    """Grades entries under one driver. `course` is a laid course's folder."""

    def __init__(
        self, specification: Specification, driver: Driver, key: AnswerKey, course: Path
    ) -> None:
        self._specification = specification
        self._driver = driver
        self._key = key
        self.course = course
        self._class = course / "class"
        shutil.copytree(HERE / "course" / "honest", self._class / "honest", dirs_exist_ok=True)
        with self._grader(specification.plan) as grader:
            self._honest = self._grade_honest(grader)

    def run(self, entry: Entry) -> Outcome:
        """Hand it in beside the honest one, grade it, then the honest one again."""
        plan = self._specification.plan
        if entry.expect.door == "archive":
            plan = replace(plan, assignment=replace(plan.assignment, archive="a1.zip"))
        lay(entry, self._class / entry.name, self._facts())
        try:
            if entry.expect.door == "spec":
                return self._refused(entry)
            return self._graded(entry, plan)
        finally:
            shutil.rmtree(self._class / entry.name)

    def _graded(self, entry: Entry, plan: Plan) -> Outcome:
        before = below(os.getpid())
        files_before = _contents(self._class)
        only = frozenset(entry.expect.verdicts) or None
        results: list[SubmissionResult] = []
        observations: list[Observation] = []
        with self._grader(plan) as grader:
            servers = below(os.getpid())
            meter = Meter()
            for submission in read([self._class / entry.name], plan.assignment):
                graded = grader.grade(submission, only=only)
                results.append(graded.result)
                observations += [seen for each in graded.observations.values() for seen in each]
            memory, cpu = meter.memory_mib(), meter.cpu_seconds()
            left = below(os.getpid()) - servers
            honest = self._grade_honest(grader)
        return Outcome(
            results=tuple(results),
            observations=tuple(observations),
            memory_mib=memory,
            cpu_seconds=cpu,
            survivors=len(left | (below(os.getpid()) - before)),
            neighbours_same=honest == self._honest and _contents(self._class) == files_before,
            pages="".join(_pages(result, plan) for result in results),
        )

    def _refused(self, entry: Entry) -> Outcome:
        """Each file as one more scenario file of the course: what loading it says."""
        meter = Meter()
        refusals: list[str] = []
        extra = self.course / "specs" / "hostile" / "extra.yaml"
        for path in sorted((self._class / entry.name).iterdir()):
            shutil.copyfile(path, extra)
            try:
                load(self.course, "hostile")
            except UserError as error:
                refusals.append(f"{path.name}: {error}")
            else:
                refusals.append(f"{path.name} was accepted")
            extra.unlink()
        return Outcome(
            results=(),
            observations=(),
            memory_mib=meter.memory_mib(),
            cpu_seconds=meter.cpu_seconds(),
            survivors=0,
            neighbours_same=True,
            refusals=tuple(refusals),
        )

    def _grader(self, plan: Plan) -> Grader:
        return Grader(plan, self._key, self._driver)

    def _grade_honest(self, grader: Grader) -> str:
        assignment = self._specification.plan.assignment
        (honest,) = read([self._class / "honest"], assignment)
        return serial.dumps(grader.grade(honest).result)

    def _facts(self) -> dict[str, str]:
        return {
            "@DRIVER@": str(os.getpid()),
            "@COURSE@": str(self.course),
            "@NEIGHBOUR@": str(self._class / "honest" / "a1.py"),
            "@PORT@": os.environ.get("HOSTILE_PORT", "9"),
        }


def lay(entry: Entry, folder: Path, facts: Mapping[str, str]) -> None:
    """What the entry hands in, into a new folder: what its `make.py` makes, or else its files.
    Programs are told the facts that an attacker would have to find out."""
    folder.mkdir()
    if (entry.folder / "make.py").exists():
        runpy.run_path(str(entry.folder / "make.py"))["make"](folder)
        return
    for path in entry.folder.iterdir():
        if path.is_file() and path.name != "expect.yaml":
            data = path.read_bytes()
            for name, fact in facts.items():
                data = data.replace(name.encode(), fact.encode())
            (folder / path.name).write_bytes(data)


def _pages(result: SubmissionResult, plan: Plan) -> str:
    return submission_page(result, plan) + feedback_page(student_view(result, plan))


@contextmanager
def staged(tier: Tier, course: Path, driver: Driver | None = None) -> Iterator[Stage]:
    """A stage with a driver of `tier` (or the one given), its key made by it."""
    specification = lay_course(course)
    with ExitStack() as stack:
        if driver is None:
            interpreter = find_interpreter(specification.plan.assignment.python)
            driver = stack.enter_context(Driver(interpreter, tier))
        stack.enter_context(_listening())
        yield Stage(specification, driver, make_key(specification, driver), course)


@contextmanager
def _listening() -> Iterator[None]:
    """Something to connect to; a submission that does finds it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        os.environ["HOSTILE_PORT"] = str(server.getsockname()[1])
        yield


def _contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
