"""A result cut down to what its author may read."""

from __future__ import annotations

from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.model.student_view import (
    HiddenCheck,
    ShownCheck,
    StudentView,
    Surroundings,
    by_function,
)

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
    shown: list[ShownCheck] = []
    hidden: list[HiddenCheck] = []
    for scenario in plan.scenarios:
        entry = results.get(scenario.id)
        if entry is None:
            continue
        if scenario.visibility in visible:
            shown.append(ShownCheck.of(scenario, entry, plan.assignment))
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
