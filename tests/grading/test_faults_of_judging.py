"""What our own code fails on is held for review; the scenarios and submissions beside it go on."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from harness.execution import Driver, find_interpreter
from harness.grading.faults import NOT_JUDGED
from harness.grading.grader import Grader
from harness.grading.observing.arrivals import Arrivals
from harness.grading.observing.draws import Observed, Source
from harness.grading.observing.setup import GraderSetup
from harness.judging.judge import Judge
from harness.model.assignment import FunctionSignature, SourceFile
from harness.model.expectation import Expectation, Expected, Matcher
from harness.model.observation import Ending, Observation, Tier, Turn
from harness.model.plan import Plan
from harness.model.result import SubmissionStatus
from harness.model.stimulus import Stimulus
from harness.model.submission import Submission
from harness.model.values import Value
from harness.model.verdict import VerdictKind
from harness.stimuli.call import Call
from tests import plans

HIDDEN = "secret-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailsOn(Matcher):
    """A matcher with a mistake: it fails on one value, and says what it expects."""

    value: Value

    def accepts(self, value: Value) -> bool:
        if value == self.value:
            raise ZeroDivisionError(HIDDEN)
        return True

    def in_words(self, *, whole: bool = False) -> str:
        return HIDDEN


def plan() -> Plan:
    stated = Expected(returns=FailsOn(value=Value.of(1)))
    functions = tuple(FunctionSignature(name=name, parameters=()) for name in ("f", "g"))
    return plans.plan(
        plans.scenario("f/one", stated=stated),
        plans.scenario("g/two", stimuli=(Stimulus(action=Call(expression="g()")),), stated=stated),
        assignment=plans.assignment(functions=functions),
    )


def submission(name: str, answer: int) -> Submission:
    text = f"def f():\n    return {answer}\ndef g():\n    return 2\n"
    files = (SourceFile(name="a1.py", data=text.encode()),)
    return Submission(id=name, origin=name, files=files)


@pytest.fixture
def grader() -> Iterator[Grader]:
    driver = Driver(find_interpreter("3.12"), Tier.STANDARD, layers=frozenset())
    with driver, Grader(GraderSetup(plan=plan(), key=plans.key({})), driver) as running:
        yield running


def test_one_submission_is_held_and_the_next_one_is_graded(grader: Grader) -> None:
    held = grader.grade(submission("first", 1)).result
    assert (held.status, held.mark, held.flagged) == (SubmissionStatus.HARNESS_ERROR, None, True)
    assert [entry.verdict.kind for entry in held.scenarios] == [
        VerdictKind.HARNESS_ERROR,
        VerdictKind.PASSED,
    ]
    assert "ZeroDivisionError" in held.problem
    assert HIDDEN not in repr(held)
    assert grader.grade(submission("second", 3)).result.mark == 6


def test_a_mistake_while_causes_are_sought_holds_the_submission(grader: Grader) -> None:
    grader._causes = None  # type: ignore[assignment]
    held = grader.grade(submission("first", 2)).result
    assert (held.status, held.mark, held.flagged) == (SubmissionStatus.HARNESS_ERROR, None, True)
    assert "AttributeError in harness/grading/grader.py" in held.problem


def test_a_large_observation_that_cannot_be_judged_is_a_fault_of_its_scenario() -> None:
    large = Value.of("x" * 100_000)
    stated = Expected(returns=FailsOn(value=large))
    scenario = plans.scenario("f/one", stated=stated)
    judge = Judge(Expectation(stated=stated, reference=None), scenario.stimuli[0])
    arrivals = Arrivals(lambda scenario, index: judge)
    seen = Observation(ending=Ending.ANSWERED, value=large, turns=(Turn(printed=""),))
    kept = arrivals.receive_and_judge(scenario, 0, Observed(seen, Source.ALONE))
    verdict = arrivals.verdict(scenario, 0, kept)
    assert verdict.kind is VerdictKind.HARNESS_ERROR
    assert verdict.explanation is not None
    assert verdict.explanation.rule == NOT_JUDGED
