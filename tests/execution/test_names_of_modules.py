"""Whether each change to a module's names is noticed, with a number of the dictionary's state and
without one."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from harness.execution.inside.shared import namespaces
from harness.execution.inside.shared.namespaces import Names

Change = Callable[[ModuleType], object]
SPECIALISED = 50  # after so many times the interpreter runs code for this kind of object


@pytest.fixture(params=["by its number", "one by one"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "one by one":
        monkeypatch.setattr(namespaces, "_HAS_NUMBERS", False)


def _module() -> ModuleType:
    module = ModuleType("program")
    vars(module).update(count=1, size=2, start=print)
    return module


def _assign_often(module: ModuleType) -> None:
    for _ in range(SPECIALISED):
        module.count = 5


def _assign_by_a_function(module: ModuleType) -> None:
    text = "def assign():\n    global count\n    count = 5"
    exec(text, vars(module))
    assign = vars(module).pop("assign")
    for _ in range(SPECIALISED):
        assign()


def _reorder(module: ModuleType) -> None:
    vars(module)["count"] = vars(module).pop("count")


CHANGES: list[tuple[Change, str]] = [
    (lambda module: setattr(module, "count", 5), " (`count`)"),
    (lambda module: setattr(module, "count", 1.0), " (`count`)"),
    (lambda module: delattr(module, "size"), " (`size`)"),
    (lambda module: setattr(module, "more", 1), " (`more`)"),
    (lambda module: vars(module).update(count=5), " (`count`)"),
    (lambda module: vars(module).setdefault("more"), " (`more`)"),
    (lambda module: vars(module).pop("count"), " (`count`)"),
    (lambda module: vars(module).popitem(), " (`start`)"),
    (lambda module: vars(module).__ior__({"more": 1}), " (`more`)"),
    (lambda module: exec("count += 4", vars(module)), " (`count`)"),
    (_assign_often, " (`count`)"),
    (_assign_by_a_function, " (`count`)"),
    (_reorder, ""),
]


@pytest.mark.parametrize(("change", "where"), CHANGES)
def test_each_change_is_told(change: Change, where: str) -> None:
    module = _module()
    names = Names("a name of a1.py", vars(module))
    assert names.change() == ""
    change(module)
    assert names.change() == "a name of a1.py" + where
    assert names.change(), "a change was told once only"


def test_an_emptied_namespace_is_a_change() -> None:
    module = _module()
    names = Names("a name of a1.py", vars(module))
    vars(module).clear()
    assert names.change()


def test_what_is_put_back_in_its_place_is_no_change() -> None:
    module = _module()
    names = Names("a name of a1.py", vars(module))
    module.count = 5
    module.count = 1
    assert names.change() == ""
    module.count = 6
    assert names.change()


def test_a_change_that_was_put_back_does_not_hide_the_next_one() -> None:
    module = _module()
    names = Names("a name of a1.py", vars(module))
    for _ in range(3):
        module.count = 5
        module.count = 1
        assert names.change() == ""
    module.start = len
    assert names.change()


def test_the_known_versions_have_numbers() -> None:
    known = sys.implementation.name == "cpython" and sys.version_info[:2] in {(3, 11), (3, 12)}
    if known:
        assert namespaces._has_numbers()


def test_a_number_is_read_without_a_change() -> None:
    space: dict[str, Any] = {"a": 1}
    if not namespaces._has_numbers():
        pytest.skip("this interpreter numbers no states")
    number = namespaces._number_in(space)
    before = number.value
    assert space["a"] == 1
    assert number.value == before
    space["a"] = 2
    assert number.value > before
