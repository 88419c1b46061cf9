"""Rules about files: not written, written elsewhere, not closed, other lines than expected."""

from __future__ import annotations

import re

from harness.common.escaping import plain, quoted
from harness.judging.compare.mismatches import ValueMismatch
from harness.judging.explain.alignment import shared_start
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, count, rule
from harness.matchers import Exactly, source
from harness.model.observation import Phase
from harness.model.values import ValueKind

_NOT_THERE = re.compile(r"No module named '([^']+)'\Z")


@rule(Stage.ENDING, 5)
def not_handed_in(failure: Failure) -> str | None:
    """The file that should be run or loaded is not there."""
    raised = failure.observation.raised
    if failure.observation.phase is not Phase.LOADING or raised is None or raised.frames:
        return None
    named = _NOT_THERE.match(raised.message[:200])
    if raised.type_name != "ModuleNotFoundError" or named is None:
        return None
    return f"{plain(named[1], limit=60)}.py was not handed in."


@rule(Stage.KNOWN_MISTAKE, 113)
def file_not_closed(failure: Failure) -> str | None:
    """What was written is not all in the file yet."""
    found = _first(failure)
    if found is None or found.name not in failure.observation.left_open:
        return None
    return failure.says(
        f"does not close {_named(found.name)}, so that its text is not all written: "
        "use with open(…)"
    )


@rule(Stage.KNOWN_MISTAKE, 220)
def file_written_elsewhere(failure: Failure) -> str | None:
    """The file is not there, and another one that should not be there is."""
    found = _first(failure, missing=True)
    if found is None:
        return None
    for other in failure.files:
        if other.expected is None and other.actual is not None:
            return failure.says(
                f"writes {_named(other.name)} and not {_named(found.name)}: the name is another"
            )
    return None


@rule(Stage.KNOWN_MISTAKE, 230)
def file_not_written(failure: Failure) -> str | None:
    """The file is not there."""
    found = _first(failure, missing=True)
    if found is None:
        return None
    given = {file.name for file in failure.stimulus.files}
    done = "is gone afterwards" if found.name in given else "is not written"
    return failure.says(done, who=f"the file {_named(found.name)}")


@rule(Stage.KNOWN_MISTAKE, 240)
def file_should_not_be_there(failure: Failure) -> str | None:
    """A file that nobody asked for, or one that should have been removed."""
    found = _first(failure)
    if found is None:
        return None
    gone = isinstance(found.expected, Exactly) and found.expected.value.kind is ValueKind.NONE
    if found.expected is not None and not gone:
        return None
    return failure.says(
        f"leaves the file {_named(found.name)}, which should not be there afterwards"
    )


@rule(Stage.KNOWN_MISTAKE, 260)
def lines_in_another_order(failure: Failure) -> str | None:
    """The same lines, in another order."""
    texts = failure.file_texts
    if texts is None:
        return None
    expected, actual = texts.edit.expected, texts.edit.actual
    if sorted(expected) != sorted(actual):
        return None
    at = shared_start(expected, actual)
    return failure.says(
        f"has the right lines in another order: line {at + 1} is {quoted(actual[at])}, "
        f"it should be {quoted(expected[at])}",
        who=texts.named,
    )


@rule(Stage.KNOWN_MISTAKE, 114)
def lines_run_together(failure: Failure) -> str | None:
    """The text of all lines without their ends."""
    texts = failure.file_texts
    if texts is None or texts.expected.count("\n") < 2 or "\n" in texts.actual.strip("\n"):
        return None
    if texts.expected.replace("\n", "") != texts.actual.replace("\n", ""):
        return None
    return failure.says(
        'has all of its text in one line: write "\\n" after each line', who=texts.named
    )


@rule(Stage.DIFFERENCE, 25)
def file_differs(failure: Failure) -> str | None:
    """A file has another content."""
    found = _first(failure)
    if found is None or found.actual is None:
        return None
    texts = failure.file_texts
    if texts is None:
        wanted = found.expected.in_words() if found.expected else "nothing"
        clause = f"is {source(found.actual)}, expected {wanted}"
        return failure.says(clause, who=f"the file {_named(found.name)}")
    edit = texts.edit
    if edit.removed and not edit.inserted:
        lines = count(len(edit.removed), "line")
        clause = f"lacks {lines} from line {edit.at + 1} on: {quoted(edit.removed[0])}"
    elif edit.inserted and not edit.removed:
        lines = count(len(edit.inserted), "line")
        clause = f"has {lines} too many from line {edit.at + 1} on: {quoted(edit.inserted[0])}"
    else:
        got, wanted = edit.inserted[0], edit.removed[0]
        at = shared_start(got, wanted)
        clause = (
            f"differs in line {edit.at + 1}: it is {quoted(got, at=at)}, "
            f"it should be {quoted(wanted, at=at)}"
        )
    return failure.says(clause, who=texts.named)


def _first(failure: Failure, *, missing: bool = False) -> ValueMismatch | None:
    return next((one for one in failure.files if one.actual is None or not missing), None)


def _named(name: str) -> str:
    return plain(name, limit=60)
