"""Grades slow submissions last: one that takes ten times as long as its class is paused, and
continues once the others have their marks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median

from harness.grading.engines import Engine, Job, Paused, WorkerFailure, WorkerSetup
from harness.grading.grader import Graded
from harness.grading.observing.budget import Used
from harness.model.result import SlowLeft, WorstLeft
from harness.results.reuse import Piece

TIMES_THE_MEDIAN = 10
MIN_SECONDS = 2.0  # shorter ones hold up nobody
FIRST_SECONDS = 10.0  # until there is a median
FEWEST = 5  # submissions of which there is one
_KEPT = 0.8  # of the weight of earlier notes
_LEAST_LEFT = 0.25  # of the foretold time: one that is still running is not over at once


class ClassPace:
    """The usual time of a class's submissions."""

    def __init__(self) -> None:
        self._seconds: list[float] = []

    def add(self, used: Used) -> None:
        self._seconds.append(used.most)

    def pause_after(self) -> float:
        """Return the seconds after which a submission counts as slow."""
        if len(self._seconds) < FEWEST:
            return FIRST_SECONDS
        return max(MIN_SECONDS, TIMES_THE_MEDIAN * median(self._seconds))


class RealTime:
    """How long the time that counts for slow submissions takes: workers share their processors
    with others, may be slower or quicker than the usual machine, and begin each submission anew."""

    def __init__(self) -> None:
        self._counted = self._real = 0.0
        self._quick: list[float] = []

    def add(self, counted: float, real: float) -> None:
        """Record how many real seconds some counted seconds took.

        Earlier records count less, because the machine's load changes.
        """
        self._counted = counted + _KEPT * self._counted
        self._real = max(0.0, real - self._to_begin()) + _KEPT * self._real

    def add_quick(self, real: float) -> None:
        """Record how long a normal submission took: this includes the time to start one."""
        self._quick.append(real)

    def of(self, counted: float, submissions: int) -> float:
        """Return the expected real seconds for these counted seconds of this many submissions."""
        rate = self._real / self._counted if self._counted else 1.0
        return counted * rate + submissions * self._to_begin()

    def _to_begin(self) -> float:
        return median(self._quick) if self._quick else 0.0


class _UnfinishedPart:
    """The unfinished part of a class, reported whenever it changes. Without a number of workers, no
    upper limit of its time is known."""

    def __init__(
        self,
        jobs: int,
        total_seconds: float | None,
        workers: int | None,
        tell: Callable[[SlowLeft | WorstLeft], None],
    ) -> None:
        self._others = jobs  # have neither a result nor been paused
        self._total_seconds = total_seconds
        self._workers = workers
        self._tell = tell
        self.pace, self.real_time = ClassPace(), RealTime()
        self.paused: dict[str, tuple[Job, Paused]] = {}
        self._begun_again: dict[str, float] = {}  # when paused ones were given to a worker

    def begin_again(self, job: Job) -> None:
        """Record that a worker continues a paused submission."""
        self._begun_again[job.submission.id] = time.monotonic()

    def pause(self, job: Job, found: Paused) -> None:
        self._others -= 1
        self.pace.add(found.used)
        self.real_time.add(found.used.most, found.seconds)
        later = replace(job, pause_after=None, before=found.used, so_far=found.so_far)
        self.paused[job.submission.id] = (later, found)
        self._tell_of_paused()
        self.tell_worst()

    def end(self, found: Graded | WorkerFailure) -> None:
        """Record the result of a submission that was not slow."""
        self._others -= 1
        if isinstance(found, Graded):
            self.pace.add(found.used)
            self.real_time.add_quick(found.seconds)
        if self.paused and not self._others:
            self._tell_of_paused()
        self.tell_worst()

    def end_slow(self, job: Job, found: Graded | WorkerFailure) -> None:
        _, before = self.paused.pop(job.submission.id)
        if isinstance(found, Graded):
            self.real_time.add(seconds_left(before, self._total_seconds), found.seconds)
        self._tell_of_paused()
        self.tell_worst()

    def tell_worst(self) -> None:
        left = self._others + len(self.paused)
        if self._total_seconds is None or self._workers is None:
            return
        counted = self._others * self._total_seconds
        for _, found in self.paused.values():
            counted += max(0.0, self._total_seconds - found.used.most)
        at_once = max(1, min(self._workers, left))
        seconds = self.real_time.of(counted, left) / at_once
        self._tell(WorstLeft(submissions=left, seconds=seconds))

    def _tell_of_paused(self) -> None:
        now = time.monotonic()
        every: list[Paused] = []
        running: list[float] = []
        for name, (_, found) in self.paused.items():
            every.append(found)
            running.append(now - self._begun_again.get(name, now))
        left = slow_left(every, self._total_seconds, self._workers or 1, self.real_time, running)
        self._tell(replace(left, others=self._others))


def graded_slow_last(
    engine: Engine,
    setup: WorkerSetup,
    jobs: Sequence[Job],
    workers: int | None,
    tell: Callable[[SlowLeft | WorstLeft], None],
) -> Iterator[tuple[Job, Piece | Graded | WorkerFailure]]:
    """Run first all jobs as `Engine.run` does, then those that were paused meanwhile.

    `tell` is called with the number and time of the rest each time it changes. Without a number of
    workers none is paused.
    """
    left = _UnfinishedPart(len(jobs), setup.grader.total_seconds, workers, tell)
    left.tell_worst()

    def first() -> Iterator[Job]:
        for job in jobs:
            pause_after = None if workers is None else left.pace.pause_after()
            yield replace(job, pause_after=pause_after)

    for job, found in engine.run(setup, first()):
        if isinstance(found, Paused):
            left.pause(job, found)
            continue
        yield job, found
        if not isinstance(found, Piece):
            left.end(found)
    slow = [job for job, _ in left.paused.values()]

    def then() -> Iterator[Job]:
        for job in slow:
            left.begin_again(job)
            yield job

    for job, found in engine.run(setup, then()) if slow else ():
        if isinstance(found, Paused):  # it was asked to go on to the end
            continue
        yield job, found
        if not isinstance(found, Piece):
            left.end_slow(job, found)


def seconds_left(paused: Paused, total_seconds: float | None) -> float:
    """Return how many more counted seconds a submission needs: as the decided share foretells for
    all of it, less what will not run again, and no more than its budget has."""
    used = paused.used.most
    whole = used / max(paused.decided, 0.01)
    left = whole * (1 - paused.kept)
    return left if total_seconds is None else max(0.0, min(left, total_seconds - used))


def slow_left(
    paused: Sequence[Paused],
    total_seconds: float | None,
    workers: int,
    real_time: RealTime,
    running: Sequence[float],
) -> SlowLeft:
    """Return the number of remaining submissions and their real time: expected, and at most.

    `running` says for how long a worker has been at each: so much less is expected of it.
    """
    at_once = max(1, min(workers, len(paused)))
    foretold = 0.0
    for submission, passed in zip(paused, running, strict=True):
        whole = real_time.of(seconds_left(submission, total_seconds), 1)
        foretold += max(whole - passed, _LEAST_LEFT * whole)
    most: float | None = None
    if total_seconds is not None:
        budgets = sum(total_seconds - submission.used.most for submission in paused)
        most = real_time.of(budgets, len(paused)) / at_once
    return SlowLeft(
        submissions=len(paused),
        seconds=foretold / at_once,
        most_seconds=most,
    )
