"""Parts of an assignment that stand alone: what a student may see, what a cohort is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from harness.model.errors import UserError
from harness.model.plan import Scenario, Visibility
from harness.model.specification import Specification


def visible_only(specification: Specification) -> Specification:
    """The assignment cut to what a student may see, stand-ins left out (they are answers); its
    key then holds nothing else either.
    Raises UserError when that is nothing at all."""
    cut = _cut(specification, lambda scenario: scenario.visibility is Visibility.VISIBLE)
    if not cut.plan.scenarios:
        place = cut.plan.assignment.id
        raise UserError("there is no visible scenario to check against", place=place)
    return replace(cut, plan=cut.plan.without_stand_ins())


def without_tags(specification: Specification, tags: Sequence[str]) -> Specification:
    """The assignment without the scenarios that carry one of these tags; the others' points make
    up the whole mark. Raises UserError for a tag that no scenario carries."""
    known = {tag for scenario in specification.plan.scenarios for tag in scenario.tags}
    for tag in tags:
        if tag not in known:
            listed = ", ".join(sorted(known)) or "no tags"
            raise UserError(f"no scenario has the tag {tag!r}", hint=f"there are: {listed}")
    cut = _cut(specification, lambda scenario: not set(scenario.tags) & set(tags))
    return replace(cut, left_out=tuple(sorted({*specification.left_out, *tags})))


def _cut(specification: Specification, keep: Callable[[Scenario], bool]) -> Specification:
    plan = specification.plan.subset(keep)
    kept = {scenario.id for scenario in plan.scenarios}
    transcripts = tuple(t for t in specification.transcripts if t.scenario_id in kept)
    return replace(specification, plan=plan, transcripts=transcripts)
