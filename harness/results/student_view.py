"""A result cut down to what its author may read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.model.student_view import (
    HiddenCheck,
    ShownCause,
    ShownCheck,
    StudentView,
    Surroundings,
    by_function,
)
from harness.model.verdict import Cause, VerdictKind

ALWAYS = frozenset({Visibility.VISIBLE})
EVERYTHING = frozenset(Visibility)  # for the lecturer


def student_view(
    result: SubmissionResult, plan: Plan, *, visible: frozenset[Visibility] = ALWAYS
) -> StudentView:
    """What the student sees: visible scenarios whole, hidden ones as a name and a verdict.

    `visible` says which visibilities are open by now. Findings, notes and the reason why a file
    could not be read are about the student's own text and always shown.
    """
    results = {entry.scenario_id: entry for entry in result.scenarios}
    clauses = {
        ids: tuple(clause for clause in plan.assignment.clauses if clause.id in ids)
        for ids in {scenario.clauses for scenario in plan.scenarios}
    }
    shown: list[ShownCheck] = []
    hidden: list[HiddenCheck] = []
    for scenario in plan.scenarios:
        entry = results.get(scenario.id)
        if entry is None:
            continue
        if scenario.visibility in visible:
            shown.append(ShownCheck.of(scenario, entry, clauses[scenario.clauses]))
        else:
            kind = entry.verdict.kind
            hidden.append(HiddenCheck(name=scenario.name, function=scenario.function, kind=kind))
    return StudentView(
        id=result.id,
        title=plan.assignment.title,
        course=plan.assignment.course,
        status=result.status,
        mark=result.mark,
        out_of=result.out_of,
        surroundings=Surroundings.of(plan.assignment),
        functions=by_function(plan, result),
        shown=tuple(shown),
        hidden=tuple(hidden),
        causes=_causes(result, plan, shown),
        findings=result.findings,
        unparsable=result.unparsable,
        problem=result.problem,
        notes=result.notes,
        manual=result.manual,
        adjustment=result.adjustment,
        comment=result.comment,
        total=result.total,
        total_out_of=result.total_out_of,
    )


def _causes(
    result: SubmissionResult, plan: Plan, shown: list[ShownCheck]
) -> tuple[ShownCause, ...]:
    """The causes, then what failed without one: our own failures, and results that were written
    before there were causes."""
    failed = {
        check.id: check
        for check in shown
        if not check.verdict.passed
        and not check.informational
        and check.verdict.kind is not VerdictKind.UNREADABLE
    }
    found = _joined(_shown(cause, failed, plan) for cause in result.causes if cause.scenarios)
    explained = {name for cause in result.causes for name in cause.scenarios}
    left = [check for name, check in failed.items() if name not in explained]
    return (*found, *put_together(left))


def _shown(cause: Cause, failed: dict[str, ShownCheck], plan: Plan) -> ShownCause:
    names = dict.fromkeys((cause.example, *cause.scenarios))
    checks = tuple(failed[name] for name in names if name in failed)
    first = checks[0] if checks else None
    own = cause.about_text or (first is not None and first.id == cause.example)
    hint = plan.scenario(first.id).hint if first is not None else ""
    message = first.verdict.message_without(hint) if first is not None else ""
    texts = {clause.id: clause for clause in plan.assignment.clauses}
    of_example = [clause.id for clause in first.clauses] if first is not None else []
    clauses = dict.fromkeys((*of_example, *cause.clauses))
    return ShownCause(
        function=cause.function,
        message=cause.message if own else message,
        checks=checks,
        hidden=len(cause.scenarios) - len(checks),
        blamed=cause.blamed,
        place=cause.place,
        line=cause.line if own else None,
        raised_in=cause.raised_in if own else None,
        raised_at=cause.raised_at if own else None,
        clauses=tuple(texts[name] for name in clauses if name in texts),
        hint=hint,
        together_with=cause.together_with,
        marks=cause.marks_at_stake,
    )


def _joined(causes: Iterable[ShownCause]) -> list[ShownCause]:
    """Causes of which nothing may be said but their function: one for each function, in the place
    of its first."""
    found: dict[object, ShownCause] = {}
    for number, cause in enumerate(causes):
        unsaid = not cause.message and not cause.checks
        key = (cause.function, cause.blamed, cause.place) if unsaid else number
        first = found.get(key)
        found[key] = (
            cause
            if first is None
            else replace(
                first,
                hidden=first.hidden + cause.hidden,
                clauses=tuple(dict.fromkeys((*first.clauses, *cause.clauses))),
                together_with=tuple(dict.fromkeys((*first.together_with, *cause.together_with))),
                marks=first.marks + cause.marks,
            )
        )
    return list(found.values())


def put_together(checks: Iterable[ShownCheck]) -> tuple[ShownCause, ...]:
    """Group failing checks whose cause is not known: first those with the same message in several
    functions, then those of one rule and function for the same clauses, each in their own order."""
    found = list(checks)
    functions: dict[tuple[object, ...], set[str]] = {}
    for check in found:
        functions.setdefault(_said(check), set()).add(check.function)
    groups: dict[tuple[object, ...], list[ShownCheck]] = {}
    for check in found:
        everywhere = len(functions[_said(check)]) > 1
        clauses = [clause.id for clause in check.clauses]
        apart = () if everywhere else (check.function, *clauses)
        key = _said(check) if everywhere else (*_said(check)[:2], *apart)
        groups.setdefault(key, []).append(check)
    ordered = sorted(groups.values(), key=lambda members: len({c.function for c in members}) < 2)
    return tuple(
        ShownCause(
            function=members[0].function if len({c.function for c in members}) < 2 else "",
            message=members[0].verdict.message,
            checks=tuple(members),
            clauses=members[0].clauses,
        )
        for members in ordered
    )


def _said(check: ShownCheck) -> tuple[object, ...]:
    explanation = check.verdict.explanation
    return check.verdict.kind, explanation.rule if explanation else "", check.verdict.message
