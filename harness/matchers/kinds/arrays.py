"""Matchers for arrays and tables: `{array: …}` for NumPy, `{frame: …}` for pandas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.common.words import counted, listed
from harness.matchers.comparison import (
    same,
    same_in_any_order,
    same_number,
    source,
    with_tolerated,
)
from harness.matchers.reading import (
    DISTANCE,
    FLAG,
    Part,
    PartsDisagreeError,
    YamlNode,
    matcher_key,
    read_all,
    read_values,
)
from harness.model.expectation import Floats, Matcher
from harness.model.values import SEQUENCES, Value, ValueKind

ARRAY_TYPE, FRAME_TYPE, SERIES_TYPE = "ndarray", "DataFrame", "Series"
ANY_DTYPE = "any"
_GROUPS = ("int", "float", "bool", "complex", "str", "datetime")
_TABLE_PARTS = frozenset({"columns", "dtypes", "index", "rows"})
_PARTS = {
    ARRAY_TYPE: frozenset({"dtype", "shape", "items"}),
    FRAME_TYPE: _TABLE_PARTS,
    SERIES_TYPE: frozenset({"name", "dtype", "index", "items"}),
}
_NUMBERS = frozenset({ValueKind.INT, ValueKind.FLOAT})
_NAN = "nan"


def is_alike(expected: Value, actual: Value, floats: Floats | None) -> bool:
    """Return whether two cells, or nested lists of cells, are equal.

    Numbers are compared by value, and None equals `nan`.
    """
    pending = [(expected, actual)]
    while pending:
        left, right = pending.pop()
        if left.kind in SEQUENCES and right.kind in SEQUENCES:
            if len(left.items) != len(right.items):
                return False
            pending += zip(left.items, right.items, strict=True)
        elif not _is_same_cell(left, right, floats):
            return False
    return True


def _is_same_cell(left: Value, right: Value, floats: Floats | None) -> bool:
    if _is_missing(left) or _is_missing(right):
        return _is_missing(left) and _is_missing(right)
    if left.kind not in _NUMBERS or right.kind not in _NUMBERS:
        return same(left, right, floats)
    return left.text == right.text or same_number(left, right, floats)


def _is_missing(value: Value) -> bool:
    return value.kind is ValueKind.NONE or (value.kind is ValueKind.FLOAT and value.text == _NAN)


def _as_lists(value: Value) -> Value:
    """Return a list with Python's numbers and lists instead of NumPy's numbers and arrays."""
    if value.kind in SEQUENCES:
        return _list_of(map(_as_lists, value.items))
    if value.kind is not ValueKind.OBJECT:
        return value
    if value.content is not None:
        return value.content
    if value.text == ARRAY_TYPE:
        return value.by_name().get("items", value)
    return value


def _has_dtype(actual: str, asked: str) -> bool:
    """Return whether a dtype is the requested one, or belongs to the requested group (`int` stands
    for any size).
    """
    if asked in (ANY_DTYPE, actual):
        return True
    return asked in _GROUPS and actual.removeprefix("u").startswith(asked)


def has_fixed_parts(value: Value) -> bool:
    """Return whether a value always has the same parts to compare: an array, table, series or
    NumPy number.
    """
    names = frozenset(value.by_name())
    if value.content is not None:
        return names == {""}  # has only content, no attributes
    return names == _PARTS.get(value.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayOf(Matcher):
    """An array with these items in this shape; with `lists`, nested lists are accepted too."""

    items: Value
    dtype: str = ANY_DTYPE
    lists: bool = False
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        if value.kind is ValueKind.OBJECT:
            return self._accepts_array(value)
        is_plain = value.kind in SEQUENCES or value.kind in _NUMBERS
        return self.lists and is_plain and is_alike(self.items, _as_lists(value), self.floats)

    def _accepts_array(self, value: Value) -> bool:
        found = value.by_name()
        if value.text == ARRAY_TYPE and "items" in found and "dtype" in found:
            has_dtype = _has_dtype(found["dtype"].text, self.dtype)
            return has_dtype and is_alike(self.items, found["items"], self.floats)
        if self.items.kind in SEQUENCES or value.content is None:
            return False
        # A NumPy number, which is an array without dimensions.
        has_dtype = _has_dtype(value.text, self.dtype)
        return has_dtype and is_alike(self.items, value.content, self.floats)

    def as_tables(self, value: Value) -> tuple[Value, Value] | None:
        actual = value.by_name().get("items")
        if actual is None:
            return None
        return self.items, with_tolerated(self.items, actual, self.floats)

    def in_words(self, *, whole: bool = False) -> str:
        words = f"an array of {source(self.items, whole=whole)}"
        if self.dtype != ANY_DTYPE:
            words += f" with dtype {self.dtype}"
        if self.lists:
            words += ", or lists of the same"
        return words + _within(self.floats)


def _within(floats: Floats | None) -> str:
    return "" if floats is None else f" (numbers within {floats.within:g})"


def _floats(field: YamlNode) -> Floats:
    return Floats(within=DISTANCE.read(field))


_DISTANCE = Part(read=_floats, schema=DISTANCE.schema, key="within", optional=True)


def _dtype(field: YamlNode) -> str:
    name = field.text()
    if not name.isidentifier():
        field.expected("a dtype", f"like {listed(_GROUPS[:3], 'or')}, float64 or {ANY_DTYPE}")
    return name


_DTYPE = Part(read=_dtype, schema={"type": "string"}, optional=True)


def _nested(field: YamlNode) -> Value:
    value = field.value()
    shape = _shape(value)
    if shape is None:
        field.expected("lists of equal length")
    return value


def _shape(value: Value) -> tuple[int, ...] | None:
    """Return the lengths of nested lists, outermost first; None if inner lists have different
    lengths.
    """
    if value.kind is not ValueKind.LIST:
        return ()
    inner: tuple[int, ...] = ()
    for position, item in enumerate(value.items):
        shape = _shape(item)
        if shape is None or (position > 0 and shape != inner):
            return None
        inner = shape
    return (len(value.items), *inner)


ARRAY = matcher_key(
    "array",
    ArrayOf,
    for_text=False,
    example="{array: [[1, 2], [3, 4]], dtype: int}",
    items=Part(read=_nested, schema={}),
    dtype=_DTYPE,
    lists=FLAG,
    floats=_DISTANCE,
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and its values, first row first."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The parts of a data frame returned by a program."""

    columns: list[str]
    dtypes: list[str]
    index: tuple[Value, ...]
    rows: list[tuple[Value, ...]]  # one row for each label, with one value for each column


