"""The sentences of explanations, in English, made from facts. Nothing reads them back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, assert_never

from harness.common.escaping import plain
from harness.common.words import listed
from harness.model.explanation.facts import (
    ArgumentNotChanged,
    DidNotEnd,
    Facts,
    FaultyHelper,
    GrowsTooFast,
    Guess,
    HardCoded,
    HardCodedSign,
    InLoop,
    InRecursion,
    Lead,
    LoopEnd,
    NoReturn,
    NotHandedIn,
    NotJudged,
    OtherConstant,
    RaisedAtLine,
    Reason,
    ReturnedNone,
    SourceLine,
    Stated,
    WrongBranch,
)

if TYPE_CHECKING:
    from harness.model.verdict import Explanation

_MAX_NAME = 60
_MAX_SOURCE = 80
_UNKNOWN_LOOP = "perhaps a loop whose condition stays true, or a function that calls itself"
_GUESSES = {
    Guess.COPY: "Is a copy changed in its place?",
    Guess.ROUNDED_OR_COPY: "Is the result rounded, or is a copy changed in its place?",
}
# The beginnings of sentences, other than names of functions, that are small inside a sentence.
_BEGINNINGS = frozenset({"The", "It", "In", "After", "Before"})


def as_shown(sentence: str) -> str:
    """Return a sentence unchanged. A test replaces this function, and with it every sentence about
    a program, to see that nothing depends on one."""
    return sentence


def finished(sentence: str) -> str:
    """Return a sentence, or a piece of one, as it is kept in facts or shown."""
    return as_shown(sentence)


def statement(sentence: str) -> Stated:
    """Return the facts of a rule about which nothing more is asked than this sentence."""
    return Stated(sentence=finished(sentence))


def text_of(explanation: Explanation, *, with_helper: bool = True, with_source: bool = True) -> str:
    """Return all that an explanation says. Leave out the helper that is the most suspect, or the
    texts of lines, if these are shown elsewhere."""
    parts = [*_parts(explanation, with_helper, with_source), *explanation.remarks]
    text = " ".join(part for part in parts if part)
    return finished(f"{text} Hint: {explanation.hint}" if explanation.hint else text)


def _parts(explanation: Explanation, with_helper: bool, with_source: bool) -> Iterator[str]:
    lead, reason, later = explanation.lead, explanation.reason, explanation.later
    if lead is not None and (with_helper or not isinstance(lead, FaultyHelper)):
        yield lead_words(lead)
    if later is None:
        yield _with_reason(explanation.facts, reason, with_source)
        return
    yield own_words(explanation.facts, with_source=with_source)
    said = _with_reason(later.facts, reason, with_source)
    if said.partition(" ")[0] in _BEGINNINGS:
        said = said[:1].lower() + said[1:]
    yield f"Later, {said}"


def helper_words(explanation: Explanation) -> str:
    """Return the sentence about the most suspect helper; empty if there is none."""
    lead = explanation.lead
    return finished(lead_words(lead)) if isinstance(lead, FaultyHelper) else ""


def own_words(facts: Facts, *, with_guess: bool = True, with_source: bool = True) -> str:
    """Return the sentences of a rule's own facts."""
    match facts:
        case Stated(sentence=sentence):
            return sentence
        case RaisedAtLine(clause=clause, line=line, rest=rest):
            return f"{clause}{in_brackets(line, with_source=with_source)}{rest}"
        case DidNotEnd(clause=clause):
            return f"{clause}: {_UNKNOWN_LOOP}." if with_guess else f"{clause}."
        case ReturnedNone():
            return ended(_returned_none(facts))
        case ArgumentNotChanged(sentence=sentence, guess=guess):
            return sentence if guess is None or not with_guess else f"{sentence} {_GUESSES[guess]}"
        case GrowsTooFast():
            return _grows_too_fast(facts)
        case NotHandedIn(file=file):
            return f"{named(file)} was not handed in."
        case NotJudged(place=place):
            return f"This could not be judged: {place}." if place else "This could not be judged."
        case HardCoded():
            return _hard_coded(facts)
    assert_never(facts)


def _grows_too_fast(facts: GrowsTooFast) -> str:
    counts = [f"{count.lines:,} lines for size {count.size:,}" for count in facts.counts]
    grown = f"For an input twice as large, {float(facts.times):.1f} times as many lines run"
    return (
        f"The answer is right, but costs too much. {grown}: {', '.join(counts)}. "
        f"Asked for: {facts.asked}."
    )


