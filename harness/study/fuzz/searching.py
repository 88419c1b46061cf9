"""Work through the batches of all targets, and store the results of each submission."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness.common import files, serial
from harness.common.errors import HarnessError, UserError
from harness.grading.context import GradingContext
from harness.grading.engines import WorkerFailure
from harness.grading.engines.local import WorkerPool
from harness.model import study
from harness.model.plan import Plan
from harness.model.submission import Submission
from harness.results.reuse import execution_digest, judging_digest
from harness.study.fuzz.worker import Setup, Unit, UnitResult, batch_size


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTarget:
    """The batches of a target that are done for a submission (by its digest), and its first
    difference, from the batch `found_in`."""

    digest: str
    target: str
    batches: tuple[int, ...] = ()
    difference: study.FuzzDifference | None = None
    found_in: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBatch:
    """How many inputs of a batch were compared, and how many were left out."""

    target: str
    batch: int
    inputs: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contents:
    targets: tuple[KnownTarget, ...] = ()
    batches: tuple[KnownBatch, ...] = ()


class Kept:
    """The results of earlier searches and of this one, in a file of their own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            contents = serial.loads(_Contents, path.read_bytes())
        except (OSError, serial.SerialError):
            contents = _Contents()
        self.targets = {(each.digest, each.target): each for each in contents.targets}
        self.batches = {(each.target, each.batch): each for each in contents.batches}

    def is_open(self, digest: str, target: str, batch: int) -> bool:
        """Whether a submission is still to be asked about this batch."""
        known = self.targets.get((digest, target))
        return known is None or (known.difference is None and batch not in known.batches)

    def add(self, target: str, result: UnitResult) -> None:
        unit = result.unit
        for digest in unit.digests:
            known = self.targets.get((digest, target)) or KnownTarget(digest=digest, target=target)
            known = replace(known, batches=tuple(sorted({*known.batches, unit.batch})))
            difference = result.found.get(digest)
            if difference and (known.difference is None or unit.batch < known.found_in):
                known = replace(known, difference=difference, found_in=unit.batch)
            self.targets[digest, target] = known
        self.batches[target, unit.batch] = KnownBatch(
            target=target, batch=unit.batch, inputs=result.inputs, left_out=result.left_out
        )

    def differing(self, digests: Iterable[str]) -> int:
        """How many of these submissions differ anywhere."""
        differing = {digest for (digest, _), known in self.targets.items() if known.difference}
        return len(differing & set(digests))

    def save(self) -> None:
        targets = tuple(self.targets[key] for key in sorted(self.targets))
        batches = tuple(self.batches[key] for key in sorted(self.batches))
        contents = _Contents(targets=targets, batches=batches)
        files.write(self.path, serial.dumps(contents), private=True)


def _key(context: GradingContext, settings: study.FuzzSettings, seed: int) -> str:
    """The same for the same settings, reference, interpreter and seed."""
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


def not_fuzzed(plan: Plan, settings: study.FuzzSettings) -> tuple[study.NotFuzzed, ...]:
    """Return the functions in the order of the reference, then others such as programs.

    A function without a scenario is included only if a clause names it: the reference also has
    helpers that are not in the sheet."""
    drawn = {target.function for target in settings.targets}
    on_sheet = {word for clause in plan.assignment.clauses for word in _WORD.findall(clause.text)}
    on_sheet |= {scenario.function for scenario in plan.scenarios}
    functions = [each.name for each in plan.assignment.functions if each.name in on_sheet]
    names = dict.fromkeys([*functions, *(scenario.function for scenario in plan.scenarios)])
    others = (name for name in names if name not in drawn)
    return tuple(study.NotFuzzed(function=name, reason=_reason(plan, name)) for name in others)


def _reason(plan: Plan, name: str) -> str:
    stimuli = [one for s in plan.scenarios if s.function == name for one in s.stimuli]
    if stimuli and all(one.action.program for one in stimuli):
        return "no game under fuzz: says what is typed"
    if stimuli:
        return "its scenarios name no strategy that makes its arguments"
    last = name.rpartition(".")[2]
    texts = (text for s in plan.scenarios for one in s.stimuli for text in one.source_texts())
    if any(last in _WORD.findall(text) for text in texts):
        return "no scenario is of this function, though some call it"
    return "no scenario calls it"


