"""The lines that a cause is most likely in: those that run where it shows and not where it does
not.

Of a run is known which lines of the submission ran, which line of the same call came next, and
which calls came back with True, False or None. Each of these events has Ochiai's coefficient of its
runs: 1 where it happens in all failing runs and in no other. A line has the highest of its events,
for a wrong condition runs everywhere, and only what comes next differs. Of lines that are as
suspect, those with more operators, conditions and numbers come first, which leave more to be wrong.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from harness.common.escaping import plain, quoted
from harness.judging.explain.siblings import RULE as HARD_CODED
from harness.judging.failed_scenarios import FailedScenario
from harness.judging.traces import Line, Trace, WrongBranch, called, wrong_branch
from harness.model.policy import Outline, OutlinePart
from harness.model.stimulus import Stimulus, statements
from harness.model.verdict import Cause, CodePlace, Suspect

MOST_SUSPECTS = 5
_MOST_OF_HELPER = 2
_TELLING = 0.1  # of the way from what a line has that always runs to what only failing runs have
_LEAD = 0.05  # of 1: by so much the best line of a function is ahead of those of others
_DECIDING = 0.5
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_SIGN = re.compile(
    r"[=!<>]=|<<|>>|//|\*\*|[-+*/%<>&|^~]"
    r"|(?<![\w.])(?:\d+|True|False|and|or|not|in|if|elif|while|for)(?!\w)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """What traced runs say of a cause: its most suspect lines, the function that decides where one
    does, the line at which the example came back with None, and the branch that went
    wrong, where these are known."""

    lines: tuple[Line, ...]
    decides: str = ""
    none: Line | None = None
    branch: WrongBranch | None = None

    def __str__(self) -> str:
        branch = (self.branch.prints, self.branch.condition) if self.branch else (None, None)
        places = (self.none, *branch, *self.lines)
        taken = "taken" if self.branch and self.branch.taken else ""
        written = (f"{place.file}:{place.number}" if place else "" for place in places)
        return "\n".join([self.decides, taken, *written])

    @classmethod
    def read(cls, text: str) -> Suspicion:
        """What `str` makes of one."""
        decides, taken, *places = text.split("\n")
        none, prints, condition, *lines = [_place(place) if place else None for place in places]
        branch = WrongBranch(prints, condition, bool(taken)) if prints and condition else None
        found = tuple(line for line in lines if line is not None)
        return cls(lines=found, decides=decides, none=none, branch=branch)


def _place(text: str) -> Line:
    file, _, number = text.rpartition(":")
    return Line(file, int(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectProgram:
    """A submission's text, as causes are looked for in it: the lines of its files, the functions of
    the sheet, and the literals that the reference gives names."""

    outline: Outline
    texts: Mapping[str, Sequence[str]]
    sheet: frozenset[str]
    constants: Mapping[str, object]

    def functions_of(self, cause: Cause) -> tuple[OutlinePart, ...] | None:
        """The functions that a cause may be in; None where lines say nothing more."""
        if cause.suspects:  # known already: a number that several functions have
            return None
        functions = functions_of(cause, self.outline, self.sheet)
        return functions if functions or self._is_program(cause.function) else None

    def suspicion(
        self,
        cause: Cause,
        functions: Sequence[OutlinePart],
        failing: Mapping[str, Trace],
        passing: Mapping[str, Trace],
        different: tuple[str, str] = ("", ""),
    ) -> Suspicion:
        """What the traces of failing and passing scenarios, by their ids, say of a cause that may
        be in these functions, and whose example has these `different_lines`."""
        program = cause.function if self._is_program(cause.function) else ""

        def may_be(line: Line) -> bool:
            return within(line, functions, self.outline, program)

        traces = [*failing.values()], [*passing.values()]
        example = failing.get(cause.example, frozenset())
        ran = {event.line for event in example}
        branch = wrong_branch(different, ran, functions, self.text, self._literal)
        lines = most_suspect(*traces, may_be, self.text)
        if branch is not None:
            helper = self._decides(branch, cause, functions)
            first = [branch.condition]
            if helper is not None:
                inside = partial(within, functions=(helper,), outline=self.outline)
                first = [*most_suspect([example], [], inside, self.text)[:_MOST_OF_HELPER]]
            lines = tuple(dict.fromkeys((*first, *lines)))
        return Suspicion(
            lines=lines,
            decides=deciding(*traces, may_be, functions),
            none=gave_none(example, cause.function, functions),
            branch=branch,
        )

    def explained(
        self,
        cause: Cause,
        members: Sequence[FailedScenario],
        example: FailedScenario,
        functions: Sequence[OutlinePart],
        suspicion: Suspicion,
    ) -> Cause:
        """The cause with its suspect lines, behind the line of its exception or loop; why None came
        back; a comparison that does nothing, and else, where there is no line of an exception, a
        constant that differs or the helper that decides."""
        none = suspicion.none
        if none is not None and (text := self.text(none)):
            cause = cause.saying(why_none(cause, members, example, none.number, text))
        exact = [Line(cause.place.file, cause.line)] if cause.line and cause.place else []
        both = (*suspicion.lines, *exact) if suspicion.branch else (*exact, *suspicion.lines)
        known = [line for line in dict.fromkeys(both) if self.text(line)]
        suspects = by_function(known[:MOST_SUSPECTS], functions, lambda file: len(self.texts[file]))
        cause = replace(cause, suspects=suspects)
        if any(part.dropped for part in functions):
            return with_dropped(cause, functions)
        constant = other_constant(functions, self.outline, self.text, self.constants)
        if constant is not None and cause.line is None:
            return with_constant(cause, constant, self.text(Line(constant.file, constant.first)))
        if suspicion.branch is not None and cause.rule != HARD_CODED:  # which says more
            return self._with_branch(cause, suspicion.branch, functions)
        return with_deciding(cause, suspicion.decides)

    def _with_branch(
        self, cause: Cause, branch: WrongBranch, functions: Sequence[OutlinePart]
    ) -> Cause:
        """The cause with who decides about the branch that went wrong said first."""
        helper = self._decides(branch, cause, functions)
        at, prints = branch.condition.number, branch.prints.number
        asked = "" if helper is None else f" after {plain(helper.name, limit=60)}"
        what = "what is not expected" if branch.taken else "what is expected"
        said = f"Line {at} goes the wrong way{asked}: line {prints} prints {what}."
        return cause.saying(f"{said} {cause.message}")

    def _decides(
        self, branch: WrongBranch, cause: Cause, functions: Sequence[OutlinePart]
    ) -> OutlinePart | None:
        """The helper that a branch's condition asks; None where it asks none, or several."""
        helpers = [part for part in functions if part.name != cause.function]
        return called(self.text(branch.condition), helpers)

    def _literal(self, name: str) -> object:
        """The literal that this name has in the submission, else in the course's files."""
        for part in self.outline.parts:
            if part.name == name and not part.callable and part.first == part.last:
                text = self.text(Line(part.file, part.first))
                return literals(text).get(name) if len(text) <= _LONGEST_LITERAL else None
        return self.constants.get(name)

    def text(self, line: Line) -> str:
        """The text of a line; empty where there is none."""
        lines = self.texts.get(line.file, ())
        return lines[line.number - 1] if 0 < line.number <= len(lines) else ""

    def _is_program(self, name: str) -> bool:
        return any(module.file == name for module in self.outline.modules)


