"""Values of dataclasses in which every text and number occurs once, to find where it is shown."""

import dataclasses
import types
import typing
from enum import Enum
from fractions import Fraction
from typing import Any


class Planter:
    """Makes values of dataclasses, each text and number in them one of its own; `where` has the
    field of each."""

    def __init__(self, first: int = 7_310_000) -> None:
        self.where: dict[str, str] = {}
        self._first = first

    def make(self, kind: Any, path: str) -> Any:
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            return self.make(next(each for each in parts if each is not type(None)), path)
        if origin is tuple:
            return (self.make(parts[0], path),)
        if kind in (str, int, bytes):
            number = self._first + len(self.where)
            self.where[str(number)] = path
            text = f"planted{number}"
            return number if kind is int else text if kind is str else text.encode()
        if kind in (bool, Fraction, float):
            return kind(1)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return next(iter(kind))
        assert dataclasses.is_dataclass(kind), f"{path}: {kind}"
        hints = typing.get_type_hints(kind)
        names = [each.name for each in dataclasses.fields(kind)]
        parts = {name: self.make(hints[name], f"{path}.{name}".lstrip(".")) for name in names}
        return kind(**parts)  # type: ignore[operator]
