"""Shows a class as a table that fits the terminal: columns of text are wrapped, numbers never."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

_GAP = 2  # columns between two columns of the table
_INDENT = 4  # indent of the lines below a row


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of texts. If it cannot be wrapped and does not fit, it goes below each row."""

    title: str
    cells: tuple[Text, ...]
    is_number: bool = False
    narrowest: int | None = None  # minimum width when wrapped; None: never wrap
    is_detail: bool = False  # goes below the row if it does not fit

    @property
    def width(self) -> int:
        width = len(self.title)
        for cell in self.cells:
            width = max(width, cell.cell_len)
        return width

    @property
    def has_text(self) -> bool:
        return any(cell.plain for cell in self.cells)


class ClassTable:
    """A table of a class.

    `entries` are texts for each row that must not be broken, such as `play 3/10`. They fill a last
    column, or lines below the row if that does not fit.
    """

    def __init__(
        self, columns: Iterable[TableColumn], title: str, entries: Sequence[Sequence[str]]
    ) -> None:
        self._columns = [column for column in columns if column.has_text]
        self._title = title
        self._entries = entries

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        last = self._width_of_entries()
        inside = list(self._columns)
        below: list[TableColumn] = []
        while True:
            for needed in (last, 0):
                widths = _widths(inside, options.max_width - needed)
                if widths is None:
                    continue
                space_left = 0
                if needed:
                    space_left = options.max_width - sum(widths) - _GAP * len(widths)
                yield from self._rows(inside, widths, below, space_left, options)
                return
            details = [at for at, column in enumerate(inside) if column.is_detail]
            if not details:
                # No more columns can move: the terminal is too narrow even for the rest.
                narrow = [column.narrowest or column.width for column in inside]
                yield from self._rows(inside, narrow, below, 0, options)
                return
            below.insert(0, inside.pop(details[-1]))

    def _width_of_entries(self) -> int:
        """Return the width needed by the column of entries, including its gap; 0 without
        entries.
        """
        entries = itertools.chain.from_iterable(self._entries)
        longest = max(map(len, entries), default=0)
        if not longest:
            return 0
        return _GAP + max(longest + 1, len(self._title))

    def _rows(
        self,
        inside: Sequence[TableColumn],
        widths: Sequence[int],
        below: Sequence[TableColumn],
        space_left: int,
        options: ConsoleOptions,
    ) -> Iterator[Table | Text]:
        """Yield the table. It is split into pieces if there are lines below its rows."""
        everything = range(len(self._entries))
        has_lines_below = bool(below) or (not space_left and any(self._entries))
        if not has_lines_below:
            yield self._table(inside, widths, everything, space_left)
            return
        for row in everything:
            yield self._table(inside, widths, [row], space_left)
            pieces = self._pieces_below(row, below, has_entries=not space_left)
            for line in _filled(pieces, options.max_width - _INDENT):
                yield Text(" " * _INDENT + line, "dim")

    def _pieces_below(
        self, row: int, below: Sequence[TableColumn], *, has_entries: bool
    ) -> list[str]:
        """Return the texts that go below a row."""
        pieces: list[str] = []
        for column in below:
            if column.cells[row]:
                pieces.append(f"{column.title} {column.cells[row].plain}")
        if has_entries and self._entries[row]:
            first, *others = self._entries[row]
            pieces += [f"{self._title} {first}", *others]
        return pieces

    def _table(
        self,
        inside: Sequence[TableColumn],
        widths: Sequence[int],
        rows: Sequence[int],
        space_left: int,
    ) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold", show_header=0 in rows)
        for column, width in zip(inside, widths, strict=True):
            justify: JustifyMethod = "right" if column.is_number else "left"
            table.add_column(column.title, justify=justify, width=width, overflow="fold")
        if space_left:
            table.add_column(self._title, max_width=space_left, overflow="fold")
        for row in rows:
            cells = [column.cells[row] for column in inside]
            if space_left:
                lines = _filled(self._entries[row], space_left)
                cells.append(Text("\n".join(lines)))
            table.add_row(*cells)
        return table


def _widths(columns: Sequence[TableColumn], space_left: int) -> list[int] | None:
    """Return the width of each column, with a sum of at most `space_left`; None if they do not
    fit.
    """
    widths = [column.width for column in columns]
    over = sum(widths) + _GAP * (len(widths) - 1) - space_left
    while over > 0:
        spare: list[tuple[int, int]] = []
        for at, column in enumerate(columns):
            if column.narrowest is not None and widths[at] > column.narrowest:
                spare.append((widths[at], at))
        if not spare:
            return None
        widths[max(spare)[1]] -= 1
        over -= 1
    return widths


def _filled(pieces: Sequence[str], width: int) -> list[str]:
    """Return lines filled with comma-separated pieces.

    A piece that is wider than a line gets its own line.
    """
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + 3 + len(piece) <= width:
            lines[-1] += f", {piece}"
        elif lines:
            lines[-1] += ","
            lines.append(piece)
        else:
            lines.append(piece)
    return lines


def shared(columns: Iterable[TableColumn], suffix: str) -> list[TableColumn]:
    """Move a suffix that all cells of a column share into the column's title."""
    return [_with_suffix_in_title(column, suffix) for column in columns]


def _with_suffix_in_title(column: TableColumn, suffix: str) -> TableColumn:
    filled = [cell for cell in column.cells if cell.plain]
    is_shared = bool(filled) and all(cell.plain.endswith(suffix) for cell in filled)
    if not is_shared:
        return column
    cells = tuple(Text(cell.plain.removesuffix(suffix)) for cell in column.cells)
    return replace(column, title=column.title + suffix, cells=cells)