def functions_of(cause: Cause, outline: Outline, sheet: Iterable[str]) -> tuple[OutlinePart, ...]:
    """The submission's functions that a cause may be in: its own, and those that it uses and that
    are none of the sheet's, for these would be to blame themselves. Of a program, all that its file
    uses; none of a constant."""
    own = outline.part(cause.function)
    if own is not None and not own.callable:
        return ()
    others = {part.name: part for part in outline.parts if part.callable}
    for name in sheet:
        others.pop(name, None)
    program = (each.mentions for each in outline.modules if each.file == cause.function)
    pending = list(own.mentions) if own else [name for names in program for name in names]
    found = {own.name: own} if own else {}
    while pending:
        part = others.pop(pending.pop(), None)
        if part is not None:
            found.setdefault(part.name, part)
            pending += part.mentions
    return tuple(found.values())


def most_suspect(
    failing: Sequence[Trace],
    passing: Sequence[Trace],
    may_be: Callable[[Line], bool],
    text_of: Callable[[Line], str],
) -> tuple[Line, ...]:
    """The lines that are most suspect, of those that `may_be` and have a text, the first five.

    None where there are more, passing runs were looked at, and the best line hardly differs from
    one that always runs: the fault may lie elsewhere, and a choice would mislead."""
    score = _scores(failing, passing)

    def order(line: Line) -> tuple[float, int, Line]:
        return -round(score[line], 6), -len(_SIGN.findall(_TEXT.sub('""', text_of(line)))), line

    lines = [line for line in score if may_be(line) and text_of(line).strip()]
    best = max((score[line] for line in lines), default=0.0)
    if passing and len(lines) > MOST_SUSPECTS and best < _beyond(_TELLING, failing, passing):
        return ()
    return tuple(sorted(lines, key=order)[:MOST_SUSPECTS])


