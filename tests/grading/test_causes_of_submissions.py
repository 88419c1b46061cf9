"""Causes of whole submissions, told by running them with a function of the course's in place of
theirs; and what of such a run may be kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.common import serial
from harness.model.result import SubmissionResult
from harness.model.verdict import Cause
from harness.reporting.html.submission_pages import feedback_page
from harness.results.database import STORE_NAME
from harness.results.results_json import results_json
from harness.results.store import Store
from harness.results.student_view import student_view
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


def test_nothing_of_a_substituted_run_is_kept_but_whether_it_passes(report: Store) -> None:
    run = report.run()
    alone = replace(run, submissions=(result_of(report, "spy"),))
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
