"""Describes an exception as data: its type, message, builtin bases, and the student's frames."""

from __future__ import annotations

import builtins
from _json import encode_basestring_ascii as quote

from .codec import type_name

LONGEST_MESSAGE = 10_000
LONGEST_LINE = 500
MOST_FRAMES = 20  # of each end

_traceback_of = BaseException.__dict__["__traceback__"].__get__
_mro_of = type.__dict__["__mro__"].__get__
_BUILTIN = frozenset(  # by identity: a metaclass may call its class equal to one of them
    id(thing)
    for thing in vars(builtins).values()
    if isinstance(thing, type) and issubclass(thing, BaseException)
)


class Sources:
    """The student's files by name, to look a frame's line up in. Lines are decoded when needed."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files
        self._lines: dict[str, list[str]] = {}

    def __contains__(self, name: object) -> bool:
        return type(name) is str and name in self._files

    def line(self, name: str, number: int) -> str:
        """A file's line (1-based), without its end; empty when there is none."""
        lines = self._lines.get(name)
        if lines is None:
            text = self._files[name].decode("utf-8", "replace")  # its BOM's codec: an import
            lines = text.removeprefix("\ufeff").splitlines()
            self._lines[name] = lines
        return lines[number - 1][:LONGEST_LINE] if 0 < number <= len(lines) else ""


def describe(error: BaseException, sources: Sources) -> str:
    """The exception as a JSON object."""
    kind = type(error)
    bases = [type_name(base) for base in _mro_of(kind)[1:] if id(base) in _BUILTIN]
    frames = _frames(error, sources)
    return (
        '{"type_name":' + quote(type_name(kind)[:LONGEST_LINE])
        + ',"message":' + quote(_message(error))
        + ',"bases":[' + ",".join([quote(base) for base in bases]) + "]"
        + ',"frames":[' + ",".join(frames) + "]}"
    )  # fmt: skip


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # a submission's own `__str__`
        return ""
    return text[:LONGEST_MESSAGE] if type(text) is str else ""


def _frames(error: BaseException, sources: Sources) -> list[str]:
    first: list[str] = []
    last: list[tuple[str, int, str]] = []
    step = _traceback_of(error)
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename in sources and step.tb_lineno is not None:
            place = (code.co_filename, step.tb_lineno, code.co_qualname)
            if len(first) < MOST_FRAMES:
                first.append(_frame(*place, sources.line(place[0], place[1])))
            else:
                last.append(place)
                del last[:-MOST_FRAMES]
        step = step.tb_next
    frames = first + [_frame(*place, sources.line(place[0], place[1])) for place in last]
    if isinstance(error, SyntaxError) and id(type(error)) in _BUILTIN:
        name, number = error.filename, error.lineno
        if type(name) is str and name in sources and type(number) is int:
            frames.append(_frame(name, number, "<module>", sources.line(name, number)))
    return frames


def _frame(file: str, line: int, function: str, source: str) -> str:
    return (
        '{"file":' + quote(file) + ',"line":' + str(line)
        + ',"function":' + quote(function) + ',"source":' + quote(source) + "}"
    )  # fmt: skip
