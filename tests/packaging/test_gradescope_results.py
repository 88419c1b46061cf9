"""What a run comes to: marks, none, and who sees what."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness.assignment.loading import load
from harness.execution import create_driver
from harness.grading.context import GradingContext, prepare
from harness.grading.grader import Grader
from harness.model.observation import Tier
from harness.model.plan import SourceFile, Visibility
from harness.model.submission import Submission, Withheld
from harness.packaging.gradescope.results import fallback_json, results_json
from harness.packaging.gradescope.run import InTime, grade_one
from harness.packaging.gradescope.settings import (
    Metadata,
    NoMark,
    PackageSettings,
    PlatformRun,
    read_metadata,
)
from tests.packaging.autograder_tree import SCHEMA, gives_no_mark, verdicts
from tests.tiny_course import FIXTURE

SETTINGS = PackageSettings(
    assignment="tiny",
    python="3.12",
    hidden=Visibility.AFTER_PUBLISHED,
    stop_after=420,
    end_after=510,
    harness="0.1.0",
)


@pytest.fixture(scope="module")
def context() -> GradingContext:
    return prepare(load(FIXTURE, "tiny"))


def handed_in(name: str, **facts: Any) -> Submission:
    data = (FIXTURE / "submissions" / "tiny" / name / "a1.py").read_bytes()
    files = (SourceFile(name="a1.py", data=data),)
    return Submission(id="1", files=files, origin="", **facts)


@pytest.fixture(scope="module")
def faulty(context: GradingContext) -> PlatformRun:
    return grade_one(context, handed_in("hard_coded_5"), float("inf"))


def shown(
    run: PlatformRun,
    context: GradingContext,
    settings: PackageSettings = SETTINGS,
    metadata: Metadata | None = None,
) -> dict[str, Any]:
    plan = context.specification.plan
    text = results_json(run, plan, settings, metadata or Metadata(), 1.04)
    plain: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(plain)
    return plain


def test_the_mark_stands_on_top_once(faulty: PlatformRun, context: GradingContext) -> None:
    results = shown(faulty, context)
    assert results["score"] == 4.62
    assert results["execution_time"] == 1.0
    assert not [test for test in results["tests"] if {"score", "max_score"} & test.keys()]


def test_what_to_fix_stands_above_the_tests(faulty: PlatformRun, context: GradingContext) -> None:
    page = shown(faulty, context)["output"]
    items = page.split("<p>To fix, most marks first</p>")[1].split("</ul>")[0]
    assert items.count("<li>") == 1
    assert re.search(r"<li>is_valid \(a1\.py, lines \d+ to \d+\): This looks hard-coded to", items)


@pytest.mark.parametrize("visibility", list(Visibility))
def test_hidden_scenarios_are_shown_as_the_package_says(
    faulty: PlatformRun, context: GradingContext, visibility: Visibility
) -> None:
    settings = replace(SETTINGS, hidden=visibility)
    tests = {test["name"]: test for test in shown(faulty, context, settings)["tests"]}
    assert tests["is_valid: the limit itself"]["visibility"] == visibility.value
    assert tests["is_valid: the limit itself"]["output"] == "A hidden check: failed."
    assert tests["is_valid: a word"]["visibility"] == "visible"


@pytest.mark.parametrize("visibility", [Visibility.AFTER_DUE_DATE, Visibility.AFTER_PUBLISHED])
def test_what_a_course_opens_later_is_told_whole_then(
    faulty: PlatformRun, context: GradingContext, visibility: Visibility
) -> None:
    plan = context.specification.plan
    later = "is_valid/the-limit-itself"
    scenarios = tuple(
        replace(one, visibility=visibility) if one.id == later else one for one in plan.scenarios
    )
    assert scenarios != plan.scenarios
    changed = replace(plan, scenarios=scenarios)
    tests = json.loads(results_json(faulty, changed, SETTINGS, Metadata(), 1))["tests"]
    test = next(test for test in tests if test["name"].startswith("is_valid: the limit itself"))
    assert test["visibility"] == visibility.value
    assert test["name"].endswith("[LIMIT = 9]")
    assert "is_valid(f" in test["output"]


def test_an_informational_one_is_neither_passed_nor_failed(
    faulty: PlatformRun, context: GradingContext
) -> None:
    plan = context.specification.plan
    scenarios = tuple(replace(one, informational=True) for one in plan.scenarios)
    changed = replace(plan, scenarios=scenarios)
    tests = json.loads(results_json(faulty, changed, SETTINGS, Metadata(), 1))["tests"]
    assert not [test for test in tests if "status" in test]
    assert all(test["output"].startswith("Not graded.") for test in tests)


def test_where_the_time_ends_in_the_middle(context: GradingContext) -> None:
    """What ran is told, what did not is neither passed nor failed, and there is no mark."""
    seconds: Iterator[float] = itertools.count()
    plan, key = context.specification.plan, context.key
    driver = InTime(create_driver(context.interpreter, context.tier.tier), 4, lambda: next(seconds))
    with driver, Grader(plan, key, driver) as grader:
        result = grader.grade(handed_in("perfect")).result
    assert driver.ran_out
    assert result.mark is None
    results = shown(
        PlatformRun(context=context, result=result, no_mark=NoMark.OUT_OF_TIME), context
    )
    assert gives_no_mark(results)
    states = [*verdicts(results).values()][1:]
    assert states == ["passed"] * 4 + [None] * (len(plan.scenarios) - 4)


def test_a_run_out_of_time_is_not_tried_again(context: GradingContext) -> None:
    run = grade_one(context, handed_in("perfect"), 0)
    assert run.no_mark is NoMark.OUT_OF_TIME


@pytest.mark.parametrize("reason", list(Withheld))
def test_what_a_person_must_see_has_no_mark(context: GradingContext, reason: Withheld) -> None:
    submission = handed_in("perfect", withheld=reason, notes=("two files of that name",))
    results = shown(grade_one(context, submission, float("inf")), context)
    assert gives_no_mark(results)
    assert "two files of that name" in results["output"]


@pytest.mark.parametrize("reason", list(NoMark))
def test_every_reason_is_said_to_the_student(context: GradingContext, reason: NoMark) -> None:
    results = shown(PlatformRun(no_mark=reason, complaint="check_win/slow: secret"), context)
    assert gives_no_mark(results)
    assert "there is no mark" in results["tests"][0]["output"].lower()
    assert "secret" not in json.dumps(results)


def test_the_fallback_is_no_mark() -> None:
    results = json.loads(fallback_json())
    jsonschema.Draft202012Validator(SCHEMA).validate(results)
    assert gives_no_mark(results)


def test_only_a_confined_run_gives_a_mark(context: GradingContext) -> None:
    unconfined = replace(context, tier=replace(context.tier, tier=Tier.PORTABLE))
    run = grade_one(unconfined, handed_in("perfect"), float("inf"))
    assert run.no_mark is NoMark.NOT_CONFINED


def test_what_people_give_is_named(faulty: PlatformRun, context: GradingContext) -> None:
    course = load(FIXTURE.parents[2], "connect4ish")
    page = results_json(faulty, course.plan, SETTINGS, Metadata(), 1)
    assert "Marked by hand, not in this score: Code style, out of 4." in page


WHEN = "2024-03-22T15:00:00.123456+10:00"


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ({"id": 7}, Metadata(id="7")),
        ({"id": True, "previous_submissions": [{}, {}]}, Metadata(attempt=3)),
        ({"created_at": WHEN, "assignment": {"due_date": WHEN}}, Metadata()),
        (
            {"created_at": WHEN, "assignment": {"due_date": "2024-03-22T04:00:00.123456+00:00"}},
            Metadata(late_by=timedelta(hours=1)),
        ),
        (
            {"created_at": WHEN, "assignment": {"due_date": "soon"}},
            Metadata(notice="a time in m.json cannot be read and was not used"),
        ),
        (
            {"created_at": WHEN, "assignment": {"due_date": "2024-03-22T04:00:00"}},
            Metadata(notice="a time in m.json cannot be read and was not used"),
        ),
        ({"created_at": WHEN, "assignment": []}, Metadata()),
        ([], Metadata(notice="m.json is not as the platform writes it and was not used")),
    ],
)
def test_metadata(plain: object, expected: Metadata, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(plain))
    assert read_metadata(path) == expected


def test_metadata_that_is_not_there(tmp_path: Path) -> None:
    notice = "m.json cannot be read (No such file or directory)"
    assert read_metadata(tmp_path / "m.json") == Metadata(notice=notice)
