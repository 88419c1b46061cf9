"""Results for each submission and target, keyed by content, in a file below the cache."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness.common import files, serial
from harness.grading import GradingContext, execution_digest, judging_digest
from harness.model.study.fuzzing import Difference, FuzzSettings
from harness.study.fuzz.worker import UnitResult


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTarget:
    """Of a submission, by its digest, at a target: the batches that are done, and what differs
    first, in the batch `found_in`."""

    digest: str
    target: str
    batches: tuple[int, ...] = ()
    difference: Difference | None = None
    found_in: int = 0

    def with_batch(self, batch: int, difference: Difference | None) -> KnownTarget:
        """The same with one more batch."""
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
        found = {digest for (digest, _), known in self.targets.items() if known.difference}
        return len(found & set(digests))

    def save(self) -> None:
        """Write the file."""
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
