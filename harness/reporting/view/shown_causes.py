"""What a page or a terminal says of a cause, and the student's own lines that a reader needs; a
submission's files with what its lecturer is told beside each line; many scenarios in few lines; how
the clauses of the sheet went."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from harness.common.escaping import shorten
from harness.model.explanation.facts import ArgumentNotChanged, NoReturn
from harness.model.explanation.sentences import helper_words, text_of
from harness.model.plan import Clause, Scenario, Visibility
from harness.model.policy import Finding, Unparsable
from harness.model.result import LineComment, SubmissionResult
from harness.model.verdict import (
    NOT_HANDED_IN,
    CodePlace,
    Explanation,
    Suspect,
    Verdict,
    VerdictKind,
)
from harness.policy.rules import finding_kind
from harness.reporting.view.paste import settings
from harness.reporting.view.words import section_order
from harness.results.redaction import ShownCause, ShownCheck
from harness.results.student_view import HiddenCheck, StudentView

_OUTSIDE_FUNCTIONS = "module_level"  # the kind of a finding
SEVERAL = 3  # missing functions: so many are one list
MOST_SYMPTOMS = 2
MOST_CLAUSES = 2
_MOST_SUSPECT_PLACES = 2
_MOST_LINES = 3000  # of all files together
_LONGEST_NOTE = 160
_TAB = 4


class Mark(StrEnum):
    """How a line is marked."""

    EXACT = "exact"  # it fails, or is an issue
    LOOK = "look"  # it is where to look first


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """A note beside a line.

    None means only that the line is to blame, because the cause's sentence stands beside another.
    """

    said: ShownCause | Finding | Unparsable | None
    cause: int = 0  # the number of the cause, from 1; 0: it is about none
    mark: Mark | None = None

    @property
    def text(self) -> str:
        match self.said:
            case None:
                return ""
            case ShownCause(function=function, message=message):
                text = f"{function}: {message}" if function else message
            case Finding(rule=rule, message=message):
                text = f"{finding_kind(rule).title}: {message}"
            case Unparsable(reason=reason):
                return reason
        return shorten(text, _LONGEST_NOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedFile:
    """A file with its lines and, by line number from 1, the notes and people's comments.

    Comments on a line that no longer exists are under 0.
    """

    name: str
    anchor: str  # what the names of its lines begin with, on a page: `L` of `L12`
    lines: tuple[str, ...]
    notes: dict[int, list[LineNote]] = field(default_factory=lambda: defaultdict(list))
    comments: dict[int, list[LineComment]] = field(default_factory=lambda: defaultdict(list))
    left_out: int  # lines


def annotated(
    result: SubmissionResult | StudentView, cards: Sequence[Card], *, notes: bool = True
) -> list[AnnotatedFile]:
    """Return the files of a submission with people's comments on their lines, and with `notes` also
    the words of the cards and code issues."""
    noted = list(_notes(result, cards)) if notes else []
    lines_left = _MOST_LINES
    files: list[AnnotatedFile] = []
    for number, file in enumerate(result.shown_files, start=1):
        shown = tuple(line.expandtabs(_TAB) for line in file.lines[:lines_left])
        lines_left -= len(shown)
        left_out = len(file.lines) - len(shown)
        anchor = f"F{number}L" if number > 1 else "L"
        annotated_file = AnnotatedFile(
            name=file.name, anchor=anchor, lines=shown, left_out=left_out
        )
        files.append(annotated_file)
        for name, line, note in noted:
            if name == file.name:
                annotated_file.notes[line].append(note)
        for comment in result.line_comments:
            if comment.file == file.name:
                at = 0 if comment.outdated else comment.line
                annotated_file.comments[at].append(comment)
    return files


class LineLinks:
    """The links to the lines of a submission's files on its page."""

    def __init__(self, files: Iterable[AnnotatedFile]) -> None:
        self._files = {file.name: file for file in files}

    def to(self, name: str, line: int | None) -> str:
        """Return the link to a line, such as `#L12`; empty if the page does not show it."""
        file = self._files.get(name)
        if file is None or line is None or not 1 <= line <= len(file.lines):
            return ""
        return f"#{file.anchor}{line}"


def _notes(
    result: SubmissionResult | StudentView, cards: Sequence[Card]
) -> Iterator[tuple[str, int, LineNote]]:
    """Yield the notes, each with its file and its line."""
    for card in cards:
        if card.kind is CardKind.CAUSE:
            yield from _notes_of_cause(card.number, card.cause)
    for finding in result.findings:
        yield finding.file, finding.line, LineNote(said=finding, mark=Mark.EXACT)
    broken = result.unparsable
    if broken is not None and broken.line is not None and not cards:
        yield broken.file, broken.line, LineNote(said=broken, mark=Mark.EXACT)


