"""The visible scenarios as text: what is called or typed, and what should happen."""

from __future__ import annotations

from collections.abc import Iterator

from harness.common.escaping import shorten, visible, visible_lines
from harness.matchers import AnyValue, Exactly, PythonValue
from harness.model.expectation import Answer, AnswerKey, Expected, Matcher
from harness.model.observation import Ending, Observation, Raised
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Session, Stimulus
from harness.model.student_view import Surroundings
from harness.model.values import Value, ValueKind
from harness.reporting.view import paste

_ENDINGS = {
    Ending.TIMEOUT: "waits for ever",
    Ending.CPU_LIMIT: "goes on for ever",
    Ending.ASKED_FOR_MORE: "goes on asking",
    Ending.ENDED_EARLY: "ends the program",
}


def scenarios_page(plan: Plan, key: AnswerKey) -> str:
    """The page for a plan cut to what is visible. `key` may have no answers (no reference)."""
    surroundings = Surroundings.of(plan.assignment)
    lines = [f"{plan.assignment.title}: the visible scenarios", ""]
    lines += ["Your program is graded on these and on hidden ones."]
    for function in dict.fromkeys(scenario.function for scenario in plan.scenarios):
        lines += ["", "", function, "=" * len(function)]
        for scenario in plan.scenarios:
            if scenario.function != function:
                continue
            answers = key.answers(scenario.id) if key.scenarios else ()
            answer = answers[0] if answers else None
            lines += ["", *_scenario(scenario, answer, surroundings)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _scenario(
    scenario: Scenario, answer: Answer | None, surroundings: Surroundings
) -> Iterator[str]:
    stimulus = scenario.stimuli[0]
    settings = paste.settings(stimulus.constants)
    yield visible(scenario.name) + (f"  [{visible(settings)}]" if settings else "")
    for file, line in paste.constant_changes(stimulus, surroundings):
        yield from _labelled("set", f"in {file} {line}" if file else line)
    for name, content in paste.files_beside(stimulus):
        yield from _held("file", name, content)
    if stimulus.given:
        yield from _labelled("first", stimulus.given.rstrip("\n"))
    yield from _labelled("try", paste.to_try(stimulus))
    if stimulus.inputs:
        yield from _labelled("type", "  ".join(one.named() for one in stimulus.inputs))
    if stimulus.stdin is not None:
        yield from _held("pipe", "piped in", paste.piped(stimulus))
    if len(scenario.stimuli) > 1:
        yield from _labelled("", f"(and {len(scenario.stimuli) - 1} more like it)")
    if answer is not None:
        example = _is_loose(scenario)
        label = "e.g." if example else ""
        yield from _outcome(stimulus, answer.observation, scenario.stated, label)


def _outcome(
    stimulus: Stimulus, seen: Observation, stated: Expected, example: str
) -> Iterator[str]:
    if isinstance(stimulus.action, Session):
        texts = stated.shown or ()
        for number, (step, outcome) in enumerate(
            zip(stimulus.action.steps, seen.steps, strict=False)
        ):
            shown = outcome.printed.rstrip("\n")
            if outcome.value is not None:
                shown = "\n".join(part for part in (shown, outcome.value.source()) if part)
            if outcome.raised is not None:
                text = texts[number] if number < len(texts) else ""
                told = bool(outcome.raised.message) and outcome.raised.message in text
                raised = _exception(outcome.raised, with_message=told)
                shown = "\n".join(part for part in (shown, raised) if part)
            if shown:
                yield from _labelled("then", f">>> {step}\n{shown}")
        return
    screen = seen.transcript()
    if screen:
        yield from _labelled(example or "screen", screen.rstrip("\n"))
    if seen.raised is not None:
        told = stated.raises is not None and stated.raises.message is not None
        yield from _labelled("raises", _exception(seen.raised, with_message=told))
    elif seen.ending in _ENDINGS:
        yield from _labelled("and", _ENDINGS[seen.ending])
    elif seen.value is not None and _tells(seen.value, stated, screen):
        yield from _labelled("gives", seen.value.source())
    for before, after in zip(seen.arguments_before, seen.arguments, strict=False):
        if before != after:
            yield from _labelled("makes", f"{before.source()} to {after.source()}")
    began = {file.name: file.data for file in stimulus.files}
    for file in seen.files:
        text = file.value.text
        if file.value.kind is ValueKind.STR and began.get(file.name) != text.encode():
            yield from _held("leaves", file.name, shorten(text, paste.MOST_OF_A_FILE))


def _tells(value: Value, stated: Expected, screen: str) -> bool:
    """Whether the value is part of what is asked for."""
    if isinstance(stated.returns, AnyValue):
        return False
    return value.kind is not ValueKind.NONE or not screen


def _exception(raised: Raised, *, with_message: bool) -> str:
    """Its name, with the message where one is asked for."""
    return f"{raised.type_name}: {raised.message}" if with_message else raised.type_name


def _is_loose(scenario: Scenario) -> bool:
    """Whether other texts than the reference's are accepted."""
    stated = scenario.stated
    matchers: list[Matcher | None] = [stated.returns, stated.prints]
    matchers += [turn.printed for turn in stated.turns.turns] if stated.turns else []
    parts = [part for matcher in matchers if matcher for part in matcher.parts()]
    return any(not isinstance(part, Exactly | PythonValue) for part in parts)


def _held(label: str, name: str, content: str) -> Iterator[str]:
    """A file or what is piped in: its name, and its text further to the right."""
    yield from _labelled(label, f"{name}:" if content else f"{name}, empty")
    for line in content.rstrip("\n").split("\n") if content else ():
        yield from _labelled("", f"  {line}")


def _labelled(label: str, text: str) -> Iterator[str]:
    for line in visible_lines(text).split("\n"):
        yield f"  {label:<7}{line}"
        label = ""
