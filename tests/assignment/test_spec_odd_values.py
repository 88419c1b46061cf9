"""Any value under any key is read or refused in our own words: never a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.assignment import SpecErrors, load
from tests.assignment.small_assignment import ASSIGNMENT, POLICY, scenario_file, write

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


def outcome(root: Path, name: str, text: str) -> None:
    write(root, {name: text})
    try:
        load(root, "small", recording=True)
    except SpecErrors as errors:
        assert errors.errors
        for line in errors.errors:
            assert LINE.match(line), line
            assert not JARGON.search(line), line


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
    outcome(tmp_path, "specs/small/f.yaml", scenario_file(*bodies))


@pytest.mark.parametrize("key", SCENARIO_KEYS)
def test_a_key_at_the_head(key: str, tmp_path: Path) -> None:
    for odd in ODD[::4]:
        head = f'function: check_input\nclause: "4.6"\n{key}: {odd}\nscenarios:\n'
        outcome(tmp_path, "specs/small/f.yaml", scenario_file("name: s\nrun: a1.py", head=head))


@pytest.mark.parametrize("name", ["assignment", "policy", "clauses", "mutants"])
def test_the_keys_of_other_files(name: str, tmp_path: Path) -> None:
    texts = {"assignment": ASSIGNMENT, "policy": POLICY}
    text = texts.get(name, f"{name}: []\n")
    for number, line in enumerate(text.splitlines()):
        key = line.split(":")[0]
        for odd in ODD[number % 2 :: 2]:
            lines = text.splitlines()
            lines[number] = f"{key}: {odd}"
            outcome(tmp_path, f"specs/small/{name}.yaml", "\n".join(lines) + "\n")


@pytest.mark.parametrize("key", ["clauses", "mutants"])
def test_the_keys_of_an_item(key: str, tmp_path: Path) -> None:
    for odd in ODD:
        outcome(tmp_path, f"specs/small/{key}.yaml", f"{key}: [{odd}, {{id: {odd}}}]\n")
        item = f"{{clause: {odd}, file: {odd}, find: {odd}, replace: {odd}, why: {odd}}}"
        outcome(tmp_path, f"specs/small/{key}.yaml", f"{key}: [{item}]\n")