def _notes_of_cause(number: int, cause: ShownCause) -> Iterator[tuple[str, int, LineNote]]:
    """Return the cause's sentence beside the first line of its first place, and a note beside
    marked ones.
    """
    said = cause if cause.function or cause.message else None
    for each in marked_lines(cause):
        name, first = each.place.file, each.place.first
        if said and first not in each.marked:
            yield name, first, LineNote(said=said, cause=number)
            said = None
        mark = Mark.EXACT if each.exact else Mark.LOOK
        for line in each.marked:
            beside = said if line == first else None
            yield name, line, LineNote(said=beside, cause=number, mark=mark)
        said = None


WHOLE = 30  # lines: a function of so many is shown whole
_BEGINNING = 18  # of a longer one in which no line is marked
_END = 8
_AROUND = 6  # lines before and after a marked one
_MOST_MARKED = 6
_QUOTES = ('"""', "'''")


def is_missing(cause: ShownCause) -> bool:
    """Return whether the cause is a missing function."""
    return bool(cause.checks) and cause.checks[0].verdict.kind is VerdictKind.MISSING


class CardKind(StrEnum):
    """The kinds of cards."""

    CAUSE = "cause"  # one thing to fix
    MISSING = "missing"  # several missing functions, without details
    HIDDEN = "hidden"  # functions that fail only hidden checks, without an example


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One numbered entry in the list of things to fix."""

    number: int  # from 1
    kind: CardKind
    causes: tuple[ShownCause, ...]  # exactly one of a CAUSE

    @property
    def cause(self) -> ShownCause:
        return self.causes[0]

    @property
    def marks(self) -> Fraction:
        """Return the marks that a fix would earn; 0 if that is not known."""
        return sum((cause.marks for cause in self.causes), Fraction(0))


def cards(causes: Sequence[ShownCause], *, joins_hidden: bool = False) -> list[Card]:
    """Return the causes as cards, most marks first. Several missing functions without a similar
    name are one card; with `joins_hidden` all functions that fail only hidden checks are one."""
    missing = [cause for cause in causes if is_missing(cause) and cause.place is None]
    if len(missing) < SEVERAL:
        missing = []
    hidden = []
    if joins_hidden:
        hidden = [cause for cause in causes if not cause.checks and not cause.message]
    found: list[Card] = []
    for cause in causes:
        if cause not in missing and cause not in hidden:
            found.append(Card(number=0, kind=CardKind.CAUSE, causes=(cause,)))
    for kind, together in ((CardKind.MISSING, missing), (CardKind.HIDDEN, hidden)):
        if together:
            found.append(Card(number=0, kind=kind, causes=tuple(together)))
    # Of equal marks what is written comes before what is missing.
    found.sort(key=lambda card: (-card.marks, is_missing(card.cause)))
    return [replace(card, number=number) for number, card in enumerate(found, start=1)]


def of_missing_file(check: ShownCheck) -> bool:
    """Return whether a file was not handed in: then an example says nothing more."""
    return _rule(check) == NOT_HANDED_IN


# These rules say that a value is wrong, and not for which inputs.
_SAY_NO_CASE = frozenset({"wrong_value", "returned_none"})


def sentence(cause: ShownCause) -> str:
    """Return what is wrong, with the example's name if nothing else says when; may be empty."""
    return _with_example(cause, cause.message)


def _with_example(cause: ShownCause, text: str) -> str:
    first = cause.checks[0] if cause.checks else None
    if first is None or not first.name or _rule(first) not in _SAY_NO_CASE:
        return text
    if cause.explanation is not None and isinstance(cause.explanation.reason, NoReturn):
        return text  # it says what to do
    return f"{text.removesuffix('.')}, for example in “{first.name}”."


_LONGEST_HEADLINE = 15  # words
_PYTHONS = re.compile(r"(?<=Error: ).+?(?= \(line [0-9]+\))")  # its own words
# Where a text is parted, the best places first, and how many words are said before it at least.
_BOUNDARIES = (
    (re.compile(r"[.?!](?= )"), 4),
    (re.compile(r"(?<!Error)[;:](?= )"), 4),
    (re.compile(r",(?= )"), 8),
    (re.compile(r"(?= )"), 8),
)
_DEEPEST = 3  # brackets inside each other
_WHOLE = re.compile(
    r"""(["`]).{0,400}?\1|“[^“”]*”|(?<!\w)'.{0,400}?'(?!\w)|\([^()]*\)|\[[^][]*\]|\{[^{}]*\}"""
)


