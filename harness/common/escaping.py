"""Untrusted text made safe to show: control and invisible characters become visible escapes."""

import unicodedata
from urllib.parse import quote

# Letters and symbols by category, and yet nothing is seen of them.
_BLANK_BY_DESIGN = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f")
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
QUOTE_LIMIT = 80  # characters
_MOST_COMBINING = 2  # more marks than this on one letter pile up over the neighbouring lines


def escaped(character: str) -> str:
    """The escape a Python programmer knows the character by: `\\x1b`, `\\u202e`, `\\n`."""
    return character.encode("unicode_escape").decode("ascii")


def encoded(text: str) -> bytes:
    """Return a text as UTF-8, as every text leaves the harness: a lone surrogate, which a program
    may print and a file's name may hold, is written as its escape."""
    return text.encode("utf-8", "backslashreplace")


def in_link(text: str, safe: str = "") -> str:
    """Return a text as a part of a link, percent-encoded except for the characters in `safe`."""
    return quote(encoded(text), safe=safe)


def is_unseen(character: str) -> bool:
    """Whether a reader would not see this character, or would see others moved by it."""
    if " " <= character <= "~":
        return False
    return character in _BLANK_BY_DESIGN or unicodedata.category(character) in _UNSEEN_CATEGORIES


def runs(text: str) -> list[tuple[str, bool]]:
    """The text cut in runs: (what to show, whether it is an escape that we wrote)."""
    if text.isascii() and text.isprintable():
        return [(text, False)] if text else []
    runs_of_text: list[tuple[str, bool]] = []
    plain: list[str] = []
    combining = 0
    for character in text:
        combining = combining + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if not is_unseen(character) and combining <= _MOST_COMBINING:
            plain.append(character)
            continue
        if plain:
            runs_of_text.append(("".join(plain), False))
            plain = []
        runs_of_text.append((escaped(character), True))
    if plain:
        runs_of_text.append(("".join(plain), False))
    return runs_of_text


def visible(text: str) -> str:
    """The text on one line with every unseen character written as its escape."""
    if type(text) is str and text.isascii() and text.isprintable():  # a subclass may lie
        return text
    return "".join(part for part, _ in runs(text))


def visible_lines(text: str) -> str:
    """As `visible`, but line ends stay line ends."""
    return "\n".join(visible(line) for line in text.split("\n"))


def shorten(text: str, most: int = 160) -> str:
    """At most this many characters, an ellipsis for the rest."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened(text: str, limit: int, at: int = 0) -> str:
    """At most about `limit` characters of `text`, those around index `at`; cuts are shown as …"""
    if len(text) <= limit:
        return text
    start = max(0, min(at - limit // 2, len(text) - limit))
    end = start + limit
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def quoted(text: str, *, at: int = 0, limit: int = QUOTE_LIMIT) -> str:
    """Untrusted text in double quotes, visible, shortened around index `at`."""
    return f'"{visible(shortened(text, limit, at))}"'


def plain(text: str, *, limit: int = 120) -> str:
    """Untrusted text without quotes, such as an exception's message, visible and shortened."""
    return visible(shortened(text, limit))
