"""Everything the loader reads of an assignment: the plan, and what only its makers may see."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.plan import Plan, SourceFile
from harness.model.verdict import VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A single-fault change of the reference: `find` occurs exactly once in `file`."""

    clause: str
    file: str
    find: str
    replace: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFile:
    """The file a scenario's `transcript:` names, as a path below the spec folder."""

    scenario_id: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """One assignment as loaded."""

    plan: Plan
    reference: tuple[SourceFile, ...]  # empty where there is none
    mutants: tuple[Mutant, ...]
    transcripts: tuple[TranscriptFile, ...]
    folder: str  # the spec folder's path
    left_out: tuple[str, ...] = ()  # tags whose scenarios were cut out of the plan
    mutant_mistakes: tuple[str, ...] = ()  # a line for each mistake in the mutants' file


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedVerdict:
    """`verdicts: {"check_win/slow-*": cpu_limit}`: ids matching the glob have this verdict."""

    pattern: str
    kind: VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCause:
    """`causes: {check_win: returned_none}`; a function with several causes has one for each."""

    function: str  # to fix; empty: the whole file
    rule: str  # of its example


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleExpectation:
    """expect.yaml of a sample submission; what is not stated is empty or None."""

    fails: tuple[str, ...] = ()  # globs over scenario ids, as in verdicts
    mark: tuple[float, ...] = ()  # an inclusive range
    explains: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    verdicts: tuple[ExpectedVerdict, ...] = ()
    causes: tuple[ExpectedCause, ...] | None = None  # all that it has
    tier: str = ""  # of the hostile corpus: the minimum tier
    layer: str = ""  # that stops it
    wall_seconds: float | None = None  # the most that the parent may take
    memory_mib: int | None = None
    survivors: int | None = None  # processes that may be left
