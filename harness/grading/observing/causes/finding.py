"""The causes of a submission's failures, and the runs that are made again to find them.

With substitutions: a function of the reference answers instead of the submission's, and only what
the reference asks it in that scenario. Its answers reach the process of a program that could print
them. So only one bit of such a run is kept, whether the scenario passes; nothing that it prints may
be stored or shown.

With a search for a loop, or with a trace of the lines that run. The process's report there is
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
from harness.grading.observing.causes.reference_calls import ReferenceCalls
from harness.grading.observing.draws import LIMIT_ENDINGS
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.setup import Candidate
from harness.judging.causes.blame import Usage, find_blame
from harness.judging.causes.deriving import derive, unsettled
from harness.judging.causes.endless import with_loops
from harness.judging.causes.failed_scenarios import FailedScenario
from harness.judging.causes.places import with_texts
from harness.judging.causes.suspects import (
    SuspectProgram,
    different_lines,
    literals,
)
from harness.judging.causes.traces import Trace, read_trace
from harness.judging.judge import Judge
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
from harness.model.policy import Loop, Outline, OutlinePart, Recursion
from harness.model.stimulus import Stimulus, Substitution
from harness.model.verdict import Blame, Cause, VerdictKind
from harness.policy.reading import lines_of
from harness.results.reuse import P, judging_digest

MAX_SUBSTITUTED_RUNS = 100  # of one submission
MAX_SUBSTITUTED_LIMITS = 4  # of one submission; each costs a whole limit
MAX_SOURCE_BYTES = 200_000  # bytes; a larger program is not substituted in
MAX_SECONDS = 1.0  # of CPU, unless the reference needs more: a call takes 0.1 ms
MAX_ENDLESS_SECONDS = 0.25  # if it did not end: most other functions do not change that
SUBSTITUTED_FACTOR = 50
_TIMED_OUT = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.STOPPED_EARLY})
MAX_LOOP_RUNS = 3  # of one submission
_MIN_SECONDS = 1.0  # CPU limit of such a run, which ends by itself after half of that
_MIN_WALL_SECONDS = 10.0  # who prints without end waits until a busy machine has read that
_LOOPING = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.OUTPUT_LIMIT})
_PLACE = re.compile(r"(?P<file>.+):(?P<first>[0-9]{1,7})-(?P<last>[0-9]{1,7})")
MAX_TRACED_CAUSES = 3  # of one submission
MAX_TRACED = 25  # failing runs, and as many passing ones, of one cause
MAX_TRACED_LIMITS = 2  # failing runs of one cause that hit a limit
_NOT_TRACED = frozenset({VerdictKind.TIMEOUT, VerdictKind.STOPPED_EARLY, VerdictKind.NOT_RUN})
_LIMITS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.MEMORY_LIMIT, VerdictKind.OUTPUT_LIMIT})
_SAYS_NOTHING = LIMIT_ENDINGS | {Ending.NOT_RUN, Ending.STAND_IN_FAILED}
_WHEN_SEEN = tuple(Visibility)  # in the order in which students see them


class CauseFinder:
    """Finds the causes of one submission after another. `reference` answers instead of a
    submission's functions (empty: nobody is blamed by substitution), and `calls` knows to what.
    Without `probes` no scenario runs again."""

    def __init__(
        self,
        reference: tuple[SourceFile, ...],
        runs: JudgedRuns,
        calls: ReferenceCalls,
        *,
        for_students: bool = True,
        probes: bool = True,
    ) -> None:
        self._calls = calls
        self._probes = probes
        self._for_students = for_students
        assignment = runs.plan.assignment
        self._reference = reference
        self._constants: dict[str, object] = {}
        for file in (*assignment.variants[0].files, *reference):
            if file.name.endswith(".py"):
                self._constants |= literals(file.data)
        self._sheet = frozenset(scenario.function for scenario in runs.plan.scenarios)
        # Possible substitutes for a submission's own: functions, and constants with the modules
        # that provide them.
        self._main = main_file(assignment)
        self._functions: frozenset[str] = frozenset()
        for file in reference:
            if file.name == self._main:
                functions, _ = proxy_names(file)
                self._functions |= self._sheet.intersection(functions)
        self._modules: dict[str, str] = {}
        for constant in Surroundings.of(assignment).constants:
            self._modules[constant.name] = constant.file.removesuffix(".py")
        self._runs = runs

    def find(
        self,
        failures: tuple[FailedScenario, ...],
        passed: tuple[Scenario, ...],
        candidate: Candidate,
    ) -> FoundCauses:
        """Return the causes, and the new probes by their keys."""
        probes: dict[str, Probe] = {}
        # Students' causes first: hidden scenarios do not affect them, not even by their order.
        shown = tuple(failure for failure in failures if _is_shown(failure.scenario))
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
        defined = self._names_in_main(outline, files)
        constants = {name: module for name, module in self._modules.items() if name in defined}
        again = _RunsAgain(
            judged=self._runs,
            candidate=candidate,
            failed={failure.scenario.id: failure for failure in failures},
            passed=passed,
            constants=constants,
            calls=self._calls,
            new=probes,
        )
        size = sum(len(file.data) for file in files)
        can_substitute = self._probes and bool(self._reference) and size <= MAX_SOURCE_BYTES
        blame = find_blame(
            unsettled(failures, outline),
            outline,
            self._functions & defined,
            frozenset(constants),
            again.substitute if can_substitute else None,
            passed=passed,
        )
        causes = derive(failures, outline, blame, again.would_pass)
        texts = {file.name: lines_of(file.data) for file in files}
        if self._probes:
            causes = with_loops(causes, again.endless(causes), failures, outline)
            program = SuspectProgram(
                outline=outline, texts=texts, sheet=self._sheet, constants=self._constants
            )
            causes = again.with_suspects(causes, program)
        return with_texts(causes, texts.__getitem__)

    def _names_in_main(self, outline: Outline, files: tuple[SourceFile, ...]) -> set[str]:
        """Return the names that the submission's main file defines."""
        assignment = self._runs.plan.assignment
        has_several = len(assignment.submission_files) > 1 and assignment.laid_as is None
        if not has_several and not extra_modules(assignment, files):
            return {part.name for part in outline.parts}
        return {part.name for part in outline.parts if part.file == self._main}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCauses:
    """All causes of a submission's failures, those that its student may know of, and the probes by
    their keys.

    `for_students` is None if nothing hidden has a part in the causes, or nobody asked."""

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
    new: dict[str, Probe]  # missing in the cache, by its key
    substituted_runs: int = 0
    # Names with which a run hit a limit: they are not tried again.
    too_slow: set[Blame] = field(default_factory=set)

    def would_pass(self, failure: FailedScenario, observation: Observation) -> bool:
        """Return whether the failed scenario would pass with this observation."""
        return self._judge_of(failure).verdict(observation).passed

    def _judge_of(self, failure: FailedScenario) -> Judge:
        return self.judged.judge_of(failure.scenario, failure.verdict.draw or 0)

    def _recalled(
        self, failure: FailedScenario, kind: type[P], what: Sequence[str], run: Callable[[], P]
    ) -> P:
        """Return an earlier grading's result of the run that `what` describes, or the result of
        `run`.
        """
        parts = (
            self.judged.key_of(self.candidate.submission, failure.scenario),
            str(failure.verdict.draw),
            judging_digest(),
            self.judged.plan.reference_digest,
            *what,
        )
        key = sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        known = self.new.get(key)
        if isinstance(known, kind):
            return known
        earlier = self.candidate.cache.probe(key, kind)
        if earlier is not None:
            return earlier
        found = run()
        if not self.candidate.budget.is_over:  # otherwise not all scenarios ran
            self.new[key] = found
        return found

    def substitute(self, failure: FailedScenario, names: Blame) -> SubstitutionOutcome:
        """Return how the scenario goes with these names substituted.

        It is INAPPLICABLE too if the calls take too long.
        """
        # With stand-ins it ran with the course's functions already.
        if failure.scenario.stand_ins or self.substituted_runs >= MAX_SUBSTITUTED_RUNS:
            return SubstitutionOutcome.FAILED
        if failure.stimulus.folder:  # the reference's function runs in another process, without it
            return SubstitutionOutcome.INAPPLICABLE
        self.substituted_runs += 1
        # If it timed out before, it still loops; else substituted calls are slow, not wrong.
        if_slow = SubstitutionOutcome.INAPPLICABLE
        if failure.verdict.kind in _TIMED_OUT:
            if_slow = SubstitutionOutcome.FAILED
        if names in self.too_slow or len(self.too_slow) >= MAX_SUBSTITUTED_LIMITS:
            return if_slow
        run = partial(self._run, failure, names)
        found = self._recalled(failure, SubstitutedRun, ("substituted", *names), run)
        if found.outcome is SubstitutionOutcome.REACHED_LIMIT:
            self.too_slow.add(names)
            return if_slow
        return found.outcome

    def _run(self, failure: FailedScenario, names: Blame) -> SubstitutedRun:
        return SubstitutedRun(outcome=self._outcome(failure, names))

    def _outcome(self, failure: FailedScenario, names: Blame) -> SubstitutionOutcome:
        substitutions: list[Substitution] = []
        for name in names:
            provided = self.constants.get(name, "")
            substitutions.append(Substitution(name=name, provided=provided))
        stimulus = replace(failure.stimulus, substitutions=tuple(substitutions))
        answered = self.calls.of(stimulus, failure.scenario.limits)
        if answered is None:
            return SubstitutionOutcome.INAPPLICABLE
        stimulus = replace(stimulus, answered=answered)
        # Limits that are enough for a correct program.
        answer = self.judged.answer_of(failure.scenario, failure.verdict.draw or 0)
        most = MAX_SECONDS
        if failure.verdict.kind in _TIMED_OUT:
            most = MAX_ENDLESS_SECONDS
        if answer is not None:
            most = max(most, SUBSTITUTED_FACTOR * answer.observation.cpu_seconds)
        observation = self._observe(stimulus, failure.scenario, most)
        if observation.ending in _SAYS_NOTHING:
            return SubstitutionOutcome.REACHED_LIMIT
        if observation.ending is Ending.STAND_IN_INAPPLICABLE:
            # The course's functions had answered rightly, and yet something else was printed.
            if self._judge_of(failure).fails_already(observation):
                return SubstitutionOutcome.WRONG_BEFORE
            return SubstitutionOutcome.INAPPLICABLE
        if self.would_pass(failure, observation):
            return SubstitutionOutcome.PASSED
        return SubstitutionOutcome.FAILED

    def _observe(self, stimulus: Stimulus, scenario: Scenario, most: float) -> Observation:
        """Observe a stimulus within the scenario's limits and `most` CPU seconds."""
        limits = replace(scenario.limits, cpu_seconds=min(scenario.limits.cpu_seconds, most))
        return self.candidate.server.observe(stimulus, limits)

    def endless(self, causes: Sequence[Cause]) -> dict[str, Loop | Recursion]:
        """Return the loops and recursions in which causes do not end, by the causes' examples."""
        outline = self.candidate.report.outline
        looping: list[FailedScenario] = []
        for cause in causes:
            example = self.failed.get(cause.example)
            if example is not None and example.verdict.kind in _LOOPING:
                looping.append(example)
        found: dict[str, Loop | Recursion] = {}
        for failure in looping[:MAX_LOOP_RUNS]:
            run = partial(self._find_loop, failure)
            lines = self._recalled(failure, LoopSearch, ("loop",), run).found
            if lines is None:
                continue
            if lines.recursion:
                found[failure.scenario.id] = Recursion(file=lines.file, first=lines.first)
                continue
            loop = outline.loop_around(lines.file, lines.first, lines.last)
            if loop is not None:
                found[failure.scenario.id] = loop
        return found

    def _find_loop(self, failure: FailedScenario) -> LoopSearch:
        """Run the scenario once more and return its loop."""
        limits = failure.scenario.limits
        cpu = max(limits.cpu_seconds, _MIN_SECONDS)
        wall = max(limits.wall_seconds, _MIN_WALL_SECONDS)
        longer = replace(limits, cpu_seconds=cpu, wall_seconds=wall)
        stimulus = replace(failure.stimulus, finds_loop=True)
        observation = self.candidate.server.observe(stimulus, longer)
        if observation.ending is not Ending.CPU_LIMIT:
            return LoopSearch()
        place = _PLACE.fullmatch(observation.detail)
        if place is None:
            return LoopSearch()
        lines = LoopLines(
            file=place["file"],
            first=int(place["first"]),
            last=int(place["last"]),
            recursion=observation.calls_itself,
        )
        return LoopSearch(found=lines)

    def with_suspects(self, causes: Sequence[Cause], program: SuspectProgram) -> tuple[Cause, ...]:
        """Return the causes with their most suspect lines, by traced runs."""
        found = [self._with_suspects(cause, program) for cause in causes[:MAX_TRACED_CAUSES]]
        return (*found, *causes[MAX_TRACED_CAUSES:])

    def _with_suspects(self, cause: Cause, program: SuspectProgram) -> Cause:
        example = self.failed.get(cause.example)
        if example is None:
            return cause
        members = [self.failed[name] for name in cause.scenarios if name in self.failed]
        runs = self._traced(cause, example, members, program)
        if runs is None:
            return cause
        names = [scenario.id for scenario in (*runs.failing, *runs.passing)]
        trace = partial(self._suspicion, cause, example, runs, program)
        what = ("suspects", cause.function, *names)
        suspicion = self._recalled(example, Suspicion, what, trace)
        return program.explained(cause, runs.functions, suspicion)

    def _traced(
        self,
        cause: Cause,
        example: FailedScenario,
        members: Sequence[FailedScenario],
        program: SuspectProgram,
    ) -> _TracedRuns | None:
        """Return the runs for a cause; None if suspect lines would not help.

        No scenario is traced that students see later than the example, because the lines that it
        runs tell its input.
        """
        if example.loading or example.missing or not cause.function:
            return None
        functions = program.functions_of(cause)
        if functions is None:
            return None
        visible = _WHEN_SEEN[: _WHEN_SEEN.index(example.scenario.visibility) + 1]
        failing: list[Scenario] = []
        limits = 0
        others = [member for member in members if member is not example]
        for failure in (example, *others):
            hit_limit = failure.verdict.kind in _LIMITS
            limits += hit_limit
            if hit_limit and limits > MAX_TRACED_LIMITS:
                continue
            if failure.verdict.kind in _NOT_TRACED or failure.scenario.visibility not in visible:
                continue
            failing.append(replace(failure.scenario, stimuli=(failure.stimulus,)))
        names = {part.name for part in functions}
        usage = Usage(program.outline)
        same: list[Scenario] = []  # of the cause's function
        using: list[Scenario] = []  # of another one that uses the suspect functions
        for scenario in self.passed:
            if scenario.visibility not in visible:
                continue
            if scenario.function == cause.function:
                same.append(scenario)
            elif names & usage.of(scenario.stimuli[0]):
                using.append(scenario)
        passed = [*same, *using]
        passing = _some(passed[: 2 * MAX_TRACED])
        return _TracedRuns(functions=functions, failing=_some(failing), passing=passing)

    def _suspicion(
        self, cause: Cause, example: FailedScenario, runs: _TracedRuns, program: SuspectProgram
    ) -> Suspicion:
        """Trace the runs and return their evidence."""

        def trace(scenario: Scenario) -> Trace:
            stimulus = replace(scenario.stimuli[0], traces_lines=True)
            return read_trace(self._observe(stimulus, scenario, MAX_ENDLESS_SECONDS).detail)

        failing = {scenario.id: trace(scenario) for scenario in runs.failing}
        passing = {scenario.id: trace(scenario) for scenario in runs.passing}
        different = different_lines(example)
        return program.suspicion(cause, runs.functions, failing, passing, different)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TracedRuns:
    """The scenarios whose first draw is traced for one cause, and the functions that may contain
    the cause."""

    functions: tuple[OutlinePart, ...]
    failing: tuple[Scenario, ...]
    passing: tuple[Scenario, ...]


def _some(runs: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """Return at most `MAX_TRACED` of the scenarios, spread over all."""
    return tuple(runs[:: max(1, math.ceil(len(runs) / MAX_TRACED))])
