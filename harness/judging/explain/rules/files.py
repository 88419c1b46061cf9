"""Rules about files: not written, written elsewhere, not closed, other lines than expected."""

from __future__ import annotations

import errno
import re

from harness.common.escaping import plain, quoted
from harness.judging.alignment import shared_start
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, at_line, count, rule
from harness.judging.mismatches import ValueMismatch
from harness.matchers import Exactly, source
from harness.model.observation import Phase
from harness.model.values import ValueKind

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
    mismatch = failure.raises
    raised = mismatch.actual if mismatch else None
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
    expected, actual = texts.edit.expected, texts.edit.actual
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
    if texts is None or texts.expected.count("\n") < 2 or "\n" in texts.actual.strip("\n"):
        return None
    if texts.expected.replace("\n", "") != texts.actual.replace("\n", ""):
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