def _scores(failing: Sequence[Trace], passing: Sequence[Trace]) -> dict[Line, float]:
    fails = Counter(event for trace in failing for event in trace)
    passes = Counter(event for trace in passing for event in trace)
    score: defaultdict[Line, float] = defaultdict(float)
    for event, count in fails.items():
        coefficient = count / math.sqrt(len(failing) * (count + passes[event]))
        score[event.line] = max(score[event.line], coefficient)
    return score


def _beyond(share: float, failing: Sequence[Trace], passing: Sequence[Trace]) -> float:
    """What a line has that is so far from one that always runs to one of failing runs alone."""
    always = math.sqrt(len(failing) / max(1, len(failing) + len(passing)))
    return always + share * (1 - always)


def deciding(
    failing: Sequence[Trace],
    passing: Sequence[Trace],
    may_be: Callable[[Line], bool],
    functions: Sequence[OutlinePart],
) -> str:
    """The function with the most suspect line of all, where its lead is clear, and the line tells
    failing runs from passing ones at least half as well as can be; empty where none has."""
    best: defaultdict[str, float] = defaultdict(float)
    for line, score in _scores(failing, passing).items():
        if may_be(line):
            part = _around(line, functions)
            name = part.name if part else ""
            best[name] = max(best[name], score)
    first, second, *_ = *sorted(best, key=best.__getitem__, reverse=True), "", ""
    lead = best[first] - best[second]
    is_clear = lead >= _LEAD and best[first] >= _beyond(_DECIDING, failing, passing)
    return first if passing and is_clear else ""


def with_dropped(cause: Cause, functions: Iterable[OutlinePart]) -> Cause:
    """The cause with the first comparison whose result nobody uses, in the functions that it may be
    in, said and shown first."""
    part = next((part for part in functions if part.dropped), None)
    if part is None:
        return cause
    line = part.dropped[0]
    place = CodePlace(file=part.file, first=part.first, last=part.last)
    others = tuple(each for each in cause.suspects if each.function != part.name)
    suspects = (Suspect(function=part.name, place=place, lines=(line,)), *others)
    said = f"Line {line} compares and throws the result away; to store, use `=`."
    shows = cause.message.removesuffix(" Is a copy changed in its place?")  # it is not that
    return replace(cause.saying(f"{said} {shows}"), suspects=suspects)


def with_deciding(cause: Cause, name: str) -> Cause:
    """The cause with the helper whose lines decide said first, where it has some to show."""
    suspect = next((each for each in cause.suspects if each.function == name), None)
    if suspect is None or name in ("", cause.function) or cause.line is not None:
        return cause
    first, last = suspect.lines[0], suspect.lines[-1]
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    where = f"The fault seems to be in {plain(name, limit=60)}, {lines}."
    return cause.saying(f"{where} {cause.message}")


def gave_none(trace: Trace, name: str, functions: Iterable[OutlinePart]) -> Line | None:
    """The line at which the calls of a function came back with None; None where there are several
    or none. The code around it comes back with None at its head."""
    ended = [event.line for event in trace if event.what == "None"]
    lines = [
        line
        for part in functions
        if part.name == name
        for line in ended
        if _around(line, [part]) is not None and line.number > part.first
    ]
    return lines[0] if len(lines) == 1 else None


_LONGEST_LITERAL = 200


def literals(source: str | bytes) -> dict[str, object]:
    """The literal values that a text gives names at its top level."""
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


def other_constant(
    functions: Iterable[OutlinePart],
    outline: Outline,
    text_of: Callable[[Line], str],
    reference: Mapping[str, object],
) -> OutlinePart | None:
    """The constant of the submission's that these functions use, directly or by another constant,
    and that is another literal, of the same type, than under this name in the reference; None where
    there is none, or several: then a name may well mean something else."""
    constants = {part.name: part for part in outline.parts if not part.callable}
    pending = [name for part in functions for name in part.mentions]
    found: list[OutlinePart] = []
    while pending:
        part = constants.pop(pending.pop(), None)
        if part is None:
            continue
        pending += part.mentions
        text = text_of(Line(part.file, part.first))
        if part.first == part.last and len(text) <= _LONGEST_LITERAL:
            own, theirs = literals(text).get(part.name), reference.get(part.name)
            if own is not None and type(own) is type(theirs) and own != theirs:
                found.append(part)
    return found[0] if len(found) == 1 else None