def _returned_none(facts: ReturnedNone) -> str:
    returned = f"returned None instead of {facts.wanted}"
    return clause_about(facts.where, facts.function, returned)


def _hard_coded(facts: HardCoded) -> str:
    name, number, size = facts.constant, facts.number, facts.size
    match facts.sign:
        case HardCodedSign.RIGHT_AT_DEFAULT:
            sign = f"it is right when {name} is {number} and wrong when it is {size}"
        case HardCodedSign.DEFAULT_BOARD:
            sign = f"it shows a board of that size though {name} is {size}"
        case HardCodedSign.INDEX_ERROR:
            sign = f"an index is out of range when {name} is {size}"
    looks = f"This looks hard-coded to {number}: {sign}; use {name} in place of the number"
    if not facts.also_in:
        return f"{looks}."
    return f"{looks}, also in {listed(named(function) for function in facts.also_in)}."


def _with_reason(facts: Facts, reason: Reason | None, with_source: bool) -> str:
    """Return the sentence about the facts, with the known reason in place of a guess."""
    said = own_words(facts, with_guess=reason is None, with_source=with_source)
    match reason:
        case None:
            return said
        case InLoop() | InRecursion():
            return _with_loop(said, _busy(reason), replaces_guess=isinstance(facts, DidNotEnd))
        case NoReturn():
            return f"{said.removesuffix('.')}: is a return missing?"
    assert_never(reason)


def _with_loop(said: str, busy: str, *, replaces_guess: bool) -> str:
    before = said.removesuffix(".")
    if replaces_guess:
        return f"{before}: {busy}."
    beginning = capitalised(busy) if busy.startswith("the ") else busy
    return f"{before}. {beginning}."


def _busy(reason: InLoop | InRecursion) -> str:
    """Return the words for the code that ran when a limit was reached, as far as it is known."""
    function = named(reason.function)
    if isinstance(reason, InRecursion):
        return f"{function or 'the function'} (line {reason.line}) calls itself again and again"
    loop = f"the loop in line {reason.line}"
    if function:
        loop += f" of {function}"
    match reason.ends:
        case LoopEnd.LATER_PERHAPS:
            return f"{loop} was still running"
        case LoopEnd.NEVER_OR_LATE:
            return f"{loop} does not end, or takes too long for so much"
        case LoopEnd.NEVER:
            return f"{loop} does not end"


def lead_words(lead: Lead) -> str:
    """Return the sentence about the fault's place."""
    match lead:
        case WrongBranch(condition=condition, prints=prints, taken=taken, asked=asked):
            after = f" after {named(asked)}" if asked else ""
            what = "an unexpected line" if taken else "the expected line"
            return f"Line {condition} goes the wrong way{after}: line {prints} prints {what}."
        case OtherConstant(name=name, value=value, line=line):
            where = f"{named(name)}, which is {named(value)} on line {line}"
            return f"The fault may be in {where}: compare it with the sheet."
        case FaultyHelper(function=function, first=first, last=last):
            lines = f"line {first}" if first == last else f"lines {first} to {last}"
            return f"The fault seems to be in {named(function)}, {lines}."
    assert_never(lead)


def in_brackets(line: SourceLine, *, with_source: bool = True) -> str:
    """Return a line as the end of a clause: ` (line 3: x = 1)`."""
    text = plain(line.text.strip(), limit=_MAX_SOURCE) if with_source else ""
    return f" (line {line.number}: {text})" if text else f" (line {line.number})"


def named(name: str) -> str:
    """Return a name that a submission chose, safe to show and not too long."""
    return plain(name, limit=_MAX_NAME)


def clause_about(where: str, who: str, does: str) -> str:
    """Return a sentence without its end: place, subject and predicate. A function's name stays as
    it is at the beginning."""
    whole = f"{where}, {who} {does}" if where else f"{who} {does}"
    is_name = not where and who != "it" and " " not in who
    return whole if is_name else capitalised(whole)


def capitalised(sentence: str) -> str:
    """Return a sentence that begins with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def ended(sentence: str) -> str:
    """Return a sentence with a full stop, unless it ends with a sign already."""
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
