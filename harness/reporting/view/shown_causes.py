"""Prepares causes for pages and terminals: cards, sentences, outcomes and clauses."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from harness.model.explanation.facts import ArgumentNotChanged, NoReturn
from harness.model.explanation.sentences import helper_words, text_of
from harness.model.plan import Clause, Scenario, Visibility
from harness.model.policy import Finding
from harness.model.verdict import (
    NOT_HANDED_IN,
    Explanation,
    Verdict,
    VerdictKind,
)
from harness.reporting.view.paste import settings
from harness.reporting.view.words import section_order
from harness.results.redaction import ShownCause, ShownCheck
from harness.results.student_view import HiddenCheck

_OUTSIDE_FUNCTIONS = "module_level"  # kind of the findings about module-level code
SEVERAL = 3  # from this many on, missing functions are combined
_MAX_SYMPTOMS = 2
_MAX_CLAUSES = 2


def is_missing(cause: ShownCause) -> bool:
    """Return whether the cause is a missing function."""
    return cause.first is not None and cause.first.verdict.kind is VerdictKind.MISSING


class CardKind(StrEnum):
    """What a card shows."""

    CAUSE = "cause"  # one thing to fix
    MISSING = "missing"  # several missing functions, without details
    HIDDEN = "hidden"  # functions that fail only hidden checks, without an example


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A numbered entry in the list of things to fix."""

    number: int  # number of its first thing, counted from 1
    kind: CardKind
    causes: tuple[ShownCause, ...]  # a card of kind CAUSE has exactly one

    @property
    def numbers(self) -> str:
        """Return the card's number, or a range for several things, such as 3 to 5."""
        last = self.number + len(self.causes) - 1
        if last == self.number:
            return str(last)
        return f"{self.number}\u2013{last}"

    @property
    def cause(self) -> ShownCause:
        return self.causes[0]

    @property
    def marks(self) -> Fraction:
        """Return the marks that fixing this would earn; 0 if unknown."""
        return sum((cause.marks for cause in self.causes), Fraction(0))

    @property
    def varied(self) -> list[str]:
        """Return the provided files whose constants hidden checks change."""
        files: dict[str, None] = {}
        for cause in self.causes:
            files.update(dict.fromkeys(cause.varied))
        return list(files)


def cards(causes: Sequence[ShownCause], *, joins_hidden: bool = False) -> list[Card]:
    """Return the causes as cards, most marks first.

    Missing functions are combined on one card, except those for which a similar name was found.
    With `joins_hidden`, functions that fail only hidden checks are combined too.
    """
    missing: list[ShownCause] = []
    hidden: list[ShownCause] = []
    for cause in causes:
        if is_missing(cause) and cause.place is None:
            missing.append(cause)
        elif joins_hidden and not cause.checks and not cause.message:
            hidden.append(cause)
    if len(missing) < SEVERAL:
        missing = []
    found: list[Card] = []
    for cause in causes:
        if cause not in missing and cause not in hidden:
            found.append(Card(number=0, kind=CardKind.CAUSE, causes=(cause,)))
    for kind, together in ((CardKind.MISSING, missing), (CardKind.HIDDEN, hidden)):
        if together:
            found.append(Card(number=0, kind=kind, causes=tuple(together)))
    # With equal marks, existing functions come before missing ones.
    found.sort(key=lambda card: (-card.marks, is_missing(card.cause)))
    return _numbered(found)


def _numbered(found: Iterable[Card]) -> list[Card]:
    """Return the cards with numbers; a card with several things gets several."""
    numbered: list[Card] = []
    number = 1
    for card in found:
        numbered.append(replace(card, number=number))
        number += len(card.causes)
    return numbered


def of_missing_file(check: ShownCheck) -> bool:
    """Return whether a file was not submitted. An example would not help then."""
    return _rule(check) == NOT_HANDED_IN


def has_example(cause: ShownCause) -> bool:
    """Return whether showing a call helps to understand the cause.

    It does not if the function or file is missing, or if the file does not load, because then every
    call fails.
    """
    if cause.first is None or not cause.function:
        return False
    return not is_missing(cause) and not of_missing_file(cause.first)


