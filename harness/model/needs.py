"""Which scenarios must be right before another one is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter

from harness.model.plan import Scenario


def needed(scenarios: Sequence[Scenario]) -> dict[str, tuple[Scenario, ...]]:
    """Of each scenario that needs others, by its id: those among `scenarios`, in the order of its
    needs. What is only informational is needed by nobody, and nothing needs itself."""
    if not any(scenario.needs for scenario in scenarios):
        return {}
    by_name: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        if not scenario.informational:
            for name in {scenario.id, scenario.group, scenario.function}:
                by_name.setdefault(name, []).append(scenario)
    found: dict[str, tuple[Scenario, ...]] = {}
    for scenario in scenarios:
        others = {other.id: other for name in scenario.needs for other in by_name.get(name, ())}
        others.pop(scenario.id, None)
        if others:
            found[scenario.id] = tuple(others.values())
    return found


def in_turn(
    scenarios: Sequence[Scenario], needs: Mapping[str, Sequence[Scenario]]
) -> Iterator[tuple[Scenario, ...]]:
    """All scenarios in groups, each group after all that it needs. CycleError where scenarios need
    one another."""
    if not needs:
        yield tuple(scenarios)
        return
    sorter = TopologicalSorter(
        {scenario.id: [other.id for other in needs.get(scenario.id, ())] for scenario in scenarios}
    )
    sorter.prepare()
    while sorter.is_active():
        ready = set(sorter.get_ready())
        yield tuple(scenario for scenario in scenarios if scenario.id in ready)
        sorter.done(*ready)
