"""Finds the lines that a cause is most likely in (docs/causes.md): lines that ran in failing runs
but not in passing ones, according to traces.

A line's score is the highest score of its events. A wrong condition runs every time, so only the
line that follows it tells the runs apart.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from harness.judging.causes.failed_scenarios import FailedScenario
from harness.judging.causes.places import place_of
from harness.judging.causes.traces import Trace, score_beyond, scores
from harness.judging.explain.siblings import RULE as HARD_CODED
from harness.model.explanation.facts import (
    FaultyHelper,
    NoReturn,
    OtherConstant,
    Reason,
    ReturnedNone,
    WrongBranch,
)
from harness.model.explanation.probes import BranchTaken, Line, Suspicion
from harness.model.policy import Outline, OutlinePart
from harness.model.stimulus import statements
from harness.model.verdict import Cause, Cell, Channel, CodePlace, Suspect


def different_lines(example: FailedScenario) -> tuple[str, str]:
    """Return two lines of a failing call's output: the first expected line that is missing, and
    the first printed line that is not expected.

    Each is "" if there is none. Both are "" for whole programs, because these may print a line
    twice.
    """
    if not example.stimulus.action.expression:
        return "", ""
    for difference in example.verdict.differences:
        if difference.channel is Channel.PRINTS and not difference.in_words:
            expected = _whole(row.expected for row in difference.rows)
            printed = _whole(row.actual for row in difference.rows)
            return _first_not_in(expected, printed), _first_not_in(printed, expected)
    return "", ""


def _first_not_in(texts: Sequence[str], others: Sequence[str]) -> str:
    for text in texts:
        if text not in others:
            return text
    return ""


def _whole(cells: Iterable[Cell]) -> list[str]:
    """Return the texts of lines that exist and are not shortened."""
    texts: list[str] = []
    for cell in cells:
        is_whole = not (cell.note or cell.cut_before or cell.cut_after)
        if is_whole and cell.text.strip():
            texts.append(cell.text)
    return texts


MAX_SUSPECTS = 5
_MAX_OF_HELPER = 2
_MAX_LITERAL = 200
# Minimum score of the best line: 0 is the score of a line that always runs, 1 the highest
# possible score.
_TELLING = 0.1  # to show any lines if there are too many to show all
_DECIDING = 0.5  # to name its function

_LEAD = 0.05  # how far a function's best score must exceed the others', to name the function
# Rules about the content of the printed line: a wrong branch does not explain these.
_SAYS_MORE = {
    *(HARD_CODED, "printed_instead_of_returned", "printed_to_stdout"),
    *("looks_alike", "only_case", "only_whitespace"),
}
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_SIGN = re.compile(
    r"[=!<>]=|<<|>>|//|\*\*|[-+*/%<>&|^~]"
    r"|(?<![\w.])(?:\d+|True|False|and|or|not|in|if|elif|while|for)(?!\w)"
)

_PRINT = re.compile(r"print\((?P<what>[A-Za-z_]\w*|\"[^\"\\]*\"|'[^'\\]*')\)\s*(?:#.*)?")
_CONDITION = re.compile(r"(?:el)?if\b")
_DOCSTRING = ('"""', "'''")  # a docstring's line always runs and does nothing
_CALLED = re.compile(r"(?<!\w)([A-Za-z_]\w*)\s*\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectProgram:
    """A submission whose suspect lines are searched for."""

    outline: Outline
    texts: Mapping[str, Sequence[str]]  # lines of each file
    sheet: frozenset[str]  # the functions of the assignment sheet
    constants: Mapping[str, object]  # literals assigned to names in the course's files

    def functions_of(self, cause: Cause) -> tuple[OutlinePart, ...] | None:
        """Return the submission's functions that may contain the cause: its function, or the
        functions that the program uses, and their helpers.

        Functions that the sheet asks for are left out, because they have scenarios and would be
        blamed themselves. None means that suspect lines would not help.
        """
        if cause.suspects:  # already known: a number hard-coded in several functions
            return None
        helpers: dict[str, OutlinePart] = {}
        for part in self.outline.parts:
            if part.callable and part.name not in self.sheet:
                helpers[part.name] = part
        function = self.outline.part(cause.function)
        if function is None:
            return self._of_program(cause.function, helpers)
        if not function.callable:
            return None
        found = {function.name: function}
        _add_used(found, function.mentions, helpers)
        if function.name not in self.sheet:
            users = self._users(function)
            if len(users) > 1:
                # Helpers with the same users fail the same scenarios, so all of them are suspected.
                for name, part in helpers.items():
                    if self._users(part) == users:
                        found[name] = part
        return tuple(found.values())

    def _of_program(
        self, file: str, helpers: dict[str, OutlinePart]
    ) -> tuple[OutlinePart, ...] | None:
        """Return the helpers used by a file's module-level code; None if the file is unknown."""
        modules = [module for module in self.outline.modules if module.file == file]
        if not modules:
            return None
        found: dict[str, OutlinePart] = {}
        names = [name for module in modules for name in module.mentions]
        _add_used(found, names, helpers)
        return tuple(found.values())

    def _users(self, part: OutlinePart) -> set[str]:
        """Return the sheet's functions that use this part, directly or indirectly."""
        return {name for name in self.sheet if part.name in self.outline.reached_from((name,))}

    def suspicion(
        self,
        cause: Cause,
        functions: Sequence[OutlinePart],
        failing: Mapping[str, Trace],
        passing: Mapping[str, Trace],
        different: tuple[str, str] = ("", ""),
    ) -> Suspicion:
        """Return the evidence about a cause that may be in `functions`.

        `failing` and `passing` map scenario ids to traces; `different` is the result of
        `different_lines` for the cause's example.
        """
        may_be = partial(self.within, functions=functions, program=cause.function)
        fails, passes = [*failing.values()], [*passing.values()]
        example = failing.get(cause.example, frozenset())
        branch: BranchTaken | None = None
        if cause.rule not in _SAYS_MORE:
            ran = {event.line for event in example}
            branch = self.wrong_branch(different, ran, functions)
        lines = self.most_suspect(fails, passes, may_be)
        if branch is not None:
            helper = self._asked_by(branch, cause, functions)
            first: tuple[Line, ...] = (branch.condition,)
            if helper is not None:
                inside = partial(self.within, functions=(helper,))
                first = self.most_suspect([example], [], inside)[:_MAX_OF_HELPER]
            lines = tuple(dict.fromkeys((*first, *lines)))
        return Suspicion(
            lines=lines,
            deciding_function=deciding(fails, passes, may_be, functions),
            returned_none_at=where_none_was_returned(example, cause.function, functions),
            branch=branch,
        )

    def explained(
        self,
        cause: Cause,
        functions: Sequence[OutlinePart],
        suspicion: Suspicion,
    ) -> Cause:
        """Return the cause with its suspect lines, after the line of its exception or loop.

        The message mentions a possibly missing `return`. It also mentions the first of these that
        is known: a constant with a wrong value, a wrong branch, or the helper with the most suspect
        lines.
        """
        at = suspicion.returned_none_at
        if at is not None and self.text(at):
            reason = why_none(cause, self.text(at))
            if reason is not None:
                cause = cause.with_reason(reason)
        lines = self._in_order(cause, suspicion)
        cause = replace(cause, suspects=self.by_function(lines[:MAX_SUSPECTS], functions))
        constant = self.other_constant(functions)
        if constant is not None and cause.line is None:
            return self.with_constant(cause, constant)
        branch = suspicion.branch
        if branch is None or cause.rule in _SAYS_MORE:
            return with_deciding(cause, suspicion.deciding_function)
        asked = ""
        helper = self._asked_by(branch, cause, functions)
        if helper is not None:
            asked = helper.name
        lead = WrongBranch(
            condition=branch.condition.number,
            prints=branch.prints.number,
            taken=branch.taken,
            asked=asked,
        )
        return cause.with_lead(lead)

    def _in_order(self, cause: Cause, suspicion: Suspicion) -> list[Line]:
        """Return the line of the cause's exception or loop, followed by the most suspect lines.

        If a wrong branch was taken, the suspect lines come first: they begin with its condition or
        the helper that it calls, which explains the exception or loop too.
        """
        exact: list[Line] = []
        if cause.line and cause.place:
            exact.append(Line(cause.place.file, cause.line))
        lines = [*exact, *suspicion.lines]
        if suspicion.branch is not None:
            lines = [*suspicion.lines, *exact]
        return [line for line in dict.fromkeys(lines) if self.text(line)]

    def wrong_branch(
        self, different: tuple[str, str], ran: Collection[Line], functions: Sequence[OutlinePart]
    ) -> BranchTaken | None:
        """Return the condition that went the wrong way; None if that is unknown.

        `different` holds the missing and the unexpected line of output (see `different_lines`),
        `ran` the lines that ran. The condition is the one above the only line that prints the
        missing text and did not run; otherwise above the only line that prints the unexpected text
        and did run. It must have run itself.

        None also if no line prints the missing text and the unexpected text is not one of the
        course's: then its wording may be the mistake.
        """
        expected, printed = different
        prints: defaultdict[str, list[Line]] = defaultdict(list)
        for part in functions:
            for number in range(part.first + 1, part.last + 1):
                line = Line(part.file, number)
                prints[self._printed(self.text(line))].append(line)
        if expected and expected not in prints and not self._is_of_course(printed):
            return None
        for text, taken in ((expected, False), (printed, True)):
            if not text or len(prints[text]) != 1:
                continue
            (line,) = prints[text]
            above = self._above(line)
            is_condition = above in ran and _CONDITION.match(self.text(above).strip())
            if is_condition and (line in ran) is taken:
                return BranchTaken(prints=line, condition=above, taken=taken)
        return None

    def _is_of_course(self, text: str) -> bool:
        """Return whether the text is the first line of one of the course's texts."""
        for value in self.constants.values():
            if type(value) is str and text == value.partition("\n")[0]:
                return True
        return False

    def _printed(self, text: str) -> str:
        """Return the first line printed by a `print` of a single name or literal; "" for other
        statements.
        """
        found = _PRINT.fullmatch(text.strip())
        if found is None:
            return ""
        what = found["what"]
        value = self._literal(what)
        if what[0] in "\"'":
            value = what[1:-1]  # this literal has no escapes
        if not isinstance(value, str):
            return ""
        first_line, _, _ = value.partition("\n")
        return first_line

    def _above(self, line: Line) -> Line:
        """Return the line that opens the block around this line; the line itself if there
        is none.
        """
        indent = _indent(self.text(line))
        for number in range(line.number - 1, 0, -1):
            text = self.text(Line(line.file, number))
            if text.strip() and _indent(text) < indent:
                return Line(line.file, number)
        return line

    def _asked_by(
        self, branch: BranchTaken, cause: Cause, functions: Sequence[OutlinePart]
    ) -> OutlinePart | None:
        """Return the only helper that a branch's condition calls; None if it calls none or
        several.
        """
        code, _, _ = self.text(branch.condition).partition("#")
        names = {*_CALLED.findall(code)} - {cause.function}
        helpers = [part for part in functions if part.name in names]
        return _only(helpers)

    def _literal(self, name: str) -> object:
        """Return the literal value of a constant in the submission, or otherwise in the course's
        files.
        """
        for part in self.outline.parts:
            if part.name == name and not part.callable and part.first == part.last:
                return self._literal_of(part)
        return self.constants.get(name)

    def text(self, line: Line) -> str:
        lines = self.texts.get(line.file, ())
        if not 0 < line.number <= len(lines):
            return ""
        return lines[line.number - 1]

    def most_suspect(
        self, failing: Sequence[Trace], passing: Sequence[Trace], may_be: Callable[[Line], bool]
    ) -> tuple[Line, ...]:
        """Return the `MAX_SUSPECTS` most suspect lines among the non-empty ones for which `may_be`
        is true.

        Return nothing if there are more and the best line scores hardly higher than one that runs
        in every passing run: the mistake may be elsewhere, and a choice would mislead.
        """
        score = scores(failing, passing)

        def order(line: Line) -> tuple[float, int, Line]:
            text = _TEXT.sub('""', self.text(line))
            signs = len(_SIGN.findall(text))
            return -round(score[line], 6), -signs, line

        lines = [line for line in score if may_be(line) and self.text(line).strip()]
        best = max((score[line] for line in lines), default=0.0)
        must_choose = passing and len(lines) > MAX_SUSPECTS
        if must_choose and best < score_beyond(_TELLING, failing, passing):
            return ()
        lines.sort(key=order)
        return tuple(lines[:MAX_SUSPECTS])

    def within(self, line: Line, functions: Iterable[OutlinePart], program: str = "") -> bool:
        """Return whether a line is in the body of one of these functions, or in the module-level
        code of the file `program` but not in its docstring.
        """
        part = _around(line, functions)
        if part is not None:
            return line.number > part.first
        if line.file != program or self.outline.function_at(line.file, line.number):
            return False
        return not self.text(line).lstrip().startswith(_DOCSTRING)

    def by_function(
        self, lines: Iterable[Line], functions: Sequence[OutlinePart]
    ) -> tuple[Suspect, ...]:
        """Return the lines grouped by function, ordered by each function's first line.

        Module-level lines are grouped by file.
        """
        found: dict[Suspect, list[int]] = {}
        for line in lines:
            part = _around(line, functions)
            if part is None:
                whole = CodePlace(file=line.file, first=1, last=len(self.texts[line.file]))
                suspect = Suspect(function="", place=whole, lines=())
            else:
                suspect = Suspect(function=part.name, place=place_of(part), lines=())
            found.setdefault(suspect, []).append(line.number)
        suspects: list[Suspect] = []
        for suspect, numbers in found.items():
            suspects.append(replace(suspect, lines=tuple(sorted(numbers))))
        return tuple(suspects)

    def other_constant(self, functions: Iterable[OutlinePart]) -> OutlinePart | None:
        """Return the constant used by these functions whose literal differs from the course's
        constant of the same name and type.

        None if there is none, or several: then the name probably means something else.
        """
        constants = {part.name: part for part in self.outline.parts if not part.callable}
        names = [name for part in functions for name in part.mentions]
        used: dict[str, OutlinePart] = {}
        _add_used(used, names, constants)
        differing: list[OutlinePart] = []
        for constant in used.values():
            value, courses_value = self._literal_of(constant), self.constants.get(constant.name)
            if value is None or type(value) is not type(courses_value):
                continue
            if value != courses_value:
                differing.append(constant)
        return _only(differing)

    def _literal_of(self, part: OutlinePart) -> object:
        """Return the literal value of a constant; None if its line is very long or its value not a
        literal.
        """
        text = self.text(Line(part.file, part.first))
        if part.first != part.last or len(text) > _MAX_LITERAL:
            return None
        return literals(text).get(part.name)

    def with_constant(self, cause: Cause, part: OutlinePart) -> Cause:
        """Return the cause with a possibly wrong constant named and shown first."""
        text = self.text(Line(part.file, part.first))
        _, _, right_side = text.partition("=")
        value, _, _ = right_side.partition("#")
        lead = OtherConstant(name=part.name, value=value.strip(), line=part.first)
        return _led_by(part, part.first, cause.with_lead(lead))


T = TypeVar("T")


def _only(items: Sequence[T]) -> T | None:
    """Return the only item; None if there is none, or several."""
    if len(items) != 1:
        return None
    return items[0]


def _add_used(
    found: dict[str, OutlinePart], names: Iterable[str], others: dict[str, OutlinePart]
) -> None:
    """Move the parts of `others` that `names` use, directly or indirectly, into `found`."""
    pending = list(names)
    while pending:
        part = others.pop(pending.pop(), None)
        if part is not None:
            found.setdefault(part.name, part)
            pending += part.mentions


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def deciding(
    failing: Sequence[Trace],
    passing: Sequence[Trace],
    may_be: Callable[[Line], bool],
    functions: Sequence[OutlinePart],
) -> str:
    """Return the function with the most suspect line.

    Return "" if another function has a line that is almost as suspect, or if the line hardly
    distinguishes failing from passing runs.
    """
    best: defaultdict[str, float] = defaultdict(float)
    for line, score in scores(failing, passing).items():
        if not may_be(line):
            continue
        name = ""
        part = _around(line, functions)
        if part is not None:
            name = part.name
        best[name] = max(best[name], score)
    if not passing or not best:
        return ""
    first, *others = sorted(best, key=best.__getitem__, reverse=True)
    lead = best[first]
    if others:
        lead -= best[others[0]]
    if lead < _LEAD or best[first] < score_beyond(_DECIDING, failing, passing):
        return ""
    return first


def _led_by(part: OutlinePart, line: int, cause: Cause) -> Cause:
    first = Suspect(function=part.name, place=place_of(part), lines=(line,))
    others = [suspect for suspect in cause.suspects if suspect.function != part.name]
    return replace(cause, suspects=(first, *others))


def with_deciding(cause: Cause, name: str) -> Cause:
    """Return the cause with this helper's suspect lines first; unchanged if it has none."""
    if name in ("", cause.function) or cause.line is not None:
        return cause
    for suspect in cause.suspects:
        if suspect.function == name:
            first, last = suspect.lines[0], suspect.lines[-1]
            return cause.with_lead(FaultyHelper(function=name, first=first, last=last))
    return cause


def where_none_was_returned(
    trace: Trace, name: str, functions: Iterable[OutlinePart]
) -> Line | None:
    """Return the only line at which calls of this function returned None; None if there are
    several.
    """
    parts = [part for part in functions if part.name == name]
    lines: list[Line] = []
    for event in trace:
        # A file that ends with the function returns None at its head.
        if event.what == "None" and any(_is_below_head(event.line, part) for part in parts):
            lines.append(event.line)
    return _only(lines)


def _is_below_head(line: Line, part: OutlinePart) -> bool:
    return line.file == part.file and part.first < line.number <= part.last


def literals(source: str | bytes) -> dict[str, object]:
    """Return the module-level constants of a source that are assigned literals, as {name:
    value}.
    """
    found: dict[str, object] = {}
    for statement in statements(source):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            continue
    return found


_RETURN = re.compile(r"return\b")


def why_none(cause: Cause, text: str) -> Reason | None:
    """Return why a function returned None at a line with this text: if the line has no `return`,
    one may be missing.

    Return None for other lines and other functions.
    """
    facts = cause.explanation.facts
    if not isinstance(facts, ReturnedNone) or facts.where or facts.function != cause.function:
        return None
    if _RETURN.match(text.strip()):
        return None
    return NoReturn()


def _around(line: Line, parts: Iterable[OutlinePart]) -> OutlinePart | None:
    """Return the innermost of these parts that contains the line."""
    smallest: OutlinePart | None = None
    for part in parts:
        if part.file != line.file or not part.first <= line.number <= part.last:
            continue
        if smallest is None or part.last - part.first < smallest.last - smallest.first:
            smallest = part
    return smallest
