"""Rules about lines that are missing, too many, or other than expected."""

from __future__ import annotations

from harness.common.escaping import quoted
from harness.judging.alignment import Edit, shared_start
from harness.judging.explain.failure import Failure, Texts
from harness.judging.explain.rule import Stage, text_rule


@text_rule(Stage.DIFFERENCE, 30, "prints where nothing should be printed")
def unexpected_output(failure: Failure, texts: Texts) -> str | None:
    """Something is printed where nothing should be."""
    if texts.expected or not texts.printed:
        return None
    found = quoted(texts.actual.rstrip("\n"))
    return failure.says(
        f"{texts.verb} {found}, although nothing should be {_done(texts)} here", place=texts.place
    )


@text_rule(Stage.DIFFERENCE, 40, "prints nothing")
def nothing_printed(failure: Failure, texts: Texts) -> str | None:
    """Nothing is printed where something should be."""
    if texts.actual or not texts.printed:
        return None
    wanted = quoted(_first_visible(texts.expected.split("\n")))
    clause = f"{texts.verb} nothing, but {wanted} should be {_done(texts)}"
    return failure.says(clause, place=texts.place)


def _done(texts: Texts) -> str:
    return "shown" if texts.shown else "printed"


@text_rule(Stage.DIFFERENCE, 50, "does not print a line")
def line_missing(failure: Failure, texts: Texts) -> str | None:
    """Lines are left out, all else is right."""
    edit = texts.edit
    if edit.inserted or not edit.removed:
        return None
    if len(edit.removed) == 1:
        who = f"the line {quoted(edit.removed[0])}"
        clause = f"is missing: it should be line {edit.at + 1}"
    else:
        who = f"{len(edit.removed)} lines"
        first = quoted(_first_visible(edit.removed))
        clause = f"are missing from line {edit.at + 1}, including {first}"
    return failure.says(clause, place=texts.place, who=who)


@text_rule(Stage.DIFFERENCE, 60, "prints a line too many")
def line_too_many(failure: Failure, texts: Texts) -> str | None:
    """Lines are added, all else is right."""
    edit = texts.edit
    if edit.removed or not edit.inserted:
        return None
    if len(edit.inserted) == 1:
        clause = f"an extra line: line {edit.at + 1}, {quoted(edit.inserted[0])}"
    else:
        first = quoted(_first_visible(edit.inserted))
        clause = f"{len(edit.inserted)} extra lines from line {edit.at + 1}: {first}"
    return failure.says(f"{texts.verb} {clause}", place=texts.place)


@text_rule(Stage.DIFFERENCE, 70, "a prompt differs")
def prompt_differs(failure: Failure, texts: Texts) -> str | None:
    """The text just before an input is another."""
    if not _is_before_input(failure):
        return None
    edit = texts.edit
    pair = _one_line(edit)
    if pair is None or not edit.at_end:
        return None
    at = shared_start(*pair)
    wanted, got = (quoted(line, at=at) for line in pair)
    return failure.says(f"is {got}, it should be {wanted}", place=texts.place, who="the prompt")


def _is_before_input(failure: Failure) -> bool:
    if failure.text is None or failure.text.turn is None:
        return False
    return failure.text.turn < failure.observation.reads


@text_rule(Stage.DIFFERENCE, 80, "one printed line differs")
def line_differs(failure: Failure, texts: Texts) -> str | None:
    """One line is another, all else is right."""
    edit = texts.edit
    pair = _one_line(edit)
    if pair is None:
        return None
    at = shared_start(*pair)
    wanted, got = (quoted(line, at=at) for line in pair)
    if len(edit.expected) <= 2 and not texts.expected.partition("\n")[2]:
        return failure.says(f"{texts.verb} {got} instead of {wanted}", place=texts.place)
    who = f"line {edit.at + 1}"
    return failure.says(f"is {got}, it should be {wanted}", place=texts.place, who=who)


def _one_line(edit: Edit) -> tuple[str, str] | None:
    if len(edit.removed) != 1 or len(edit.inserted) != 1:
        return None
    return edit.removed[0], edit.inserted[0]


@text_rule(Stage.DIFFERENCE, 90, "the printed text differs")
def text_differs(failure: Failure, texts: Texts) -> str | None:
    """The texts differ from some line and column, and no other rule knows why."""
    line, column, wanted, got = _first_place(texts)
    at = column - 1
    clause = (
        f"differs from line {line}, column {column}: "
        f"{_or_end(got, at)} instead of {_or_end(wanted, at)}"
    )
    who = "the output" if texts.printed else "the returned text"
    return failure.says(clause, place=texts.place, who=who)


def _first_place(texts: Texts) -> tuple[int, int, str | None, str | None]:
    expected, actual = texts.edit.expected, texts.edit.actual
    line = shared_start(expected, actual)
    wanted = expected[line] if line < len(expected) else None
    got = actual[line] if line < len(actual) else None
    return line + 1, shared_start(wanted or "", got or "") + 1, wanted, got


def _or_end(line: str | None, at: int) -> str:
    return "the end of the text" if line is None else quoted(line, at=at)


def _first_visible(lines: list[str]) -> str:
    return next((line for line in lines if line.strip()), lines[0] if lines else "")
