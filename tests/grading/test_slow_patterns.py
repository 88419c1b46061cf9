"""An author is told of patterns that take long to search for, and where they are."""

from pathlib import Path

from harness import load_assignment
from harness.grading.context import GradingContext, prepare
from harness.grading.validation.patterns import slow_patterns
from tests.tiny_course import Course

# Tries each way to divide the letters, at each of them, before it finds the end.
SLOW = "(a+)+b|done"
SCENARIOS = f"""\
function: say
scenarios:
  - name: quick
    call: say(1)
    prints: {{matches: a* done}}
  - name: slow
    call: say(18)
    prints: {{matches: "{SLOW}"}}
  - name: the same on less
    call: say(2)
    prints: {{matches: "{SLOW}"}}
"""
REFERENCE = "def say(count):\n    print('a' * count, 'done')\n"


def prepared(folder: Path) -> GradingContext:
    course = Course.small(folder, "tiny", REFERENCE, SCENARIOS, "functionality_marks: 3\n")
    return prepare(load_assignment(course.root, "tiny"))


def test_a_slow_pattern_is_named_once_with_its_place(tmp_path: Path) -> None:
    context = prepared(tmp_path)
    plan = context.specification.plan
    (line,) = slow_patterns(plan, context.key, context.slowness)
    assert SLOW in line
    assert line.startswith(str(plan.scenarios[1].place))


def test_a_slower_machine_has_more_time(tmp_path: Path) -> None:
    context = prepared(tmp_path)
    assert not [*slow_patterns(context.specification.plan, context.key, slowness=1e6)]
