"""Try all batches of random inputs on the submissions, and store the results."""

import math
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
from harness.common.replaceable import Replaceable
from harness.grading.context import GradingContext
from harness.grading.engines import WorkerFailure
from harness.grading.engines.local import WorkerPool
from harness.model import study
from harness.model.plan import Plan
from harness.model.submission import Submission
from harness.results.reuse import execution_digest, judging_digest
from harness.study.fuzz.worker import Setup, Unit, UnitResult, batch_size

comparer_pool = Replaceable(WorkerPool)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTarget:
    """The batches of a target (a function or program) that were already tried on a submission.

    `difference` is the submission's first difference, from the batch `found_in`.
    """

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
class _KeptFile:
    targets: tuple[KnownTarget, ...] = ()
    batches: tuple[KnownBatch, ...] = ()


class KeptSearches:
    """The results of earlier searches and of this one, which are stored in their own file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            contents = serial.loads(_KeptFile, path.read_bytes())
        except (OSError, serial.SerialError):
            contents = _KeptFile()
        self.targets: dict[tuple[str, str], KnownTarget] = {}
        for known in contents.targets:
            self.targets[known.digest, known.target] = known
        self.batches: dict[tuple[str, int], KnownBatch] = {}
        for batch in contents.batches:
            self.batches[batch.target, batch.batch] = batch

    def is_open(self, digest: str, target: str, batch: int) -> bool:
        """Return whether this batch must still be tried on the submission with this digest."""
        known = self.targets.get((digest, target))
        if known is None:
            return True
        return known.difference is None and batch not in known.batches

    def add(self, target: str, result: UnitResult) -> None:
        """Add the results of a batch of this target."""
        unit = result.unit
        for digest in unit.digests:
            known = self.targets.get((digest, target))
            if known is None:
                known = KnownTarget(digest=digest, target=target)
            batches = {*known.batches, unit.batch}
            known = replace(known, batches=tuple(sorted(batches)))
            difference = result.found.get(digest)
            is_first = known.difference is None or unit.batch < known.found_in
            if difference and is_first:
                known = replace(known, difference=difference, found_in=unit.batch)
            self.targets[digest, target] = known
        self.batches[target, unit.batch] = KnownBatch(
            target=target, batch=unit.batch, inputs=result.inputs, left_out=result.left_out
        )

    def differing(self, digests: Iterable[str]) -> int:
        """Return how many of these submissions differ from the reference on any target."""
        differing: set[str] = set()
        for known in self.targets.values():
            if known.difference:
                differing.add(known.digest)
        return len(differing.intersection(digests))

    def save(self) -> None:
        """Write the file."""
        targets = tuple(self.targets[key] for key in sorted(self.targets))
        batches = tuple(self.batches[key] for key in sorted(self.batches))
        contents = _KeptFile(targets=targets, batches=batches)
        files.write(self.path, serial.dumps(contents), private=True)


def _key(context: GradingContext, settings: study.FuzzSettings, seed: int) -> str:
    """Return a key for stored results.

    The same settings, reference, interpreter and seed give the same key.
    """
    try:
        drawn_by = version("hypothesis")
    except PackageNotFoundError:
        drawn_by = ""
    parts = [serial.dumps(target) for target in settings.targets]
    parts += [serial.dumps(assume) for assume in settings.assume]
    for path in sorted(Path(settings.folder).glob("*.py")):
        parts.append(path.read_bytes().hex())
    parts += [
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
    """Return the functions and programs for which no inputs are drawn, with the reasons.

    Functions of the reference come first, in its order. A function without a scenario is included
    only if a clause names it: the reference also has helpers that students need not write.
    """
    drawn = {target.function for target in settings.targets}
    with_scenarios = [scenario.function for scenario in plan.scenarios]
    on_sheet = set(with_scenarios)
    for clause in plan.assignment.clauses:
        on_sheet.update(_WORD.findall(clause.text))
    names = []
    for function in plan.assignment.functions:
        if function.name in on_sheet:
            names.append(function.name)
    names += with_scenarios
    rows = []
    for name in dict.fromkeys(names):
        if name not in drawn:
            rows.append(study.NotFuzzed(function=name, reason=_reason(plan, name)))
    return tuple(rows)


def _reason(plan: Plan, name: str) -> str:
    """Return the reason why no inputs are drawn for a function or program."""
    actions = []
    for scenario in plan.scenarios:
        if scenario.function == name:
            actions += [stimulus.action for stimulus in scenario.stimuli]
    if actions and all(action.program for action in actions):
        return "no game under fuzz: states inputs for it"
    if actions:
        return "its scenarios name no strategy for its arguments"
    if _is_mentioned(plan, name.rpartition(".")[2]):
        return "no scenario belongs to this function, though some call it"
    return "no scenario calls it"


def _is_mentioned(plan: Plan, name: str) -> bool:
    """Return whether the name occurs in the source text of any scenario."""
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            for text in stimulus.source_texts():
                if name in _WORD.findall(text):
                    return True
    return False


Progress = Callable[[str, int, int, int], None]
# Batches after which the results are saved.
_SAVED_EVERY = 10


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
    code or Hypothesis fails.
    """
    unique: dict[str, Submission] = {}
    for submission in submissions:
        unique[submission.digest] = submission
    setup = _setup(context, settings, tuple(unique.values()), seed)
    name = _key(context, settings, seed)
    kept = KeptSearches(cache / "fuzz" / f"{name}.json")
    units = _units(settings, inputs, tuple(unique), kept)
    deadline = None
    if seconds is not None:
        deadline = time.monotonic() + seconds
    done = 0
    complete = False
    try:
        for result in _run(setup, units, jobs, deadline):
            target = settings.targets[result.unit.target]
            kept.add(target.id, result)
            done += 1
            if done % _SAVED_EVERY == 0:
                kept.save()
            progress(target.function, done, len(units), kept.differing(unique))
        open_units = (unit for unit in units if _is_open(unit, settings, kept))
        complete = next(open_units, None) is None
    except KeyboardInterrupt:
        pass
    finally:
        kept.save()
    plan = context.specification.plan
    return _report(plan, settings, submissions, seed, kept, complete=complete)


