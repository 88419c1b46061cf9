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
WORK = "    for index in"
IN_A_THREAD = """\
import threading
def find(items, wanted):
    found = []
    thread = threading.Thread(target=lambda: found.append(slow(items, wanted)))
    thread.start()
    thread.join()
    return found[0]
"""
TRICKS = {
    "it stops the counting": "import sys\n" + SLOW.replace(WORK, f"    sys.settrace(None)\n{WORK}"),
    "it counts for itself": "import sys\n"
    + SLOW.replace(WORK, f"    sys.setprofile(lambda *_: None)\n{WORK}"),
    "it stops its own frame": "import sys\n"
    + SLOW.replace(WORK, f"    sys._getframe().f_trace_lines = False\n{WORK}"),
    "its work is a text": f"space = {{}}\nexec({SLOW!r}, space)\nfind = space['find']\n",
    "its work has another name": f"space = {{}}\nexec(compile({SLOW!r}, '<mine>', 'exec'), space)\n"
    "find = space['find']\n",
    "its work is in a thread": SLOW.replace("def find", "def slow") + IN_A_THREAD,
}


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


def test_growth_within_the_limit_passes(grader: Grader) -> None:
    assert outcome(grader, RIGHT).verdict.passed


def test_growth_beyond_the_limit_fails_with_its_counts(grader: Grader) -> None:
    explanation = outcome(grader, SLOW).verdict.explanation
    assert explanation is not None
    facts = explanation.facts
    assert isinstance(facts, GrowsTooFast)
    assert [count.size for count in facts.counts] == [100, 200, 400, 800]
    assert facts.times > 3


@pytest.mark.parametrize("name", TRICKS)
def test_no_work_is_hidden_from_the_counting(grader: Grader, name: str) -> None:
    explanation = outcome(grader, TRICKS[name]).verdict.explanation
    assert explanation is not None
    # A confined program cannot start the thread at all.
    is_thread = name == "its work is in a thread"
    assert explanation.rule == ("raised_unexpectedly" if is_thread else "costs_too_much")
