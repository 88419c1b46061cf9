"""Renders two pages for a submission: one for the lecturer, one for the student."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from harness.model.plan import Clause, Plan
from harness.model.policy import Finding
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.reporting.html.environment import LECTURER, STUDENT, render, script
from harness.reporting.view import figures, shown_causes, words
from harness.reporting.view.annotated_files import LineLinks, annotated
from harness.reporting.view.marks import counting_mark
from harness.reporting.view.shown_causes import Card, CardKind
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


# Anchor names, keyed by card number.
_OfCards = dict[int, list[str]]


def submission_page(
    result: SubmissionResult,
    plan: Plan,
    before: str = "",
    after: str = "",
    *,
    style: "StyleEvidence | None" = None,
) -> str:
    """Return the lecturer's page of a submission as HTML; it shows everything.

    `before` and `after` are the ids of the previous and next submission. `style` is the evidence
    about code style, if any.
    """
    view = lecturers_view(result, plan, style)
    near = {"before": before, "after": after, **script("tools.js", "page.js")}
    return render("submission.html.j2", **view, **near)


def lecturers_view(
    result: SubmissionResult, plan: Plan, style: "StyleEvidence | None" = None
) -> dict[str, Any]:
    """Return the template data for everything about one submission."""
    view = student_view(result, plan, visible=EVERYTHING)
    cards = shown_causes.cards(view.causes)
    files = annotated(result, cards)
    card_targets, row_targets = _targets(figures.function_names(plan), cards)
    tallies: Sequence[FunctionTally] = ()
    if figures.was_run(result):
        tallies = view.functions
    scenarios = {scenario.id: scenario for scenario in plan.scenarios}
    hidden = {name for name, scenario in scenarios.items() if scenario.visibility not in ALWAYS}
    return {
        **_of_both(view, tallies, view.causes),
        **_sum(view, tallies),
        "line_links": LineLinks(files, result.line_names),
        "targets": card_targets,
        "row_targets": row_targets,
        "desk_command": f"{desk_command(plan)} --at {shlex.quote(result.id)}",
        "band": _band(result),
        "result": result,
        "plan": plan,
        "you": LECTURER,
        "style_evidence": style,
        "scenarios": scenarios,
        "hidden": hidden,
        "reasons": list(dict.fromkeys(figures.reasons(result))),
        "isolation": words.isolation(result),
        "cards": cards,
        "files": files,
    }


def _sum(view: StudentView, tallies: Sequence[FunctionTally]) -> dict[str, object]:
    """Return the template data that explains the functionality mark: points, marks per point,
    deductions.
    """
    points = Fraction(0)
    points_out_of = Fraction(0)
    for tally in tallies:
        points += tally.points
        points_out_of += tally.out_of
    functionality = points * view.marks_of_a_point
    taken = Fraction(0)
    if view.mark is not None:
        taken = max(functionality - view.mark, taken)
    return {
        "points": points,
        "points_out_of": points_out_of,
        "worth": view.marks_of_a_point.__mul__,
        "functionality": functionality,
        "taken": taken,
    }


def _targets(functions: Sequence[str], cards: Sequence[Card]) -> tuple[_OfCards, dict[str, str]]:
    """Return the anchors that the class page links to, such as `f3` for the third function.

    The first result has the anchors to place on each card, keyed by card number. The second has the
    anchors of functions without a card, keyed by function name.
    """
    card_targets: defaultdict[int, list[str]] = defaultdict(list)
    row_targets: dict[str, str] = {}
    for place, function in enumerate(functions, start=1):
        anchor = f"f{place}"
        card = next((card for card in cards if _is_about(card, function)), None)
        if card is None:
            row_targets[function] = anchor
        else:
            card_targets[card.number].append(anchor)
    return dict(card_targets), row_targets


def desk_command(plan: Plan) -> str:
    """Return the command line that opens the review page."""
    return f"harness review reports/{plan.assignment.id}"


def _band(result: SubmissionResult) -> int:
    """Return the number of the bar that contains this mark in the class page's chart, counted from
    1; 0 for none.
    """
    counting = counting_mark(result)
    if counting.value is None or result.excused:
        return 0
    place = figures.bar_of(counting.value, counting.out_of)
    if place is None:
        return 0
    return place + 1


def _is_about(card: Card, function: str) -> bool:
    for cause in card.causes:
        if cause.function in ("", function):
            return True
        if any(check.function == function for check in cause.checks):
            return True
    return False


def feedback_page(view: StudentView) -> str:
    """Return the student's page as HTML, made only from data that the student may see."""
    return render("feedback.html.j2", **_feedback(view), **script("tools.js", "page.js"))


def check_results(view: StudentView) -> str:
    """Return only the cards as HTML, for the page on which students check their code.

    An example that can be run there names its scenario.
    """
    return render("check.html.j2", **_feedback(view))


