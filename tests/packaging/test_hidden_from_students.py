"""Nothing of a hidden scenario reaches a student, whatever a program did in it: over the page
(which is also in the feedback zip), mails, cards in a terminal and in a browser, annotations,
requests, and both platforms."""

import dataclasses
import os
import quopri
import typing
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from harness.common import serial
from harness.model.plan import Place, Plan, Scenario, Specification, Visibility
from harness.model.result import RunResult, ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.verdict import Cause, Verdict, VerdictKind
from harness.packaging.classroom50 import result_json as classroom50_json
from harness.packaging.gradescope.package import Metadata, PackageSettings, PlatformRun
from harness.packaging.gradescope.package import results_json as gradescope_json
from harness.packaging.handout import student_plan
from harness.reporting.github import markdown_summary, of_submission
from harness.reporting.html.submission_pages import check_results, feedback_page
from harness.reporting.mail import MailRequest, mails
from harness.reporting.terminal.cards import explain_failures
from harness.results.regrade_request import request_text
from harness.results.student_view import hidden_kind, student_view
from tests.forged import Forger
from tests.planter import Planter
from tests.results.small_run import FACTS, PLAN, SECRET, result

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SHOWN, UNSEEN = PLAN.scenarios[1:3]
PLACE = Place(file="hidden.yaml", line=7, column=1)
MAY_BE_SEEN = {
    "id",
    "notes",
    "comment",
    "adjustment.reason",
    "source_digest",  # Gradescope's facts, of the student's own file
    "manual.slot.title",
    "manual.slot.clause",
    *(f"manual.slot.rubric.{name}" for name in ("title", "levels.title")),
    *(f"files.{name}" for name in ("name", "data")),  # the student's own
    *(f"manual.items.{name}" for name in ("level", "title")),
    "override.reason",
    *(f"line_comments.{name}" for name in ("file", "line", "moved_from", "quoted", "text")),
    *(f"late.{name}" for name in ("due", "begun.count", "slip_days")),
    *(
        f"findings.{name}"
        for name in ("rule", "clause", "file", "line", "column", "source", "message")
    ),
    "over_budget.undecided",  # how many scenarios were not run for want of time
    "student.email",  # on its own mail
    "student.name",
}


def planted() -> tuple[SubmissionResult, dict[str, str]]:
    """A result of whose scenarios a hidden one and its cause hold something in every field."""
    planter = Planter()
    found: SubmissionResult = planter.make(SubmissionResult, "")
    entry: ScenarioResult = planter.make(ScenarioResult, "hidden")
    cause: Cause = planter.make(Cause, "hidden.causes")
    entries = list(result("ada").scenarios)
    entries[2] = dataclasses.replace(
        entry,
        scenario_id=UNSEEN.id,
        verdict=dataclasses.replace(entry.verdict, kind=VerdictKind.FAILED, draw=0),
        points=Fraction(0),
        out_of=UNSEEN.points,
    )
    cause = dataclasses.replace(cause, scenarios=(UNSEEN.id,), example=UNSEEN.id)
    whole = dataclasses.replace(
        found,
        status=SubmissionStatus.GRADED,
        problem="",
        unparsable=None,
        scenarios=tuple(entries),
        causes=(cause,),
        students_causes=None,  # of an older version: what is said of both is redacted
        pending=None,
    )
    return whole, planter.where


def outputs(whole: SubmissionResult, plan: Plan = PLAN) -> Iterator[str]:
    """All that a student gets: the page (and its zip), cards, annotations, requests, a mail, both
    platforms."""
    view = student_view(whole, plan)
    yield feedback_page(view)
    yield check_results(view)
    yield request_text(view)
    yield explain_failures(view, 99, width=100)
    run = RunResult(facts=FACTS, submissions=(whole,))
    request = MailRequest(sender="a@b.example", at=NOW, link="https://b.example/")
    for mail in mails(run, plan, Path(), request):
        yield quopri.decodestring(mail.data).decode("utf-8", "replace")
    yield markdown_summary(view, 99)
    yield "\n".join(str(each) for each in of_submission(view, {"a1.py": "a1.py"}))
    yield classroom50_json(whole, plan, os.environ, NOW)
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
    assert {"notes", "findings.message"} <= seen  # it does look


@pytest.mark.parametrize("shows_hint", [False, True])
def test_of_a_hidden_scenario_only_chosen_fields_reach_a_student(shows_hint: bool) -> None:
    """Not its id, which has the swept constants, nor, unless its author wants that, what its author
    wrote of it."""
    planter = Planter(7_320_000)
    texts = {
        name: planter.make(kind, name)
        for name, kind in typing.get_type_hints(Scenario).items()
        if kind in (str, int, tuple[str, ...]) and name not in ("id", "clauses")
    }
    secret = dataclasses.replace(
        UNSEEN, id="f/planted[SIZE=7309999]", place=PLACE, shows_hint=shows_hint, **texts
    )
    plan = dataclasses.replace(PLAN, scenarios=(*PLAN.scenarios[:2], secret))
    whole, _ = planted()
    entries = list(whole.scenarios[:3])
    entries[2] = dataclasses.replace(entries[2], scenario_id=secret.id)
    (cause,) = whole.causes
    cause = dataclasses.replace(cause, scenarios=(secret.id,), example=secret.id)
    whole = dataclasses.replace(whole, scenarios=tuple(entries), causes=(cause,))
    where = planter.where | {SECRET: "stimuli", "7309999": "id", PLACE.file: "place"}
    seen = set()
    with_hint = 0
    for text in outputs(whole, plan):
        seen_here = {path for word, path in where.items() if word in text}
        with_hint += {"hint", "description"} <= seen_here
        seen |= seen_here
    assert seen == {"name", "function"} | ({"hint", "description"} if shows_hint else set())
    # Page, terminal, Markdown, annotations, Gradescope; a mail has the page.
    assert with_hint == (5 if shows_hint else 0)