def with_main_guard(line: str) -> str:
    """Return code that runs the line only if the file is not imported."""
    guarded = 'if __name__ == "__main__":\n    '
    if calls_own_function(line):
        return guarded + line
    return f"def main() -> None:\n    {line}\n\n\n{guarded}main()"


def calls_own_function(line: str) -> bool:
    """Return whether a line is only a call of a named function, such as `main()`.

    It can then move below the `__name__` guard unchanged.
    """
    try:
        statements = ast.parse(line).body
    except (SyntaxError, ValueError):
        return False
    match statements:
        case [ast.Expr(value=ast.Call(func=ast.Name(id=name)))]:
            return not hasattr(builtins, name)
    return False


# Sentences of these rules do not tell for which input the value is wrong.
_SAY_NO_CASE = frozenset({"wrong_value", "returned_none"})


def sentence(cause: ShownCause) -> str:
    """Return the sentence about the mistake.

    It includes the example's name if the sentence does not say when the mistake occurs. May be "".
    """
    return _with_example(cause, cause.message)


def _with_example(cause: ShownCause, text: str) -> str:
    first = cause.first
    if first is None or not first.name or _rule(first) not in _SAY_NO_CASE:
        return text
    if cause.explanation is not None and isinstance(cause.explanation.reason, NoReturn):
        return text  # the sentence already says what to do
    return f"{text.removesuffix('.')}, for example in “{first.name}”."


_MAX_HEADLINE = 15  # words
_PYTHONS = re.compile(r"(?<=Error: ).+?(?= \(line [0-9]+\))")  # its own words
# Texts are parted here, best places first, after at least so many words.
_BOUNDARIES = (
    (re.compile(r"[.?!](?= )"), 4),
    (re.compile(r"(?<!Error)[;:](?= )"), 4),
    (re.compile(r",(?= )"), 8),
    (re.compile(r"(?= )"), 8),
)
_MAX_DEPTH = 3  # maximum depth of nested brackets
_WHOLE = re.compile(
    r"""(["`]).{0,400}?\1|“[^“”]*”|(?<!\w)'.{0,400}?'(?!\w)|\([^()]*\)|\[[^][]*\]|\{[^{}]*\}"""
)


def headline(cause: ShownCause) -> tuple[str, str]:
    """Return (headline, rest): the mistake in at most 15 words (may be ""), and everything else to
    say.

    The headline includes the example's name if it stays short; the place is at the end of the rest.
    A longer sentence is split after a clause, otherwise between words, but never inside quotes or
    brackets. If the headline would say too little, it is cut off, and the rest repeats the whole
    sentence.
    """
    explanation = cause.explanation
    if explanation is None:
        return _parted(sentence(cause))
    with_source = not (cause.line or cause.raised_at)
    text = text_of(explanation, with_helper=False, with_source=with_source)
    short = _with_example(cause, text)
    if len(short.split()) > _MAX_HEADLINE:
        short = text
    where = helper_words(explanation)
    first, rest = _parted(short)
    return first, f"{rest} {where}".strip()


def _parted(text: str) -> tuple[str, str]:
    """Return a text in two parts, the first with at most 15 words."""
    words = text.split()
    if len(words) <= _MAX_HEADLINE:
        return text, ""
    masked = _masked(text)
    for boundary, fewest in _BOUNDARIES:
        end = 0
        for match in boundary.finditer(masked):
            if fewest <= len(text[: match.end()].split()) <= _MAX_HEADLINE:
                end = match.end()
        if end:
            return _in_two(text, end)
    return " ".join(words[:_MAX_HEADLINE]) + "…", text


def _masked(text: str) -> str:
    """Return the text with an x instead of each character at which it must not be split."""
    masked = _PYTHONS.sub(lambda said: re.sub(r"[.?!;:,]", "x", said[0]), text)
    for _ in range(_MAX_DEPTH):
        masked = _WHOLE.sub(lambda part: "x" * len(part[0]), masked)
    return masked


