"""Many scenarios in few lines: those of one sweep that came out alike are one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Scenario, Visibility
from harness.model.student_view import ShownCheck
from harness.reporting.view.paste import settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioLine:
    """Scenarios of one group (see `Scenario.group`) with one outcome, in the plan's order.
    `constants` are the swept values of all, empty where nothing is swept."""

    group: str
    checks: tuple[ShownCheck, ...]
    visibility: Visibility
    constants: str

    @property
    def points(self) -> Fraction:
        """What they earned together."""
        return sum((check.points for check in self.checks), Fraction(0))

    @property
    def out_of(self) -> Fraction:
        """What they were worth together."""
        return sum((check.out_of for check in self.checks), Fraction(0))


def scenario_lines(
    checks: Iterable[ShownCheck], scenarios: Mapping[str, Scenario]
) -> tuple[ScenarioLine, ...]:
    """A line for each group, outcome and reason, in the order of the first of each. Where a reason
    is of a rule, its sentence may differ by the swept value, and the first one stands for all."""
    alike: dict[tuple[str, str, str], list[ShownCheck]] = {}
    for check in checks:
        verdict = check.verdict
        reason = verdict.explanation.rule if verdict.explanation else verdict.message
        alike.setdefault((scenarios[check.id].group, verdict.kind, reason), []).append(check)
    return tuple(
        ScenarioLine(
            group=group,
            checks=tuple(members),
            visibility=scenarios[members[0].id].visibility,
            constants=_constants(members),
        )
        for (group, _, _), members in alike.items()
    )


def _constants(members: list[ShownCheck]) -> str:
    """`BOARD_SIZE = 4, 7, 10`; of several constants each combination."""
    bound = [check.stimulus.constants for check in members]
    names = {tuple(binding.name for binding in one) for one in bound}
    if len(names) == 1 and len(bound[0]) == 1:
        values = dict.fromkeys(one[0].literal for one in bound)
        return f"{bound[0][0].name} = {', '.join(values)}"
    return "; ".join(dict.fromkeys(text for one in bound if (text := settings(one))))
