"""The outcome of `harness validate`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from harness.grading.observing.answer_key import CheckName, Problem
from harness.model.plan import Clause, SampleExpectation


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
    """A mutant with the scenarios that noticed it; if there are none, it survived."""

    clause: str
    why: str
    killed_by: tuple[str, ...]
    scenarios: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutcome:
    """A sample submission: its mark, its differences from its expect.yaml (`parts`), and the
    expectation that it meets now (`accepted`).

    That expectation has the entries that still hold; the others are replaced. `other_causes` says
    which causes it has instead of the stated ones (None: it has these, or none are stated).
    """

    name: str
    mark: str
    failed: int
    parts: tuple[str, ...]
    accepted: SampleExpectation
    other_causes: str | None = None

    @property
    def states_causes(self) -> bool:
        """Return whether the sample's expect.yaml states causes."""
        return self.accepted.causes is not None

    def problem(self, check: CheckName, message: str) -> Problem:
        """Return a problem of its expect.yaml."""
        return Problem(check, f"{self.name}/expect.yaml", message)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrivialScore:
    """The score of a program that does nothing, and its passed scenarios."""

    name: str
    mark: str
    out_of: str
    passed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """Everything `harness validate` shows; the assignment is sound when `problems` is empty.

    `advice` has suggestions for improvement, one a line. `why_alone` says why no scenario of any
    program shared a process (None: some did)."""

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
    why_alone: str | None = None
    tolerances: tuple[str, ...] = ()  # effects of the settings about floats and prompts

    @property
    def sound(self) -> bool:
        """Return whether the assignment has no problems."""
        return not self.problems
