"""Find failed scenarios whose outcome differs from run to run.

Failed scenarios of programs that use chance, a clock or a set's order run again, each time with
another hash seed and another clock. The verdict stays. If another run has another outcome, the
verdict says so and names the calls. This is stored with the verdict, so grading again says the
same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from harness.execution import AnyDriver
from harness.grading.observing.budget import budgeted
from harness.grading.observing.draws import Observer, run_scenario
from harness.grading.observing.outcome import RunOutcome
from harness.grading.observing.setup import Candidate
from harness.grading.observing.truncating import truncated
from harness.judging.shown_text import without_internals
from harness.model.assignment import Assignment
from harness.model.explanation.sentences import finished
from harness.model.observation import Ending
from harness.model.plan import Plan, Scenario
from harness.model.verdict import Verdict, stated

MAX_RUNS = 8  # of one scenario, after the first: a coin's toss is missed once in 256
MIN_RUNS = 2  # however long they take
MAX_SECONDS = 2.0  # CPU time of the further runs of one submission, after the first `MIN_RUNS`
MAX_SCENARIOS = 10  # of one submission
# By how much the clock of each further run is moved: an odd number of seconds, other hours, days of
# the week and months.
_CLOCK_STEP = 37 * 86_400 + 5 * 3_600 + 61
_SAYS_NOTHING = frozenset({Ending.HARNESS_ERROR, Ending.NOT_RUN, Ending.TAMPERED})


class Variations:
    """Runs submissions under other hash seeds and clocks. Each has a driver, started when it is
    first needed, until the stack is left."""

    def __init__(self, driver: AnyDriver, stack: ExitStack) -> None:
        self._driver = driver
        self._stack = stack
        self._drivers: list[AnyDriver] = []

    @contextmanager
    def server(
        self, index: int, assignment: Assignment, candidate: Candidate
    ) -> Iterator[Observer]:
        """Serve a candidate in the variation number `index`, from 0.

        If this way to run submissions has no other seeds, serve the candidate as in the first run.
        """
        while len(self._drivers) <= index:
            number = len(self._drivers) + 1
            varied = self._driver.varied(hash_seed=number, clock_offset=number * _CLOCK_STEP)
            if varied is None:
                yield candidate.server
                return
            self._drivers.append(self._stack.enter_context(varied))
        files = candidate.submission.files
        with self._drivers[index].submission(assignment, files) as server:
            yield budgeted(server, candidate.budget)


def flag_varying_outcomes(
    outcome: RunOutcome, plan: Plan, candidate: Candidate, variations: Variations
) -> None:
    """Add a remark to newly failed scenarios whose outcome differs from run to run."""
    if not candidate.report.outline.lucky_calls:
        return
    # Tests that are handed in have run several times already.
    programs = [scenario for scenario in plan.scenarios if not scenario.is_suite]
    failed = [scenario for scenario in programs if outcome.failed_anew(scenario.id)]
    looked_at = failed[:MAX_SCENARIOS]
    for scenario in _varying(looked_at, outcome, candidate, plan.assignment, variations):
        flagged = _with_remark(outcome.verdicts[scenario.id], scenario, candidate)
        outcome.replace_new(scenario.id, flagged)


def _varying(
    scenarios: list[Scenario],
    outcome: RunOutcome,
    candidate: Candidate,
    assignment: Assignment,
    variations: Variations,
) -> list[Scenario]:
    """Return the scenarios with another outcome in one of the further runs."""
    undecided = scenarios
    varying: list[Scenario] = []
    seconds = 0.0
    for index in range(MAX_RUNS):
        if not undecided or (index >= MIN_RUNS and seconds > MAX_SECONDS):
            break
        left: list[Scenario] = []
        with variations.server(index, assignment, candidate) as server:
            for scenario in undecided:
                run = run_scenario(server, scenario, scenario.limits)
                seconds += sum(observation.cpu_seconds for observation in run)
                if any(observation.ending in _SAYS_NOTHING for observation in run):
                    continue
                again = tuple(truncated(observation) for observation in run)
                first = outcome.observations[scenario.id]
                if without_internals(again) == without_internals(first):
                    left.append(scenario)
                else:
                    varying.append(scenario)
        undecided = left
    return varying


def _with_remark(verdict: Verdict, scenario: Scenario, candidate: Candidate) -> Verdict:
    calls = candidate.report.outline.lucky_calls
    explanation = verdict.explanation
    if explanation is None:
        explanation = replace(stated("differs", ""), hint=scenario.hint)
    named = f"{calls[0].call} in line {calls[0].line}"
    if len(candidate.submission.files) > 1:
        named += f" of {calls[0].file}"
    if len(calls) > 1:
        named += f" and {len(calls) - 1} more"
    remark = f"This differs from run to run, perhaps because of {named}."
    told = replace(explanation, remarks=(*explanation.remarks, finished(remark)))
    return replace(verdict, explanation=told, differs_by=calls)
