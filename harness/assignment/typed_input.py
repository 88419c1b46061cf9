"""`input:` what is typed at a program."""

from __future__ import annotations

from typing import Any

from harness.assignment.context import Context
from harness.assignment.document import Loc
from harness.assignment.problems import nearest
from harness.assignment.shape_checks import describe, listed
from harness.model.stimulus import Key, Typed

LONGEST_LINE = 4095  # bytes; a terminal takes no longer line
KEYS = tuple(str(key) for key in Key)


def typed_inputs(context: Context, loc: Loc, items: list[Any]) -> tuple[Typed, ...]:
    """What the items type, templates filled in; mistakes noted for those that cannot be typed."""
    _check_commas(context, loc, len(items))
    typed = [_typed(context, (*loc, index), item) for index, item in enumerate(items)]
    return tuple(entry for entry in typed if entry is not None)


def check_line(context: Context, loc: Loc, line: str) -> None:
    """A mistake for a line that no person can type."""
    size = len(line.encode("utf-8", "surrogatepass"))
    if size > LONGEST_LINE:
        what = f"a line of {size} bytes cannot be typed (a terminal takes {LONGEST_LINE:,})"
        context.add(loc, what)
    elif "\n" in line or "\r" in line:
        context.add(loc, "an input is one line", "make one item of each line")
    elif any(ord(character) < 32 and character != "\t" for character in line):
        what = "a control character cannot be typed"
        context.add(loc, what, "write {key: ctrl-d} or {key: ctrl-c}")


def _typed(context: Context, loc: Loc, item: Any) -> Typed | None:
    if isinstance(item, dict):
        return _key(context, loc, item)
    if type(item) is int:
        return Typed(text=context.document.raw(loc))
    if not isinstance(item, str):
        hint = "quote it" if item is None or isinstance(item, float | bool) else ""
        context.add(loc, f"expected text or a whole number, got {describe(item)}", hint)
        return None
    if not context.uncut(loc):
        return None
    text = context.render(item, loc)
    check_line(context, loc, text)
    return Typed(text=text)


def _key(context: Context, loc: Loc, item: dict[Any, Any]) -> Typed | None:
    if list(item) != ["key"]:
        context.add(loc, "expected text, a whole number or {key: …}, got a mapping", "quote it")
        return None
    if item["key"] not in KEYS:
        hint = nearest(str(item["key"]), KEYS)
        context.add((*loc, "key"), f"expected {listed(KEYS)}, got {describe(item['key'])}", hint)
        return None
    return Typed(key=Key(item["key"]))


def _check_commas(context: Context, loc: Loc, count: int) -> None:
    # `[4,6]` is two items to YAML, and one to most people who write it.
    document = context.document
    for index in range(1, count):
        before = document.spots[*loc, index - 1]
        after = document.spots[*loc, index]
        if before.plain and after.plain and document.text[before.end : after.start] == ",":
            pair = f"{before.text},{after.text}"
            hint = f'write "{pair}" for one input, {before.text}, {after.text} for two'
            context.add((*loc, index - 1), f"{pair} looks like a pair", hint)
