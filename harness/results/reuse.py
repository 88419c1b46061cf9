"""What the next grading uses again: under which keys, and as which rows of the store.

A key covers everything that its value depends on, and nothing else: the name, points, place and
visibility of a scenario are in none. Most submissions do the same on most scenarios, so a row
is a key and the digest of a text; a text that many share is sent and stored once.

A stored observation is used again only by the code that would observe the same. Of our own sources
a key holds all that can change an observation, and nothing else: another hint of `harness doctor`,
or another place to look for an interpreter, makes no submission run again.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.common import files, serial
from harness.common.files import source_digest
from harness.model.expectation import Answer
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, Plan, Scenario, SourceFile
from harness.model.probes import Probe
from harness.model.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from harness.model.study import StrengthReport

P = TypeVar("P", bound=Probe)

PIECE_BYTES = 1 << 20  # of compressed texts; one text alone may be larger
PIECE_ROWS = 2048
_DIGEST_BYTES = 16
_MOST_SENT = 200_000  # digests to remember: 20 MB

_TRANSIENT_ENDINGS = frozenset(
    {
        Ending.TIMEOUT,
        Ending.HARNESS_ERROR,
        Ending.NOT_RUN,
        Ending.STOPPED_EARLY,
        Ending.STAND_IN_FAILED,
    }
)
_TRANSIENT_KINDS = (
    VerdictKind.TIMEOUT,
    VerdictKind.HARNESS_ERROR,
    VerdictKind.NOT_RUN,
    VerdictKind.STOPPED_EARLY,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Part of what a submission's grading found: new texts by digest, compressed, and rows of a key
    and a text's digest."""

    texts: tuple[tuple[bytes, bytes], ...] = ()
    observations: tuple[tuple[bytes, bytes], ...] = ()
    verdicts: tuple[tuple[bytes, bytes], ...] = ()


def row_key(key: str) -> bytes:
    """A key as it is stored: 16 bytes."""
    return _digest(key.encode())


def encoded(value: tuple[Observation, ...] | Verdict | Probe) -> bytes:
    """The text of a scenario's observations or of a verdict; without the time that they took, which
    differs from run to run and is never judged."""
    if not isinstance(value, tuple):
        return serial.dumps(value).encode("ascii")
    timeless = tuple(replace(each, cpu_seconds=0.0) for each in value)
    return serial.dumps(timeless, kind=tuple[Observation, ...]).encode("ascii")


def _may_be_used_again(value: tuple[Observation, ...] | Verdict | Probe) -> bool:
    """Not what says as much about the machine at that moment as about the submission."""
    if isinstance(value, Verdict):
        return value.kind not in _TRANSIENT_KINDS
    if not isinstance(value, tuple):
        return True
    return not any(observation.ending in _TRANSIENT_ENDINGS for observation in value)


class Packer:
    """Packs rows into pieces of bounded size. A text goes out once, with the first row that needs
    it: the caller must store all of one packer, in their order."""

    def __init__(self) -> None:
        self._sent: set[bytes] = set()

    def pieces(
        self,
        observations: Mapping[str, tuple[Observation, ...]],
        verdicts: Mapping[str, Verdict | Probe],
    ) -> Iterator[Piece]:
        """Rows by their keys, as pieces of at most about `PIECE_BYTES`; those that may never be
        used again are left out."""
        texts: list[tuple[bytes, bytes]] = []
        seen: list[tuple[bytes, bytes]] = []
        judged: list[tuple[bytes, bytes]] = []

        def piece() -> Piece:
            return Piece(texts=tuple(texts), observations=tuple(seen), verdicts=tuple(judged))

        size = 0
        for values_by_key, rows in ((observations, seen), (verdicts, judged)):
            for key, value in values_by_key.items():
                if not _may_be_used_again(value):
                    continue
                text = encoded(value)
                digest = _digest(text)
                if digest not in self._sent:
                    data = compress(text)
                    if len(self._sent) >= _MOST_SENT:
                        self._sent.clear()  # then some go out twice, which changes nothing
                    self._sent.add(digest)
                    texts.append((digest, data))
                    size += len(data)
                rows.append((row_key(key), digest))
                if size >= PIECE_BYTES or len(seen) + len(judged) >= PIECE_ROWS:
                    yield piece()
                    texts.clear()
                    seen.clear()
                    judged.clear()
                    size = 0
        if seen or judged:
            yield piece()


def compress(text: bytes) -> bytes:
    """The text as it is stored."""
    return zlib.compress(text, 6)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def observation_key(
    *,
    source_digest: str,
    scenario: Scenario,
    assignment: Assignment,
    interpreter: str,
    tier: Tier,
    execution_digest: str,
) -> str:
    """Hex SHA-256 for a submission's bytes on one scenario. `interpreter` names the build,
    `execution_digest` the code that ran it. Raises KeyError if the assignment lacks a variant for
    one of the scenario's overrides."""
    parts = (scenario, assignment)
    stimuli_digest = _SCENARIOS.get(parts, partial(_stimuli_digest, *parts))
    return _joined(source_digest, stimuli_digest, interpreter, tier.value, execution_digest)


def shared_key(key_alone: str, proof_digest: str, reference_digest: str) -> str:
    """Return the key for "did what the reference does" of a scenario in a shared process.

    It combines `key_alone` (the key of the same scenario alone), the digest of the sharing rules
    and the digest of the reference's observations. Other rules or another reference make it stale.
    """
    return _joined(key_alone, "shared", proof_digest, reference_digest)


