"""Which growth a count of lines shows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from harness.execution.inside.scenario.counting import LineCounter
from harness.judging.growth import grows_within
from harness.model.plan import Growth

SIZES = (64, 128, 256, 512)
_DEFINITIONS = {
    "nothing": "pass",
    "first": "return items[0]",
    "halves": "n = len(items)\nwhile n > 1:\n    n //= 2",
    "loop": "for item in items:\n    item += 1",
    "loop_on_one_line": "for item in items: item += 1",
    "comprehension": "return [item + 1 for item in items]",
    "generator": "return sum(item + 1 for item in items)",
    "two_loops": "for a in items: a\nfor b in items: b",
    "loop_after_much": "for a in range(5000): a\nfor b in items: b",
    "loop_and_halves": "n = len(items)\nwhile n > 1:\n    n //= 2\nfor b in items: b",
    "recursion": "if items:\n    f(items[1:])",
    "halves_of_each": "for item in items:\n    n = len(items)\n    while n > 1:\n        n //= 2",
    "merge_sort": "if len(items) < 2: return items\nm = len(items) // 2\n"
    "a = f(items[:m])\nb = f(items[m:])\nr = []\n"
    "while a and b:\n    r.append((a if a[0] < b[0] else b).pop(0))\nreturn r + a + b",
    "loop_in_a_loop": "for a in items:\n    for b in items:\n        b",
    "triangle": "for i in range(len(items)):\n    for j in range(i):\n        j",
    "nested_comprehension": "return [a for a in items for b in items]",
    "three_loops": "for a in items[:64]:\n    for b in items:\n        for c in items: c",
    "cube": "n = len(items) // 16\n"
    "for a in range(n):\n    for b in range(n):\n        for c in range(n): c",
    # Work inside what is built in counts as the line that asks for it.
    "built_in_search": "return -1 in items",
    "searches": "for item in items:\n    item in items",
    "inserts": "r = []\nfor item in items:\n    r.insert(0, item)",
    "sorted": "return sorted(items)",
}
_CONSTANT = {"nothing", "first", "halves", "built_in_search", "sorted"}
_LINEAR = {
    *("loop", "loop_on_one_line", "comprehension", "generator", "two_loops", "loop_after_much"),
    *("loop_and_halves", "recursion", "searches", "inserts"),
}
_N_LOG_N = {"halves_of_each", "merge_sort"}
_QUADRATIC = {"loop_in_a_loop", "triangle", "nested_comprehension", "three_loops"}


def _function(body: str) -> Callable[[list[int]], Any]:
    indented = body.replace("\n", "\n    ")
    code = compile(f"def f(items):\n    {indented}\n", "a1.py", "exec")
    names: dict[str, Any] = {}
    exec(code, names)
    found: Callable[[list[int]], Any] = names["f"]
    return found


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Any:
    before = sys.gettrace()
    for name in ("settrace", "setprofile"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    if hasattr(sys, "monitoring"):
        monkeypatch.setattr(sys, "monitoring", sys.monitoring)
    own = sys.settrace
    yield
    own(before)


def _counted(act: Callable[[], object]) -> LineCounter:
    settrace = sys.settrace
    counter = LineCounter({"a1.py"})
    counter.start()
    act()
    has_counted = counter.has_counted_all()
    settrace(None)
    assert has_counted
    return counter


@pytest.mark.parametrize("name", _DEFINITIONS)
def test_growth_is_told_from_the_lines_that_run(name: str) -> None:
    function = _function(_DEFINITIONS[name])
    settrace = sys.settrace
    lines = []
    for size in SIZES:
        items = list(range(size))
        lines.append(_counted(lambda items=items: function(items)).lines)  # type: ignore[misc]
        sys.settrace = settrace
    found = {growth for growth in Growth if grows_within(growth, lines)}
    expected = set(Growth)
    if name not in _CONSTANT | _LINEAR:
        expected.remove(Growth.LINEAR)
    if name not in _CONSTANT | _LINEAR | _N_LOG_N:
        expected.remove(Growth.N_LOG_N)
    if name not in _CONSTANT | _LINEAR | _N_LOG_N | _QUADRATIC:
        expected.remove(Growth.QUADRATIC)
    assert found == expected, lines


@pytest.mark.parametrize(
    "body",
    [
        "import sys\nsys.settrace(None)",
        "import sys\nsys.setprofile(None)",
        "import sys\nsys._getframe().f_trace_lines = False",
        "import sys\nsys._getframe().f_trace = None",
    ],
)
def test_a_program_that_stops_the_counting_is_noticed(body: str) -> None:
    function = _function(body)
    settrace = sys.settrace
    counter = LineCounter({"a1.py"})
    counter.start()
    function([])
    has_counted = counter.has_counted_all()
    settrace(None)
    assert not has_counted
