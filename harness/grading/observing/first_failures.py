"""Which scenarios a program fails first: for programs of ours, which get no mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.common.errors import HarnessError
from harness.execution import AnyDriver
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.running import LIMIT_ENDINGS, Observer
from harness.grading.observing.shared_run import CheckedObserver, Together
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.submission import Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstFailures:
    """The ids of scored scenarios that a program fails, in the order in which they were tried.
    None: it fails none of all."""

    scenarios: tuple[str, ...]


class FailureSearch:
    """Looks for scored scenarios that a program fails, and stops after the first few.

    What a program does in a shared process is used to choose what to run alone; a scenario counts
    as failed by what the program does alone. The same program gives the same answer in every run.
    """

    def __init__(self, plan: Plan, driver: AnyDriver, runs: JudgedRuns) -> None:
        """`runs` are those of the whole plan."""
        self._assignment = plan.assignment
        self._scored = tuple(s for s in plan.scenarios if not s.informational)
        self._driver = driver
        self._runs = runs

    def run(
        self, submission: Submission, *, first: frozenset[str], most: int, may_share: bool
    ) -> FirstFailures:
        """The first `most` failures among the scenarios of the ids `first`; where there are none,
        among the others. A failure that took its whole time is the last that is looked for.
        `may_share`: the program may share a process. HarnessError when our own machinery
        failed."""
        groups = (
            [s for s in self._scored if s.id in first],
            [s for s in self._scored if s.id not in first],
        )
        found: list[str] = []
        with self._driver.submission(self._assignment, submission.files) as server:
            for group in groups:
                for scenario, ran_out in self._failing(server, group, may_share):
                    found.append(scenario.id)
                    if ran_out or len(found) >= most:
                        return FirstFailures(scenarios=tuple(found))
                if found:
                    break
        return FirstFailures(scenarios=tuple(found))

    def unreadable(self, most: int) -> FirstFailures:
        """The failures of a program that Python cannot read, which are all."""
        return FirstFailures(scenarios=tuple(s.id for s in self._scored[:most]))

    def _failing(
        self,
        server: Observer,
        scenarios: Sequence[Scenario],
        may_share: bool,
    ) -> Iterator[tuple[Scenario, bool]]:
        """Those that fail, and whether one of their stimuli ran into a time limit."""
        together = Together()
        if may_share and scenarios:
            together = self._runs.shared.run(server, scenarios)
        observer = CheckedObserver(server, replace(together, audit=frozenset()), set(), None)
        failed: set[str] = set()
        for scenario in _likely_first(scenarios, together):
            seen = self._first_wrong(observer, scenario)
            if observer.refuted is not None:
                left = [each for each in scenarios if each.id not in failed]
                yield from self._failing(server, left, may_share=False)
                return
            if seen is not None and not self._passes_standing_in(server, scenario):
                failed.add(scenario.id)
                yield scenario, seen.ending in LIMIT_ENDINGS

    def _first_wrong(self, observer: Observer, scenario: Scenario) -> Observation | None:
        """What was observed of its first stimulus that does not do as expected."""
        for index, stimulus in enumerate(scenario.stimuli):
            seen = observer.observe(stimulus, scenario.limits)
            if seen.ending is Ending.HARNESS_ERROR:
                raise HarnessError(f"{scenario.id} was not observed")
            if not self._runs.judge_of(scenario, index).verdict(seen).passed:
                return seen
        return None

    def _passes_standing_in(self, server: Observer, scenario: Scenario) -> bool:
        """Whether it passes with the course's own modules in place of the submission's, as far as
        it has such."""
        if not scenario.stand_ins:
            return False
        return self._first_wrong(server, scenario.standing_in()) is None


def _likely_first(scenarios: Sequence[Scenario], together: Together) -> list[Scenario]:
    """Those that may fail: first those that differed in the shared run, then those that did not
    run there to their end."""
    different, unknown = [], []
    for scenario in scenarios:
        stimuli = [id(stimulus) for stimulus in scenario.stimuli]
        if any(one in together.differs for one in stimuli):
            different.append(scenario)
        elif any(one not in together.passed for one in stimuli):
            unknown.append(scenario)
    return different + unknown