def with_constant(cause: Cause, part: OutlinePart, text: str) -> Cause:
    """The cause with a constant that it may come from said and shown first."""
    value = plain(text.partition("=")[2].partition("#")[0].strip(), limit=60)
    where = (
        f"The fault may be in {plain(part.name, limit=60)}, which is {value} on line {part.first}"
    )
    place = CodePlace(file=part.file, first=part.first, last=part.last)
    suspect = Suspect(function=part.name, place=place, lines=(part.first,))
    message = f"{where}: compare it with the sheet. {cause.message}"
    return replace(cause.saying(message), suspects=(suspect, *cause.suspects))


_RETURN = re.compile(r"return\b\s*(?P<what>.*)")
_INSTEAD = " returned None instead of "


def why_none(
    cause: Cause, members: Iterable[FailedScenario], example: FailedScenario, line: int, text: str
) -> str:
    """The message of a function that returned None, with what its text says at the line at which
    it did: where it falls off its end, that a return may be missing; where a bare `return` ends it,
    what to write, if that is always the same; where it returns None on purpose, that what was typed
    is valid. None of these of a value that was computed, or where another function returned it."""
    who, instead, wanted = cause.message.partition(_INSTEAD)
    if who != cause.function or not instead:
        return cause.message
    said = cause.message.removesuffix(".")
    found = _RETURN.match(text.partition("#")[0].strip())
    if found is None:
        return f"{said}: is a return missing?"
    given = _only_text(example.stimulus)
    if found["what"] == "None" and given is not None:
        return (
            f"{who} refuses {quoted(given, limit=30)}, which is valid: "
            f"line {line} returns None instead of {wanted}"
        )
    if found["what"]:
        return cause.message
    answers = {
        each.explanation.message.partition(_INSTEAD)[2] for each in members
        if each.rule == cause.rule and each.scenario.function == cause.function
    }  # fmt: skip
    always = answers == {wanted} and wanted in ("True.", "False.")
    advice = f"; write `return {wanted.removesuffix('.')}`" if always else ""
    return f"{said}: line {line} gives nothing back{advice}."


def _only_text(stimulus: Stimulus) -> str | None:
    """The text that a call is given, where it is given nothing else."""
    literals = {each.name: each.literal for each in stimulus.bindings}
    match statements(stimulus.action.expression.strip()):
        case [ast.Expr(value=ast.Call(args=[argument], keywords=[]))]:
            source = ast.unparse(argument)
            match statements(literals.get(source, source)):
                case [ast.Expr(value=ast.Constant(value=str(text)))]:
                    return text
    return None


def by_function(
    lines: Iterable[Line], functions: Iterable[OutlinePart], length_of: Callable[[str], int]
) -> tuple[Suspect, ...]:
    """The lines together with the function that each is in, in the order of its most suspect one;
    those outside all functions with their whole file, which is so many lines long."""
    known = tuple(functions)
    found: dict[CodePlace, list[int]] = {}
    names: dict[CodePlace, str] = {}
    for line in lines:
        part = _around(line, known)
        place = CodePlace(file=line.file, first=1, last=length_of(line.file))
        if part is not None:
            place = CodePlace(file=part.file, first=part.first, last=part.last)
        names[place] = part.name if part else ""
        found.setdefault(place, []).append(line.number)
    return tuple(
        Suspect(function=names[place], place=place, lines=tuple(sorted(numbers)))
        for place, numbers in found.items()
    )


def _around(line: Line, parts: Iterable[OutlinePart]) -> OutlinePart | None:
    inside = (p for p in parts if p.file == line.file and p.first <= line.number <= p.last)
    return min(inside, key=lambda part: part.last - part.first, default=None)


def within(
    line: Line, functions: Iterable[OutlinePart], outline: Outline, program: str = ""
) -> bool:
    """Whether the line is in one of these functions, below its head, or, of a program's file,
    outside all functions."""
    part = _around(line, functions)
    if part is not None:
        return line.number > part.first
    return line.file == program and not outline.function_at(line.file, line.number)
