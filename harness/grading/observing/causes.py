"""The causes of a submission's failures, and the runs that are made again to find them.

With substitutions: a function of the reference answers in place of the submission's, and only what
the reference asks it in that scenario. Its answers reach the process of a program that could print
them. So only one bit of such a run is kept, whether the scenario passes; nothing that it prints may
be stored or shown.

With a search for a loop, or with a trace of the lines that run. What the process says there is
untrusted: it only selects lines of the submission's own text to show. No verdict depends on it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256

from harness.execution import extra_modules, main_file, proxy_names
from harness.grading.observing.draws import LIMIT_ENDINGS
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.reference_calls import ReferenceCalls
from harness.grading.observing.setup import Candidate
from harness.judging.blame import Usage, find_blame
from harness.judging.causes import derive, unsettled, with_loops, with_texts
from harness.judging.failed_scenarios import FailedScenario
from harness.judging.suspects import (
    SuspectProgram,
    different_lines,
    literals,
)
from harness.judging.traces import Trace, read_trace
from harness.model.assignment import SourceFile, Surroundings
from harness.model.explanation.probes import (
    LoopLines,
    LoopSearch,
    Probe,
    SubstitutedRun,
    SubstitutionOutcome,
    Suspicion,
)
from harness.model.observation import Ending, Observation
from harness.model.plan import Scenario, Visibility
from harness.model.policy import Loop, OutlinePart, Recursion
from harness.model.stimulus import Stimulus, Substitution
from harness.model.verdict import Blame, Cause, VerdictKind
from harness.policy.reading import lines_of
from harness.results.reuse import P, judging_digest

MOST_SUBSTITUTED_RUNS = 100  # of one submission
MOST_SUBSTITUTED_LIMITS = 4  # of one submission; each costs a whole limit
LARGEST_SOURCE = 200_000  # bytes; a larger program is not substituted in
LONGEST_SECONDS = 1.0  # of CPU, unless the reference needs more: a call takes 0.1 ms
LONGEST_ENDLESS_SECONDS = 0.25  # if it did not end: most other functions do not change that
SUBSTITUTED_FACTOR = 50
_TIMED_OUT = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.STOPPED_EARLY})
MOST_LOOP_RUNS = 3  # of one submission
_LEAST_SECONDS = 1.0  # CPU limit of such a run, which ends by itself after half of that
_LEAST_WALL_SECONDS = 10.0  # who prints without end waits until a busy machine has read that
_LOOPING = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.OUTPUT_LIMIT})
_PLACE = re.compile(r"(?P<file>.+):(?P<first>[0-9]{1,7})-(?P<last>[0-9]{1,7})")
MOST_TRACED_CAUSES = 3  # of one submission
MOST_TRACED = 25  # failing runs, and as many passing ones, of one cause
MOST_TRACED_LIMITS = 2  # failing runs of one cause that hit a limit
_NOT_TRACED = frozenset({VerdictKind.TIMEOUT, VerdictKind.STOPPED_EARLY, VerdictKind.NOT_RUN})
_LIMITS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.MEMORY_LIMIT, VerdictKind.OUTPUT_LIMIT})
_SAYS_NOTHING = LIMIT_ENDINGS | {Ending.NOT_RUN, Ending.STAND_IN_FAILED}
_WHEN_SEEN = tuple(Visibility)  # in the order in which students see them


class CauseFinder:
    """Finds the causes of one submission after another. `reference` answers in place of a
    submission's functions (empty: nobody is blamed by substitution), and `calls` knows to what."""

    def __init__(
        self,
        reference: tuple[SourceFile, ...],
        runs: JudgedRuns,
        calls: ReferenceCalls,
        *,
        for_students: bool = True,
    ) -> None:
        self._calls = calls
        self._for_students = for_students
        assignment = runs.plan.assignment
        self._reference = reference
        self._constants = {
            name: value
            for file in (*assignment.variants[0].files, *reference)
            if file.name.endswith(".py")
            for name, value in literals(file.data).items()
        }
        self._sheet = frozenset(scenario.function for scenario in runs.plan.scenarios)
        # What can be put in place of a submission's own: functions, and constants with the modules
        # that provide them.
        self._main = main_file(assignment)
        main = [file for file in reference if file.name == self._main]
        self._functions = self._sheet & {name for file in main for name in proxy_names(file)[0]}
        provided = Surroundings.of(assignment).constants
        self._modules = {each.name: each.file.removesuffix(".py") for each in provided}
        self._runs = runs

    def find(
        self,
        failures: tuple[FailedScenario, ...],
        passed: tuple[Scenario, ...],
        candidate: Candidate,
    ) -> FoundCauses:
        """Return the causes, and the new probes by their keys."""
        probes: dict[str, Probe] = {}
        # Students' causes first: what is hidden has no part in them, not even by its order.
        shown = tuple(each for each in failures if _is_shown(each.scenario))
        shown_passed = tuple(filter(_is_shown, passed))
        rests_on_hidden = len(shown) < len(failures) or len(shown_passed) < len(passed)
        for_students = None
        if rests_on_hidden and self._for_students:
            for_students = self._found(shown, shown_passed, candidate, probes)
        causes = self._found(failures, passed, candidate, probes)
        return FoundCauses(causes=causes, for_students=for_students, probes=probes)

    def _found(
        self,
        failures: tuple[FailedScenario, ...],
        passed: tuple[Scenario, ...],
        candidate: Candidate,
        probes: dict[str, Probe],
    ) -> tuple[Cause, ...]:
        """Return the causes of these failures; runs that are in `probes` are not made again."""
        if not failures:
            return ()
        outline, files = candidate.report.outline, candidate.submission.files
        assignment = self._runs.plan.assignment
        several = len(assignment.submission_files) > 1 and assignment.laid_as is None
        several = several or bool(extra_modules(assignment, files))
        own = {part.name for part in outline.parts if not several or part.file == self._main}
        constants = {name: module for name, module in self._modules.items() if name in own}
        again = _RunsAgain(
            judged=self._runs,
            candidate=candidate,
            failed={each.scenario.id: each for each in failures},
            passed=passed,
            constants=constants,
            calls=self._calls,
            new=probes,
        )
        size = sum(len(file.data) for file in files)
        can_substitute = bool(self._reference) and size <= LARGEST_SOURCE
        blame = find_blame(
            unsettled(failures, outline),
            outline,
            self._functions & own,
            frozenset(constants),
            again.passes if can_substitute else None,
            passed=passed,
        )
        causes = derive(failures, outline, blame, again.would_pass)
        causes = with_loops(causes, again.endless(causes), failures, outline)
        texts = {file.name: lines_of(file.data) for file in files}
        program = SuspectProgram(
            outline=outline, texts=texts, sheet=self._sheet, constants=self._constants
        )
        causes = again.with_suspects(causes, program)
        return with_texts(causes, texts.__getitem__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCauses:
    """All causes of a submission's failures, those that its student may know of, and the probes by
    their keys. `for_students` is None if nothing hidden has a part in the
    causes, or nobody asked."""

    causes: tuple[Cause, ...] = ()
    for_students: tuple[Cause, ...] | None = None
    probes: Mapping[str, Probe] = field(default_factory=dict)


def _is_shown(scenario: Scenario) -> bool:
    return scenario.visibility is Visibility.VISIBLE


@dataclass(slots=True, kw_only=True)
class _RunsAgain:
    """Runs failed scenarios of one submission again."""

    judged: JudgedRuns
    candidate: Candidate
    failed: Mapping[str, FailedScenario]  # by scenario id
    passed: Sequence[Scenario]
    constants: Mapping[str, str]  # those that can be substituted, with the module of each
    calls: ReferenceCalls
    new: dict[str, Probe]  # what the cache did not have, by its key
    substituted_runs: int = 0
    # Names with which a run hit a limit: they are not tried again.
    too_slow: set[Blame] = field(default_factory=set)

    def would_pass(self, each: FailedScenario, seen: Observation) -> bool:
        """Whether it would pass if this had been observed."""
        return self.judged.judge_of(each.scenario, each.verdict.draw or 0).verdict(seen).passed

    def _recalled(
        self, each: FailedScenario, kind: type[P], what: Sequence[str], run: Callable[[], P]
    ) -> P:
        """Return what an earlier grading found by a run that `what` describes, or the result of
        `run`.
        """
        parts = (
            self.judged.key_of(self.candidate.submission, each.scenario),
            str(each.verdict.draw),
            judging_digest(),
            self.judged.plan.reference_digest,
            *what,
        )
        key = sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        earlier = self.new.get(key)
        found = earlier if isinstance(earlier, kind) else self.candidate.cache.probe(key, kind)
        if found is None:
            found = run()
            if not self.candidate.budget.is_over:  # otherwise not all scenarios ran
                self.new[key] = found
        return found

    def passes(self, each: FailedScenario, names: Blame) -> bool | None:
        """Return whether the scenario passes with these names substituted.

        None if that is unknown: the arguments of their calls cannot leave the process, or the calls
        take too long.
        """
        # With stand-ins it ran with the course's functions already.
        if each.scenario.stand_ins or self.substituted_runs >= MOST_SUBSTITUTED_RUNS:
            return False
        if each.stimulus.folder:  # the reference's function runs in another process, without it
            return None
        self.substituted_runs += 1
        # If it timed out before, it still loops; else substituted calls are slow, not wrong.
        if_slow = False if each.verdict.kind in _TIMED_OUT else None
        if names in self.too_slow or len(self.too_slow) >= MOST_SUBSTITUTED_LIMITS:
            return if_slow
        run = partial(self._run, each, names)
        found = self._recalled(each, SubstitutedRun, ("substituted", *names), run)
        match found.outcome:
            case SubstitutionOutcome.REACHED_LIMIT:
                self.too_slow.add(names)
                return if_slow
            case SubstitutionOutcome.INAPPLICABLE:
                return None
            case SubstitutionOutcome.PASSED:
                return True
            case SubstitutionOutcome.FAILED:
                return False

    def _run(self, each: FailedScenario, names: Blame) -> SubstitutedRun:
        return SubstitutedRun(outcome=self._outcome(each, names))

    def _outcome(self, each: FailedScenario, names: Blame) -> SubstitutionOutcome:
        substitutions = tuple(
            Substitution(name=name, provided=self.constants.get(name, "")) for name in names
        )
        stimulus = replace(each.stimulus, substitutions=substitutions)
        answered = self.calls.of(stimulus, each.scenario.limits)
        if answered is None:
            return SubstitutionOutcome.INAPPLICABLE
        stimulus = replace(stimulus, answered=answered)
        # Limits that are enough for a right program.
        answer = self.judged.answer_of(each.scenario, each.verdict.draw or 0)
        needed = 0.0 if answer is None else answer.observation.cpu_seconds
        endless = each.verdict.kind in _TIMED_OUT
        longest = LONGEST_ENDLESS_SECONDS if endless else LONGEST_SECONDS
        seen = self._observe(stimulus, each.scenario, max(longest, SUBSTITUTED_FACTOR * needed))
        if seen.ending in _SAYS_NOTHING:
            return SubstitutionOutcome.REACHED_LIMIT
        if seen.ending is Ending.STAND_IN_INAPPLICABLE:
            return SubstitutionOutcome.INAPPLICABLE
        passed = self.would_pass(each, seen)
        return SubstitutionOutcome.PASSED if passed else SubstitutionOutcome.FAILED

    def _observe(self, stimulus: Stimulus, scenario: Scenario, most: float) -> Observation:
        """Observe a stimulus within the scenario's limits and that many CPU seconds."""
        limits = replace(scenario.limits, cpu_seconds=min(scenario.limits.cpu_seconds, most))
        return self.candidate.server.observe(stimulus, limits)

    def endless(self, causes: Sequence[Cause]) -> dict[str, Loop | Recursion]:
        """Return the loops and recursions in which causes do not end, by the causes' examples."""
        outline = self.candidate.report.outline
        failed = [self.failed[cause.example] for cause in causes if cause.example in self.failed]
        looping = [each for each in failed if each.verdict.kind in _LOOPING]
        found: dict[str, Loop | Recursion] = {}
        for each in looping[:MOST_LOOP_RUNS]:
            run = partial(self._find_loop, each)
            lines = self._recalled(each, LoopSearch, ("loop",), run).found
            if lines is None:
                continue
            if lines.recursion:
                found[each.scenario.id] = Recursion(file=lines.file, first=lines.first)
                continue
            loop = outline.loop_around(lines.file, lines.first, lines.last)
            if loop is not None:
                found[each.scenario.id] = loop
        return found

    def _find_loop(self, each: FailedScenario) -> LoopSearch:
        """Run the scenario once more and return where it loops."""
        limits = each.scenario.limits
        cpu, wall = max(limits.cpu_seconds, _LEAST_SECONDS), limits.wall_seconds
        longer = replace(limits, cpu_seconds=cpu, wall_seconds=max(wall, _LEAST_WALL_SECONDS))
        seen = self.candidate.server.observe(replace(each.stimulus, finds_loop=True), longer)
        place = _PLACE.fullmatch(seen.detail) if seen.ending is Ending.CPU_LIMIT else None
        if place is None:
            return LoopSearch()
        lines = LoopLines(
            file=place["file"],
            first=int(place["first"]),
            last=int(place["last"]),
            recursion=seen.calls_itself,
        )
        return LoopSearch(found=lines)

    def with_suspects(self, causes: Sequence[Cause], program: SuspectProgram) -> tuple[Cause, ...]:
        """Return the causes with their most suspect lines, by traced runs."""
        found: list[Cause] = []
        for index, cause in enumerate(causes):
            members = [self.failed[name] for name in cause.scenarios if name in self.failed]
            example = self.failed.get(cause.example)
            runs = self._traced(cause, members, program) if index < MOST_TRACED_CAUSES else None
            if example is None or runs is None:
                found.append(cause)
                continue
            names = (each.id for each in (*runs.failing, *runs.passing))
            trace = partial(self._suspicion, cause, example, runs, program)
            what = ("suspects", cause.function, *names)
            suspicion = self._recalled(example, Suspicion, what, trace)
            found.append(program.explained(cause, members, example, runs.functions, suspicion))
        return tuple(found)

    def _traced(
        self, cause: Cause, members: Sequence[FailedScenario], program: SuspectProgram
    ) -> _TracedRuns | None:
        """Return the runs for a cause; None if suspect lines would not help.

        No scenario is traced that students see later than the example, because the lines that it
        runs tell its input.
        """
        example = self.failed.get(cause.example)
        if example is None or example.loading or example.missing or not cause.function:
            return None
        functions = program.functions_of(cause)
        if functions is None:
            return None
        seen = _WHEN_SEEN[: _WHEN_SEEN.index(example.scenario.visibility) + 1]
        failing, limits = [], 0
        for each in (example, *(each for each in members if each is not example)):
            hit_limit = each.verdict.kind in _LIMITS
            limits += hit_limit
            too_many = hit_limit and limits > MOST_TRACED_LIMITS
            is_traced = not too_many and each.verdict.kind not in _NOT_TRACED
            if is_traced and each.scenario.visibility in seen:
                failing.append(replace(each.scenario, stimuli=(each.stimulus,)))
        names, usage = {part.name for part in functions}, Usage(program.outline)
        passed = [
            scenario
            for scenario in self.passed
            if scenario.visibility in seen
            and (scenario.function == cause.function or names & usage.of(scenario.stimuli[0]))
        ]
        passed.sort(key=lambda scenario: scenario.function != cause.function)
        passing = _some(passed[: 2 * MOST_TRACED])
        return _TracedRuns(functions=functions, failing=_some(failing), passing=passing)

    def _suspicion(
        self, cause: Cause, example: FailedScenario, runs: _TracedRuns, program: SuspectProgram
    ) -> Suspicion:
        """Trace the runs and return what they tell."""

        def trace(scenario: Scenario) -> Trace:
            stimulus = replace(scenario.stimuli[0], traces_lines=True)
            return read_trace(self._observe(stimulus, scenario, LONGEST_ENDLESS_SECONDS).detail)

        failing = {each.id: trace(each) for each in runs.failing}
        passing = {each.id: trace(each) for each in runs.passing}
        different = different_lines(example)
        return program.suspicion(cause, runs.functions, failing, passing, different)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TracedRuns:
    """Whose first draw is traced for one cause, which may be in these functions."""

    functions: tuple[OutlinePart, ...]
    failing: tuple[Scenario, ...]
    passing: tuple[Scenario, ...]


def _some(runs: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """Return at most `MOST_TRACED` of them, spread over all."""
    return tuple(runs[:: max(1, math.ceil(len(runs) / MOST_TRACED))])
