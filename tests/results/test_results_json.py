"""results.json: its shape, its numbers, its order."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness.model.observation import Isolation, Tier
from harness.model.plan import ManualSlot, Plan
from harness.model.policy import Severity
from harness.model.result import (
    Adjustment,
    ManualMark,
    RunResult,
    StrengthFigures,
    SubmissionStatus,
)
from harness.model.verdict import Cause, CodePlace, Explanation, Symptom, Verdict, VerdictKind
from harness.policy.rules import finding_kinds
from harness.results.results_json import results_json
from tests.results.small_run import BROKEN, FACTS, PLAN, UNREADABLE, result

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "results.schema.json").read_text())
RUN = RunResult(
    facts=replace(FACTS, complete=True, finished="2026-01-02T03:05:00+00:00"),
    submissions=(UNREADABLE, result("ada"), BROKEN),
)


VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def plain(run: RunResult = RUN, plan: Plan = PLAN) -> Any:
    """The run as JSON, which is as its schema says."""
    found = json.loads(results_json(run, plan))
    VALIDATOR.validate(found)
    return found


def test_what_a_scenario_needs_and_how_fast_it_must_be_stand_there_where_stated() -> None:
    first, *others = PLAN.scenarios
    plan = replace(PLAN, scenarios=(replace(first, needs=("f",), faster_than=5), *others))
    told, other, *_ = plain(RUN, plan)["scenarios"]
    assert (told["needs"], told["faster_than"]) == (["f"], 5)
    assert not {"needs", "faster_than"} & other.keys()


def test_the_strength_of_the_scenarios_stands_there_where_it_was_measured() -> None:
    assert "strength" not in plain()["run"]
    facts = replace(RUN.facts, strength=StrengthFigures(changes=8, noticed=7))
    found = plain(replace(RUN, facts=facts))
    assert found["run"]["strength"] == {"changes": 8, "noticed": 7}


def test_totals_adjustments_and_comments_stand_beside_the_mark() -> None:
    style = ManualSlot(id="style", title="Code style", out_of=Fraction(4))
    whole = replace(
        result("ada"),
        manual=(ManualMark(slot=style, mark=Fraction(1, 3)),),
        adjustment=Adjustment(marks=Fraction(-1, 3), reason="late"),
        comment="Good.",
    )
    waiting = replace(whole, id="fay", manual=(ManualMark(slot=style),))
    some = (whole, replace(whole, id="eve", adjustment=None), BROKEN, waiting)
    run = replace(RUN, submissions=some)
    ada, broken, eve, fay = plain(run)["submissions"]
    assert ada["manual"] == [{"id": "style", "title": "Code style", "out_of": 4.0, "mark": 0.33}]
    assert (ada["mark"], ada["out_of"], broken["manual"]) == (4.5, 6.0, [])
    assert ada["adjustment"] == {"marks": -0.33, "reason": "late"}
    assert (ada["total"], ada["total_out_of"], ada["comment"]) == (4.5, 10.0, "Good.")
    assert (eve["adjustment"], eve["total"]) == (None, 4.83)
    assert (broken["total"], broken["total_out_of"]) == (None, 6.0)
    assert (fay["manual"][0]["mark"], fay["total"]) == (None, None)


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
    assert not VALIDATOR.is_valid(spoiled)


def test_the_schema_knows_every_status_rule_and_verdict() -> None:
    VALIDATOR.check_schema(SCHEMA)
    definitions = SCHEMA["$defs"]
    submission = definitions["submission"]["properties"]
    assert submission["status"]["enum"] == [status.value for status in SubmissionStatus]
    finding = definitions["finding"]["properties"]
    assert set(finding["rule"]["examples"]) <= {kind.name for kind in finding_kinds()}
    assert finding["severity"]["enum"] == [severity.value for severity in Severity]
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
    run = replace(RUN, submissions=(result("ada", exact),))
    assert plain(run)["submissions"][0]["mark"] == number


def test_a_scenario_says_what_it_is_once() -> None:
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


def test_what_passed_is_counted_and_what_failed_says_why() -> None:
    names = ("f/sampled", "f/secret")
    cause = Cause(
        function="f",
        explanation=Explanation(rule="printed-not-returned", message="printed plain"),
        scenarios=names,
        example="f/secret",
        blamed=True,
        place=CodePlace(file="a1.py", first=3, last=9, text=("def f(x):",)),
        line=5,
        symptoms=(Symptom(rule="printed-not-returned", scenarios=2, line=5),),
        clauses=("4.1",),
        together_with=("g",),
        marks_at_stake=Fraction(9, 2),
    )
    said = Explanation(rule="unreadable", message="cannot be read")
    whole_file = Cause(function="", explanation=said)
    causes = (replace(UNREADABLE, causes=(whole_file,)), replace(result("ada"), causes=(cause,)))
    found = plain(replace(RUN, submissions=(*causes, BROKEN)))
    ada, broken, unreadable = found["submissions"]
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
            "message": "printed plain",
            "example": "f/secret",
            "scenarios": ["f/sampled", "f/secret"],
            "symptoms": [{"rule": "printed-not-returned", "scenarios": 2, "line": 5}],
            "clauses": ["4.1"],
            "hint": "",
            "together_with": ["g"],
            "marks_at_stake": 4.5,
        }
    ]
    assert ada["failed"]["f/later"]["cause"] is None
    for nothing_run in (broken, unreadable):
        assert (nothing_run["passed"], nothing_run["failed"]) == (0, {})
    assert (broken["causes"], len(unreadable["causes"])) == ([], 1)


def test_runs_of_the_same_inputs_differ_in_their_times_alone() -> None:
    later = replace(RUN.facts, started="x", finished="y")
    again = RunResult(facts=later, submissions=tuple(reversed(RUN.submissions)))
    lines = zip(
        results_json(RUN, PLAN).splitlines(), results_json(again, PLAN).splitlines(), strict=True
    )
    assert [a.split(":")[0].strip() for a, b in lines if a != b] == ['"started"', '"finished"']


def test_any_text_survives_as_ascii() -> None:
    odd = replace(result("ada"), problem="\udc80\x1b\u202e</script>", mark=Fraction(1))
    text = results_json(replace(RUN, submissions=(odd,)), PLAN)
    assert text.isascii()
    assert text.endswith("\n")
    assert json.loads(text)["submissions"][0]["problem"] == odd.problem


def test_a_passed_scenario_takes_no_room() -> None:
    right = result("ada")
    passed = tuple(
        replace(each, verdict=Verdict(kind=VerdictKind.PASSED)) for each in right.scenarios
    )
    one, all_right = (
        len(results_json(replace(RUN, submissions=(each,)), PLAN))
        for each in (replace(right, scenarios=()), replace(right, scenarios=passed))
    )
    assert all_right == one


def test_how_many_ran_together() -> None:
    shared = replace(result("ben"), isolation=Isolation.SHARED)
    run = replace(RUN, submissions=(UNREADABLE, result("ada"), shared))
    assert plain(run)["ran"] == {"shared": 1, "alone": 1}
    found = plain(replace(RUN, submissions=()))
    assert (found["ran"], found["run"]["isolation"]) == ({"shared": 0, "alone": 0}, "proved")
    alone = replace(PLAN, assignment=replace(PLAN.assignment, isolate_all=True))
    assert plain(RUN, alone)["run"]["isolation"] == "all"