def _table_of(value: Value) -> _Table | None:
    """Return the parts of a data frame; None for other values, even for objects of the program's
    own class `DataFrame`.
    """
    found = value.by_name()
    if value.text != FRAME_TYPE or not found.keys() >= _TABLE_PARTS:
        return None
    columns = _texts(found["columns"])
    index = found["index"].items
    rows: list[tuple[Value, ...]] = []
    for row in found["rows"].items:
        if len(row.items) != len(columns):
            return None
        rows.append(row.items)
    if len(rows) != len(index):
        return None
    return _Table(columns=columns, dtypes=_texts(found["dtypes"]), index=index, rows=rows)


def _texts(value: Value) -> list[str]:
    return [item.text for item in value.items]


def _list_of(items: Iterable[Value]) -> Value:
    return Value(ValueKind.LIST, items=tuple(items))


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameOf(Matcher):
    """A data frame with these columns. If no `index` is stated, any is accepted."""

    columns: tuple[Column, ...]
    index: tuple[Value, ...] | None = None
    any_column_order: bool = False
    any_row_order: bool = False
    dtype: str = ANY_DTYPE
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        table = _table_of(value)
        if table is None or not self._has_columns(table):
            return False
        expected = self._rows(self.index)
        rows = self._rows_of(table)
        if self.any_row_order:
            return same_in_any_order(expected, rows, partial(is_alike, floats=self.floats))
        return is_alike(_list_of(expected), _list_of(rows), self.floats)

    def _has_columns(self, table: _Table) -> bool:
        """Return whether a data frame has exactly these columns, with the stated dtypes."""
        names = self._names()
        if self.any_column_order:
            has_names = sorted(table.columns) == sorted(names)
        else:
            has_names = table.columns == names
        return has_names and all(_has_dtype(dtype, self.dtype) for dtype in table.dtypes)

    def _names(self) -> list[str]:
        return [column.name for column in self.columns]

    def _rows(self, index: tuple[Value, ...] | None) -> list[Value]:
        """Return the expected rows; each begins with its label if there is an index."""
        columns = [column.values for column in self.columns]
        if index is not None:
            columns.insert(0, index)
        return list(map(_list_of, zip(*columns, strict=True)))

    def _rows_of(self, table: _Table) -> list[Value]:
        """Return a data frame's rows in the same form as the expected rows."""
        places = list(map(table.columns.index, self._names()))
        rows: list[Value] = []
        for label, row in zip(table.index, table.rows, strict=True):
            cells = [row[place] for place in places]
            if self.index is not None:
                cells.insert(0, label)
            rows.append(_list_of(cells))
        return rows

    def as_tables(self, value: Value) -> tuple[Value, Value] | None:
        actual = value.by_name().get("rows")
        if actual is None:
            return None
        expected = _list_of(self._rows(None))
        return expected, with_tolerated(expected, actual, self.floats)

    def in_words(self, *, whole: bool = False) -> str:
        shown: list[Value] = []
        for column in self.columns:
            shown += [Value(ValueKind.STR, column.name), _list_of(column.values)]
        columns = Value(ValueKind.DICT, items=tuple(shown))
        words = f"a data frame of {source(columns, whole=whole)}"
        if self.index is not None:
            words += f" with the index {source(_list_of(self.index), whole=whole)}"
        free = []
        if self.any_column_order:
            free.append("columns")
        if self.any_row_order:
            free.append("rows")
        if free:
            words += f", {listed(free)} in any order"
        return words + _within(self.floats)


def _columns(field: YamlNode) -> tuple[Column, ...]:
    if not isinstance(field.data, dict) or not field.data:
        field.expected("columns with their values", "write {frame: {name: [Ada, Bob]}}")
    columns = read_all(map(field.at, field.data), _column)
    lengths = set(map(_length, columns))
    if len(lengths) > 1:
        field.refuse("the columns have different lengths")
    return columns


def _length(column: Column) -> int:
    return len(column.values)


def _column(field: YamlNode) -> Column:
    return Column(str(field.path[-1]), read_values(field))


def _frame(**arguments: Any) -> FrameOf:
    """Return the matcher.

    Raise PartsDisagreeError if the index does not have one label for each row.
    """
    frame = FrameOf(**arguments)
    count = _length(frame.columns[0])
    if frame.index is not None and len(frame.index) != count:
        labels, rows = counted(len(frame.index), "label"), counted(count, "row")
        raise PartsDisagreeError(f"the index has {labels} for {rows}")
    return frame


FRAME = matcher_key(
    "frame",
    _frame,
    for_text=False,
    example="{frame: {name: [Ada, Bob], age: [36, 41]}}",
    columns=Part(read=_columns, schema={"type": "object"}),
    index=Part(read=read_values, schema={"type": "array"}, optional=True),
    any_column_order=FLAG,
    any_row_order=FLAG,
    dtype=_DTYPE,
    floats=_DISTANCE,
)