def headline(cause: ShownCause) -> tuple[str, str]:
    """What is wrong in at most 15 words (may be empty), with the example's name where that stays
    short; and what else there is to say, of where it is last.

    A longer sentence is parted where a part of it ends, else between words, outside quotes and
    brackets; where that says too little, it is cut, and said whole below."""
    explanation = cause.explanation
    if explanation is None:
        return _parted(sentence(cause))
    with_source = not (cause.line or cause.raised_at)
    own = text_of(explanation, with_helper=False, with_source=with_source)
    short = _with_example(cause, own)
    if len(short.split()) > _LONGEST_HEADLINE:
        short = own
    where = helper_words(explanation)
    first, rest = _parted(short)
    return first, f"{rest} {where}".strip()


def _parted(text: str) -> tuple[str, str]:
    """A text in two, the first of at most 15 words."""
    if len(text.split()) <= _LONGEST_HEADLINE:
        return text, ""
    masked = _PYTHONS.sub(lambda said: re.sub(r"[.?!;:,]", "x", said[0]), text)
    for _ in range(_DEEPEST):
        masked = _WHOLE.sub(lambda part: "x" * len(part[0]), masked)
    for boundary, fewest in _BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(masked)]
        fitting = [e for e in ends if fewest <= len(text[:e].split()) <= _LONGEST_HEADLINE]
        if fitting:
            first, rest = text[: fitting[-1]], text[fitting[-1] :].strip()
            if first.endswith((".", "?", "!", ";", ":")):
                return re.sub("[;:]$", ".", first), rest[:1].upper() + rest[1:]
            return first.rstrip(",") + "…", f"… {rest}"
    return " ".join(text.split()[:_LONGEST_HEADLINE]) + "…", text


def other_symptoms(cause: ShownCause) -> list[ShownCheck]:
    """The first few checks of the function that say something else than the example, one a rule."""
    by_rule = {_rule(check): check for check in cause.checks[:1]}
    for check in cause.checks[1:]:
        if check.function == cause.function and check.verdict.message:
            by_rule.setdefault(_rule(check), check)
    return [*by_rule.values()][1 : MOST_SYMPTOMS + 1]


def _rule(check: ShownCheck) -> str:
    return check.verdict.explanation.rule if check.verdict.explanation else ""


def quoted_clauses(
    causes: Iterable[ShownCause], checks: Iterable[ShownCheck]
) -> list[tuple[Clause, ...]]:
    """Return the clauses to quote beside each cause.

    These are clauses of its example, those that name the function if there are any. Preferred are
    the ones that most of the cause's checks and few of the other `checks` have, because an example
    also has clauses that hold. No clause is quoted twice.
    """
    everywhere = Counter(clause.id for check in checks for clause in check.clauses)
    said: set[str] = set()
    quoted: list[tuple[Clause, ...]] = []
    for cause in causes:
        failing = Counter(clause.id for check in cause.checks for clause in check.clauses)

        def fits(clause: Clause, failing: Mapping[str, int] = failing) -> Fraction:
            fails = failing.get(clause.id, 0)
            return Fraction(fails * fails, max(1, everywhere[clause.id]))  # Ochiai's, as a square

        clauses = cause.checks[0].clauses if cause.checks else cause.clauses
        naming = [each for each in clauses if cause.function in (each.section, *each.text.split())]
        ranked = sorted(naming or clauses, key=fits, reverse=True)
        fitting = [each for each in ranked if 2 * fits(each) >= fits(ranked[0])]
        new = [each for each in fitting if each.id not in said][:MOST_CLAUSES]
        said.update(each.id for each in new)
        quoted.append(tuple(new))
    return quoted


_OTHER_RETURN = ("printed_instead_of_returned", "generator_instead_of_list", "wrong_type")


def changes_return(cause: ShownCause) -> bool:
    """Whether a fix changes what the function returns, which its callers may count on."""
    rule = _rule(cause.checks[0]) if cause.checks else ""
    if rule in _OTHER_RETURN:
        return True
    facts = cause.explanation.facts if cause.explanation else None
    return isinstance(facts, ArgumentNotChanged) and facts.returned_new


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPlace:
    """Lines of the student's file, and which to mark: known to matter (`exact`), or to look at.

    `near` are lines that may matter, but too seldom to mark them: a long function is shown around
    them.
    """

    place: CodePlace
    marked: list[int]
    near: list[int] = field(default_factory=list)
    exact: bool = True
    function: str = ""  # empty: it is said already


