"""Define the results that the next grading uses again: under which keys, and as which rows of
the store.

A key covers everything that its value depends on, and nothing else: the name, points, place and
visibility of a scenario are in none. Most submissions do the same on most scenarios, so a row is
a key and the digest of a text; a text that many share is sent and stored once.

A stored observation is used again only by code that would observe the same. So a key covers exactly
those sources of the harness that can change an observation. A new hint of `harness doctor`, for
example, makes no submission run again.
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
    """Stored instead of the observations of a scenario that behaved in a shared process like the
    reference does."""

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
    """Part of the results of a submission's grading."""

    # New texts by digest, compressed.
    texts: tuple[_Row, ...] = ()
    # Rows of a key and a text's digest.
    observations: tuple[_Row, ...] = ()
    verdicts: tuple[_Row, ...] = ()


def row_key(key: str) -> bytes:
    """Return a key as it is stored: 16 bytes."""
    return _digest(key.encode())


def encoded(value: StoredRun | Verdict | Probe) -> bytes:
    """Return the text of a scenario's observations, or of a verdict or a probe's result.

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
    """Return whether a value depends only on the submission, not on the machine at that moment."""
    if isinstance(value, Verdict):
        return value.kind not in _TRANSIENT_KINDS
    if not isinstance(value, tuple):
        return True
    endings = {observation.ending for observation in value}
    return endings.isdisjoint(_TRANSIENT_ENDINGS)


class Packer:
    """A packer of rows into pieces of bounded size.

    A text is sent once, with the first row that needs it: the caller must store all pieces of one
    packer in their order.
    """

    def __init__(self) -> None:
        self._sent: set[bytes] = set()

    def pieces(
        self,
        runs: Mapping[str, StoredRun],
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
    """Return the text as it is stored."""
    return zlib.compress(text, 6)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


class _StimuliName(NamedTuple):
    """The name of a scenario's stimuli in its plan."""

    scenario: str
    stands_in: bool  # the course's modules take the place of the submission's


class PlanKeys:
    """The keys of a plan's scenarios. Their common part for all submissions is computed once.

    `interpreter` names the build, `execution_digest` the code that runs the submissions,
    `judged_by` the code that judges them. All scenarios must be of the plan with this assignment.
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
        """Return a hex SHA-256 for a submission's bytes on one scenario.

        Raise KeyError if the assignment lacks a variant for one of the scenario's overrides.
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
        """Return a hex SHA-256 for the verdict of the observations under `key_alone` on a scenario.

        `answers` are the reference's, always the same for one scenario, and `parameters` its names
        for each stimulus's arguments if judging uses them.
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
    """Return the key for "behaved like the reference" of a scenario in a shared process.

    It combines `key_alone` (the key of the same scenario in its own process), the digest of the
    sharing rules and the digest of the reference's observations. Other rules or another reference
    make it stale.
    """
    return _joined(key_alone, "shared", proof_digest, reference_digest)


def _timeless(answers: tuple[Answer, ...] | None) -> list[Any] | None:
    """Return answers without the facts that differ from run to run, which are not judged."""
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
    """Return the digest of names without zero bytes. It must be fast: each submission needs two for
    each scenario.
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
    """A store of earlier observations, verdicts and probes. This base class has none."""

    def passed_shared(self, key: str) -> bool:
        """Return whether a `SharedPass` is stored under this key."""
        return False

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """Return the observations under this key; None if none may be used again."""
        return None

    def verdict(self, key: str) -> Verdict | None:
        """Return the verdict under this key."""
        return None

    def probe(self, key: str, kind: type[P]) -> P | None:
        """Return the findings of a probe of this kind, under this key."""
        return None


def execution_digest() -> str:
    """Return the digest of all sources that can change an observation, hexadecimal."""
    return source_digest("execution", *_SHARED, leave_out=_NOT_OBSERVING)


def judging_digest() -> str:
    """Return the digest of all sources that can change a verdict, hexadecimal."""
    return source_digest("judging", "matchers", *_SHARED)


def write_strength(cache: Path, report: StrengthReport) -> None:
    """Store a report below `cache` instead of the assignment's earlier one."""
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
