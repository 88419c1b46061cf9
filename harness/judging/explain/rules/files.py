"""Rules about files: not written, written elsewhere, not closed, other lines than expected, changed
though they should stay.
"""

from __future__ import annotations

import errno
import re

from harness.common.escaping import plain, quoted
from harness.judging.comparison import shared_start
from harness.judging.explain.failure import Failure, TextEdit
from harness.judging.explain.rules import Stage, a_type, at_line, count, rule
from harness.judging.mismatches import ValueMismatch
from harness.matchers.comparison import same, source
from harness.matchers.kinds.combinations import lines_of
from harness.matchers.kinds.values import Exactly
from harness.model.observation import Phase
from harness.model.values import Value, ValueKind, file_value

_ERRORS = f"(?P<number>{errno.ENOENT}|{errno.EACCES}|{errno.EPERM}|{errno.EROFS})"
_NO_ACCESS = re.compile(
    rf"\[Errno {_ERRORS}\] [^:]{{1,80}}: "
    r"""(?:'(?P<path>(?:\\.|[^'\\\n])++)'|"(?P<quoted>(?:\\.|[^"\\\n])++)")"""
)
_LONGEST_MESSAGE = 5000  # characters; the kernel knows no path of more than 4,096 bytes
_OUTSIDE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|\Z)", re.DOTALL)
_NOT_THERE = re.compile(r"No module named '([^']+)'\Z")


@rule(Stage.ENDING, 5, "a file is missing")
def not_handed_in(failure: Failure) -> str | None:
    """The file that should be run or loaded is not there."""
    raised = failure.observation.raised
    if failure.observation.phase is not Phase.LOADING or raised is None or raised.frames:
        return None
    named = _NOT_THERE.match(raised.message[:200])
    if raised.type_name != "ModuleNotFoundError" or named is None:
        return None
    return f"{plain(named[1], limit=60)}.py was not handed in."


@rule(Stage.ENDING, 118, "uses a file where it may not")
def folder_is_read_only(failure: Failure) -> str | None:
    """A file outside the program's folder is used, or one is written where none should be."""
    mismatch, raised = failure.raises, failure.raised
    if mismatch is None or raised is None or failure.loading:
        return None
    found = _NO_ACCESS.match(raised.message[:_LONGEST_MESSAGE])
    if found is None or (mismatch.expected and mismatch.expected.allows(raised.type_name)):
        return None
    path = (found["path"] or found["quoted"]).replace("\\\\", "\\")
    stimulus = failure.stimulus
    if not _OUTSIDE.match(path):
        if found["number"] == str(errno.ENOENT) or stimulus.folder:
            return None
        clause = f"writes {_named(path)}, although no file should be written here"
        return failure.says(f"{clause}{at_line(raised)}")
    if path in str((stimulus.action, stimulus.inputs, stimulus.given, stimulus.bindings)):
        return None  # the program was told to
    clause = f"uses {_named(path)}, which is outside its folder{at_line(raised)}"
    name = _named(_own_name(path)) or "each"
    return f"{failure.says(clause)} Files belong beside the program: open {name} by its name alone."


@rule(Stage.KNOWN_MISTAKE, 113, "does not close a file")
def file_not_closed(failure: Failure) -> str | None:
    """What was written is not all in the file yet."""
    found = _first(failure)
    if found is None or found.name not in failure.observation.left_open:
        return None
    return failure.says(
        f"does not close {_named(found.name)}, so that its text is not all written: "
        "use with open(…)"
    )


@rule(Stage.KNOWN_MISTAKE, 220, "writes a file under another name")
def file_written_elsewhere(failure: Failure) -> str | None:
    """The file is not there, and another one that should not be there is."""
    missing = [found.name for found in failure.files if found.actual is None]
    others = [other for other in failure.files if other.expected is None and other.actual]
    if not missing or not others:
        return None
    for name in missing:
        for other in others:
            if _own_name(other.name) != _own_name(name):
                continue
            hint = "open the file by its name alone, without a folder"
            if name != _own_name(name):
                hint = "it belongs into a folder"
            return failure.says(f"writes {_named(other.name)} and not {_named(name)}: {hint}")
    name = _named(others[0].name)
    return failure.says(f"writes {name} and not {_named(missing[0])}: the name is another")


def _own_name(path: str) -> str:
    """A path's last part, also of one as Windows writes it."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


@rule(Stage.KNOWN_MISTAKE, 230, "does not write a file")
def file_not_written(failure: Failure) -> str | None:
    """The file is not there."""
    found = _first(failure, missing=True)
    if found is None:
        return None
    given = {file.name for file in failure.stimulus.files}
    done = "is gone afterwards" if found.name in given else "is not written"
    return failure.says(done, who=f"the file {_named(found.name)}")


@rule(Stage.KNOWN_MISTAKE, 240, "leaves a file that should not be there")
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


@rule(Stage.KNOWN_MISTAKE, 260, "writes lines in another order")
def lines_in_another_order(failure: Failure) -> str | None:
    """The same lines, in another order."""
    texts = failure.file_texts
    if texts is None:
        return None
    expected, actual = texts.expected, texts.actual
    if sorted(expected) != sorted(actual):
        return None
    at = shared_start(expected, actual)
    return failure.says(
        f"has the right lines in another order: line {at + 1} is {quoted(actual[at])}, "
        f"it should be {quoted(expected[at])}",
        who=texts.named,
    )


@rule(Stage.KNOWN_MISTAKE, 114, "writes lines without line ends")
def lines_run_together(failure: Failure) -> str | None:
    """The text of all lines without their ends."""
    texts = failure.file_texts
    if texts is None or len(texts.expected) < 3 or "\n" in texts.actual_text.strip("\n"):
        return None
    if "".join(texts.expected) != "".join(texts.actual):
        return None
    return failure.says(
        'has all of its text in one line: write "\\n" after each line', who=texts.named
    )


@rule(Stage.DIFFERENCE, 25, "writes another text into a file")
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
    if texts.removed and not texts.inserted:
        lines = count(len(texts.removed), "line")
        clause = f"lacks {lines} from line {texts.at + 1} on: {quoted(texts.removed[0])}"
    elif texts.inserted and not texts.removed:
        lines = count(len(texts.inserted), "line")
        clause = f"has {lines} too many from line {texts.at + 1} on: {quoted(texts.inserted[0])}"
    else:
        got, wanted = texts.inserted[0], texts.removed[0]
        at = shared_start(got, wanted)
        clause = (
            f"differs in line {texts.at + 1}: it is {quoted(got, at=at)}, "
            f"it should be {quoted(wanted, at=at)}"
        )
    return failure.says(clause, who=texts.named)


def _first(failure: Failure, *, missing: bool = False) -> ValueMismatch | None:
    return next((one for one in failure.files if one.actual is None or not missing), None)


def _named(name: str) -> str:
    return plain(name, limit=60)


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
    edit = TextEdit.of(lines_of(before.text), lines_of(after.text))
    if edit.removed or edit.inserted:
        return _edited(edit)
    end = (
        "the newline at its end is gone"
        if before.text.endswith("\n")
        else "a newline is added at its end"
    )
    return f"it is changed: {end}"


def _edited(edit: TextEdit) -> str:
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
