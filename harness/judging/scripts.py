"""Failures of programs without functions, put together by the statement that they lead to.

Of a program without functions the first line that differs leads to the statement that shows it, or
would show what is missing: known from the literal text in the program. A line that is there with
other words is wrong where it is shown, or in the values that it shows. A line that is missing, or
too many, or in the place of another (by a condition around one of the two), says that the run takes
another course; so does a run that asks for more or for less, and any statement with such a line may
be why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.judging.blame import fewest_parts
from harness.judging.failed_scenarios import FailedScenario
from harness.model.observation import Observation, Turn
from harness.model.policy import Outline, Printing
from harness.model.verdict import Cell, Channel, Comparison, LineEnd, VerdictKind

Passes = Callable[[FailedScenario, Observation], bool]
"""Whether the scenario would pass, had this been seen."""

MOST_TRIES = 300  # of one submission
_COURSE = "course"  # of a run: whichever statement makes it another one
_CHANNELS = frozenset({Channel.PRINTS, Channel.READS, Channel.ENDING})


def in_scripts(
    failures: Sequence[FailedScenario], outline: Outline, passes: Passes | None
) -> dict[str, str]:
    """The statement to blame of each failure of a program without functions, by its id: its line,
    or another word for what is not known. The others are left out."""
    groups: dict[tuple[str, str], list[FailedScenario]] = {}
    for each in failures:
        program = _script(each, outline)
        if program:
            groups.setdefault((each.scenario.function, program), []).append(each)
    tries = _Tries(passes)
    blamed: dict[str, str] = {}
    for (_, program), members in groups.items():
        statements = _statements(members, program, outline, tries)
        for each, statement in zip(members, statements, strict=True):
            if statement:
                blamed[each.scenario.id] = statement
    return blamed


def _script(each: FailedScenario, outline: Outline) -> str:
    """The program without functions that was run and went wrong in what it shows and reads."""
    program = each.stimulus.action.program
    if each.verdict.kind is not VerdictKind.FAILED:
        return ""
    channels = {difference.channel for difference in each.verdict.differences[:1]}
    module = next((one for one in outline.modules if one.file == program), None)
    if module is None or not channels <= _CHANNELS or outline.names() & set(module.mentions):
        return ""
    return program


@dataclass(frozen=True, slots=True, kw_only=True)
class _LinePair:
    """A line as it should be and as it is; None where there is none."""

    expected: str | None
    actual: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The first line that differs, and the statements that it leads to; none: they are not known.
    `course`: the run took another course than it should."""

    line: _LinePair
    statements: frozenset[str]
    course: bool


def _statements(
    members: Sequence[FailedScenario], program: str, outline: Outline, tries: _Tries
) -> list[str]:
    shown = [_shown(each, program, outline) for each in members]
    courses = {statement for one in shown if one and one.course for statement in one.statements}
    wordings = {one.line: one.statements for one in shown if one and not one.course}
    uses: list[frozenset[str]] = []
    for each, one in zip(members, shown, strict=True):
        if one and one.statements:
            uses.append(one.statements)
        elif each.observation.cut:
            uses.append(frozenset())  # it cannot be tried what another line would make of it
        else:
            uses.append(tries.corrected(each, wordings) or frozenset({_COURSE, *courses}))
    return fewest_parts(uses, (), ())


def _shown(each: FailedScenario, program: str, outline: Outline) -> _Shown | None:
    line = next(map(_first_difference, each.verdict.differences[:1]), None)
    if line is None:
        return None
    wanted = _shown_by(line.expected, program, outline)
    there = _shown_by(line.actual, program, outline)
    course = line.expected is None or line.actual is None
    same = wanted & there
    if not course and not same:  # a value alone may be any text: it says of none who shows it
        wanted = frozenset(each for each in wanted if any(each.pieces))
        course = bool(wanted and there)
    names = {f"text {each.line}" for each in same or wanted | there}
    names |= {f"value {value}" for each in same for value in each.values}
    if not same and wanted and there:  # one in the place of the other
        names |= {f"condition {at}" for each in wanted | there for at in each.conditions}
    return _Shown(line=line, statements=frozenset(names), course=course)


def _first_difference(compared: Comparison) -> _LinePair | None:
    if compared.in_words:
        return None
    for row in compared.rows:
        pair = _LinePair(expected=_text(row.expected), actual=_text(row.actual))
        if pair.expected != pair.actual:
            return pair
    for row in compared.rows:
        if not row.same:  # but for its end: an empty line is missing, or is too many
            missing = row.actual.end is LineEnd.LACKING
            return _LinePair(expected="" if missing else None, actual=None if missing else "")
    return None


def _text(cell: Cell) -> str | None:
    """The line's text; where the side's text ended with the line before, that is an empty line."""
    return cell.text if not cell.note or cell.end else None


def _shown_by(text: str | None, program: str, outline: Outline) -> frozenset[Printing]:
    return frozenset(outline.shown_by(program, text) if text is not None else ())


class _Tries:
    """Tries what a scenario makes of a run in which a wrong line is as it should be."""

    def __init__(self, passes: Passes | None) -> None:
        self._passes = passes
        self._left = MOST_TRIES

    def corrected(
        self, each: FailedScenario, wordings: Mapping[_LinePair, frozenset[str]]
    ) -> frozenset[str] | None:
        """The statements of the first wording with which it passes."""
        seen = each.observation
        if self._passes is None:
            return None
        for line, statements in wordings.items():
            if not statements or not self._left:
                continue
            self._left -= 1
            turns = tuple(_corrected(turn, line) for turn in seen.turns)
            if turns != seen.turns and self._passes(each, replace(seen, turns=turns)):
                return statements
        return None


def _corrected(turn: Turn, line: _LinePair) -> Turn:
    texts = turn.printed.split("\n")
    right = [line.expected or "" if text == line.actual else text for text in texts]
    return replace(turn, printed="\n".join(right))
