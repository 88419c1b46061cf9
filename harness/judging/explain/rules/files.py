"""Rules about files: missing, in the wrong folder, not closed, with wrong lines, or changed
unexpectedly.
"""

import errno
import re
import sys
from itertools import product

from harness.common.escaping import plain, quoted
from harness.common.words import counted
from harness.judging.compare.files import given_files
from harness.judging.compare.mismatch import RaiseMismatch, ValueMismatch
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
from harness.judging.side_by_side.comparison import quoted_pair
from harness.matchers.comparison import same, source
from harness.matchers.kinds.combinations import lines_of
from harness.matchers.kinds.values import Exactly
from harness.model.explanation.facts import NotHandedIn
from harness.model.observation import Phase, Raised
from harness.model.values import Value, ValueKind

_ERRORS = f"(?P<number>{errno.ENOENT}|{errno.EACCES}|{errno.EPERM}|{errno.EROFS})"
_NO_ACCESS = re.compile(
    rf"\[Errno {_ERRORS}\] [^:]{{1,80}}: "
    r"""(?:'(?P<path>(?:\\.|[^'\\\n])+)'|"(?P<quoted>(?:\\.|[^"\\\n])+)")"""
)
_MAX_MESSAGE = 5000  # characters; the kernel knows no path of more than 4,096 bytes
_OUTSIDE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|\Z)", re.DOTALL)
_NOT_THERE = re.compile(r"No module named '([^']+)'\Z")


@rule(Stage.ENDING, 5, "a file is missing")
def not_handed_in(failure: Failure) -> NotHandedIn | None:
    raised, phase = failure.observation.raised, failure.observation.phase
    if raised is None or raised.frames:
        return None
    imports = phase in {Phase.LOADING, Phase.GIVEN}
    if phase is Phase.STIMULUS:  # the course's own program may be the one that imports it
        program = failure.stimulus.action.program
        imports = program in failure.stimulus.provided_names
    module = _missing_module(raised)
    if module is None or not imports:
        return None
    return NotHandedIn(file=f"{module}.py")


def _missing_module(raised: Raised) -> str | None:
    """Return the module named in Python's own ImportError."""
    if raised.type_name != "ModuleNotFoundError":
        return None
    found = _NOT_THERE.match(raised.message[:200])
    if found is None:
        return None
    return found[1]


def _is_expected(mismatch: RaiseMismatch, raised: Raised) -> bool:
    """Return whether the scenario expects an exception of this type."""
    return mismatch.expected is not None and mismatch.expected.allows(raised.type_name)


@rule_about(Stage.ENDING, 8, "imports a missing module or name", RAISES)
def module_is_unknown(failure: Failure, mismatch: RaiseMismatch) -> Found:
    """Notice the import of a third-party package, or of a file that was not submitted."""
    raised = mismatch.actual
    if raised is None or _is_expected(mismatch, raised):
        return None
    module = _missing_module(raised)
    if module is None:
        return None
    clause = (
        f"imports {plain(module, limit=60)}, which Python does not have, and which is neither one "
        "of your files nor a package of this assignment"
    )
    file: str | None = None
    if failure.loading and raised.frames:
        file = raised.frames[-1].file
    return failure.raised_at(raised, clause, who=file)


@rule_about(Stage.ENDING, 118, "uses a file that it may not use", RAISES)
def folder_is_read_only(failure: Failure, mismatch: RaiseMismatch) -> Found:
    raised, stimulus = mismatch.actual, failure.stimulus
    if raised is None or failure.loading or _is_expected(mismatch, raised):
        return None
    error = _NO_ACCESS.match(raised.message[:_MAX_MESSAGE])
    if error is None:
        return None
    path = (error["path"] or error["quoted"]).replace("\\\\", "\\")
    if not _OUTSIDE.match(path):
        if error["number"] == str(errno.ENOENT) or stimulus.folder:
            return None
        if _is_of_the_library(path):
            return None  # programs only read such files
        clause = f"writes {_named(path)}, although no file should be written here"
        return failure.raised_at(raised, clause)
    if path in str((stimulus.action, stimulus.inputs, stimulus.given, stimulus.bindings)):
        return None  # the scenario's own code opens this path
    clause = f"uses {_named(path)}, which is outside its folder"
    name = _named(_own_name(path)) or "each"
    advice = f". Files belong beside the program: open {name} by its plain name."
    return failure.raised_at(raised, clause, advice)


def _is_of_the_library(path: str) -> bool:
    """Return whether a path belongs to Python's standard library.

    The path is shortened as in every judged text.
    """
    top, _, _ = path.partition("/")
    return path.endswith(".py") and top.removesuffix(".py") in sys.stdlib_module_names


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
    name, other = missing[0], others[0]
    hint = "the name is different"
    for wanted, written in product(missing, others):
        if _own_name(wanted) == _own_name(written):
            name, other = wanted, written
            hint = "open the file by its name only, without a folder"
            if wanted != _own_name(wanted):
                hint = "it belongs in a folder"
            break
    return failure.says(f"writes {_named(other)} and not {_named(name)}: {hint}")


