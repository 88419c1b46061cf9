"""Stand-ins for what costs most in a test: an engine that grades in this process, and drivers that
live on from one command to the next. The driver and its confinement are real, the worker process is
left out. What is about workers or about drivers themselves uses the pool, and processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import harness
from harness.common import serial
from harness.execution import AnyDriver, Driver, Interpreter
from harness.grading import machine
from harness.grading.context import GradingContext
from harness.grading.engines import CausesJob, Job, WorkerFailure, WorkerSetup
from harness.grading.engines.local import worker_pool
from harness.grading.engines.worker import grade_in_turn
from harness.grading.grader import Graded, Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.assignment import SourceFile
from harness.model.observation import Tier
from harness.model.plan import Plan, Specification
from harness.model.result import RunResult, of_submission
from harness.model.submission import Submission
from harness.model.verdict import VerdictKind
from harness.results.reuse import Piece
from harness.study.fuzz.searching import comparer_pool
from harness.study.fuzz.worker import Setup, Unit, UnitResult, Worker


def real_drivers() -> ExitStack:
    """Within this block each task begins a driver of its own again, in a copy of a process with
    drivers that answer that process alone."""
    stack = ExitStack()
    for begin in (machine.create_driver, machine.terminal_driver):
        stack.enter_context(begin.replaced_by(begin.original))
    return stack


class InlineEngine(AbstractContextManager["InlineEngine"]):
    """Takes the arguments of a pool of workers, and grades one job after the other."""

    def __init__(self, jobs: int | None = None) -> None:
        """Nobody is started."""

    def __exit__(self, *_: object) -> None:
        """Nothing lives on: the driver ends with the last job."""

    def run(self, setup: WorkerSetup, jobs: Iterable[Job]) -> Iterator[tuple[Job, Any]]:
        waiting = list(jobs)
        if waiting:
            yield from grade_in_turn(setup, iter(waiting))


class GradedPrograms:
    """The messages about each program that was graded, by program, plan and answer key.

    The fixture `programs_graded_once` makes one and ends it: the only memory of grades that several
    tests share. Without that fixture nothing is remembered.
    """

    current: ClassVar[GradedPrograms | None] = None

    def __init__(self) -> None:
        self.messages: dict[tuple[object, ...], tuple[Submission, list[Any]]] = {}

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let commands within this block use it."""
        GradedPrograms.current = self
        try:
            yield
        finally:
            GradedPrograms.current = None