# What a cause says by its example, where that is visible.
SAID_OF_A_VISIBLE_EXAMPLE = {
    *("explanation.facts.sentence", "explanation.later.facts.sentence", "explanation.hint"),
    *("explanation.reason.line", "explanation.reason.function", "explanation.remarks"),
    *("explanation.lead.condition", "explanation.lead.prints", "explanation.lead.asked"),
    *("line", "place.file", "place.first", "place.last", "place.text"),
    *("raised_in.file", "raised_in.first", "raised_in.last", "raised_in.text", "raised_at"),
    *("suspects.function", "suspects.lines", "suspects.place.file", "suspects.place.first"),
    *("suspects.place.last", "suspects.place.text"),
}


@pytest.mark.parametrize("example", [UNSEEN.id, SHOWN.id])
def test_a_mixed_cause_shows_only_the_explanation_of_visible_failures(example: str) -> None:
    """Where the example is hidden, nothing of it is said; what is said of the cause as a whole
    (which functions have to be right as well, the symptoms) rests on hidden failures too."""
    whole, where = planted()
    (cause,) = whole.causes
    mixed = dataclasses.replace(cause, scenarios=(SHOWN.id, UNSEEN.id), example=example)
    texts = list(outputs(dataclasses.replace(whole, causes=(mixed,))))
    seen = {path for text in texts for number, path in where.items() if number in text}
    said = SAID_OF_A_VISIBLE_EXAMPLE if example == SHOWN.id else set()
    allowed = {f"hidden.causes.{name}" for name in {*said, "function"}} | MAY_BE_SEEN
    assert seen - allowed == set()
    assert {
        f"hidden.causes.{name}" for name in said & {"explanation.facts.sentence", "line"}
    } <= seen


def interfered(whole: SubmissionResult, plan: Plan, forger: Forger) -> SubmissionResult:
    """The same submission, had its program done something else in hidden scenarios, with the same
    success: other verdicts, and other causes wherever one rests on a hidden scenario."""
    hidden = {each.id for each in plan.scenarios if each.visibility is not Visibility.VISIBLE}
    entries = []
    for entry in whole.scenarios:
        verdict = entry.verdict
        if entry.scenario_id in hidden and _is_failure(verdict.kind):
            kind = forger.chance.choice([each for each in VerdictKind if _is_failure(each)])
            verdict = dataclasses.replace(forger.make(Verdict), kind=kind, draw=None)
        entries.append(dataclasses.replace(entry, verdict=verdict))
    causes: list[Cause] = []
    for cause in whole.causes:
        visible = tuple(name for name in cause.scenarios if name not in hidden)
        more = tuple(name for name in sorted(hidden) if forger.chance.random() < 0.5)
        if not visible:
            made: Cause = forger.make(Cause)
            causes.append(dataclasses.replace(made, scenarios=more, example="".join(more[:1])))
        elif cause.example in hidden:
            made = dataclasses.replace(
                forger.make(Cause), **{name: getattr(cause, name) for name in OF_THE_WHOLE}
            )
            causes.append(dataclasses.replace(made, scenarios=(*visible, *more)))
        else:
            causes.append(dataclasses.replace(cause, scenarios=(*visible, *more)))
    return dataclasses.replace(whole, scenarios=tuple(entries), causes=tuple(causes))


# What is said of a cause of visible and hidden scenarios, as visible ones alone would have it.
OF_THE_WHOLE = ("function", "blamed", "together_with", "example", "marks_at_stake")


def _is_failure(kind: VerdictKind) -> bool:
    return hidden_kind(Verdict(kind=kind)) is VerdictKind.FAILED


@pytest.mark.parametrize("seed", [0, 4, 5])
def test_behaviour_in_hidden_scenarios_changes_no_output(seed: int) -> None:
    forger = Forger(seed)
    # What opens later is on Gradescope from the start, which shows it then.
    *scenarios, last = PLAN.scenarios
    closed = dataclasses.replace(last, visibility=Visibility.HIDDEN)
    plan = dataclasses.replace(PLAN, scenarios=(*scenarios, closed))
    whole = forger.result(plan, "ada")
    whole = dataclasses.replace(whole, problem="", unparsable=None)
    whole = dataclasses.replace(whole, status=SubmissionStatus.GRADED, mark=None)
    causes = tuple(
        dataclasses.replace(each, together_with=(), marks_at_stake=Fraction(0))
        for each in whole.causes
    )
    whole = dataclasses.replace(whole, causes=causes)
    first = list(outputs(whole, plan))
    assert list(outputs(interfered(whole, plan, forger), plan)) == first


def test_no_digest_of_what_is_hidden_is_handed_out() -> None:
    """A student who guesses a small hidden file could confirm the guess by one."""
    specification = Specification(
        plan=PLAN, reference=(), mutants=(), transcripts=(), folder="specs/small"
    )
    plans = []
    for digest in ("5", "6"):
        whole = dataclasses.replace(PLAN, spec_digest=digest * 64, reference_digest=digest * 64)
        made = student_plan(dataclasses.replace(specification, plan=whole))
        assert digest * 20 not in serial.dumps(made)
        plans.append(made)
    assert plans[0] == plans[1]
