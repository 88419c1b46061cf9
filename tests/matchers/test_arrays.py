"""Matchers of arrays and data frames, on what a program's process says of such values."""

import math

import pytest

from harness.judging.side_by_side.boards import grid_pair, rows_of
from harness.matchers.comparison import same
from harness.matchers.kinds.arrays import ArrayOf, Column, FrameOf, has_fixed_parts
from harness.matchers.kinds.values import Approximately
from harness.model.expectation import Floats, Matcher
from harness.model.values import Value, ValueKind

NEAR = Floats(within=0.01)


def described(name: str, /, **parts: object) -> Value:
    items: list[Value] = []
    for key, part in parts.items():
        items += [Value(ValueKind.STR, key), Value.of(part)]
    return Value(ValueKind.OBJECT, name, tuple(items))


def array(items: list[object], dtype: str = "int64", shape: tuple[int, ...] = (2,)) -> Value:
    return described("ndarray", dtype=dtype, shape=shape, items=items)


def number(value: float, dtype: str = "float64") -> Value:
    items = (Value(ValueKind.STR, ""), Value.of(value))
    return Value(ValueKind.OBJECT, dtype, items)


def frame(
    rows: list[list[object]],
    columns: tuple[str, ...] = ("a", "b"),
    index: tuple[object, ...] = (0, 1),
    dtypes: tuple[str, ...] = ("int64", "object"),
) -> Value:
    found = {"columns": list(columns), "dtypes": list(dtypes), "index": list(index)}
    return described("DataFrame", **found, rows=rows)


def array_of(items: object, **more: object) -> ArrayOf:
    return ArrayOf(items=Value.of(items), **more)  # type: ignore[arg-type]


def frame_of(index: tuple[object, ...] | None = None, **more: object) -> FrameOf:
    columns = (
        Column("a", (Value.of(1), Value.of(2))),
        Column("b", (Value.of("x"), Value.of(None))),
    )
    labels = None if index is None else tuple(map(Value.of, index))
    return FrameOf(columns=columns, index=labels, **more)  # type: ignore[arg-type]


