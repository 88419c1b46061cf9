"""What a validation found, as values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Clause
from harness.model.specification import SampleExpectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem: which check found it, where, and what it is."""

    check: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseCoverage:
    """How many scored scenarios test a clause."""

    clause: Clause
    scenarios: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionShare:
    """A function's scenarios, and its share of the functionality marks (0 to 1)."""

    function: str
    scenarios: int
    visible: int
    stimuli: int
    share: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantOutcome:
    """A mutant and the scenarios of its clause that noticed it; none: it survived."""

    clause: str
    why: str
    killed_by: tuple[str, ...]
    scenarios: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutcome:
    """A sample submission: its mark, its differences from its expect.yaml, and the expectation that
    it meets now: the entries that still hold, the others replaced.

    `other_causes` says which causes it has in place of the stated ones; empty where they are the
    same, None where none are stated."""

    name: str
    mark: str
    failed: int
    parts: tuple[str, ...]
    accepted: SampleExpectation
    other_causes: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrivialScore:
    """What a program that does nothing scores, and with which scenarios."""

    name: str
    mark: str
    out_of: str
    passed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """Everything `harness validate` shows; the assignment is sound when `problems` is empty.
    `advice` is what would be better otherwise, in one line each."""

    assignment: str
    scenarios: int
    groups: int
    stimuli: int
    goldens: int
    clauses: tuple[ClauseCoverage, ...]
    functions: tuple[FunctionShare, ...]
    mutants: tuple[MutantOutcome, ...]
    samples: tuple[SampleOutcome, ...]
    trivial: tuple[TrivialScore, ...]
    problems: tuple[Problem, ...]
    advice: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.problems
