"""The two pages of a submission: one for the lecturer, one for its student."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from harness.model.plan import Clause, Plan
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.reporting.html.environment import LECTURER, STUDENT, render, script
from harness.reporting.view import figures, shown_causes, words
from harness.reporting.view.marks import counting_mark
from harness.reporting.view.shown_causes import Card, CardKind, LineLinks, annotated
from harness.results.redaction import ShownCause, ShownCheck, merge_causes
from harness.results.regrade_request import request_mail, request_text
from harness.results.student_view import (
    ALWAYS,
    EVERYTHING,
    FunctionTally,
    StudentView,
    student_view,
)

if TYPE_CHECKING:
    from harness.model.study import StyleEvidence


# By the numbers of cards: the names of places.
_OfCards = dict[int, list[str]]


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
    near = {"before": before, "after": after, **script("page.js")}
    return render("submission.html.j2", **view, **near)


def lecturers_view(
    result: SubmissionResult, plan: Plan, style: "StyleEvidence | None" = None
) -> dict[str, Any]:
    """Return what templates need to show all of one submission."""
    view = student_view(result, plan, visible=EVERYTHING)
    cards = shown_causes.cards(view.causes)
    files = annotated(result, cards)
    of_cards, of_rows = _targets(figures.function_names(plan), cards)
    tallies = view.functions if figures.was_run(result) else ()
    points = sum((tally.points for tally in tallies), Fraction(0))
    functionality = points * view.marks_of_a_point
    taken = functionality - view.mark if view.mark is not None else Fraction(0)
    return {
        **_of_both(view, tallies, view.causes),
        "line_links": LineLinks(files),
        "targets": of_cards,
        "row_targets": of_rows,
        "desk_command": f"{desk_command(plan)} --at {shlex.quote(result.id)}",
        "band": _band(result),
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
        "cards": cards,
        "files": files,
    }


def _targets(functions: Sequence[str], cards: Sequence[Card]) -> tuple[_OfCards, dict[str, str]]:
    """Return the anchors that the class page links to; `f3` is the third function.

    The first value has them by the number of the first card that explains a function's failures,
    the second by the names of functions without a card.
    """
    of_cards: defaultdict[int, list[str]] = defaultdict(list)
    of_rows: dict[str, str] = {}
    for place, function in enumerate(functions, start=1):
        about = [card.number for card in cards if _is_about(card, function)]
        if about:
            of_cards[about[0]].append(f"f{place}")
        else:
            of_rows[function] = f"f{place}"
    return dict(of_cards), of_rows


def desk_command(plan: Plan) -> str:
    """Return the command that opens the page for marking."""
    return f"harness review reports/{plan.assignment.id}"


def _band(result: SubmissionResult) -> int:
    """Return the number of the bar with this mark on the class page, from 1; 0 for none."""
    counting = counting_mark(result)
    if counting.value is None or result.excused:
        return 0
    place = figures.bar_of(counting.value, counting.out_of)
    return 0 if place is None else place + 1


def _is_about(card: Card, function: str) -> bool:
    for cause in card.causes:
        if cause.function in ("", function):
            return True
        if any(check.function == function for check in cause.checks):
            return True
    return False


def feedback_page(view: StudentView) -> str:
    """Return the student's page as HTML, from the parts that a student may see."""
    return render("feedback.html.j2", **_feedback(view), **script("page.js"))


def check_results(view: StudentView) -> str:
    """Return only the cards, for the page that checks; an example to be played names its
    scenario.
    """
    return render("check.html.j2", **_feedback(view))


def _feedback(view: StudentView) -> dict[str, object]:
    causes = [cause for cause in view.causes if not _is_ours(cause)]
    cards = shown_causes.cards(causes, joins_hidden=True)
    told = [f for cause in causes for f in shown_causes.runs_at_load(cause, view.findings)]
    hidden_only = bool(causes) and not any(cause.checks for cause in causes)
    can_request = view.mark is not None and bool(view.source_digest)
    files = annotated(view, cards, notes=False)
    return {
        **_of_both(view, view.functions if view.shown or view.hidden else (), causes),
        "line_links": LineLinks(files),
        "files": files,
        "you": STUDENT,
        "causes": causes,
        "cards": cards,
        "quoted": _quoted(cards, view),
        "overlap": any(cause.together_with and cause.marks for cause in causes),
        "only_hidden": [cause.function or "the file" for cause in causes] if hidden_only else [],
        "failing": _failing(causes),
        "remedy": words.remedy(view.wrong_files, view.surroundings.submitted),
        "findings": [each for each in view.findings if each not in told],
        "hidden": shown_causes.hidden_by_function(view.hidden),
        "request": request_text(view) if can_request else "",
        "request_mail": request_mail(view) if can_request else "",
    }


def _is_ours(cause: ShownCause) -> bool:
    """Return whether our own machinery failed: then there is nothing for a student to fix."""
    return bool(cause.checks) and cause.checks[0].verdict.kind is VerdictKind.HARNESS_ERROR


def _failing(causes: Iterable[ShownCause]) -> list[ShownCheck]:
    """Return the checks that fail, each once: several causes may share one."""
    checks = {check.id: check for cause in causes for check in cause.checks}
    return list(checks.values())


def _quoted(cards: Sequence[Card], view: StudentView) -> dict[int, list[tuple[Clause, ...]]]:
    """Return the clauses to quote on each card, by its number: those of each of its causes."""
    quoting = [card for card in cards if card.kind is not CardKind.MISSING]
    in_order = [cause for card in quoting for cause in card.causes]
    quoted = iter(shown_causes.quoted_clauses(in_order, view.shown))
    return {card.number: [next(quoted) for _ in card.causes] for card in quoting}


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
        "counting": counting_mark(view),
        "tallies": tallies,
        "passed": sum(tally.passed for tally in tallies),
        "total": sum(tally.total for tally in tallies),
        "stood_in": words.stood_in(check.verdict for check in view.shown),
        "clauses": shown_causes.clause_tallies(view.shown, causes),
        "ungraded": merge_causes(ungraded),
        "passes": list(passes.items()),
    }
