"""The part of a plan and its key that students may have: enough to check with, and no more."""

from __future__ import annotations

import re
from dataclasses import replace

from harness.grading import GradingContext
from harness.model.expectation import Answer, AnswerKey, ScenarioAnswers
from harness.model.observation import Observation, Raised
from harness.model.plan import Plan
from harness.model.specification import Specification
from harness.model.stimulus import Stimulus

_NAME = re.compile(r"[^\W\d]\w*")
_ROUND_TO = (0.0, 0.1, 1.0, 10.0, 100.0)  # CPU seconds: measured ones differ from run to run
_QUICK = 0.05


def student_plan(specification: Specification) -> Plan:
    """The plan of an assignment that was cut by `visible_only`, without what it does not run by:
    the texts of clauses, and functions that only the reference has."""
    plan = specification.plan
    assignment = plan.assignment
    named = {name for s in plan.scenarios for one in s.stimuli for name in _named(one)}
    clauses = {clause for scenario in plan.scenarios for clause in scenario.clauses}
    return replace(
        plan,
        assignment=replace(
            assignment,
            clauses=tuple(
                replace(clause, section="", text="", unsettled="")
                for clause in assignment.clauses
                if clause.id in clauses
            ),
            functions=tuple(f for f in assignment.functions if named.issuperset(f.name.split("."))),
            manual=(),
            exemptions=(),
            stand_in_files=(),
        ),
    )


def student_key(context: GradingContext, plan: Plan) -> AnswerKey:
    """The answers to that plan, without lines of the reference, and without what differs from one
    making to the next."""
    kept = context.key.subset(scenario.id for scenario in plan.scenarios)
    return replace(
        kept,
        made_with="",
        scenarios=tuple(
            ScenarioAnswers(
                scenario_id=entry.scenario_id,
                answers=tuple(_without_source(answer) for answer in entry.answers),
            )
            for entry in kept.scenarios
        ),
    )


def _without_source(answer: Answer) -> Answer:
    seen = answer.observation
    shown = replace(
        seen,
        raised=_without_frames(seen.raised),
        steps=tuple(replace(step, raised=_without_frames(step.raised)) for step in seen.steps),
        cpu_seconds=_rounded_up(seen),
    )
    return replace(answer, observation=shown)


def _without_frames(raised: Raised | None) -> Raised | None:
    return None if raised is None else replace(raised, frames=())


def _rounded_up(seen: Observation) -> float:
    if seen.cpu_seconds < _QUICK:
        return 0.0
    return next(step for step in _ROUND_TO if step > seen.cpu_seconds)


def _named(stimulus: Stimulus) -> set[str]:
    texts = [*stimulus.source_texts(), *(binding.literal for binding in stimulus.bindings)]
    return {name for text in texts for name in _NAME.findall(text)}
