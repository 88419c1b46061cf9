"""The causes of a submission's failures, with the substituted runs that tell who is to blame."""

from __future__ import annotations

from dataclasses import replace

from harness.grading.cache import ResultCache
from harness.grading.digests import judging_digest
from harness.grading.observing.blame import LARGEST_SOURCE, Substitutable, SubstitutedRuns
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.loops import name_loops
from harness.grading.observing.running import Observer
from harness.judging import Failing, derive, find_blame, unsettled
from harness.model.assignment import SourceFile
from harness.model.expectation import AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.policy import Outline
from harness.model.submission import Submission
from harness.model.verdict import Cause, Verdict


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
        failures: tuple[Failing, ...],
        outline: Outline,
        submission: Submission,
        server: Observer,
        cache: ResultCache,
    ) -> tuple[tuple[Cause, ...], dict[str, Verdict]]:
        """The causes, and the new verdicts of substituted runs by their keys."""
        own = self._substitutable.within(outline, self._plan.assignment)
        failed = replace(self._plan, scenarios=tuple(each.scenario for each in failures))
        keys = self._runs.keys_of(submission.digest, failed)

        def judge(each: Failing, seen: Observation) -> bool:
            return self._runs.judge_of(each.scenario, each.verdict.draw or 0).verdict(seen).passed

        def salt(each: Failing) -> str:
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
        )
        causes = derive(failures, outline, blame)
        causes, loops = name_loops(
            causes, failures, outline, server, recall=cache.verdict, salt=salt
        )
        return causes, {**runs.found, **loops}
