"""Write the visible scenarios as text for students: calls, typed lines and expected results."""

from collections.abc import Iterator

from harness.common.escaping import shorten, visible, visible_lines
from harness.grading.observing.answer_key import expectation
from harness.judging.compare.files import expected_files, given_files
from harness.judging.compare.session import is_default_repr
from harness.judging.side_by_side.differences import raise_in_words, value_in_words
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.assignment import Surroundings
from harness.model.expectation import (
    Answer,
    AnswerKey,
    Expectation,
    Floats,
    Ignore,
    Matcher,
    StatedStep,
    StatedTurn,
)
from harness.model.observation import Ending, Raised
from harness.model.plan import Assignment, Plan, Scenario
from harness.model.stimulus import Action, Stimulus
from harness.model.values import NONE, ValueKind
from harness.reporting.view import paste


def scenarios_page(plan: Plan, key: AnswerKey) -> str:
    """Return the text about the visible scenarios.

    `plan` must have only visible scenarios. `key` has the reference's answers; without a reference,
    it has none.
    """
    lines = [f"{plan.assignment.title}: checks that you can run yourself", ""]
    lines.append("Your program is graded on these and on hidden ones.")
    by_function: dict[str, list[Scenario]] = {}
    for scenario in plan.scenarios:
        by_function.setdefault(scenario.function, []).append(scenario)
    for function, scenarios in by_function.items():
        lines += ["", "", function, "=" * len(function)]
        for scenario in scenarios:
            answer = None
            if key.scenarios:
                answer = next(iter(key.answers(scenario.id)), None)
            lines.append("")
            lines += _scenario(scenario, answer, plan.assignment)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _scenario(scenario: Scenario, answer: Answer | None, assignment: Assignment) -> Iterator[str]:
    stimulus = scenario.stimuli[0]
    title = visible(scenario.name)
    settings = paste.settings(stimulus.constants)
    if settings:
        title += f"  [{visible(settings)}]"
    yield title
    for file, line in paste.constant_changes(stimulus, Surroundings.of(assignment)):
        change = f"in {file} {line}" if file else line
        yield from _labelled("set", change)
    for name, content in paste.files_beside(stimulus):
        yield from _labelled("file", file_text(name, content))
    if stimulus.given:
        yield from _labelled("first", stimulus.given.rstrip("\n"))
    yield from _labelled("try", paste.to_try(stimulus))
    if stimulus.at_load:
        lines = "  ".join(typed.named() for typed in stimulus.at_load)
        yield from _labelled("import", f"type {lines}")
    if stimulus.inputs:
        inputs = "  ".join(typed.named() for typed in stimulus.inputs)
        yield from _labelled("type", inputs)
    if stimulus.stdin is not None:
        yield from _labelled("pipe", file_text("piped in", paste.piped(stimulus)))
    more = len(scenario.stimuli) - 1
    if more:
        yield from _labelled("", f"(and {more} more like it)")
    expected = expectation(scenario, stimulus, answer, assignment)
    for label, text in outcome(expected, stimulus):
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
    Ignore.WHITESPACE: "the number of blanks does not count",
}