def verdict_key(
    key_alone: str,
    answers: tuple[Answer, ...] | None,
    scenario: Scenario,
    judged_by: str,
    parameters: tuple[tuple[str, ...], ...] = (),
    *,
    within: float | None = None,
) -> str:
    """Return a hex SHA-256 for the verdict of the observations under `key_alone` on a scenario.

    `judged_by` is the digest of the code that judges, `parameters` are the reference's names for
    each stimulus's arguments if judging uses them, `within` is the tolerance of floats."""
    stated = (scenario.stated, *scenario.stated_cases)

    def of_expected() -> str:
        judged = None if answers is None else [serial.to_plain(answer) for answer in answers]
        for answer in judged or ():  # the time it took differs from run to run, and is not judged
            answer["observation"].pop("cpu_seconds", None)
        return _hash([judged, [serial.to_plain(each) for each in stated]])

    expected = _EXPECTATIONS.get((answers, *stated), of_expected)
    return _hash([key_alone, expected, judged_by, parameters, scenario.hint, within])


def _stimuli_digest(scenario: Scenario, assignment: Assignment) -> str:
    overrides = {stimulus.constants for stimulus in scenario.stimuli}
    variants = [assignment.variant(constants) for constants in overrides]
    extra = {name for stimulus in scenario.stimuli for name in stimulus.provide}
    provided = sorted(_VARIANTS.get((each,), partial(_files, each.files)) for each in variants)
    stand_in_names = {each.file for stimulus in scenario.stimuli for each in stimulus.stand_ins}
    return _hash(
        [
            [serial.to_plain(stimulus) for stimulus in scenario.stimuli],
            serial.to_plain(scenario.limits),
            provided,
            _files(tuple(f for f in assignment.extra_files if f.name in extra)),
            _files(tuple(f for f in assignment.stand_in_files if f.name in stand_in_names)),
            list(assignment.submission_files),
            assignment.laid_as,
            serial.to_plain(assignment.extra_modules),
            sorted(assignment.module_names),
            [serial.to_plain(each) for each in assignment.compare],
        ]
    )


def _files(files: tuple[SourceFile, ...]) -> str:
    return _hash([[file.name, sha256(file.data).hexdigest()] for file in files])


def _joined(*names: str) -> str:
    """The digest of names that hold no zero byte: each submission has two for each scenario."""
    return sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()


def _hash(plain: Any) -> str:
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


class _PartCache:
    """Digests of model values by identity, since hashing the values themselves costs as much. They
    are kept alive with their digest, so no other object can take their identity."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: OrderedDict[Hashable, tuple[tuple[Any, ...], str]] = OrderedDict()

    def get(self, things: tuple[Any, ...], make: Callable[[], str]) -> str:
        name = tuple(map(id, things))
        if name not in self._parts:
            self._parts[name] = (things, make())
            if len(self._parts) > self._most:
                self._parts.popitem(last=False)
        self._parts.move_to_end(name)
        return self._parts[name][1]


_SCENARIOS = _PartCache(8192)
_EXPECTATIONS = _PartCache(8192)
_VARIANTS = _PartCache(256)


# Every file of `execution` except these can change what is observed. A new file counts unless it is
# named here, so that forgetting one costs time and never a wrong mark.
_NOT_OBSERVING = frozenset(
    {
        "execution/__init__.py",  # names for other packages
        "execution/interpreter.py",  # which one, with which packages, is in the observation's key
        "execution/confinement/forbidden_acts.py",  # what the trial of a tier tries
        "execution/confinement/probe.py",  # which tier this machine has; it is in the key
        "model/facts.py",  # what is said of an observation
        "model/probes.py",
        "model/sentences.py",
    }
)
# What both execution and judging are written in: whole, since a method there can decide as well.
_SHARED = ("common", "model", "stimuli")


class ResultCache:
    """Where earlier observations, verdicts and probes are kept; here there are none."""

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """Return the observations under this key; None if none may be used again."""
        return None

    def verdict(self, key: str) -> Verdict | None:
        """Return the verdict under this key."""
        return None

    def probe(self, key: str, kind: type[P]) -> P | None:
        """Return what a probe of this kind found, under this key."""
        return None


def execution_digest() -> str:
    """The digest of all sources that can change an observation, hexadecimal."""
    return source_digest("execution", *_SHARED, leave_out=_NOT_OBSERVING)


def judging_digest() -> str:
    """The digest of all sources that can change a verdict, hexadecimal."""
    return source_digest("judging", "matchers", *_SHARED)


def write_strength(cache: Path, report: StrengthReport) -> None:
    """Keep a report below `cache` in place of the assignment's earlier one."""
    files.write(_strength_path(cache, report.assignment), serial.dumps(report))


def latest_strength(cache: Path, plan: Plan) -> StrengthReport | None:
    """Return the report below `cache` for exactly these scenarios and this reference; None if there
    is none or either has changed."""
    from harness.model.study import StrengthReport  # noqa: PLC0415  (no grading needs it)

    path = _strength_path(cache, plan.assignment.id)
    try:
        report = serial.loads(StrengthReport, path.read_bytes())
    except (OSError, serial.SerialError):
        return None
    measured = (report.spec_digest, report.reference_digest)
    return report if measured == (plan.spec_digest, plan.reference_digest) else None


def _strength_path(cache: Path, assignment: str) -> Path:
    return cache / "strength" / f"{assignment}.json"
