"""Pasted REPL sessions: their steps, what they show, and what was typed."""

from __future__ import annotations

import pytest

from harness.assignment.scenarios.python_text import (
    SessionError,
    parse_session,
    prompts_of,
    typed_in,
)
from harness.model.stimulus import Key, Typed

PARSED = [
    (">>> f(1)\nTrue\n", [("f(1)", "True\n")]),
    (">>> x = 1\n>>> x\n1\n", [("x = 1", ""), ("x", "1\n")]),
    (">>> f(1,\n... 2)\n3\n", [("f(1,\n2)", "3\n")]),
    (">>> f()\n\na\n\n>>> g()\n", [("f()", "\na\n\n"), ("g()", "")]),
    (">>> show()\n...\n... a\n", [("show()", "...\n... a\n")]),
    (
        ">>> for i in x:\n...     print(i)\n...\n...\n1\n",
        [("for i in x:\n    print(i)", "...\n1\n")],
    ),
    (">>> for i in x: print(i)\n1\n", [("for i in x: print(i)", "1\n")]),
    (">>> # why\n>>> f()\n>>>\n", [("f()", "")]),
    (">>> s = '''a\n...   b'''\n>>> s\n", [("s = '''a\n  b'''", ""), ("s", "")]),
    (">>> f(){{ x }}\n", None),
]


@pytest.mark.parametrize(("text", "steps"), PARSED)
def test_steps(text: str, steps: list[tuple[str, str]] | None) -> None:
    if steps is None:
        with pytest.raises(SessionError, match="is not Python"):
            parse_session(text)
    else:
        assert [(step.source, step.text) for step in parse_session(text)] == steps


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("f()\n", 1, "a session begins with '>>> '"),
        ("\n>>> f()\n", 1, "a session begins with '>>> '"),
        ("", 1, "a session needs a step"),
        (">>> # only this\n", 1, "a session needs a step"),
        (">>>\n1\n", 1, "text is shown after an empty step"),
        (">>> f()\n>>>g()\n", 2, "'>>>g()' has a >>> that does not begin its line"),
        (">>> f()\n  >>> g()\n", 2, "'>>> g()' has a >>> that does not begin its line"),
        (">>> f(\nTrue\n", 1, "'f(' is not Python ('(' was never closed)"),
    ],
)
def test_what_no_repl_shows_is_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(SessionError) as caught:
        parse_session(text)
    assert (caught.value.line, str(caught.value)) == (line, message)


def test_typed_text_stands_after_the_longest_prompt() -> None:
    steps = parse_session(">>> f()\nMove: a1\nMove: no: x y \nmoved\nMove: ^D\nMove:\n'a1'\n")
    typed = typed_in(steps, ["Move: ", "Move: no: "])
    expected = [Typed(text="a1"), Typed(text="x y "), Typed(key=Key.CTRL_D), Typed()]
    assert typed == expected
    assert steps[0].text == "Move: a1\nMove: no: x y \nmoved\nMove: ^D\nMove: \n'a1'\n"


def test_prompts_are_single_lines_that_end_in_a_space() -> None:
    assert prompts_of(["Move: ", "x", " ", "a\nb ", 4]) == ["Move: "]
