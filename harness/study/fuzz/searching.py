"""Works through the batches of all targets, and keeps what is known of each submission."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness.common import files, serial
from harness.common.errors import HarnessError, UserError
from harness.grading.context import GradingContext
from harness.grading.engines import WorkerFailure
from harness.grading.engines.local import WorkerPool
from harness.grading.engines.worker import SpawnedWorker
from harness.model.plan import Plan
from harness.model.stimulus import Run, Stimulus
from harness.model.study import (
    FunctionInputs,
    FuzzDifference,
    FuzzedSubmission,
    FuzzReport,
    FuzzSettings,
    NotFuzzed,
)
from harness.model.submission import Submission
from harness.results.reuse import execution_digest, judging_digest
from harness.study.fuzz.worker import Setup, Unit, UnitResult, batch_size


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTarget:
    """Of a submission, by its digest, at a target: the batches that are done, and what differs
    first, in the batch `found_in`."""

    digest: str
    target: str
    batches: tuple[int, ...] = ()
    difference: FuzzDifference | None = None
    found_in: int = 0

    def with_batch(self, batch: int, difference: FuzzDifference | None) -> KnownTarget:
        known = replace(self, batches=tuple(sorted({*self.batches, batch})))
        earlier = self.difference is None or batch < self.found_in
        if difference is None or not earlier:
            return known
        return replace(known, difference=difference, found_in=batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBatch:
    """How many inputs of a batch were compared, and how many were left out."""

    target: str
    batch: int
    inputs: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contents:
    targets: tuple[KnownTarget, ...]
    batches: tuple[KnownBatch, ...]


@dataclass(slots=True)
class Kept:
    """What is known under the same settings, reference, interpreter and seed."""

    path: Path
    targets: dict[tuple[str, str], KnownTarget] = field(default_factory=dict)
    batches: dict[tuple[str, int], KnownBatch] = field(default_factory=dict)

    @classmethod
    def open(cls, cache: Path, context: GradingContext, settings: FuzzSettings, seed: int) -> Kept:
        """What earlier searches found out, or nothing."""
        kept = cls(cache / "fuzz" / f"{_key(context, settings, seed)}.json")
        try:
            contents = serial.loads(_Contents, kept.path.read_bytes())
        except (OSError, serial.SerialError):
            return kept
        kept.targets = {(each.digest, each.target): each for each in contents.targets}
        kept.batches = {(each.target, each.batch): each for each in contents.batches}
        return kept

    def is_open(self, digest: str, target: str, batch: int) -> bool:
        """Whether a submission is still to be asked about this batch."""
        known = self.targets.get((digest, target))
        return known is None or (known.difference is None and batch not in known.batches)

    def add(self, target: str, result: UnitResult) -> None:
        """Note what a batch of a target found."""
        unit = result.unit
        for digest in unit.digests:
            known = self.targets.get((digest, target)) or KnownTarget(digest=digest, target=target)
            difference = result.found.get(digest)
            self.targets[digest, target] = known.with_batch(unit.batch, difference)
        self.batches[target, unit.batch] = KnownBatch(
            target=target, batch=unit.batch, inputs=result.inputs, left_out=result.left_out
        )

    def differing(self, digests: Iterable[str]) -> int:
        """How many of these submissions differ anywhere."""
        differing = {digest for (digest, _), known in self.targets.items() if known.difference}
        return len(differing & set(digests))

    def save(self) -> None:
        contents = _Contents(
            targets=tuple(self.targets[key] for key in sorted(self.targets)),
            batches=tuple(self.batches[key] for key in sorted(self.batches)),
        )
        files.write(self.path, serial.dumps(contents), private=True)


def _key(context: GradingContext, settings: FuzzSettings, seed: int) -> str:
    try:
        drawn_by = version("hypothesis")
    except PackageNotFoundError:
        drawn_by = ""
    parts = [
        *(serial.dumps(target) for target in settings.targets),
        *(serial.dumps(assume) for assume in settings.assume),
        *(path.read_bytes().hex() for path in sorted(Path(settings.folder).glob("*.py"))),
        context.key.made_with,
        context.key.reference_digest,
        execution_digest(),
        judging_digest(),
        drawn_by,
        str(seed),
    ]
    return sha256("\n".join(parts).encode()).hexdigest()[:32]


_WORD = re.compile(r"[^\W\d]\w*")
_NO_STRATEGY = "its scenarios name no strategy that makes its arguments"
_NO_GAME = "no game under fuzz: says what is typed"
_UNCALLED = "no scenario calls it"
_NO_ROW = "no scenario is of this function, though some call it"


def not_fuzzed(plan: Plan, settings: FuzzSettings) -> tuple[NotFuzzed, ...]:
    """In the order of the reference; then what is no function of it, such as a program. Of what has
    no scenario only what a clause names is of the sheet: a reference has helpers of its own."""
    drawn = {target.function for target in settings.targets}
    texts = [clause.text for clause in plan.assignment.clauses]
    on_sheet = {word for text in texts for word in _WORD.findall(text)}
    on_sheet |= {scenario.function for scenario in plan.scenarios}
    functions = [each.name for each in plan.assignment.functions if each.name in on_sheet]
    names = dict.fromkeys([*functions, *(scenario.function for scenario in plan.scenarios)])
    return tuple(
        NotFuzzed(function=name, reason=_reason(plan, name)) for name in names if name not in drawn
    )


def _reason(plan: Plan, name: str) -> str:
    stimuli = [one for s in plan.scenarios if s.function == name for one in s.stimuli]
    if stimuli:
        runs = all(isinstance(one.action, Run) for one in stimuli)
        return _NO_GAME if runs else _NO_STRATEGY
    last = name.rpartition(".")[2]
    every = (one for scenario in plan.scenarios for one in scenario.stimuli)
    return _NO_ROW if any(last in _words(one) for one in every) else _UNCALLED


def _words(stimulus: Stimulus) -> Iterator[str]:
    for text in stimulus.source_texts():
        yield from _WORD.findall(text)


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
        open_units = [
            unit
            for unit in units
            for digest in unit.digests
            if kept.is_open(digest, settings.targets[unit.target].id, unit.batch)
        ]
        complete = not open_units
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
    units = []
    for number, target in enumerate(settings.targets):
        draws = max(1, inputs // sharing[target.function])
        for batch in range(-(-draws // batch_size(target))):
            open_digests = tuple(each for each in digests if kept.is_open(each, target.id, batch))
            if open_digests:
                units.append(Unit(target=number, batch=batch, digests=open_digests))
    return sorted(units, key=lambda unit: (unit.batch, unit.target))


def _run(
    setup: Setup, units: Sequence[Unit], jobs: int | None, deadline: float | None
) -> Iterator[UnitResult]:
    """The units' results as they come; none is begun after the deadline. Submissions that already
    differ at a target are left out of its later batches."""
    differ: set[tuple[str, int]] = set()

    def still_open() -> Iterator[Unit]:
        for unit in units:
            if deadline is not None and time.monotonic() >= deadline:
                return
            open_digests = tuple(each for each in unit.digests if (each, unit.target) not in differ)
            if open_digests:
                yield replace(unit, digests=open_digests)

    def heard(message: object) -> None:
        if isinstance(message, UnitResult):
            differ.update((digest, message.unit.target) for digest in message.found)

    with WorkerPool(_start, jobs) as workers:
        for _, message in workers.run(setup, still_open(), heard):
            if isinstance(message, WorkerFailure):
                raise HarnessError(f"a process that compares programs died ({message.reason})")
            if isinstance(message, UserError):
                raise UserError(message.what, place=message.place, hint=message.hint)
            if isinstance(message, HarnessError):
                raise message
            yield message


def _start(setup: Setup, cpu: int | None) -> SpawnedWorker:
    """A process that picks its processor itself."""
    return SpawnedWorker(setup, "harness.study.fuzz.worker")


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
    fuzzed = []
    for digest, ids in by_digest.items():
        known = [kept.targets.get((digest, target.id)) for target in settings.targets]
        there = [each for each in known if each is not None]
        inputs = sum(
            kept.batches[each.target, batch].inputs for each in there for batch in each.batches
        )
        differences = tuple(each.difference for each in there if each.difference is not None)
        fuzzed.append(
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
        submissions=tuple(sorted(fuzzed, key=lambda each: each.ids)),
        not_fuzzed=not_fuzzed(context.specification.plan, settings),
    )
