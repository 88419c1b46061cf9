"""Rules about how the process ended, how many inputs it read, and exceptions at a line of the
student's code.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable

from harness.common.escaping import plain, quoted
from harness.common.lookalikes import look_alike
from harness.common.words import counted
from harness.judging.compare.ending import expected_ending
from harness.judging.compare.mismatch import RaiseMismatch
from harness.judging.compare.raises import has_base
from harness.judging.explain.failure import (
    Failure,
    at_line,
    first_visible,
    item_at,
    last_visible,
)
from harness.judging.explain.rules import (
    RAISES,
    Found,
    Part,
    Stage,
    rule,
    rule_about,
)
from harness.model.expectation import Matcher
from harness.model.explanation.facts import DidNotEnd, NotPython, RaisedAsLoaded, SourceLine
from harness.model.explanation.sentences import at_import, finished
from harness.model.observation import Ending, Filled, OutputLimit, Phase, Raised

_AT_IMPORT = {
    Ending.ASKED_FOR_MORE: "it asks for input",
    Ending.TIMEOUT: "it waits and does not end",
    Ending.CPU_LIMIT: "it does not end: perhaps a loop outside the functions",
    Ending.MEMORY_LIMIT: "it uses more memory than is allowed",
    Ending.CRASHED: "it makes Python itself crash",
    Ending.ENDED_EARLY: "it ends the whole program",
}


def _ends(ending: Ending) -> Part[Ending]:
    def part(failure: Failure) -> Ending | None:
        if failure.ending is ending:
            return ending
        return None

    return part


@rule_about(
    Stage.ENDING, 10, "could not be graded: error of the harness", _ends(Ending.HARNESS_ERROR)
)
def our_fault(failure: Failure, ending: Ending) -> str:
    return "The grader itself failed here; this says nothing about the program."


@rule_about(Stage.ENDING, 20, "broke the grading protocol", _ends(Ending.TAMPERED))
def tampered(failure: Failure, ending: Ending) -> str:
    rest = "this does not count, and a person will check it"
    return f"The program interfered with the grader: {rest}."


@rule(Stage.ENDING, 30, "fails while the file is loaded")
def ran_at_import(failure: Failure) -> str | RaisedAsLoaded | NotPython | None:
    if not failure.loading:
        return None
    raised = failure.raised
    if raised is not None:
        found = _not_python(raised) or _raised_at_import(raised)
        if not isinstance(found, str):
            return found
        what: str | None = found
    elif failure.ending is Ending.OUTPUT_LIMIT:
        what = f"it printed {_too_much(failure.observation.output_limit)}"
    else:
        what = _AT_IMPORT.get(failure.ending or Ending.ANSWERED)
    if what is None:
        return None
    return at_import(what)


def _raised_at_import(raised: Raised) -> str | RaisedAsLoaded:
    if raised.type_name == "SystemExit":
        return "it called exit"
    if raised.type_name == "EOFError":
        return "it asks for input"
    what = f"it raised {plain(raised.type_name, limit=60)}"
    if raised.message:
        what += f" ({plain(raised.message)})"
    if raised.frames:
        frame = raised.frames[-1]
        line = SourceLine(number=frame.line, text=frame.source.strip())
        return RaisedAsLoaded(raised=finished(what), line=line)
    return what


def _not_python(raised: Raised) -> NotPython | None:
    """Return the syntax error of a file that Python cannot parse, at its line; None if the file
    parses.
    """
    if raised.type_name in _EXPECTED_AT_IMPORT or not raised.frames:
        return None
    frame = raised.frames[-1]
    place = f" ({frame.file}, line {frame.line})"
    if not raised.message.endswith(place):
        return None
    line = SourceLine(number=frame.line, text=frame.source.strip())
    reason = finished(plain(raised.message.removesuffix(place)))
    return NotPython(reason=reason, file=frame.file, line=line)


_EXPECTED_AT_IMPORT = frozenset({"SystemExit", "EOFError"})  # regardless of the message


@rule_about(Stage.ENDING, 40, "is missing", _ends(Ending.MISSING))
def missing_function(failure: Failure, ending: Ending) -> str:
    name = plain(failure.observation.detail, limit=60)
    if not name:
        return "A function that is needed here is missing."
    kind = _kind_of(name, failure.stimulus.source_texts())
    if failure.observation.nearest:
        near = plain(failure.observation.nearest, limit=60)
        return f"The {kind} {name} is missing. You have {near}: is that it?"
    reason = "it is not written yet, or its name is spelled differently"
    return f"The {kind} {name} is missing: {reason}."


def _kind_of(name: str, texts: Iterable[str]) -> str:
    """Return the likely kind of a name, judging by its upper-case letters and its use in the texts
    of the stimulus."""
    if len(name) > 1 and name.isupper():
        return "constant"
    if name[:1].isupper():
        return "class"
    for text in texts:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return "function"
        if _is_used_as_function(name, tree):
            return "function"
    return "variable"


def _is_used_as_function(name: str, tree: ast.AST) -> bool:
    """Return whether the code calls the name, passes it to a call, or may do so."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        keywords = [keyword.value for keyword in node.keywords]
        for part in (node.func, *node.args, *keywords):
            if isinstance(part, ast.Name) and part.id == name:
                return True
    return False


