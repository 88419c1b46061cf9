"""Any value under any key is read or refused in our own words, never a traceback; scalars that
YAML readers take differently; sessions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.assignment.document import HintedError, is_literal, resolve
from harness.assignment.loading import SpecErrors, load
from harness.assignment.scenarios.python_text import parse_session, typed_in
from harness.model.stimulus import Key, Typed
from tests.assignment.small_assignment import ASSIGNMENT, POLICY, F, scenario_file, write

ODD = [
    "null", "true", "5", "-1", "1.5", "x", "''", "'{{ X }}'", "[]", "[1]", "[null]", "[[1]]",
    "['']", "{}", "{a: 1}", "{1: 2}", "{python: 5}", "{matches: 1}", "{one_of: 1}", "{type: []}",
    "{key: 1}", "{deduct: x}", "{approx: 1, within: a}", "{any: {}}", "{0: {contains: [1]}}",
    "{type: {a: 1}, message: 3}", "{allow: [1]}", "{BOARD_SIZE: {}}", "{BOARD_SIZE: [null]}",
    "{strategy: a, count: 1}", "{files: [1]}", "{? [a] : b}", "no", "~", "&a b", "!x y",
]  # fmt: skip
SCENARIO_KEYS = [
    "name", "function", "clause", "visible", "points", "informational", "extra_credit", "tags",
    "limits", "given", "constants", "ignore", "provide", "seed", "call", "session", "run", "argv",
    "input", "sample", "cases", "each", "returns", "prints", "turns", "transcript", "raises",
    "leaves", "exit", "reads", "ends", "points_total", "marks", "scenarios", "zzz",
]  # fmt: skip
LINE = re.compile(r"(specs|reference)/small/[\w./]+:\d+:\d+: .+[.?]$")
JARGON = re.compile(r"pydantic|instance of|should be|Input|model_|_type|Traceback|<class")


def mistakes(root: Path, files: dict[str, str | None]) -> set[tuple[str, str]]:
    """The file and the key (or item) of every mistake, which is told in our own words."""
    write(root, dict(files))
    try:
        lines = load(root, "small", recording=True).mutant_mistakes
    except SpecErrors as errors:
        lines = errors.errors
        assert lines
    for line in lines:
        assert LINE.match(line), line
        assert not JARGON.search(line), line
    return {(line.split(":")[0], line.split(": ")[1]) for line in lines}


@pytest.mark.parametrize("key", SCENARIO_KEYS)
def test_a_scenarios_key(key: str, tmp_path: Path) -> None:
    base = {"name": "s", "call": "add_piece(['-'], 'X', 0)"}
    if key in ("session", "run"):
        del base["call"]
    if key == "argv":
        base = {"name": "s", "run": "a1.py"}
    bodies: list[str] = []
    for number, odd in enumerate(ODD):
        pairs = {**base, "name": f"s{number}", key: odd}
        bodies.append("\n".join(f"{name}: {value}" for name, value in pairs.items()))
    mistakes(tmp_path, {F: scenario_file(*bodies)})


@pytest.mark.parametrize("key", SCENARIO_KEYS)
def test_a_key_at_the_head(key: str, tmp_path: Path) -> None:
    files: dict[str, str | None] = {F: None}
    for number, odd in enumerate(ODD[::4]):
        head = f'function: check_input\nclause: "4.6"\n{key}: {odd}\nscenarios:\n'
        files[f"specs/small/f{number}.yaml"] = scenario_file("name: s\nrun: a1.py", head=head)
    wrong = {file for file, _ in mistakes(tmp_path, files)}
    for file in wrong & files.keys():
        (tmp_path / file).unlink()
    mistakes(tmp_path, {F: None})  # what is right goes on to the end


@pytest.mark.parametrize("name", ["assignment", "policy", "clauses", "mutants"])
def test_the_keys_of_other_files(name: str, tmp_path: Path) -> None:
    texts = {"assignment": ASSIGNMENT, "policy": POLICY}
    lines = texts.get(name, f"{name}: []\n").splitlines(keepends=True)
    keys = [line.split(":")[0] for line in lines]
    file = f"specs/small/{name}.yaml"
    for first in range(len(ODD)):
        odd = [f"{key}: {ODD[(first + n) % len(ODD)]}\n" for n, key in enumerate(keys)]
        wrong = {
            re.split("[.,]", label)[0] for _, label in mistakes(tmp_path, {file: "".join(odd)})
        }
        for number, key in enumerate(keys):
            if key not in wrong:  # what is right goes on to the end, where all the rest is
                rest = [*lines[:number], odd[number], *lines[number + 1 :]]
                mistakes(tmp_path, {file: "".join(rest)})


@pytest.mark.parametrize("key", ["clauses", "mutants"])
def test_the_keys_of_an_item(key: str, tmp_path: Path) -> None:
    file = f"specs/small/{key}.yaml"
    items = [*ODD, *(f"{{id: {odd}}}" for odd in ODD)]
    for odd in ODD:
        pairs = ("clause", "file", "find", "replace", "why")
        items.append(f"{{{', '.join(f'{name}: {odd}' for name in pairs)}}}")
    labels = {label for _, label in mistakes(tmp_path, {file: f"{key}: [{', '.join(items)}]\n"})}
    for number, item in enumerate(items, 1):
        if not any(re.match(rf"{key}, item {number}\b", label) for label in labels):
            mistakes(tmp_path, {file: f"{key}: [{item}]\n"})


WORTH = [
    ("true", True), ("True", True), ("false", False), ("null", None),
    ("0", 0), ("12", 12), ("-3", -3), ("1.5", 1.5), ("-0.25", -0.25),
    ("r4", "r4"), ("y", "y"), ("n", "n"), ("a b", "a b"), ("-", "-"), ("r-1", "r-1"),
    ("X", "X"), ("nope", "nope"), ("check_input('a1')", "check_input('a1')"), ("1/3", "1/3"),
]  # fmt: skip
REFUSED = [
    "yes", "No", "ON", "off", "TRUE", "FALSE", "~", "Null", "NULL", "012", "017", "-07", "08",
    "0o17", "0x1F", "0b11", "1_000", "1_0.5", "1:30", "190:20:30.15", "2024-03-22",
    "2024-3-2 10:00:00", "1e3", "1.5e-3", "+1", "+1.5", ".5", "5.", "01.5", ".inf", "-.INF",
    ".nan", "=", "<<", "None", "(0, 0, 1)", "()", "1, 2", "b'x'", "1j", "...",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), WORTH)
def test_a_plain_scalar_is_worth(text: str, value: object) -> None:
    assert (type(resolve(text)), resolve(text)) == (type(value), value)


@pytest.mark.parametrize("text", REFUSED)
def test_an_ambiguous_scalar_is_refused(text: str) -> None:
    with pytest.raises(HintedError) as caught:
        resolve(text)
    assert str(caught.value).startswith(f"{text} ")
    assert caught.value.hint


def test_a_python_literal_is_welcome_where_code_is_expected() -> None:
    assert resolve("(0, 1)", code=True) == "(0, 1)"


@pytest.mark.parametrize("text", ["", "a", "f(1)", "1 +", "[", "x.y", "-", "True or False"])
def test_not_a_literal(text: str) -> None:
    assert not is_literal(text)


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
        with pytest.raises(HintedError, match="is not Python"):
            parse_session(text)
    else:
        assert [(step.source, "".join(step.shown)) for step in parse_session(text)] == steps


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
    with pytest.raises(HintedError) as caught:
        parse_session(text)
    assert (caught.value.line, str(caught.value)) == (line, message)


def test_typed_text_stands_after_the_longest_prompt() -> None:
    steps = parse_session(">>> f()\nMove: a1\nMove: no: x y \nmoved\nMove: ^D\nMove:\n'a1'\n")
    typed = typed_in(steps, ["Move: ", "Move: no: ", 4])
    expected = [Typed(text="a1"), Typed(text="x y "), Typed(key=Key.CTRL_D), Typed()]
    assert typed == expected
    assert "".join(steps[0].shown) == "Move: a1\nMove: no: x y \nmoved\nMove: ^D\nMove: \n'a1'\n"


@pytest.mark.parametrize("text", ["Mov", " ", "Move:", "a\n "])
def test_prompts_are_single_lines_that_end_in_a_space(text: str) -> None:
    steps = parse_session(">>> f()\nMove: a1\n  a\na\n b\n")
    assert typed_in(steps, [text]) == []
