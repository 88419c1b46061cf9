"""The class in numbers; its causes joined, and who needs a person."""

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.judging.explain.rules import registered_rules
from harness.judging.side_by_side.differences import ENDINGS
from harness.model.assignment import ManualSlot, SourceFile
from harness.model.explanation.facts import (
    HardCoded,
)
from harness.model.observation import Ending
from harness.model.plan import Plan
from harness.model.policy import Consequence, Severity, Unparsable
from harness.model.result import ManualMark, RunResult, SubmissionResult, SubmissionStatus
from harness.model.study import SimilarityReport, SimilarPair
from harness.model.verdict import (
    Cause,
    Explanation,
    Verdict,
    VerdictKind,
    rule_in_words,
    rule_words,
    stated,
)
from harness.reporting.html.class_page import first_page
from harness.reporting.view import figures, words
from harness.reporting.view.figures import ClassCauses, FailingCounter
from harness.results.student_view import FunctionTally
from tests import plans
from tests.reporting import report_samples
from tests.reporting.pages_read import words_of
from tests.reporting.report_samples import FACTS, MANY_FAULTS, PLAN, WINS, failed, result


def cause(function: str, rule: str, marks: str, message: str = "wrong") -> Cause:
    return Cause(
        function=function,
        explanation=stated(rule, message),
        marks_at_stake=Fraction(marks),
    )


def graded(
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
        graded("ada", cause("win", "value", "1/2", "got 3"), cause("draw", "loop", "1/4")),
        graded("bob", cause("win", "value", "1", "got 4")),
        graded("cyd", cause("win", "value", "1", "got 4")),
        graded("dan", cause("win", "loop", "1"), cause("win", "loop", "1")),  # counts once
        graded("eve"),
    ).causes()
    assert [(*each.functions, each.kind, each.count, each.marks) for each in found] == [
        ("win", "value", 3, Fraction(5, 2)),
        ("win", "loop", 1, Fraction(2)),
        ("draw", "loop", 1, Fraction(1, 4)),
    ]
    assert (found[0].message, found[0].students) == ("got 4", ["ada", "bob", "cyd"])


@pytest.mark.parametrize(("count", "texts", "message"), [(2, 2, ""), (500, 1, "got 0")])
def test_the_sentence_of_most_and_the_first_students(count: int, texts: int, message: str) -> None:
    said = [cause("f", "r", "1", f"got {n % texts}") for n in range(count)]
    (found,) = joined(*(graded(f"{n:03}", each) for n, each in enumerate(said))).causes()
    assert (found.count, found.message) == (count, message)
    assert found.students == [f"{n:03}" for n in range(min(count, 60))]


def test_a_mistake_in_several_functions_is_shown_and_counted_once() -> None:
    class_causes = joined(
        graded("ada", cause("win", "n", "1"), cause("draw", "n", "1/2"), cause("f", "r", "1")),
        graded("bob", cause("win", "n", "1")),
        graded("cyd", cause("win", "loop", "2")),
        graded("dan", cause("draw", "loop", "2")),
        graded("eve", cause("win", "wrong_value", "1"), cause("draw", "wrong_value", "1")),
        graded("fay", cause("win", "wrong_value", "1")),
    )
    found = class_causes.causes()
    assert [(each.kind, each.functions, each.count, each.marks) for each in found] == [
        ("n", ("draw", "win"), 2, Fraction(5, 2)),
        ("wrong_value", ("win",), 2, Fraction(2)),  # no mistake of its own: each in another way
        ("loop", ("draw",), 1, Fraction(2)),
        ("loop", ("win",), 1, Fraction(2)),
        ("wrong_value", ("draw",), 1, Fraction(1)),
        ("r", ("f",), 1, Fraction(1)),
    ]
    assert class_causes.places() == {
        ("win", "n"): 0,
        ("draw", "n"): 0,
        ("win", "wrong_value"): 1,
        ("draw", "loop"): 2,
        ("win", "loop"): 3,
        ("draw", "wrong_value"): 4,
        ("f", "r"): 5,
    }


