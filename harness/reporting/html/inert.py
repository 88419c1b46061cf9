"""Untrusted text made inert and visible.

Whatever a student's program printed, a file was called or a spec says is text to us: it can
neither act (no markup, no terminal control) nor hide (no invisible or reordering characters).
`code` and `block` are for the content of elements; attributes are escaped by the templates.
"""

from __future__ import annotations

import html

from markupsafe import Markup

from harness.common.escaping import runs, visible, visible_lines

__all__ = ["block", "code", "finalize", "visible", "visible_lines"]


def code(text: str, *, spaces: bool = False) -> Markup:
    """One piece of untrusted text as HTML: escapes are marked, and with `spaces` blanks too."""
    return Markup(_code(text, spaces=spaces))


def block(text: str) -> Markup:
    """Several lines of untrusted text for a `<pre>`."""
    return Markup("\n".join(_code(line, spaces=False) for line in text.split("\n")))


# Plain strings from here to the one Markup: its own join and format take a third of a page's time.
def _code(text: str, *, spaces: bool) -> str:
    parts: list[str] = []
    for part, is_escape in runs(text.replace("\t", "\u21e5") if spaces else text):
        shown = html.escape(part, quote=False)
        if is_escape:
            shown = f'<span class="esc">{shown}</span>'
        elif spaces:
            shown = shown.replace(" ", "<i>·</i>").replace("\u21e5", "<i>⇥</i>")
        parts.append(shown)
    return "".join(parts)


def finalize(value: object) -> object:
    """What Jinja2 does with every expression: our markup passes, untrusted text is made visible.

    Anything but text, numbers and markup is a mistake in a template.
    """
    if isinstance(value, Markup) or type(value) is int:
        return value
    if isinstance(value, str):
        return visible(str(value))  # a subclass of str may bring markup of its own
    from jinja2 import StrictUndefined, Undefined  # noqa: PLC0415  (terminals have no templates)

    if isinstance(value, StrictUndefined):
        return value
    if type(value) is Undefined:  # `x if y` without an else; a missing name is a StrictUndefined
        return ""
    raise TypeError(f"a template may not print a {type(value).__name__}")
