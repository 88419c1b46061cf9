"""Causes: of a sample's expect.yaml, held to what grading found; of whole submissions, told by
running them with a function of the course's instead of theirs; the lines that a cause is most
likely in.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import harness
from benchmarks.causes import ROOT, committed, measured, pairs
from harness.assignment.files.small_files import expectation_text, load_expectation
from harness.assignment.loading import available, load
from harness.common import serial
from harness.grading.validation.samples import compare
from harness.model.explanation.facts import (
    FaultyHelper,
    Lead,
    NoReturn,
    OtherConstant,
    Reason,
)
from harness.model.plan import ExpectedCause, SampleExpectation
from harness.model.result import SubmissionResult
from harness.model.verdict import Cause, VerdictKind, stated
from harness.reporting.html.submission_pages import feedback_page
from harness.results.database import STORE_NAME
from harness.results.results_json import results_json
from harness.results.store import Store
from harness.results.student_view import student_view
from tests.inline import grade_here
from tests.results.small_run import PLAN
from tests.results.small_run import result as stored_result
from tests.tiny_course import Course

SETTINGS = "provided: [prices.py]\nfunctionality_marks: 10\nlimits: {cpu_seconds: 0.25}\n"
REFERENCE = """\
from prices import TAX
def price(item):
    return len(item) * 2
def with_tax(item):
    return price(item) + TAX
def bill(items):
    total = 0
    for item in items:
        total += with_tax(item)
    print("total", total)
    return total
def main():
    bill([input("item: ")])
if __name__ == "__main__":
    main()
"""
SCENARIOS = """\
scenarios:
  - {name: short, function: price, visible: true, call: price("ab")}
  - {name: secret, function: price, call: price("SECRET_INPUT")}
  - {name: taxed, function: with_tax, visible: true, call: with_tax("abc")}
  - {name: taxed at other rates, function: with_tax, constants: {TAX: 7}, call: with_tax("abc")}
  - {name: one, function: bill, visible: true, call: 'bill(["a"])'}
  - {name: two, function: bill, call: 'bill(["a", "bcd"])'}
  - {name: whole, function: main, visible: true, run: a1.py, input: [abc]}
"""


def course_in(folder: Path) -> Course:
    prices = {"reference/shop/prices.py": "TAX = 1\n"}
    return Course.small(folder, "shop", REFERENCE, SCENARIOS, SETTINGS, **prices)


def brief(causes: tuple[Cause, ...]) -> list[tuple[str, bool, int]]:
    return [(cause.function, cause.blamed, len(cause.scenarios)) for cause in causes]


ONE_FAULT = {
    "ann": ("len(item) * 2", "len(item) * 3", [("price", True, 7)]),
    "ben": ("price(item) + TAX", "price(item) - TAX", [("with_tax", True, 5)]),
    "cat": ("total += with_tax(item)", "total = with_tax(item) + 1", [("bill", True, 3)]),
    "dan": ('bill([input("item: ")])', 'bill([input("Item: ")])', [("main", True, 1)]),
    "eve": ("from prices import TAX", "TAX = 1", [("TAX", True, 1)]),
    "fay": ("def price(item)", "def prize(item)", [("price", False, 7)]),
    "gus": ("    return total\n", "", [("bill", True, 2)]),
    "hal": ("    return price(", "    return {}[item] + price(", [("with_tax", True, 5)]),
    "ida": ("return price(", "while True: pass\n    return price(", [("with_tax", True, 5)]),
}
OTHERS = {
    "two faults": REFERENCE.replace("len(item) * 2", "len(item)").replace("item: ", "Item: "),
    # Instances cannot travel to the course's function.
    "not substituted": REFERENCE.replace("len(item) * 2", "len(item) * 3").replace(
        "price(item) + TAX", "price(type('Item', (str,), {})(item)) + TAX"
    ),
    "spy": REFERENCE.replace(
        "return price(item) + TAX",
        "seen = price(item)\n    print('ANSWER', seen)\n    raise ValueError(seen)",
    ).replace("len(item) * 2", "1000"),
    # The course's function would answer what no scenario asks it, and the program be right then.
    "asks more": REFERENCE.replace(
        "def with_tax", 'KNOWS = price("SECRET_INPUT_OF_ANOTHER") == 46\ndef with_tax'
    )
    .replace("return len(item) * 2", "return len(item) * 3")
    .replace("return price(item) + TAX", "return price(item) + TAX if KNOWS else 0"),
    "prints before it asks": REFERENCE.replace("len(item) * 2", "len(item) * 3").replace(
        'bill([input("item: ")])', 'bill([input("Item: ") + "z"])'
    ),
    "hidden": REFERENCE.replace("len(item) * 2", "len(item) * (2 if len(item) < 9 else 3)"),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A run with all programs above."""
    assert all(old in REFERENCE for old, _, _ in ONE_FAULT.values())
    programs = {name: REFERENCE.replace(old, new, 1) for name, (old, new, _) in ONE_FAULT.items()}
    course = course_in(tmp_path_factory.mktemp("course"))
    course.graded("shop", **programs, **OTHERS)
    with Store.read_only(course.root / "out" / STORE_NAME) as store:
        yield store


