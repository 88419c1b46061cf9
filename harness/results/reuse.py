"""Say what the next grading uses again: under which keys, and as which rows of the store.

A key covers everything that its value depends on, and nothing else: the name, points, place and
visibility of a scenario are in none. Most submissions do the same on most scenarios, so a row is a
key and the digest of a text; a text that many share is sent and stored once.

A stored observation is used again only by code that would observe the same. So a key covers all of
the harness's sources that can change an observation, and no others: another hint of `harness
doctor`, or another place to look for an interpreter, makes no submission run again.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.common import files, serial
from harness.common.files import source_digest
from harness.model.expectation import Answer
from harness.model.explanation.probes import Probe
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, Plan, Scenario, SourceFile
from harness.model.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from harness.model.study import StrengthReport

P = TypeVar("P", bound=Probe)

# Bytes of a piece's compressed texts. A single text may be larger.
PIECE_BYTES = 1 << 20
PIECE_ROWS = 2048
_DIGEST_BYTES = 16
_Row = tuple[bytes, bytes]
# Digests to remember, which take 20 MB.
_MAX_SENT = 200_000

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
    """Part of the results of a submission's grading."""

    # New texts by digest, compressed.
    texts: tuple[_Row, ...] = ()
    # Rows of a key and a text's digest.
    observations: tuple[_Row, ...] = ()
    verdicts: tuple[_Row, ...] = ()


def row_key(key: str) -> bytes:
    """Return a key as it is stored: 16 bytes."""
    return _digest(key.encode())


def encoded(value: tuple[Observation, ...] | Verdict | Probe) -> bytes:
    """Return the text of a scenario's observations, or of a verdict or a probe's result.

    It is without CPU times, which differ from run to run and are never judged.
    """
    if not isinstance(value, tuple):
        return serial.dumps(value).encode("ascii")
    timeless = tuple(replace(each, cpu_seconds=0.0) for each in value)
    return serial.dumps(timeless, kind=tuple[Observation, ...]).encode("ascii")


def _may_be_used_again(value: tuple[Observation, ...] | Verdict | Probe) -> bool:
    """Return whether a value depends only on the submission, not on the machine at that moment."""
    if isinstance(value, Verdict):
        return value.kind not in _TRANSIENT_KINDS
    if not isinstance(value, tuple):
        return True
    return not any(observation.ending in _TRANSIENT_ENDINGS for observation in value)


class Packer:
    """A packer of rows into pieces of bounded size.

    A text is sent once, with the first row that needs it: the caller must store all pieces of one
    packer in their order.
    """

    def __init__(self) -> None:
        self._sent: set[bytes] = set()

    def pieces(
        self,
        observations: Mapping[str, tuple[Observation, ...]],
        verdicts: Mapping[str, Verdict | Probe],
    ) -> Iterator[Piece]:
        """Yield rows by their keys, as pieces of at most about `PIECE_BYTES`.

        Rows that may never be used again are left out.
        """
        texts: list[_Row] = []
        observed: list[_Row] = []
        judged: list[_Row] = []

        def piece() -> Piece:
            return Piece(texts=tuple(texts), observations=tuple(observed), verdicts=tuple(judged))

        size = 0
        for values_by_key, rows in ((observations, observed), (verdicts, judged)):
            for key, value in values_by_key.items():
                if not _may_be_used_again(value):
                    continue
                text = encoded(value)
                digest = _digest(text)
                if digest not in self._sent:
                    self._remember(digest)
                    data = compress(text)
                    texts.append((digest, data))
                    size += len(data)
                rows.append((row_key(key), digest))
                if size >= PIECE_BYTES or len(observed) + len(judged) >= PIECE_ROWS:
                    yield piece()
                    texts.clear()
                    observed.clear()
                    judged.clear()
                    size = 0
        if observed or judged:
            yield piece()

    def _remember(self, digest: bytes) -> None:
        # After this some texts are sent twice, which changes nothing.
        if len(self._sent) >= _MAX_SENT:
            self._sent.clear()
        self._sent.add(digest)


def compress(text: bytes) -> bytes:
    """Return the text as it is stored."""
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
    """Return a hex SHA-256 for a submission's bytes on one scenario.

    `interpreter` names the build, `execution_digest` the code that ran it. Raise KeyError if the
    assignment lacks a variant for one of the scenario's overrides.
    """
    parts = (scenario, assignment)
    stimuli_digest = _SCENARIOS.get(parts, partial(_stimuli_digest, *parts))
    return _joined(source_digest, stimuli_digest, interpreter, tier.value, execution_digest)


