"""A text in every field of a result with hidden scenarios, looked for in all that a student gets.

A new field is planted as well: it may be seen only when this list names it.
"""

from __future__ import annotations

import dataclasses
import os
import types
import typing
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

from harness.model.plan import Place, Plan, Scenario, Visibility
from harness.model.result import (
    RunFacts,
    RunResult,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.verdict import Cause, VerdictKind
from harness.packaging.classroom50 import result_json as classroom50_json
from harness.packaging.gradescope.results import results_json as gradescope_json
from harness.packaging.gradescope.settings import Metadata, PackageSettings, PlatformRun
from harness.reporting.export.anonymous import anonymous
from harness.reporting.github import markdown_summary, of_submission
from harness.reporting.html.submission_pages import feedback_page
from harness.reporting.terminal.cards import explain_failures
from harness.results.results_json import results_json
from harness.results.student_view import student_view
from tests.results.small_run import PLAN, SECRET, result

SHOWN, HIDDEN = PLAN.scenarios[1:3]
PLACE = Place(file="hidden.yaml", line=7, column=1)
MAY_BE_SEEN = {
    "id",
    "notes",
    "comment",
    "adjustment.reason",
    "source_digest",  # Gradescope's facts, of the student's own file
    "manual.slot.title",
    "manual.slot.clause",
    *(f"manual.items.{name}" for name in ("level", "title")),
    "override.reason",
    *(f"line_comments.{name}" for name in ("file", "line", "moved_from", "quoted", "text")),
    *(f"late.{name}" for name in ("due", "begun.count", "slip_days")),
    *(
        f"findings.{name}"
        for name in ("rule", "clause", "file", "line", "column", "source", "message")
    ),
    "hidden.causes.function",
}
STAY_WHEN_ANONYMOUS = {
    *(f"findings.{name}" for name in ("rule", "clause", "line", "column", "source", "message")),
    *("unparsable.reason", "unparsable.line", "manual.slot.id", "manual.slot.title"),
    *("attempt", "attempts", "late.begun.count", "late.slip_days"),
    *(f"causes.{name}" for name in ("function", "scenarios", "example")),
    *(f"causes.explanation.{name}" for name in ("rule", "message")),
    *(f"causes.{name}" for name in ("line", "clauses", "hint", "together_with")),
    *(f"causes.place.{name}" for name in ("first", "last")),
    *(f"causes.symptoms.{name}" for name in ("rule", "scenarios", "line")),
    *(f"facts.{name}" for name in ("assignment", "started", "finished", "harness", "python")),
    *(f"facts.{name}" for name in ("python_wanted", "interpreter", "spec_digest")),
    *(f"facts.{name}" for name in ("reference_digest", "input_mechanism", "not_prevented")),
    *(f"facts.probes.{name}" for name in ("name", "detail")),
    *(f"facts.limits.{name}" for name in ("memory_mib", "output_kib")),
    *(f"facts.cohort.{name}" for name in ("layouts", "submissions", "students", "due")),
    *("facts.cohort.time_zone", "facts.strength.changes", "facts.strength.noticed"),
}


class Planter:
    """Makes values of dataclasses, each text and number in them one of its own; `where` has the
    field of each."""

    def __init__(self, first: int = 7_310_000) -> None:
        self.where: dict[str, str] = {}
        self._first = first

    def make(self, kind: Any, path: str) -> Any:
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            return self.make(next(each for each in parts if each is not type(None)), path)
        if origin is tuple:
            return (self.make(parts[0], path),)
        if kind in (str, int, bytes):
            number = self._first + len(self.where)
            self.where[str(number)] = path
            text = f"planted{number}"
            return number if kind is int else text if kind is str else text.encode()
        if kind in (bool, Fraction, float):
            return kind(1)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return next(iter(kind))
        assert dataclasses.is_dataclass(kind), f"{path}: {kind}"
        hints = typing.get_type_hints(kind)
        return kind(  # type: ignore[operator]
            **{
                each.name: self.make(hints[each.name], f"{path}.{each.name}".lstrip("."))
                for each in dataclasses.fields(kind)
            }
        )


def planted() -> tuple[SubmissionResult, dict[str, str]]:
    """A result of whose scenarios a hidden one and its cause hold something in every field."""
    planter = Planter()
    found: SubmissionResult = planter.make(SubmissionResult, "")
    entry: ScenarioResult = planter.make(ScenarioResult, "hidden")
    cause: Cause = planter.make(Cause, "hidden.causes")
    entries = list(result("ada").scenarios)
    entries[2] = dataclasses.replace(
        entry,
        scenario_id=HIDDEN.id,
        verdict=dataclasses.replace(entry.verdict, kind=VerdictKind.FAILED, draw=0),
        points=Fraction(0),
        out_of=HIDDEN.points,
    )
    cause = dataclasses.replace(cause, scenarios=(HIDDEN.id,), example=HIDDEN.id, about_text=False)
    whole = dataclasses.replace(
        found,
        status=SubmissionStatus.GRADED,
        problem="",
        unparsable=None,
        scenarios=tuple(entries),
        causes=(cause,),
    )
    return whole, planter.where


def outputs(whole: SubmissionResult, plan: Plan = PLAN) -> Iterator[str]:
    """All that a student gets: the page (and its zip), cards, annotations, both platforms."""
    view = student_view(whole, plan)
    yield feedback_page(view)
    yield explain_failures(view, 99, width=100)
    yield markdown_summary(view, 99)
    yield "\n".join(str(each) for each in of_submission(view, {"a1.py": "a1.py"}))
    yield classroom50_json(whole, plan, os.environ, datetime.now(UTC))
    settings = PackageSettings(
        assignment="small",
        python="3.12",
        hidden=Visibility.VISIBLE,  # what a lecturer may choose
        stop_after=1,
        end_after=2,
        harness="1",
    )
    yield gradescope_json(PlatformRun(result=whole), plan, settings, Metadata(), 1.0)


def test_only_chosen_fields_reach_a_student() -> None:
    whole, where = planted()
    texts = list(outputs(whole))
    seen = {path for text in texts for number, path in where.items() if number in text}
    assert seen - MAY_BE_SEEN == set()
    assert {"notes", "findings.message", "hidden.causes.function"} <= seen  # it does look


def test_of_a_hidden_scenario_only_function_and_name_reach_a_student() -> None:
    """Not its id, which has the swept constants, nor anything that its author wrote of it."""
    planter = Planter(7_320_000)
    hints = typing.get_type_hints(Scenario)
    texts = {
        each.name: planter.make(hints[each.name], each.name)
        for each in dataclasses.fields(Scenario)
        if hints[each.name] in (str, int, tuple[str, ...]) and each.name not in ("id", "clauses")
    }
    secret = dataclasses.replace(HIDDEN, id="f/planted[SIZE=7309999]", place=PLACE, **texts)
    scenarios = (*PLAN.scenarios[:2], secret)
    plan = dataclasses.replace(PLAN, scenarios=scenarios)
    whole, _ = planted()
    entries = list(whole.scenarios[:3])
    entries[2] = dataclasses.replace(entries[2], scenario_id=secret.id)
    (cause,) = whole.causes
    cause = dataclasses.replace(cause, scenarios=(secret.id,), example=secret.id)
    whole = dataclasses.replace(whole, scenarios=tuple(entries), causes=(cause,))
    where = planter.where | {SECRET: "stimuli", "7309999": "id", PLACE.file: "place"}
    texts_out = list(outputs(whole, plan))
    assert {path for text in texts_out for word, path in where.items() if word in text} == {
        "name",
        "function",
    }


# What a cause says by its example, where that is visible.
SAID_OF_A_VISIBLE_EXAMPLE = {
    *("explanation.message", "line", "place.file", "place.first", "place.last", "place.text"),
    *("raised_in.file", "raised_in.first", "raised_in.last", "raised_in.text", "raised_at"),
    *("suspects.function", "suspects.lines", "suspects.place.file", "suspects.place.first"),
    *("suspects.place.last", "suspects.place.text"),
}


@pytest.mark.parametrize("example", [HIDDEN.id, SHOWN.id])
def test_a_cause_of_visible_and_hidden_failures_says_what_visible_ones_say(example: str) -> None:
    """Where the example is hidden, nothing of it is said; what is said of the cause as a whole
    (which functions have to be right as well, the symptoms) rests on hidden failures too."""
    whole, where = planted()
    (cause,) = whole.causes
    mixed = dataclasses.replace(cause, scenarios=(SHOWN.id, HIDDEN.id), example=example)
    texts = list(outputs(dataclasses.replace(whole, causes=(mixed,))))
    seen = {path for text in texts for number, path in where.items() if number in text}
    said = SAID_OF_A_VISIBLE_EXAMPLE if example == SHOWN.id else set()
    allowed = {f"hidden.causes.{name}" for name in said} | MAY_BE_SEEN
    assert seen - allowed == set()
    assert {f"hidden.causes.{name}" for name in said & {"explanation.message", "line"}} <= seen


def test_only_listed_fields_reach_an_anonymous_export() -> None:
    planter = Planter()
    whole: SubmissionResult = planter.make(SubmissionResult, "")
    facts: RunFacts = planter.make(RunFacts, "facts")
    run = RunResult(facts=facts, submissions=(whole,))
    text = results_json(anonymous(run), PLAN)
    seen = {path for number, path in planter.where.items() if number in text}
    assert seen == STAY_WHEN_ANONYMOUS
