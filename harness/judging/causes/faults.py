"""Chooses the functions that explain the failures best, given which functions each scenario uses.

This is spectrum-based fault localization, with the shortest description as its criterion.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

Uses = frozenset[str]
"""The names of the parts that a scenario uses."""

_MAX_SUSPECTS = 12
_MAX_FAULTS = 3  # failures that three parts do not explain get no blame


def shortest_explanation(
    uses: Sequence[Uses], passing: Sequence[Uses], functions: Sequence[str]
) -> list[str]:
    """Return for each failure the part to blame among those that it uses, or "" for none.

    The chosen set of faulty parts has the lowest cost: each faulty part costs its name, and the
    information which of the scenarios that use it fail. `uses` and `passing` list the parts used by
    failing and passing scenarios; `functions` are the functions that the failing scenarios test.
    """
    failing_bits: defaultdict[str, int] = defaultdict(int)
    all_failing = 0
    for index, used in enumerate(uses):
        bit = 1 << index
        if used:
            all_failing |= bit
        for name in used:
            failing_bits[name] |= bit
    suspects: list[_FaultyPart] = []
    for name in sorted(failing_bits):
        suspect = _FaultyPart(
            name=name,
            failing_bits=failing_bits[name],
            passing=sum(name in used for used in passing),
            about=functions.count(name),
        )
        suspects.append(suspect)
    scenarios = len(uses) + len(passing)
    fault_cost = math.log(len(suspects) or 1) + math.log(scenarios or 1)
    suspects.sort(key=lambda suspect: suspect.order(all_failing, fault_cost))
    likely = suspects[:_MAX_SUSPECTS]
    chosen = _cheapest(likely, all_failing, fault_cost, _MAX_FAULTS).suspects
    names: list[str] = []
    for index in range(len(uses)):
        explaining = [suspect.name for suspect in chosen if suspect.failing_bits >> index & 1]
        names.append(next(iter(explaining), ""))
    return names


@dataclass(frozen=True, slots=True, kw_only=True)
class _FaultyPart:
    """A part of the submission that may be wrong."""

    name: str
    failing_bits: int  # bit mask of the failing scenarios that use this part
    passing: int  # number of passing scenarios that use this part
    about: int  # number of failing scenarios that test this part; breaks ties

    def surprise(self, unexplained: int) -> float:
        """Return the cost, in nats, of stating which users of this part fail, out of its passing
        users and the failures in `unexplained`.
        """
        fails = (self.failing_bits & unexplained).bit_count()
        users = fails + self.passing
        surprise = 0.0
        for count in (fails, self.passing):
            if count:
                surprise -= count * math.log(count / users)
        return surprise

    def order(self, unexplained: int, fault_cost: float) -> tuple[float, int]:
        """Return a sort key that puts the likeliest part first.

        A failure that stays unexplained costs as much as another faulty part.
        """
        left = (unexplained & ~self.failing_bits).bit_count()
        return self.surprise(unexplained) + fault_cost * left, -self.about


@dataclass(frozen=True, slots=True, kw_only=True)
class _FaultSet:
    """A set of faulty parts that together explain failures, with the cost of this explanation."""

    cost: float
    about: int = 0
    suspects: tuple[_FaultyPart, ...] = ()

    def order(self) -> tuple[float, int]:
        """Return a sort key that puts the cheapest explanation first."""
        return self.cost, -self.about


def _cheapest(
    suspects: Sequence[_FaultyPart], unexplained: int, fault_cost: float, most: int
) -> _FaultSet:
    """Return the cheapest explanation of the failures in the bit mask `unexplained` with at most
    `most` faulty parts.
    """
    if not unexplained or not most:
        return _FaultSet(cost=unexplained.bit_count() * fault_cost)
    best = _FaultSet(cost=math.inf)
    for suspect in suspects:
        if not suspect.failing_bits & unexplained:
            continue
        here = fault_cost + suspect.surprise(unexplained)
        if here >= best.cost + 1e-9:
            continue
        rest = _cheapest(suspects, unexplained & ~suspect.failing_bits, fault_cost, most - 1)
        choice = _FaultSet(
            cost=here + rest.cost,
            about=suspect.about + rest.about,
            suspects=(suspect, *rest.suspects),
        )
        best = min(best, choice, key=_FaultSet.order)
    return best
