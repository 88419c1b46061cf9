"""Checks that the reference meets a scenario, and that the scenario states every surprising effect
of the reference, such as an exception.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.common.escaping import plain, quoted
from harness.common.words import counted
from harness.judging.compare.ending import COMPLETE, is_before_stimulus
from harness.judging.compare.figures import figure_mismatches
from harness.judging.compare.files import written_mismatches
from harness.judging.compare.mismatch import accepts_value
from harness.judging.compare.raises import raise_agrees
from harness.judging.compare.session import compares_variables, is_default_repr, screen_of, shows
from harness.judging.compare.suite import suite_mismatch
from harness.judging.compare.text import accepts_printed, pieces, stderr_mismatch
from harness.judging.explain.failure import TextEdit, item_at
from harness.judging.side_by_side.comparison import quoted_pair, shared_start
from harness.judging.side_by_side.differences import figure_part_in_words
from harness.matchers.comparison import normalised, same, source, with_equal_lines
from harness.matchers.kinds import hint_for
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.texts import LinesUnordered
from harness.matchers.kinds.values import AnyValue, Exactly, exactly
from harness.model.expectation import (
    Expectation,
    Expected,
    Ignore,
    Matcher,
    StatedStep,
    StatedTurn,
    TextRules,
)
from harness.model.observation import (
    CourseTestResult,
    Ending,
    Observation,
    Phase,
    Raised,
    StepOutcome,
)
from harness.model.stimulus import Action, Form, Stimulus
from harness.model.values import NONE, Value, ValueKind
from harness.stimuli.suite import SuiteQuestion

ENDINGS_IN_WORDS = {
    Ending.ANSWERED: "answered",
    Ending.ASKED_FOR_MORE: "asked for more input than the scenario has",
    Ending.ENDED_EARLY: "ended the process before answering",
    Ending.MISSING: "does not define a function that is needed",
    Ending.TIMEOUT: "ran into the limit on wall time",
    Ending.CPU_LIMIT: "ran into the limit on CPU time",
    Ending.MEMORY_LIMIT: "ran into the limit on memory",
    Ending.OUTPUT_LIMIT: "ran into the limit on output",
    Ending.CRASHED: "crashed",
    Ending.TAMPERED: "broke the protocol",
    Ending.NOT_RUN: "was not run",
    Ending.STOPPED_EARLY: "was stopped under a shortened limit",
    Ending.STAND_IN_INAPPLICABLE: "cannot be run with the stand-in",
    Ending.STAND_IN_FAILED: "was not observed: the stand-in failed",
    Ending.HARNESS_ERROR: "was not observed: the harness itself failed",
}


@dataclass(frozen=True, slots=True)
class Unstated:
    """Something that the reference did although the scenario does not state it, with a remark."""

    did: str
    remark: str = ""

    def __str__(self) -> str:
        return f"{self.did}, which the scenario does not state{self._in_brackets()}."

    def briefly(self) -> str:
        """Return the sentence about the reference without the remark."""
        return f"{self.did}{self._in_brackets()}"

    def _in_brackets(self) -> str:
        return f" ({self.remark})" if self.remark else ""


# A difference between the reference and its scenario.
Disagreement = str | Unstated


def disagreements(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> tuple[Disagreement, ...]:
    """Return a plain sentence for each difference between the reference's `observation` and the
    scenario.

    The scenario must state an exception, an exit status other than 0, a limit, unread input and a
    request for more input. Other effects need not be stated.
    """
    stated = expectation.stated
    is_open = stated.ends_any and observation.ending in COMPLETE
    is_free = is_open and not is_before_stimulus(observation, stimulus)
    sentences: list[Disagreement] = []
    if not is_free:
        sentences += _ending(observation, stated)
    if stimulus.action.form is Form.TEST:
        if not sentences:
            sentences += _test(observation)
        return tuple(sentences)
    if stimulus.action.form is Form.SUITE:
        if not sentences:
            sentences += _suite(observation, stimulus)
        return tuple(sentences)
    if observation.ending is Ending.ANSWERED or observation.ending is stated.ends or is_free:
        sentences += _raises(observation, stated)
        sentences += _inputs(observation, stated, stimulus)
        sentences += _exit(observation, stated)
        sentences += _value(observation, stated)
        sentences += _texts(observation, stated)
        sentences += _leave_findings(observation, expectation)
        sentences += _files(observation, expectation, stimulus)
        sentences += _figures(observation, expectation)
        if stimulus.action.steps:
            sentences += _steps(observation, stated, stimulus.action)
    return tuple(sentences)


def _suite(observation: Observation, stimulus: Stimulus) -> Iterator[str]:
    for mismatch in suite_mismatch(observation, stimulus):
        outcome = mismatch.actual
        if mismatch.question is SuiteQuestion.NOTICES:
            yield "the reference's tests do not notice the fault"
        elif mismatch.question is SuiteQuestion.HELPS:
            continue  # a test that finds no fault may serve students as an example
        elif mismatch.question is SuiteQuestion.COVERS and outcome.coverage is not None:
            ran = outcome.coverage
            shares = f"{ran.percent} % of the statements and {ran.percent_of_branches} %"
            yield f"the reference's tests run only {shares} of the branches"
        elif outcome.not_loaded:
            yield f"the reference's tests cannot be run: {plain(outcome.not_loaded, limit=300)}"
        elif outcome.unsteady:
            names = ", ".join(plain(name) for name in outcome.unsteady)
            yield f"the reference's tests differ from run to run: {names}"
        elif not outcome.tests:
            yield "the reference has no tests"
        for test in outcome.failed:
            said = plain(" ".join(test.outcome.message.split()), limit=300)
            yield f"the reference's test {plain(test.name)} fails: {said}"


def _test(observation: Observation) -> Iterator[str]:
    test = observation.test
    if test is None or test.result in (CourseTestResult.PASSED, CourseTestResult.SKIPPED):
        return
    message = " ".join(test.message.split())
    said = f": {plain(f'{test.type_name}: {message}', limit=300)}" if message else ""
    place = f" at line {test.line}, {quoted(test.source)}" if test.source else ""
    how = test.result.value.replace("_", " ")
    yield f"the reference does not pass the test ({how}){place}{said}"


_MORE = {
    Ending.TIMEOUT: "limits: {wall_seconds: 30} allows more",
    Ending.CPU_LIMIT: "limits: {cpu_seconds: 5} allows more",
    Ending.MEMORY_LIMIT: "limits: {memory_mib: 512} allows more",
    Ending.OUTPUT_LIMIT: "limits: {output_kib: 1024} allows more",
}


def _ending(observation: Observation, stated: Expected) -> Iterator[Disagreement]:
    ending = observation.ending
    did = f"the reference {ENDINGS_IN_WORDS[ending]}"
    if observation.detail:
        did += f" ({plain(observation.detail)})"
    if observation.phase is Phase.LOADING:
        did += " while it was loading"
    early = observation.phase in (Phase.GIVEN, Phase.ARGUMENTS)
    if stated.ends is not None and early and ending is not Ending.ANSWERED:
        yield f"{did} before the tested call was run, but the scenario states how that ends."
    elif stated.ends is not None and ending is not stated.ends:
        yield f"{did}, but the scenario states that it ends with {stated.ends.value}."
    elif stated.ends is None and ending is not Ending.ANSWERED:
        remark = _MORE.get(ending, "")
        if ending is Ending.ASKED_FOR_MORE and observation.phase is Phase.LOADING:
            remark = "at_load: [Ann] types a line then"
        yield Unstated(did, remark)


def _named(raised: Raised) -> str:
    if not raised.message:
        return plain(raised.type_name)
    return plain(f"{raised.type_name}: {raised.message}")


_ELSEWHERE = {
    Phase.LOADING: "while it was loading",
    Phase.GIVEN: "in a given value, before the call",
    Phase.ARGUMENTS: "in an argument of the call, or in its object, before the call itself",
    Phase.RESULT: "when the call's result was read, after the call itself (`list(…)` around "
    "the call makes that its own)",
}


_OF_NETWORK = frozenset({"URLError", "gaierror", "ConnectionError"})
_NO_FILE = "a program reads only files that files: names, for one scenario or at the head of a file"
_NO_SCREEN = "programs have no screen: put your own module instead of turtle under provided:"
_NO_NETWORK = "programs have no network: replace the function that uses it in given:"

_REMARKS = {"TclError": _NO_SCREEN, "FileNotFoundError": _NO_FILE}


def _raises(observation: Observation, stated: Expected) -> Iterator[Disagreement]:
    raised, wanted = observation.raised, stated.raises
    elsewhere = _ELSEWHERE.get(observation.phase)
    if raised is not None and elsewhere is not None:
        # Everything stated is about the call, which no submission would reach.
        fix = ""
        if raised.type_name == "ModuleNotFoundError" and observation.phase is Phase.LOADING:
            fix = " (list other people's modules under packages:, your own under provided:)"
        if raised.type_name == "FileNotFoundError":
            fix = f" ({_NO_FILE})"
        yield f"the reference raised {_named(raised)} {elsewhere}{fix}."
    elif wanted is None:
        leaves_by_exit = raised is not None and raised.type_name == "SystemExit"
        if raised is not None and not (leaves_by_exit and observation.exit_status is not None):
            remark = ""
            if not _OF_NETWORK.isdisjoint((raised.type_name, *raised.bases)):
                remark = _NO_NETWORK
            remark = _REMARKS.get(raised.type_name, remark)
            yield Unstated(f"the reference raised {_named(raised)}", remark)
    elif raised is None:
        if not any(raise_agrees(wanted, step.raised) for step in observation.steps):
            yield f"the scenario states {wanted.in_words()}, but the reference raised nothing."
    elif not raise_agrees(wanted, raised):
        but = f"the reference raised {_named(raised)}, but the scenario states {wanted.in_words()}"
        if wanted.message is not None:
            but += f" with {wanted.message.in_words()}"
        yield f"{but}."


def _inputs(observation: Observation, stated: Expected, stimulus: Stimulus) -> Iterator[str]:
    taken, typed = observation.reads, len(stimulus.inputs)
    but = f"the reference read {counted(taken, 'input')}, but the scenario states"
    if stated.reads_any:
        return
    if stated.reads_at_most is not None:
        if taken > stated.reads_at_most:
            yield f"{but} at most {stated.reads_at_most}."
    elif stated.reads is not None:
        if taken != stated.reads:
            yield f"{but} {stated.reads}."
    elif taken < typed:
        yield f"the reference left {counted(typed - taken, 'input')} of {typed} unread."


def _exit(observation: Observation, stated: Expected) -> Iterator[Disagreement]:
    status = observation.exit_status
    if stated.exit is not None:
        if status != stated.exit:
            did = "had no exit status"
            if status is not None:
                did = f"ended with status {status}"
            yield f"the reference {did}, but the scenario states {stated.exit}."
    elif stated.exit_any:
        return
    elif status and (observation.raised is None or observation.raised.type_name == "SystemExit"):
        yield Unstated(f"the reference ended with status {status}")


def _value(observation: Observation, stated: Expected) -> Iterator[str]:
    value = observation.value
    if stated.returns is not None:
        if value is None:
            if observation.raised is None:
                yield f"the reference gave no value, but {stated.returns.in_words()} is stated."
        elif not accepts_value(stated.returns, value, stated.rules):
            yield f"the reference {_other_value(value, stated.returns)}"
    elif value is not None:
        yield from _comparable("the reference's value", value)


def _other_value(value: Value, stated: Matcher) -> str:
    """Return the end of a sentence that begins with "the reference", about a value that is not the
    stated one.
    """
    has_no_eq = bool(value.items) and value.items[-1].kind is ValueKind.FOREIGN
    if isinstance(stated, EqualTo) and value.kind is ValueKind.OBJECT and has_no_eq:
        name = plain(value.text, limit=60)
        fix = "leave returns out to compare its public attributes, or call its repr"
        return f"returned an object of the class {name}, which has no __eq__: {fix}."
    has, wanted = _value_and_stated(value, stated)
    words = stated.value_in_words(value)
    did = f"returned {has}" if words is None else f"has {words}"
    return f"{did}, but {wanted} is stated."


def _comparable(what: str, value: Value, fix: str = "") -> Iterator[str]:
    """Yield a reason if the reference's value cannot be compared with others, with a hint what to
    write instead (`fix`).
    """
    for part in value.parts():
        name = plain(part.text, limit=60)
        if part.kind is ValueKind.TOO_LARGE:
            yield f"{what} is too large to compare ({name}){fix}."
        elif part.kind is ValueKind.UNREADABLE:
            yield f"{what} has an attribute that cannot be read ({name})."
        elif part.kind is ValueKind.OBJECT and not part.items:
            hint = f"compare: {{{name}: [its attributes]}} in assignment.yaml"
            yield f"{what}, of the class {name}, shows nothing that can be compared; state {hint}."
        elif part.kind is ValueKind.FOREIGN and not part.items:
            yield f"only the type of {what} is known ({name}); state the expected value."
        else:
            continue
        return


def _texts(observation: Observation, stated: Expected) -> Iterator[str]:
    rules = stated.rules
    shown = observation.transcript()
    if stated.prompts_any:
        observation = observation.without_prompts()
    if stated.prints is not None and not accepts_printed(stated.prints, observation, rules):
        yield f"the reference's output {_unlike(observation.printed, stated.prints, stated)}"
    if stated.stderr and any(stderr_mismatch(observation, stated)):
        unlike = _unlike(observation.stderr or "", stated.stderr, stated)
        yield f"the reference's output to stderr {unlike}"
    if stated.transcript is not None:
        wanted = exactly(stated.transcript)
        if not wanted.accepts_text(shown, rules):
            yield f"the reference's transcript {_unlike(shown, wanted, stated)}"
    if stated.turns is None:
        return
    printed = pieces(observation.turns)
    for turn in stated.turns.turns:
        text = item_at(printed, turn.index) or ""
        if not turn.printed.accepts_text(text, rules):
            unlike = _unlike(text, turn.printed, stated)
            meant = _meant(turn, printed, rules)
            yield f"turn {turn.index}, as the reference prints it, {unlike}{meant}"
    if stated.turns.all_turns and len(printed) > len(stated.turns.turns):
        has = counted(len(printed), "turn")
        yield f"the reference has {has}, but the scenario states {len(stated.turns.turns)}."


def _meant(turn: StatedTurn, printed: Sequence[str], rules: TextRules) -> str:
    """Return a sentence that names the reference's only turn that the statement fits; "" if none
    or several do.
    """
    fitting = [
        index for index, text in enumerate(printed) if turn.printed.accepts_text(text, rules)
    ]
    if len(fitting) != 1:
        return ""
    return f" Turn {fitting[0]} matches: turn 0 is the output before the first input."


_MAX_QUOTED = 400  # maximum length of a quoted text that its matcher rejects


def _unlike(text: str, matcher: Matcher, stated: Expected) -> str:
    """Return the end of a sentence about how a text differs from the stated one."""
    wanted, rules = matcher.exact_text, stated.rules
    if wanted is None:
        failing = matcher.failing_part(lambda part: part.accepts_text(text, rules))
        remark = ""
        forgiving = replace(rules, ignore=(*rules.ignore, Ignore.BLANK_LINES))
        if isinstance(failing, LinesUnordered) and failing.accepts_text(text, forgiving):
            remark = " (blank lines count; ignore: [blank-lines] forgives them)"
        shown = quoted(text, limit=_MAX_QUOTED)
        return f"is {shown}, but {_on_one_line(failing)} is stated{remark}."
    expected = normalised(wanted, rules).split("\n")
    actual = normalised(text, rules).split("\n")
    edit = TextEdit(expected=expected, actual=with_equal_lines(expected, actual, rules))
    should, has = quoted_pair(*edit.first_lines)
    return f"first differs at line {edit.at + 1}: it is {has}, but {should} is stated."


def _on_one_line(matcher: Matcher) -> str:
    """Return the matcher in words, shortened if it needs several lines."""
    words = matcher.in_words(whole=True)
    return matcher.in_words() if "\n" in words else words


def _value_and_stated(value: Value, matcher: Matcher) -> tuple[str, str]:
    """Return two texts: a value, and the part of the matcher that rejects it.

    If both are long, return only the parts that differ.
    """
    failing = matcher.failing_part(lambda part: part.accepts(value))
    if not isinstance(failing, Exactly):
        return source(value, limit=_MAX_QUOTED), _on_one_line(failing)
    at = shared_start(value.source(), failing.value.source())
    return source(value, at=at), failing.in_words_at(at)


def _leave_findings(observation: Observation, expectation: Expectation) -> Iterator[str]:
    stated = expectation.stated
    if stated.leaves_any:
        return
    after = {variable.name: variable.value for variable in observation.variables}
    after.update(zip(expectation.parameters, observation.arguments, strict=False))
    for leave in stated.leaves:
        value = after.pop(leave.name, None)
        if value is None and not isinstance(leave.value, AnyValue):
            yield (
                f"the scenario states {leave.name} afterwards, but no variable has that "
                "name then ({any: true} ignores a function)."
            )
        elif value is not None and not leave.value.accepts(value):
            has, wanted = _value_and_stated(value, leave.value)
            yield f"the reference leaves {leave.name} as {has}, but {wanted} is stated."
    if not compares_variables(stated):
        after = {}
    for name, value in after.items():
        fix = f"; write leaves: {{{name}: {{any: true}}}}"
        yield from _comparable(f"the reference's {name} afterwards", value, fix)
    if not stated.leaves_unchanged:
        return
    both = zip(observation.arguments_before, observation.arguments, strict=False)
    for number, (before, value) in enumerate(both, 1):
        if not same(before, value):
            yield f"the reference changes argument {number} to {source(value)}."


def _files(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> Iterator[str]:
    if not stimulus.folder:
        return
    if observation.left_open:
        names = ", ".join(plain(name) for name in observation.left_open)
        yield f"the reference leaves {names} open."
    for mismatch in written_mismatches(observation, expectation, stimulus):
        name = plain(mismatch.name)
        if mismatch.actual is not None and mismatch.expected is not None:
            has, wanted = _value_and_stated(mismatch.actual, mismatch.expected)
            yield f"the reference's file {name} is {has}, but {wanted} is stated."
            continue
        has = "is not there"
        if mismatch.actual is not None:
            has = f"is {source(mismatch.actual)}"
        wanted = "no such file"
        if mismatch.expected is not None:
            wanted = mismatch.expected.in_words()
        yield f"the reference's file {name} {has}, but {wanted} is stated."
    if expectation.stated.writes_any:
        return
    for file in observation.files:
        yield from _comparable(f"the reference's file {plain(file.name)}", file.value)


def _figures(observation: Observation, expectation: Expectation) -> Iterator[str]:
    for mismatch in figure_mismatches(observation, expectation):
        part = figure_part_in_words(mismatch)
        has, wanted = mismatch.actual or "nothing", mismatch.expected or "nothing"
        yield f"the reference's {part}: it is {has}, but {wanted} is stated."


def _own_step(
    name: str, stated_step: StatedStep, step: StepOutcome, stated: Expected
) -> Iterator[str]:
    """Yield a sentence for each difference between the reference and what the scenario states
    about this step.
    """
    if not raise_agrees(stated_step.raises, step.raised):
        did = "nothing" if step.raised is None else _named(step.raised)
        wanted = "nothing" if stated_step.raises is None else stated_step.raises.in_words()
        yield f"{name}: the reference raised {did}, but {wanted} is stated."
        return
    value = step.value or NONE
    if stated_step.returns is not None and not accepts_value(
        stated_step.returns, value, stated.rules
    ):
        yield f"{name}: the reference {_other_value(value, stated_step.returns)}"
    texts = (
        ("prints", stated_step.prints, step.printed),
        ("shows", stated_step.shows, screen_of(step)),
    )
    for does, matcher, text in texts:
        if matcher is not None and not matcher.accepts_text(text, stated.rules):
            yield f"{name}: the text that the reference {does} {_unlike(text, matcher, stated)}"


def _steps(observation: Observation, stated: Expected, session: Action) -> Iterator[str]:
    for index, step in enumerate(observation.steps):
        stated_step = stated.of_step(index)
        is_compared = stated_step is None or not stated_step.states_value
        is_shown = step.shown and not is_default_repr(step.shown)
        if step.value is not None and is_compared and not is_shown:
            yield from _comparable(f"step {index + 1}: the reference's value", step.value)
        shown = item_at(stated.shown or (), index)
        source_text = item_at(session.steps, index) or ""
        name = f"step {index + 1} ({plain(source_text.strip(), limit=60)})"
        if stated_step is not None:
            yield from _own_step(name, stated_step, step, stated)
        elif shown is None:
            if step.raised is not None and not raise_agrees(stated.raises, step.raised):
                yield f"{name}: the reference raised {_named(step.raised)}, which is not stated."
        elif not shows(step, shown, stated.rules):
            has, wanted = quoted(screen_of(step), limit=160), quoted(shown, limit=160)
            message = f"{name}: the reference shows {has}, but the sheet shows {wanted}."
            hint = hint_for(shown.strip())
            if hint:
                message += f" Hint: {hint}"
            yield message
    expected = len(session.steps)
    if stated.shown is not None:
        expected = len(stated.shown)
    if len(observation.steps) < expected:
        yield f"the reference ran {counted(len(observation.steps), 'step')} of {expected}."
