"""Foreign text made inert and visible.

Whatever a student's program printed, a file was called or a spec says is text to us: it can
neither act (no markup, no terminal control) nor hide (no invisible or reordering characters).
"""

from __future__ import annotations

from markupsafe import Markup, escape

from harness.reporting.seen import runs, visible, visible_lines

__all__ = ["block", "code", "finalize", "visible", "visible_lines"]


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
