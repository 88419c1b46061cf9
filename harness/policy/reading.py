"""Parses a file, or explains in plain words why it is not valid Python.

`compile` finds errors that the parser does not (`return` outside a function), and warnings. The
compiled code is never run.
"""

import ast
import itertools
import json
import re
import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache

from harness.model.policy import MAX_SOURCE_BYTES, PythonVersion, Unparsable, UnreadableKind
from harness.policy.index import Index
from harness.policy.newer import Newer, newer_syntax

MAX_SOURCE_LINE = 300
MAX_NOTES = 20

_BOM = b"\xef\xbb\xbf"
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_NEWLINE = re.compile("\r\n|\r|\n")
_UTF = "utf-8"
_UTF_8 = frozenset({"utf-8", "utf8", "utf-8-sig", "u8", "utf"})
_ASCII = frozenset({"ascii", "us-ascii", "646"})
_LATIN_1 = frozenset(
    {"latin-1", "latin1", "l1", "iso-8859-1", "iso8859-1", "8859", "cp819", "iso-latin-1"}
)
_WINDOWS = re.compile(r"(?:cp|windows-)?(125[0-8])")  # encodings with one byte for each character
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
TOO_DEEP = "the code is nested too deeply to be read"
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CURLY = re.compile("[\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonSource:
    """A file that Python can parse. `lines` have no line ends; line 1 is `lines[0]`."""

    name: str
    lines: tuple[str, ...]
    index: Index
    notes: tuple[str, ...]

    def line(self, number: int) -> str:
        """Return the source line with this 1-based number, shortened if it is very long."""
        return _line(self.lines, number)

    def column(self, number: int, offset: int) -> int:
        """Return the column (from 1, in characters) for a byte offset in the tree."""
        if not 0 < number <= len(self.lines):
            return 1
        before = self.lines[number - 1].encode()[:offset]
        return len(before.decode(errors="replace")) + 1


def read(name: str, data: bytes, own_modules: frozenset[str]) -> PythonSource | Unparsable:
    """Decode and parse one file, or return the first reason why Python cannot.

    `own_modules` are the modules of the submission. Raise RecursionError or MemoryError for code
    that is nested too deeply for a tree.
    """
    reason = _refusal(data)
    if reason:
        return Unparsable(file=name, reason=reason)
    notes: list[str] = []
    if data.startswith(_BOM):
        notes.append(f"{name} begins with a byte order mark; accepted")
    if b"\r" in data:
        notes.append(f"{name} has Windows or old Mac line ends; accepted")
    number, cookie = _cookie(data)
    encoding = _encoding(cookie, with_mark=data.startswith(_BOM))
    if encoding is None:
        shown = _line(_NEWLINE.split(data.removeprefix(_BOM).decode("latin-1")), number)
        reason = f"the file declares the text encoding {cookie}, but only UTF-8 is accepted"
        return Unparsable(file=name, reason=reason, line=number, source=shown)
    if encoding not in (_UTF, "ascii"):
        notes.append(f"{name} declares the text encoding {_called(encoding)}; accepted")
    try:
        lines = lines_of(data)
    except UnicodeDecodeError as error:
        text = data.removeprefix(_BOM)
        number = len(_NEWLINE.split(text[: error.start].decode("latin-1")))
        shown = _line(_NEWLINE.split(text.decode(errors="replace")), number)
        reason = f"the file is not {_called(encoding)} text (byte 0x{text[error.start]:02x} here)"
        reason += ": save it as UTF-8"
        if encoding != _UTF:
            reason += f", without the line that declares {cookie}"
        return Unparsable(file=name, reason=reason, line=number, source=shown)
    parsed = _parse(name, data, lines, notes)
    if isinstance(parsed, Unparsable):
        return parsed
    marked = (number for number, line in enumerate(lines, 1) if _BIDI.search(line))
    notes += [f"{name} line {at} contains invisible marks that reorder its text" for at in marked]
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = [f"{name}: {len(notes) - MAX_NOTES} more notes of this kind"]
    return PythonSource(
        name=name, lines=lines, index=Index(parsed, own_modules), notes=tuple(notes)
    )


def lines_of(data: bytes) -> tuple[str, ...]:
    """Return a file's lines without line ends.

    Raise UnicodeDecodeError if the bytes do not fit the declared encoding.
    """
    encoding = _encoding(_cookie(data)[1], with_mark=data.startswith(_BOM)) or _UTF
    return tuple(_NEWLINE.split(data.removeprefix(_BOM).decode(encoding)))


@lru_cache(maxsize=16)  # enough for the files that are usually checked together
def tree_of(data: bytes) -> ast.Module:
    """Return a file's syntax tree; it is shared, so do not change it.

    Raise SyntaxError, ValueError, RecursionError or MemoryError if the file cannot be parsed.
    """
    return ast.parse(data, filename="<submission>")


def compiles(data: bytes) -> bool:
    """Return whether Python can run the file, even if it is nested too deeply to make a tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, "<submission>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, SystemError, RecursionError, MemoryError):
        return False
    return True


def _refusal(data: bytes) -> str:
    if len(data) > MAX_SOURCE_BYTES:
        return f"the file is larger than {MAX_SOURCE_BYTES // 1024} KiB"
    if not data.removeprefix(_BOM).strip():
        return "the file is empty"
    if data.startswith(_UTF_16):
        return "the file is saved as UTF-16; Python needs UTF-8"
    if data.count(b"\0") * 3 > len(data):
        return "the file is saved as UTF-16 or UTF-32; Python needs UTF-8"
    if b"\0" in data:
        return "the file holds NUL bytes, so it is not a text file"
    if _is_notebook(data):
        return "the file is a Jupyter notebook, not a Python text file"
    return ""


def _is_notebook(data: bytes) -> bool:
    if not data.removeprefix(_BOM).lstrip().startswith(b"{") or b'"nbformat"' not in data:
        return False
    try:
        plain = json.loads(data.removeprefix(_BOM))
    except (ValueError, RecursionError):
        return False
    return isinstance(plain, dict) and "cells" in plain


def _cookie(data: bytes) -> tuple[int, str]:
    """Return the line and name of the declared encoding; (0, "") if there is none."""
    lines = re.split(rb"\r\n|\r|\n", data.removeprefix(_BOM), maxsplit=2)
    for number, line in enumerate(lines[:2], 1):
        if match := _COOKIE.match(line):
            return number, match.group(1).decode("ascii")
        if not _BLANK.match(line):
            break
    return 0, ""


def _encoding(cookie: str, *, with_mark: bool) -> str | None:
    plain = cookie.lower().replace("_", "-")
    if not plain or plain in _UTF_8 or plain.startswith("utf-8-"):
        return _UTF
    if plain in _ASCII:
        return "ascii"
    if with_mark:
        return None
    if plain in _LATIN_1:
        return "latin-1"
    windows = _WINDOWS.fullmatch(plain)
    return f"cp{windows[1]}" if windows else None


def _called(encoding: str) -> str:
    if encoding.startswith("cp"):
        return f"Windows-{encoding.removeprefix('cp')}"
    return "Latin-1" if encoding == "latin-1" else encoding.upper()


def _line(lines: tuple[str, ...] | list[str], number: int) -> str:
    if not 0 < number <= len(lines):
        return ""
    text = lines[number - 1]
    if len(text) > MAX_SOURCE_LINE:
        text = text[:MAX_SOURCE_LINE] + "…"
    return text


def _parse(
    name: str, data: bytes, lines: tuple[str, ...], notes: list[str]
) -> ast.Module | Unparsable:
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # Compile the bytes, as when the file is run: a tree allows only half the nesting depth.
            compile(data, "<submission>", "exec", dont_inherit=True)
            tree = tree_of(data)
    except SyntaxError as error:
        return _syntax_error(name, data, lines, error)
    except (ValueError, OverflowError, SystemError) as error:
        return Unparsable(file=name, reason=f"Python cannot read the file: {error}")
    warned = sorted({(entry.lineno, str(entry.message)) for entry in caught})
    notes += [f"{name} line {number}: Python warns: {message}" for number, message in warned]
    return tree


def _syntax_error(name: str, data: bytes, lines: tuple[str, ...], error: SyntaxError) -> Unparsable:
    newer = newer_syntax("\n".join(lines))
    if newer:
        return _too_new(name, lines, newer)
    number = _too_many_quotes(data)
    if number is not None:
        return Unparsable(file=name, reason=_QUOTES, line=number, source=_line(lines, number))
    column = error.offset or None
    kind = UnreadableKind.OTHER
    reason = _plain_reason(error, lines)
    if isinstance(error, TabError):
        kind = UnreadableKind.MIXED_TABS
        column = None  # the position is the end of the line
    elif _TOO_MANY.search(error.msg or ""):
        kind = UnreadableKind.TOO_DEEP
        reason = TOO_DEEP
    return Unparsable(
        file=name,
        reason=reason,
        kind=kind,
        line=error.lineno or None,
        source=_line(lines, error.lineno or 0),
        column=column,
    )


def _too_new(name: str, lines: tuple[str, ...], newer: Newer) -> Unparsable:
    this = PythonVersion(*sys.version_info[:2])
    return Unparsable(
        file=name,
        reason=f"only valid from Python {newer.version} on; this assignment is graded with {this}",
        line=newer.line,
        source=_line(lines, newer.line),
        needs=newer.version,
    )


_REASONS = (
    ("Missing parentheses in call to 'print'", "print is written as in Python 2"),
    ("Missing parentheses in call to 'exec'", "exec is written as in Python 2"),
    ("multiple exception types must be parenthesized", "except is written as in Python 2"),
    ("leading zeros in decimal integer", "a number may not begin with a zero"),
    ("unexpected indent", "this line is indented further than it should be"),
    (
        "unindent does not match",
        "the indentation of this line matches no earlier line",
    ),
    ("inconsistent use of tabs", "tabs and spaces are mixed in the indentation"),
)
_TOO_MANY = re.compile("too many (nested|levels|statically)")  # texts of Python's error messages


_FOUR = re.compile(rb"""(?<!")"{4,5}(?!")|(?<!')'{4,5}(?!')""")
_QUOTES = (
    "too many quotes in a row: an empty text has two, a text over several lines begins with three"
)
_MAX_TRIES = 5


def _too_many_quotes(data: bytes) -> int | None:
    """Return the line that has four or five quotes in a row, if the file is valid with fewer."""
    for found in itertools.islice(_FOUR.finditer(data), _MAX_TRIES):
        start, end = found.span()
        if any(compiles(data[: start + number] + data[end:]) for number in (3, 2)):
            return data.count(b"\n", 0, start) + 1
    return None


def _plain_reason(error: SyntaxError, lines: tuple[str, ...]) -> str:
    message = error.msg or "invalid syntax"
    here = _line(lines, error.lineno or 0)
    if "invalid character" in message and _CURLY.search(message):
        return "a curly quotation mark is where Python needs a straight one (' or \")"
    if "invalid character" in message or "invalid non-printable character" in message:
        return f"this line has a character that Python does not know ({message})"
    if re.match(r"\s*print\s+[^\s(=]", here) and "invalid syntax" in message:
        return "print is written as in Python 2"
    for pattern, reason in _REASONS:
        if re.search(pattern, message):
            return reason
    return f"syntax error: {message}"