def _too_much(limit: OutputLimit | None) -> str:
    """Return a phrase about how much a program may print, if that is known.

    The program may have been about to end.
    """
    if limit is None:
        return "more than allowed"
    return f"more than {limit.kib} KiB, which is the limit"


@rule_about(Stage.ENDING, 50, "prints more than allowed", _ends(Ending.OUTPUT_LIMIT))
def printed_without_end(failure: Failure, ending: Ending) -> str:
    limit = failure.observation.output_limit
    if limit is not None and limit.filled is Filled.FOLDER:
        return failure.says(f"wrote {failure.observation.detail}, which is the limit")
    more = _last_input(failure)
    if failure.observation.reads < failure.expected_reads:
        more += " and did not ask for input again"
    if more:
        more = f",{more}"
    again = ""
    lines = failure.observation.printed[-2000:].split("\n")
    whole_lines = lines[1:-1]  # the first and last line are probably cut off
    last = last_visible(whole_lines)
    if last:
        again = f"; the last lines read {quoted(last)}"
    return failure.says(f"printed {_too_much(limit)}{more}{again}")


@rule(Stage.ENDING, 65, "takes longer than allowed")
def takes_too_long(failure: Failure) -> str | None:
    """Notice a time limit.

    The duration is not mentioned here, because the verdict has it in `time`.
    """
    if failure.ending is not Ending.CPU_LIMIT or not failure.observation.ends_in_double:
        return None
    took = "takes longer than allowed, but less than twice as long"
    return failure.says(f"{took}: the loop is not endless, but there is a quicker way")


@rule(Stage.ENDING, 70, "does not end")
def did_not_end(failure: Failure) -> DidNotEnd | str | None:
    clause = f"did not end{_last_input(failure)}"
    if failure.ending is Ending.CPU_LIMIT:
        return DidNotEnd(clause=finished(failure.clause(clause)))
    if failure.ending is Ending.TIMEOUT:
        waits = "it sleeps too long, or waits for something that never happens"
        return failure.says(f"{clause}: {waits}")
    return None


def _last_input(failure: Failure) -> str:
    reads = failure.observation.reads
    if not reads or failure.step is not None:
        return ""
    return f" after {failure.typed(reads - 1)}"


@rule(Stage.ENDING, 80, "uses too much memory")
def memory(failure: Failure) -> str | None:
    raised = failure.raised
    has_raised = raised is not None and raised.type_name == "MemoryError"
    if failure.ending is not Ending.MEMORY_LIMIT and not has_raised:
        return None
    recursive = _recursive_function(failure.observation.raised)
    hint = "perhaps something grows without end"
    if recursive:
        hint = f"{plain(recursive, limit=60)} calls itself too often"
    return failure.says(f"used more memory than is allowed: {hint}")


_INNERMOST = 12  # number of innermost calls that are examined for recursion
_SAME_FUNCTION = 3  # this many calls of one function among them count as recursion


def _recursive_function(raised: Raised | None) -> str:
    """Return the function that called itself, directly or not, judging by the innermost calls.

    If several did, return the first by name: which of them ran out of memory is chance.
    """
    if raised is None:
        return ""
    functions = [frame.function for frame in raised.frames[-_INNERMOST:]]
    recursive = [name for name, count in Counter(functions).items() if count >= _SAME_FUNCTION]
    return min(recursive, default="")


@rule_about(Stage.ENDING, 90, "crashes Python itself", _ends(Ending.CRASHED))
def crashed(failure: Failure, ending: Ending) -> str:
    clause = "made Python itself crash"
    signal = plain(failure.observation.detail, limit=40)
    if signal:
        clause += f" ({signal})"
    return failure.says(clause)


@rule_about(Stage.ENDING, 100, "ends the whole program", _ends(Ending.ENDED_EARLY))
def ended_early(failure: Failure, ending: Ending) -> str:
    return failure.says("ended the whole process before giving an answer")


