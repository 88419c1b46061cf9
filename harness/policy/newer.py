"""Finds syntax in a file that is too new for this Python version.

Nothing is guessed: each newer construct is rewritten in older syntax. Only if the whole file is
then valid, these constructs were the problem.
"""

import ast
import builtins
import io
import itertools
import re
import sys
import tokenize
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from harness.model.policy import PythonVersion

_PARAMETERS = PythonVersion(3, 12)  # `def f[T]`, `class A[T]`, `type A = int`
_INSIDE_STRINGS = PythonVersion(3, 12)  # `f"{d["a"]}"`
_DEFAULTS = PythonVersion(3, 13)  # `def f[T = int]`
_TEMPLATES = PythonVersion(3, 14)  # `t"{name}"`
_BARE_EXCEPT = PythonVersion(3, 14)  # `except A, B:`

_MAX_CHARACTERS = 100_000
_MAX_DEPTH = 4  # strings in strings
_STRING = re.compile(r"""(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"{3}|'{3}|"|')""")
_PREFIXES = frozenset(["", "r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt"])
_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"#[^\n]*")
_CONVERSION = re.compile(r"![rsa](?=[:}])")
_SHOWS_ITSELF = re.compile(r"=\s*(?=[}:!])")
_EXCEPTIONS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Newer:
    """The Python version from which a file is valid, and the first line that needs it."""

    version: PythonVersion
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _NewerStretch:
    """A part of a text with newer syntax: its form in older syntax, and the version that
    it needs.
    """

    start: int
    end: int
    text: str
    version: PythonVersion


class _UnsureError(Exception):
    """It is not certain that the text is valid in any Python version."""


def newer_syntax(text: str) -> Newer | None:
    """Return the newer syntax that this Python cannot parse in a text; None if uncertain."""
    if len(text) > _MAX_CHARACTERS:
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    this = PythonVersion(*sys.version_info[:2])
    try:
        strings = _changed_strings(text, 0)
        older = _with(text, strings)
        statements = _changed_statements(older)
        _check(_with(older, statements), "exec")
    except (_UnsureError, RecursionError, MemoryError):
        return None
    # No change adds or removes a line.
    needs = [*_needs(text, strings), *_needs(older, statements)]
    version = max((newer.version for newer in needs), default=this)
    if version <= this:
        return None
    lines = [newer.line for newer in needs if newer.version == version]
    return Newer(version=version, line=min(lines))


def _needs(text: str, changes: Sequence[_NewerStretch]) -> Iterator[Newer]:
    """Yield for each change the version that can parse the text without it, and the line."""
    for change in changes:
        line = text.count("\n", 0, change.start) + 1
        yield Newer(version=change.version, line=line)


def _with(text: str, changes: Sequence[_NewerStretch]) -> str:
    """Return the text with the changes made. Line numbers stay the same."""
    parts: list[str] = []
    at = 0
    for change in changes:
        lost = text.count("\n", change.start, change.end) - change.text.count("\n")
        parts += [text[at : change.start], change.text, "\\\n" * lost]
        at = change.end
    parts.append(text[at:])
    return "".join(parts)


def _check(text: str, mode: str) -> ast.AST:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<submission>", mode, dont_inherit=True)
            return ast.parse(text, mode=mode)
    except (SyntaxError, ValueError, OverflowError, SystemError):
        raise _UnsureError from None


# Strings


def _changed_strings(text: str, depth: int) -> list[_NewerStretch]:
    """Return changes for f-strings that contain expressions that this Python cannot parse."""
    if depth > _MAX_DEPTH:
        raise _UnsureError
    changes: list[_NewerStretch] = []
    at = 0
    while at < len(text):
        string = _string_at(text, at)
        if string is None:
            skipped = _COMMENT.match(text, at) or _WORD.match(text, at)
            at = skipped.end() if skipped else at + 1
            continue
        end, older = _scanned(text, string, depth)
        prefix = string["prefix"].lower()
        if "t" in prefix:
            _check_alone(text, at, end)
            changes.append(_NewerStretch(start=at, end=end, text=older, version=_TEMPLATES))
        elif "f" in prefix and not _is_valid(text[at:end]):
            changes.append(_NewerStretch(start=at, end=end, text=older, version=_INSIDE_STRINGS))
        at = end
    return changes


def _string_at(text: str, at: int) -> re.Match[str] | None:
    found = _STRING.match(text, at)
    return found if found and found["prefix"].lower() in _PREFIXES else None


def _is_valid(text: str) -> bool:
    try:
        _check(f"({text})", "eval")
    except _UnsureError:
        return False
    return True