def shared_key(key_alone: str, proof_digest: str, reference_digest: str) -> str:
    """Return the key for "did what the reference does" of a scenario in a shared process.

    It combines `key_alone` (the key of the same scenario in its own process), the digest of the
    sharing rules and the digest of the reference's observations. Other rules or another reference
    make it stale.
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
    each stimulus's arguments if judging uses them, `within` is the tolerance of floats.
    """
    stated = (scenario.stated, *scenario.stated_cases)
    expected = _EXPECTATIONS.get(
        (answers, *stated), lambda: _hash([_timeless(answers), _plain(stated)])
    )
    return _hash([key_alone, expected, judged_by, parameters, scenario.hint, within])


def _timeless(answers: tuple[Answer, ...] | None) -> list[Any] | None:
    """Return answers without CPU times, which differ from run to run and are not judged."""
    if answers is None:
        return None
    plain = _plain(answers)
    for answer in plain:
        answer["observation"].pop("cpu_seconds", None)
    return plain


def _plain(values: Iterable[Any]) -> list[Any]:
    return [serial.to_plain(value) for value in values]


def _stimuli_digest(scenario: Scenario, assignment: Assignment) -> str:
    overrides = set()
    extra: set[str] = set()
    stand_in_names: set[str] = set()
    for stimulus in scenario.stimuli:
        overrides.add(stimulus.constants)
        extra.update(stimulus.provide)
        stand_in_names.update(stand_in.file for stand_in in stimulus.stand_ins)
    provided = []
    for constants in overrides:
        variant = assignment.variant(constants)
        provided.append(_VARIANTS.get((variant,), partial(_files, variant.files)))
    parts = [
        _plain(scenario.stimuli),
        serial.to_plain(scenario.limits),
        sorted(provided),
        _files(file for file in assignment.extra_files if file.name in extra),
        _files(file for file in assignment.stand_in_files if file.name in stand_in_names),
        list(assignment.submission_files),
        assignment.laid_as,
        serial.to_plain(assignment.extra_modules),
        sorted(assignment.module_names),
        _plain(assignment.compare),
    ]
    return _hash(parts)


def _files(files: Iterable[SourceFile]) -> str:
    return _hash([[file.name, sha256(file.data).hexdigest()] for file in files])


def _joined(*names: str) -> str:
    """Return the digest of names without zero bytes. It is fast, because each submission has two
    for each scenario.
    """
    return sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()


def _hash(plain: Any) -> str:
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


class _PartCache:
    """Digests of model values by identity, because hashing the values costs as much as the digest.

    The values are kept alive with their digest, so no other object can take their identity.
    """

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


# Every file of `execution` except these can change an observation. A new file counts unless it is
# named here, so that forgetting one costs time and never a wrong mark. The interpreter with its
# packages and the tier are in the observation's key, so the code that finds them is not needed;
# the modules of `model/explanation` only describe observations.
_NOT_OBSERVING = frozenset(
    {
        "execution/__init__.py",
        "execution/interpreter.py",
        "execution/confinement/forbidden_acts.py",
        "execution/confinement/probe.py",
        "model/explanation/facts.py",
        "model/explanation/probes.py",
        "model/explanation/sentences.py",
    }
)
# Both execution and judging use these packages, and a method there can decide as well.
_SHARED = ("common", "model", "stimuli")


class ResultCache:
    """A store of earlier observations, verdicts and probes. This base class has none."""

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
    """Return the digest of all sources that can change an observation, hexadecimal."""
    return source_digest("execution", *_SHARED, leave_out=_NOT_OBSERVING)


def judging_digest() -> str:
    """Return the digest of all sources that can change a verdict, hexadecimal."""
    return source_digest("judging", "matchers", *_SHARED)


def write_strength(cache: Path, report: StrengthReport) -> None:
    """Store a report below `cache` in place of the assignment's earlier one."""
    files.write(_strength_path(cache, report.assignment), serial.dumps(report))


def latest_strength(cache: Path, plan: Plan) -> StrengthReport | None:
    """Return the report below `cache` for exactly these scenarios and this reference; None if there
    is none or either has changed."""
    # Imported here, because no grading needs it.
    from harness.model.study import StrengthReport  # noqa: PLC0415

    path = _strength_path(cache, plan.assignment.id)
    try:
        report = serial.loads(StrengthReport, path.read_bytes())
    except (OSError, serial.SerialError):
        return None
    if report.spec_digest != plan.spec_digest or report.reference_digest != plan.reference_digest:
        return None
    return report


def _strength_path(cache: Path, assignment: str) -> Path:
    return cache / "strength" / f"{assignment}.json"
