"""Which settings `harness validate --details` names, and for how many scenarios."""

from pathlib import Path

from harness.assignment.loading import load
from harness.grading.context import prepare
from harness.grading.validation.again import printing_givens
from harness.grading.validation.checks import golden_count, tolerances, value_problems
from harness.grading.validation.overstated import overstated
from harness.model.expectation import Expected, Floats, Ignore
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
    assert line == "the prompts of input() are not compared in 1 scenario"
    (line,) = tolerances(plan(free, exact, exact))
    assert line.endswith("; they are compared in 2 others that read input")


def test_a_forgiven_difference_is_named_with_the_texts_in_which_it_is_forgiven() -> None:
    blanks = scenario("f/blanks", stated=Expected(ignore=(Ignore.WHITESPACE,)))
    marks = scenario("f/marks", stated=Expected(ignore=(Ignore.CASE, Ignore.PUNCTUATION)))
    first, second = tolerances(plan(blanks, blanks, marks, scenario("f/exact")))
    assert first.startswith("ignore: [whitespace] in 2 scenarios: texts that are printed")
    assert first.endswith("but not texts inside other values")
    assert second.startswith("ignore: [case, punctuation] in 1 scenario: ")
    assert second.endswith("matches: sees punctuation")


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


def test_only_classes_with_attributes_to_choose_need_a_way_to_compare(tmp_path: Path) -> None:
    program = (
        "from collections import Counter\n\n\nclass Pair(tuple):\n    pass\n\n\n"
        "def letters(text):\n    return Counter(text)\n\n\n"
        "def pair(text):\n    return Pair(text)\n"
    )
    scenarios = (
        'scenarios:\n  - {name: a, function: letters, call: letters("ab")}\n'
        '  - {name: b, function: pair, call: pair("ab")}\n'
    )
    Course.small(tmp_path, "e", program, scenarios, "functionality_marks: 1\n")
    context = prepare(load(tmp_path, "e"), refuse=False)
    specification = context.specification
    problems = value_problems(specification.plan, context.key, specification.reference)
    assert [problem.scenario for problem in problems] == ["all/b"]


CLAUSES = """\
clauses:
  - {id: total, section: "1", text: The sum of the numbers in the file is returned.}
  - {id: saved, section: "1", text: The sum is written to sum.txt.}
  - {id: told, section: "1", text: A mistake is told on stderr.}
"""


def advice_about(folder: Path, program: str, scenarios: str) -> list[str]:
    """What is said of scenarios that may ask for more than their clauses."""
    settings = "functionality_marks: 1\nclauses: clauses.yaml\n"
    files = {"specs/e/clauses.yaml": CLAUSES}
    Course.small(folder, "e", program, f"function: f\nscenarios:\n{scenarios}", settings, **files)
    return [*overstated(prepare(load(folder, "e"), refuse=False))]


def test_behaviour_without_a_clause_is_named(tmp_path: Path) -> None:
    program = (
        "import sys\ndef f(name, out=''):\n    if out:\n        print(1, file=open(out, 'w'))\n"
        "    print('a\\n\\nb', file=sys.stdout)\n    return 1\n"
    )
    files = "files: {in.txt: {text: '1'}}, call: f('in.txt')"
    scenarios = (
        f"  - {{name: silent, clause: total, {files}}}\n"
        f"  - {{name: free, clause: total, {files}, writes: {{any: true}}}}\n"
        f"  - {{name: said, clause: [total, saved], {files}}}\n"
        "  - {name: quiet, clause: total, call: f(''), stderr: ''}\n"
        "  - {name: told, clause: told, call: f(''), stderr: ''}\n"
        "  - {name: blank, clause: total, call: f(''), prints: {lines_unordered: [a, b, '']}}\n"
        "  - {name: none, clause: total, call: f(''), prints: {lines_unordered: [a, b]}, "
        "ignore: [blank-lines]}\n"
    )
    said = advice_about(tmp_path, program, scenarios)
    assert [line.partition(":")[0] for line in said] == ["all/silent", "all/quiet", "all/blank"]


STACK = (
    "def new():\n    return []\ndef f(stack, item):\n    return [*stack, item]\n"
    "def top(stack):\n    return stack[-1]\n"
)


def test_a_call_that_passes_the_references_own_form_is_named(tmp_path: Path) -> None:
    passes_form = "  - {name: own form, call: 'f([], 1)'}\n"
    steps = (
        "  - name: any form\n    leaves: {any: true}\n"
        "    steps: [{do: 's = f(new(), 1)'}, {call: top(s), returns: 1}]\n"
    )
    (line,) = advice_about(tmp_path / "chosen", STACK, passes_form + steps)
    assert line.startswith("all/own-form: it passes a list")
    assert advice_about(tmp_path / "steps", STACK, steps) == []
    fixed = "  - {name: fixed, function: new, call: new()}\n"
    assert advice_about(tmp_path / "fixed", STACK, passes_form + fixed) == []
    other = STACK.replace("return []", "return None")
    assert advice_about(tmp_path / "other", other, passes_form) == []


def test_chance_has_its_own_seed_in_each_assignment(tmp_path: Path) -> None:
    program = "import random\ndef f():\n    return random.randint(1, 2)\n"
    scenarios = (
        "function: f\nscenarios:\n  - {name: many, call: f(), over: 100, occur: [1, 2]}\n"
        "  - {name: stated, call: f(), over: 100, occur: [1, 2], seed: 7}\n"
        "  - {name: one, call: f(), returns: {type: int}}\n"
    )
    seeds: list[int | None] = []
    for name in ("first", "second", "second"):
        Course.small(tmp_path, name, program, scenarios, "functionality_marks: 1\n")
        many, stated, one = load(tmp_path, name).plan.scenarios
        assert (stated.stimuli[0].seed, one.stimuli[0].seed) == (7, None)
        seeds.append(many.stimuli[0].seed)
    first, second, again = seeds
    assert first != second == again
