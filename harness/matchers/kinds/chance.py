"""Statements about the results of many calls together: `over:` with `occur`, `all_different`,
`share`.

It has no matcher key;  the scenario's own keys state it. The probability that a correct
program fails by chance follows from the statement, so that `harness validate` can reject unfair
checks.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from harness.common.words import listed
from harness.matchers.comparison import same, source
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind

MAX_UNFAIR = 1e-9  # accepted probability that a correct program fails
MAX_CALLS = 20_000
_SHOWN = 60  # characters of a value


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The share of a value among all results."""

    value: Value
    about: float  # 0.4 is 40 %
    within: float

    def in_words(self) -> str:
        return f"{source(self.value, limit=_SHOWN)} in {_percent(self.about, self.within)} of them"


def _percent(about: float, within: float) -> str:
    return f"{100 * about:g} % ± {100 * within:g} %"


@dataclass(frozen=True, slots=True, kw_only=True)
class ByChance(Matcher):
    """A list with the results of many calls."""

    calls: int
    each: Matcher | None = None
    occur: tuple[Value, ...] = ()
    all_different: bool = False
    shares: tuple[Share, ...] = ()

    def accepts(self, value: Value) -> bool:
        return value.kind is ValueKind.LIST and self.fault(value.items) is None

    def fault(self, results: tuple[Value, ...]) -> str | None:
        """Return the first mistake in the results, as the end of a sentence; None if there is
        none.
        """
        return next(self._faults(results), None)

    def _faults(self, results: tuple[Value, ...]) -> Iterator[str]:
        for number, result in enumerate(results, 1):
            if self.each is not None and not self.each.accepts(result):
                got, wanted = source(result, limit=_SHOWN), self.each.in_words()
                yield f"returned {got} in call {number} of {self.calls}, expected {wanted}"
        for value in self.occur:
            if not _count(value, results):
                never = f"never returned {source(value, limit=_SHOWN)}"
                yield f"{never} in {self.calls} calls, and each of {self._named()} should occur"
        if self.all_different:
            for value in results:
                if (count := _count(value, results)) > 1:
                    yield (
                        f"returned {source(value, limit=_SHOWN)} {count} times in {self.calls} "
                        "calls, all should be different"
                    )
        for share in self.shares:
            part = _count(share.value, results) / max(1, len(results))
            if abs(part - share.about) > share.within:
                wanted = _percent(share.about, share.within)
                has = f"returned {source(share.value, limit=_SHOWN)} in {100 * part:.1f} %"
                yield f"{has} of {self.calls} calls, it should be {wanted}"

    def _named(self) -> str:
        return listed([source(value, limit=_SHOWN) for value in self.occur])

    def value_in_words(self, value: Value) -> str | None:
        return self.fault(value.items)

    def in_words(self, *, whole: bool = False) -> str:
        words = [f"the results of {self.calls} calls"]
        if self.each is not None:
            words.append(f"each {self.each.in_words(whole=whole)}")
        if self.occur:
            words.append(f"{self._named()} among them")
        if self.all_different:
            words.append("all different")
        words += [share.in_words() for share in self.shares]
        return ", ".join(words)

    def unfairness(self, calls: int) -> float:
        """Return an upper bound for the probability that a correct program fails with this many
        calls.

        Values without a stated share are assumed to be equally likely.
        """
        stated = {share.value.source(): share.about for share in self.shares}
        rest = [value for value in self.occur if value.source() not in stated]
        left = max(0.0, 1.0 - sum(stated.values()))
        total = 0.0
        for value in self.occur:
            chance = stated.get(value.source(), left / max(1, len(rest)))
            total += (1.0 - chance) ** calls
        for share in self.shares:
            total += _outside(calls, share.about, share.within)
        return min(1.0, total)

    def fair_calls(self) -> int | None:
        """Return a (rounded) number of calls that makes the check fair; None if no number does."""
        calls = 10
        while calls <= MAX_CALLS:
            if self.unfairness(calls) <= MAX_UNFAIR:
                return calls
            calls += max(10, calls // 50 * 10)
        return None


def _count(value: Value, results: tuple[Value, ...]) -> int:
    return sum(same(value, result) for result in results)


def _outside(calls: int, chance: float, within: float) -> float:
    """Return the probability that the share of hits in `calls` calls is off by more than
    `within`.
    """
    if not 0.0 < chance < 1.0:
        return 0.0
    hit, miss = math.log(chance), math.log1p(-chance)
    total = 0.0
    for hits in range(calls + 1):
        if abs(hits / calls - chance) <= within:
            continue
        ways = math.lgamma(calls + 1) - math.lgamma(hits + 1) - math.lgamma(calls - hits + 1)
        total += math.exp(ways + hits * hit + (calls - hits) * miss)
    return total
