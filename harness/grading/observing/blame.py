"""Who is to blame for a failure: scenarios run again with a function of the course's in place of
the submission's.

Of such a run one bit is kept, whether the scenario passes: what the course's function answers is in
the process of a program that could show it, so nothing it shows may be stored or read by anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from harness.execution import main_file, proxy_names
from harness.grading.observing.looping import LIMIT_ENDINGS
from harness.grading.observing.running import Observer
from harness.judging import FailedScenario
from harness.model.assignment import Assignment, SourceFile
from harness.model.expectation import Answer
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan
from harness.model.policy import Outline
from harness.model.stimulus import Limits, Substitution
from harness.model.student_view import Surroundings
from harness.model.verdict import Blame, StandInOutcome, Verdict, VerdictKind

MOST_RUNS = 100  # of one submission
MOST_LIMIT_HITS = 4  # of one submission; each costs a whole limit
LARGEST_SOURCE = 200_000  # bytes; a larger program is not substituted in
LONGEST_SECONDS = 1.0  # of CPU, unless the reference needs more: a call takes 0.1 ms
LONGEST_ENDLESS_SECONDS = 0.25  # where it did not end: most other functions do not change that
REFERENCE_FACTOR = 50
_ENDLESS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.STOPPED_EARLY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitutable:
    """What can be put in place of a submission's own: functions of the sheet by name, and provided
    constants with the module of each."""

    functions: frozenset[str] = frozenset()
    constants: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, reference: tuple[SourceFile, ...]) -> Substitutable:
        """Of an assignment; functions are those that scenarios are about and the reference's first
        file defines."""
        sheet = {scenario.function for scenario in plan.scenarios}
        main = [file for file in reference if file.name == main_file(plan.assignment)]
        defined = {name for file in main for name in proxy_names(file)[0]}
        provided = Surroundings.of(plan.assignment).constants
        return cls(
            functions=frozenset(sheet & defined),
            constants={each.name: each.file.removesuffix(".py") for each in provided},
        )

    def within(self, outline: Outline, assignment: Assignment) -> Substitutable:
        """What of it the submission's first file has."""
        several = len(assignment.submission_files) > 1 and assignment.laid_as is None
        main = main_file(assignment)
        own = {part.name for part in outline.parts if not several or part.file == main}
        constants = {name: module for name, module in self.constants.items() if name in own}
        return Substitutable(functions=self.functions & own, constants=constants)


class SubstitutedRuns:
    """Runs scenarios of one submission with names substituted. `judge` says whether what the draw
    of a scenario showed passes; `recall` knows what an earlier run found under a key; `found` are
    the new bits by their keys."""

    def __init__(
        self,
        observer: Observer,
        *,
        constants: Mapping[str, str],
        answers: Mapping[str, tuple[Answer, ...]],
        judge: Callable[[FailedScenario, Observation], bool],
        recall: Callable[[str], Verdict | None],
        salt: Callable[[FailedScenario], str],
    ) -> None:
        self._observer = observer
        self._constants = constants
        self._answers = answers
        self._judge = judge
        self._recall = recall
        self._salt = salt
        self._runs = 0
        self._hits: set[Blame] = set()
        self.found: dict[str, Verdict] = {}

    def passes(self, each: FailedScenario, names: Blame) -> bool | None:
        """Whether the scenario passes with these names substituted; what still loops does not. None
        where that is not known: what their calls are given cannot leave the process, or so many
        calls take too long."""
        # With stand-ins it ran with the course's functions already.
        if each.scenario.stand_ins or self._runs >= MOST_RUNS:
            return False
        if each.stimulus.folder:  # which the course's function, elsewhere, does not have
            return None
        self._runs += 1
        slow = None if each.verdict.kind not in _ENDLESS else False
        if names in self._hits or len(self._hits) >= MOST_LIMIT_HITS:
            return slow
        key = sha256("\n".join([self._salt(each), "substituted", *names]).encode()).hexdigest()
        known = self._recall(key)
        if known is None:
            known = self.found[key] = self._run(each, names)
        if known.kind is VerdictKind.CPU_LIMIT:
            self._hits.add(names)
            return slow
        return None if known.stand_in is StandInOutcome.INAPPLICABLE else known.passed

    def _run(self, each: FailedScenario, names: Blame) -> Verdict:
        substitutions = tuple(
            Substitution(name=name, provided=self._constants.get(name, "")) for name in names
        )
        stimulus = replace(each.stimulus, substitutions=substitutions)
        seen = self._observer.observe(stimulus, self._limits(each))
        if seen.ending in LIMIT_ENDINGS or seen.ending is Ending.STAND_IN_FAILED:
            return Verdict(kind=VerdictKind.CPU_LIMIT)
        if seen.ending is Ending.STAND_IN_INAPPLICABLE:
            return Verdict(kind=VerdictKind.FAILED, stand_in=StandInOutcome.INAPPLICABLE)
        passed = self._judge(each, seen)
        return Verdict(kind=VerdictKind.PASSED if passed else VerdictKind.FAILED)

    def _limits(self, each: FailedScenario) -> Limits:
        """Enough for a right program."""
        limits, draw = each.scenario.limits, each.verdict.draw or 0
        answers = self._answers.get(each.scenario.id, ())
        needed = answers[draw].observation.cpu_seconds if draw < len(answers) else 0.0
        endless = each.verdict.kind in _ENDLESS
        longest = LONGEST_ENDLESS_SECONDS if endless else LONGEST_SECONDS
        seconds = min(limits.cpu_seconds, max(longest, REFERENCE_FACTOR * needed))
        return replace(limits, cpu_seconds=seconds)
