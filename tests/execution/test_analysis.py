"""What is read off a stimulus's text: what it needs, and a plain call in parts."""

from __future__ import annotations

import ast

import pytest

from harness.execution import Driver
from harness.execution.inside.scenario.evaluate import analyse, call_in_parts
from tests.execution.small_world import call, observe

FUNCTIONS = frozenset({"f", "g"})

# A call, its positional arguments, and its keyword arguments, as their own expressions
CALLS: dict[str, tuple[list[str], dict[str, str]]] = {
    "f()": ([], {}),
    "f(1, [2, (3,)])": (["1", "[2, (3,)]"], {}),
    "f((1, 2), (3), ((4)))": (["(1, 2)", "3", "4"], {}),
    "f(x for x in y)": (["(x for x in y)"], {}),
    "f((x := 3), lambda a, b: a)": (["(x := 3)", "lambda a, b: a"], {}),
    "f(1, key='é', other=g(2))": (["1"], {"key": "'é'", "other": "g(2)"}),
    "f('日本', 'é' 'b', 'x')": (["'日本'", "'é' 'b'", "'x'"], {}),
    "f(\n    [1,\n     2],  # with a word, and )\n    'a'\n    'b',\n)": (["[1, 2]", "'ab'"], {}),
    "f('''a\r\nb''',\r\n  '(')": (["'''a\\nb'''", "'('"], {}),
    "f('\\n', '\f', 1e400, -0.0)": (["'\\n'", "'\\x0c'", "1e400", "-0.0"], {}),
}
NOT_PLAIN = ["f", "f(*a)", "f(**k)", "h(1)", "f(1)(2)", "a.f(1)", "f(1) + 1", "(f)[0]", "f(", ""]


@pytest.mark.parametrize("expression", CALLS)
def test_a_plain_call_in_parts(expression: str) -> None:
    arguments, keywords = CALLS[expression]
    assert analyse("", expression, (), FUNCTIONS)[1] == len(arguments)
    named = [f"{name}=({value})" for name, value in keywords.items()]
    given = ", ".join([*(f"({each})" for each in arguments), *named])
    parts = call_in_parts(expression, FUNCTIONS)
    assert parts is not None
    expected = f"(f, *(lambda *a, **k: (a, k))({given}))"
    assert ast.dump(ast.parse(parts)) == ast.dump(ast.parse(expected))


@pytest.mark.parametrize("expression", NOT_PLAIN)
def test_what_is_not_a_plain_call(expression: str) -> None:
    assert analyse("", expression, (), FUNCTIONS)[1] is None


NEEDS = {
    ("", "f(g(1))", ()): ["f", "g"],
    ("g = 1", "f(g)", ()): ["f"],
    ("", "", ("def f(): g()", "f()")): ["g"],
    ("", "", ("(lambda g: g)(f)",)): ["f"],
    ("class f: pass", "f()", ()): [],
    ("", "", ("x = f()", "not a step (", "g()")): ["f", "g"],
}


@pytest.mark.parametrize("texts", NEEDS)
def test_what_must_be_there(texts: tuple[str, str, tuple[str, ...]]) -> None:
    assert analyse(*texts, FUNCTIONS)[0] == NEEDS[texts]


def test_a_text_that_only_the_grading_interpreter_can_read_is_read_there(driver: Driver) -> None:
    """Quotes of the same kind inside an f-string: from 3.12 on."""
    expression = """f(f"{"a" + "b"}")"""
    seen = observe(driver, "def f(text): return text * 2\n", call(expression))
    if driver.interpreter.version.startswith("3.11"):
        assert seen.raised is not None
        assert seen.raised.type_name == "SyntaxError"
    else:
        assert seen.value is not None
        assert seen.value.source() == "'abab'"
        assert [each.source() for each in seen.arguments_before] == ["'ab'"]


def test_an_expression_that_is_read_but_does_not_compile_is_an_error_of_its_own(
    driver: Driver,
) -> None:
    seen = observe(driver, "def f(x): return x\n", call("f((yield))"))
    assert seen.raised is not None
    assert seen.raised.type_name == "SyntaxError"
