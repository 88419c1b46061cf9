"""The verdict of a scenario that is not run, since what it needs is wrong already."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.model.plan import Scenario
from harness.model.verdict import Explanation, Verdict, VerdictKind

RULE = "not_run"


def not_run(
    scenario: Scenario, needs: Sequence[Scenario], wrong: Collection[str]
) -> Verdict | None:
    """Not run, with the first of its needs that is among the ids `wrong`; None where none is."""
    first = next((other for other in needs if other.id in wrong), None)
    if first is None:
        return None
    if first.function in scenario.needs:
        what = f"{first.function} is not right yet"
    else:
        what = f'"{first.name}" does not pass yet'
    explanation = Explanation(rule=RULE, message=f"Not run, because {what}.")
    return Verdict(kind=VerdictKind.NOT_RUN, explanation=explanation.with_hint(scenario.hint))