def _in_two(text: str, end: int) -> tuple[str, str]:
    first = text[:end]
    rest = text[end:].strip()
    if first.endswith((".", "?", "!", ";", ":")):
        return re.sub("[;:]$", ".", first), rest[:1].upper() + rest[1:]
    return first.rstrip(",") + "…", f"… {rest}"


def other_symptoms(cause: ShownCause) -> list[ShownCheck]:
    """Return further checks of the function that fail differently from the example, one for each
    rule.
    """
    by_rule = {_rule(check): check for check in cause.checks[:1]}
    for check in cause.checks[1:]:
        if check.function == cause.function and check.verdict.message:
            by_rule.setdefault(_rule(check), check)
    return [*by_rule.values()][1 : _MAX_SYMPTOMS + 1]


def _rule(check: ShownCheck) -> str:
    """Return the rule of a check's explanation; "" if it has none."""
    explanation = check.verdict.explanation
    if explanation is None:
        return ""
    return explanation.rule


def quoted_clauses(
    causes: Iterable[ShownCause], checks: Iterable[ShownCheck]
) -> list[tuple[Clause, ...]]:
    """Return the sheet's clauses to quote next to each cause; no clause is quoted twice.

    They are clauses of the cause's example, preferably those that name the function. Clauses that
    most of the cause's checks share, and few of the other `checks`, come first, because an example
    also has clauses that the program meets.
    """
    everywhere = _clause_counts(checks)
    quoted_ids: set[str] = set()
    quoted: list[tuple[Clause, ...]] = []
    for cause in causes:
        fitting = _fitting_clauses(cause, everywhere)
        new = [clause for clause in fitting if clause.id not in quoted_ids][:_MAX_CLAUSES]
        quoted_ids.update(clause.id for clause in new)
        quoted.append(tuple(new))
    return quoted


def _clause_counts(checks: Iterable[ShownCheck]) -> Counter[str]:
    """Return how many of the checks have each clause, keyed by clause id."""
    counts: Counter[str] = Counter()
    for check in checks:
        counts.update(clause.id for clause in check.clauses)
    return counts


def _fitting_clauses(cause: ShownCause, everywhere: Counter[str]) -> list[Clause]:
    """Return the clauses that a cause is about, the most specific first.

    `everywhere` counts how many of all checks have each clause.
    """
    failing = _clause_counts(cause.checks)

    def fit(clause: Clause) -> Fraction:
        fails = failing[clause.id]
        return Fraction(
            fails * fails, max(1, everywhere[clause.id])
        )  # the square of Ochiai's coefficient

    clauses = cause.clauses
    if cause.first is not None:
        clauses = cause.first.clauses
    naming: list[Clause] = []
    for clause in clauses:
        if cause.function in (clause.section, *clause.text.split()):
            naming.append(clause)
    ranked = sorted(naming or clauses, key=fit, reverse=True)
    return [clause for clause in ranked if 2 * fit(clause) >= fit(ranked[0])]


_OTHER_RETURN = ("printed_instead_of_returned", "generator_instead_of_list", "wrong_type")


def changes_return(cause: ShownCause) -> bool:
    """Return whether fixing this changes the function's result, on which its callers may depend."""
    if cause.first is not None and _rule(cause.first) in _OTHER_RETURN:
        return True
    if cause.explanation is None:
        return False
    facts = cause.explanation.facts
    return isinstance(facts, ArgumentNotChanged) and facts.returned_new


