"""Foreign text made inert and visible.

Whatever a student's program printed, a file was called or a spec says is text to us: it can
neither act (no markup, no terminal control) nor hide (no invisible or reordering characters).
"""

from __future__ import annotations

import unicodedata

from markupsafe import Markup, escape

# Letters and symbols by category, and yet nothing is seen of them.
_BLANK_BY_DESIGN = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f")
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MOST_COMBINING = 2  # more marks than this on one letter pile up over the neighbouring lines


def escaped(character: str) -> str:
    """The escape a Python programmer knows the character by: `\\x1b`, `\\u202e`, `\\n`."""
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character)
    if named:
        return named
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def is_unseen(character: str) -> bool:
    """Whether a reader would not see this character, or would see others moved by it."""
    if " " <= character <= "~":
        return False
    if character in _BLANK_BY_DESIGN:
        return True
    category = unicodedata.category(character)
    return category in _UNSEEN_CATEGORIES or category == "Zs"


def runs(text: str) -> list[tuple[str, bool]]:
    """The text cut in runs: (what to show, whether it is an escape that we wrote)."""
    if text.isascii() and text.isprintable():
        return [(text, False)] if text else []
    found: list[tuple[str, bool]] = []
    plain: list[str] = []
    combining = 0
    for character in text:
        combining = combining + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if not is_unseen(character) and combining <= _MOST_COMBINING:
            plain.append(character)
            continue
        if plain:
            found.append(("".join(plain), False))
            plain = []
        found.append((escaped(character), True))
    if plain:
        found.append(("".join(plain), False))
    return found


def visible(text: str) -> str:
    """The text on one line with every unseen character written as its escape."""
    return "".join(part for part, _ in runs(text))


def visible_lines(text: str) -> str:
    """As `visible`, but line ends stay line ends."""
    return "\n".join(visible(line) for line in text.split("\n"))


def code(text: str, *, spaces: bool = False) -> Markup:
    """One piece of foreign text as HTML: escapes stand apart, with `spaces` so do blanks."""
    parts: list[Markup] = []
    for part, is_escape in runs(text.replace("\t", "\u21e5") if spaces else text):
        if is_escape:
            parts.append(Markup('<span class="esc">{}</span>').format(part))
        elif spaces:
            parts.append(_with_blanks(part))
        else:
            parts.append(escape(part))
    return Markup("").join(parts)


def _with_blanks(text: str) -> Markup:
    shown = escape(text)
    for blank, sign in ((" ", "·"), ("\u21e5", "⇥")):
        shown = shown.replace(blank, Markup("<i>{}</i>").format(sign))
    return shown


def block(text: str) -> Markup:
    """Several lines of foreign text for a `<pre>`."""
    return Markup("\n").join(code(line) for line in text.split("\n"))


def finalize(value: object) -> object:
    """What Jinja2 does with every expression: our own markup passes, foreign text is made visible.

    Anything but text, numbers and markup is a mistake in a template.
    """
    from jinja2 import StrictUndefined, Undefined  # noqa: PLC0415  (terminals have no templates)

    if isinstance(value, Markup | StrictUndefined):
        return value
    if type(value) is Undefined:  # `x if y` without an else; a missing name is a StrictUndefined
        return ""
    if type(value) is int:
        return value
    if isinstance(value, str):
        return visible(value)
    raise TypeError(f"a template may not print a {type(value).__name__}")
