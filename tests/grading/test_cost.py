"""Scenarios that say how their cost may grow."""

from collections.abc import Iterator

import pytest

from harness import load_assignment
from harness.grading.context import GradingContext, prepare
from harness.grading.grader import Grader
from harness.model.explanation.facts import GrowsTooFast
from harness.model.result import ScenarioResult
from tests.inline import grader_of, handed_in
from tests.tiny_course import Course

SCENARIOS = """\
function: find
scenarios:
  - name: looks at each item once
    call: find(list(range(n)), -1)
    cases: [{n: 100}, {n: 200}, {n: 400}, {n: 800}]
    cost: linear
"""
RIGHT = """\
def find(items, wanted):
    for index, item in enumerate(items):
        if item == wanted:
            return index
    return None
"""
SLOW = """\
def find(items, wanted):
    for index in range(len(items)):
        before = 0
        for item in items[:index]:
            before += 1
        if items[before] == wanted:
            return index
    return None
"""
STOPS = "import sys\n" + SLOW.replace(
    "    for index in", "    sys.settrace(None)\n    for index in", 1
)


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    folder = tmp_path_factory.mktemp("course")
    marks = "functionality_marks: 6\n"
    course = Course.small(folder, "costs", RIGHT, SCENARIOS, marks)
    context: GradingContext = prepare(load_assignment(course.root, "costs"))
    with grader_of(context, reference=context.specification.reference) as made:
        yield made


def outcome(grader: Grader, text: str) -> ScenarioResult:
    (found,) = grader.grade(handed_in(text)).result.scenarios
    return found


def test_what_grows_as_asked_passes(grader: Grader) -> None:
    assert outcome(grader, RIGHT).verdict.passed


def test_what_grows_faster_fails_with_its_counts(grader: Grader) -> None:
    explanation = outcome(grader, SLOW).verdict.explanation
    assert explanation is not None
    facts = explanation.facts
    assert isinstance(facts, GrowsTooFast)
    assert [count.size for count in facts.counts] == [100, 200, 400, 800]
    assert facts.times > 3


def test_a_program_that_stops_the_counting_fails(grader: Grader) -> None:
    explanation = outcome(grader, STOPS).verdict.explanation
    assert explanation is not None
    assert explanation.rule == "costs_too_much"