NEEDS_A_PERSON = {
    graded("graded"): "",
    graded("flagged", flagged=True): "flagged",
    replace(graded("looked at", flagged=True), reviewed=True): "",
    graded("unreadable", status=SubmissionStatus.UNREADABLE): "cannot be read",
    graded("review", status=SubmissionStatus.NEEDS_REVIEW, flagged=True): "needs review",
    graded("ours", status=SubmissionStatus.HARNESS_ERROR): "the harness failed",
    graded("late", status=SubmissionStatus.LATE): "",
    graded("none", status=SubmissionStatus.NO_SUBMISSION): "",
}


@pytest.mark.parametrize(("whose", "reason"), NEEDS_A_PERSON.items())
def test_who_needs_a_person(whose: SubmissionResult, reason: str) -> None:
    found = joined(whose).for_a_person()
    assert [(one.kind, one.students) for one in found] == ([(reason, [whose.id])] if reason else [])


def test_flags_are_shown_with_their_reason_and_grouped() -> None:
    imported = plans.finding(message="`import copy` was added")
    note = Consequence(severity=Severity.NOTE)
    joining = plans.finding(rule="method", message="join is not permitted", consequence=note)
    flagged = [replace(graded(name, flagged=True), findings=(imported,)) for name in "abc"]
    tampered = result("d", {WINS.id: Verdict(kind=VerdictKind.TAMPERED)}, flagged=True)
    noted = replace(graded("e", flagged=True), findings=(joining,))
    earlier = graded("f", flagged=True)
    broken = Unparsable(file="a1.py", reason="expected ':'", line=3)
    unread = replace(graded("g", status=SubmissionStatus.UNREADABLE), unparsable=broken)
    others = (noted, replace(earlier, earlier=True), unread, replace(unread, id="h"))
    found = joined(*flagged, tampered, *others).for_a_person()
    assert [(each.kind, each.message, each.students) for each in found] == [
        ("cannot be read", "expected ':'", ["g", "h"]),
        ("the harness failed, so an earlier result is shown", "", ["f"]),
        ("Imports", "`import copy` was added", ["a", "b", "c"]),
        ("broke the grading protocol", "", ["d"]),
        ("flagged", "", ["e"]),
    ]


def handed_in(name: str, text: bytes) -> SubmissionResult:
    files = (SourceFile(name="a1.py", data=text),) if text else ()
    return replace(graded(name), files=files, source_digest=text.hex())


def test_who_handed_in_the_same_files_is_told() -> None:
    same = {"a": b"x", "b": b"y", "c": b"x", "d": b"", "e": b"", "f": b"y", "g": b"x"}
    found = joined(*(handed_in(name, text) for name, text in same.items()))
    assert found.same_files() == [["a", "c", "g"], ["b", "f"]]


def test_marks_by_hand_are_missing_once_somebody_has_some() -> None:
    style = ManualSlot(id="style", title="Style", out_of=Fraction(4))
    nobody = [replace(graded(name), manual=(ManualMark(slot=style),)) for name in ("ada", "bob")]
    assert joined(*nobody).for_a_person() == []
    given = replace(nobody[1], manual=(ManualMark(slot=style, mark=Fraction(3)),))
    (found,) = joined(nobody[0], given).for_a_person()
    assert (found.kind, found.students) == ("marks by hand are missing", ["ada"])


@pytest.mark.parametrize(
    ("top", "bars"), [(6, 12), (10, 10), (100, 10), (7, 7), (Fraction(13, 2), 10)]
)
def test_bars_have_round_edges_where_they_can(top: Fraction | int, bars: int) -> None:
    spread = figures.distribution([Fraction(0)], Fraction(top))
    assert spread is not None
    assert len(spread.bars) == bars
    assert spread.bars[-1].high == top


def test_findings_with_one_sentence_are_one_entry() -> None:
    again = replace(report_samples.IMPORT_ASKS, findings=MANY_FAULTS.findings[:1])
    found = joined(again, *(replace(MANY_FAULTS, id=f"s{n}") for n in range(7))).findings()
    assert [entry.count for entry in found] == [8, 7]
    assert found[0].students[:5] == [again.id, "s0", "s1", "s2", "s3"]


def test_the_most_common_text_is_found_among_thousands() -> None:
    failing = FailingCounter(PLAN)
    for number in range(1500):
        often = number % 5 > 1
        text = "the usual" if often else f"returned {number}"
        failing.add(result(f"s{number:04}", {WINS.id: failed("wrong_value", text)}))
    (most,) = failing.most()
    assert (most.count, most.graded, most.message) == (1500, 1500, "the usual")


