"""How alike programs of a class are: places in two programs that match, and pairs by score."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRange:
    """Lines `first` to `last` of a program's file number `file`, from 0."""

    file: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """A hash of some symbols in a row of a program's syntax tree, and the lines they stand on."""

    value: int
    first_line: int
    last_line: int
    file: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedLines:
    """Lines of one program that match lines of another."""

    first: LineRange
    second: LineRange


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarPair:
    """Two submissions, how alike they are (0 to 1), and where."""

    first: str
    second: str
    score: float
    matches: tuple[MatchedLines, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A submission that was not compared, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityReport:
    """A class compared pair by pair. `compared` counts the programs; `pairs` are the most alike
    first, `groups` the programs that such pairs connect."""

    compared: int
    pairs: tuple[SimilarPair, ...]
    groups: tuple[tuple[str, ...], ...]
    omitted: tuple[Omitted, ...] = ()
