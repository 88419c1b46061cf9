"""The compiled plan: an assignment and its scenarios, with nothing left to look up or evaluate, as
versioned JSON that stays valid when cut to a subset; beside it what only the makers of an
assignment may see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from graphlib import TopologicalSorter

from harness.model.assignment import (
    Assignment,
    Clause,
    ManualSlot,
    ProvidedVariant,
    SentNames,
    SourceFile,
)
from harness.model.expectation import Expected
from harness.model.stimulus import Binding, Form, Limits, StandIn, Stimulus
from harness.model.verdict import VerdictKind

__all__ = ["Assignment", "Clause", "ManualSlot", "ProvidedVariant", "SourceFile"]
PLAN_VERSION = 1


class Visibility(StrEnum):
    """Who may see a scenario's stimulus, expectation and message, and when."""

    VISIBLE = "visible"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"
    HIDDEN = "hidden"

    @property
    def rank(self) -> int:
        """Return 0 for the visibility that students see first, larger numbers for later ones."""
        return list(Visibility).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a spec; line and column are 1-based."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


MIN_SIZES = 3  # only for a scenario that limits how its cost grows


class Growth(StrEnum):
    """How a number may grow with the input's size, for example linearly."""

    LINEAR = "linear"
    N_LOG_N = "n log n"
    QUADRATIC = "quadratic"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLimit:
    """How the number of executed lines may grow, and the sizes of the draws, each twice the one
    before."""

    growth: Growth
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scored question."""

    id: str
    group: str  # the id without its swept values: scenarios of a group differ only in constants
    name: str
    function: str
    clauses: tuple[str, ...]
    visibility: Visibility
    points: Fraction
    limits: Limits
    stimuli: tuple[Stimulus, ...]  # one stimulus, or one for each draw of a sample (smallest first)
    stated: Expected
    place: Place
    is_sample: bool = False
    informational: bool = False
    extra_credit: bool = False
    tags: tuple[str, ...] = ()
    hint: str = ""
    description: str = ""
    stated_cases: tuple[Expected, ...] = ()  # for each stimulus, if cases state it themselves
    stand_ins: tuple[StandIn, ...] = ()  # for a second run, if the first fails
    needs: tuple[str, ...] = ()  # functions and scenarios (ids, groups) that must pass first
    # Hidden, but its hint and its description are shown to a student when it fails.
    shows_hint: bool = False
    cost: CostLimit | None = None  # how the number of executed lines may grow; None: no limit
    faster_than: int = 0  # this multiple of the reference's CPU time is too slow; 0: no limit

    def stated_for(self, stimulus: Stimulus) -> Expected:
        return self.stated_cases[self.stimuli.index(stimulus)] if self.stated_cases else self.stated

    @property
    def is_test(self) -> bool:
        """Return whether it is one of the course's pytest tests."""
        return self.stimuli[0].action.form is Form.TEST

    @property
    def is_suite(self) -> bool:
        """Return whether it is a question about submitted tests."""
        return self.stimuli[0].action.form is Form.SUITE

    def standing_in(self) -> Scenario:
        """Return the same scenario with the stand-ins in place of the submission's modules."""
        stimuli = tuple(replace(stimulus, stand_ins=self.stand_ins) for stimulus in self.stimuli)
        return replace(self, stimuli=stimuli, stand_ins=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An assignment's scenarios in the order of their files. Digests are hex SHA-256."""

    version: int
    assignment: Assignment
    scenarios: tuple[Scenario, ...]
    spec_digest: str
    reference_digest: str

    def scenario(self, scenario_id: str) -> Scenario:
        """Return the scenario with this id. Raise KeyError for an unknown one."""
        return {scenario.id: scenario for scenario in self.scenarios}[scenario_id]

    def subset(self, keep: Callable[[Scenario], bool]) -> Plan:
        """Return the plan with only the scenarios that `keep` accepts, and only the files that they
        need."""
        scenarios = tuple(filter(keep, self.scenarios))
        constants: set[tuple[Binding, ...]] = {()}
        provided: set[str] = set()
        stood_in: set[str] = set()
        for scenario in scenarios:
            stood_in.update(stand_in.file for stand_in in scenario.stand_ins)
            for stimulus in scenario.stimuli:
                constants.add(stimulus.constants)
                provided.update(stimulus.provide)
        whole = self.assignment
        has_tests = any(scenario.is_test for scenario in scenarios)
        has_suites = any(scenario.is_suite for scenario in scenarios)
        variants = (variant for variant in whole.variants if variant.constants in constants)
        extra_files = (file for file in whole.extra_files if file.name in provided)
        stand_in_files = (file for file in whole.stand_in_files if file.name in stood_in)
        assignment = replace(
            whole,
            variants=tuple(variants),
            extra_files=tuple(extra_files),
            stand_in_files=tuple(stand_in_files),
            test_files=whole.test_files if has_tests else (),
            handed_out_tests=whole.handed_out_tests if has_tests else (),
            sent_names=whole.sent_names if has_tests else SentNames(),
            test_writing=whole.test_writing if has_suites else None,
        )
        return replace(self, assignment=assignment, scenarios=scenarios)

    def without_stand_ins(self) -> Plan:
        """Return the plan without stand-ins. Students must not get them, because a stand-in solves
        half of the assignment."""
        scenarios = tuple(replace(scenario, stand_ins=()) for scenario in self.scenarios)
        return replace(self, scenarios=scenarios).subset(lambda scenario: True)


def glob(pattern: str) -> re.Pattern[str]:
    """Return the pattern for `fullmatch`: `*` matches anything, other characters match
    themselves."""
    parts = map(re.escape, pattern.split("*"))
    return re.compile(".*".join(parts), re.DOTALL)


def needed(scenarios: Sequence[Scenario]) -> dict[str, tuple[Scenario, ...]]:
    """Return the scenarios that each one needs, by its id, in the order of its needs.

    Only those among `scenarios` count. No scenario needs an informational one, or itself.
    """
    if not any(scenario.needs for scenario in scenarios):  # few assignments have any
        return {}
    by_name: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        if not scenario.informational:
            for name in {scenario.id, scenario.group, scenario.function}:
                by_name.setdefault(name, []).append(scenario)
    by_id: dict[str, tuple[Scenario, ...]] = {}
    for scenario in scenarios:
        others: dict[str, Scenario] = {}
        for name in scenario.needs:
            for other in by_name.get(name, ()):
                others[other.id] = other
        others.pop(scenario.id, None)
        if others:
            by_id[scenario.id] = tuple(others.values())
    return by_id


def in_turn(
    scenarios: Sequence[Scenario], needs: Mapping[str, Sequence[Scenario]]
) -> Iterator[tuple[Scenario, ...]]:
    """Yield all scenarios in groups, each after those it needs. Raise CycleError for a circle."""
    if not needs:
        yield tuple(scenarios)
        return
    sorter = TopologicalSorter[str]()
    for scenario in scenarios:
        sorter.add(scenario.id, *(other.id for other in needs.get(scenario.id, ())))
    sorter.prepare()
    while sorter.is_active():
        ready = set(sorter.get_ready())
        yield tuple(scenario for scenario in scenarios if scenario.id in ready)
        sorter.done(*ready)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A single-fault change of the reference: `find` occurs exactly once in `file`."""

    clause: str
    file: str
    find: str
    replace: str
    why: str

    def written_into(self, files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
        """Return the files with the change."""
        old, new = self.find.encode(), self.replace.encode()
        changed: list[SourceFile] = []
        for file in files:
            if file.name == self.file:
                data = file.data.replace(old, new)
                changed.append(SourceFile(name=file.name, data=data))
            else:
                changed.append(file)
        return tuple(changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFile:
    """The file a scenario's `transcript:` names, as a path below the spec folder."""

    scenario_id: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """An assignment with everything loaded: the plan, the reference, mutants and more."""

    plan: Plan
    reference: tuple[SourceFile, ...]  # empty if there is none
    mutants: tuple[Mutant, ...]
    transcripts: tuple[TranscriptFile, ...]
    folder: str  # the spec folder's path
    left_out: tuple[str, ...] = ()  # tags of the scenarios that were removed from the plan
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
    """The content of a sample's expect.yaml; keys that are not stated are empty or None."""

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
