"""The lines that a cause is most likely in, by what confined processes run."""

from __future__ import annotations

import pytest

import harness
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.results.student_view import student_view
from tests.tiny_course import Course

SETTINGS = "functionality_marks: 4\nlimits: {cpu_seconds: 0.3}\n"
REFERENCE = """\
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
SCENARIOS = """\
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
    "helper": REFERENCE.replace('return "big"', 'return "bag"'),
    "hidden": REFERENCE.replace("return FACTOR * n", "return FACTOR + n + 4"),
    "forged": FORGED,
    "untraced": UNTRACED,
    "endless": ENDLESS,
    "bare": REFERENCE.replace("return FACTOR * n", "return"),
    "dropped": REFERENCE.replace("return FACTOR * n", "n == FACTOR * n\n    return n"),
    "constant": REFERENCE.replace("FACTOR = 2", "FACTOR = 3"),
    "no_end": REFERENCE.replace("return half(n)", "half(n)"),
}


Results = dict[str, SubmissionResult]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    folder = tmp_path_factory.mktemp("course")
    return Course.small(folder, "signs", REFERENCE, SCENARIOS, SETTINGS)


@pytest.fixture(scope="module")
def results(course: Course) -> Results:
    return course.graded("signs", **SUBMISSIONS)


def test_a_helper_is_named_with_the_line_that_decides(results: Results) -> None:
    (cause,) = results["helper"].causes
    assert cause.function == "sign"
    said = "The fault seems to be in half, lines 4 to 5. sign returned 'bag' instead of 'big'."
    assert cause.message == said
    first = cause.suspects[0]
    assert (first.function, first.place.first) == ("half", 3)
    assert first.place.text[2].strip() == 'return "bag"'
    assert {4, 5} <= set(first.lines)
    assert 6 not in first.lines  # it never runs where it fails


def test_lines_that_hidden_scenarios_run_are_not_shown_to_a_student(
    course: Course, results: Results
) -> None:
    plan = harness.load_assignment(course.root, "signs").plan
    (cause,) = results["hidden"].causes
    assert [each.lines for each in cause.suspects] == [(8,)]  # for the lecturer
    (shown,) = student_view(results["hidden"], plan).causes
    assert shown.suspects == ()
    (shown,) = student_view(results["helper"], plan).causes
    assert shown.suspects


def test_a_program_that_says_unasked_which_lines_run_breaks_the_protocol(results: Results) -> None:
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


MESSAGES = {
    "bare": "double returned None instead of 8: line 8 gives nothing back.",
    "dropped": "Line 8 compares and throws the result away; to store, use `=`. "
    "double returned 4 instead of 8.",
    "no_end": "sign returned None instead of 'big': is a return missing?",
}


@pytest.mark.parametrize("id", MESSAGES)
def test_the_text_of_the_submission_says_why(id: str, results: Results) -> None:
    (cause,) = results[id].causes
    assert cause.message == MESSAGES[id]


def test_a_constant_that_differs_from_the_references_is_named(results: Results) -> None:
    (cause,) = results["constant"].causes
    assert cause.message.startswith("The fault may be in FACTOR, which is 3 on line 9: ")
    assert [each.function for each in cause.suspects] == ["FACTOR", "double"]
