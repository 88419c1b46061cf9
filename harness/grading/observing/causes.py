"""The causes of a submission's failures, with the substituted runs that tell who is to blame.

Where a program that does not end loops is told by one more run of the example of a cause. What the
process answers is untrusted. It becomes the line of a loop that the submission's text has, in the
words of a failure; no verdict depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from harness.grading.observing.blame import LARGEST_SOURCE, Substitutable, SubstitutedRuns
from harness.grading.observing.cache import ResultCache, judging_digest
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.running import Observer
from harness.judging import FailedScenario, derive, find_blame, unsettled, with_loops
from harness.model.assignment import SourceFile
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.policy import Loop, Outline
from harness.model.submission import Submission
from harness.model.verdict import Cause, Explanation, Verdict, VerdictKind

MOST_RUNS = 3  # of one submission
_LEAST_SECONDS = 1.0  # CPU limit of such a run, which ends by itself after half of it
_OUTPUT_KIB = 1024  # what is read of it is kept in memory, and never used
_ENDLESS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.OUTPUT_LIMIT})
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
        if each is None or each.verdict.kind not in _ENDLESS or runs == MOST_RUNS:
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
