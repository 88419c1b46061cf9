"""What a page or a terminal says of a cause, and the student's own lines beside it: those that a
reader needs, with their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from harness.model.plan import Clause
from harness.model.policy import Finding
from harness.model.student_view import ShownCause, ShownCheck
from harness.model.verdict import NOT_HANDED_IN, CodePlace, VerdictKind

WHOLE = 30  # lines: a function of so many is shown whole
_BEGINNING = 18  # of a longer one in which no line is marked
_END = 8
_AROUND = 6  # lines before and after a marked one
_MOST_MARKED = 6
_QUOTES = ('"""', "'''")
_TAB = 4


def is_missing(cause: ShownCause) -> bool:
    """Whether it is a function that is not there."""
    return bool(cause.checks) and cause.checks[0].verdict.kind is VerdictKind.MISSING


def of_missing_file(check: ShownCheck) -> bool:
    """Whether a file was not handed in: then an example says nothing more."""
    return _rule(check) == NOT_HANDED_IN


MOST_SYMPTOMS = 2
# These say that a value is wrong, and not for which inputs.
_SAY_NO_CASE = frozenset({"wrong_value", "returned_none"})


def sentence(cause: ShownCause) -> str:
    """What is wrong, with the example's name where nothing else says in which cases; empty where
    only hidden checks could say it."""
    first = cause.checks[0] if cause.checks else None
    if first is None or not first.name or _rule(first) not in _SAY_NO_CASE:
        return cause.message
    if cause.message.endswith(("?", "?.")):  # it says what to do
        return cause.message
    return f"{cause.message.removesuffix('.')}, for example in “{first.name}”."


def other_symptoms(cause: ShownCause) -> list[ShownCheck]:
    """Checks of the function that fail for the same cause and say something else than the example,
    the first few: one for each rule that explains."""
    rules = {_rule(check) for check in cause.checks[:1]}
    found: list[ShownCheck] = []
    for check in cause.checks[1:]:
        if check.function != cause.function:
            continue
        if _rule(check) not in rules and check.verdict.message:
            rules.add(_rule(check))
            found.append(check)
    return found[:MOST_SYMPTOMS]


def _rule(check: ShownCheck) -> str:
    return check.verdict.explanation.rule if check.verdict.explanation else ""


MOST_CLAUSES = 2


def quoted_clauses(causes: Iterable[ShownCause]) -> list[tuple[Clause, ...]]:
    """The clauses to quote beside each cause: those of its example, of these the ones that name
    the function where there are such; none a second time."""
    said: set[str] = set()
    found: list[tuple[Clause, ...]] = []
    for cause in causes:
        own = cause.checks[0].clauses if cause.checks else cause.clauses
        naming = [each for each in own if cause.function in (each.section, *each.text.split())]
        new = [each for each in naming or own if each.id not in said][:MOST_CLAUSES]
        said.update(each.id for each in new)
        found.append(tuple(new))
    return found


_OTHER_RETURN = frozenset(
    {"printed_instead_of_returned", "generator_instead_of_list", "wrong_type"}
)


def changes_return(cause: ShownCause) -> bool:
    """Whether a fix changes what the function returns, which its callers may count on."""
    rule = _rule(cause.checks[0]) if cause.checks else ""
    instead = rule == "argument_not_changed" and "is returned" in cause.message
    return instead or rule in _OTHER_RETURN


_OUTSIDE_FUNCTIONS = "module_level"  # the kind of a finding
_HARD_CODED = "hard_coded_size"
_NUMBER = re.compile(r"hard-coded to (\d+)")


def marked_lines(cause: ShownCause) -> list[tuple[CodePlace, list[int]]]:
    """The places in the student's file that a reader needs, each with the lines to mark: those
    with the number, where one is written out; else where the exception came up."""
    places = [(cause.place, cause.line), (cause.raised_in, cause.raised_at)]
    found = [(place, [line] if line else []) for place, line in places if place is not None]
    first = cause.checks[0].verdict.explanation if cause.checks else None
    number = _NUMBER.search(cause.message)
    if first is None or first.rule != _HARD_CODED or number is None:
        return found
    numbers = [(place, with_number(place, number[1])) for place, _ in found]
    return numbers if any(lines for _, lines in numbers) else found


def runs_at_load(cause: ShownCause, findings: Iterable[Finding]) -> list[Finding]:
    """The statements outside functions that may be why a file fails as it is loaded."""
    if cause.function or not cause.checks:
        return []
    return [finding for finding in findings if finding.rule == _OUTSIDE_FUNCTIONS]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLine:
    """A line of the student's with its number; `number` None stands for lines left out. `marked`:
    the very line that matters. `depth` is by how many characters it is indented."""

    number: int | None = None
    text: str = "…"
    marked: bool = False
    depth: int = 0


def own_lines(place: CodePlace, marked: Collection[int] = ()) -> list[OwnLine]:
    """The lines of a function without a long docstring: all of them, or of a long function its
    head and those around the marked ones, else its beginning and its end. What is left out is seen
    to be, and never a single line."""
    numbered = dict(enumerate(place.text, place.first))
    wanted = [number for number in numbered if number in marked][:_MOST_MARKED]
    shown = [number for number in numbered if number not in _docstring(place)]
    if len(shown) > WHOLE and wanted:
        near = {n for one in wanted for n in range(one - _AROUND, one + _AROUND + 1)}
        shown = [number for number in shown if number in near or number == shown[0]]
    elif len(shown) > WHOLE:
        shown = [*shown[:_BEGINNING], *shown[-_END:]]
    found: list[OwnLine] = []
    before = place.first - 1
    for number in [*shown, place.last + 1]:
        left_out = number - before - 1
        if left_out == 1 and number - 1 in numbered:
            found.append(_line(number - 1, numbered, wanted))
        elif left_out:
            found.append(OwnLine())
        if number in numbered:
            found.append(_line(number, numbered, wanted))
        before = number
    return found


def _line(number: int, numbered: dict[int, str], marked: Collection[int]) -> OwnLine:
    text = numbered[number].expandtabs(_TAB)
    depth = len(text) - len(text.lstrip(" "))
    return OwnLine(number=number, text=numbered[number], marked=number in marked, depth=depth)


def with_number(place: CodePlace, number: str) -> list[int]:
    """The lines in which a number is written out, comments left aside."""
    written = re.compile(rf"(?<![\w.]){re.escape(number)}(?![\w.])")
    return [
        line
        for line, text in enumerate(place.text, place.first)
        if written.search(text.partition("#")[0]) and line not in _docstring(place)
    ]


def _docstring(place: CodePlace) -> range:
    """The line numbers of a function's docstring."""
    begin = next((i for i, text in enumerate(place.text) if _opens(text)), None)
    if begin is None or begin >= WHOLE:
        return range(0)
    quotes = place.text[begin].strip().lstrip("rRuU")[:3]
    first = place.first + begin
    if place.text[begin].count(quotes) > 1:
        return range(first, first + 1)
    ends = (i for i in range(begin + 1, len(place.text)) if quotes in place.text[i])
    return range(first, place.first + next(ends, len(place.text) - 1) + 1)


def _opens(text: str) -> bool:
    return text.strip().lstrip("rRuU").startswith(_QUOTES)
