"""The sentences of explanations, in English, made from facts. Nothing reads them back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    NotPython,
    OtherConstant,
    RaisedAsLoaded,
    RaisedAtLine,
    Reason,
    ReturnedNone,
    SourceLine,
    Stated,
    StatedOfLine,
    WrongBranch,
)
from harness.model.notebook import CellLine, line_words, lines_words

if TYPE_CHECKING:
    from harness.model.verdict import Explanation

_MAX_NAME = 60
_MAX_SOURCE = 80
_UNKNOWN_LOOP = "perhaps a loop whose condition stays true, or a function that calls itself"
_GUESSES = {
    Guess.COPY: "Does it change a copy instead?",
    Guess.ROUNDED_OR_COPY: "Does it round the result, or change a copy instead?",
}
# Words at the beginning of sentences that lose their capital letter inside a sentence.
_BEGINNINGS = frozenset({"The", "It", "In", "After", "Before"})


def as_shown(sentence: str) -> str:
    """Return a sentence unchanged. A test replaces this function, and with it every sentence about
    a program, to see that nothing depends on one."""
    return sentence


def finished(sentence: str) -> str:
    """Return a sentence, or a part of one, for facts or pages."""
    return as_shown(sentence)


def statement(sentence: str) -> Stated:
    """Return the facts of a rule that states only this sentence."""
    return Stated(sentence=finished(sentence))


def statement_of_line(before: str, line: int, after: str) -> StatedOfLine:
    """Return the facts of a rule whose sentence names a line; `before` may be empty."""
    begin = finished(before) if before else ""
    return StatedOfLine(before=begin, line=line, after=finished(after))


def text_of(explanation: Explanation, *, with_helper: bool = True, with_source: bool = True) -> str:
    """Return all sentences of an explanation. Leave out the most suspect helper, or the texts of
    lines, if they are shown elsewhere."""
    parts = [*_parts(explanation, with_helper, with_source), *explanation.remarks]
    text = " ".join(part for part in parts if part)
    return finished(f"{text} Hint: {explanation.hint}" if explanation.hint else text)


def _parts(explanation: Explanation, with_helper: bool, with_source: bool) -> Iterator[str]:
    lead, reason, later = explanation.lead, explanation.reason, explanation.later
    places = explanation.places
    if lead is not None and (with_helper or not isinstance(lead, FaultyHelper)):
        yield lead_words(lead, places)
    if later is None:
        yield _with_reason(explanation.facts, reason, with_source, places)
        return
    yield own_words(explanation.facts, with_source=with_source, places=places)
    said = _with_reason(later.facts, reason, with_source, places)
    if said.partition(" ")[0] in _BEGINNINGS:
        said = said[:1].lower() + said[1:]
    yield f"Later, {said}"


def helper_words(explanation: Explanation) -> str:
    """Return the sentence about the most suspect helper; empty if there is none."""
    lead = explanation.lead
    if not isinstance(lead, FaultyHelper):
        return ""
    return finished(lead_words(lead, explanation.places))


def own_words(
    facts: Facts,
    *,
    with_guess: bool = True,
    with_source: bool = True,
    places: Sequence[CellLine] = (),
) -> str:
    """Return the sentences of a rule's own facts. `places` are those of lines in a notebook."""
    match facts:
        case Stated(sentence=sentence):
            return sentence
        case StatedOfLine(before=before, line=number, after=after):
            where = line_words(number, places)
            return f"{before}{where if before else capitalised(where)}{after}"
        case RaisedAtLine(clause=clause, line=line, rest=rest):
            return f"{clause}{in_brackets(line, with_source=with_source, places=places)}{rest}"
        case RaisedAsLoaded(raised=raised, line=line):
            return at_import(f"{raised} on {line_words(line.number, places)}: {_source(line)}")
        case NotPython(reason=reason, file=file, line=line):
            place = f"{file}, {line_words(line.number, places)}"
            return f"Python cannot read the file: {reason} ({place}): {_source(line)}."
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


def at_import(what: str) -> str:
    """Return the sentence that code outside the functions did this while the file was loaded."""
    return f"Code outside the functions ran at import: as soon as the file is loaded, {what}."


def _source(line: SourceLine) -> str:
    return plain(line.text.strip(), limit=_MAX_SOURCE)


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
    looks = f"This looks hard-coded to {number}: {sign}; use {name} instead of the number"
    if not facts.also_in:
        return f"{looks}."
    return f"{looks}, also in {listed(named(function) for function in facts.also_in)}."


def _with_reason(
    facts: Facts, reason: Reason | None, with_source: bool, places: Sequence[CellLine]
) -> str:
    """Return the sentence about the facts, with the known reason instead of a guess."""
    said = own_words(facts, with_guess=reason is None, with_source=with_source, places=places)
    match reason:
        case None:
            return said
        case InLoop() | InRecursion():
            return _with_loop(
                said, _busy(reason, places), replaces_guess=isinstance(facts, DidNotEnd)
            )
        case NoReturn():
            return f"{said.removesuffix('.')}: is a return missing?"
    assert_never(reason)


def _with_loop(said: str, busy: str, *, replaces_guess: bool) -> str:
    before = said.removesuffix(".")
    if replaces_guess:
        return f"{before}: {busy}."
    beginning = capitalised(busy) if busy.startswith("the ") else busy
    return f"{before}. {beginning}."


def _busy(reason: InLoop | InRecursion, places: Sequence[CellLine]) -> str:
    """Return the words for the code that ran when a limit was reached, as far as it is known."""
    function = named(reason.function)
    line = line_words(reason.line, places)
    if isinstance(reason, InRecursion):
        return f"{function or 'the function'} ({line}) calls itself again and again"
    loop = f"the loop in {line}"
    if function and places:
        loop = f"the loop of {function} in {line}"
    elif function:
        loop += f" of {function}"
    match reason.ends:
        case LoopEnd.LATER_PERHAPS:
            return f"{loop} was still running"
        case LoopEnd.NEVER_OR_LATE:
            return f"{loop} does not end, or takes too long for so much"
        case LoopEnd.NEVER:
            return f"{loop} does not end"


def lead_words(lead: Lead, places: Sequence[CellLine] = ()) -> str:
    """Return the sentence about the fault's place. `places` are those of lines in a notebook."""
    match lead:
        case WrongBranch(condition=condition, prints=prints, taken=taken, asked=asked):
            after = f" after {named(asked)}" if asked else ""
            what = "an unexpected line" if taken else "the expected line"
            begin = capitalised(line_words(condition, places))
            prints_it = f"{line_words(prints, places)} prints {what}"
            return f"{begin} goes the wrong way{after}: {prints_it}."
        case OtherConstant(name=name, value=value, line=line):
            where = f"{named(name)}, which is {named(value)} on {line_words(line, places)}"
            return f"The fault may be in {where}: compare it with the sheet."
        case FaultyHelper(function=function, first=first, last=last):
            lines = lines_words(first, last, places)
            return f"The fault seems to be in {named(function)}, {lines}."
    assert_never(lead)


def in_brackets(
    line: SourceLine, *, with_source: bool = True, places: Sequence[CellLine] = ()
) -> str:
    """Return the line's number and source in brackets, as the end of a clause: ` (line 3: x =
    1)`."""
    text = _source(line) if with_source else ""
    where = line_words(line.number, places)
    return f" ({where}: {text})" if text else f" ({where})"


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
    """Return a sentence with a full stop, unless it already ends with a punctuation mark."""
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