def _setup(
    context: GradingContext,
    settings: study.FuzzSettings,
    submissions: tuple[Submission, ...],
    seed: int,
) -> Setup:
    return Setup(
        settings=settings,
        assignment=context.specification.plan.assignment,
        reference=context.specification.reference,
        submissions=submissions,
        interpreter=context.interpreter,
        tier=context.tier.tier,
        seed=seed,
    )


def _is_open(unit: Unit, settings: study.FuzzSettings, kept: KeptSearches) -> bool:
    target = settings.targets[unit.target].id
    return any(kept.is_open(digest, target, unit.batch) for digest in unit.digests)


def _units(
    settings: study.FuzzSettings, inputs: int, digests: Sequence[str], kept: KeptSearches
) -> list[Unit]:
    """Return the batches that were not tried yet.

    First batches come first, so that each function is tried early.
    """
    target_counts = Counter(target.function for target in settings.targets)
    units = []
    for number, target in enumerate(settings.targets):
        draws = max(1, inputs // target_counts[target.function])
        batches = math.ceil(draws / batch_size(target))
        for batch in range(batches):
            open_for = [digest for digest in digests if kept.is_open(digest, target.id, batch)]
            if open_for:
                units.append(Unit(target=number, batch=batch, digests=tuple(open_for)))
    units.sort(key=lambda unit: (unit.batch, unit.target))
    return units


def _run(
    setup: Setup, units: Sequence[Unit], jobs: int | None, deadline: float | None
) -> Iterator[UnitResult]:
    """Yield the results of batches as they become ready. Start no batch after the deadline.

    Once a submission differs from the reference at a target, later batches for that target skip it.
    """
    differing: set[tuple[str, int]] = set()

    def still_open() -> Iterator[Unit]:
        for unit in units:
            if deadline is not None and time.monotonic() >= deadline:
                return
            target = unit.target
            digests = [digest for digest in unit.digests if (digest, target) not in differing]
            if digests:
                yield replace(unit, digests=tuple(digests))

    def remember(message: object) -> None:
        if isinstance(message, UnitResult):
            for digest in message.found:
                differing.add((digest, message.unit.target))

    with comparer_pool(jobs, "harness.study.fuzz.worker") as workers:
        for _, message in workers.run(setup, still_open(), remember):
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
    kept: KeptSearches,
    *,
    complete: bool,
) -> study.FuzzReport:
    ids_by_digest: dict[str, list[str]] = {}
    for submission in submissions:
        ids_by_digest.setdefault(submission.digest, []).append(submission.id)
    fuzzed = []
    for digest, ids in ids_by_digest.items():
        fuzzed.append(_fuzzed_submission(digest, ids, settings, kept))
    fuzzed.sort(key=lambda entry: entry.ids)
    return study.FuzzReport(
        assignment=plan.assignment.id,
        seed=seed,
        complete=complete,
        functions=_function_inputs(settings, kept),
        submissions=tuple(fuzzed),
        not_fuzzed=not_fuzzed(plan, settings),
    )


def _function_inputs(
    settings: study.FuzzSettings, kept: KeptSearches
) -> tuple[study.FunctionInputs, ...]:
    """Return how many inputs of each function were compared, and how many were left out."""
    function_of: dict[str, str] = {}
    for target in settings.targets:
        function_of[target.id] = target.function
    inputs: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for batch in kept.batches.values():
        function = function_of[batch.target]
        inputs[function] += batch.inputs
        left_out[function] += batch.left_out
    rows = []
    for name in dict.fromkeys(function_of.values()):
        row = study.FunctionInputs(function=name, inputs=inputs[name], left_out=left_out[name])
        rows.append(row)
    return tuple(rows)


def _fuzzed_submission(
    digest: str, ids: Sequence[str], settings: study.FuzzSettings, kept: KeptSearches
) -> study.FuzzedSubmission:
    """Return the results of the submissions that have this digest."""
    inputs = 0
    differences = []
    for target in settings.targets:
        known = kept.targets.get((digest, target.id))
        if known is None:
            continue
        for batch in known.batches:
            inputs += kept.batches[known.target, batch].inputs
        if known.difference is not None:
            differences.append(known.difference)
    return study.FuzzedSubmission(
        ids=tuple(sorted(ids)), inputs=inputs, differences=tuple(differences)
    )
