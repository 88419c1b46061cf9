"""Which of the student's lines stand beside a cause."""

from __future__ import annotations

import pytest

from harness.model.causes import CodePlace
from harness.reporting.view.code import own_lines


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("def f(x):|    return x", None, [3, 4]),
        ('def f(x):|    """One line."""|    return x', None, [3, 5]),
        ('def f(x):|    """Two|    lines.|    """|    return x', None, [3, 7]),
        ("def f(x):|    '''Never closed.|    return x", None, [3]),
        ("|".join(f"line {n}" for n in range(30)), None, list(range(3, 15))),
        ("|".join(f"line {n}" for n in range(30)), 20, list(range(14, 26))),
    ],
)
def test_lines(text: str, line: int | None, expected: list[int]) -> None:
    lines = tuple(text.split("|"))
    place = CodePlace(file="a1.py", first=3, last=2 + len(lines), text=lines)
    assert [number for number, _ in own_lines(place, line)] == expected
