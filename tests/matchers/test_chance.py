"""How likely a correct program fails what is stated about the results of many calls."""

import math

import pytest

from harness.matchers.kinds.chance import MAX_UNFAIR, ByChance, Share
from harness.model.values import Value

DIE = tuple(Value.of(number) for number in range(1, 7))


def test_a_value_is_missed_with_the_expected_probability() -> None:
    die = ByChance(calls=10, occur=DIE)
    assert die.unfairness(10) == pytest.approx(6 * (5 / 6) ** 10)
    six = Share(value=Value.of(6), about=0.5, within=0.5)
    loaded = ByChance(calls=10, occur=DIE, shares=(six,))
    assert loaded.unfairness(40) == pytest.approx(0.5**40 + 5 * 0.9**40)


def test_a_share_is_missed_with_binomial_probability() -> None:
    coin = ByChance(calls=10, shares=(Share(value=Value.of("head"), about=0.5, within=0.2),))
    outside = sum(math.comb(10, hits) for hits in (0, 1, 2, 8, 9, 10)) / 2**10
    assert coin.unfairness(10) == pytest.approx(outside)


def test_the_proposed_number_of_calls_is_fair_and_a_fifth_less_is_not() -> None:
    for stated in (
        ByChance(calls=10, occur=DIE),
        ByChance(calls=10, shares=(Share(value=DIE[0], about=0.4, within=0.15),)),
    ):
        calls = stated.fair_calls()
        assert calls is not None
        assert stated.unfairness(calls) <= MAX_UNFAIR < stated.unfairness(calls * 4 // 5)
    narrow = ByChance(calls=10, shares=(Share(value=DIE[0], about=0.4, within=0.01),))
    assert narrow.fair_calls() is None