@rule_about(Stage.ENDING, 110, "stopped after too many time limits", _ends(Ending.STOPPED_EARLY))
def cut_short(failure: Failure, ending: Ending) -> str:
    clause = "was stopped at a shorter time limit, because other checks did not end either"
    return failure.says(clause)


@rule_about(Stage.DIFFERENCE, 120, "ends differently than expected", _ends(Ending.ANSWERED))
def should_not_answer(failure: Failure, ending: Ending) -> str:
    return failure.says("ended, although it should not have ended here")


_WITHOUT_ASKING = frozenset(
    {Ending.ANSWERED, Ending.CPU_LIMIT, Ending.TIMEOUT, Ending.STOPPED_EARLY}
)


@rule(Stage.ENDING, 60, "does not ask for input")
def did_not_ask_for_input(failure: Failure) -> str | None:
    if failure.observation.ending not in _WITHOUT_ASKING or failure.raises or failure.loading:
        return None
    is_right = failure.reads is None and failure.ending is None
    if is_right or failure.observation.reads or not failure.expected_reads:
        return None
    clause = "did not ask for input"
    if failure.ending not in (None, Ending.ANSWERED):
        clause += ", and did not end either"
    inputs = counted(failure.expected_reads, "input")
    return failure.says(f"{clause}: {inputs} should have been read")


@rule(Stage.OUTPUT_BEFORE_INPUTS, 40, "asks for more input than there is")
def asked_for_more(failure: Failure) -> str | None:
    more = failure.reads is not None and failure.reads.actual > failure.reads.expected
    if failure.ending is not Ending.ASKED_FOR_MORE and not more:
        return None
    if failure.stimulus.stdin is not None:  # `input()` would have raised EOFError
        read_by = "piped input is read by input() and sys.stdin, not by open(0) or os.read(0, …)"
        return failure.says(f"reads the terminal itself: {read_by}")
    reads = failure.observation.reads
    most = failure.expectation.stated.reads_at_most
    if most is not None and reads >= most:  # fewer if an answering script had nothing left to type
        needed = f"at most {counted(most, 'input')} should be needed"
        return failure.says(f"still asked for input after {counted(reads, 'input')}: {needed}")
    if most is None and failure.expected_reads == 0:
        return failure.says("asked for input, although it should ask for none")
    if failure.reads is not None and failure.ending is None:
        taken, enough = failure.reads.actual, failure.reads.expected
        return failure.says(f"asked for input {counted(taken, 'time')} instead of {enough}")
    place = ""
    if reads:
        place = f"after {failure.typed(reads - 1)}"
    says = ""
    said = _said_before_asking(failure)
    if said:
        says = f"says {quoted(said)} and "
    return failure.says(f"should have ended; it {says}asks for more input", place=place)


def _said_before_asking(failure: Failure) -> str:
    """Return the first unexpected line printed before the program read too many inputs."""
    texts = failure.texts
    if texts is None or texts.removed:
        return ""
    without_prompt = texts.inserted[:-1]
    return first_visible(without_prompt)


@rule(Stage.KNOWN_MISTAKE, 110, "stops before all input is read")
def stopped_early(failure: Failure) -> str | None:
    if failure.reads is None or failure.observation.ending is not Ending.ANSWERED or failure.raises:
        return None
    taken, expected = failure.reads.actual, failure.reads.expected
    if taken >= expected:
        return None
    if taken == 0:
        return failure.says(f"stopped early: it read none of {counted(expected, 'input')}")
    last = failure.typed(taken - 1)
    clause = f"stopped early: after {last} it should have asked for input again"
    prompt = _expected_prompt(failure, taken)
    if prompt:
        clause += f", with {quoted(prompt)}"
    return f"{failure.says(clause)} It read {taken} of {counted(expected, 'input')}."


def _expected_prompt(failure: Failure, index: int) -> str:
    """Return the prompt of the input with this 0-based index; "" if it is unknown."""
    reference = failure.expectation.reference
    if reference is None or failure.step is not None:
        return ""
    turn = item_at(reference.turns, index)
    if turn is None:
        return ""
    _, _, prompt = turn.printed.rpartition("\n")
    return prompt


_WRONG_ARGUMENTS = re.compile(
    r"takes .* argument|missing \d+ required|unexpected keyword argument|takes no arguments"
)


def _unexpected(failure: Failure) -> Raised | None:
    mismatch = failure.raises
    if mismatch is None or mismatch.expected is not None:
        return None
    return mismatch.actual


def _is(raised: Raised, name: str) -> bool:
    return name in (raised.type_name, *raised.bases)