def result_of(report: Store, name: str) -> SubmissionResult:
    return next(result for result in report.run().submissions if result.id == name)


@pytest.mark.parametrize("name", ONE_FAULT)
def test_one_fault_is_one_cause(report: Store, name: str) -> None:
    result = result_of(report, name)
    assert brief(result.causes) == ONE_FAULT[name][2]
    assert sum(cause.marks_at_stake for cause in result.causes) + (result.mark or 0) == 10


def test_two_faults_are_two_causes_most_marks_first(report: Store) -> None:
    causes = result_of(report, "two faults").causes
    assert [cause.function for cause in causes] == ["price", "main"]
    assert causes[0].marks_at_stake > causes[1].marks_at_stake


def test_a_function_is_not_to_blame_where_it_cannot_be_substituted(report: Store) -> None:
    found = brief(result_of(report, "not substituted").causes)
    assert ("price", True, 2) in found  # its own scenarios


def test_a_substituted_function_answers_only_what_the_reference_asks_it(report: Store) -> None:
    """Row 117 of the attacks. Who asks no more is "ann"."""
    found = brief(result_of(report, "asks more").causes)
    assert ("price", True, 2) in found  # its own scenarios


def test_a_difference_before_another_call_is_the_callers_fault(report: Store) -> None:
    causes = result_of(report, "prints before it asks").causes
    assert brief(causes) == [("price", True, 6), ("main", True, 1)]


def test_nothing_of_a_substituted_run_is_kept_but_whether_it_passes(report: Store) -> None:
    alone = replace(report.run(), submissions=(result_of(report, "spy"),))
    text = results_json(alone, report.plan()) + serial.dumps(alone.submissions[0])
    # The program's own answer is 1000; the course's would be 2, 4, 6 … and was never shown.
    assert "ANSWER 1000" in text
    assert not any(f"ANSWER {right}\\" in text for right in range(2, 30))


def test_a_student_s_page_has_no_input_of_a_hidden_scenario(report: Store) -> None:
    result = result_of(report, "hidden")
    (cause,) = result.causes
    assert "secret" in cause.example
    view = student_view(result, report.plan())
    assert "SECRET_INPUT" not in serial.dumps(view) + feedback_page(view)
    assert (view.causes[0].message, view.causes[0].hidden) == ("", 1)


def test_the_same_is_found_again_without_running(tmp_path: Path) -> None:
    course = course_in(tmp_path)
    first = course.graded("shop", ada=REFERENCE.replace("len(item) * 2", "len(item) * 3"))["ada"]
    course.edit("specs/shop/all.yaml", "name: short", "points: 2, name: short")
    again = course.graded("shop")["ada"]
    scenarios = [[cause.scenarios for cause in each.causes] for each in (first, again)]
    assert scenarios[0] == scenarios[1]
    assert again.mark != 10


