"""Rules about files: missing, written elsewhere, not closed, other lines, changed unasked."""

import errno
import re

from harness.common.escaping import plain, quoted
from harness.common.words import counted
from harness.judging.compare.mismatch import RaiseMismatch, ValueMismatch
from harness.judging.comparison import quoted_pair
from harness.judging.explain.failure import Failure, TextEdit
from harness.judging.explain.rules import (
    FILE,
    FILE_TEXTS,
    RAISES,
    STDERR,
    Found,
    Stage,
    a_type,
    rule,
    rule_about,
)
from harness.matchers.comparison import same, source
from harness.matchers.kinds.combinations import lines_of
from harness.matchers.kinds.values import Exactly
from harness.model.explanation.facts import NotHandedIn
from harness.model.observation import Phase
from harness.model.values import Value, ValueKind, file_value

_ERRORS = f"(?P<number>{errno.ENOENT}|{errno.EACCES}|{errno.EPERM}|{errno.EROFS})"
_NO_ACCESS = re.compile(
    rf"\[Errno {_ERRORS}\] [^:]{{1,80}}: "
    r"""(?:'(?P<path>(?:\\.|[^'\\\n])+)'|"(?P<quoted>(?:\\.|[^"\\\n])+)")"""
)
_LONGEST_MESSAGE = 5000  # characters; the kernel knows no path of more than 4,096 bytes
_OUTSIDE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|\Z)", re.DOTALL)
_NOT_THERE = re.compile(r"No module named '([^']+)'\Z")


@rule(Stage.ENDING, 5, "a file is missing")
def not_handed_in(failure: Failure) -> NotHandedIn | None:
    raised, phase = failure.observation.raised, failure.observation.phase
    is_ours = failure.stimulus.action.program in failure.stimulus.provide  # a program that imports
    if raised is None or raised.frames or raised.type_name != "ModuleNotFoundError":
        return None
    imports = phase in {Phase.LOADING, Phase.GIVEN} or (phase is Phase.STIMULUS and is_ours)
    named = _NOT_THERE.match(raised.message[:200]) if imports else None
    return NotHandedIn(file=f"{named[1]}.py") if named else None


@rule_about(Stage.ENDING, 8, "imports what is not there", RAISES)
def module_is_unknown(failure: Failure, mismatch: RaiseMismatch) -> Found:
    """It imports a package of others, or a file that was not handed in."""
    raised = mismatch.actual
    if raised is None or raised.type_name != "ModuleNotFoundError":
        return None
    named = _NOT_THERE.match(raised.message[:200])
    if named is None or (mismatch.expected and mismatch.expected.allows(raised.type_name)):
        return None
    clause = (
        f"imports {plain(named[1], limit=60)}, which is neither a module of Python nor a file that "
        "is here, nor a package of this assignment"
    )
    file = raised.frames[-1].file if failure.loading and raised.frames else None
    return failure.raised_at(raised, clause, who=file)


@rule_about(Stage.ENDING, 118, "uses a file where it may not", RAISES)
def folder_is_read_only(failure: Failure, mismatch: RaiseMismatch) -> Found:
    raised, stimulus = mismatch.actual, failure.stimulus
    if raised is None or failure.loading:
        return None
    error = _NO_ACCESS.match(raised.message[:_LONGEST_MESSAGE])
    if error is None or (mismatch.expected and mismatch.expected.allows(raised.type_name)):
        return None
    path = (error["path"] or error["quoted"]).replace("\\\\", "\\")
    if not _OUTSIDE.match(path):
        if error["number"] == str(errno.ENOENT) or stimulus.folder:
            return None
        clause = f"writes {_named(path)}, although no file should be written here"
        return failure.raised_at(raised, clause)
    if path in str((stimulus.action, stimulus.inputs, stimulus.given, stimulus.bindings)):
        return None  # the program was told to
    clause = f"uses {_named(path)}, which is outside its folder"
    name = _named(_own_name(path)) or "each"
    advice = f". Files belong beside the program: open {name} by its name alone."
    return failure.raised_at(raised, clause, advice)


@rule_about(Stage.KNOWN_MISTAKE, 113, "does not close a file", FILE)
def file_not_closed(failure: Failure, file: ValueMismatch) -> str | None:
    if file.name not in failure.observation.left_open:
        return None
    advice = "so that its text is not all written: use with open(…)"
    return failure.says(f"does not close {_named(file.name)}, {advice}")


@rule(Stage.KNOWN_MISTAKE, 220, "writes a file under another name")
def file_written_elsewhere(failure: Failure) -> str | None:
    missing = [file.name for file in failure.files if file.actual is None]
    others = [file.name for file in failure.files if file.expected is None and file.actual]
    if not missing or not others:
        return None
    pairs = [(name, other) for name in missing for other in others]
    alike = [pair for pair in pairs if _own_name(pair[0]) == _own_name(pair[1])]
    name, other = (alike or pairs)[0]
    hint = "the name is another"
    if alike and name != _own_name(name):
        hint = "it belongs into a folder"
    elif alike:
        hint = "open the file by its name alone, without a folder"
    return failure.says(f"writes {_named(other)} and not {_named(name)}: {hint}")


