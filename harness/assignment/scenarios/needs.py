"""`needs:` read once all scenarios are known: names become functions and scenarios' ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError

from harness.assignment.scenarios.settings import Setting
from harness.assignment.scenarios.sweeps import slug
from harness.assignment.yaml.document import Document, Loc
from harness.assignment.yaml.errors import nearest
from harness.model.plan import Scenario, Visibility, in_turn, needed

_OPEN = tuple(Visibility)  # who sees it first comes first


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedNeeds:
    """What the scenarios of one group say that they need, and the place of each name."""

    document: Document
    group: str
    names: tuple[tuple[Loc, str], ...]


def stated_needs(document: Document, group: str, chosen: Setting) -> StatedNeeds | None:
    """The scenario's own needs, else those of its file's head; None for none."""
    where = chosen.where("needs")
    names = tuple(((*where, index), name) for index, name in enumerate(chosen.value("needs")))
    return StatedNeeds(document=document, group=group, names=names) if names else None


def with_needs(
    scenarios: Sequence[Scenario], stated: Sequence[StatedNeeds]
) -> tuple[Scenario, ...]:
    """The scenarios with what they need; a mistake for every name that cannot be needed."""
    if not stated:
        return tuple(scenarios)
    known = _Known(scenarios)
    resolved = {each.group: known.resolve(each) for each in stated}
    found = tuple(replace(each, needs=resolved.get(each.group, ())) for each in scenarios)
    _refuse_circles(found, stated)
    return found


class _Known:
    """What may be needed, by the name that a scenario file uses."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        self._functions: dict[str, list[Scenario]] = {}
        self._ids: dict[str, list[Scenario]] = {}
        for scenario in scenarios:
            self._functions.setdefault(scenario.function, []).append(scenario)
            for name in {scenario.id, scenario.group}:
                self._ids.setdefault(name, []).append(scenario)

    def resolve(self, stated: StatedNeeds) -> tuple[str, ...]:
        own = self._ids.get(stated.group, [])
        names = (self._name(stated, loc, name, own) for loc, name in stated.names)
        return tuple(dict.fromkeys(name for name in names if name))

    def _name(self, stated: StatedNeeds, loc: Loc, name: str, own: list[Scenario]) -> str:
        def refuse(what: str, hint: str = "") -> str:
            stated.document.add(loc, what, hint)
            return ""

        in_file = f"{stated.group.partition('/')[0]}/{slug(name)}"
        if name in self._functions:
            chosen, others = name, self._functions[name]
            if any(one.function == name for one in own):
                return refuse(
                    f"this is a scenario of {name} itself", "name the scenarios that come first"
                )
        else:
            chosen = name if name in self._ids else in_file
            others = self._ids.get(chosen, [])
            if not others:
                what = f"there is no function and no scenario {name!r}"
                return refuse(what, nearest(name, (*self._functions, *self._ids)))
            if chosen == stated.group:
                return refuse("a scenario cannot need itself")
            if any(_is_seen_less(other, one) for other in others for one in own):
                what = f"{chosen} is hidden from students who see this scenario"
                return refuse(what, "make both visible, or need its function")
        if all(other.informational for other in others):
            return refuse(f"{name} is informational, which touches no marks")
        return chosen


def _is_seen_less(other: Scenario, one: Scenario) -> bool:
    return _OPEN.index(other.visibility) > _OPEN.index(one.visibility)


def _refuse_circles(scenarios: Sequence[Scenario], stated: Sequence[StatedNeeds]) -> None:
    """A mistake for the first scenario of a circle."""
    try:
        list(in_turn(scenarios, needed(scenarios)))
    except CycleError as error:
        circle: list[str] = error.args[1][::-1]  # each needs the next
        group = next(each.group for each in scenarios if each.id == circle[0])
        entry = next(each for each in stated if each.group == group)
        what = f"these scenarios need one another: {' needs '.join(circle)}"
        entry.document.add(entry.names[0][0], what)
