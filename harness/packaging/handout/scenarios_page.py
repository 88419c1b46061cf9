"""The visible scenarios as text: what is called or typed, and what should happen, which is what a
scenario states, in its own words, and the reference's outcome for all else.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.common.escaping import shorten, visible, visible_lines
from harness.grading import expectation
from harness.judging import expected_files, raise_in_words, value_in_words
from harness.matchers import AnyValue, EqualData, Exactly
from harness.model.expectation import Answer, AnswerKey, Expectation, Ignore, Matcher
from harness.model.observation import Ending, Observation
from harness.model.plan import Assignment, Plan, Scenario
from harness.model.stimulus import Call, Session, Stimulus
from harness.model.student_view import Surroundings
from harness.model.values import NONE, ValueKind, file_value
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


Labelled = tuple[str, str]

_ENDINGS = {
    Ending.TIMEOUT: "waits for ever",
    Ending.CPU_LIMIT: "goes on for ever",
    Ending.ASKED_FOR_MORE: "goes on asking",
    Ending.ENDED_EARLY: "ends the program",
}
_IGNORED = {
    Ignore.CASE: "capital and small letters count as the same",
    Ignore.TRAILING_SPACE: "spaces at the end of a line do not count",
    Ignore.BLANK_LINES: "empty lines do not count",
}


def outcome(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """What is compared; without a reference there is no text for what is not stated."""
    if isinstance(stimulus.action, Session):
        yield from _steps(expected, stimulus.action)
    else:
        yield from _printed(expected, stimulus)
        yield from _ended(expected, stimulus)
    yield from _left(expected)
    if stimulus.folder:
        yield from _written(expected, stimulus)
    for each in expected.stated.ignore:
        yield "and", _IGNORED[each]


def held(name: str, content: str) -> str:
    """A file or what is piped in: its name, and its text further to the right."""
    lines = content.rstrip("\n").split("\n") if content else []
    return "\n".join(
        [f"{name}:" if content else f"{name}, empty", *(f"  {each}" for each in lines)]
    )


def _steps(expected: Expectation, session: Session) -> Iterator[Labelled]:
    texts = expected.stated.shown or ()
    results = expected.reference.steps if expected.reference else ()
    for number, (step, result) in enumerate(zip(session.steps, results, strict=False)):
        parts = [result.printed.rstrip("\n")]
        if result.value is not None:
            parts.append(result.value.source())
        if result.raised is not None:
            text = texts[number] if number < len(texts) else ""
            message = result.raised.message
            is_stated = bool(message) and message in text
            parts.append(
                f"{result.raised.type_name}: {message}" if is_stated else result.raised.type_name
            )
        if shown := "\n".join(part for part in parts if part):
            yield "then", f">>> {step}\n{shown}"


def _printed(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    stated = expected.stated
    whole = stated.prints if stated.prints and stated.prints.exact_text is None else None
    turns = stated.turns.turns if stated.turns else ()
    some = [turn for turn in turns if whole or turn.printed.exact_text is None]
    screen = expected.reference.transcript() if expected.reference else ""
    if screen:
        yield "e.g." if whole or some else "screen", screen.rstrip("\n")
    if isinstance(whole, AnyValue):
        yield "may", "print anything else"
    elif whole:
        yield "must", f"print {_words(whole)}"
    if some:
        yield "must", "print" if whole else "print this, except"
    for turn in some:
        typed = stimulus.inputs[turn.index - 1 : turn.index] if turn.index else ()
        after = f"after input {turn.index}" if turn.index else "before any input"
        named = "".join(f" ({one.named()})" for one in typed)
        yield "", f"{after}{named}: {_anything(turn.printed)}"
    if stated.reads_at_most is not None:
        yield "must", f"ask at most {stated.reads_at_most} times"


def _ended(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    stated, reference = expected.stated, expected.reference
    ending = stated.ends or (reference.ending if reference else Ending.ANSWERED)
    if stated.raises is not None:
        yield "raises", raise_in_words(stated.raises)
    elif ending in _ENDINGS:
        yield "and", _ENDINGS[ending]
    elif isinstance(stimulus.action, Call):
        yield from _returned(expected)
    elif not stated.exit_any:
        status = stated.exit if stated.exit is not None else reference and reference.exit_status
        if status:
            yield "and", f"ends with exit status {status}"


def _returned(expected: Expectation) -> Iterator[Labelled]:
    reference, matcher = expected.reference, expected.stated.returns
    if matcher is None and reference is not None and reference.value is not None:
        matcher = Exactly(value=reference.value)
    # Who reads what is printed need not be told that nothing is returned.
    if matcher is None or (matcher == Exactly(value=NONE) and reference and reference.transcript()):
        return
    yield "gives", _words(matcher, expected.within)


def _left(expected: Expectation) -> Iterator[Labelled]:
    """Arguments, and variables of a session, afterwards."""
    reference = expected.reference or Observation(ending=Ending.ANSWERED)
    stated = {leave.name: leave.value for leave in expected.stated.leaves}
    both = zip(reference.arguments_before, reference.arguments, strict=False)
    for position, (before, after) in enumerate(both):
        name = expected.parameters[position] if position < len(expected.parameters) else ""
        if not isinstance(stated.get(name, Exactly(value=after)), Exactly):
            continue
        stated.pop(name, None)
        if before != after:
            yield "makes", f"{before.source()} to {after.source()}"
    for name, matcher in stated.items():
        yield "leaves", f"{name}: {_words(matcher, expected.within)}"
    if expected.stated.leaves_unchanged:
        yield "and", "leaves what it is given unchanged"


def _written(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """The files that are not as they were."""
    began = {file.name: Exactly(value=file_value(file.data)) for file in stimulus.files}
    contents = expected_files(expected, stimulus)
    stated = {file.name: file.value for file in expected.stated.writes}
    for name, matcher in sorted((stated if contents is None else contents).items()):
        if matcher == began.get(name):
            continue
        if matcher == Exactly(value=NONE):
            yield "leaves", f"no file {name}"
        elif (text := matcher.exact_text) is not None:
            yield "leaves", held(name, shorten(text, paste.MOST_OF_A_FILE))
        elif isinstance(matcher, Exactly) and matcher.value.kind is ValueKind.FOREIGN:
            yield "leaves", f"{name}, a {matcher.value.text}"
        else:
            yield "leaves", f"{name}: {_anything(matcher)}"
    for name in sorted(began.keys() - contents.keys()) if contents is not None else ():
        yield "leaves", f"no file {name}"
    if expected.stated.writes_unchanged:
        yield "and", "leaves all files unchanged"
    elif expected.stated.writes_only is not None:
        yield "and", "leaves all other files unchanged"


def _anything(matcher: Matcher) -> str:
    return "anything" if isinstance(matcher, AnyValue) else _words(matcher)


def _words(matcher: Matcher, within: float | None = None) -> str:
    if isinstance(matcher, EqualData):
        return f"a value that is equal (==) to {matcher.value.source()}"
    return value_in_words(matcher, within)