@pytest.mark.parametrize("name", ["without end", "one fault"])
def test_without_probes_nothing_runs_again_and_marks_are_the_same(
    tmp_path: Path, name: str
) -> None:
    old, new = {
        "without end": ("    total = 0", "    while items:\n        pass\n    total = 0"),
        "one fault": ("len(item) * 2", "len(item) * 3"),
    }[name]
    course = course_in(tmp_path)
    course.write("in/ada/a1.py", REFERENCE.replace(old, new))
    specification = load(course.root, "shop")
    found: list[SubmissionResult] = []
    for probes in (True, False):
        run = grade_here(specification, course.root / "in", tmp_path / "out", probes=probes)
        found += run.submissions
    with_probes, without = found
    assert without.mark == with_probes.mark
    kinds = [[entry.verdict.kind for entry in result.scenarios] for result in found]
    assert kinds[0] == kinds[1]
    assert without.causes and not any(cause.suspects for cause in without.causes)
    assert without.causes != with_probes.causes


def caused(rule: str) -> Cause:
    why = stated(rule, "")
    return Cause(function="f", explanation=why, scenarios=("f/shown",), blamed=True)


EXPECTED = {
    "mark: 3": None,
    "causes: {f: returned_none}": None,
    "causes: {}": "causes are f: returned_none, expected none",
    'causes: {"": unreadable}': "causes are f: returned_none, expected the file: unreadable",
    "causes: {g: [wrong_value, not_run]}": (
        "causes are f: returned_none, expected g: wrong_value, g: not_run"
    ),
}


@pytest.mark.parametrize("text", EXPECTED)
def test_other_causes_are_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "expect.yaml"
    path.write_text(f"{text}\n")
    graded = replace(stored_result("ada"), causes=(caused("returned_none"),))
    assert compare(graded, load_expectation(path), PLAN).other_causes == EXPECTED[text]


@pytest.mark.parametrize(
    "rules", [("returned_none", "wrong_value"), ("wrong_value", "wrong_value")]
)
def test_several_causes_of_a_function_are_accepted(rules: tuple[str, ...], tmp_path: Path) -> None:
    graded = replace(stored_result("ada"), causes=tuple(caused(rule) for rule in rules))
    one = SampleExpectation(causes=(ExpectedCause(function="f", rule="wrong_value"),))
    assert compare(graded, one, PLAN).other_causes == (
        f"causes are f: {rules[0]}, f: {rules[1]}, expected f: wrong_value"
    )
    path = tmp_path / "expect.yaml"
    path.write_text(expectation_text(compare(graded, one, PLAN).accepted))
    assert f'causes: {{"f": ["{rules[0]}", "{rules[1]}"]}}' in path.read_text()
    assert compare(graded, load_expectation(path), PLAN).other_causes is None


SCRIPTS = (ROOT / "examples" / "first-steps", "first-steps")


@pytest.mark.release
@pytest.mark.parametrize(
    ("root", "assignment"), [*((ROOT, name) for name in available(ROOT)), SCRIPTS]
)
def test_a_mutant_has_one_cause_where_it_was_changed(root: Path, assignment: str) -> None:
    specification = load(root, assignment)
    figures = measured(specification, committed(specification))
    assert figures.one >= 0.95 * figures.mutants, str(figures)
    assert figures.right >= 0.95 * figures.defined, str(figures)


@pytest.mark.release
def test_two_faults_of_a_script_are_more_than_one_cause_where_neither_hides_the_other() -> None:
    specification = load(*SCRIPTS)
    figures = measured(specification, pairs(specification))
    assert figures.one <= 0.6 * figures.mutants, str(figures)