Progress = Callable[[str, int, int, int], None]
_SAVED_EVERY = 10  # batches


def fuzz(
    context: GradingContext,
    settings: study.FuzzSettings,
    submissions: Sequence[Submission],
    *,
    inputs: int = 10_000,
    seconds: float | None = None,
    seed: int = 0,
    jobs: int | None = None,
    cache: Path,
    progress: Progress,
) -> study.FuzzReport:
    """Compare submissions with the reference on randomly drawn inputs.

    `inputs` limits the inputs for each function, `seconds` the whole time (None: no limit), `jobs`
    the processes. A submission that differs on a target (a function or the program) is not run on
    that target again. Results are stored below `cache` by content. If Ctrl-C interrupts the search,
    the report has the results so far and is not `complete`. Raise UserError if the course's own
    code or Hypothesis fails."""
    unique = {each.digest: each for each in submissions}
    setup = Setup(
        settings=settings,
        assignment=context.specification.plan.assignment,
        reference=context.specification.reference,
        submissions=tuple(unique.values()),
        interpreter=context.interpreter,
        tier=context.tier.tier,
        seed=seed,
    )
    kept = Kept(cache / "fuzz" / f"{_key(context, settings, seed)}.json")
    units = _units(settings, inputs, tuple(unique), kept)
    deadline = time.monotonic() + seconds if seconds is not None else None
    done, complete = 0, True
    try:
        for result in _run(setup, units, jobs, deadline):
            target = settings.targets[result.unit.target]
            kept.add(target.id, result)
            done += 1
            if done % _SAVED_EVERY == 0:
                kept.save()
            progress(target.function, done, len(units), kept.differing(unique))
        complete = not any(_is_open(unit, settings, kept) for unit in units)
    except KeyboardInterrupt:
        complete = False
    finally:
        kept.save()
    return _report(context.specification.plan, settings, submissions, seed, kept, complete=complete)


def _is_open(unit: Unit, settings: study.FuzzSettings, kept: Kept) -> bool:
    target = settings.targets[unit.target].id
    return any(kept.is_open(digest, target, unit.batch) for digest in unit.digests)


def _units(
    settings: study.FuzzSettings, inputs: int, digests: Sequence[str], kept: Kept
) -> list[Unit]:
    """The batches that are not known, first batches first: every function has its turn early."""
    sharing = Counter(target.function for target in settings.targets)
    units = []
    for number, target in enumerate(settings.targets):
        draws = max(1, inputs // sharing[target.function])
        for batch in range(-(-draws // batch_size(target))):
            if asked := tuple(each for each in digests if kept.is_open(each, target.id, batch)):
                units.append(Unit(target=number, batch=batch, digests=asked))
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
            if asked := tuple(each for each in unit.digests if (each, unit.target) not in differ):
                yield replace(unit, digests=asked)

    def heard(message: object) -> None:
        if isinstance(message, UnitResult):
            differ.update((digest, message.unit.target) for digest in message.found)

    with WorkerPool(jobs, "harness.study.fuzz.worker") as workers:
        for _, message in workers.run(setup, still_open(), heard):
            if isinstance(message, WorkerFailure):
                raise HarnessError(f"a process that compares programs died ({message.reason})")
            if isinstance(message, UserError | HarnessError):
                raise message
            yield message


def _report(
    plan: Plan,
    settings: study.FuzzSettings,
    submissions: Sequence[Submission],
    seed: int,
    kept: Kept,
    *,
    complete: bool,
) -> study.FuzzReport:
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
        found = tuple(each.difference for each in there if each.difference is not None)
        names = tuple(sorted(ids))
        fuzzed.append(study.FuzzedSubmission(ids=names, inputs=inputs, differences=found))
    return study.FuzzReport(
        assignment=plan.assignment.id,
        seed=seed,
        complete=complete,
        functions=tuple(
            study.FunctionInputs(function=name, inputs=inputs, left_out=left_out)
            for name, (inputs, left_out) in functions.items()
        ),
        submissions=tuple(sorted(fuzzed, key=lambda each: each.ids)),
        not_fuzzed=not_fuzzed(plan, settings),
    )
