"""The value of a plain YAML scalar, and which scalars are refused.

YAML 1.1 (this loader, most tools) and YAML 1.2 (most editors) read some plain scalars
differently, and some are not what they look like. All of these are errors, with a hint.
"""

from __future__ import annotations

import ast
import re
import warnings

from harness.common.escaping import visible

Scalar = str | int | float | bool | None


class ScalarError(ValueError):
    """A plain scalar that may not stay plain: `str()` says what it looks like."""

    def __init__(self, what: str, hint: str = "quote it") -> None:
        self.hint = hint
        super().__init__(what)


_INT = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+\Z")
_WORDS: dict[str, Scalar] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
}
_QUOTE = "quote it"
_TRUTH = "quote it if it is text, write true or false if it is not"
_NUMBER = "quote it if it is text, write a plain decimal number if it is not"
_REFUSED = (
    (re.compile(r"(?i:yes|no|on|off)\Z"), "is true or false to some YAML readers", _TRUTH),
    (re.compile(r"TRUE\Z|FALSE\Z"), "is true or false in capitals", _TRUTH),
    (re.compile(r"~\Z|Null\Z|NULL\Z"), "is another spelling of null", "write null, or quote it"),
    (re.compile(r"[-+]?0[0-9]+\Z"), "may be octal", _NUMBER),
    (re.compile(r"[-+]?0o[0-7_]+\Z"), "is an octal number", _NUMBER),
    (re.compile(r"[-+]?0x[0-9a-fA-F_]+\Z"), "is a hexadecimal number", _NUMBER),
    (re.compile(r"[-+]?0b[01_]+\Z"), "is a binary number", _NUMBER),
    (re.compile(r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z"), "is base 60 to some", _QUOTE),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?\Z"), "looks like a date", _QUOTE),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?\Z"), "is a number to some", _NUMBER),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.?[0-9]*)[eE][-+]?[0-9]+\Z"), "has an exponent", _NUMBER),
    (re.compile(r"\+(?:\.[0-9]+|[0-9]+\.?[0-9]*)\Z"), "has a plus sign", _NUMBER),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.|0[0-9]+\.[0-9]*)\Z"), "is half a decimal", _NUMBER),
    (re.compile(r"(?i:[-+]?\.inf|\.nan)\Z"), "is a special number to YAML", _QUOTE),
    (re.compile(r"[=<]\Z|<<\Z"), "has a meaning of its own in YAML", _QUOTE),
)  # fmt: skip


def resolve(text: str, *, code: bool = False) -> Scalar:
    """The value of a plain scalar; raise ScalarError for one that is ambiguous.

    Where `code` is expected a Python literal is welcome.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text)
    if _DECIMAL.match(text):
        return float(text)
    for pattern, meaning, hint in _REFUSED:
        if pattern.match(text):
            raise ScalarError(f"{text} {meaning}", hint)
    if not code and is_literal(text):
        raise ScalarError(
            f"{text} is a Python literal and would be read as text",
            'quote it if it is text, write {python: "…"} if it is not'
            if text != "None"
            else "write null for None, or quote it",
        )
    return text


def is_literal(text: str) -> bool:
    """Whether Python reads the text as a literal."""
    if not text or text[0] not in "([{-0123456789bBrRuUNTF.'\"":
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False
    return True


def in_quotes(text: str) -> str:
    """The text as a scalar in double quotes that every YAML reader takes for this text: what is not
    seen, a line end of any kind too, is written as its escape."""
    return '"' + visible(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
