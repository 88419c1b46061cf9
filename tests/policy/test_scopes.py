"""What Python's compiler says of names: a second look beside the rules of the proof."""

from __future__ import annotations

import pytest

from harness.policy.statelessness.scopes import forbidden_name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f():\n    return [open for open in [open]]\n", "open"),
        ("def f():\n    [(lambda: (eval := 1)) for _ in [0]]\n    return eval\n", "eval"),
        ("k = [eval for x in [1] if x or (eval := 1)]\n", "eval"),
        ("class A:\n    id = id\n", "id"),
        ("class A:\n    object = object\n", "object"),
        ("def f():\n    [(lambda: (object := 1)) for _ in [0]]\n    return object\n", "object"),
        ("if 0:\n    vars = 1\nlook = vars\n", "vars"),
        ("def f(x=open):\n    pass\n", "open"),
        ("match 1:\n    case __builtins__:\n        pass\n", "__builtins__"),
        ("match {}:\n    case {**__name__}:\n        pass\n", "__name__"),
        ("from math import pi as __spec__\n", "__spec__"),
        ("class __loader__:\n    pass\n", "__loader__"),
        ("def f(__class__):\n    pass\n", "__class__"),
    ],
)
def test_what_may_be_pythons_own(source: str, name: str) -> None:
    assert forbidden_name(source.encode()) == name


@pytest.mark.parametrize(
    "source",
    [
        "def f(id, open):\n    return [id for id in [open]]\n",
        "def f():\n    vars = 1\n    def g():\n        return vars\n    return g\n",
        "def f(x):\n    return type(x) is int and x\n",
        "__author__ = 'x'\nclass A:\n    def __init__(self):\n        super().__init__()\n",
        "print(__name__)\n",
        "class A(object):\n    def __eq__(self, other: object) -> bool:\n        return True\n",
        "\ufeffx = 'é'\r\n",
    ],
)
def test_what_is_surely_the_programs(source: str) -> None:
    assert forbidden_name(source.encode()) == ""
