"""What endless programs cost, by the CPU time that was counted, never by the clock."""

from dataclasses import replace

import pytest

from benchmarks.soak import course, loop
from harness.assignment.loading import load
from harness.grading.context import GradingContext, prepare
from tests.per_commit import per_commit

SCENARIOS = 200


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    """The small course with its scenarios over and over."""
    found = prepare(load(course.lay(tmp_path_factory.mktemp("loop")), "hostile"))
    plan = found.specification.plan
    few = plan.scenarios
    many = (replace(few[n % len(few)], id=f"{n}", group=f"{n}") for n in range(SCENARIOS))
    longer = replace(plan, scenarios=tuple(many))
    return replace(found, specification=replace(found.specification, plan=longer))


@pytest.mark.alone  # programs that loop beside it take CPU time of this one's caches
@pytest.mark.parametrize(
    "where", per_commit(["in every function", "while it loads", "everywhere"], "everywhere")
)
def test_looping_everywhere_costs_twenty_limits(context: GradingContext, where: str) -> None:
    assignment = context.specification.plan.assignment
    counted, endings, seconds = loop.measured(context, loop.looping(assignment)[where])
    assert endings["stopped_early"] > SCENARIOS / 2
    assert endings.keys() <= {"cpu_limit", "stopped_early", "answered"}
    assert counted.runs >= SCENARIOS
    assert counted.cpu_seconds <= seconds <= loop.MOST * assignment.limits.cpu_seconds
