"""A rule about files that a program is given and should leave as they are."""

from __future__ import annotations

from harness.common.escaping import plain, quoted
from harness.judging.alignment import Edit, edit_of
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, a_type, count, rule
from harness.judging.mismatches import ValueMismatch
from harness.matchers import Exactly, same
from harness.model.values import Value, ValueKind, file_value

_READING = "To read a file, open it with mode 'r'"


@rule(Stage.KNOWN_MISTAKE, 112, "changes a file that should stay as it is")
def file_should_stay(failure: Failure) -> str | None:
    """A file that is given and should be as before is not."""
    given = {file.name: file_value(file.data) for file in failure.stimulus.files}
    for found in failure.files:
        before, expected = given.get(found.name), found.expected
        if before is None or not isinstance(expected, Exactly) or not same(before, expected.value):
            continue
        clause = f"should stay as it is, and {_what(failure, found, before)}"
        return failure.says(clause, who=f"the file {plain(found.name, limit=60)}")
    return None


def _what(failure: Failure, found: ValueMismatch, before: Value) -> str:
    after = found.actual
    if after is None:
        for other in failure.files:
            if other.expected is None and other.actual is not None and same(other.actual, before):
                return f"it is renamed to {plain(other.name, limit=60)}"
        return "it is removed"
    if after.kind is ValueKind.STR and not after.text:
        return f"it is emptied: is it opened with mode 'w'? {_READING}"
    if after.kind is ValueKind.TOO_LARGE:
        return f"it is now {plain(after.text, limit=60)}"
    if after.kind is ValueKind.UNREADABLE:
        return f"it can no longer be read ({plain(after.text, limit=40)})"
    if after.kind is not ValueKind.STR:
        return f"it is now {a_type(after)}"
    if before.kind is not ValueKind.STR:
        return "it is overwritten"
    edit = edit_of(_lines(before), _lines(after))
    if edit.removed or edit.inserted:
        return _edited(edit)
    end = (
        "the newline at its end is gone"
        if before.text.endswith("\n")
        else "a newline is added at its end"
    )
    return f"it is changed: {end}"


def _edited(edit: Edit) -> str:
    added = edit.inserted
    if not edit.removed and added and edit.at_end:
        are = "line is" if len(added) == 1 else "lines are"
        return (
            f"{len(added)} {are} added at its end: {quoted(added[0])}. Is it opened with mode 'a'?"
        )
    place = f"line {edit.at + 1}"
    if not added:
        gone = f"{place}, {quoted(edit.removed[0])}, is gone"
        if len(edit.removed) > 1:
            gone = f"{count(len(edit.removed), 'line')} from {place} on are gone"
        return f"it is changed: {gone}"
    if not edit.removed:
        return f"it is changed: {place}, {quoted(added[0])}, is added"
    was = f"{place} was {quoted(edit.removed[0])} and is {quoted(added[0])} now"
    if edit.removed == edit.expected and added == edit.actual:
        return f"nothing of it is left: {was}. Is it opened with mode 'w'? {_READING}"
    return f"it is changed: {was}"


def _lines(value: Value) -> list[str]:
    lines = value.text.split("\n")
    return lines if lines[-1] else lines[:-1]
