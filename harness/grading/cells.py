"""Add the notebook cells to the lines in a result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.common.escaping import plain
from harness.model.notebook import LineNames, Notebook
from harness.model.plan import Plan, Visibility
from harness.model.result import ScenarioResult, SubmissionResult, Undefined
from harness.model.verdict import Cause, StoppedCell


def in_cells(result: SubmissionResult) -> SubmissionResult:
    """Return the result with the cells of all lines that its explanations mention; unchanged if no
    notebook was handed in."""
    notebook = result.notebook
    if notebook is None:
        return result
    scenarios: list[ScenarioResult] = []
    for entry in result.scenarios:
        explanation = entry.verdict.explanation
        if explanation is None:
            scenarios.append(entry)
            continue
        verdict = replace(entry.verdict, explanation=explanation.in_notebook(notebook))
        scenarios.append(replace(entry, verdict=verdict))
    undefined: list[Undefined] = []
    for missing in result.undefined:
        explanation = missing.explanation.in_notebook(notebook)
        undefined.append(replace(missing, explanation=explanation))
    students = result.students_causes
    return replace(
        result,
        scenarios=tuple(scenarios),
        undefined=tuple(undefined),
        causes=_causes(result.causes, notebook),
        students_causes=None if students is None else _causes(students, notebook),
    )


def with_stopped_cells(result: SubmissionResult, plan: Plan) -> SubmissionResult:
    """Return the result with a note on each cell that raised an exception.

    Only visible scenarios tell, because a program could raise what a hidden one gives it.
    """
    visible = {
        scenario.id for scenario in plan.scenarios if scenario.visibility is Visibility.VISIBLE
    }
    notes: list[str] = []
    for entry in result.scenarios:
        stopped = entry.verdict.stopped_cell
        if stopped is not None and entry.scenario_id in visible:
            notes.append(_note_on(stopped, result.line_names))
    return replace(result, notes=(*result.notes, *dict.fromkeys(notes)))


def _note_on(stopped: StoppedCell, names: LineNames) -> str:
    place = names.at(stopped.file, stopped.line)
    what = plain(stopped.type_name, limit=60)
    if stopped.message:
        what += f" ({plain(stopped.message)})"
    return f"{place} raised {what}: the rest of that cell did not run, the other cells did"


def _causes(causes: Iterable[Cause], notebook: Notebook) -> tuple[Cause, ...]:
    named: list[Cause] = []
    for cause in causes:
        explanation = cause.explanation.in_notebook(notebook)
        named.append(replace(cause, explanation=explanation))
    return tuple(named)
