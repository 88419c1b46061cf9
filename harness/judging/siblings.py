"""Explanations that only a scenario's siblings can give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.judging.hard_coding import (
    failing,
    has_evidence,
    index_error_below,
    shows_default_board,
)
from harness.judging.sizes import AtSize, Family, families, right_by_default
from harness.model.answer_key import AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.verdict import Explanation, Verdict

RULE = "hard_coded_size"


def refine(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    observations: Mapping[str, tuple[Observation, ...]],
    key: AnswerKey | None,
) -> dict[str, Verdict]:
    """The verdicts by scenario id, some with a better explanation; kinds are never changed.

    `observations` has one entry a stimulus, as the plan has. Without a key nothing is refined.
    """
    refined = dict(verdicts)
    if key is None:
        return refined
    swept = families(plan, verdicts, observations, key)
    suspect = {
        (one.scenario.function, family.constant)
        for family in swept
        if has_evidence(family)
        for one in failing(family)
    }
    right = right_by_default(plan, verdicts)
    for family in swept:
        for one in failing(family):
            # In a function that has a number written out, its other failures at other sizes
            # have the same cause, where the default size passes: in the same group, or, where the
            # group is not tried at that size, in all of the function's scenarios.
            function = one.scenario.function
            is_right = family.right_by_default or (family.usual is None and function in right)
            if (function, family.constant) in suspect and (is_right or _itself(one, family)):
                refined[one.scenario.id] = replace(
                    one.verdict, explanation=_explanation(one, family)
                )
    return refined


def _itself(one: AtSize, family: Family) -> bool:
    if family.usual is not None:
        return False
    return shows_default_board(one, family) or index_error_below(one, family)


def _explanation(one: AtSize, family: Family) -> Explanation:
    name, default = family.constant, family.default
    seen = f"it is right when {name} is {default} and wrong when it is {one.size}"
    if not family.right_by_default:
        if shows_default_board(one, family):
            seen = f"it shows a board of that size though {name} is {one.size}"
        if index_error_below(one, family):
            seen = f"an index is out of range when {name} is {one.size}"
    message = f"This looks hard-coded to {default}: {seen}; use {name} in place of the number."
    return Explanation(rule=RULE, message=message)
