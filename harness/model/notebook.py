"""A notebook that was handed in as a program: which lines of the program are in which cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class CellPart(StrEnum):
    """Lines of a notebook that are not shown like other lines."""

    HEADING = "heading"  # above the code of a cell
    FIRST_LINE = "first_line"  # of that code: lines are counted from here
    TEXT_HEADING = "text_heading"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookCell:
    """A cell's lines in the program that was made of the notebook, 1-based.

    `number` counts the code cells from 1; 0 stands for a cell of text, whose lines are comments.
    """

    number: int
    first: int
    last: int  # `first - 1` if the cell is empty

    @property
    def is_text(self) -> bool:
        return self.number == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CellLine:
    """A line of the program, and the same line as its author knows it."""

    line: int  # of the program
    cell: int  # among the code cells, from 1
    line_in_cell: int  # from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook's own name, and the file that is graded instead of it."""

    handed_in: str  # a1.ipynb
    file: str  # a1.py
    cells: tuple[NotebookCell, ...]

    def part(self, line: int) -> CellPart | None:
        """Return which part of a cell a line is; None for any other line."""
        for cell in self.cells:
            if line == cell.first - 1:
                return CellPart.TEXT_HEADING if cell.is_text else CellPart.HEADING
            if cell.first <= line <= cell.last:
                if cell.is_text:
                    return CellPart.TEXT
                return CellPart.FIRST_LINE if line == cell.first else None
        return None

    def cell_line(self, line: int) -> CellLine | None:
        """Return the place of a line of the program; None if it is in no code cell."""
        for cell in self.cells:
            if cell.first <= line <= cell.last and not cell.is_text:
                return CellLine(line=line, cell=cell.number, line_in_cell=line - cell.first + 1)
        return None


def line_words(line: int, places: Iterable[CellLine] = ()) -> str:
    """Return `line 3`, or `line 3 of cell 2` if the line is among these places."""
    for place in places:
        if place.line == line:
            return f"line {place.line_in_cell} of cell {place.cell}"
    return f"line {line}"


def lines_words(first: int, last: int, places: Iterable[CellLine] = ()) -> str:
    """Return `line 3`, `lines 3 to 5` or `lines 3 to 5 of cell 2`."""
    known = {place.line: place for place in places}
    begin, end = known.get(first), known.get(last)
    if first == last:
        return line_words(first, known.values())
    if begin is None or end is None:
        return f"lines {first} to {last}"
    if begin.cell == end.cell:
        return f"lines {begin.line_in_cell} to {end.line_in_cell} of cell {begin.cell}"
    return f"{line_words(first, [begin])} to {line_words(last, [end])}"


@dataclass(frozen=True, slots=True)
class LineNames:
    """How the lines of one submission's files are called: by cell if they came in a notebook."""

    notebook: Notebook | None = None

    def place(self, file: str, line: int) -> CellLine | None:
        """Return a line's place in its notebook; None for a file that was not made of one."""
        if self.notebook is None or self.notebook.file != file:
            return None
        return self.notebook.cell_line(line)

    def file(self, file: str) -> str:
        """Return the name by which the student knows a file: `a1.ipynb` for `a1.py`."""
        if self.notebook is None or self.notebook.file != file:
            return file
        return self.notebook.handed_in

    def at(self, file: str, line: int | None, column: int | None = None) -> str:
        """Return `a1.py:3:5`, or `a1.ipynb, line 3 of cell 2`; only the file for no line."""
        if line is None:
            return self.file(file)
        if self.place(file, line) is not None:
            return f"{self.file(file)}, {self.line(file, line)}"
        if column is None:
            return f"{file}:{line}"
        return f"{file}:{line}:{column}"

    def line(self, file: str, line: int) -> str:
        """Return `line 3` or `line 3 of cell 2`."""
        place = self.place(file, line)
        return line_words(line, [place] if place else [])

    def lines(self, file: str, first: int, last: int) -> str:
        """Return `lines 3 to 5` or `lines 3 to 5 of cell 2`. Lines of a notebook begin and end in
        code cells."""
        in_cells = [line for line in range(first, last + 1) if self.place(file, line)]
        if in_cells:
            first, last = in_cells[0], in_cells[-1]
        places = (self.place(file, line) for line in (first, last))
        return lines_words(first, last, [place for place in places if place])

    def part(self, file: str, line: int) -> CellPart | None:
        """Return which part of a notebook's cell a line is; None for any other line."""
        if self.notebook is None or self.notebook.file != file:
            return None
        return self.notebook.part(line)

    def number(self, file: str, line: int) -> int:
        """Return the number beside a line; for a notebook the number in its cell."""
        place = self.place(file, line)
        return place.line_in_cell if place else line


PROGRAM_LINES = LineNames()  # of files that are programs themselves
