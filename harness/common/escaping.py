"""Make untrusted text safe to show: control and invisible characters become visible escapes."""

import unicodedata
from urllib.parse import quote

# These are letters and symbols by category, but they are invisible.
_BLANK_BY_DESIGN = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f")
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
QUOTE_LIMIT = 80  # characters
_MAX_COMBINING = 2  # more marks than this on one letter pile up over the neighbouring lines


def escaped(character: str) -> str:
    """Return Python's escape for the character: `\\x1b`, `\\u202e`, `\\n`."""
    return character.encode("unicode_escape").decode("ascii")


def encoded(text: str) -> bytes:
    """Return a text as UTF-8, as every text leaves the harness.

    A lone surrogate, which a program may print and a file's name may hold, becomes its escape.
    """
    return text.encode("utf-8", "backslashreplace")


def in_link(text: str, safe: str = "") -> str:
    """Return a text as a part of a link, percent-encoded except for the characters in `safe`."""
    return quote(encoded(text), safe=safe)


def is_unseen(character: str) -> bool:
    """Return whether a reader would not see this character, or it moves others."""
    if " " <= character <= "~":
        return False
    return character in _BLANK_BY_DESIGN or unicodedata.category(character) in _UNSEEN_CATEGORIES


def runs(text: str) -> list[tuple[str, bool]]:
    """Return the text cut in runs: each with whether it is an escape that we wrote."""
    if not text:
        return []
    if text.isascii() and text.isprintable():
        return [(text, False)]
    runs_of_text: list[tuple[str, bool]] = []
    plain: list[str] = []
    combining = 0
    for character in text:
        combining += 1
        if unicodedata.category(character) not in ("Mn", "Me"):
            combining = 0
        if not is_unseen(character) and combining <= _MAX_COMBINING:
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
    """Return the text on one line with every invisible character written as its escape."""
    if type(text) is str and text.isascii() and text.isprintable():  # a subclass may lie
        return text
    return "".join(part for part, _ in runs(text))


def visible_lines(text: str) -> str:
    """Return the same as `visible`, but line ends stay line ends."""
    return "\n".join(visible(line) for line in text.split("\n"))


def shorten(text: str, most: int = 160) -> str:
    """Return at most this many characters, with an ellipsis for the rest."""
    if len(text) <= most:
        return text
    return text[: most - 1] + "…"


def shortened(text: str, limit: int, at: int = 0) -> str:
    """Return at most about `limit` characters of `text` around index `at`; cuts are shown as …"""
    if len(text) <= limit:
        return text
    start = max(0, min(at - limit // 2, len(text) - limit))
    end = start + limit
    shown = text[start:end]
    if start:
        shown = "…" + shown
    if end < len(text):
        shown += "…"
    return shown


def quoted(text: str, *, at: int = 0, limit: int = QUOTE_LIMIT) -> str:
    """Return untrusted text in double quotes, visible, shortened around index `at`."""
    shown = visible(shortened(text, limit, at))
    return f'"{shown}"'


def plain(text: str, *, limit: int = 120) -> str:
    """Return untrusted text without quotes, such as an exception's message, visible and
    shortened."""
    return visible(shortened(text, limit))