def outcome(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """Yield each result that is compared, as a label and a text.

    Without a reference, a result that the scenario does not state has no text.
    """
    if stimulus.action.steps:
        yield from _steps(expected, stimulus.action)
    else:
        yield from _printed(expected, stimulus)
        yield from _ending_lines(expected)
    yield from _leave_lines(expected)
    if stimulus.folder:
        yield from _file_lines(expected, stimulus)
    if figures := expected.stated.figures:
        yield "draws", figures.in_words()
    for ignored in expected.stated.ignore:
        yield "and", _IGNORED[ignored]


def file_text(name: str, content: str) -> str:
    """Return a heading and a text, indented. `name` is the file's name, or describes the input."""
    if not content:
        return f"{name}, empty"
    lines = [f"{name}:"]
    for line in content.rstrip("\n").split("\n"):
        lines.append(f"  {line}")
    return "\n".join(lines)


def _steps(expected: Expectation, session: Action) -> Iterator[Labelled]:
    if expected.reference is None:
        return
    texts = expected.stated.shown or ()
    both = zip(session.steps, expected.reference.steps, strict=False)
    for number, (step, result) in enumerate(both):
        stated_step = expected.stated.of_step(number)
        if stated_step is not None:
            yield "then", f">>> {step}"
            yield from _own_step(stated_step)
            continue
        parts = [result.printed.rstrip("\n")]
        if result.value is not None:
            has_text = result.shown and not is_default_repr(result.shown)
            parts.append(result.shown if has_text else result.value.source())
        if result.raised is not None:
            text = texts[number] if number < len(texts) else ""
            parts.append(_raised_text(result.raised, text))
        shown = "\n".join(part for part in parts if part)
        if shown:
            yield "then", f">>> {step}\n{shown}"


def _own_step(step: StatedStep) -> Iterator[Labelled]:
    """Yield the results that a scenario states for one of its steps, as labels and texts."""
    for label, matcher in (("gives", step.returns), ("prints", step.prints), ("shows", step.shows)):
        if matcher is not None:
            yield label, _anything(matcher)
    if step.raises is not None:
        yield "raises", step.raises.in_words()


def _raised_text(raised: Raised, stated: str) -> str:
    """Return the exception's name.

    Add its message if the text that the scenario states contains it.
    """
    if raised.message and raised.message in stated:
        return f"{raised.type_name}: {raised.message}"
    return raised.type_name


def _printed(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """Yield the reference's output and the places where a student's output may differ from it.

    Output may differ if there is a matcher for all output (`loose_text`) or for single turns
    (`loose_turns`; with a loose text, all turns). A turn is the output between two inputs. Then
    follow stderr and the number of inputs.
    """
    stated = expected.stated
    loose_text = None
    if stated.prints and stated.prints.exact_text is None:
        loose_text = stated.prints
    loose_turns = []
    for turn in stated.turns.turns if stated.turns else ():
        if loose_text or turn.printed.exact_text is None:
            loose_turns.append(turn)
    screen = ""
    if expected.reference:
        screen = expected.reference.transcript()
    if screen:
        label = "e.g." if loose_text or loose_turns else "screen"
        yield label, screen.rstrip("\n")
    if stated.prompts_any:
        yield "may", "use any text in each input()"
    if isinstance(loose_text, AnyValue):
        yield "may", "print anything else"
    elif loose_text:
        yield "must", f"print {_words(loose_text)}"
    if loose_turns:
        yield "must", "print" if loose_text else "print this, except"
    for turn in loose_turns:
        yield "", f"{_turn_place(turn, stimulus)}: {_anything(turn.printed)}"
    if stated.stderr is not None:
        exact = stated.stderr.exact_text
        if exact is None:
            yield "stderr", _anything(stated.stderr)
        else:
            yield "stderr", exact.rstrip("\n") or "nothing"
    if stated.reads_at_most is not None:
        yield "must", f"ask at most {stated.reads_at_most} times"
    if stated.reads_any:
        yield "may", "ask any number of times"


def _turn_place(turn: StatedTurn, stimulus: Stimulus) -> str:
    """Return a text that says after which input a turn of output comes."""
    if not turn.index:
        return "before any input"
    place = f"after input {turn.index}"
    for typed in stimulus.inputs[turn.index - 1 : turn.index]:
        place += f" ({typed.named()})"
    return place


def _ending_lines(expected: Expectation) -> Iterator[Labelled]:
    stated = expected.stated
    reference = expected.reference
    ending = stated.ends
    if ending is None:
        ending = reference.ending if reference else Ending.ANSWERED
    if stated.raises is not None:
        yield "raises", raise_in_words(stated.raises)
        return
    if stated.ends_any:
        yield "may", "end, or ask for more"
        return
    if ending in _ENDINGS:
        yield "and", _ENDINGS[ending]
        return
    matcher = stated.returns
    if matcher is None and reference is not None and reference.value is not None:
        matcher = Exactly(value=reference.value)
    # "gives None" is left out for a call that prints.
    only_prints = matcher == Exactly(value=NONE) and reference and reference.transcript()
    if matcher is not None and not only_prints:
        yield "gives", _words(matcher, expected.floats)
    status = stated.exit
    if status is None and reference is not None:
        status = reference.exit_status
    if status and not stated.exit_any:
        yield "and", f"ends with exit status {status}"


def _leave_lines(expected: Expectation) -> Iterator[Labelled]:
    """Yield the values of arguments and session variables after the run, as labels and texts."""
    if expected.stated.leaves_any:
        yield "may", "change its arguments"
        return
    stated = {leave.name: leave.value for leave in expected.stated.leaves}
    if expected.reference is not None:
        reference = expected.reference
        names = (*expected.parameters, *[""] * len(reference.arguments))
        sides = reference.arguments_before, reference.arguments
        for name, before, after in zip(names, *sides, strict=False):
            if not isinstance(stated.get(name, Exactly(value=after)), Exactly):
                continue
            stated.pop(name, None)
            if before != after:
                yield "makes", f"{before.source()} to {after.source()}"
    for name, matcher in stated.items():
        yield "leaves", f"{name}: {_words(matcher, expected.floats)}"
    if expected.stated.leaves_unchanged:
        yield "and", "leaves its arguments unchanged"


def _file_lines(expected: Expectation, stimulus: Stimulus) -> Iterator[Labelled]:
    """Yield the files that the run has changed, as labels and texts."""
    before = {name: Exactly(value=value) for name, value in given_files(stimulus).items()}
    contents = expected_files(expected, stimulus)
    if contents is None:
        matchers = {file.name: file.value for file in expected.stated.writes}
        removed = []
    else:
        matchers = dict(contents)
        removed = sorted(before.keys() - contents.keys())
    for name, matcher in sorted(matchers.items()):
        if matcher != before.get(name):
            yield "leaves", _file_change(name, matcher)
    for name in removed:
        yield "leaves", f"no file {name}"
    if expected.stated.writes_any:
        yield "may", "write any files"
    elif expected.stated.writes_unchanged:
        yield "and", "leaves all files unchanged"
    elif expected.stated.writes_only is not None:
        yield "and", "leaves all other files unchanged"


def _file_change(name: str, matcher: Matcher) -> str:
    if matcher == Exactly(value=NONE):
        return f"no file {name}"
    text = matcher.exact_text
    if text is not None:
        return file_text(name, shorten(text, paste.MAX_OF_A_FILE))
    if isinstance(matcher, Exactly) and matcher.value.kind is ValueKind.FOREIGN:
        return f"{name}, a {matcher.value.text}"
    return f"{name}: {_anything(matcher)}"


def _anything(matcher: Matcher) -> str:
    if isinstance(matcher, AnyValue):
        return "anything"
    return _words(matcher)


def _words(matcher: Matcher, floats: Floats | None = None) -> str:
    if isinstance(matcher, EqualData):
        return f"a value that is equal (==) to {matcher.value.source()}"
    return value_in_words(matcher, floats)
