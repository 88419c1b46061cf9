"""Slow submissions come last: what takes ten times as long as its class is paused, and goes on once
the others have their marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median

from harness.grading.engines import Engine, Job, Paused, WorkerFailure, WorkerSetup
from harness.grading.grader import Graded
from harness.grading.observing.budget import Used
from harness.model.result import SlowLeft
from harness.results.reuse import Piece

TIMES_THE_MEDIAN = 10
LEAST_SECONDS = 2.0  # shorter ones hold up nobody
FIRST_SECONDS = 10.0  # until there is a median
FEWEST = 5  # submissions of which there is one


class ClassPace:
    """How long the submissions of a class take."""

    def __init__(self) -> None:
        self._seconds: list[float] = []

    def add(self, used: Used) -> None:
        self._seconds.append(used.most)

    def pause_after(self) -> float:
        """Return the seconds after which a submission counts as slow."""
        if len(self._seconds) < FEWEST:
            return FIRST_SECONDS
        return max(LEAST_SECONDS, TIMES_THE_MEDIAN * median(self._seconds))


def graded_slow_last(
    engine: Engine,
    setup: WorkerSetup,
    jobs: Sequence[Job],
    workers: int | None,
    tell: Callable[[SlowLeft], None],
) -> Iterator[tuple[Job, Piece | Graded | WorkerFailure]]:
    """Run first all jobs as `Engine.run` does, then those that were paused meanwhile.

    `tell` is called with the number and time of the rest each time it changes. Without a number of
    workers none is paused.
    """
    pace = ClassPace()
    paused: dict[str, tuple[Job, Paused]] = {}

    def first() -> Iterator[Job]:
        for job in jobs:
            pause_after = None if workers is None else pace.pause_after()
            yield replace(job, pause_after=pause_after)

    def tell_of_paused() -> None:
        left = slow_left([*paused.values()], setup.grader.total_seconds, workers or 1)
        tell(left)

    for job, found in engine.run(setup, first()):
        if isinstance(found, Paused):
            pace.add(found.used)
            later = replace(job, pause_after=None, before=found.used, so_far=found.so_far)
            paused[job.submission.id] = (later, found)
            tell_of_paused()
            continue
        if isinstance(found, Graded):
            pace.add(found.used)
        yield job, found
    slow = [job for job, _ in paused.values()]
    for job, found in engine.run(setup, slow) if slow else ():
        if isinstance(found, Paused):  # it was asked to go on to the end
            continue
        yield job, found
        if not isinstance(found, Piece):
            del paused[job.submission.id]
            tell_of_paused()


def slow_left(
    paused: Sequence[tuple[Job, Paused]], total_seconds: float | None, workers: int
) -> SlowLeft:
    """Return how many are left and how long they take: as the decided share of each foretells, and
    at most their budget.
    """
    foretold = most = 0.0
    for _, each in paused:
        whole = each.used.most / max(each.decided, 0.01)
        if total_seconds is not None:
            whole = min(whole, total_seconds)
            most += total_seconds - each.used.most
        foretold += whole - each.used.most
    return SlowLeft(
        submissions=len(paused),
        seconds=foretold / workers,
        most_seconds=None if total_seconds is None else most / workers,
    )
