"""Which scenarios run under which limit when a program loops."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from harness.grading.observing.running import (
    BUDGET,
    LOWEST_SECONDS,
    SHORTEST_SECONDS,
    LoopingBudget,
    Running,
    run_all,
)
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.call import Call
from tests import plans


@dataclass
class Program:
    """A deterministic stand-in: each call needs so many CPU seconds (inf: never ends)."""

    needs: dict[str, float]
    limit: Ending = Ending.CPU_LIMIT
    asked: list[tuple[str, float]] = field(default_factory=list)

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        assert isinstance(stimulus.action, Call)
        name = stimulus.action.expression
        self.asked.append((name, limits.cpu_seconds))
        ended = self.needs[name] <= limits.cpu_seconds
        return Observation(ending=Ending.ANSWERED if ended else self.limit)


NEVER = float("inf")
STOPPED = "stopped_early"


def scenario(name: str, function: str = "f", draws: int = 1) -> Scenario:
    names = [name] if draws == 1 else [f"{name}{index}" for index in range(draws)]
    return plans.scenario(
        name,
        function=function,
        stimuli=tuple(Stimulus(action=Call(expression=entry)) for entry in names),
        is_sample=draws > 1,
    )


def plan(*scenarios: Scenario, cpu_seconds: float = 1.0) -> Plan:
    limits = Limits(cpu_seconds=cpu_seconds)
    of_all = (replace(one, limits=limits) for one in scenarios)
    return plans.plan(*of_all, assignment=plans.assignment(limits=limits))


def endings(program: Program, *scenarios: Scenario, thorough: bool = False) -> dict[str, str]:
    ran = run_all(program, plan(*scenarios), None, thorough=thorough)
    return {name: observed[-1].ending.value for name, observed in ran.observed.items()}


def both_ways(program: Program, *scenarios: Scenario) -> dict[str, str]:
    """How all scenarios end, which must be the same when every one has its full limit."""
    found = endings(program, *scenarios)
    assert found == endings(program, *scenarios, thorough=True)
    return found


def many(function: str, count: int, draws: int = 1) -> list[Scenario]:
    return [scenario(f"{function}{number}", function, draws) for number in range(count)]


def spent(program: Program) -> float:
    """CPU seconds that went into runs, the ones that were cut off and those that ended."""
    return sum(min(program.needs[name], limit) for name, limit in program.asked)


@pytest.mark.parametrize("limit", [Ending.CPU_LIMIT, Ending.TIMEOUT])
def test_a_function_that_loops_everywhere_costs_two_full_limits(limit: Ending) -> None:
    program = Program(dict.fromkeys("abcd", NEVER), limit)
    ran = run_all(program, plan(*map(scenario, "abcd")), None)
    found = {name: (seen.ending.value, seen.detail) for name, (seen,) in ran.observed.items()}
    whole, stopped = (limit.value, ""), (STOPPED, limit.value)
    assert found == {"a": whole, "b": stopped, "c": stopped, "d": whole}
    short = SHORTEST_SECONDS
    assert program.asked == [("a", 1.0), ("b", short), ("c", short), ("d", 1.0)]


LOOPING_SOMETIMES = {
    "it gets the full limit again": (NEVER, 0.9, 0.01, NEVER, 0.9),
    "one that ended before the first loop counts as well": (0.9, NEVER, 0.9, NEVER),
    "slow, and looping on the first board": (NEVER, *[0.6] * 8),
}


@pytest.mark.parametrize("needs", LOOPING_SOMETIMES.values(), ids=LOOPING_SOMETIMES)
def test_a_program_that_loops_sometimes(needs: tuple[float, ...]) -> None:
    scenarios = many("f", len(needs))
    program = Program({one.id: need for one, need in zip(scenarios, needs, strict=True)})
    found = both_ways(program, *scenarios)
    expected = ["cpu_limit" if need is NEVER else "answered" for need in needs]
    assert list(found.values()) == expected


def test_a_draw_that_ended_before_the_loop_counts_as_well() -> None:
    program = Program({"a0": 0.9, "a1": NEVER, "b0": 0.9, "b1": 0.9})
    found = both_ways(program, scenario("a", draws=2), scenario("b", draws=2))
    assert found == {"a": "cpu_limit", "b": "answered"}


def test_right_but_slow_everywhere() -> None:
    functions = [many(name, 40) for name in "abcdefghijklmno"]
    scenarios = [one for group in functions for one in group]
    program = Program({one.id: 0.6 for one in scenarios})
    assert set(both_ways(program, *scenarios).values()) == {"answered"}


def test_a_slow_function_among_some_that_loop() -> None:
    looping = [one for name in "abcdefgh" for one in many(name, 10)]
    slow = many("s", 10)
    program = Program({one.id: NEVER for one in looping} | {one.id: 0.6 for one in slow})
    for order in ([*looping, *slow], [*slow, *looping]):
        found = endings(program, *order)
        assert {found[one.id] for one in slow} == {"answered"}
        assert {found[one.id] for one in looping} == {"cpu_limit", STOPPED}


def test_one_board_on_which_it_ends_is_found_among_a_thousand() -> None:
    scenarios = [one for name in "abcdefghijklmnopqrst" for one in many(name, 50)]
    program = Program({one.id: NEVER for one in scenarios} | {"t31": 0.007, "t33": 0.9})
    found = endings(program, *scenarios)
    assert (found["t31"], found["t33"], found["t32"]) == ("answered", "answered", "cpu_limit")
    assert {found[one.id] for one in many("a", 50)} == {"cpu_limit", STOPPED}


@pytest.mark.parametrize(
    ("functions", "each", "seconds"),
    [(1, 500, 1.0), (5, 31, 1.0), (12, 44, 1.0), (20, 15, 1.0), (60, 10, 1.0), (10, 50, 3.0)],
)
def test_looping_everywhere_stays_within_the_budget(
    functions: int, each: int, seconds: float
) -> None:
    scenarios = [one for number in range(functions) for one in many(f"f{number}_", each)]
    program = Program({one.id: NEVER for one in scenarios})
    ran = run_all(program, plan(*scenarios, cpu_seconds=seconds), None)
    assert {o[-1].ending.value for o in ran.observed.values()} == {"cpu_limit", STOPPED}
    assert {name for name, _ in program.asked} == {one.id for one in scenarios}
    assert min(limit for _, limit in program.asked) >= LOWEST_SECONDS
    assert spent(program) <= seconds * BUDGET + 1e-9


def test_a_limit_far_above_the_assignments_is_afforded() -> None:
    slow = replace(scenario("slow"), limits=Limits(cpu_seconds=10.0))
    program = Program({"slow": 8.0})
    ran = run_all(program, replace(plan(cpu_seconds=0.5), scenarios=(slow,)), None)
    assert ran.observed["slow"][-1].ending is Ending.ANSWERED
    assert program.asked == [("slow", 10.0)]


def test_a_scenario_that_the_reference_does_not_end_says_nothing_and_is_never_cut_short() -> None:
    program = Program({"endless": NEVER, "a": NEVER, "also": NEVER, "b": 0.9})
    never = Observation(ending=Ending.CPU_LIMIT, cpu_seconds=1.0)
    scenarios = [scenario(name) for name in program.needs]
    ran = run_all(program, plan(*scenarios), plans.key({"endless": never, "also": never}))
    found = {name: observed[-1].ending.value for name, observed in ran.observed.items()}
    assert found == {"endless": "cpu_limit", "a": "cpu_limit", "also": "cpu_limit", "b": "answered"}


def test_a_missing_function_is_no_sign_that_another_run_would_end() -> None:
    @dataclass
    class Half(Program):
        def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
            seen = super().observe(stimulus, limits)
            missing = self.needs[self.asked[-1][0]] == 0
            return replace(seen, ending=Ending.MISSING) if missing else seen

    program = Half({"a": NEVER, "b": 0, "c": NEVER, "d": NEVER})
    found = endings(program, *(scenario(name) for name in "abcd"))
    assert found == {"a": "cpu_limit", "b": "missing", "c": STOPPED, "d": "cpu_limit"}


def test_another_function_keeps_its_full_limit() -> None:
    program = Program({"a": NEVER, "g": 0.9})
    assert endings(program, scenario("a"), scenario("g", "g"))["g"] == "answered"


def test_the_short_limit_is_enough_for_what_the_reference_needs() -> None:
    program = Program({"a": NEVER, "b": 0.4, "c": 0.9})
    took = Observation(ending=Ending.ANSWERED, cpu_seconds=0.01)
    run_all(program, plan(*map(scenario, "abc")), plans.key(dict.fromkeys("abc", took)))
    assert program.asked == [("a", 1.0), ("b", 0.5), ("c", 1.0)]


def test_a_short_limit_shortens_sleep_as_well() -> None:
    budget = LoopingBudget(plan(scenario("a")), None)
    (limits,) = budget.shortened([scenario("a")]).values()
    assert (limits.cpu_seconds, limits.wall_seconds) == (SHORTEST_SECONDS, 0.5)


def test_no_draw_is_run_after_one_that_hit_a_limit() -> None:
    program = Program({"a0": 0.1, "a1": NEVER, "a2": 0.1})
    ran = run_all(program, plan(scenario("a", draws=3)), None)
    assert [o.ending for o in ran.observed["a"]] == [Ending.ANSWERED, Ending.CPU_LIMIT]
    assert [name for name, _ in program.asked] == ["a0", "a1"]


@pytest.mark.parametrize("needs", [NEVER, 0.9])
def test_with_a_memory_of_the_same_program_all_comes_out_the_same(needs: float) -> None:
    """Whatever earlier run it is of: what was stopped early is never remembered."""
    program = Program(dict.fromkeys("abcdef", NEVER) | {"c": needs})
    whole = plan(*(scenario(name) for name in program.needs))
    first = run_all(program, whole, None).observed
    kept = {name: seen for name, seen in first.items() if seen[-1].ending.value != STOPPED}
    program.asked.clear()
    again = run_all(program, whole, None, recall=lambda one: kept.get(one.id))
    assert again.observed == first
    assert again.fresh == frozenset(first) - frozenset(kept)
    assert {name for name, _ in program.asked} == again.fresh


def remembering(program: Program, **kept: Ending) -> Running:
    """A run of a, b and c, of which some are known to end so at their full limit."""
    known = {name: (Observation(ending=ending),) for name, ending in kept.items()}
    scenarios = [scenario(name) for name in "abc"]
    return run_all(program, plan(*scenarios), None, recall=lambda entry: known.get(entry.id))


def test_what_is_remembered_to_end_gives_the_rest_the_full_limit_again() -> None:
    ran = remembering(Program({"c": 0.9}), a=Ending.CPU_LIMIT, b=Ending.ANSWERED)
    assert ran.observed["c"][-1].ending is Ending.ANSWERED


def test_what_is_remembered_to_loop_at_the_full_limit_stays_so() -> None:
    program = Program({"a": NEVER, "c": NEVER})
    ran = remembering(program, b=Ending.CPU_LIMIT)
    assert {seen[-1].ending for seen in ran.observed.values()} == {Ending.CPU_LIMIT}
    assert [name for name, _ in program.asked] == ["a", "c"]