ROWS = [[1, "x"], [2, math.nan]]
SWAPPED = frame([["x", 1], [None, 2]], ("b", "a"))
CASES: dict[str, tuple[Matcher, Value, bool]] = {
    "the same": (array_of([1, 2]), array([1, 2]), True),
    "floats of the same value": (array_of([1, 2]), array([1.0, 2.0], "float64"), True),
    "another item": (array_of([1, 2]), array([1, 3]), False),
    "another shape": (array_of([1, 2]), array([[1, 2]], shape=(1, 2)), False),
    "near": (array_of([1.0, 2.0], floats=NEAR), array([1.001, 2], "float64"), True),
    "not near": (array_of([1.0, 2.0], floats=NEAR), array([1.1, 2], "float64"), False),
    "a group of dtypes": (array_of([1, 2], dtype="int"), array([1, 2], "uint8"), True),
    "another group": (array_of([1, 2], dtype="int"), array([1.0, 2.0], "float64"), False),
    "a dtype": (array_of([1, 2], dtype="int64"), array([1, 2], "int32"), False),
    "true is no 1": (array_of([1, 0]), array([True, False], "bool"), False),
    "nan": (array_of([math.nan, 1]), array([math.nan, 1.0], "float64"), True),
    "an int beyond the precision of floats": (array_of([2**53]), array([2**53 + 1]), False),
    "null for nan": (array_of([None, 1]), array([math.nan, 1.0], "float64"), True),
    "a list": (array_of([1, 2]), Value.of([1, 2]), False),
    "a list where lists are right": (array_of([1, 2], lists=True), Value.of([1, 2]), True),
    "a list of NumPy's numbers": (
        array_of([1, 2.5], lists=True, floats=NEAR),
        Value(ValueKind.LIST, items=(number(1.0), number(2.501))),
        True,
    ),
    "a list of other numbers of NumPy's": (
        array_of([1, 2], lists=True),
        Value(ValueKind.LIST, items=(number(1.0), number(3.0))),
        False,
    ),
    "a list of arrays": (
        array_of([[1, 2]], lists=True),
        Value(ValueKind.LIST, items=(array([1, 2]),)),
        True,
    ),
    "a list of NumPy's numbers, where an array is asked for": (
        array_of([1]),
        Value(ValueKind.LIST, items=(number(1.0),)),
        False,
    ),
    "another list": (array_of([1, 2], lists=True), Value.of([1, 2, 3]), False),
    "a number": (array_of(1.5), number(1.5), True),
    "another number": (array_of(1.5), number(2.5), False),
    "a number instead of an array": (array_of([1.5]), number(1.5), False),
    "a forged array": (array_of([1, 2]), described("ndarray", items=[1, 2]), False),
    "a series": (array_of([1, 2]), described("Series", dtype="int64", items=[1, 2]), False),
    "approx": (Approximately(number=1.5, within=0.1), number(1.55), True),
    "approx of a class of the program's": (
        Approximately(number=1.5, within=0.1), number(1.5, "Money"), False,
    ),
    "a frame": (frame_of(), frame(ROWS), True),
    "other columns": (frame_of(), frame(ROWS, ("a", "c")), False),
    "columns in another order": (frame_of(), SWAPPED, False),
    "columns in any order": (frame_of(any_column_order=True), SWAPPED, True),
    "rows in another order": (frame_of(), frame(ROWS[::-1]), False),
    "rows in any order": (frame_of(any_row_order=True), frame(ROWS[::-1]), True),
    "a row twice": (frame_of(any_row_order=True), frame([ROWS[0], ROWS[0]]), False),
    "a row too many": (frame_of(), frame([*ROWS, [3, "y"]], index=(0, 1, 2)), False),
    "a row too few": (frame_of(), frame(ROWS[:1], index=(0,)), False),
    "any index": (frame_of(), frame(ROWS, index=("p", "q")), True),
    "an index": (frame_of(index=("p", "q")), frame(ROWS, index=("p", "q")), True),
    "another index": (frame_of(index=("p", "q")), frame(ROWS), False),
    "dtypes": (frame_of(dtype="int"), frame(ROWS), False),
    "no frame": (frame_of(), Value.of([[1, "x"]]), False),
    "a class of the program's with a short row": (frame_of(), frame([[1, "x"], [2]]), False),
    "a class of the program's with a long row": (frame_of(), frame([[1, "x", 3], ROWS[1]]), False),
    "a class of the program's with too few labels": (
        frame_of(index=("p", "q")), frame(ROWS, index=("p",)), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("matcher", "value", "meets"), CASES.values(), ids=CASES)
def test_a_value_meets_the_matcher(matcher: Matcher, value: Value, meets: bool) -> None:
    assert matcher.accepts(value) is meets
    assert matcher.in_words()


def test_beside_a_reference_dtype_shape_and_items_are_compared() -> None:
    assert same(array([1, 2]), array([1, 2]))
    assert not same(array([1, 2]), array([1, 2], "float64"))
    assert same(array([1.0, 2.0]), array([1.001, 2.0]), NEAR)
    assert not same(number(1.5), number(2.5))


def test_both_sides_are_shown_as_tables() -> None:
    left = array([[1, 2], [3, 4]], shape=(2, 2))
    right = array([[1, 2], [5, 4]], shape=(2, 2))
    pair = grid_pair(rows_of(left), rows_of(right))
    assert pair is not None
    assert [cell.differs for row in pair.actual.rows for cell in row] == [False, False, True, False]
    tables = array_of([[1, 2], [3, 4]]).as_tables(right)
    assert tables is not None
    assert grid_pair(*tables) == pair


FIXED = {
    "array": array([1, 2]),
    "number": number(1.5),
    "frame": frame([[1, "x"], [2, "y"]]),
    "series": described("Series", name="a", dtype="int64", index=[0], items=[1]),
}
OWN = {
    "another class": described("Pet", name="Rex"),
    "a class of that name": described("ndarray", items=[1]),
    "a number with attributes": described("Celsius", **{"": 1.5}, unit="C"),
}


@pytest.mark.parametrize("value", FIXED.values(), ids=FIXED)
def test_the_parts_of_an_array_are_not_chosen_by_the_spec(value: Value) -> None:
    assert has_fixed_parts(value)


@pytest.mark.parametrize("value", OWN.values(), ids=OWN)
def test_the_attributes_of_another_object_may_be_chosen(value: Value) -> None:
    assert not has_fixed_parts(value)
