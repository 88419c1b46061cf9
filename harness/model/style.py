"""What a person who marks style may look at: evidence of a program's text, never a mark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleFinding:
    """What ruff says of a line (from 1); `reason` is why the rule is looked at."""

    file: str
    line: int
    rule: str
    message: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePlace:
    """A function, a number or a block: what it is called, where it begins, how many lines it has
    (of a number: how often it stands in the program)."""

    name: str
    file: str
    line: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleEvidence:
    """Of one program. `findings` of ruff, the first ones of `found`; its longest functions, what
    has no docstring, numbers that no name explains, blocks that stand there again. `missing` says
    what could not be looked at, and why."""

    findings: tuple[StyleFinding, ...] = ()
    found: int = 0
    longest: tuple[CodePlace, ...] = ()
    undocumented: tuple[CodePlace, ...] = ()
    numbers: tuple[CodePlace, ...] = ()
    repeated: tuple[CodePlace, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleOfSubmission:
    """The evidence of the files of one digest."""

    source_digest: str
    evidence: StyleEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleReport:
    """Of a run."""

    submissions: tuple[StyleOfSubmission, ...]
