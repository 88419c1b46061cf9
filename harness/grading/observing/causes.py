"""The causes of a submission's failures, with the substituted runs that tell who is to blame.

Scenarios run again with a function of the course's in place of the submission's. Of such a run one
bit is kept, whether the scenario passes: what the course's function answers is in the process of a
program that could show it, so nothing it shows may be stored or read by anybody.

Where a program that does not end loops is told by one more run of the example of a cause. What the
process answers is untrusted. It becomes the line of a loop that the submission's text has, in the
words of a failure; no verdict depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from harness.execution import main_file, proxy_names
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.running import LIMIT_ENDINGS, Observer
from harness.judging.blame import find_blame
from harness.judging.causes import derive, unsettled, with_loops
from harness.judging.failed_scenarios import FailedScenario
from harness.model.assignment import Assignment, SourceFile
from harness.model.expectation import Answer, AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.policy import Loop, Outline
from harness.model.stimulus import Limits, Substitution
from harness.model.student_view import Surroundings
from harness.model.submission import Submission
from harness.model.verdict import Blame, Cause, Explanation, StandInOutcome, Verdict, VerdictKind
from harness.results.reuse import ResultCache, judging_digest

MOST_SUBSTITUTED_RUNS = 100  # of one submission
MOST_SUBSTITUTED_LIMITS = 4  # of one submission; each costs a whole limit
LARGEST_SOURCE = 200_000  # bytes; a larger program is not substituted in
LONGEST_SECONDS = 1.0  # of CPU, unless the reference needs more: a call takes 0.1 ms
LONGEST_ENDLESS_SECONDS = 0.25  # where it did not end: most other functions do not change that
SUBSTITUTED_FACTOR = 50
_TIMED_OUT = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.STOPPED_EARLY})


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
        if each.scenario.stand_ins or self._runs >= MOST_SUBSTITUTED_RUNS:
            return False
        if each.stimulus.folder:  # which the course's function, elsewhere, does not have
            return None
        self._runs += 1
        slow = None if each.verdict.kind not in _TIMED_OUT else False
        if names in self._hits or len(self._hits) >= MOST_SUBSTITUTED_LIMITS:
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
        endless = each.verdict.kind in _TIMED_OUT
        longest = LONGEST_ENDLESS_SECONDS if endless else LONGEST_SECONDS
        seconds = min(limits.cpu_seconds, max(longest, SUBSTITUTED_FACTOR * needed))
        return replace(limits, cpu_seconds=seconds)


MOST_LOOP_RUNS = 3  # of one submission
_LEAST_SECONDS = 1.0  # CPU limit of such a run, which ends by itself after half of it
_OUTPUT_KIB = 1024  # what is read of it is kept in memory, and never used
_LOOPING = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.OUTPUT_LIMIT})
_PLACE = re.compile(r"(?P<file>.+):(?P<first>[0-9]{1,7})-(?P<last>[0-9]{1,7})")


class CauseFinder:
    """Finds the causes of one submission after another."""

    def __init__(
        self, plan: Plan, key: AnswerKey, reference: tuple[SourceFile, ...], runs: JudgedRuns
    ) -> None:
        """`reference` answers in place of a submission's functions (empty: nobody is blamed by
        substitution)."""
        self._plan = plan
        self._answers = {entry.scenario_id: entry.answers for entry in key.scenarios}
        self._reference = reference
        self._substitutable = Substitutable.of(plan, reference)
        self._runs = runs

    def find(
        self,
        failures: tuple[FailedScenario, ...],
        passed: tuple[Scenario, ...],
        outline: Outline,
        submission: Submission,
        server: Observer,
        *,
        cache: ResultCache,
    ) -> tuple[tuple[Cause, ...], dict[str, Verdict]]:
        """The causes, and the new verdicts of substituted runs by their keys."""
        own = self._substitutable.within(outline, self._plan.assignment)
        failed = replace(self._plan, scenarios=tuple(each.scenario for each in failures))
        keys = self._runs.keys_of(submission.digest, failed)

        def judge(each: FailedScenario, seen: Observation) -> bool:
            return self._runs.judge_of(each.scenario, each.verdict.draw or 0).verdict(seen).passed

        def salt(each: FailedScenario) -> str:
            parts = (keys[each.scenario.id], str(each.verdict.draw), judging_digest())
            return "\n".join([*parts, self._plan.reference_digest])

        runs = SubstitutedRuns(
            server,
            constants=own.constants,
            answers=self._answers,
            judge=judge,
            recall=cache.verdict,
            salt=salt,
        )
        size = sum(len(file.data) for file in submission.files)
        can_substitute = bool(self._reference) and size <= LARGEST_SOURCE
        blame = find_blame(
            unsettled(failures, outline),
            outline,
            own.functions,
            frozenset(own.constants),
            runs.passes if can_substitute else None,
            passed=passed,
        )
        causes = derive(failures, outline, blame, judge)
        causes, loops = name_loops(
            causes, failures, outline, server, recall=cache.verdict, salt=salt
        )
        return causes, {**runs.found, **loops}


def name_loops(
    causes: Sequence[Cause],
    failures: Sequence[FailedScenario],
    outline: Outline,
    observer: Observer,
    *,
    recall: Callable[[str], Verdict | None],
    salt: Callable[[FailedScenario], str],
) -> tuple[tuple[Cause, ...], Mapping[str, Verdict]]:
    """The causes, those that do not end with the loop and once for each loop, and what is new under
    its key."""
    by_id = {each.scenario.id: each for each in failures}
    loops: dict[str, Loop] = {}
    found: dict[str, Verdict] = {}
    runs = 0
    for cause in causes:
        each = by_id.get(cause.example)
        if each is None or each.verdict.kind not in _LOOPING or runs == MOST_LOOP_RUNS:
            continue
        runs += 1
        key = sha256(f"{salt(each)}\nloop".encode()).hexdigest()
        known = recall(key)
        if known is None:
            known = found[key] = _look(each, observer)
        loop = _loop(known.message, outline)
        if loop is not None:
            loops[cause.example] = loop
    return with_loops(causes, loops, failures, outline), found


def _look(each: FailedScenario, observer: Observer) -> Verdict:
    """Where it loops, as the message of a verdict."""
    limits = each.scenario.limits
    seconds = max(limits.cpu_seconds, _LEAST_SECONDS)
    seen = observer.observe(
        replace(each.stimulus, finds_loop=True),
        replace(limits, cpu_seconds=seconds, output_kib=max(limits.output_kib, _OUTPUT_KIB)),
    )
    detail = seen.detail if seen.ending is Ending.CPU_LIMIT else ""
    return Verdict(kind=each.verdict.kind, explanation=Explanation(rule="loop", message=detail))


def _loop(place: str, outline: Outline) -> Loop | None:
    found = _PLACE.fullmatch(place)
    if found is None:
        return None
    return outline.loop_around(found["file"], int(found["first"]), int(found["last"]))
