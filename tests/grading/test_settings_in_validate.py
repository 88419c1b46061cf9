"""Which settings `harness validate --details` names, and for how many scenarios."""

from pathlib import Path

from harness.assignment.loading import load
from harness.grading.context import prepare
from harness.grading.validation.again import printing_givens
from harness.grading.validation.checks import golden_count, tolerances
from harness.model.expectation import Expected, Floats
from harness.model.stimulus import Stimulus, Typed
from harness.stimuli.run import Run
from tests.plans import plan, scenario
from tests.tiny_course import Course

READS = (Stimulus(action=Run(program="a1.py"), inputs=(Typed(text="x"),)),)
FREE = Expected(prompts_any=True)


def test_free_prompts_are_named_with_how_many_scenarios_compare_theirs() -> None:
    free = scenario("f/free", stimuli=READS, stated=FREE)
    exact = scenario("f/exact", stimuli=READS)
    reads_nothing = scenario("f/nothing", stated=FREE)
    assert tolerances(plan(exact, reads_nothing)) == ()
    (line,) = tolerances(plan(free, reads_nothing))
    assert line == "the text of each input() is free in 1 scenario"
    (line,) = tolerances(plan(free, exact, exact))
    assert line.endswith("; it is compared in 2 that read input")


def test_a_setting_is_not_counted_as_a_golden() -> None:
    floats = Expected(floats=Floats(within=0.1), prompts_any=True)
    assert golden_count(plan(scenario("f/a", stated=floats))) == 0
    assert golden_count(plan(scenario("f/a", stated=Expected(exit=0)))) == 1


def test_a_given_that_prints_is_named_where_output_is_stated(tmp_path: Path) -> None:
    program = "def f(n):\n    print(n)\n    return n\n"
    scenarios = (
        "function: f\nscenarios:\n"
        '  - {name: loud, given: n = f(1), call: f(n), prints: "1\\n1\\n"}\n'
        "  - {name: of its value, given: n = f(1), call: f(n), returns: 1}\n"
        '  - {name: quiet, given: n = abs(1), call: f(n), prints: "1\\n"}\n'
    )
    Course.small(tmp_path, "e", program, scenarios, "functionality_marks: 1\n")
    (advice,) = printing_givens(prepare(load(tmp_path, "e"), refuse=False))
    assert advice.startswith("all/loud: ")
