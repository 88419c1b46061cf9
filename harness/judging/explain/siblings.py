"""Explanations that need several scenarios: a number written where a constant belongs.

Evidence counts only if another mistake is unlikely to leave it. That only size 10 goes wrong, for
example, is no evidence: a program that reads one digit of a number does the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from harness.judging.explain.boards import Cells, cells, grid_at
from harness.judging.explain.sizes import AtSize, Family, families, moves_with, right_by_default
from harness.model.expectation import AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.stimulus import Run
from harness.model.values import Value, ValueKind
from harness.model.verdict import Explanation, Verdict, VerdictKind

RULE = "hard_coded_size"


def refine(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    observations: Mapping[str, tuple[Observation, ...]],
    key: AnswerKey | None,
) -> dict[str, Verdict]:
    """The verdicts by scenario id, some with a better explanation; kinds are never changed.

    `observations` has one entry a stimulus, as the plan has. Without a key nothing is refined.
    """
    refined = dict(verdicts)
    if key is None or all(verdict.passed for verdict in verdicts.values()):
        return refined
    swept = families(plan, verdicts, observations, key)
    suspect = {
        (one.scenario.function, family.constant)
        for family in swept
        if has_evidence(family)
        for one in failing(family)
    }
    right = right_by_default(plan, verdicts)
    for family in swept:
        for one in failing(family):
            # In a function that has a number written out, its other failures at other sizes
            # have the same cause, where the default size passes: in the same group, or, where the
            # group is not tried at that size, in all of the function's scenarios.
            function = one.scenario.function
            is_right = family.right_by_default or (family.usual is None and function in right)
            if (function, family.constant) in suspect and (is_right or _itself(one, family)):
                refined[one.scenario.id] = replace(
                    one.verdict, explanation=_explanation(one, family)
                )
    return refined


def _itself(one: AtSize, family: Family) -> bool:
    if family.usual is not None:
        return False
    return shows_default_board(one, family) or index_error_below(one, family)


def _explanation(one: AtSize, family: Family) -> Explanation:
    name, default = family.constant, family.default
    seen = f"it is right when {name} is {default} and wrong when it is {one.size}"
    if not family.right_by_default:
        if shows_default_board(one, family):
            seen = f"it shows a board of that size though {name} is {one.size}"
        if index_error_below(one, family):
            seen = f"an index is out of range when {name} is {one.size}"
    message = f"This looks hard-coded to {default}: {seen}; use {name} in place of the number."
    return Explanation(rule=RULE, message=message)


MOST_LINES = 400


def has_evidence(family: Family) -> bool:
    """Whether a family's observations show that the default was written out."""
    if family.usual is not None and not family.usual.verdict.passed:
        return False
    if any(shows_default_board(one, family) for one in failing(family)):
        return True
    if family.usual is None:
        return False
    return (
        any(_says_default(one, family.usual, family) for one in failing(family))
        or _index_errors_below(family)
        or _threshold(family, family.usual)
    )


def failing(family: Family) -> tuple[AtSize, ...]:
    """The family's scenarios that failed by what they did, and not by a limit."""
    return tuple(one for one in family.others if one.verdict.kind is VerdictKind.FAILED)


def shows_default_board(one: AtSize, family: Family) -> bool:
    """A board with as many rows or columns as by default, where there should be `size` of them."""
    if family.usual is None and abs(one.size - family.default) == 1:
        return False  # off by one would look the same
    wanted = _board_sizes(one.answer)
    return any(
        shown != should and _fits(shown, should, one.size, family.default)
        for shown, should in zip(_board_sizes(one.observation), wanted, strict=False)
    )


def _fits(shown: tuple[int, int], should: tuple[int, int], size: int, default: int) -> bool:
    return should == (size, size) and default in shown and set(shown) <= {default, size}


def _board_sizes(observation: Observation) -> list[tuple[int, int]]:
    """Rows and columns of the boards returned and shown, the first few."""
    values = [observation.value, *(step.value for step in observation.steps)]
    tables = [cells(value) for value in values if value is not None]
    lines = observation.printed.split("\n", MOST_LINES)[:MOST_LINES]
    index = 0
    while index < len(lines) and len(tables) < 20:
        grid = grid_at(lines, index)
        if grid is not None:
            tables.append(grid.rows)
            index = grid.start + len(grid.rows)
        else:
            index += 1
    return [size for table in tables if table and (size := _size(table))]


def _size(table: Cells) -> tuple[int, int] | None:
    widths = {len(row) for row in table}
    return (len(table), widths.pop()) if len(widths) == 1 else None


def _says_default(one: AtSize, usual: AtSize, family: Family) -> bool:
    """A line with the default number in it, which the reference says at the default size only."""
    number = re.compile(rf"(?<!\d){family.default}(?!\d)")
    only_by_default = _lines(usual.answer) - _lines(one.answer)
    lines = _lines(one.observation) & only_by_default
    return any(number.search(line) and len(line) > 3 for line in lines)


def _lines(observation: Observation) -> set[str]:
    lines = set(observation.printed.split("\n", MOST_LINES)[:MOST_LINES])
    for value in (observation.value, *(step.value for step in observation.steps)):
        if isinstance(value, Value) and value.kind is ValueKind.STR:
            lines.update(value.text.split("\n", MOST_LINES)[:MOST_LINES])
    return lines


def _index_errors_below(family: Family) -> bool:
    """Every smaller size, two at least, ends in an index that is out of range."""
    smaller = [one for one in family.others if one.size < family.default]
    return len({one.size for one in smaller}) > 1 and all(
        index_error_below(one, family) for one in smaller
    )


def index_error_below(one: AtSize, family: Family) -> bool:
    """Whether an index is out of range on a board smaller than by default."""
    seen = one.observation
    raises = [seen.raised, *(step.raised for step in seen.steps)]
    return one.size < family.default and any(
        raised is not None and raised.type_name == "IndexError" for raised in raises
    )


def _threshold(family: Family, usual: AtSize) -> bool:
    """A question that moves with the size is answered wrongly on one side of the default size,
    at the size next to it and at another.

    The next size must have as many digits, or to read one digit only would look the same.
    """
    for next_size in (family.default - 1, family.default + 1):
        side = [
            one
            for one in family.others
            if (one.size < family.default) == (next_size < family.default)
        ]
        sizes = {one.size for one in side}
        if next_size not in sizes or len(sizes) < 2:
            continue
        if len(str(next_size)) == len(str(family.default)) and all(
            _answers_wrongly(one, usual, family.constant) for one in side
        ):
            return True
    return False


def _answers_wrongly(one: AtSize, usual: AtSize, constant: str) -> bool:
    return (
        one.verdict.kind is VerdictKind.FAILED
        and one.observation.raised is None
        and not one.scenario.is_sample
        and not isinstance(one.stimulus.action, Run)
        and moves_with(one, usual, constant)
    )
