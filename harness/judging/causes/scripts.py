"""Finds the statement to blame in a program without functions, using its output
(docs/causes.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.judging.causes.failed_scenarios import FailedScenario
from harness.judging.causes.faults import Uses, shortest_explanation
from harness.model.observation import Observation, Turn
from harness.model.policy import Outline, Printing
from harness.model.verdict import Cell, Channel, Comparison, LineEnd, VerdictKind

SeenPasses = Callable[[FailedScenario, Observation], bool]
"""Whether the scenario would pass if this had been observed."""

_MAX_TRIES = 300  # for one submission
_OTHER_BRANCH = "course"  # blamed if the run took a wrong branch at an unknown line
_CHANNELS = frozenset({Channel.PRINTS, Channel.READS, Channel.ENDING})


def in_scripts(
    failures: Sequence[FailedScenario], outline: Outline, passes: SeenPasses | None
) -> dict[str, str]:
    """Return the statement to blame for each output or input failure of a program without
    functions, keyed by scenario id.

    The value names the kind of statement and its line; `_OTHER_BRANCH` means that the run took a
    wrong branch.
    """
    groups: dict[tuple[str, str], list[FailedScenario]] = {}
    for failure in failures:
        if _is_of_script(failure, outline):
            key = failure.scenario.function, failure.stimulus.action.program
            groups.setdefault(key, []).append(failure)
    tries = _Tries(passes)
    blamed: dict[str, str] = {}
    for (_, program), members in groups.items():
        found = _statements(members, program, outline, tries)
        for failure, statement in zip(members, found, strict=True):
            if statement:
                blamed[failure.scenario.id] = statement
    return blamed


def _is_of_script(failure: FailedScenario, outline: Outline) -> bool:
    """Return whether the failure is about the output or input of a program without functions."""
    if failure.verdict.kind is not VerdictKind.FAILED:
        return False
    first = failure.verdict.differences[:1]
    if any(difference.channel not in _CHANNELS for difference in first):
        return False
    for module in outline.modules:
        if module.file == failure.stimulus.action.program:
            return outline.names().isdisjoint(module.mentions)
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _LinePair:
    """An expected line of output and the actual one; None if that line does not exist."""

    expected: str | None
    actual: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lead:
    """The statements that the first differing line points to."""

    line: _LinePair
    statements: frozenset[str]  # statements that may be wrong; empty if unknown
    other_branch: bool  # the run took a wrong branch


def _statements(
    members: Sequence[FailedScenario], program: str, outline: Outline, tries: _Tries
) -> list[str]:
    """Return the statement to blame for each of these failures, or "" for none."""
    leads = [_lead(failure, program, outline) for failure in members]
    at_branches: set[str] = {_OTHER_BRANCH}
    wordings: dict[_LinePair, Uses] = {}
    for lead in filter(None, leads):
        if lead.other_branch:
            at_branches |= lead.statements
        else:
            wordings[lead.line] = lead.statements
    uses: list[Uses] = []
    for failure, own_lead in zip(members, leads, strict=True):
        if own_lead and own_lead.statements:
            uses.append(own_lead.statements)
        elif failure.observation.is_truncated:
            uses.append(frozenset())  # a shortened output cannot be judged again
        else:
            explained = tries.explained_by(failure, wordings)
            uses.append(explained or frozenset(at_branches))
    return shortest_explanation(uses, (), ())


def _lead(failure: FailedScenario, program: str, outline: Outline) -> _Lead | None:
    """Return the statements that may have caused the first differing line; None if the verdict
    shows no such line.

    If some statement can print both the expected and the actual line, it is suspected, with the
    values that it prints. Otherwise every statement that can print either line is suspected, and,
    if different statements print them, also the conditions around these.
    """
    line: _LinePair | None = None
    for difference in failure.verdict.differences[:1]:
        line = _first_difference(difference)
    if line is None:
        return None
    prints_expected = _shown_by(line.expected, program, outline)
    prints_actual = _shown_by(line.actual, program, outline)
    prints_both = prints_expected & prints_actual
    if prints_both:
        other_branch = line.expected is None or line.actual is None
        names = _texts(prints_both)
        for printing in prints_both:
            names.update(f"value {value}" for value in printing.values)
        return _Lead(line=line, statements=frozenset(names), other_branch=other_branch)
    other_branch = True
    if line.expected is not None and line.actual is not None:
        # A statement that only prints a value may print any text.
        prints_expected = frozenset(p for p in prints_expected if any(p.pieces))
        other_branch = bool(prints_expected and prints_actual)
    prints_either = prints_expected | prints_actual
    names = _texts(prints_either)
    if prints_expected and prints_actual:  # one statement printed instead of another
        for printing in prints_either:
            names.update(f"condition {at}" for at in printing.conditions)
    return _Lead(line=line, statements=frozenset(names), other_branch=other_branch)


def _texts(printings: Iterable[Printing]) -> set[str]:
    return {f"text {printing.line}" for printing in printings}


def _first_difference(compared: Comparison) -> _LinePair | None:
    if compared.in_words:
        return None
    for row in compared.rows:
        expected, actual = _line_in(row.expected), _line_in(row.actual)
        if expected != actual:
            return _LinePair(expected=expected, actual=actual)
    for row in compared.rows:
        if row.same:
            continue
        # Only the line ends differ: an empty line is missing, or extra.
        if row.actual.end is LineEnd.LACKING:
            return _LinePair(expected="", actual=None)
        return _LinePair(expected=None, actual="")
    return None


def _line_in(cell: Cell) -> str | None:
    """Return the line in a cell, or None if it has none.

    A cell with both a note and a line end has an empty line: the text ended with the line before.
    """
    if cell.note and not cell.end:
        return None
    return cell.text


def _shown_by(text: str | None, program: str, outline: Outline) -> frozenset[Printing]:
    if text is None:
        return frozenset()
    return frozenset(outline.shown_by(program, text))


class _Tries:
    """Judges failures again with a wrong line corrected, at most `_MAX_TRIES` times."""

    def __init__(self, passes: SeenPasses | None) -> None:
        self._passes = passes
        self._left = _MAX_TRIES

    def explained_by(self, failure: FailedScenario, wordings: Mapping[_LinePair, Uses]) -> Uses:
        """Return the statements for the first corrected line that makes the failing
        scenario pass.
        """
        observation = failure.observation
        if self._passes is None:
            return frozenset()
        for line, shown_by in wordings.items():
            if not shown_by or not self._left:
                continue
            self._left -= 1
            turns = tuple(_corrected(turn, line) for turn in observation.turns)
            if turns == observation.turns:
                continue
            if self._passes(failure, replace(observation, turns=turns)):
                return shown_by
        return frozenset()


def _corrected(turn: Turn, line: _LinePair) -> Turn:
    """Return a turn in which every copy of the wrong line is replaced by the expected one."""
    lines = turn.printed.split("\n")
    for index, text in enumerate(lines):
        if text == line.actual:
            lines[index] = line.expected or ""
    return replace(turn, printed="\n".join(lines))
