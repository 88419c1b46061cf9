"""What a submission's text is made of: its functions and constants, and which mention which.

Plain facts of the syntax tree, which is read in a limited process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlinePart:
    """A top-level function or class (`callable`), or a constant bound at module level.

    `first` and `last` are its lines, 1-based. `mentions` are the submission's own names that occur
    in it; `text` are its source lines, the first few, each cut where it is very long.
    """

    name: str
    file: str
    first: int
    last: int
    callable: bool = True
    mentions: tuple[str, ...] = ()
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleOutline:
    """The own names that the code outside functions mentions, by file. `asks` is the line (1-based)
    that asks for input as the file is loaded, by calling `through` (`input` or an own function),
    with its text in `asking`; 0: none is seen to."""

    file: str
    mentions: tuple[str, ...] = ()
    asks: int = 0
    through: str = ""
    asking: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """The lines of a `while` or `for`, from its head to the end of its body, 1-based."""

    file: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A submission's top-level names, in the order of its files and lines, and its loops."""

    parts: tuple[OutlinePart, ...] = ()
    modules: tuple[ModuleOutline, ...] = ()
    loops: tuple[Loop, ...] = ()

    def loop_around(self, file: str, first: int, last: int) -> Loop | None:
        """The innermost loop that holds these lines."""
        around = [
            loop
            for loop in self.loops
            if loop.file == file and loop.first <= first and last <= loop.last
        ]
        return max(around, key=lambda loop: loop.first, default=None)

    def function_at(self, file: str, line: int) -> str:
        """The function or class that the line belongs to; empty outside all."""
        inside = (
            part.name
            for part in self.parts
            if part.callable and part.file == file and part.first <= line <= part.last
        )
        return next(inside, "")

    def part(self, name: str) -> OutlinePart | None:
        """The part of this name: the last one, which is the one in force."""
        return next((part for part in reversed(self.parts) if part.name == name), None)

    def names(self, *, callable: bool = True) -> frozenset[str]:
        """The names of its functions and classes, or of its constants."""
        return frozenset(part.name for part in self.parts if part.callable is callable)

    def reached_from(self, names: Iterable[str]) -> frozenset[str]:
        """These names and all that they mention, directly or not."""
        found: set[str] = set()
        left = list(names)
        by_name = {part.name: part for part in self.parts}
        while left:
            name = left.pop()
            if name in found:
                continue
            found.add(name)
            if name in by_name:
                left.extend(by_name[name].mentions)
        return frozenset(found)

    def callees_first(self, names: Iterable[str]) -> tuple[str, ...]:
        """These names such that a name comes after those that it mentions, directly or not, and
        otherwise in the order of the text."""
        wanted = list(dict.fromkeys(names))
        place = {part.name: index for index, part in enumerate(self.parts)}
        below = {name: self.reached_from([name]) for name in wanted}

        def depth(name: str) -> tuple[int, int]:
            return len(below[name] & set(wanted)), place.get(name, -1)

        return tuple(sorted(wanted, key=depth))


NO_OUTLINE = Outline()