def _check_alone(text: str, start: int, end: int) -> None:
    """Raise _UnsureError for a template string next to another string: only templates can be
    joined to templates.
    """
    after = text[end:].lstrip()
    if text[:start].rstrip()[-1:] in ('"', "'") or _string_at(after, 0):
        raise _UnsureError


def _scanned(text: str, string: re.Match[str], depth: int) -> tuple[int, str]:
    """Return the end of a string, and its replacement, in which expressions become `_`."""
    prefix = string["prefix"].lower()
    quote = string["quote"]
    has_fields = "f" in prefix or "t" in prefix
    parts = [prefix.replace("t", "f"), quote]
    at = string.end()
    while not text.startswith(quote, at):
        piece = text[at : at + 1]
        if not piece or (piece == "\n" and len(quote) == 1):
            raise _UnsureError
        if piece == "\\":
            piece = _escaped(text, at, has_fields=has_fields, is_raw="r" in prefix)
        elif has_fields and text[at : at + 2] in ("{{", "}}"):
            piece = text[at : at + 2]
        elif has_fields and piece == "}":
            raise _UnsureError
        elif has_fields and piece == "{":
            end, older = _field(text, at, quote, depth)
            parts.append(older)
            at = end
            continue
        parts.append(piece)
        at += len(piece)
    parts.append(quote)
    return at + len(quote), "".join(parts)


def _escaped(text: str, at: int, *, has_fields: bool, is_raw: bool) -> str:
    pair = text[at : at + 2]
    if has_fields and pair[1:] in ("{", "}"):
        return "\\"
    if has_fields and not is_raw and text.startswith("\\N{", at):
        end = text.find("}", at)
        if end < 0:
            raise _UnsureError
        return text[at : end + 1]
    return pair


def _field(text: str, start: int, quote: str, depth: int) -> tuple[int, str]:
    """Return the end of the field that starts at a brace, and its replacement."""
    at = _end_of_expression(text, start + 1, depth)
    expression = text[start + 1 : at]
    _check_expression(expression, depth)
    parts = ["{_"]
    if shown := _SHOWS_ITSELF.match(text, at):
        at = shown.end()
    if conversion := _CONVERSION.match(text, at):
        parts.append(conversion[0])
        at = conversion.end()
    if text[at : at + 1] == ":":
        while text[at : at + 1] != "}":
            if text[at : at + 1] == "{":
                end, older = _field(text, at, quote, depth + 1)
            else:
                end, older = at + 1, text[at : at + 1]
            if older in ("", "\n", "\\") or text.startswith(quote, at):
                raise _UnsureError
            parts.append(older)
            at = end
    if text[at : at + 1] != "}":
        raise _UnsureError
    parts.append("}")
    return at + 1, "".join(parts)


_CLOSING = {"(": ")", "[": "]", "{": "}"}
_COMPARED = ("==", "!=", "<=", ">=")


def _end_of_expression(text: str, at: int, depth: int) -> int:
    """Return where an expression in braces ends: at `}`, `!r`, a colon or an equals sign."""
    if depth > _MAX_DEPTH:
        raise _UnsureError
    closing: list[str] = []
    while at < len(text):
        here = text[at]
        if string := _string_at(text, at):
            at = _scanned(text, string, depth + 1)[0]
            continue
        skipped = _COMMENT.match(text, at) or _WORD.match(text, at)
        if skipped:
            at = skipped.end()
            continue
        if not closing and text[at : at + 2] in _COMPARED:
            at += 2
            continue
        if not closing and (here in "}:!" or _SHOWS_ITSELF.match(text, at)):
            return at
        if here in _CLOSING:
            closing.append(_CLOSING[here])
        elif here in ")]}" and (not closing or closing.pop() != here):
            raise _UnsureError
        at += 1
    raise _UnsureError


def _check_expression(text: str, depth: int) -> None:
    older = _with(text, _changed_strings(text, depth + 1))
    node = _check(f"(\n{older}\n)", "eval")
    code = text.strip()
    if not code or code.startswith("#"):
        raise _UnsureError
    is_generator = isinstance(node, ast.Expression) and isinstance(node.body, ast.GeneratorExp)
    if is_generator and not code.startswith("("):
        raise _UnsureError


# Statements


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    begins: bool  # a statement


def _changed_statements(text: str) -> list[_NewerStretch]:
    tokens = _tokens(text)
    defined: set[str] = set()
    for token, following in itertools.pairwise(tokens):
        if token.text == "class" and token.begins:
            defined.add(following.text)
    changes: list[_NewerStretch] = []
    for at, token in enumerate(tokens[:-3]):
        if token.text in ("def", "class") and tokens[at + 2].text == "[":
            changes.append(_parameters(text, tokens, at + 2))
        elif token.begins and token.text == "type" and tokens[at + 2].text in ("=", "["):
            changes.append(_alias(text, tokens, at))
        elif token.begins and token.text == "except":
            changes += _bare_except(text, tokens, at, defined)
    return changes