def marked_lines(cause: ShownCause) -> list[MarkedPlace]:
    """The places in the student's file that a reader needs: where a number is written out, else
    where the exception came up, and the most suspect lines of other functions, those of a helper
    before the function that calls it."""
    places = [(cause.place, cause.line), (cause.raised_in, cause.raised_at)]
    sure = [MarkedPlace(place=at, marked=[line] if line else []) for at, line in places if at]
    hard_coded = cause.explanation.hard_coded if cause.explanation else None
    if hard_coded is not None:
        number = str(hard_coded.number)
        several = (*sure, *(_suspect(each, cause) for each in cause.suspects))
        lines = ((each, with_number(each.place, number)) for each in several)
        numbers = [replace(each, marked=marked, exact=True) for each, marked in lines if marked]
        if numbers:
            return numbers
    if any(each.marked for each in sure):
        places_of_sure = [each.place for each in sure]
        others = [each for each in cause.suspects if each.place not in places_of_sure]
        return [*sure, *(_suspect(each, cause) for each in others[:1])]
    suspects = [_suspect(each, cause) for each in cause.suspects[:_MOST_SUSPECT_PLACES]]
    shown = [each.place for each in suspects]
    return [*suspects, *(each for each in sure if each.place not in shown)]


def _suspect(suspect: Suspect, cause: ShownCause) -> MarkedPlace:
    place = suspect.place
    name = suspect.function if suspect.function != cause.function else ""
    # If more than half of a function would be marked, no line stands out. If lines of several
    # functions are suspect, the faulty line is too often another one (docs/causes.md).
    stands_out = 2 * len(suspect.lines) <= place.last - place.first
    lines = list(suspect.lines)
    if stands_out and len(cause.suspects) == 1:
        return MarkedPlace(place=place, marked=lines, exact=False, function=name)
    near = lines if stands_out else []
    return MarkedPlace(place=place, marked=[], near=near, exact=False, function=name)


def runs_at_load(cause: ShownCause, findings: Iterable[Finding]) -> list[Finding]:
    """Return the statements outside functions that may be why a file fails while it is loaded."""
    if cause.function or not cause.checks:
        return []
    return [finding for finding in findings if finding.rule == _OUTSIDE_FUNCTIONS]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLine:
    """A line of the student's."""

    number: int | None = None  # None stands for lines left out
    text: str = "…"
    marked: bool = False  # the very line that matters


def own_lines(
    place: CodePlace, marked: Collection[int] = (), near: Collection[int] = ()
) -> list[OwnLine]:
    """Return all lines of a function without its docstring.

    If it is long, return its head and the lines around the marked ones, those around lines `near`
    which the fault may be, or its beginning and its end. A single line is never left out.
    """
    numbered = dict(enumerate(indented(place.text), place.first))
    marked_numbers = [number for number in numbered if number in marked][:_MOST_MARKED]
    shown = [number for number in numbered if number not in _docstring(place)]
    centres = marked_numbers or [number for number in numbered if number in near][:_MOST_MARKED]
    if len(shown) > WHOLE and centres:
        around = {n for line in centres for n in range(line - _AROUND, line + _AROUND + 1)}
        shown = [number for number in shown if number in around or number == shown[0]]
    elif len(shown) > WHOLE:
        shown = [*shown[:_BEGINNING], *shown[-_END:]]
    lines: list[OwnLine] = []
    every = range(place.first, place.last + 1)
    for is_shown, group in itertools.groupby(every, set(shown).__contains__):
        numbers = list(group)
        if not is_shown and not (len(numbers) == 1 and numbers[0] in numbered):
            lines.append(OwnLine())
            continue
        for number in numbers:
            text, is_marked = numbered[number], number in marked_numbers
            lines.append(OwnLine(number=number, text=text, marked=is_marked))
    return lines


def indented(lines: Sequence[str]) -> list[str]:
    """Return lines of Python with spaces in place of tabs.

    A tab stays if other lines have spaces there, or the line itself has: Python may read such lines
    differently.
    """
    fronts = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines]
    if not {" ", "\t"} <= set("".join(fronts)):
        return [line.expandtabs(_TAB) for line in lines]
    both = zip(fronts, lines, strict=True)
    return [front + line[len(front) :].expandtabs(_TAB) for front, line in both]


def with_number(place: CodePlace, number: str) -> list[int]:
    """Return the lines in which a number is written out, ignoring comments."""
    written = re.compile(rf"(?<![\w.]){re.escape(number)}(?![\w.])")
    codes = enumerate((text.partition("#")[0] for text in place.text), place.first)
    return [n for n, code in codes if written.search(code) and n not in _docstring(place)]