def test_a_sweep_counts_once() -> None:
    swept = tuple(replace(WINS, id=f"{WINS.id}[N={size}]", group=WINS.id) for size in range(4, 9))
    failing = FailingCounter(replace(PLAN, scenarios=swept))
    rows = tuple(report_samples.outcome(each.id, failed("r", "wrong")) for each in swept)
    failing.add(result("all", {}, scenarios=rows))
    failing.add(result("one", {}, scenarios=rows[2:3]))
    (most,) = failing.most()
    assert (most.count, most.graded, len(most.scenarios)) == (2, 2, 5)
    assert most.students == ["all", "one"]


@pytest.mark.parametrize(
    ("good", "of_them", "doubted"), [(7, 7, False), (8, 5, True), (8, 4, False), (9, 5, True)]
)
def test_scenarios_that_most_good_submissions_fail_are_doubted(
    good: int, of_them: int, doubted: bool
) -> None:
    failing = FailingCounter(PLAN)
    for number in range(good):
        wrong = {WINS.id: failed("r", "wrong")} if number < of_them else {}
        failing.add(result(f"g{number}", wrong))
    for number in range(9):
        poor = result(f"p{number}", {WINS.id: failed("r", "wrong")})
        failing.add(replace(poor, mark=Fraction(0)))
    found = failing.doubtful()
    assert [(each.scenarios[0].id, each.count, each.graded) for each in found] == (
        [(WINS.id, of_them, good)] if doubted else []
    )


GRID = tuple(replace(WINS, id=f"grid/{n}", group=f"grid/{n}", name=f"{n}") for n in range(7))


def graded_grid(name: str, size: int, *fail: int) -> SubmissionResult:
    wrong = tuple(GRID[n].id for n in fail)
    rows = tuple(
        report_samples.outcome(
            each.id, failed("r", f"with {each.id}") if each.id in wrong else report_samples.PASSED
        )
        for each in GRID
    )
    facts = HardCoded(number=size, constant="SIZE", size=4)
    explanation = Explanation(rule="hard_coded_size", facts=facts)
    one = replace(cause("grid_size", "", "1"), explanation=explanation, scenarios=wrong)
    return result(name, {}, scenarios=rows, causes=(one,) if wrong else ())


def test_scenarios_that_fail_together_are_one() -> None:
    failing = FailingCounter(replace(PLAN, scenarios=GRID))
    for number in range(6):
        failing.add(graded_grid(f"s{number}", 3, *range(7 if number else 6)))
    for number in range(6, 9):
        failing.add(graded_grid(f"s{number}", 4))
    for (one,) in (failing.doubtful(), failing.most()):
        assert (one.count, one.graded, len(one.groups)) == (6, 9, 7)
        assert (one.cause, one.blamed_for) == (("grid_size", "a size is hard-coded to 3"), 6)


def test_scenarios_that_the_same_submissions_fail_are_one_without_a_cause() -> None:
    failing = FailingCounter(replace(PLAN, scenarios=GRID))
    for number in range(3):
        some = graded_grid(f"s{number}", 3, 0, 1, *([2] if number else []))
        failing.add(replace(some, causes=()))
    assert [(each.count, each.groups) for each in failing.most()] == [
        (3, ["grid/0", "grid/1"]),
        (2, ["grid/2"]),
    ]


def test_means_put_the_function_first_that_costs_most() -> None:
    def tally(name: str, points: int, out_of: int) -> FunctionTally:
        points, out_of = Fraction(points), Fraction(out_of)
        return FunctionTally(function=name, passed=0, total=1, points=points, out_of=out_of)

    means = figures.Means(Fraction(6))
    for points in (0, 1):
        means.add([tally("a", points, 1), tally("b", 1, 3)])
    means.add(())  # what was not run changes nothing
    assert [(mean.function, mean.share, mean.lost) for mean in means.means()] == [
        ("b", 33, Fraction(3)),
        ("a", 50, Fraction(3, 4)),
    ]


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 5, 0), (5, 5, 100), (999, 1000, 99), (1, 1000, 1), (1, 2, 50), (3, 0, 0)],
)
def test_percent_is_0_or_100_only_if_exact(part: int, whole: int, shown: int) -> None:
    assert words.percent(part, whole) == shown


