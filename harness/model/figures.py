"""Figures that a program draws with matplotlib, as data: what a person reads from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from harness.model.values import Value


class Mark(StrEnum):
    """The kinds of data in a plot."""

    LINES = "lines"
    BARS = "bars"
    POINTS = "points"

    def counted(self, number: int) -> str:
        """Return so many of them in words."""
        return f"{number} {_ONE[self] if number == 1 else _SEVERAL[self]}"


_ONE = {Mark.LINES: "line", Mark.BARS: "set of bars", Mark.POINTS: "set of points"}
_SEVERAL = {Mark.LINES: "lines", Mark.BARS: "sets of bars", Mark.POINTS: "sets of points"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One line, or all bars or points that were drawn together.

    The length of a bar is its `y`, also if the bar lies on its side.
    """

    label: str = ""
    x: Value  # a list of numbers and texts, or too large
    y: Value
    names: tuple[str, ...] = ()  # of the positions `x` on the axis, if it shows names


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One pair of axes of a figure."""

    title: str = ""
    x_label: str = ""
    y_label: str = ""
    legend: tuple[str, ...] | None = None  # its texts; None: it has no legend
    lines: tuple[Drawn, ...] = ()
    bars: tuple[Drawn, ...] = ()
    points: tuple[Drawn, ...] = ()

    def drawn(self, mark: Mark) -> tuple[Drawn, ...]:
        """Return the data of this kind."""
        by_mark = {Mark.LINES: self.lines, Mark.BARS: self.bars, Mark.POINTS: self.points}
        return by_mark[mark]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure that was shown, saved, or open at the end."""

    title: str = ""  # above all of its plots
    plots: tuple[Plot, ...] = ()
    picture: str = field(default="", compare=False)  # a small PNG in base64; empty: none
