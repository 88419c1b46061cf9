"""The two pages of a submission: one for the lecturer, one for its student."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.reporting.html.environment import LECTURER, STUDENT, render
from harness.reporting.view import figures, shown_causes, words
from harness.reporting.view.shown_causes import annotated
from harness.results.redaction import ShownCause, ShownCheck, put_together
from harness.results.regrade_request import request_text
from harness.results.student_view import (
    ALWAYS,
    EVERYTHING,
    FunctionTally,
    StudentView,
    student_view,
)

if TYPE_CHECKING:
    from harness.model.study import StyleEvidence


def submission_page(
    result: SubmissionResult,
    plan: Plan,
    before: str = "",
    after: str = "",
    *,
    style: "StyleEvidence | None" = None,
) -> str:
    """Return the lecturer's page of one submission, which shows everything, as HTML.

    `before` and `after` are the ids of its neighbours; `style` is its evidence, if that was
    gathered.
    """
    view = lecturers_view(result, plan, style)
    return render("submission.html.j2", **view, before=before, after=after)


def lecturers_view(
    result: SubmissionResult, plan: Plan, style: "StyleEvidence | None" = None
) -> dict[str, Any]:
    """Return what templates need to show all of one submission."""
    view = student_view(result, plan, visible=EVERYTHING)
    apart, missing = shown_causes.written_first(view.causes)
    tallies = view.functions if figures.was_run(result) else ()
    points = sum((tally.points for tally in tallies), Fraction(0))
    functionality = points * view.marks_of_a_point
    taken = functionality - view.mark if view.mark is not None else Fraction(0)
    return {
        **_of_both(view, tallies, view.causes),
        "points": points,
        "points_out_of": sum((tally.out_of for tally in tallies), Fraction(0)),
        "worth": view.marks_of_a_point.__mul__,
        "functionality": functionality,
        "taken": max(taken, Fraction(0)),
        "result": result,
        "plan": plan,
        "you": LECTURER,
        "style_evidence": style,
        "scenarios": {scenario.id: scenario for scenario in plan.scenarios},
        "hidden": frozenset(s.id for s in plan.scenarios if s.visibility not in ALWAYS),
        "reasons": list(dict.fromkeys(figures.reasons(result))),
        "isolation": words.isolation(result),
        "causes": apart,
        "missing": missing,
        "files": annotated(result, apart),
    }


def feedback_page(view: StudentView) -> str:
    """Return the student's page as HTML, from the parts that a student may see."""
    return render("feedback.html.j2", **_feedback(view))


def check_results(view: StudentView) -> str:
    """Return only the cards, for the page that checks; an example to be played names its
    scenario.
    """
    return render("check.html.j2", **_feedback(view))


def _feedback(view: StudentView) -> dict[str, object]:
    # Where our own machinery failed, there is nothing for a student to fix.
    ours = VerdictKind.HARNESS_ERROR
    causes = [c for c in view.causes if not (c.checks and c.checks[0].verdict.kind is ours)]
    shown, missing = shown_causes.written_first(causes)
    unseen = [cause for cause in shown if not cause.checks and not cause.message]
    apart = [cause for cause in shown if cause not in unseen]
    told = [f for cause in causes for f in shown_causes.runs_at_load(cause, view.findings)]
    hidden_only = bool(causes) and not any(cause.checks for cause in causes)
    return {
        **_of_both(view, view.functions if view.shown or view.hidden else (), causes),
        "you": STUDENT,
        "causes": causes,
        "apart": apart,
        "unseen": unseen,
        "quoted": shown_causes.quoted_clauses([*apart, *unseen], view.shown),
        "overlap": any(cause.together_with and cause.marks for cause in apart),
        "missing": missing,
        "only_hidden": [cause.function or "the file" for cause in causes] if hidden_only else [],
        "remedy": words.remedy(view.problem, view.surroundings.submitted),
        "findings": [each for each in view.findings if each not in told],
        "hidden": shown_causes.hidden_by_function(view.hidden),
        "request": request_text(view) if view.mark is not None and view.source_digest else "",
    }


def _of_both(
    view: StudentView, tallies: Sequence[FunctionTally], causes: Iterable[ShownCause]
) -> dict[str, Any]:
    """Return what both pages show."""
    nothing_seen = (VerdictKind.PASSED, VerdictKind.UNREADABLE)
    ungraded = [c for c in view.shown if c.informational and c.verdict.kind not in nothing_seen]
    passes: defaultdict[str, list[ShownCheck]] = defaultdict(list)
    for check in view.shown:
        if check.verdict.passed:
            passes[check.function].append(check)
    return {
        "view": view,
        "tallies": tallies,
        "passed": sum(tally.passed for tally in tallies),
        "total": sum(tally.total for tally in tallies),
        "stood_in": words.stood_in(check.verdict for check in view.shown),
        "clauses": shown_causes.clause_tallies(view.shown, causes),
        "ungraded": put_together(ungraded),
        "passes": list(passes.items()),
    }
