"""Convert model values to JSON and back, using only their type hints.

A dataclass becomes an object without the fields that have their default value. A union of
dataclasses adds `"is": "ClassName"`, and so does a base class marked `open_union`, whose members
are found by themselves. A Fraction is "3/4", bytes are base64. Reading is strict: an unknown field
or a wrong type raises `SerialError`. A very frequent dataclass can have its own, faster
`from_plain`.
"""

import base64
import dataclasses
import functools
import importlib
import json
import types
import typing
from collections.abc import Callable, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

T = TypeVar("T")
C = TypeVar("C", bound=type)
Converter = Callable[[Any], Any]


class SerialError(ValueError):
    """The JSON does not describe a value of the type asked for."""


_OPEN_UNIONS: dict[type, Callable[[], Mapping[str, type]]] = {}


def open_union(package: str, members: str) -> Callable[[C], C]:
    """Mark a base class as the union of the dataclasses that the function `members` of `package`
    gives by their names; the package is imported when they are first needed."""

    def by_name() -> Mapping[str, type]:
        classes: Mapping[str, type] = getattr(importlib.import_module(package), members)()
        return classes

    def mark(base: C) -> C:
        _OPEN_UNIONS[base] = by_name
        return base

    return mark


def dumps(value: object, *, kind: Any = None) -> str:
    """Return `value` as compact JSON text; `kind` is its declared type if that is a union."""
    return json.dumps(to_plain(value, kind=kind), ensure_ascii=True, separators=(",", ":"))


def loads(kind: type[T], text: str | bytes) -> T:
    """Read JSON text as a `kind`; raise SerialError if it is not one."""
    try:
        plain = json.loads(text)
    except ValueError as error:
        raise SerialError(f"not JSON: {error}") from None
    return from_plain(kind, plain)


def to_plain(value: object, *, kind: Any = None) -> Any:
    """`value` as dicts, lists, strings, numbers, booleans and None."""
    declared: Any = kind or type(value)
    return _form(declared).write(value)


def from_plain(kind: type[T], plain: Any) -> T:
    """Return the value that `to_plain` made `plain` from. Raise SerialError if it is not a
    `kind`."""
    declared: Any = kind
    result: T = _form(declared).read(plain)
    return result


@dataclasses.dataclass(frozen=True, slots=True)
class _SerialForm:
    write: Converter
    read: Converter


def _same(value: Any) -> Any:
    return value


@functools.cache
def _form(kind: Any) -> _SerialForm:
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return _union_form(typing.get_args(kind))
    if typing.get_origin(kind) is tuple:
        return _tuple_form(kind)
    if kind in _OPEN_UNIONS:
        return _SerialForm(_write_tagged, _tagged_reader(_OPEN_UNIONS[kind]))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        form = _dataclass_form(kind)
        own_reader: Converter | None = getattr(kind, "from_plain", None)
        if own_reader is not None:
            return dataclasses.replace(form, read=own_reader)
        return form
    if kind is Fraction:  # points repeat: reading them was a quarter of reading a result
        read = functools.lru_cache(maxsize=1 << 14)(Fraction)
        return _SerialForm(str, _checking_reader((str,), "a fraction", read))
    if kind is bytes:
        return _SerialForm(
            lambda value: base64.b64encode(value).decode("ascii"),
            _checking_reader((str,), "base64", functools.partial(base64.b64decode, validate=True)),
        )
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _SerialForm(str, _enum_reader(kind))
    if kind is float:
        return _SerialForm(_same, _checking_reader((int, float), "a number", float))
    if kind in (str, int, bool, type(None)):
        return _SerialForm(_same, _checking_reader((kind,), kind.__name__, _same))
    raise TypeError(f"model types must not hold {kind!r}")


def _checking_reader(kinds: tuple[type, ...], name: str, convert: Converter) -> Converter:
    def read(plain: Any) -> Any:
        if type(plain) not in kinds:
            raise SerialError(f"expected {name}, got {type(plain).__name__}")
        try:
            return convert(plain)
        except ValueError as error:
            raise SerialError(f"expected {name}: {error}") from None

    return read


def _enum_reader(kind: type[StrEnum]) -> Converter:
    members: dict[Any, StrEnum] = {member.value: member for member in kind}

    def read(plain: Any) -> Any:
        member = members.get(plain) if type(plain) is str else None
        if member is None:
            raise SerialError(f"expected a {kind.__name__}, got {plain!r}"[:200])
        return member

    return read


def _tuple_form(kind: Any) -> _SerialForm:
    arguments = typing.get_args(kind)
    if arguments[-1] is Ellipsis:
        item = _form(arguments[0])

        def read(plain: Any) -> Any:
            if type(plain) is not list:
                raise SerialError(f"expected a list, got {type(plain).__name__}")
            return tuple(map(item.read, plain))

        return _SerialForm(lambda value: [item.write(part) for part in value], read)
    parts = [_form(part) for part in arguments]

    def read_each(plain: Any) -> Any:
        if type(plain) is not list or len(plain) != len(parts):
            raise SerialError(f"expected a list of {len(parts)}")
        return tuple(part.read(value) for part, value in zip(parts, plain, strict=True))

    return _SerialForm(
        lambda values: [part.write(v) for part, v in zip(parts, values, strict=True)], read_each
    )


def _union_form(members: tuple[Any, ...]) -> _SerialForm:
    rest = [member for member in members if member is not type(None)]
    if len(rest) == 1:
        inner = _form(rest[0])
    else:
        by_name = {member.__name__: member for member in rest}
        inner = _SerialForm(_write_tagged, _tagged_reader(lambda: by_name))
    if len(rest) == len(members):
        return inner
    return _SerialForm(
        lambda value: None if value is None else inner.write(value),
        lambda plain: None if plain is None else inner.read(plain),
    )


def _write_tagged(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    return {"is": kind.__name__, **_form(kind).write(value)}


def _tagged_reader(members: Callable[[], Mapping[str, Any]]) -> Converter:
    def read(plain: Any) -> Any:
        name = plain.get("is") if type(plain) is dict else None
        by_name = members()
        if type(name) is not str or name not in by_name:
            raise SerialError(f"expected one of {', '.join(by_name)}, got {name!r}")
        fields = plain.copy()
        del fields["is"]
        return _form(by_name[name]).read(fields)

    return read


def _dataclass_form(kind: type) -> _SerialForm:
    hints = typing.get_type_hints(kind)
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}
    needed = [name for name, default in defaults.items() if default is dataclasses.MISSING]
    parts: dict[
        str, _SerialForm
    ] = {}  # looked at when they are first met: types may hold themselves

    def write(value: Any) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for name, default in defaults.items():
            field = getattr(value, name)
            if type(field) is type(default) and field == default:
                continue
            part = parts.get(name)
            if part is None:
                part = parts[name] = _form(hints[name])
            plain[name] = part.write(field)
        return plain

    def read(plain: Any) -> Any:
        if type(plain) is not dict:
            raise SerialError(f"expected a {kind.__name__}, got {type(plain).__name__}")
        for name in needed:
            if name not in plain:
                raise SerialError(f"{kind.__name__} lacks its field {name!r}")
        fields: dict[str, Any] = {}
        for name, value in plain.items():
            part = parts.get(name)
            if part is None:
                if name not in defaults:
                    raise SerialError(f"{kind.__name__} has no field {name!r}")
                part = parts[name] = _form(hints[name])
            fields[name] = part.read(value)
        return kind(**fields)

    return _SerialForm(write, read)
