"""Runs a student's tests against the course's programs, or against the student's own program. Each
run has one process for the tests and one for the program.

The tests may not read the program's text, and the tests' process, which runs the student's code, is
not trusted. A test notices a fault only if it fails on the program with the fault, fails again when
repeated, and passes on the reference every time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from random import SystemRandom
from typing import TYPE_CHECKING

from harness.common.errors import HarnessError
from harness.execution.folder import ScenarioFolder
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.messages.protocol import (
    SuiteJob,
)
from harness.execution.protocol.answers import Answerable
from harness.execution.protocol.jobs import Jobs
from harness.execution.protocol.observation import observation
from harness.execution.protocol.screen import scenario_screen
from harness.execution.testing.comparison import FaultsNoticed, SuiteRunResult
from harness.execution.testing.conversation import Heard, TestConversation
from harness.execution.testing.course import test_limits
from harness.execution.testing.covered import coverage_of
from harness.execution.testing.documented import name_of_documented
from harness.model.assignment import Assignment
from harness.model.observation import (
    CourseTestOutcome,
    CourseTestResult,
    Ending,
    Observation,
    SuiteOutcome,
    SuiteTest,
)
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.suite import SuiteQuestion, SuiteRun

if TYPE_CHECKING:
    from pathlib import Path

    from harness.execution.process_server import ProcessServer

# Seeds of chance in the tests' process: of the runs against the reference that show which tests
# pass, and of the rounds in which those tests run against every program: all of them in the first
# round, and then those chosen in further ones. A test notices a fault if it fails on it in each
# round, and passes on the reference in all runs: one that fails by chance does not do both.
_SEEDS = (1, 2, 3)
_FIRST_SEED = 1
_SEEDS_OF_CHOSEN = (7, 8)
_MAX_CHOICES = 3  # times that other tests are chosen for faults that the chosen ones missed
_REFERENCE_RUNS = 2  # of each round
# With many tests that fail by chance, some would notice a fault. So if more than this number and
# more than this share of the tests came out differently on the reference, none counts.
_MAX_UNSTEADY = 3
_MAX_UNSTEADY_SHARE = 0.1
_MAX_EXPLAINED = 5  # tests that fail on the reference, of which the clauses are found
_TRACING_TIMES = 5  # the CPU time of a program whose lines are traced
# A fault may make a program loop. So it has this many times the CPU time that the reference took,
# and at least so many seconds.
_LOOPING_TIMES = 10
_LOOPING_SECONDS = 1.0
_MAX_ENDLESS = 3  # tests that do not come to their end, until no further run is made
_MAX_WAITED = 1200.0  # seconds for all runs of one submission's tests, until no more are made


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedServer:
    """A server that can fork the processes of one program under test."""

    __test__ = False  # no test of ours

    server: ProcessServer
    jobs: Jobs
    functions: tuple[str, ...]
    sources: Sources


class SuiteObserver:
    """Runs the tests of one submission, to answer stimuli about them, such as whether they notice
    a fault.
    """

    def __init__(
        self,
        assignment: Assignment,
        folders: Path,
        start_tests: Callable[[], ProcessServer],
        program_of: Callable[[str], TestedServer],
        students_program: TestedServer,
    ) -> None:
        writing = assignment.test_writing
        if writing is None:
            raise HarnessError("students submit no tests in this assignment")
        documented = [name_of_documented(name) for name in writing.documented_files]
        self._files = (*writing.files, *documented)
        self._course_programs = writing.programs  # none where students check their own work
        self._clauses = {program.name: program.clause for program in writing.programs}
        self._breaking: dict[str, tuple[str, ...]] | None = None  # clauses, by a test's name
        self._folders = folders
        self._start_tests = start_tests
        self._program_of = program_of
        self._students_program = students_program
        self._against_reference: tuple[SuiteRunResult, ...] | None = None
        self._compared: FaultsNoticed | None = None
        self._noticed: dict[str, SuiteOutcome | None] = {}
        self._by_itself: dict[str, bool] = {}
        self._cpu_seconds = 0.0  # of programs, in all runs
        self._waited = 0.0  # for tests, in all runs

    @property
    def _reference(self) -> str:
        return self._course_programs[0].name

    @property
    def _faults(self) -> tuple[str, ...]:
        return tuple(program.name for program in self._course_programs[1:])

    @cached_property
    def _tests(self) -> ProcessServer:
        return self._start_tests()

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """Return the answer to the stimulus's question. Raise HarnessError if our own machinery
        fails."""
        before = self._cpu_seconds
        observed = self._answer(stimulus, limits)
        return replace(observed, cpu_seconds=self._cpu_seconds - before)

    def _answer(self, stimulus: Stimulus, limits: Limits) -> Observation:
        action = stimulus.action
        assert isinstance(action, SuiteRun)
        if (observed := self._tests.seen_of_all(limits)) is not None:
            return observed
        match action.question:
            case SuiteQuestion.RUNS | SuiteQuestion.ACCEPTS:
                observed = self._with_rounds(self._on_reference(stimulus, limits), stimulus, limits)
                if action.question is SuiteQuestion.ACCEPTS:
                    observed = self._with_clauses(observed, stimulus, limits)
            case SuiteQuestion.COVERS:
                observed = self._covering(stimulus, limits)
            case SuiteQuestion.ACCEPTS_OWN:
                run = self._run_all(self._students_program, stimulus, limits, seed=_SEEDS[0])
                observed = _as_observation(run)
            case SuiteQuestion.NOTICES:
                return self._seen_on_fault(action.against, stimulus, limits)
            case SuiteQuestion.HELPS:
                return self._seen_of_each(stimulus, limits)
        if observed.suite is None:
            return observed
        # Without the course's programs no fault can be noticed, so none is asked for.
        notices = not self._course_programs or self._notices_a_fault(stimulus, limits)
        return replace(observed, suite=replace(observed.suite, notices_a_fault=notices))

    def _on_reference(self, stimulus: Stimulus, limits: Limits) -> Observation:
        first, *others = self._reference_runs(stimulus, limits)
        results = first.results()
        for name in first.endless():  # the others run without these
            del results[name]
        unsteady: dict[str, None] = {}
        for run in others:
            again = run.results()
            for name in (*results, *again):
                if results.get(name) is not again.get(name):
                    unsteady[name] = None
        return _as_observation(first, unsteady=tuple(unsteady))

    def _with_clauses(
        self, observed: Observation, stimulus: Stimulus, limits: Limits
    ) -> Observation:
        """Add the clauses of the assignment that wrong tests contradict: tests that fail on the
        reference, but pass on a program with a fault against that clause.
        """
        if observed.suite is None or not observed.suite.failed:
            return observed
        if self._breaking is None:
            names = [
                test.name
                for test in observed.suite.failed
                if test.outcome.result is CourseTestResult.FAILED
            ]
            self._breaking = self._clauses_broken_by(names[:_MAX_EXPLAINED], stimulus, limits)
        tests: list[SuiteTest] = []
        for test in observed.suite.tests:
            tests.append(replace(test, breaks=self._breaking.get(test.name, ())))
        return replace(observed, suite=replace(observed.suite, tests=tuple(tests)))

    def _clauses_broken_by(
        self, names: Sequence[str], stimulus: Stimulus, limits: Limits
    ) -> dict[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {}
        for against in self._faults:
            clause = self._clauses[against]
            if not clause:
                continue
            program = self._program_of(against)
            run = self._run(program, stimulus, limits, seed=_SEEDS[0], only=names)
            for test in run.tests:
                if test.has_passed:
                    found.setdefault(test.name, {})[clause] = None
        return {name: tuple(clauses) for name, clauses in found.items()}

    def _covering(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """Return which part of the reference is run by the tests that pass on it every time."""
        observed = self._with_rounds(self._on_reference(stimulus, limits), stimulus, limits)
        names = self._counted(stimulus, limits)
        if observed.suite is None or not names:
            return observed
        traced = replace(stimulus, traces_lines=True)
        patient = replace(limits, cpu_seconds=_TRACING_TIMES * limits.cpu_seconds)
        reference = self._program_of(self._reference)
        run = self._run(reference, traced, patient, seed=_SEEDS[0], only=names)
        coverage = coverage_of(self._course_programs[0].files, run.trace)
        return replace(observed, suite=replace(observed.suite, coverage=coverage))

    def _reference_runs(self, stimulus: Stimulus, limits: Limits) -> tuple[SuiteRunResult, ...]:
        if self._against_reference is None:
            reference = self._program_of(self._reference)
            first = self._run_all(reference, stimulus, limits, seed=_SEEDS[0])
            runs = [first]
            for seed in _SEEDS[1:]:
                without = first.endless()
                runs.append(self._run(reference, stimulus, limits, seed=seed, without=without))
            self._against_reference = tuple(runs)
        return self._against_reference

    def _seen_on_fault(self, against: str, stimulus: Stimulus, limits: Limits) -> Observation:
        """Return which test notices a fault: it passes on the reference and fails on the faulty
        program, every time.
        """
        if against not in self._noticed:
            self._noticed[against] = self._noticing(against, stimulus, limits)
        outcome = self._noticed[against]
        if outcome is None:
            return Observation(ending=Ending.TAMPERED)
        return _answered(outcome)

    def _with_rounds(
        self, observed: Observation, stimulus: Stimulus, limits: Limits
    ) -> Observation:
        """Add the tests whose outcome on the reference changed between rounds."""
        if observed.suite is None:
            return observed
        unsteady = dict.fromkeys(observed.suite.unsteady)
        unsteady |= dict.fromkeys(self._comparison(stimulus, limits).unsteady())
        return replace(observed, suite=replace(observed.suite, unsteady=tuple(unsteady)))

    def _noticing(self, against: str, stimulus: Stimulus, limits: Limits) -> SuiteOutcome | None:
        """Return the test that notices the fault `against`, and the tests whose outcome changes
        from run to run. Return None if the protocol is broken.
        """
        compared = self._comparison(stimulus, limits)
        if against in compared.broken:
            return None
        unsteady = (*compared.unsteady(), *compared.unsteady_on(against))
        noticing = compared.noticing(against)
        if not noticing or self._too_many_unsteady(compared, stimulus, limits):
            return SuiteOutcome(unsteady=unsteady)
        test = noticing[0]
        named = replace(test, outcome=CourseTestOutcome(result=test.outcome.result))
        return SuiteOutcome(tests=(named,), unsteady=unsteady)

    def _too_many_unsteady(
        self, compared: FaultsNoticed, stimulus: Stimulus, limits: Limits
    ) -> bool:
        observed = self._on_reference(stimulus, limits)
        outcome = observed.suite or SuiteOutcome()
        unsteady = {*outcome.unsteady, *compared.unsteady()}
        most = max(_MAX_UNSTEADY, _MAX_UNSTEADY_SHARE * len(outcome.tests))
        return len(unsteady) > most

    def _comparison(self, stimulus: Stimulus, limits: Limits) -> FaultsNoticed:
        """Run the useful tests against the faulty programs and, in between, against the reference.

        In one round, the tests' process gets the same job every time and the programs come in
        random order, so it can tell them apart only by their behaviour.
        """
        if self._compared is None:
            useful = self._useful(stimulus, limits)
            compared = FaultsNoticed(useful, set(useful))
            patient = self._limits_of_rounds(stimulus, limits)
            if useful:
                self._first_round(compared, stimulus, patient)
            for _ in range(_MAX_CHOICES):
                if self._too_many_unsteady(compared, stimulus, limits):
                    break
                chosen = compared.chosen(
                    lambda name: self._passes_by_itself(name, stimulus, limits)
                )
                if not chosen:
                    break
                for seed in _SEEDS_OF_CHOSEN:
                    self._round(compared, chosen, stimulus, patient, seed=seed)
                compared.confirmed.update(chosen)
            if self._waited > _MAX_WAITED:
                # Chance decides which faults came too late, so none of them counts.
                compared.confirmed.clear()
            self._compared = compared
        return self._compared

    def _limits_of_rounds(self, stimulus: Stimulus, limits: Limits) -> Limits:
        """Return limits with less CPU time, because faulty programs may loop."""
        runs = self._reference_runs(stimulus, limits)
        usual = max(run.cpu_seconds for run in runs)
        seconds = max(_LOOPING_TIMES * usual, _LOOPING_SECONDS)
        return replace(limits, cpu_seconds=min(limits.cpu_seconds, seconds))

    def _first_round(self, compared: FaultsNoticed, stimulus: Stimulus, limits: Limits) -> None:
        names = compared.useful
        for program in self._shuffled(self._faults):
            run = self._run_named(program, stimulus, limits, seed=_FIRST_SEED, only=names)
            if program == self._reference:
                compared.take_reference(run, names)
            else:
                compared.take_first(program, run)

    def _round(
        self,
        compared: FaultsNoticed,
        chosen: Sequence[str],
        stimulus: Stimulus,
        limits: Limits,
        *,
        seed: int,
    ) -> None:
        """Run the chosen tests again, against the faults that are still undecided."""
        for program in self._shuffled(compared.open_faults()):
            run = self._run_named(program, stimulus, limits, seed=seed, only=chosen)
            if program == self._reference:
                compared.take_reference(run, chosen)
            else:
                compared.take_again(program, run, chosen)

    def _shuffled(self, faults: Iterable[str]) -> list[str]:
        """Return the names of the programs in random order, with the reference several times."""
        names = [*faults, *[self._reference] * _REFERENCE_RUNS]
        SystemRandom().shuffle(names)
        return names

    def _run_named(
        self,
        name: str,
        stimulus: Stimulus,
        limits: Limits,
        *,
        seed: int,
        only: Sequence[str],
    ) -> SuiteRunResult:
        return self._run(self._program_of(name), stimulus, limits, seed=seed, only=only)

    def _passes_by_itself(self, name: str, stimulus: Stimulus, limits: Limits) -> bool:
        """Return whether a test passes on the reference if no other test runs before it."""
        if name not in self._by_itself:
            reference = self._program_of(self._reference)
            run = self._run(reference, stimulus, limits, seed=_SEEDS[0], only=[name])
            self._by_itself[name] = run.results().get(name) is CourseTestResult.PASSED
        return self._by_itself[name]

    def _useful(self, stimulus: Stimulus, limits: Limits) -> list[str]:
        """Return the names of the tests that pass on the reference each time."""
        observed = self._on_reference(stimulus, limits)
        outcome = observed.suite or SuiteOutcome()
        names = [test.name for test in outcome.tests if test.has_passed]
        return [name for name in names if name not in outcome.unsteady]

    def _counted(self, stimulus: Stimulus, limits: Limits) -> list[str]:
        """Return the names of the tests that pass on the reference every time, including the later
        rounds.
        """
        compared = self._comparison(stimulus, limits)
        return [name for name in compared.useful if name in compared.steady]

    def _notices_a_fault(self, stimulus: Stimulus, limits: Limits) -> bool:
        for against in self._faults:
            observed = self._seen_on_fault(against, stimulus, limits)
            if observed.suite is not None and observed.suite.tests:
                return True
        return False

    def _seen_of_each(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """Return the tests that notice no fault, and groups of tests that notice the same
        faults.
        """
        compared = self._comparison(stimulus, limits)
        failing: dict[str, set[str]] = {}
        for fault in self._faults:
            failing[fault] = {test.name for test in compared.candidates(fault)}
        useless: list[str] = []
        by_faults: dict[tuple[str, ...], list[str]] = {}
        counted = self._counted(stimulus, limits)
        names = [name for name in counted if name not in compared.dependent]
        for name in names:
            faults = tuple(fault for fault, bad in failing.items() if name in bad)
            if faults:
                by_faults.setdefault(faults, []).append(name)
            else:
                useless.append(name)
        alike = tuple(tuple(group) for group in by_faults.values() if _are_several(group))
        passed = CourseTestOutcome(result=CourseTestResult.PASSED)
        tests = tuple(SuiteTest(name=name, outcome=passed) for name in names)
        return _answered(SuiteOutcome(tests=tests, useless=tuple(useless), alike=alike))

    def _run_all(
        self, program: TestedServer, stimulus: Stimulus, limits: Limits, *, seed: int
    ) -> SuiteRunResult:
        """Run all tests.

        If one does not finish, run the remaining ones in another run, unless there are too many
        such tests.
        """
        tests: list[SuiteTest] = []
        for _ in range(_MAX_ENDLESS):
            names = [test.name for test in tests]
            run = self._run(program, stimulus, limits, seed=seed, without=names)
            tests += run.tests
            if run.ending in (Ending.ANSWERED, Ending.TAMPERED) or not run.tests:
                break
        return replace(run, tests=tuple(tests))

    def _run(
        self,
        program: TestedServer,
        stimulus: Stimulus,
        limits: Limits,
        *,
        seed: int,
        only: Sequence[str] | None = None,
        without: Sequence[str] = (),
    ) -> SuiteRunResult:
        """Run all tests against a program, or only those named in `only`."""
        if only is not None and not only:
            return SuiteRunResult(tests=(), ending=Ending.ANSWERED)
        server = program.server
        if self._waited > _MAX_WAITED:
            return SuiteRunResult(tests=(), ending=Ending.TIMEOUT)
        if (observed := server.seen_of_all(limits)) is not None:
            return SuiteRunResult(tests=(), ending=observed.ending)
        job, facts = server.compile(program.jobs.job(stimulus), program.functions)
        screen = scenario_screen(stimulus)
        heard = Heard(files=self._files)
        with ExitStack() as stack:
            folder = ScenarioFolder(self._folders, (), server.owner, guest=self._tests.owner)
            stack.callback(folder.remove)
            place = str(folder.path)
            names = None if only is None else list(only)
            suite_job = SuiteJob(only=names, without=list(without), seed=seed, folder=place)
            process = self._tests.start_stand_in(stack, suite_job, test_limits(limits))
            job = job.replaced(
                sentinel=screen.sentinel,
                prompt_mark=screen.prompt_mark,
                longest_sleep=limits.wall_seconds,
                folder=place,
            )
            monitor = server.start(stack, job, screen, limits)
            conversation = TestConversation(process, folder, heard)
            end = monitor.follow(
                (), folder=folder, stand_in=conversation, is_piped=job.stdin is not None
            )
            self._waited += process.waited
            if not monitor.compiled:
                return SuiteRunResult(tests=(), ending=end.reason or Ending.CRASHED)
            answerable = Answerable(stimulus, facts, program.sources)
            observed = observation(answerable, limits, screen, end)
        self._cpu_seconds += observed.cpu_seconds
        return _run_of(heard, observed, stimulus)


def _run_of(heard: Heard, observed: Observation, stimulus: Stimulus) -> SuiteRunResult:
    """Return the result of a finished run, from the messages of the tests' process and the
    observation of the program.
    """
    ending = Ending.ANSWERED if heard.is_over else observed.ending
    heard.ended()
    trace = observed.detail.splitlines() if stimulus.traces_lines else []
    return SuiteRunResult(
        tests=tuple(heard.tests),
        ending=ending,
        not_loaded=heard.not_loaded,
        cpu_seconds=observed.cpu_seconds,
        trace=tuple(trace),
    )


def _as_observation(run: SuiteRunResult, *, unsteady: Collection[str] = ()) -> Observation:
    if run.ending is Ending.TAMPERED:
        return Observation(ending=Ending.TAMPERED)
    outcome = SuiteOutcome(tests=run.tests, unsteady=tuple(unsteady), not_loaded=run.not_loaded)
    return _answered(outcome)


def _are_several(names: Sequence[str]) -> bool:
    """Return whether these names belong to several tests, not to one test with several
    parameters.
    """
    return len({name.partition("[")[0] for name in names}) > 1


def _answered(outcome: SuiteOutcome) -> Observation:
    return Observation(ending=Ending.ANSWERED, suite=outcome)