def test_numbers_and_sections_are_worded() -> None:
    shown = [words.number(Fraction(each)) for each in ("6", "9/2", "10", "0")]
    assert shown == ["6", "4.5", "10", "0"]
    sections = ["4.10", "4.2", "§3 step 5", "4", "Table 1", ""]
    in_order = sorted(sections, key=words.section_order)
    assert in_order == ["§3 step 5", "4", "4.2", "4.10", "", "Table 1"]
    assert [words.section(text) for text in ("4.2", "§3", "Table 1")] == ["§4.2", "§3", "Table 1"]


def test_every_rule_and_kind_has_words() -> None:
    rules = [rule.name for rule in registered_rules()]
    beside = {
        "costs_too_much",
        "differs_from_run_to_run",
        "hard_coded_size",
        "module_not_taken",
        "not_gradable",
        "not_run",
        "too_slow",
        "unreadable",
    }
    assert set(rule_words()) == {*rules, *beside, "out_of_budget"}
    assert rule_in_words("returned_none") == "returns None"
    assert rule_in_words("a_rule_of_the_course") == "a rule of the course"
    assert set(words.VERDICT) == set(VerdictKind)
    assert set(words.STATUS) == set(SubmissionStatus)
    assert all(ENDINGS[ending] != ending.value for ending in Ending)
    assert all(words.consequence(Consequence(severity=severity)) for severity in Severity)


def read_page(*class_: SubmissionResult, plan: Plan = PLAN) -> str:
    return words_of(
        report_samples.class_page(RunResult(facts=FACTS, submissions=class_), plan), scripts=1
    )


def test_the_page_lists_suspicious_scenarios() -> None:
    plan = replace(PLAN, scenarios=GRID)
    wrong = [graded_grid(f"s{n}", 3 if n else 5, *range(6 if n == 1 else 7)) for n in range(6)]
    good = [graded_grid(f"s{n}", 4) for n in range(6, 9)]
    text = read_page(*wrong, *good, plan=plan)
    assert (
        "7 scenarios of check_win that fail together show grid/0, grid/1, grid/2, grid/3, "
        "grid/4, grid/5, grid/6: 6 of 9 otherwise good submissions fail. 5 of them: grid_size: "
        "a size is hard-coded to 3. See s0, s1, s2."
    ) in text
    few = read_page(*wrong, good[0], plan=plan)
    assert (
        "Not known yet: this needs 8 submissions with 75 % of the marks or more, and there are 7"
        in few
    )


def test_the_page_lists_submissions_that_need_attention() -> None:
    findings = (plans.finding(message="`import copy` was added"),)
    flagged = [replace(graded(f"s{n:02}", flagged=True), findings=findings) for n in range(12)]
    text = read_page(*flagged)
    assert "Imports: import copy was added (12 alike): s00, s01, s02, s03, s04 and 7" in text


def test_the_page_lists_possible_copies() -> None:
    class_ = [handed_in("ada", b"x"), handed_in("bob", b"x"), graded("cyd")]
    text = read_page(*class_)
    assert "The same files, byte for byte (2): ada, bob" in text
    assert "Not checked yet. Run harness similarity reports/conn" in text
    assert "All studies" not in text
    pairs = tuple(
        SimilarPair(first=first, second=second, score=0.9, matches=())
        for first, second in (("ada", "cyd"), ("bob", "cyd"), ("eve", "of 2025"))
    )
    report = SimilarityReport(
        compared=4, pairs=pairs, groups=(("ada", "bob", "cyd"), ("eve", "of 2025")), cut=0.23
    )
    run = RunResult(facts=FACTS, submissions=tuple(class_))
    page = first_page(FACTS, report_samples.overview(run, PLAN), report, has_studies=True)
    text = words_of(page, scripts=1)
    assert "3 similar programs: ada, bob, cyd 2 similar programs: eve, of 2025" in text
    assert (
        "2 groups and 3 pairs, at least 23 % similar, of 4 programs. Similarity does not prove"
        in text
    )
    assert "not measured" not in text
    assert 'href="study.html">Overview of similarity and scenario strength' in page
    assert 'href="submissions/cyd.html"' in page
    assert 'href="submissions/eve.html"' not in page  # of an earlier class, or forgotten
