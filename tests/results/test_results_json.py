"""results.json: its shape, its numbers, its order; what a student may read, and nothing else."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from harness.common import serial
from harness.intake.recognising import layout_names
from harness.model.explanation.facts import FaultyHelper, HardCoded
from harness.model.observation import Isolation, Tier
from harness.model.plan import ManualSlot, Plan, Visibility
from harness.model.policy import Severity
from harness.model.result import (
    Adjustment,
    ManualMark,
    RunResult,
    StrengthFigures,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.stimulus import Binding
from harness.model.verdict import Cause, CodePlace, Symptom, VerdictKind, stated
from harness.policy.rules import finding_kinds
from harness.results.redaction import ShownCause
from harness.results.results_json import results_json
from harness.results.student_view import EVERYTHING, FunctionTally, HiddenCheck, student_view
from tests.results import small_run
from tests.results.small_run import BROKEN, FACTS, FINDING, PLAN, SECRET, UNREADABLE, result
from tests.tiny_course import valid_results

RUN = RunResult(
    facts=replace(FACTS, complete=True, finished="2026-01-02T03:05:00+00:00"),
    submissions=(UNREADABLE, result("ada"), BROKEN),
)


def plain(run: RunResult = RUN, plan: Plan = PLAN) -> Any:
    """The run as JSON, which is as its schema says."""
    found = json.loads(results_json(run, plan))
    valid_results().validate(found)
    return found


def test_results_have_only_stated_or_measured_keys() -> None:
    first, *others = PLAN.scenarios
    plan = replace(PLAN, scenarios=(replace(first, needs=("f",), faster_than=5), *others))
    told, other, *_ = plain(RUN, plan)["scenarios"]
    assert (told["needs"], told["faster_than"]) == (["f"], 5)
    assert not {"needs", "faster_than"} & other.keys()
    assert "strength" not in plain()["run"]
    facts = replace(RUN.facts, strength=StrengthFigures(changes=8, noticed=7))
    assert plain(replace(RUN, facts=facts))["run"]["strength"] == {"changes": 8, "noticed": 7}


def test_totals_adjustments_and_comments_stand_beside_the_mark() -> None:
    style = ManualSlot(id="style", title="Code style", out_of=Fraction(4))
    whole = replace(
        result("ada"),
        manual=(ManualMark(slot=style, mark=Fraction(1, 3)),),
        adjustment=Adjustment(marks=Fraction(-1, 3), reason="late"),
        comment="Good.",
    )
    waiting = replace(whole, id="fay", manual=(ManualMark(slot=style),))
    ada, broken, eve, fay = submissions(
        whole, replace(whole, id="eve", adjustment=None), BROKEN, waiting
    )
    assert ada["manual"] == [{"id": "style", "title": "Code style", "out_of": 4.0, "mark": 0.33}]
    assert (ada["mark"], ada["out_of"], broken["manual"]) == (4.5, 6.0, [])
    assert ada["adjustment"] == {"marks": -0.33, "reason": "late"}
    assert (ada["total"], ada["total_out_of"], ada["comment"]) == (4.5, 10.0, "Good.")
    assert (eve["adjustment"], eve["total"]) == (None, 4.83)
    assert (broken["total"], broken["total_out_of"]) == (None, 6.0)
    assert (fay["manual"][0]["mark"], fay["total"]) == (None, None)


def submissions(*results: SubmissionResult) -> Any:
    return plain(replace(RUN, submissions=results))["submissions"]


SPOILED = {
    "a graded one without a mark": ("status", "graded"),
    "a mark of one that has none": ("mark", 1),
    "an unknown status": ("status", "fine"),
    "no findings": ("findings", None),
}


@pytest.mark.parametrize(("name", "value"), SPOILED.values(), ids=SPOILED.keys())
def test_the_schema_refuses(name: str, value: object) -> None:
    spoiled = plain()
    spoiled["submissions"][1][name] = value
    assert not valid_results().is_valid(spoiled)


def test_the_schema_knows_every_status_rule_and_verdict() -> None:
    validator = valid_results()
    validator.check_schema(validator.schema)
    definitions = validator.schema["$defs"]
    submission = definitions["submission"]["properties"]
    assert submission["status"]["enum"] == [status.value for status in SubmissionStatus]
    finding = definitions["finding"]["properties"]
    assert finding["rule"]["examples"] == [kind.name for kind in finding_kinds()]
    assert finding["severity"]["enum"] == [severity.value for severity in Severity]
    layouts = definitions["run"]["properties"]["cohort"]["properties"]["layouts"]
    named = {name.lower() for name in layouts["items"]["examples"]}
    assert named == set(layout_names())
    assert set(definitions["verdict"]["enum"]) == {kind.value for kind in VerdictKind}
    assert definitions["run"]["properties"]["tier"]["enum"] == [tier.value for tier in Tier]


def test_submissions_stand_by_id_with_their_marks_and_scenarios_as_in_the_plan() -> None:
    ids = [s.id for s in PLAN.scenarios]
    found = plain()
    assert [(one["id"], one["status"], one["mark"]) for one in found["submissions"]] == [
        ("ada", "graded", 4.5),
        ("broken", "harness_error", None),
        ("unreadable", "unreadable", 0),
    ]
    assert [one["id"] for one in found["scenarios"]] == ids
    assert list(found["submissions"][0]["failed"]) == ids[1:]


@pytest.mark.parametrize(
    ("exact", "number"),
    [("9/2", 4.5), ("1/3", 0.33), ("201/200", 1.01), ("6", 6.0), ("1199/200", 6.0)],
)
def test_marks_are_rounded_half_up_once(exact: str, number: float) -> None:
    assert submissions(result("ada", exact))[0]["mark"] == number


def test_a_scenario_is_described_once() -> None:
    assert plain()["scenarios"][1] == {
        "id": "f/sampled",
        "name": "sampled",
        "function": "f",
        "clause": "4.1",
        "clauses": ["4.1"],
        "visibility": "visible",
        "tags": [],
        "informational": False,
        "extra_credit": False,
        "points": 0.33,
    }


def test_passed_scenarios_are_counted_and_failed_ones_explained() -> None:
    cause = Cause(
        function="f",
        explanation=stated("printed-not-returned", "printed plain"),
        scenarios=("f/sampled", "f/secret"),
        example="f/secret",
        blamed=True,
        place=CodePlace(file="a1.py", first=3, last=9, text=("def f(x):",)),
        line=5,
        symptoms=(Symptom(rule="printed-not-returned", scenarios=2, line=5),),
        clauses=("4.1",),
        together_with=("g",),
        marks_at_stake=Fraction(9, 2),
    )
    lead = FaultyHelper(function="g", first=3, last=4)
    facts = HardCoded(number=8, constant="SIZE", size=4)
    cause = replace(cause, explanation=replace(cause.explanation, facts=facts, lead=lead))
    said = stated("unreadable", "cannot be read")
    whole = replace(UNREADABLE, causes=(Cause(function="", explanation=said),))
    ada, broken, unreadable = submissions(whole, replace(result("ada"), causes=(cause,)), BROKEN)
    assert ada["passed"] == 1
    assert ada["failed"]["f/sampled"] == {
        "verdict": "failed",
        "points": 0.0,
        "explanation": "printed-not-returned",
        "message": "printed plain",
        "cause": 1,
    }
    assert ada["causes"] == [
        {
            "id": 1,
            "function": "f",
            "blamed": True,
            "file": "a1.py",
            "lines": [3, 9],
            "line": 5,
            "rule": "printed-not-returned",
            "message": cause.message,
            "example": "f/secret",
            "scenarios": ["f/sampled", "f/secret"],
            "symptoms": [{"rule": "printed-not-returned", "scenarios": 2, "line": 5}],
            "clauses": ["4.1"],
            "hint": "",
            "together_with": ["g"],
            "marks_at_stake": 4.5,
            "facts": {"is": "HardCoded", "number": 8, "constant": "SIZE", "size": 4},
            "lead": {"is": "FaultyHelper", "function": "g", "first": 3, "last": 4},
        }
    ]
    assert ada["failed"]["f/later"]["cause"] is None
    for nothing_run in (broken, unreadable):
        assert (nothing_run["passed"], nothing_run["failed"]) == (0, {})
    assert (broken["causes"], len(unreadable["causes"])) == ([], 1)


def test_runs_differ_in_their_times_alone_and_any_text_survives_as_ascii() -> None:
    later = replace(RUN.facts, started="x", finished="y")
    again = RunResult(facts=later, submissions=tuple(reversed(RUN.submissions)))
    lines = zip(
        results_json(RUN, PLAN).splitlines(), results_json(again, PLAN).splitlines(), strict=True
    )
    assert [a.split(":")[0].strip() for a, b in lines if a != b] == ['"started"', '"finished"']
    odd = replace(result("ada"), problem="\udc80\x1b\u202e</script>", mark=Fraction(1))
    text = results_json(replace(RUN, submissions=(odd,)), PLAN)
    assert text.isascii()
    assert text.endswith("\n")
    assert json.loads(text)["submissions"][0]["problem"] == odd.problem


def test_a_passed_scenario_takes_no_room() -> None:
    passed = small_run.outcomes(*[small_run.PASSED] * len(PLAN.scenarios))
    lengths = {
        len(results_json(replace(RUN, submissions=(replace(result("ada"), scenarios=each),)), PLAN))
        for each in ((), passed)
    }
    assert len(lengths) == 1


def test_how_many_ran_together() -> None:
    shared = replace(result("ben"), isolation=Isolation.SHARED)
    run = replace(RUN, submissions=(UNREADABLE, result("ada"), shared))
    assert plain(run)["ran"] == {"shared": 1, "alone": 1}
    found = plain(replace(RUN, submissions=()))
    assert (found["ran"], found["run"]["isolation"]) == ({"shared": 0, "alone": 0}, "auto")
    alone = replace(PLAN, assignment=replace(PLAN.assignment, isolate_all=True))
    assert plain(RUN, alone)["run"]["isolation"] == "all"


def test_nothing_hidden_is_anywhere_inside() -> None:
    assert SECRET in serial.dumps(result("ada"), kind=None)
    view = student_view(result("ada"), PLAN)
    assert SECRET not in serial.dumps(view)
    assert SECRET not in repr(view)
    assert "f.yaml" not in repr(view)


def test_visible_scenarios_are_shown_whole_and_hidden_ones_by_name_and_verdict() -> None:
    view = student_view(result("ada"), PLAN)
    first, second, *_ = result("ada").scenarios
    assert [(check.name, check.verdict) for check in view.shown] == [
        ("shown", first.verdict),
        ("sampled", second.verdict),
    ]
    assert [clause.id for clause in view.shown[0].clauses] == ["4.1"]
    assert view.shown[0].stimulus == PLAN.scenarios[0].stimuli[0]
    assert view.shown[1].stimulus == PLAN.scenarios[1].stimuli[1]  # the smallest failing draw
    assert view.shown[1].draws == 3
    assert (view.findings, view.notes) == ((FINDING,), ("a note",))
    assert student_view(UNREADABLE, PLAN).unparsable == UNREADABLE.unparsable
    assert view.hidden == tuple(
        HiddenCheck(name=name, function="f", kind=VerdictKind.FAILED)
        for name in ("secret", "later")
    )


def test_more_checks_become_visible_with_time_and_hidden_ones_show_little() -> None:
    open_now = frozenset({Visibility.VISIBLE, Visibility.AFTER_DUE_DATE})
    view = student_view(result("ada"), PLAN, visible=open_now)
    assert [check.name for check in view.shown] == ["shown", "sampled", "later"]
    assert [check.name for check in view.hidden] == ["secret"]
    # A hidden check that is worth nothing is not counted among those that are.
    scenarios = tuple(replace(each, informational=each.name == "secret") for each in PLAN.scenarios)
    view = student_view(result("ada"), replace(PLAN, scenarios=scenarios))
    assert [check.name for check in view.hidden] == ["later"]
    # How one failed is not said: else an argument could choose among a dozen kinds.
    *others, secret, later = result("ada").scenarios
    views = set()
    for kind in (VerdictKind.FAILED, VerdictKind.TIMEOUT, VerdictKind.CRASHED, VerdictKind.MISSING):
        one = replace(secret, verdict=replace(secret.verdict, kind=kind))
        of_kind = replace(result("ada"), scenarios=(*others, one, later))
        views.add(student_view(of_kind, PLAN).hidden)
    assert len(views) == 1


def test_a_view_has_the_mark_and_a_tally_for_each_function() -> None:
    view = student_view(result("ada"), PLAN)
    about = (view.id, view.title, view.course, view.mark, view.out_of)
    assert about == ("ada", "Small", "C1", Fraction(9, 2), 6)
    assert view.functions == (
        FunctionTally(
            function="f", passed=1, total=4, points=Fraction(1, 3), out_of=Fraction(4, 3)
        ),
    )


def cause_of(
    *scenarios: str, rule: str = "rule", message: str = "said to the lecturer", **changes: Any
) -> Cause:
    """A cause of these scenarios of f, the first its example, each worth 1.5 marks."""
    fields: dict[str, Any] = {
        "function": "f",
        "explanation": stated(rule, message),
        "scenarios": scenarios,
        "example": scenarios[0],
        "marks_at_stake": Fraction(3 * len(scenarios), 2),
    }
    return Cause(**fields | changes)


def first_shown(*causes: Cause, plan: Plan = PLAN) -> ShownCause:
    """What is shown first of a program that fails only hidden scenarios."""
    shown, sampled, *hidden = result("ada").scenarios
    passed = replace(sampled, verdict=shown.verdict, points=sampled.out_of)
    whole = replace(result("ada"), scenarios=(shown, passed, *hidden), causes=causes)
    return student_view(whole, plan).causes[0]


def test_hidden_causes_of_one_function_are_one() -> None:
    """They may all say the same: how many checks fail, and where."""
    causes: tuple[Cause, ...] = (
        cause_of("f/secret", rule="first", clauses=("4.1",)),
        cause_of("f/later", rule="second", clauses=("4.1",)),
    )
    cause = first_shown(*causes)
    assert (cause.message, cause.hidden, cause.marks) == ("", 2, 3)  # each is worth 1.5


def _raises_on(line: int, *, joined: bool) -> SubmissionResult:
    """A program whose visible check raises on line 2 and whose hidden one on `line`: as one cause
    or as two; line 40 is in a function so long that its place is that line alone."""
    whole = CodePlace(file="a1.py", first=1, last=90, text=("def f(a, n):", "    return a[n]"))
    alone = CodePlace(file="a1.py", first=line, last=line, text=(f"    raise Never({line})",))
    names = ("f/sampled", "f/secret") if joined else ("f/sampled",)
    shown = cause_of(
        *names, place=whole, line=2, clauses=("4.1",), marks_at_stake=Fraction(3 * len(names), 2)
    )
    if joined:
        return replace(result("ada"), causes=(shown,))
    hidden = replace(
        shown.stating(SECRET),
        scenarios=("f/secret",),
        example="f/secret",
        place=alone,
        line=line,
        raised_in=alone,
        raised_at=line,
    )
    return replace(result("ada"), causes=(shown, hidden))


def test_the_line_on_which_a_hidden_scenario_raises_changes_nothing() -> None:
    """A program may let the hidden argument choose the line: not even that it is another one than
    a visible scenario's may be seen."""
    views = [student_view(_raises_on(line, joined=False), PLAN) for line in (40, 41)]
    views.append(student_view(_raises_on(2, joined=True), PLAN))
    assert views[0] == views[1] == views[2]
    (cause,) = views[0].causes
    assert (cause.line, cause.hidden, cause.marks) == (2, 2, Fraction(9, 2))


