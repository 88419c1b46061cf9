"""Which scenarios run under which limit when a program loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from harness.grading.running import SHORTEST_SECONDS, run_all
from harness.model.answer_key import Answer, AnswerKey, ScenarioAnswers
from harness.model.expectation import Stated
from harness.model.observation import Ending, Observation
from harness.model.plan import Assignment, Place, Plan, ProvidedVariant, Scenario, Visibility
from harness.model.stimulus import Call, Limits, Stimulus


@dataclass
class Program:
    """A deterministic stand-in: each call needs so many CPU seconds (inf: never ends)."""

    needs: dict[str, float]
    asked: list[tuple[str, float]] = field(default_factory=list)

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        assert isinstance(stimulus.action, Call)
        name = stimulus.action.expression
        self.asked.append((name, limits.cpu_seconds))
        ended = self.needs[name] <= limits.cpu_seconds
        return Observation(ending=Ending.ANSWERED if ended else Ending.CPU_LIMIT)


NEVER = float("inf")


def scenario(name: str, function: str = "f", draws: int = 1) -> Scenario:
    names = [name] if draws == 1 else [f"{name}{index}" for index in range(draws)]
    return Scenario(
        id=name,
        group=name,
        name=name,
        function=function,
        clauses=("1",),
        visibility=Visibility.HIDDEN,
        points=Fraction(1),
        limits=Limits(),
        stimuli=tuple(Stimulus(action=Call(expression=entry)) for entry in names),
        stated=Stated(),
        place=Place(file="f.yaml", line=1, column=1),
        is_sample=draws > 1,
    )


def plan(*scenarios: Scenario) -> Plan:
    assignment = Assignment(
        id="x",
        title="",
        course="",
        python="3.12",
        submission_files=("a1.py",),
        laid_as=None,
        functionality_marks=Fraction(6),
        limits=Limits(),
        policy=None,
        clauses=(),
        functions=(),
        variants=(ProvidedVariant(constants=(), files=()),),
    )
    return Plan(
        version=1, assignment=assignment, scenarios=scenarios, spec_digest="", reference_digest=""
    )


def endings(program: Program, *scenarios: Scenario, thorough: bool = False) -> dict[str, str]:
    ran = run_all(program, plan(*scenarios), None, thorough=thorough)
    return {name: observed[-1].ending.value for name, observed in ran.observations.items()}


def test_a_program_that_loops_everywhere_costs_one_full_limit_a_function() -> None:
    program = Program({"a": NEVER, "b": NEVER, "c": NEVER})
    found = endings(program, scenario("a"), scenario("b"), scenario("c"))
    assert found == {"a": "cpu_limit", "b": "stopped_early", "c": "stopped_early"}
    assert program.asked == [("a", 1.0), ("b", SHORTEST_SECONDS), ("c", SHORTEST_SECONDS)]


def test_a_program_that_loops_sometimes_gets_the_full_limit_again() -> None:
    program = Program({"a": NEVER, "b": 0.9, "c": 0.01, "d": NEVER})
    scenarios = [scenario(name) for name in "abcd"]
    short = endings(program, *scenarios)
    assert short == {"a": "cpu_limit", "b": "answered", "c": "answered", "d": "cpu_limit"}
    assert short == endings(program, *scenarios, thorough=True)


def test_another_function_keeps_its_full_limit() -> None:
    program = Program({"a": NEVER, "g": 0.9})
    assert endings(program, scenario("a"), scenario("g", "g"))["g"] == "answered"


def test_the_short_limit_leaves_room_for_what_the_reference_needs() -> None:
    program = Program({"a": NEVER, "b": 0.4})
    answer = Answer(observation=Observation(ending=Ending.ANSWERED, cpu_seconds=0.01))
    key = AnswerKey(
        version=1,
        spec_digest="",
        reference_digest="",
        made_with="",
        scenarios=tuple(ScenarioAnswers(scenario_id=name, answers=(answer,)) for name in "ab"),
    )
    run_all(program, plan(scenario("a"), scenario("b")), key)
    assert program.asked == [("a", 1.0), ("b", 0.5)]


def test_no_draw_is_run_after_one_that_hit_a_limit() -> None:
    program = Program({"a0": 0.1, "a1": NEVER, "a2": 0.1})
    ran = run_all(program, plan(scenario("a", draws=3)), None)
    assert [o.ending for o in ran.observations["a"]] == [Ending.ANSWERED, Ending.CPU_LIMIT]
    assert [name for name, _ in program.asked] == ["a0", "a1"]


def test_what_is_remembered_is_not_run() -> None:
    program = Program({"a": 0.1, "b": 0.1})
    kept = (Observation(ending=Ending.ANSWERED),)
    ran = run_all(
        program,
        plan(scenario("a"), scenario("b")),
        None,
        recall=lambda entry: kept if entry.id == "a" else None,
    )
    assert [name for name, _ in program.asked] == ["b"]
    assert ran.fresh == frozenset({"b"})
    assert ran.observations["a"] is kept


def test_what_is_remembered_to_loop_shortens_the_limits_of_the_rest() -> None:
    program = Program({"a": NEVER, "b": NEVER})
    kept = (Observation(ending=Ending.CPU_LIMIT),)
    ran = run_all(
        program,
        plan(scenario("a"), scenario("b")),
        None,
        recall=lambda entry: kept if entry.id == "a" else None,
    )
    assert program.asked == [("b", SHORTEST_SECONDS)]
    assert ran.observations["b"][-1].ending is Ending.STOPPED_EARLY


def test_what_is_remembered_to_end_gives_the_rest_the_full_limit_again() -> None:
    program = Program({"c": 0.9})
    kept = {
        "a": (Observation(ending=Ending.CPU_LIMIT),),
        "b": (Observation(ending=Ending.ANSWERED),),
    }
    ran = run_all(
        program,
        plan(*(scenario(name) for name in "abc")),
        None,
        recall=lambda entry: kept.get(entry.id),
    )
    assert ran.observations["c"][-1].ending is Ending.ANSWERED