def _feedback(view: StudentView) -> dict[str, object]:
    causes = [cause for cause in view.causes if not _is_ours(cause)]
    cards = shown_causes.cards(causes, joins_hidden=True)
    files = annotated(view, cards, notes=False)
    tallies: Sequence[FunctionTally] = ()
    if view.shown or view.hidden:
        tallies = view.functions
    return {
        **_of_both(view, tallies, causes),
        **_request(view),
        "losing": _losing(tallies, cards),
        "whole_functions": sum(tally.passed == tally.total for tally in tallies),
        "line_links": LineLinks(files, view.line_names),
        "files": files,
        "you": STUDENT,
        "causes": causes,
        "cards": cards,
        "quoted": _quoted(cards, view),
        "overlap": any(cause.together_with and cause.marks for cause in causes),
        "only_hidden": _only_hidden(causes),
        "failing": _failing(causes),
        "remedy": words.remedy(view.wrong_files, view.surroundings.submitted),
        "findings": _other_findings(view, causes),
        "hidden": shown_causes.hidden_by_function(view.hidden),
    }


_MAX_LOSING = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Losing:
    """A function with failing checks, and the number of the card that explains them (0 for
    none).
    """

    tally: FunctionTally
    card: int


def _losing(tallies: Sequence[FunctionTally], cards: Sequence[Card]) -> list[_Losing]:
    """Return the functions that cost the most marks, for the top of a student's page."""
    losing = [tally for tally in tallies if tally.passed < tally.total]
    losing.sort(key=lambda tally: tally.points - tally.out_of)
    found: list[_Losing] = []
    for tally in losing[:_MAX_LOSING]:
        number = 0
        for card in cards:
            if _is_about(card, tally.function):
                number = card.number
                break
        found.append(_Losing(tally=tally, card=number))
    return found


def _request(view: StudentView) -> dict[str, object]:
    """Return the text and the e-mail link of a regrade request; empty if there is nothing to
    regrade.
    """
    if view.mark is None or not view.source_digest:
        return {"request": "", "request_mail": ""}
    return {"request": request_text(view), "request_mail": request_mail(view)}


def _only_hidden(causes: Sequence[ShownCause]) -> list[str]:
    """Return the failing functions, if only hidden checks fail."""
    if any(cause.checks for cause in causes):
        return []
    return [cause.function or "the file" for cause in causes]


def _other_findings(view: StudentView, causes: Iterable[ShownCause]) -> list[Finding]:
    """Return the code issues that no cause mentions."""
    told: list[Finding] = []
    for cause in causes:
        told += shown_causes.runs_at_load(cause, view.findings)
    return [finding for finding in view.findings if finding not in told]


def _is_ours(cause: ShownCause) -> bool:
    """Return whether the harness itself failed, so that the student has nothing to fix."""
    return cause.first is not None and cause.first.verdict.kind is VerdictKind.HARNESS_ERROR


def _failing(causes: Iterable[ShownCause]) -> list[ShownCheck]:
    """Return the failing checks without duplicates: several causes may share one."""
    failing: dict[str, ShownCheck] = {}
    for cause in causes:
        failing.update((check.id, check) for check in cause.checks)
    return list(failing.values())


def _quoted(cards: Sequence[Card], view: StudentView) -> dict[int, list[tuple[Clause, ...]]]:
    """Return the sheet's clauses to quote on each card, keyed by card number, with one tuple for
    each cause on it.
    """
    quoting = [card for card in cards if card.kind is not CardKind.MISSING]
    in_order: list[ShownCause] = []
    for card in quoting:
        in_order += card.causes
    clauses = shown_causes.quoted_clauses(in_order, view.shown)
    quoted: dict[int, list[tuple[Clause, ...]]] = {}
    for card in quoting:
        count = len(card.causes)
        quoted[card.number] = clauses[:count]
        del clauses[:count]
    return quoted


def _of_both(
    view: StudentView, tallies: Sequence[FunctionTally], causes: Iterable[ShownCause]
) -> dict[str, Any]:
    """Return the template data that both pages use."""
    ungraded: list[ShownCheck] = []
    passes: defaultdict[str, list[ShownCheck]] = defaultdict(list)
    for check in view.shown:
        if check.verdict.passed:
            passes[check.function].append(check)
        elif check.informational and check.verdict.kind is not VerdictKind.UNREADABLE:
            ungraded.append(check)
    return {
        "view": view,
        "has_pictures": any(check.verdict.pictures for check in view.shown),
        "counting": counting_mark(view),
        "tallies": tallies,
        "passed": sum(tally.passed for tally in tallies),
        "total": sum(tally.total for tally in tallies),
        "stood_in": words.stood_in(check.verdict for check in view.shown),
        "clauses": shown_causes.clause_tallies(view.shown, causes),
        "ungraded": merge_causes(ungraded),
        "passes": list(passes.items()),
    }