SIGN_SETTINGS = "functionality_marks: 4\nlimits: {cpu_seconds: 0.3}\n"
SIGNS = """\
def sign(n):
    return half(n)
def half(n):
    if n > 2:
        return "big"
    return "small"
def double(n):
    return FACTOR * n
FACTOR = 2
"""
SIGN_SCENARIOS = """\
scenarios:
  - {name: a, function: sign, visible: true, call: sign(3)}
  - {name: b, function: sign, visible: true, call: sign(1)}
  - {name: c, function: sign, call: sign(2)}
  - {name: d, function: double, call: double(4)}
  - {name: e, function: double, call: double(0)}
"""
FORGED = """\
def sign(n):
    import os
    body = b'X"a1.py:1:0"'
    for channel in range(3, 30):
        try:
            os.write(channel, len(body).to_bytes(4, "little") + body)
        except OSError:
            pass
    return "big" if n > 2 else "small"
def double(n):
    return 2 * n
"""
UNTRACED = """\
def sign(n):
    import sys
    sys.settrace(None)
    return n
def double(n):
    return 2 * n
"""
ENDLESS = """\
def sign(n):
    x = n
    while x:
        x = n
    return x
def double(n):
    return 2 * n
"""
LATE = """\
def sign(n):
    total = 0
    for number in range(3000):
        total += busy(number)
    if n > 2:
        return "bag"
    return "small"
def busy(number):
    a = number
    b = a
    c = b
    d = c
    e = d
    f = e
    return f
def double(n):
    return 2 * n
"""
SUBMISSIONS = {
    "late": LATE,
    "helper": SIGNS.replace('return "big"', 'return "bag"'),
    "hidden": SIGNS.replace("return FACTOR * n", "return FACTOR + n + 4"),
    "forged": FORGED,
    "untraced": UNTRACED,
    "endless": ENDLESS,
    "constant": SIGNS.replace("FACTOR = 2", "FACTOR = 3"),
    "no_end": SIGNS.replace("return half(n)", "half(n)"),
}


Results = dict[str, SubmissionResult]


@pytest.fixture(scope="module")
def signs(tmp_path_factory: pytest.TempPathFactory) -> Course:
    folder = tmp_path_factory.mktemp("signs")
    return Course.small(folder, "signs", SIGNS, SIGN_SCENARIOS, SIGN_SETTINGS)


@pytest.fixture(scope="module")
def results(signs: Course) -> Results:
    return signs.graded("signs", **SUBMISSIONS)


def test_a_helper_is_named_with_the_line_that_decides(results: Results) -> None:
    (cause,) = results["helper"].causes
    assert cause.function == "sign"
    assert cause.explanation is not None
    assert cause.explanation.lead == FaultyHelper(function="half", first=4, last=5)
    assert cause.rule == "wrong_value"
    first = cause.suspects[0]
    assert (first.function, first.place.first) == ("half", 3)
    assert first.place.text[2].strip() == 'return "bag"'
    assert {4, 5} <= set(first.lines)
    assert 6 not in first.lines  # it never runs where it fails


def test_lines_of_hidden_scenarios_are_shown_to_no_student(signs: Course, results: Results) -> None:
    plan = harness.load_assignment(signs.root, "signs").plan
    (cause,) = results["hidden"].causes
    assert [each.lines for each in cause.suspects] == [(8,)]  # for the lecturer
    (shown,) = student_view(results["hidden"], plan).causes
    assert shown.suspects == ()
    (shown,) = student_view(results["helper"], plan).causes
    assert shown.suspects


def test_an_unrequested_trace_breaks_the_protocol(results: Results) -> None:
    kinds = {each.scenario_id: each.verdict.kind for each in results["forged"].scenarios}
    assert kinds["all/a"] is VerdictKind.TAMPERED
    assert results["forged"].flagged


def test_a_program_that_stops_tracing_has_the_lines_until_then(results: Results) -> None:
    (cause,) = results["untraced"].causes
    assert [(each.function, each.lines) for each in cause.suspects] == [("sign", (2, 3))]


def test_a_program_that_does_not_end_has_the_head_of_its_loop_first(results: Results) -> None:
    (cause,) = results["endless"].causes
    assert cause.line == 3
    assert [(each.function, each.lines) for each in cause.suspects] == [("sign", (2, 3, 4))]


def test_lines_that_run_late_in_a_long_run_are_seen(results: Results) -> None:
    (cause,) = results["late"].causes
    assert {5, 6} <= set(cause.suspects[0].lines)


WHY: dict[str, Reason | Lead] = {
    "no_end": NoReturn(),
}


@pytest.mark.parametrize("id", WHY)
def test_the_text_of_the_submission_explains_the_failure(id: str, results: Results) -> None:
    (cause,) = results[id].causes
    assert cause.explanation is not None
    assert WHY[id] in (cause.explanation.reason, cause.explanation.lead)


def test_a_constant_that_differs_from_the_references_is_named(results: Results) -> None:
    (cause,) = results["constant"].causes
    assert cause.explanation is not None
    assert cause.explanation.lead == OtherConstant(name="FACTOR", value="3", line=9)
    assert [each.function for each in cause.suspects] == ["FACTOR", "double"]