def _tokens(text: str) -> list[_Token]:
    """Return the tokens without comments and line layout."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens: list[_Token] = []
    begins = True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                begins = True
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
                continue
            row, column = token.start
            last_row, after = token.end
            start = starts[row - 1] + column
            end = starts[last_row - 1] + after
            is_first = begins and token.type != tokenize.NEWLINE
            tokens.append(_Token(token.string, start, end, is_first))
            begins = token.type == tokenize.NEWLINE or token.string == ";"
    except (tokenize.TokenError, SyntaxError):
        raise _UnsureError from None
    return tokens


def _closing(tokens: Sequence[_Token], at: int) -> int:
    """Return the index of the bracket that closes the one at this index."""
    closing: list[str] = []
    for index in range(at, len(tokens)):
        token = tokens[index].text
        if token in _CLOSING:
            closing.append(_CLOSING[token])
        elif token in (")", "]", "}"):
            if closing.pop() != token:
                raise _UnsureError
            if not closing:
                return index
    raise _UnsureError


def _version_of_parameters(text: str) -> PythonVersion:
    """Check the text between the brackets of `def f[T]`; return the Python version that it
    needs.
    """
    tree = _check(f"def _(\n{text}\n): pass", "exec")
    arguments = next(node for node in ast.walk(tree) if isinstance(node, ast.arguments))
    starred = list(filter(None, (arguments.vararg, arguments.kwarg)))
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    is_odd = arguments.posonlyargs or any(argument.annotation for argument in starred)
    is_empty = not starred and not named
    if is_odd or is_empty or re.search(r"\*\s*,|/", text):
        raise _UnsureError
    if arguments.defaults or any(arguments.kw_defaults):
        return _DEFAULTS
    return _PARAMETERS


def _parameters(text: str, tokens: Sequence[_Token], at: int) -> _NewerStretch:
    """Return the change that removes `[T]` from `def f[T](…)` or `class A[T]:`."""
    last = _closing(tokens, at)
    start, end = tokens[at].start, tokens[last].end
    version = _version_of_parameters(text[start + 1 : end - 1])
    return _NewerStretch(start=start, end=end, text="", version=version)


def _alias(text: str, tokens: Sequence[_Token], at: int) -> _NewerStretch:
    """Return the change of `type A[T] = int` to `A: _ = int`."""
    name = tokens[at + 1]
    version = _PARAMETERS
    equals = at + 2
    if tokens[equals].text == "[":
        version = _parameters(text, tokens, equals).version
        equals = _closing(tokens, equals) + 1
    following = _until(tokens, equals + 1, lambda token: token.text in ("\n", "", ";"))
    value = [token.text for token in following]
    is_odd = not value or value[0] in ("*", "yield")
    if is_odd or tokens[equals].text != "=" or "," in value or ":=" in value:
        raise _UnsureError
    start = tokens[at].start
    end = tokens[equals].start
    return _NewerStretch(start=start, end=end, text=f"{name.text}: _ ", version=version)


def _bare_except(
    text: str, tokens: Sequence[_Token], at: int, defined: set[str]
) -> Iterator[_NewerStretch]:
    """Yield the change that puts parentheses around the types in `except A, B:`.

    In Python 2, `B` was a variable, so only names known to be types count.
    """
    first = at + 2 if tokens[at + 1].text == "*" else at + 1
    types = list(_until(tokens, first, lambda token: token.text == ":"))
    texts = [token.text for token in types]
    if "," not in texts:
        return
    for name in " ".join(texts).split(" , "):
        words = name.split()
        is_type = "." in words or name in _EXCEPTIONS or name in defined
        if not is_type or "as" in words:
            raise _UnsureError
    start = types[0].start
    end = types[-1].end
    yield _NewerStretch(start=start, end=end, text=f"({text[start:end]})", version=_BARE_EXCEPT)


def _until(
    tokens: Sequence[_Token], first: int, ends: Callable[[_Token], bool]
) -> Iterator[_Token]:
    """Yield the tokens from `first` on that are outside brackets, up to one for which `ends` is
    true.
    """
    at = first
    while at < len(tokens) and not ends(tokens[at]):
        yield tokens[at]
        if tokens[at].text in _CLOSING:
            at = _closing(tokens, at)
        at += 1