def runs_at_load(cause: ShownCause, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings about module-level statements that may be the reason why a file does not
    load.
    """
    if cause.function or not cause.checks:
        return []
    return [finding for finding in findings if finding.rule == _OUTSIDE_FUNCTIONS]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioLine:
    """Scenarios of one group (see `Scenario.group`) with the same outcome, in the plan's order."""

    group: str
    checks: tuple[ShownCheck, ...]
    visibility: Visibility
    constants: str  # all values of the varied constant; empty if none varies

    @property
    def verdict(self) -> Verdict:
        """Return the first scenario's verdict, which represents all of them."""
        return self.checks[0].verdict

    @property
    def points(self) -> Fraction:
        return sum((check.points for check in self.checks), Fraction(0))

    @property
    def out_of(self) -> Fraction:
        return sum((check.out_of for check in self.checks), Fraction(0))


def outcomes(
    checks: Iterable[ShownCheck], scenarios: Mapping[str, Scenario]
) -> list[list[ScenarioLine]]:
    """Return the scenarios as lines. Lines with the same outcome, sentence and visibility are put
    together.

    A line combines scenarios of one group with the same outcome and rule. Their sentences may
    differ by the constant's value; the first one is shown.
    """
    members_of: defaultdict[tuple[str, str, str], list[ShownCheck]] = defaultdict(list)
    for check in checks:
        key = (scenarios[check.id].group, check.verdict.kind, _rule(check))
        members_of[key].append(check)
    alike: defaultdict[_Outcome, list[ScenarioLine]] = defaultdict(list)
    for (group, _, _), members in members_of.items():
        line = ScenarioLine(
            group=group,
            checks=tuple(members),
            visibility=scenarios[members[0].id].visibility,
            constants=_constants(members),
        )
        outcome = (line.verdict.passed, line.verdict.explanation, line.visibility)
        alike[outcome].append(line)
    return list(alike.values())


# (outcome, explanation, visibility).
_Outcome = tuple[bool, Explanation | None, Visibility]


@dataclass(frozen=True, slots=True)
class HiddenOfFunction:
    """A function's hidden checks: the number that fail, and the names of those that pass."""

    failing: Counter[HiddenCheck] = field(default_factory=Counter)
    passing: Counter[str] = field(default_factory=Counter)


def hidden_by_function(hidden: Iterable[HiddenCheck]) -> dict[str, HiddenOfFunction]:
    """Return the hidden checks by function, in the order in which functions first occur."""
    of_function: defaultdict[str, HiddenOfFunction] = defaultdict(HiddenOfFunction)
    for check in hidden:
        if check.kind is VerdictKind.PASSED:
            of_function[check.function].passing[check.name] += 1
        else:
            of_function[check.function].failing[check] += 1
    return of_function


def _constants(members: list[ShownCheck]) -> str:
    """Return a phrase such as `BOARD_SIZE = 4, 7, 10`; for several constants, list each
    combination.
    """
    bound = [check.stimulus.constants for check in members]
    names = {tuple(binding.name for binding in constants) for constants in bound}
    if len(names) == 1 and len(bound[0]) == 1:
        values = dict.fromkeys(constants[0].literal for constants in bound)
        return f"{bound[0][0].name} = {', '.join(values)}"
    texts = dict.fromkeys(map(settings, bound))
    return "; ".join(filter(None, texts))


_NOT_REACHED = frozenset({VerdictKind.MISSING, VerdictKind.NOT_RUN, VerdictKind.UNREADABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseTally:
    """Counts the outcomes of a clause's scenarios.

    `reached` says whether any of them got as far as testing the clause.
    """

    clause: Clause
    passed: int
    total: int
    reached: bool


def clause_tallies(checks: Sequence[ShownCheck], causes: Iterable[ShownCause]) -> list[ClauseTally]:
    """Return the tallies in the order of the sheet's sections, without ungraded checks.

    Scenarios that were not run, or whose function is missing or file does not load, do not count as
    reached.
    """
    loading: set[str] = set()
    for cause in causes:
        if not cause.function:
            loading.update(check.id for check in cause.checks)
    checks_of: defaultdict[Clause, list[ShownCheck]] = defaultdict(list)
    for check in checks:
        if not check.informational:
            for clause in check.clauses:
                checks_of[clause].append(check)
    in_sheet = sorted(checks_of, key=lambda c: (section_order(c.section), section_order(c.id)))
    tallies: list[ClauseTally] = []
    for clause in in_sheet:
        run = [check for check in checks_of[clause] if check.id not in loading]
        tally = ClauseTally(
            clause=clause,
            passed=sum(check.verdict.passed for check in checks_of[clause]),
            total=len(checks_of[clause]),
            reached=any(check.verdict.kind not in _NOT_REACHED for check in run),
        )
        tallies.append(tally)
    return tallies
