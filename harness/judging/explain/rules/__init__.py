"""The rules that explain a failure, the most specific first. The first that fires is the reason.

A rule is a function of a `Failure` that answers one plain sentence, or None when it does not apply;
its name is its id. To add one, write it in the file of its theme and give it its place here.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import (
    arguments,
    endings,
    general,
    grids,
    inputs,
    lines,
    raising,
    returning,
    spacing,
)
from harness.model.verdict import Explanation

Rule = Callable[[Failure], str | None]

RULES: tuple[Rule, ...] = (
    # What stops everything else comes first.
    endings.our_fault,
    endings.tampered,
    endings.ran_at_import,
    endings.missing_function,
    endings.printed_without_end,
    inputs.did_not_ask_for_input,
    endings.did_not_end,
    endings.memory,
    endings.crashed,
    endings.ended_early,
    endings.cut_short,
    raising.called_exit,
    raising.recursed_too_deep,
    raising.wrong_parameters,
    raising.raised_unexpectedly,
    raising.wrong_exception,
    raising.did_not_raise,
    # A known slip on the screen explains why more or less was asked for later on.
    grids.board_shown_twice,
    grids.printed_rows_and_columns_swapped,
    grids.printed_off_by_one_column,
    inputs.asked_for_more,
    # Values, then the texts: what is known to go wrong.
    returning.too_large,
    returning.printed_instead_of_returned,
    returning.returned_instead_of_printed,
    returning.returned_a_function,
    arguments.argument_not_changed,
    grids.rows_and_columns_swapped,
    arguments.changed_off_by_one_column,
    arguments.argument_changed,
    returning.returned_none,
    returning.wrong_type,
    inputs.stopped_early,
    spacing.only_whitespace,
    spacing.only_case,
    grids.board_not_shown,
    grids.board_shown_unasked,
    # What merely differs.
    general.wrong_value,
    general.wrong_value_afterwards,
    lines.unexpected_output,
    lines.nothing_printed,
    lines.line_missing,
    lines.line_too_many,
    lines.prompt_differs,
    lines.line_differs,
    lines.text_differs,
    general.text_not_matched,
    general.wrong_exit_status,
    endings.should_not_answer,
    general.differs,
)


def explain(failure: Failure) -> Explanation:
    """The first rule that applies, and its sentence."""
    for rule in RULES:
        message = rule(failure)
        if message is not None:
            return Explanation(rule=rule.__name__, message=message)
    raise AssertionError("the last rule applies to everything")
