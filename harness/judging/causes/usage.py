"""Who is to blame where nothing can be substituted, as in classes: what failing scenarios use and
passing ones do not.

A scenario uses the functions, classes, methods and constants that it names, and all that these name
in turn. A wrong part makes some share of the scenarios that use it fail. Those parts are to blame
that tell in the shortest way what failed and what passed: each costs its name and the number of its
failures, and then which ones they are. (Spectrum-based fault localization, by description length.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.judging.causes.failures import FailedScenario, attributes_in, names_in
from harness.model.plan import Scenario
from harness.model.policy import Outline
from harness.model.stimulus import Run, Stimulus

Uses = frozenset[str]
_MOST_SUSPECTS = 12
_MOST_FAULTS = 3  # what these do not explain has nobody to blame


class Usage:
    """Which parts of a submission a scenario uses."""

    def __init__(self, outline: Outline) -> None:
        self._members = {part.name: part for part in outline.members}
        self._parts = {part.name: part for part in outline.parts} | self._members
        self._methods: dict[str, list[tuple[str, str]]] = {}  # by class, and by name
        for member in outline.members:
            owner, _, method = member.name.partition(".")
            if method:
                self._methods.setdefault(owner, []).append((owner, method))
                self._methods.setdefault(method, []).append((owner, method))
        self._modules = outline.modules
        self._known: dict[Uses, Uses] = {}

    def classes(self, functions: Iterable[str]) -> frozenset[str]:
        """The submission's classes that scenarios are about, by what each is about."""
        about = {name.partition(".")[0] for name in functions}
        return frozenset(name for name in about if name in self._members)

    def of(self, stimulus: Stimulus) -> Uses:
        """The names of functions, classes, methods (as `Account.deposit`) and constants."""
        if isinstance(stimulus.action, Run):
            named = {name for each in self._modules for name in (*each.mentions, *each.attributes)}
        else:
            texts = stimulus.source_texts()
            named = {name for text in texts for name in names_in(text) | attributes_in(text)}
        begin = frozenset(named)
        if begin not in self._known:
            self._known[begin] = self._reached(begin)
        return self._known[begin]

    def _reached(self, begin: Uses) -> Uses:
        """A method that is named, of whatever object, is used of each class that is used."""
        found: set[str] = set()
        seen: set[str] = set()
        left = list(begin)
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            part = self._parts.get(name)
            if part is not None:
                found.add(name)
                left += [*part.mentions, *part.attributes]
            left += [
                f"{owner}.{method}"
                for owner, method in self._methods.get(name, ())
                if owner in found and method in seen
            ]
        return frozenset(found)


def blamed_by_use(
    failures: Sequence[FailedScenario],
    passed: Iterable[Scenario],
    usage: Usage,
    among: frozenset[str] | None = None,
) -> dict[str, str]:
    """The part to blame for each of these failures, by the scenario's id: one of `among` (None: of
    all). Nobody, where a failure uses none of them."""
    uses = [usage.of(each.stimulus) for each in failures]
    right = [usage.of(scenario.stimuli[0]) for scenario in passed]
    if among is not None:
        uses = [each & among for each in uses]
    chosen = fewest_parts(uses, right, [each.scenario.function for each in failures])
    return {each.scenario.id: name for each, name in zip(failures, chosen, strict=True) if name}


def fewest_parts(uses: Sequence[Uses], right: Sequence[Uses], about: Sequence[str]) -> list[str]:
    """The part to blame for each failure, of those that it uses ("": none); the fewest that explain
    them. `right` are the parts used by what passes, `about` what each failure is about."""
    suspects = [
        _Suspect(
            name=name,
            failing=sum(1 << index for index, each in enumerate(uses) if name in each),
            passing=sum(name in each for each in right),
            about=sum(each == name for each in about),
        )
        for name in sorted({name for each in uses for name in each})
    ]
    left = 0
    for suspect in suspects:
        left |= suspect.failing
    price = math.log(len(suspects) or 1) + math.log(len(uses) + len(right) or 1)
    likely = sorted(suspects, key=lambda each: each.order(left, price))[:_MOST_SUSPECTS]
    _, chosen = _fewest(likely, left, price, _MOST_FAULTS)
    found = [""] * len(uses)
    for suspect in chosen:
        for index, name in enumerate(found):
            if not name and suspect.failing >> index & 1:
                found[index] = suspect.name
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suspect:
    """A part: the failures that use it, as bits; how many scenarios that pass use it, and how many
    of the failures are about it."""

    name: str
    failing: int
    passing: int
    about: int

    def surprise(self, left: int) -> float:
        """How surprising it is, in nats, which of the scenarios that use it fail, if it is wrong
        and makes its share of them fail."""
        fails, passes = (self.failing & left).bit_count(), self.passing
        entropy = 0.0
        for count in (fails, passes):
            if count:
                entropy -= count * math.log(count / (fails + passes))
        return entropy

    def order(self, left: int, price: float) -> tuple[float, int]:
        """The likeliest first: an unexplained failure costs as much as another fault."""
        unexplained = (left & ~self.failing).bit_count()
        return self.surprise(left) + price * unexplained, -self.about


def _fewest(
    suspects: Sequence[_Suspect], left: int, price: float, most: int
) -> tuple[tuple[float, int], tuple[_Suspect, ...]]:
    """The parts that together explain what is left at the least cost, and that cost."""
    if not left or not most:
        return (left.bit_count() * price, 0), ()
    best: tuple[tuple[float, int], tuple[_Suspect, ...]] = ((math.inf, 0), ())
    for suspect in suspects:
        if not suspect.failing & left:
            continue
        here = price + suspect.surprise(left)
        if here >= best[0][0] + 1e-9:
            continue
        (cost, about), others = _fewest(suspects, left & ~suspect.failing, price, most - 1)
        total = (here + cost, about - suspect.about)
        if total < best[0]:
            best = total, (suspect, *others)
    return best
