"""The visible scenarios as text: what is called or typed, and what should happen."""

from __future__ import annotations

from collections.abc import Iterator

from harness.common.escaping import visible, visible_lines
from harness.grading import expectation
from harness.model.expectation import Answer, AnswerKey
from harness.model.plan import Assignment, Plan, Scenario
from harness.model.student_view import Surroundings
from harness.packaging.handout.outcome import held, outcome
from harness.reporting.view import paste


def scenarios_page(plan: Plan, key: AnswerKey) -> str:
    """The page for a plan cut to what is visible. `key` may have no answers (no reference)."""
    lines = [f"{plan.assignment.title}: the visible scenarios", ""]
    lines += ["Your program is graded on these and on hidden ones."]
    for function in dict.fromkeys(scenario.function for scenario in plan.scenarios):
        lines += ["", "", function, "=" * len(function)]
        for scenario in plan.scenarios:
            if scenario.function != function:
                continue
            answers = key.answers(scenario.id) if key.scenarios else ()
            answer = answers[0] if answers else None
            lines += ["", *_scenario(scenario, answer, plan.assignment)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _scenario(scenario: Scenario, answer: Answer | None, assignment: Assignment) -> Iterator[str]:
    surroundings = Surroundings.of(assignment)
    stimulus = scenario.stimuli[0]
    settings = paste.settings(stimulus.constants)
    yield visible(scenario.name) + (f"  [{visible(settings)}]" if settings else "")
    for file, line in paste.constant_changes(stimulus, surroundings):
        yield from _labelled("set", f"in {file} {line}" if file else line)
    for name, content in paste.files_beside(stimulus):
        yield from _labelled("file", held(name, content))
    if stimulus.given:
        yield from _labelled("first", stimulus.given.rstrip("\n"))
    yield from _labelled("try", paste.to_try(stimulus))
    if stimulus.inputs:
        yield from _labelled("type", "  ".join(one.named() for one in stimulus.inputs))
    if stimulus.stdin is not None:
        yield from _labelled("pipe", held("piped in", paste.piped(stimulus)))
    if len(scenario.stimuli) > 1:
        yield from _labelled("", f"(and {len(scenario.stimuli) - 1} more like it)")
    for label, text in outcome(expectation(scenario, stimulus, answer, assignment), stimulus):
        yield from _labelled(label, text)


def _labelled(label: str, text: str) -> Iterator[str]:
    for line in visible_lines(text).split("\n"):
        yield f"  {label:<7}{line}"
        label = ""
