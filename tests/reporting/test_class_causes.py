"""The causes of a class, joined, and who needs a person."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.judging.explain.rules import registered_rules
from harness.model.assignment import ManualSlot
from harness.model.result import ManualMark, SubmissionResult, SubmissionStatus
from harness.model.verdict import Cause, rule_in_words, rule_words
from harness.reporting.view.figures import ClassCauses


def cause(function: str, rule: str, marks: str, message: str = "wrong") -> Cause:
    return Cause(function=function, rule=rule, message=message, marks_at_stake=Fraction(marks))


def result(
    name: str,
    *causes: Cause,
    status: SubmissionStatus = SubmissionStatus.GRADED,
    flagged: bool = False,
) -> SubmissionResult:
    return SubmissionResult(
        id=name, status=status, mark=Fraction(1), out_of=Fraction(2), causes=causes, flagged=flagged
    )


def joined(*results: SubmissionResult) -> ClassCauses:
    found = ClassCauses()
    for each in results:
        found.add(each)
    return found


def test_one_function_and_rule_are_one_cause_whatever_the_sentence() -> None:
    found = joined(
        result("ada", cause("win", "value", "1/2", "got 3"), cause("draw", "value", "1/4")),
        result("bob", cause("win", "value", "1", "got 4")),
        result("cyd", cause("win", "value", "1", "got 4")),
        result("dan", cause("win", "loop", "2")),
        result("eve"),
    ).found()
    assert [(*each.functions, each.kind, each.count, each.marks) for each in found] == [
        ("win", "value", 3, Fraction(5, 2)),
        ("win", "loop", 1, Fraction(2)),
        ("draw", "value", 1, Fraction(1, 4)),
    ]
    assert (found[0].message, found[0].students) == ("got 4", ["ada", "bob", "cyd"])


def test_a_sentence_that_holds_for_half_of_them_is_not_given() -> None:
    (found,) = joined(*(result(str(n), cause("f", "r", "1", f"got {n}")) for n in range(2))).found()
    assert (found.count, found.message) == (2, "")


def test_a_student_with_a_cause_twice_counts_once_and_loses_both() -> None:
    (found,) = joined(result("ada", cause("f", "r", "1"), cause("f", "r", "1/2"))).found()
    assert (found.message, found.count, found.marks) == ("wrong", 1, Fraction(3, 2))
    assert found.students == ["ada"]


def test_of_a_large_class_the_first_students_are_named_and_all_are_counted() -> None:
    (found,) = joined(*(result(f"{n:03}", cause("f", "r", "1")) for n in range(500))).found()
    assert found.count == 500
    assert found.students == [f"{n:03}" for n in range(60)]


def test_a_mistake_in_several_functions_counts_each_submission_once() -> None:
    found = joined(
        result("ada", cause("win", "n", "1"), cause("draw", "n", "1/2"), cause("f", "r", "1")),
        result("bob", cause("win", "n", "1")),
        result("cyd", cause("win", "loop", "2")),
        result("dan", cause("draw", "loop", "2")),
    ).wide()
    assert [(each.kind, each.functions, each.count, each.marks) for each in found] == [
        ("n", ("draw", "win"), 2, Fraction(5, 2))
    ]


@pytest.mark.parametrize(
    ("status", "flagged", "reason"),
    [
        (SubmissionStatus.GRADED, False, ""),
        (SubmissionStatus.GRADED, True, "flagged"),
        (SubmissionStatus.UNREADABLE, False, "cannot be read"),
        (SubmissionStatus.NEEDS_REVIEW, True, "needs review"),
        (SubmissionStatus.HARNESS_ERROR, False, "the harness failed"),
        (SubmissionStatus.LATE, False, ""),
        (SubmissionStatus.NO_SUBMISSION, False, ""),
    ],
)
def test_who_needs_a_person(status: SubmissionStatus, flagged: bool, reason: str) -> None:
    found = joined(result("ada", status=status, flagged=flagged)).for_a_person()
    assert [(each.kind, each.students) for each in found] == ([(reason, ["ada"])] if reason else [])


def test_marks_by_hand_are_missing_once_somebody_has_some() -> None:
    style = ManualSlot(id="style", title="Style", out_of=Fraction(4))
    nobody = [replace(result(name), manual=(ManualMark(slot=style),)) for name in ("ada", "bob")]
    assert joined(*nobody).for_a_person() == []
    given = replace(nobody[1], manual=(ManualMark(slot=style, mark=Fraction(3)),))
    (found,) = joined(nobody[0], given).for_a_person()
    assert (found.kind, found.students) == ("marks by hand are missing", ["ada"])


def test_who_needs_a_person_is_bounded_and_all_are_counted() -> None:
    (found,) = joined(*(result(f"{n:03}", flagged=True) for n in range(300))).for_a_person()
    assert (found.count, len(found.students)) == (300, 60)


def test_every_rule_has_words() -> None:
    rules = [rule.name for rule in registered_rules()]
    beside = {"hard_coded_size", "not_gradable", "not_run", "too_slow", "unreadable"}
    assert set(rule_words()) == {*rules, *beside}
    assert rule_in_words("returned_none") == "returns None"
    assert rule_in_words("a_rule_of_the_course") == "a rule of the course"