def _own_name(path: str) -> str:
    """Return a path's last part, also of a path as Windows writes it."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


@rule(Stage.KNOWN_MISTAKE, 230, "does not write a file")
def file_not_written(failure: Failure) -> str | None:
    name = next((file.name for file in failure.files if file.actual is None), None)
    if name is None:
        return None
    is_given = name in {file.name for file in failure.stimulus.files}
    done = "is gone afterwards" if is_given else "is not written"
    return failure.says(done, who=f"the file {_named(name)}")


@rule_about(Stage.KNOWN_MISTAKE, 240, "leaves a file that should not be there", FILE)
def file_should_not_be_there(failure: Failure, file: ValueMismatch) -> str | None:
    gone = isinstance(file.expected, Exactly) and file.expected.value.kind is ValueKind.NONE
    if file.expected is not None and not gone:
        return None
    name = _named(file.name)
    return failure.says(f"leaves the file {name}, which should not be there afterwards")


@rule_about(Stage.KNOWN_MISTAKE, 260, "writes lines in another order", FILE_TEXTS)
def lines_in_another_order(failure: Failure, texts: TextEdit) -> str | None:
    if sorted(texts.expected) != sorted(texts.actual):
        return None
    wanted, got = (quoted(line or "") for line in texts.first_lines)
    line = f"line {texts.at + 1} is {got}, it should be {wanted}"
    return failure.says(f"has the right lines in another order: {line}", who=texts.named)


@rule_about(Stage.KNOWN_MISTAKE, 114, "writes lines without line ends", FILE_TEXTS)
def lines_run_together(failure: Failure, texts: TextEdit) -> str | None:
    is_same = "".join(texts.expected) == "".join(texts.actual)
    if not is_same or len(texts.expected) < 3 or "\n" in texts.actual_text.strip("\n"):
        return None
    clause = 'has all of its text in one line: write "\\n" after each line'
    return failure.says(clause, who=texts.named)


@rule_about(Stage.DIFFERENCE, 25, "writes another text into a file", FILE)
def file_differs(failure: Failure, file: ValueMismatch) -> str | None:
    if file.actual is None:
        return None
    texts = failure.file_texts
    if texts is None:
        wanted = file.expected.in_words() if file.expected else "nothing"
        clause = f"is {source(file.actual)}, expected {wanted}"
        return failure.says(clause, who=f"the file {_named(file.name)}")
    if texts.removed and not texts.inserted:
        lines = counted(len(texts.removed), "line")
        clause = f"lacks {lines} from line {texts.at + 1} on: {quoted(texts.removed[0])}"
    elif texts.inserted and not texts.removed:
        lines = counted(len(texts.inserted), "line")
        clause = f"has {lines} too many from line {texts.at + 1} on: {quoted(texts.inserted[0])}"
    else:
        wanted, got = quoted_pair(texts.removed[0], texts.inserted[0])
        clause = f"differs in line {texts.at + 1}: it is {got}, it should be {wanted}"
    return failure.says(clause, who=texts.named)


@rule_about(Stage.KNOWN_MISTAKE, 117, "prints to stdout what belongs on stderr", STDERR)
def printed_to_stdout(failure: Failure, written: ValueMismatch) -> str | None:
    text = written.expected.exact_text if written.expected else None
    if not text or written.actual is None or written.actual.text.strip():
        return None
    if text.strip() not in failure.observation.printed:
        return None
    said = failure.says(f"prints {quoted(text.strip())} to stdout, and it belongs on stderr")
    return f"{said} Write print(…, file=sys.stderr)."


@rule_about(Stage.DIFFERENCE, 27, "writes another text to stderr", STDERR)
def stderr_differs(failure: Failure, written: ValueMismatch) -> str | None:
    if written.actual is None or written.expected is None:
        return None
    exact, text = written.expected.exact_text, written.actual.text
    wanted = written.expected.in_words() if exact is None else quoted(exact) if exact else "nothing"
    has = quoted(text) if text else "nothing"
    return failure.says(f"writes {has} to stderr, expected {wanted}")


def _named(name: str) -> str:
    return plain(name, limit=60)


_READING = "To read a file, open it with mode 'r'"


@rule(Stage.KNOWN_MISTAKE, 112, "changes a file that should stay as it is")
def file_should_stay(failure: Failure) -> str | None:
    given = {file.name: file_value(file.data) for file in failure.stimulus.files}
    for file in failure.files:
        before, expected = given.get(file.name), file.expected
        if before and isinstance(expected, Exactly) and same(before, expected.value):
            clause = f"should stay as it is, and {_what(failure, file.actual, before)}"
            return failure.says(clause, who=f"the file {_named(file.name)}")
    return None


def _what(failure: Failure, after: Value | None, before: Value) -> str:
    if after is None:
        others = ((each.name, each.actual) for each in failure.files if each.expected is None)
        new = next((name for name, value in others if value and same(value, before)), None)
        return f"it is renamed to {_named(new)}" if new else "it is removed"
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
    edit = TextEdit(expected=lines_of(before.text), actual=lines_of(after.text))
    if edit.removed or edit.inserted:
        return _edited(edit)
    if before.text.endswith("\n"):
        return "it is changed: the newline at its end is gone"
    return "it is changed: a newline is added at its end"


def _edited(edit: TextEdit) -> str:
    added = edit.inserted
    if not edit.removed and added and edit.at_end:
        are = f"{counted(len(added), 'line')} {'is' if len(added) == 1 else 'are'}"
        return f"{are} added at its end: {quoted(added[0])}. Is it opened with mode 'a'?"
    place = f"line {edit.at + 1}"
    if not added:
        gone = f"{place}, {quoted(edit.removed[0])}, is gone"
        if len(edit.removed) > 1:
            gone = f"{counted(len(edit.removed), 'line')} from {place} on are gone"
        return f"it is changed: {gone}"
    if not edit.removed:
        return f"it is changed: {place}, {quoted(added[0])}, is added"
    was = f"{place} was {quoted(edit.removed[0])} and is {quoted(added[0])} now"
    if edit.removed == edit.expected and added == edit.actual:
        return f"nothing of it is left: {was}. Is it opened with mode 'w'? {_READING}"
    return f"it is changed: {was}"
