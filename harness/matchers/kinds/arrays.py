"""Matchers of arrays and tables: `{array: …}` of NumPy, `{frame: …}` of pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.common.words import listed
from harness.matchers.comparison import is_near, same, source, with_tolerated
from harness.matchers.reading import (
    DISTANCE,
    FLAG,
    Part,
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
_NUMBERS = frozenset({ValueKind.INT, ValueKind.FLOAT})
_NAN = "nan"


def parts(value: Value) -> Mapping[str, Value]:
    """Return the named parts of an object; none of another value."""
    if value.kind is not ValueKind.OBJECT:
        return {}
    names = (name.text for name in value.items[::2])
    return dict(zip(names, value.items[1::2], strict=True))


def is_alike(expected: Value, actual: Value, floats: Floats | None) -> bool:
    """Return whether two cells, or nested lists of them, hold the same: numbers by their values,
    None as `nan`, lists by their items.
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
    if left.text == right.text:
        return True
    try:
        numbers = float(left.text), float(right.text)
    except (ValueError, OverflowError):
        return False
    within = 0.0 if floats is None else floats.within
    return numbers[0] == numbers[1] or is_near(*numbers, within)


def _is_missing(value: Value) -> bool:
    return value.kind is ValueKind.NONE or (value.kind is ValueKind.FLOAT and value.text == _NAN)


def _has_dtype(actual: str, asked: str) -> bool:
    """Return whether a dtype is this one, or one of this group (`int` of any size)."""
    if asked in (ANY_DTYPE, actual):
        return True
    return asked in _GROUPS and actual.removeprefix("u").startswith(asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayOf(Matcher):
    """An array of these items, in this shape; `lists`: or nested lists of them."""

    items: Value
    dtype: str = ANY_DTYPE
    lists: bool = False
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        if value.kind is ValueKind.OBJECT:
            return self._accepts_array(value)
        is_plain = value.kind in SEQUENCES or value.kind in _NUMBERS
        return self.lists and is_plain and is_alike(self.items, value, self.floats)

    def _accepts_array(self, value: Value) -> bool:
        found = parts(value)
        if value.text == ARRAY_TYPE and "items" in found and "dtype" in found:
            has_dtype = _has_dtype(found["dtype"].text, self.dtype)
            return has_dtype and is_alike(self.items, found["items"], self.floats)
        if self.items.kind in SEQUENCES or value.content is None:
            return False
        # A number of NumPy's, which is an array of no dimensions.
        has_dtype = _has_dtype(value.text, self.dtype)
        return has_dtype and is_alike(self.items, value.content, self.floats)

    def as_tables(self, value: Value) -> tuple[Value, Value] | None:
        actual = parts(value).get("items")
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
    """Return the lengths of nested lists, the outer one first; None if they differ."""
    if value.kind is not ValueKind.LIST:
        return ()
    shapes = [_shape(item) for item in value.items]
    if any(shape is None or shape != shapes[0] for shape in shapes):
        return None
    inner = shapes[0] if shapes else ()
    return (len(value.items), *(inner or ()))


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
    """A column's name and values, from the first row to the last."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameOf(Matcher):
    """A data frame of these columns. Without an `index` any will do."""

    columns: tuple[Column, ...]
    index: tuple[Value, ...] | None = None
    any_column_order: bool = False
    any_row_order: bool = False
    dtype: str = ANY_DTYPE
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        found = parts(value)
        if value.text != FRAME_TYPE or not {"columns", "dtypes", "index", "rows"} <= set(found):
            return False
        names = [name.text for name in found["columns"].items]
        expected = [column.name for column in self.columns]
        if self.any_column_order and len(set(names)) == len(names):
            names, expected = sorted(names), sorted(expected)
        if names != expected:
            return False
        if not all(_has_dtype(dtype.text, self.dtype) for dtype in found["dtypes"].items):
            return False
        written = [name.text for name in found["columns"].items]
        order = [written.index(column.name) for column in self.columns]
        rows = [[row.items[place] for place in order] for row in found["rows"].items]
        return self._has_rows(list(found["index"].items), rows)

    def _has_rows(self, index: list[Value], rows: list[list[Value]]) -> bool:
        """Return whether these are the rows, each with its label if labels count."""
        expected = list(self._rows())
        if self.index is not None:
            rows = [[label, *row] for label, row in zip(index, rows, strict=True)]
        if len(rows) != len(expected):
            return False
        for row in rows:
            at = self._place_of(row, expected)
            if at is None:
                return False
            del expected[at]
        return True

    def _place_of(self, row: list[Value], left: list[list[Value]]) -> int | None:
        """Return the place of a row among those that are left; None if it is not the first one, or
        in any order none of them."""
        actual = Value(ValueKind.LIST, items=tuple(row))
        candidates = left if self.any_row_order else left[:1]
        for place, expected in enumerate(candidates):
            if is_alike(Value(ValueKind.LIST, items=tuple(expected)), actual, self.floats):
                return place
        return None

    def _rows(self) -> Iterator[list[Value]]:
        count = max((len(column.values) for column in self.columns), default=0)
        for at in range(count):
            label = [] if self.index is None else [self.index[at]]
            yield label + [column.values[at] for column in self.columns]

    def as_tables(self, value: Value) -> tuple[Value, Value] | None:
        actual = parts(value).get("rows")
        if actual is None:
            return None
        rows: list[Value] = []
        for at in range(len(self.columns[0].values)):
            cells = tuple(column.values[at] for column in self.columns)
            rows.append(Value(ValueKind.LIST, items=cells))
        expected = Value(ValueKind.LIST, items=tuple(rows))
        return expected, with_tolerated(expected, actual, self.floats)

    def in_words(self, *, whole: bool = False) -> str:
        shown: list[Value] = []
        for column in self.columns:
            values = Value(ValueKind.LIST, items=column.values)
            shown += [Value(ValueKind.STR, column.name), values]
        words = f"a data frame of {source(Value(ValueKind.DICT, items=tuple(shown)), whole=whole)}"
        if self.index is not None:
            index = source(Value(ValueKind.LIST, items=self.index), whole=whole)
            words += f" with the index {index}"
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
    columns = read_all((field.at(name) for name in field.data), _column)
    if len({len(column.values) for column in columns}) > 1:
        field.refuse("the columns have different lengths")
    return columns


def _column(field: YamlNode) -> Column:
    return Column(str(field.path[-1]), read_values(field))


FRAME = matcher_key(
    "frame",
    FrameOf,
    for_text=False,
    example="{frame: {name: [Ada, Bob], age: [36, 41]}}",
    columns=Part(read=_columns, schema={"type": "object"}),
    index=Part(read=read_values, schema={"type": "array"}, optional=True),
    any_column_order=FLAG,
    any_row_order=FLAG,
    dtype=_DTYPE,
    floats=_DISTANCE,
)