def _docstring(place: CodePlace) -> range:
    """Return the line numbers of a function's docstring: a text right after the header and its
    colon.
    """
    lines = [text.strip() for text in place.text]
    codes = [text.partition("#")[0].rstrip() for text in lines]
    header = next((i for i, code in enumerate(codes) if code.endswith(":")), 0)
    begin = next((i for i in range(header + 1, len(lines)) if lines[i]), len(lines))
    quotes = lines[begin].lstrip("rRuU")[:3] if begin < len(lines) else ""
    if quotes not in _QUOTES:
        return range(0)
    first = place.first + begin
    if lines[begin].count(quotes) > 1:
        return range(first, first + 1)
    ends = (i for i in range(begin + 1, len(lines)) if quotes in lines[i])
    return range(first, place.first + next(ends, len(lines) - 1) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioLine:
    """Scenarios of one group (see `Scenario.group`) with one outcome, in the plan's order."""

    group: str
    checks: tuple[ShownCheck, ...]
    visibility: Visibility
    constants: str  # the swept values of all, empty without a sweep

    @property
    def verdict(self) -> Verdict:
        """Return the first one's verdict: all have the same."""
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
    """Return the scenarios in short: lines with the same outcome, sentence and visibility
    together, in the order of the first of each.

    A line has one group, outcome and rule, whose sentence may differ by the swept value: the first
    one is shown.
    """
    lines: defaultdict[tuple[str, str, str], list[ShownCheck]] = defaultdict(list)
    for check in checks:
        lines[scenarios[check.id].group, check.verdict.kind, _rule(check)].append(check)
    alike: dict[tuple[bool, Explanation | None, Visibility], list[ScenarioLine]] = {}
    for (group, _, _), members in lines.items():
        verdict, visibility = members[0].verdict, scenarios[members[0].id].visibility
        line = ScenarioLine(
            group=group, checks=tuple(members), visibility=visibility, constants=_constants(members)
        )
        alike.setdefault((verdict.passed, verdict.explanation, visibility), []).append(line)
    return list(alike.values())


@dataclass(frozen=True, slots=True)
class HiddenOfFunction:
    """A function's hidden checks, counted: those that fail, and the names of those that pass."""

    failing: Counter[HiddenCheck] = field(default_factory=Counter)
    passing: Counter[str] = field(default_factory=Counter)


def hidden_by_function(hidden: Iterable[HiddenCheck]) -> dict[str, HiddenOfFunction]:
    """Return the hidden checks by function, in the order of the first of each."""
    of_function: defaultdict[str, HiddenOfFunction] = defaultdict(HiddenOfFunction)
    for check in hidden:
        if check.kind is VerdictKind.PASSED:
            of_function[check.function].passing[check.name] += 1
        else:
            of_function[check.function].failing[check] += 1
    return of_function


def _constants(members: list[ShownCheck]) -> str:
    """Return `BOARD_SIZE = 4, 7, 10`; of several constants each combination."""
    bound = [check.stimulus.constants for check in members]
    names = {tuple(binding.name for binding in one) for one in bound}
    if len(names) == 1 and len(bound[0]) == 1:
        values = dict.fromkeys(one[0].literal for one in bound)
        return f"{bound[0][0].name} = {', '.join(values)}"
    return "; ".join(dict.fromkeys(text for one in bound if (text := settings(one))))


_NOT_REACHED = frozenset({VerdictKind.MISSING, VerdictKind.NOT_RUN, VerdictKind.UNREADABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseTally:
    """How a clause's scenarios went. `reached`: one of them came to what the clause is about."""

    clause: Clause
    passed: int
    total: int
    reached: bool


def clause_tallies(checks: Sequence[ShownCheck], causes: Iterable[ShownCause]) -> list[ClauseTally]:
    """Return tallies clause by clause, in the order of the sheet's sections, without ungraded
    checks.

    Scenarios that are missing, not run, or fail while the file is loaded reach no clause.
    """
    loading = {check.id for cause in causes if not cause.function for check in cause.checks}
    of_clause: defaultdict[Clause, list[ShownCheck]] = defaultdict(list)
    for check in checks:
        for clause in check.clauses if not check.informational else ():
            of_clause[clause].append(check)
    in_sheet = sorted(of_clause, key=lambda c: (section_order(c.section), section_order(c.id)))
    return [
        ClauseTally(
            clause=clause,
            passed=sum(check.verdict.passed for check in its),
            total=len(its),
            reached=any(c.verdict.kind not in _NOT_REACHED and c.id not in loading for c in its),
        )
        for clause, its in ((each, of_clause[each]) for each in in_sheet)
    ]
