"""Marks from verdicts and findings, as tables."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.common.words import rounded
from harness.marking.mark import mark, most_mark
from harness.model.assignment import Exemption, FunctionSignature, ManualSlot, SourceFile
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.policy import Consequence, Finding, PolicyReport, Severity, Unparsable
from harness.model.result import ManualMark, SubmissionResult, SubmissionStatus
from harness.model.submission import Student, Submission
from harness.model.verdict import Verdict, VerdictKind
from harness.results.student_view import FunctionTally, by_function
from tests import plans

PASSED = Verdict(kind=VerdictKind.PASSED)
FAILED = Verdict(kind=VerdictKind.FAILED)


def scenario(name: str, points: str = "1", **changes: object) -> Scenario:
    return plans.scenario(name, points=Fraction(points), **changes)


def plan(*scenarios: Scenario, marks: str = "6", functions: tuple[str, ...] = ("f", "g")) -> Plan:
    assignment = plans.assignment(
        functionality_marks=Fraction(marks),
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in functions),
    )
    return plans.plan(*scenarios, assignment=assignment)


def finding(rule: str, severity: Severity, marks: str = "0") -> Finding:
    consequence = Consequence(severity=severity, marks=Fraction(marks))
    return plans.finding(rule=rule, consequence=consequence)


def report(*findings: Finding) -> PolicyReport:
    return PolicyReport(findings=findings, notes=("a note",))


UNREADABLE = PolicyReport(unparsable=Unparsable(file="a1.py", reason="the file is empty"))
SUBMISSION = Submission(
    id="ada", files=(SourceFile(name="a1.py", data=b"x"),), origin="ada", notes=("late night",)
)
TWO = plan(scenario("f/one"), scenario("g/two", "2"))


def marked(of: Plan, *passed: str, found: PolicyReport | None = None) -> SubmissionResult:
    verdicts = {s.id: PASSED if s.id in passed else FAILED for s in of.scenarios}
    return mark(of, verdicts, found or report(), submission=SUBMISSION)


def test_a_person_s_marks_are_not_given_yet_and_no_part_of_the_mark() -> None:
    slot = ManualSlot(id="style", title="Code style", out_of=Fraction(4))
    of = replace(TWO, assignment=replace(TWO.assignment, manual=(slot,)))
    result = marked(of, "f/one", "g/two")
    assert (result.mark, result.out_of, result.manual) == (6, 6, (ManualMark(slot=slot),))
    unread = marked(of, found=PolicyReport(unparsable=UNREADABLE))
    assert (unread.mark, unread.manual) == (0, result.manual)


WITH_INFORMATION = plan(scenario("f/one"), scenario("f/info", "5", informational=True))
WITH_EXTRA = plan(scenario("f/one", "90"), scenario("g/x", "5", extra_credit=True), marks="90")
SEVEN = plan(*(scenario(f"f/{n}") for n in range(7)), marks="1")
SHARES = {
    "nothing passed": (TWO, (), Fraction(0)),
    "a third of the points": (TWO, ("f/one",), Fraction(2)),
    "two thirds": (TWO, ("g/two",), Fraction(4)),
    "all": (TWO, ("f/one", "g/two"), Fraction(6)),
    "an exact seventh": (SEVEN, ("f/0",), Fraction(1, 7)),
    "informational ones do not count": (WITH_INFORMATION, ("f/info",), Fraction(0)),
    "nor do they dilute": (WITH_INFORMATION, ("f/one",), Fraction(6)),
    "extra credit adds above": (WITH_EXTRA, ("f/one", "g/x"), Fraction(95)),
    "extra credit is not needed": (WITH_EXTRA, ("f/one",), Fraction(90)),
    "a plan of nothing that counts": (
        plan(scenario("f/info", informational=True)),
        ("f/info",),
        Fraction(0),
    ),
    "an empty plan": (plan(), (), Fraction(0)),
    "a scenario worth nothing": (plan(scenario("f/one", "0")), ("f/one",), Fraction(0)),
}


@pytest.mark.parametrize(("of", "passed", "exact"), SHARES.values(), ids=SHARES.keys())
def test_the_mark_is_a_share_of_points(of: Plan, passed: tuple[str, ...], exact: Fraction) -> None:
    result = marked(of, *passed)
    assert (result.mark, result.out_of) == (exact, of.assignment.functionality_marks)
    assert (result.status, result.flagged) == (SubmissionStatus.GRADED, False)


IMPORT, SYNTAX = "import", "syntax"
NOTE, REVIEW, DEDUCT, ZERO = Severity.NOTE, Severity.REVIEW, Severity.DEDUCT, Severity.ZERO


def deducting(marks: str, *rules: str) -> tuple[Finding, ...]:
    return tuple(finding(rule, DEDUCT, marks) for rule in rules)


def of_entries(*entries: int) -> tuple[Finding, ...]:
    """A finding that costs 1 mark for each of these entries of `structure:`."""
    found = []
    for entry in entries:
        consequence = Consequence(severity=DEDUCT, marks=Fraction(1), entry=entry)
        found.append(replace(finding("requirement", DEDUCT), consequence=consequence))
    return tuple(found)


CONSEQUENCES = {
    "a note": ((finding(SYNTAX, NOTE),), "6", False),
    "a review": ((finding(SYNTAX, REVIEW),), "6", True),
    "a deduction": ((finding(SYNTAX, DEDUCT, "3/2"),), "9/2", True),
    "twice in one group": (deducting("3/2", SYNTAX, "method"), "9/2", True),
    "in two groups": ((*deducting("1", IMPORT), *deducting("3/2", SYNTAX)), "7/2", True),
    "in all three groups": (
        deducting("1", "import_evasion", "builtin", "overrides_provided", "module_level"),
        "3",
        True,
    ),
    "once for each entry that states its own": (of_entries(0, 0, 1), "4", True),
    "entries beside their group": ((*of_entries(2), *deducting("1", "requirement")), "4", True),
    "never below 0": ((finding(SYNTAX, DEDUCT, "100"),), "0", True),
    "a zero": ((finding(SYNTAX, NOTE), finding(IMPORT, ZERO)), "0", True),
}


@pytest.mark.parametrize(
    ("findings", "exact", "flagged"), CONSEQUENCES.values(), ids=CONSEQUENCES.keys()
)
def test_findings_cost_their_marks(
    findings: tuple[Finding, ...], exact: str, flagged: bool
) -> None:
    result = marked(TWO, "f/one", "g/two", found=report(*findings))
    assert (result.mark, result.flagged) == (Fraction(exact), flagged)
    assert result.findings == findings


def test_extra_credit_is_earned_before_deductions() -> None:
    of = plan(scenario("f/one"), scenario("g/x", extra_credit=True))
    assert marked(of, "f/one", "g/x", found=report(finding(SYNTAX, DEDUCT, "5"))).mark == 7


def test_the_highest_mark_has_the_extra_credit() -> None:
    assert most_mark(WITH_EXTRA) == 95
    assert most_mark(TWO) == most_mark(WITH_INFORMATION) == 6


MISNAMED = replace(SUBMISSION, files=(), problem="found A1.py, expected a1.py")


@pytest.mark.parametrize(
    ("found", "submission"), [(UNREADABLE, SUBMISSION), (PolicyReport(), MISNAMED)]
)
def test_unreadable_submissions_get_0(found: PolicyReport, submission: Submission) -> None:
    result = mark(TWO, {}, found, submission=submission)
    assert (result.status, result.mark) == (SubmissionStatus.UNREADABLE, 0)
    assert {s.verdict.kind for s in result.scenarios} == {VerdictKind.UNREADABLE}
    assert len(result.scenarios) == 2
    assert (result.problem, result.unparsable) == (submission.problem, found.unparsable)


def of_two(one: VerdictKind, two: VerdictKind, *findings: Finding) -> SubmissionResult:
    verdicts = {"f/one": Verdict(kind=one), "g/two": Verdict(kind=two)}
    return mark(TWO, verdicts, report(*findings), submission=SUBMISSION)


def test_our_own_failure_gives_no_mark() -> None:
    result = of_two(VerdictKind.PASSED, VerdictKind.HARNESS_ERROR, finding(IMPORT, ZERO))
    assert (result.status, result.mark) == (SubmissionStatus.HARNESS_ERROR, None)


@pytest.mark.parametrize("kind", [VerdictKind.TAMPERED, VerdictKind.STOPPED_EARLY])
def test_suspicious_results_are_flagged_and_cost_only_their_scenario(kind: VerdictKind) -> None:
    result = of_two(VerdictKind.PASSED, kind)
    assert (result.mark, result.flagged) == (2, True)


@pytest.mark.parametrize("kind", [k for k in VerdictKind if k is not VerdictKind.PASSED])
def test_only_passed_earns(kind: VerdictKind) -> None:
    result = of_two(kind, VerdictKind.PASSED)
    assert [(s.points, s.out_of) for s in result.scenarios] == [(0, 1), (2, 2)]


def test_the_result_carries_what_the_submission_and_the_report_say() -> None:
    result = marked(TWO)
    assert (result.id, result.notes) == ("ada", ("late night", "a note"))
    assert result.source_digest == SUBMISSION.digest
    assert len(result.source_digest) == 64


def test_a_missing_verdict_is_an_error_of_ours() -> None:
    with pytest.raises(KeyError):
        mark(TWO, {"f/one": PASSED}, report(), submission=SUBMISSION)


ROUNDED = {
    "0": "0.00",
    "1/200": "0.01",
    "1/201": "0.00",
    "6": "6.00",
    "9/2": "4.50",
    "1/3": "0.33",
    "2/3": "0.67",
    "1001/200": "5.01",
    "201/200": "1.01",  # 1.005, which binary floats round down
    "5999/1000": "6.00",
    "5994999/1000000": "5.99",
    "100000000000000001/200": "500000000000000.01",
    "-1/200": "-0.01",
    "-1/1000": "0.00",
}


@pytest.mark.parametrize(("exact", "shown"), ROUNDED.items())
def test_marks_are_rounded_half_up(exact: str, shown: str) -> None:
    assert rounded(Fraction(exact)) == shown


@given(st.fractions(min_value=0, max_value=1000))
def test_rounding_is_never_off_by_more_than_half_a_hundredth(exact: Fraction) -> None:
    error = Fraction(rounded(exact)) - exact
    assert -Fraction(1, 200) < error <= Fraction(1, 200)


def test_each_function_has_its_share_of_the_marks() -> None:
    of = plan(
        scenario("later/x"),
        scenario("g/one", "2"),
        scenario("f/one", "1/2"),
        scenario("g/two"),
        scenario("g/info", informational=True),
        scenario("f/extra", "3", extra_credit=True),
        functions=("f", "g", "unused"),
    )
    result = marked(of, "g/one", "f/extra", "g/info")
    expected = [
        ("f", 1, 2, Fraction(3), Fraction(1, 2)),
        ("g", 1, 2, Fraction(2), Fraction(3)),
        ("later", 0, 1, Fraction(0), Fraction(1)),
    ]
    assert by_function(of, result) == tuple(
        FunctionTally(function=name, passed=passed, total=total, points=points, out_of=out_of)
        for name, passed, total, points, out_of in expected
    )


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_the_functions_shares_add_up_to_the_mark(outcomes: list[bool]) -> None:
    of = plan(*(scenario(f"f{n % 3}/{n}", str(n % 4 + 1)) for n in range(len(outcomes))))
    result = marked(of, *(f"f{n % 3}/{n}" for n, passed in enumerate(outcomes) if passed))
    shares = by_function(of, result)
    points, total = sum(s.points for s in shares), sum(s.out_of for s in shares)
    assert result.mark == 6 * Fraction(points) / total
    assert abs(Fraction(rounded(result.mark)) - result.mark) <= Fraction(1, 200)


# Who is excused, from what and why; the mark, and what is noted.
EXCUSED = {
    "this one, by id": ("ada", "g/*", "6", ["not counted: g/* (ill)"]),
    "this one, by email": ("Ada@uni.example", "g/two", "6", ["not counted: g/two (ill)"]),
    "everybody": ("", "g/two", "6", ["not counted: g/two (ill)"]),
    "somebody else": ("bob", "g/*", "2", []),
    "from nothing that failed": ("ada", "f/*", "0", ["not counted: f/* (ill)"]),
}


@pytest.mark.parametrize(("student", "excused", "expected", "notes"), EXCUSED.values(), ids=EXCUSED)
def test_excused_scenarios_cost_nothing(
    student: str, excused: str, expected: str, notes: list[str]
) -> None:
    exemption = Exemption(student=student, scenarios=(excused,), reason="ill")
    of = replace(TWO, assignment=replace(TWO.assignment, exemptions=(exemption,)))
    ada = Student(id="4711", name="Ada", email="ada@uni.example")
    verdicts = {"f/one": PASSED, "g/two": FAILED}
    result = mark(of, verdicts, report(), submission=replace(SUBMISSION, student=ada))
    assert (result.mark, result.out_of) == (Fraction(expected), 6)
    assert result.notes == ("late night", *notes, "a note")


def test_the_note_does_not_name_sizes_of_a_hidden_scenario() -> None:
    scenarios = tuple(
        replace(TWO.scenarios[1], id=f"g/two[SIZE={size}]", visibility=visibility)
        for size, visibility in ((7, Visibility.VISIBLE), (99, Visibility.HIDDEN))
    )
    names = tuple(scenario.id for scenario in scenarios)
    excused = Exemption(student="", scenarios=names, reason="wrong")
    assignment = replace(TWO.assignment, exemptions=(excused,))
    of = replace(TWO, assignment=assignment, scenarios=(TWO.scenarios[0], *scenarios))
    verdicts = {"f/one": PASSED} | dict.fromkeys(names, FAILED)
    result = mark(of, verdicts, report(), submission=SUBMISSION)
    assert result.mark == 6
    assert "not counted: g/two[SIZE=7], g/two (wrong)" in result.notes


def test_excused_from_everything_is_for_a_person() -> None:
    everything = Exemption(student="ada", scenarios=("*",), reason="ill")
    of = replace(TWO, assignment=replace(TWO.assignment, exemptions=(everything,)))
    result = marked(of, "f/one")
    assert (result.mark, result.status) == (None, SubmissionStatus.NEEDS_REVIEW)
    assert result.notes == ("late night", "not counted: * (ill)")
