"""Works through the batches of all targets, and keeps what is known of each submission."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from pathlib import Path

from harness.common.errors import HarnessError, UserError
from harness.execution import cores
from harness.grading import GradingContext, SpawnedWorker
from harness.model.study.fuzzing import FunctionInputs, FuzzedSubmission, FuzzReport, FuzzSettings
from harness.model.submission import Submission
from harness.study.fuzz.keeping import Kept
from harness.study.fuzz.left_out import not_fuzzed
from harness.study.fuzz.worker import Setup, Unit, UnitResult, WorkFailed, batch_size

Progress = Callable[[str, int, int, int], None]
_SAVED_EVERY = 10  # batches


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzOptions:
    """`inputs` for each function, at most; `seconds` in all (None: as long as it takes); `jobs` are
    processes."""

    inputs: int = 10_000
    seconds: float | None = None
    seed: int = 0
    jobs: int | None = None


def fuzz(
    context: GradingContext,
    settings: FuzzSettings,
    submissions: Sequence[Submission],
    options: FuzzOptions,
    *,
    cache: Path,
    progress: Progress = lambda function, done, total, found: None,
) -> FuzzReport:
    """Compare submissions with the reference on randomly drawn inputs.

    A submission that differs on a target (a function or the program) is not run on that target
    again. Results are stored below `cache` by content. When Ctrl-C interrupts the search, what was
    found is returned in a report that is not `complete`. Raises UserError when the course's own
    code or Hypothesis fails.
    """
    unique = {each.digest: each for each in submissions}
    setup = Setup(
        settings=settings,
        assignment=context.specification.plan.assignment,
        reference=context.specification.reference,
        submissions=tuple(unique.values()),
        interpreter=context.interpreter,
        tier=context.tier.tier,
        seed=options.seed,
    )
    kept = Kept.open(cache, context, settings, options.seed)
    units = _units(settings, options.inputs, tuple(unique), kept)
    deadline = time.monotonic() + options.seconds if options.seconds is not None else None
    done, complete = 0, True
    try:
        for result in _run(setup, units, options.jobs, deadline):
            target = settings.targets[result.unit.target]
            kept.add(target.id, result)
            done += 1
            if done % _SAVED_EVERY == 0:
                kept.save()
            progress(target.function, done, len(units), kept.differing(unique))
        left = [
            unit
            for unit in units
            for digest in unit.digests
            if kept.is_open(digest, settings.targets[unit.target].id, unit.batch)
        ]
        complete = not left
    except KeyboardInterrupt:
        complete = False
    finally:
        kept.save()
    return _report(context, settings, submissions, options, kept, complete=complete)


def _units(settings: FuzzSettings, inputs: int, digests: Sequence[str], kept: Kept) -> list[Unit]:
    """The batches that are not known, first batches first: every function has its turn early."""
    sharing: dict[str, int] = {}
    for target in settings.targets:
        sharing[target.function] = sharing.get(target.function, 0) + 1
    found = []
    for number, target in enumerate(settings.targets):
        wanted = max(1, inputs // sharing[target.function])
        for batch in range(-(-wanted // batch_size(target))):
            left = tuple(each for each in digests if kept.is_open(each, target.id, batch))
            if left:
                found.append(Unit(target=number, batch=batch, digests=left))
    return sorted(found, key=lambda unit: (unit.batch, unit.target))


def _run(
    setup: Setup, units: Sequence[Unit], jobs: int | None, deadline: float | None
) -> Iterator[UnitResult]:
    """The units' results as they come; none is begun after the deadline. Submissions that already
    differ at a target are left out of its later batches."""
    found: set[tuple[str, int]] = set()
    waiting = deque(units)

    def next_unit() -> Unit | None:
        while waiting and (deadline is None or time.monotonic() < deadline):
            unit = waiting.popleft()
            left = tuple(each for each in unit.digests if (each, unit.target) not in found)
            if left:
                return replace(unit, digests=left)
        return None

    workers: list[SpawnedWorker] = []
    try:
        while len(workers) < min(jobs or len(cores()), len(units)):
            unit = next_unit()
            if unit is None:
                break
            workers.append(SpawnedWorker(setup, "harness.study.fuzz.worker"))
            workers[-1].send(unit)
        while busy := [worker for worker in workers if worker.current is not None]:
            ready = wait([worker.connection for worker in busy])
            for worker in busy:
                if worker.connection not in ready:
                    continue
                result = _received(worker)
                found |= {(digest, result.unit.target) for digest in result.found}
                unit = next_unit()
                if unit is not None:
                    worker.send(unit)
                yield result
    finally:
        for worker in workers:
            worker.stop()


def _received(worker: SpawnedWorker) -> UnitResult:
    try:
        result: UnitResult | WorkFailed = worker.receive()
    except (EOFError, OSError) as died:
        raise HarnessError(f"a process that compares programs died ({died})") from None
    if isinstance(result, UnitResult):
        return result
    if result.by_user:
        raise UserError(result.what, place=result.place, hint=result.hint)
    raise HarnessError(result.what)


def _report(
    context: GradingContext,
    settings: FuzzSettings,
    submissions: Sequence[Submission],
    options: FuzzOptions,
    kept: Kept,
    *,
    complete: bool,
) -> FuzzReport:
    by_digest: dict[str, list[str]] = {}
    for each in submissions:
        by_digest.setdefault(each.digest, []).append(each.id)
    functions: dict[str, list[int]] = {each.function: [0, 0] for each in settings.targets}
    of_target = {each.id: each.function for each in settings.targets}
    for batch in kept.batches.values():
        functions[of_target[batch.target]][0] += batch.inputs
        functions[of_target[batch.target]][1] += batch.left_out
    found = []
    for digest, ids in by_digest.items():
        known = [kept.targets.get((digest, target.id)) for target in settings.targets]
        there = [each for each in known if each is not None]
        inputs = sum(
            kept.batches[each.target, batch].inputs for each in there for batch in each.batches
        )
        differences = tuple(each.difference for each in there if each.difference is not None)
        found.append(
            FuzzedSubmission(ids=tuple(sorted(ids)), inputs=inputs, differences=differences)
        )
    return FuzzReport(
        assignment=context.specification.plan.assignment.id,
        seed=options.seed,
        complete=complete,
        functions=tuple(
            FunctionInputs(function=name, inputs=inputs, left_out=left_out)
            for name, (inputs, left_out) in functions.items()
        ),
        submissions=tuple(sorted(found, key=lambda each: each.ids)),
        not_fuzzed=not_fuzzed(context.specification.plan, settings),
    )
