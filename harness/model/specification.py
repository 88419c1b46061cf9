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
    """One assignment as loaded. `reference` is empty where there is none.

    `mutants` has one or more entries a clause, `mutant_mistakes` a line for each mistake in their
    file; `folder` is the spec folder's path. `left_out` are tags whose scenarios were cut out of
    the plan.
    """

    plan: Plan
    reference: tuple[SourceFile, ...]
    mutants: tuple[Mutant, ...]
    transcripts: tuple[TranscriptFile, ...]
    folder: str
    left_out: tuple[str, ...] = ()
    mutant_mistakes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedVerdict:
    """`verdicts: {"check_win/slow-*": cpu_limit}`: ids matching the glob have this verdict."""

    pattern: str
    kind: VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCause:
    """`causes: {check_win: returned_none}`: the function to fix (empty: the whole file) and the
    rule of its example. A function with several causes has one of these for each."""

    function: str
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleExpectation:
    """expect.yaml of a sample submission. `fails` and `verdicts` hold globs over scenario ids
    (`*` matches anything, brackets are literal); `mark` is an inclusive range. `causes` are all
    that it has, None where that is not stated.

    Of the hostile corpus: the minimum `tier`, the `layer` that stops it, the most that the parent
    may take, and how many processes may be left (None: not stated).
    """

    fails: tuple[str, ...] = ()
    mark: tuple[float, ...] = ()
    explains: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    verdicts: tuple[ExpectedVerdict, ...] = ()
    causes: tuple[ExpectedCause, ...] | None = None
    tier: str = ""
    layer: str = ""
    wall_seconds: float | None = None
    memory_mib: int | None = None
    survivors: int | None = None