class RememberingEngine(InlineEngine):
    """Grades no program twice under the same plan and key: what the first showed is the others' as
    well, under their own names. A run that has observations already is graded as it is, and so is
    one of a plan in which students have names."""

    def __init__(self, programs: GradedPrograms) -> None:
        super().__init__()
        self._shown = programs.messages

    def run(self, setup: WorkerSetup, jobs: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        jobs = list(jobs)
        setup = replace(setup, pack_alone=setup.store is not None)
        is_later = any(isinstance(job, CausesJob) for job in jobs)
        is_known = not is_later and self._has_observations(setup)
        if setup.grader.plan.assignment.exemptions or is_known:
            yield from super().run(setup, jobs)
            return
        self._of_setup = (
            replace(setup, store=None, on_graded=None),
            *map(serial.dumps, (setup.grader.plan, setup.grader.key)),
        )
        new = []
        for job in jobs:
            if self._key(job) in self._shown:
                yield from ((job, message) for message in self._as_before(job))
            else:
                new.append(job)
        messages: list[Any] = []
        for job, message in super().run(setup, new):
            messages.append(message)
            if not isinstance(message, Piece):
                if _says_the_same_again(message):
                    self._shown[self._key(job)] = (job.submission, messages)
                messages = []
            yield job, message

    def _has_observations(self, setup: WorkerSetup) -> bool:
        if setup.store is None:
            return False
        with closing(sqlite3.connect(f"file:{setup.store}?mode=ro", uri=True)) as database:
            return bool(database.execute("SELECT 1 FROM observation LIMIT 1").fetchall())

    def _key(self, job: Any) -> tuple[object, ...]:
        program = Submission(
            id="",
            files=job.submission.files,
            origin="",
            problem=job.submission.problem,
            withheld=job.submission.withheld,
        )
        if isinstance(job, CausesJob):
            graded = of_submission(job.result, program)
            # Neither the notes nor what was used depends on the program alone.
            graded = replace(graded, notes=(), pending=None)
            job = replace(job, result=graded)
        return (*self._of_setup, replace(job, submission=program))

    def _as_before(self, job: Any) -> Iterator[Any]:
        first, messages = self._shown[self._key(job)]
        for message in messages:
            if isinstance(message, Graded) and isinstance(job, CausesJob):
                found = message.result
                causes = {"causes": found.causes, "students_causes": found.students_causes}
                yield replace(message, result=replace(job.result, pending=None, **causes))
            elif isinstance(message, Graded):
                notes = (*job.submission.notes, *message.result.notes[len(first.notes) :])
                result = of_submission(replace(message.result, notes=notes), job.submission)
                yield replace(message, result=result)
            else:
                yield message


def _says_the_same_again(ended: object) -> bool:
    """Neither our own failure nor what rests on the machine's load."""
    if isinstance(ended, WorkerFailure):
        return False
    return not isinstance(ended, Graded) or not any(
        scenario.verdict.on_wall_time or scenario.verdict.kind is VerdictKind.HARNESS_ERROR
        for scenario in ended.result.scenarios
    )


@contextmanager
def inline_engine(engine: Callable[..., InlineEngine] = InlineEngine) -> Iterator[None]:
    """Whatever grades within this block does so in this process."""
    with (
        worker_pool.replaced_by(engine),
        comparer_pool.replaced_by(InlineComparers),
    ):
        yield


def grade_here(
    specification: Specification, paths: Path | list[Path], out: Path, **options: Any
) -> RunResult:
    """`harness.grade`, in this process."""
    with inline_engine():
        return harness.grade(
            specification, paths if isinstance(paths, list) else [paths], out, **options
        )


@contextmanager
def grader_of(
    context: GradingContext, plan: Plan | None = None, **options: Any
) -> Iterator[Grader]:
    """Grades with the context's plan, or a part of it, and a driver that lives on."""
    setup = GraderSetup(plan=plan or context.specification.plan, key=context.key, **options)
    with (
        DRIVERS.lend(context.interpreter, context.tier.tier) as driver,
        Grader(setup, driver) as grader,
    ):
        yield grader


def handed_in(program: str | bytes, id: str = "s", name: str = "a1.py") -> Submission:
    """A submission of this one file."""
    data = program.encode() if isinstance(program, str) else program
    return Submission(id=id, origin=name, files=(SourceFile(name=name, data=data),))


class InlineComparers(AbstractContextManager["InlineComparers"]):
    """Takes the arguments of the pool of `harness fuzz`, and compares one batch after the other."""

    def __init__(self, jobs: int | None, module: str) -> None:
        self._stack = ExitStack()

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(
        self, setup: Setup, units: Iterable[Unit], heard: Callable[[object], None]
    ) -> Iterator[tuple[Unit, UnitResult]]:
        worker = Worker(setup, self._stack)
        for unit in units:
            done = worker.run(unit)
            heard(done)
            yield unit, done


class Drivers(AbstractContextManager["Drivers"]):
    """One driver for each interpreter, tier and way to run, begun by the first who asks for it.
    One whose user failed is not used again. It is pinned to no core: it would pin the tests."""

    def __init__(self) -> None:
        self._running: dict[tuple[object, ...], AnyDriver] = {}
        self._lending = ExitStack()

    def __enter__(self) -> Drivers:
        for begin in (machine.create_driver, machine.terminal_driver):
            self._lending.enter_context(begin.replaced_by(self.lend))
        return self

    def __exit__(self, *_: object) -> None:
        self._lending.close()
        for driver in self._running.values():
            driver.__exit__(None, None, None)

    def lend(
        self, interpreter: Interpreter, tier: Tier, cpu: int | None = None, **changes: int
    ) -> AbstractContextManager[AnyDriver]:
        """A driver that is not ended with its use."""
        return _Lent(self._running, interpreter, tier, changes)


class _Lent(AbstractContextManager[AnyDriver]):
    def __init__(
        self,
        running: dict[tuple[object, ...], AnyDriver],
        interpreter: Interpreter,
        tier: Tier,
        changes: dict[str, int],
    ) -> None:
        self._running = running
        self._begin = lambda: Driver(interpreter, tier, **changes)  # type: ignore[arg-type]
        self._key = (interpreter, tier, *changes.items())

    def __enter__(self) -> AnyDriver:
        if self._key not in self._running:
            self._running[self._key] = self._begin().__enter__()
        return self._running[self._key]

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._running.pop(self._key).__exit__(None, None, None)


DRIVERS = Drivers()