def _two_causes(hidden_in: int, *, hidden_first: bool) -> SubmissionResult:
    """Two visible checks of f fail for two causes, and a hidden one for either of them."""
    whole = result("ada")
    first, *others = whole.scenarios
    failed = replace(first, verdict=replace(others[0].verdict, draw=None), points=Fraction(0))
    causes = []
    for index, name in enumerate(("f/shown", "f/sampled")):
        scenarios = (name, "f/secret") if index == hidden_in else (name,)
        causes.append(cause_of(*scenarios, message=name))
    if hidden_first:
        causes.sort(key=lambda cause: -cause.marks_at_stake)
    return replace(whole, scenarios=(failed, *others), causes=tuple(causes))


def test_a_hidden_check_is_not_tied_to_one_of_two_visible_causes() -> None:
    views = [
        student_view(_two_causes(where, hidden_first=first), PLAN)
        for where in (0, 1)
        for first in (False, True)
    ]
    assert all(view == views[0] for view in views)
    assert [(cause.message, cause.hidden) for cause in views[0].causes[:2]] == [
        ("f/shown", 2),
        ("f/sampled", 0),
    ]


@pytest.mark.parametrize(("shared", "together"), [("f/sampled", ("g",)), ("f/secret", ())])
def test_other_functions_that_must_be_right_are_named_if_visible(
    shared: str, together: tuple[str, ...]
) -> None:
    causes = tuple(
        cause_of(
            *dict.fromkeys([own, shared, "f/secret"]),
            function=function,
            blamed=True,
            together_with=(other,),
            marks_at_stake=Fraction(0),
        )
        for function, other, own in (("f", "g", "f/sampled"), ("g", "f", "f/later"))
    )
    open_now = frozenset({Visibility.VISIBLE, Visibility.AFTER_DUE_DATE})
    whole = replace(result("ada"), causes=causes)
    view = student_view(whole, PLAN, visible=open_now)
    assert {cause.function: cause.together_with for cause in view.causes}["f"] == together
    everything = student_view(whole, PLAN, visible=EVERYTHING)
    assert [cause.together_with for cause in everything.causes] == [("g",), ("f",)]


HIDDEN = _raises_on(40, joined=False).causes[1]


def test_a_hidden_cause_is_its_function_its_clauses_and_its_marks() -> None:
    assert first_shown(HIDDEN) == ShownCause(
        function="f", hidden=2, clauses=PLAN.assignment.clauses, marks=Fraction(3)
    )


def test_files_with_constants_are_named_where_a_scenario_of_the_function_changes_one() -> None:
    variant = small_run.provided(b"SIZE = 6\n")
    of = replace(PLAN, assignment=replace(PLAN.assignment, variants=(variant,)))
    first, *others = of.scenarios
    larger = replace(first.stimuli[0], constants=(Binding(name="SIZE", literal="8"),))
    sweeping = replace(of, scenarios=(replace(first, stimuli=(larger,)), *others))
    for plan, varied in ((of, ()), (sweeping, ("support.py",))):
        assert first_shown(HIDDEN, plan=plan).varied == varied
