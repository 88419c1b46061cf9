"""Describes an exception as data, with hints from the program's own names: a function or method
with a similar name, one outside its class, a forgotten `self` parameter or `self.`.
"""

from __future__ import annotations

import builtins
import sys
from _json import encode_basestring_ascii as quote

from .codec import FUNCTION, GETSET, MAX_NAME, mro_of, name_of, space_of, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_MAX_MESSAGE_LENGTH = 10_000
_MAX_LINE_LENGTH = 500
_MAX_FRAMES = 20  # of each end
_MAX_BASES = 20
_MAX_NAMES = 300
_MAX_NAME_LENGTH = 40

BUILTIN_ERRORS: dict[str, type[BaseException]] = {
    name: thing
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
}
# By identity: a metaclass may call its class equal to one of them.
_BUILTIN_TYPES = frozenset(map(id, BUILTIN_ERRORS.values()))
_BUILTIN_NAMES = frozenset(vars(builtins))
_traceback_of = BaseException.__dict__["__traceback__"].__get__


class Sources:
    """The student's files by name, to look up the text of lines. Lines are decoded on first use."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files
        self.modules = [name[:-3] for name in files]
        self._lines: dict[str, list[str]] = {}

    def __contains__(self, name: object) -> bool:
        return type(name) is str and name in self._files

    def line(self, name: str, number: int) -> str:
        """Return line `number` of a file, counted from 1, without its line end; an empty text if
        it does not exist.
        """
        lines = self._lines_of(name)
        return lines[number - 1][:_MAX_LINE_LENGTH] if 0 < number <= len(lines) else ""

    def count(self, name: str) -> int:
        """Return the number of lines of a file."""
        return len(self._lines_of(name))

    def has_written(self, name: str) -> bool:
        """Return whether `name` occurs in the text of one of the files."""
        if not name.isidentifier():
            return False
        word = name.encode()
        return any(word in data for data in self._files.values())

    def _lines_of(self, name: str) -> list[str]:
        if (lines := self._lines.get(name)) is None:
            text = self._files[name].decode("utf-8", "replace")  # its BOM's codec: an import
            text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
            lines = text.split("\n")  # as Python counts them: a form feed ends no line
            self._lines[name] = lines
        return lines


def describe(error: BaseException, sources: Sources) -> str:
    """Return the exception as a JSON object.

    A base class counts as built-in only by identity, not by its name.
    """
    named = [(base, type_name(base)) for base in mro_of(type(error))[1:-1]]
    bases = [
        name for base, name in named if id(base) in _BUILTIN_TYPES or name not in _BUILTIN_NAMES
    ]
    steps: list[Any] = []  # of the traceback, in the student's files
    step = _traceback_of(error)
    while step is not None:
        if step.tb_frame.f_code.co_filename in sources:
            steps.append(step)
        step = step.tb_next
    try:
        names = _about(error, steps[-1].tb_frame if steps else None, sources.modules)
    except MemoryError:
        raise
    except BaseException:  # a submission's own names may do anything
        names = ""
    return (
        '{"type_name":' + quote(type_name(type(error))[:_MAX_LINE_LENGTH])
        + ',"message":' + quote(_message(error))
        + ',"bases":[' + ",".join([quote(base[:MAX_NAME]) for base in bases[:_MAX_BASES]]) + "]"
        + ',"frames":[' + ",".join(_frames(error, steps, sources)) + "]"
        + (',"names":' + names if names else "") + "}"
    )  # fmt: skip


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # a submission's own `__str__`
        return ""
    return text[:_MAX_MESSAGE_LENGTH] if type(text) is str else ""


def _frames(error: BaseException, steps: list[Any], sources: Sources) -> list[str]:
    steps = [step for step in steps if step.tb_lineno is not None]
    places = [
        (step.tb_frame.f_code.co_filename, step.tb_lineno, step.tb_frame.f_code.co_qualname)
        for step in steps[:_MAX_FRAMES] + steps[_MAX_FRAMES:][-_MAX_FRAMES:]
    ]
    if isinstance(error, SyntaxError) and id(type(error)) in _BUILTIN_TYPES:
        name, number = error.filename, error.lineno
        if type(name) is str and name in sources and type(number) is int:
            places.append((name, number, "<module>"))
    frames: list[str] = []
    for file, line, function in places:
        if not 0 < line <= sources.count(file):  # a text that only claims to be of this file
            continue
        place = '{"file":' + quote(file) + ',"line":' + str(line)
        frames.append(place + ',"function":' + quote(_short(function)) + "}")
    return frames


def _short(qualified: str) -> str:
    """Return the function's qualified name, or only its own name if that would be too long."""
    if len(qualified) <= MAX_NAME:
        return qualified
    return qualified.rpartition(".")[2][:MAX_NAME]