def _own_name(path: str) -> str:
    """Return the last part of a path, for both / and Windows separators."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


@rule(Stage.KNOWN_MISTAKE, 230, "does not write a file")
def file_not_written(failure: Failure) -> str | None:
    given = {file.name for file in failure.stimulus.files}
    for file in failure.files:
        if file.actual is None:
            clause = "is not written"
            if file.name in given:
                clause = "is gone afterwards"
            return failure.says(clause, who=f"the file {_named(file.name)}")
    return None


@rule_about(Stage.KNOWN_MISTAKE, 240, "leaves a file that should not be there", FILE)
def file_should_not_be_there(failure: Failure, file: ValueMismatch) -> str | None:
    expected = file.expected
    should_be_gone = isinstance(expected, Exactly) and expected.value.kind is ValueKind.NONE
    if expected is not None and not should_be_gone:
        return None
    name = _named(file.name)
    return failure.says(f"leaves the file {name}, which should not be there afterwards")


@rule_about(Stage.KNOWN_MISTAKE, 260, "writes lines in another order", FILE_TEXTS)
def lines_in_another_order(failure: Failure, texts: TextEdit) -> str | None:
    if sorted(texts.expected) != sorted(texts.actual):
        return None
    wanted, got = texts.first_lines
    line = f"line {texts.at + 1} is {quoted(got or '')}, it should be {quoted(wanted or '')}"
    return failure.says(f"has the right lines in another order: {line}", who=texts.named)


@rule_about(Stage.KNOWN_MISTAKE, 114, "writes lines without line ends", FILE_TEXTS)
def lines_run_together(failure: Failure, texts: TextEdit) -> str | None:
    is_same = "".join(texts.expected) == "".join(texts.actual)
    if not is_same or len(texts.expected) < 3 or "\n" in texts.actual_text.strip("\n"):
        return None
    clause = 'has all of its text in one line: write "\\n" after each line'
    return failure.says(clause, who=texts.named)


@rule_about(Stage.DIFFERENCE, 25, "writes the wrong text into a file", FILE)
def file_differs(failure: Failure, file: ValueMismatch) -> str | None:
    if file.actual is None:
        return None
    texts = failure.file_texts
    if texts is None:
        wanted = "nothing"
        if file.expected is not None:
            wanted = file.expected.in_words()
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
    if written.expected is None or not written.expected.exact_text:
        return None
    if written.actual is None or written.actual.text.strip():
        return None
    text = written.expected.exact_text.strip()
    if text not in failure.observation.printed:
        return None
    said = failure.says(f"prints {quoted(text)} to stdout, but it belongs on stderr")
    return f"{said} Write print(…, file=sys.stderr)."


@rule_about(Stage.DIFFERENCE, 27, "writes the wrong text to stderr", STDERR)
def stderr_differs(failure: Failure, written: ValueMismatch) -> str | None:
    if written.actual is None or written.expected is None:
        return None
    has = _quoted_or_nothing(written.actual.text)
    exact = written.expected.exact_text
    wanted = written.expected.in_words()
    if exact is not None:
        wanted = _quoted_or_nothing(exact)
    return failure.says(f"writes {has} to stderr, expected {wanted}")


def _quoted_or_nothing(text: str) -> str:
    if not text:
        return "nothing"
    return quoted(text)


def _named(name: str) -> str:
    return plain(name, limit=60)


_READING = "To read a file, open it with mode 'r'"


@rule(Stage.KNOWN_MISTAKE, 112, "changes a file that should stay unchanged")
def file_should_stay(failure: Failure) -> str | None:
    given = given_files(failure.stimulus)
    for file in failure.files:
        before, expected = given.get(file.name), file.expected
        if before is None or not isinstance(expected, Exactly):
            continue
        if same(before, expected.value):
            clause = f"should stay unchanged, but {_what(failure, file.actual, before)}"
            return failure.says(clause, who=f"the file {_named(file.name)}")
    return None


def _what(failure: Failure, after: Value | None, before: Value) -> str:
    if after is None:
        for file in failure.files:
            if file.expected is None and file.actual and same(file.actual, before):
                return f"it is renamed to {_named(file.name)}"
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
    edit = TextEdit(expected=lines_of(before.text), actual=lines_of(after.text))
    if edit.removed or edit.inserted:
        return _edited(edit)
    if before.text.endswith("\n"):
        return "it is changed: the newline at its end is gone"
    return "it is changed: a newline is added at its end"


def _edited(edit: TextEdit) -> str:
    added = edit.inserted
    if not edit.removed and added and edit.at_end:
        are = "1 line is"
        if len(added) > 1:
            are = f"{counted(len(added), 'line')} are"
        return f"{are} added at its end: {quoted(added[0])}. Is it opened with mode 'a'?"
    place = f"line {edit.at + 1}"
    if not added:
        gone = f"{place}, {quoted(edit.removed[0])}, is gone"
        if len(edit.removed) > 1:
            gone = f"{counted(len(edit.removed), 'line')} from {place} on are gone"
        return f"it is changed: {gone}"
    if not edit.removed:
        return f"it is changed: {place}, {quoted(added[0])}, is added"
    if [line.rstrip() for line in edit.removed] == [line.rstrip() for line in added]:
        return f"it is changed: blanks at the end of {place} differ"
    was = f"{place} was {quoted(edit.removed[0])} and is {quoted(added[0])} now"
    if edit.removed == edit.expected and added == edit.actual:
        return f"nothing of it is left: {was}. Is it opened with mode 'w'? {_READING}"
    return f"it is changed: {was}"
