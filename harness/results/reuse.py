"""Define which results the next grading reuses, and under which keys they are stored.

A key is a digest of everything that the stored value depends on, and nothing else: the name,
points, place and visibility of a scenario are in no key. Most submissions behave alike in most
scenarios, so the store has rows of a key and the digest of a text, and each text only once.

A stored observation may be reused only by code that would observe the same. So its key covers
exactly those source files of the harness that can change an observation. A new hint of `harness
doctor`, for example, makes no submission run again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from harness.common import files, serial
from harness.common.files import source_digest
from harness.model.expectation import Answer
from harness.model.explanation.probes import Probe
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, Plan, Scenario, SourceFile
from harness.model.stimulus import Binding
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


class SharedPass(StrEnum):
    """A marker stored for a scenario that ran in one process with others and behaved like the
    reference.

    It replaces the scenario's observations.
    """

    PASSED = "passed in a shared process"


StoredRun = tuple[Observation, ...] | SharedPass  # of one scenario

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
    """A part of the results of grading one submission, small enough to be sent between
    processes.
    """

    # New texts by digest, compressed.
    texts: tuple[_Row, ...] = ()
    # Rows of a key and a text's digest.
    observations: tuple[_Row, ...] = ()
    verdicts: tuple[_Row, ...] = ()


def row_key(key: str) -> bytes:
    """Return the 16 bytes under which a hexadecimal key is stored."""
    return _digest(key.encode())


def encoded(value: StoredRun | Verdict | Probe) -> bytes:
    """Return the text that is stored for observations, a verdict or a probe's result.

    It is without CPU times, which differ from run to run and are never judged, and without pictures
    of figures, which only a verdict shows.
    """
    if not isinstance(value, tuple):
        return serial.dumps(value).encode("ascii")
    stored = tuple(map(_stored, value))
    return serial.dumps(stored, kind=tuple[Observation, ...]).encode("ascii")


def _stored(observation: Observation) -> Observation:
    figures = tuple(replace(figure, picture="") for figure in observation.figures)
    return replace(observation.without_varying(), figures=figures)


def _may_be_used_again(value: StoredRun | Verdict | Probe) -> bool:
    """Return whether a value depends only on the submission, and not on the machine's load as
    timeouts do.
    """
    if isinstance(value, Verdict):
        return value.kind not in _TRANSIENT_KINDS
    if not isinstance(value, tuple):
        return True
    endings = {observation.ending for observation in value}
    return endings.isdisjoint(_TRANSIENT_ENDINGS)


class Packer:
    """Packs rows into pieces of bounded size.

    Each text is sent only once, with the first row that needs it, so the caller must store all
    pieces of a packer in their order.
    """

    def __init__(self) -> None:
        self._sent: set[bytes] = set()

    def pieces(
        self,
        runs: Mapping[str, StoredRun],
        verdicts: Mapping[str, Verdict | Probe],
    ) -> Iterator[Piece]:
        """Yield the rows in pieces of at most about `PIECE_BYTES`.

        Observations and verdicts that must not be reused are left out.
        """
        texts: list[_Row] = []
        observed: list[_Row] = []
        judged: list[_Row] = []

        def piece() -> Piece:
            return Piece(texts=tuple(texts), observations=tuple(observed), verdicts=tuple(judged))

        size = 0
        for values_by_key, rows in ((runs, observed), (verdicts, judged)):
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
    """Compress a text for storing."""
    return zlib.compress(text, 6)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


class _StimuliName(NamedTuple):
    """Identifies the stimuli (calls or program runs) of a scenario in its plan."""

    scenario: str
    stands_in: bool  # the course's modules take the place of the submission's


class PlanKeys:
    """Computes the keys of a plan's scenarios. The part that all submissions share is computed
    once.

    `interpreter` identifies the Python, `execution_digest` the code that runs the submissions,
    `judged_by` the code that judges them. All scenarios must belong to this assignment's plan.
    """

    def __init__(
        self,
        assignment: Assignment,
        *,
        interpreter: str,
        tier: Tier,
        execution_digest: str,
        judged_by: str,
    ) -> None:
        self._assignment = assignment
        self._made_with = (interpreter, tier.value, execution_digest)
        self._judged_by = judged_by
        self._stimuli: dict[_StimuliName, str] = {}
        self._expectations: dict[str, str] = {}  # by scenario id
        self._provided: dict[tuple[Binding, ...], str] = {}  # by the constants of the variant

    def observation_key(self, source_digest: str, scenario: Scenario) -> str:
        """Return the key for the observations of one scenario on one submission, a hex SHA-256.

        `source_digest` is the digest of the submission's files. Raise KeyError if the assignment
        lacks a variant for one of the scenario's replaced constants.
        """
        stands_in = any(stimulus.stand_ins for stimulus in scenario.stimuli)
        name = _StimuliName(scenario.id, stands_in)
        if name not in self._stimuli:
            self._stimuli[name] = self._stimuli_digest(scenario)
        return _joined(source_digest, self._stimuli[name], *self._made_with)

    def verdict_key(
        self,
        key_alone: str,
        answers: tuple[Answer, ...] | None,
        scenario: Scenario,
        parameters: tuple[tuple[str, ...], ...] = (),
    ) -> str:
        """Return the key for a scenario's verdict on the observations under `key_alone`, a hex
        SHA-256.

        `answers` are the reference's, always the same for one scenario. `parameters` has the names
        of the reference's parameters for each stimulus, if judging uses them.
        """
        if scenario.id not in self._expectations:
            stated = (scenario.stated, *scenario.stated_cases)
            expected = [_timeless(answers), _plain(stated)]
            self._expectations[scenario.id] = _hash(expected)
        parts = [
            key_alone,
            self._expectations[scenario.id],
            self._judged_by,
            parameters,
            scenario.hint,
            self._assignment.floats_within,
        ]
        return _hash(parts)

    def _stimuli_digest(self, scenario: Scenario) -> str:
        assignment = self._assignment
        overrides: set[tuple[Binding, ...]] = set()
        extra: set[str] = set()
        stand_in_names: set[str] = set()
        for stimulus in scenario.stimuli:
            overrides.add(stimulus.constants)
            extra.update(stimulus.provide)
            stand_in_names.update(stand_in.file for stand_in in stimulus.stand_ins)
        extra_files = [file for file in assignment.extra_files if file.name in extra]
        stand_ins = [file for file in assignment.stand_in_files if file.name in stand_in_names]
        test_files = assignment.test_files if scenario.is_test else ()
        test_writing = assignment.test_writing if scenario.is_suite else None
        parts = [
            _plain(scenario.stimuli),
            serial.to_plain(scenario.limits),
            sorted(map(self._provided_digest, overrides)),
            _files(extra_files),
            _files(stand_ins),
            _files(test_files),
            serial.to_plain(test_writing),
            list(assignment.submission_files),
            assignment.laid_as,
            serial.to_plain(assignment.extra_modules),
            sorted(assignment.module_names),
            _plain(assignment.compare),
        ]
        return _hash(parts)

    def _provided_digest(self, constants: tuple[Binding, ...]) -> str:
        if constants not in self._provided:
            variant = self._assignment.variant(constants)
            self._provided[constants] = _files(variant.files)
        return self._provided[constants]


def shared_key(key_alone: str, proof_digest: str, reference_digest: str) -> str:
    """Return the key for a scenario that behaved like the reference in one process with others.

    `key_alone` is the key of the same scenario in its own process, `proof_digest` the digest of the
    rules for sharing a process, `reference_digest` that of the reference's observations. If the
    rules or the reference change, so does the key, and stored values are not found.
    """
    return _joined(key_alone, "shared", proof_digest, reference_digest)


def _timeless(answers: tuple[Answer, ...] | None) -> list[Any] | None:
    """Return the answers without facts that differ from run to run, which are not judged."""
    if answers is None:
        return None
    steady: list[Answer] = []
    for answer in answers:
        steady.append(replace(answer, observation=answer.observation.without_varying()))
    return _plain(steady)


def _plain(values: Iterable[Any]) -> list[Any]:
    return [serial.to_plain(value) for value in values]


def _files(files: Iterable[SourceFile]) -> str:
    parts: list[list[str]] = []
    for file in files:
        digest = sha256(file.data).hexdigest()
        parts.append([file.name, digest])
    return _hash(parts)


def _joined(*names: str) -> str:
    """Return a digest of several names, which must not contain zero bytes.

    It must be fast: each submission needs two for each scenario.
    """
    return sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()


def _hash(plain: Any) -> str:
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


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
# Both execution and judging use these packages, so a change there can change results.
_SHARED = ("common", "model", "stimuli")


class ResultCache:
    """The interface to results of earlier runs. This base class has none."""

    def passed_shared(self, key: str) -> bool:
        """Return whether a `SharedPass` is stored under this key."""
        return False

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """Return the observations under this key; None if there are none to reuse."""
        return None

    def verdict(self, key: str) -> Verdict | None:
        """Return the verdict under this key; None if there is none."""
        return None

    def probe(self, key: str, kind: type[P]) -> P | None:
        """Return the stored result of a probe under this key; None if there is none of type
        `kind`.
        """
        return None


def execution_digest() -> str:
    """Return a hex digest of all source files that can change an observation."""
    return source_digest("execution", *_SHARED, leave_out=_NOT_OBSERVING)


def judging_digest() -> str:
    """Return a hex digest of all source files that can change a verdict."""
    return source_digest("judging", "matchers", *_SHARED)


def write_strength(cache: Path, report: StrengthReport) -> None:
    """Store a report in the folder `cache`, and replace the assignment's earlier one."""
    files.write(_strength_path(cache, report.assignment), serial.dumps(report))


def latest_strength(cache: Path, plan: Plan) -> StrengthReport | None:
    """Return the stored report about exactly these scenarios and this reference.

    Return None if there is none, or if scenarios or reference have changed.
    """
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