def _about(error: BaseException, frame: Any, program_modules: Iterable[str]) -> str:
    """Return hints about the exception as a JSON object; an empty text if there are none.

    `frame` is the innermost frame in the program's files.
    """
    kind = type(error)
    if kind is AttributeError:
        name, thing = error.name, error.obj  # type: ignore[attr-defined]
        return _attribute(name, type(thing), program_modules) if type(name) is str else ""
    if kind is TypeError:
        return _without_self(str(error), program_modules)
    if kind is UnboundLocalError or kind is NameError:
        return _without_self_dot(error, frame)
    return ""


def nearest_of(name: str, program_modules: Iterable[str]) -> str:
    """Return the program's public function or class with the most similar name; an empty text if
    there is none.
    """
    found: list[str] = []
    for space in _spaces(program_modules):
        found += [key for key, value in space.items() if type(value) is FUNCTION or _is_type(value)]
    return _nearest(name, found)


def _attribute(name: str, kind: type, program_modules: Iterable[str]) -> str:
    modules = set(program_modules)
    names: list[str] = []
    owner = ""
    for base in mro_of(kind)[:-1]:
        if space_of(base).get("__module__") in modules:
            names += list(space_of(base))
            owner = name_of(base)
    if not names:
        return ""
    for space in _spaces(program_modules):
        if type(space.get(name)) is FUNCTION:
            return _said("outside", name, owner, "")
    near = _nearest(name, names)
    return _said("nearest", name, name_of(kind), near) if near else ""


def _without_self(message: str, program_modules: Iterable[str]) -> str:
    """Return Python's message with one argument less, because students do not count `self`.

    The message is of the form `A.f() takes 1 positional argument but 2 were given`.
    """
    called, found, rest = message.partition("() takes ")
    owner, _, name = called.rpartition(".")
    if not found or not owner or " but " not in rest:
        return ""
    for space in _spaces(program_modules):
        kind = space.get(owner)
        function = space_of(kind).get(name) if _is_type(kind) else None
        if type(function) is FUNCTION:
            code = function.__code__
            first = code.co_varnames[0] if code.co_argcount else ""
            if first != "self" and rest.startswith(str(code.co_argcount) + " "):
                return _said("no_self", name, owner, first)
    return ""


def _without_self_dot(error: BaseException, frame: Any) -> str:
    name = getattr(error, "name", None)
    if type(name) is not str:
        quoted = str(error).split("'")
        name = quoted[1] if len(quoted) > 2 else ""
    if frame is None or not name or frame.f_code.co_argcount == 0:
        return ""
    first = frame.f_code.co_varnames[0]
    thing = frame.f_locals.get(first)
    found = [space_of(base).get("__dict__") for base in mro_of(type(thing))]
    reader = next((descriptor for descriptor in found if type(descriptor) is GETSET), None)
    if reader is None or "." not in frame.f_code.co_qualname:
        return ""
    attributes = reader.__get__(thing)
    known = type(attributes) is dict and name in attributes
    if known or any(name in space_of(base) for base in mro_of(type(thing))[:-1]):
        return _said("self_dot", name, name_of(type(thing)), first)
    return ""


def _is_type(thing: object) -> bool:
    return type in mro_of(type(thing))


def _spaces(program_modules: Iterable[str]) -> list[dict[str, Any]]:
    modules = [sys.modules.get(name) for name in program_modules]
    return [vars(module) for module in modules if type(module) is type(sys)]


def _said(kind: str, name: str, owner: str, near: str) -> str:
    fields = (("kind", kind), ("name", name), ("owner", owner), ("near", near))
    return (
        "{" + ",".join([f'"{key}":' + quote(text[:_MAX_NAME_LENGTH]) for key, text in fields]) + "}"
    )


def _nearest(name: str, names: Iterable[str]) -> str:
    best, least = "", max(1, len(name) // 3) + 1
    if len(name) > _MAX_NAME_LENGTH:
        return best
    others = {key for key in names if type(key) is str and key.isidentifier()}
    for other in sorted(others)[:_MAX_NAMES]:
        if other[:1] == "_" or other == name or len(other) > _MAX_NAME_LENGTH:
            continue
        distance = _distance(name.lower().replace("_", ""), other.lower().replace("_", ""))
        if distance < least:
            best, least = other, distance
    return best


def _distance(name: str, other: str) -> int:
    """Return the edit distance: how many characters to insert, remove or change to turn one name
    into the other.
    """
    row = list(range(len(other) + 1))
    for index, left in enumerate(name, 1):
        diagonal, row[0] = row[0], index
        for place, right in enumerate(other, 1):
            cost = min(row[place] + 1, row[place - 1] + 1, diagonal + (left != right))
            diagonal, row[place] = row[place], cost
    return row[-1]