@rule_about(Stage.ENDING, 120, "calls exit", _unexpected)
def called_exit(failure: Failure, raised: Raised) -> Found:
    """Notice a call of `exit()` in a function that should return."""
    if not _is(raised, "SystemExit"):
        return None
    return failure.raised_at(raised, "called exit, which ends the whole program")


@rule_about(Stage.ENDING, 130, "calls itself too often", _unexpected)
def recursed_too_deep(failure: Failure, raised: Raised) -> Found:
    if not _is(raised, "RecursionError"):
        return None
    return failure.raised_at(raised, "raised RecursionError: a function calls itself too often")


@rule_about(Stage.ENDING, 140, "has different parameters", _unexpected)
def wrong_parameters(failure: Failure, raised: Raised) -> str | None:
    """Notice a call that fails because the function's parameters are not the expected ones."""
    are_wrong = _WRONG_ARGUMENTS.search(raised.message[:300])
    if raised.type_name != "TypeError" or raised.frames or not are_wrong:
        return None
    return f"The parameters do not fit the call: TypeError: {plain(raised.message)}."


@rule(Stage.ENDING, 45, "ends before the tested call")
def ended_elsewhere(failure: Failure) -> str | None:
    early = failure.observation.phase in (Phase.GIVEN, Phase.ARGUMENTS)
    if not early or failure.ending is not expected_ending(failure.expectation):
        return None
    return f"It ended as it should, but too early: {_call(failure)} never ran."


@rule_about(Stage.ENDING, 145, "raises before the tested call, or after it", RAISES)
def raised_elsewhere(failure: Failure, mismatch: RaiseMismatch) -> Found:
    raised = mismatch.actual
    if raised is None or failure.loading:
        return None
    name, call, given = _named(raised), _call(failure), failure.stimulus.given.strip()
    if mismatch.phase is Phase.GIVEN:
        first = "The code before the call"
        if given and "\n" not in given:
            first = f"{plain(given, limit=80)}, which runs first,"
        return at_line(f"{first} raised {name}", raised, f", so {call} never ran.")
    if mismatch.expected is None:
        return None
    if mismatch.phase is Phase.ARGUMENTS:
        before = f"In {call}, evaluating an argument or the object"
        return at_line(f"{before} raised {name}", raised, ", so the call never ran.")
    if mismatch.phase is Phase.RESULT:
        clause = f"{call} returned, and {name} was raised only when the returned value was read"
        return at_line(clause, raised)
    return None


def _call(failure: Failure) -> str:
    return plain(failure.stimulus.action.in_words, limit=80)


@rule_about(Stage.ENDING, 150, "raises an exception", _unexpected)
def raised_unexpectedly(failure: Failure, raised: Raised) -> Found:
    return failure.raised_at(raised, f"raised {_named(raised)}")


@rule_about(Stage.ENDING, 160, "raises the wrong exception", RAISES)
def wrong_exception(failure: Failure, mismatch: RaiseMismatch) -> Found:
    expected, raised = mismatch.expected, mismatch.actual
    if expected is None or raised is None:
        return None
    if not expected.allows(raised.type_name):
        instead = f"{_named(raised)} instead of {expected.in_words()}"
        return failure.raised_at(raised, f"raised {instead}")
    if not has_base(expected, raised):
        name = plain(raised.type_name)
        derives = "does not derive"
        bases = [base for base in raised.bases if base not in ("BaseException", "object")]
        if bases:
            derives = f"derives from {plain(bases[0])} and not"
        advice = f"its class should begin with class {name}({expected.is_a})"
        return failure.says(f"raised {name}, which {derives} from {expected.is_a}: {advice}")
    message = _wrong_message(expected.message, raised.message)
    return failure.says(f"raised {raised.type_name} with {message}")


def _wrong_message(expected: Matcher | None, message: str) -> str:
    """Return a phrase with the actual and the expected message of an exception."""
    words = "another"
    if expected is not None and expected.exact_text:
        alike = look_alike(expected.exact_text, message)
        if alike:
            return f"a message that looks right, but {alike}"
        words = quoted(expected.exact_text)
    elif expected is not None:
        words = expected.in_words()
    return f"the message {quoted(message)}, expected {words}"


@rule_about(Stage.ENDING, 170, "raises no exception", RAISES)
def did_not_raise(failure: Failure, mismatch: RaiseMismatch) -> str | None:
    if mismatch.expected is None or mismatch.actual is not None:
        return None
    return failure.says(f"raised nothing, but {mismatch.expected.in_words()} should be raised")


def _named(raised: Raised) -> str:
    name = plain(raised.type_name, limit=60)
    if not raised.message:
        return name
    return f"{name}: {plain(raised.message)}"
