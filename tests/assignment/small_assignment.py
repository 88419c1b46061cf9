"""A small assignment on disk, whole and right, for tests to change."""

from pathlib import Path

import pytest

from harness.assignment.loading import SpecErrors, load
from harness.model.plan import Plan, Scenario

Changes = dict[str, str | bytes | None]
SUPPORT = '''"""Constants."""
BOARD_SIZE = 8
BLANK_PIECE = "-"
SIZES = (4, 10)
PROMPT = "Please enter action: "
FULL_MESSAGE = "That column is full!"
COLUMN_MESSAGE = f"Choose a column from 1 to {BOARD_SIZE}"
_HIDDEN = 1
TWICE = 1
TWICE = 2
LEFT, RIGHT = "<", ">"
'''
REFERENCE = '''"""The reference."""
from typing import Optional
from a1_support import *
def check_input(command: str) -> bool:
    if command == "a9":
        print(COLUMN_MESSAGE)
        return False
    return command != ""
def get_action() -> str:
    command = input(PROMPT)
    while not check_input(command):
        command = input(PROMPT)
    return command
def add_piece(board: list[str], piece: str, column_index: int) -> bool:
    board[column_index] = piece + board[column_index][1:]
    return True
def check_win(board: list[str]) -> Optional[str]:
    return None
def _private() -> None:
    pass
def main() -> None:
    get_action()
if __name__ == "__main__":
    main()
'''
ASSIGNMENT = """\
title: Small
course: A course
python: "3.12"
submission: {files: [a1.py]}
provided: [a1_support.py]
functionality_marks: 6
policy: policy.yaml
clauses: clauses.yaml
"""
CLAUSES = """\
clauses:
  - {id: "4.6", section: "4.6", text: Says whether a command is valid.}
  - {id: table-2.column, section: "3", text: Says which columns there are.}
  - {id: imports, section: "2", text: No further import.}
"""
POLICY = """\
imports: {exactly: ["from typing import Optional", "from a1_support import *"]}
syntax: {allow: [FunctionDef, Return]}
builtins: {allow: [print, input]}
methods: {allow: [append]}
module_level: {allow: [imports, functions, main_guard]}
severity: {imports: {deduct: 1.5}, techniques: note, structure: zero}
clauses: {imports: imports}
"""
MUTANTS = """\
mutants:
  - clause: "4.6"
    file: a1.py
    find: |
      print(COLUMN_MESSAGE)
      return False
    replace: |
      return False
    why: the message is left out
"""
BOARDS = '''"""Draws."""
def every_column(BOARD_SIZE):
    for column in range(BOARD_SIZE):
        yield {"board": ["-" * BOARD_SIZE] * (column + 1)}
def any_board(BOARD_SIZE):
    from hypothesis import strategies as st

    column = st.text("XO-", min_size=BOARD_SIZE, max_size=BOARD_SIZE)
    board = st.lists(column, min_size=1, max_size=BOARD_SIZE)
    return st.fixed_dictionaries({"board": board, "piece": st.sampled_from("XO")})
def odd(SHAPE):
    yield {"board": SHAPE}
def lively():
    yield {"board": object()}
'''
SCENARIOS = """\
function: check_input
clause: "4.6"
scenarios:
  - name: accepts an add command
    visible: true
    call: check_input("a1")
    returns: true
"""
A = "specs/small/assignment.yaml"
F = "specs/small/f.yaml"
FILES = {
    A: ASSIGNMENT,
    "specs/small/clauses.yaml": CLAUSES,
    "specs/small/policy.yaml": POLICY,
    "specs/small/mutants.yaml": MUTANTS,
    "specs/small/boards.py": BOARDS,
    F: SCENARIOS,
    "reference/small/a1.py": REFERENCE,
    "reference/small/a1_support.py": SUPPORT,
}
HEAD = 'function: check_input\nclause: "4.6"\nscenarios:\n'


def write(root: Path, changes: Changes | None = None) -> Path:
    """Write the assignment with some files changed, added or (None) left out; return the root."""
    for name, text in {**FILES, **(changes or {})}.items():
        if text is None:
            continue
        path, data = root / name, text if isinstance(text, bytes) else text.encode("utf-8")
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return root


def errors_of(root: Path, changes: Changes | None = None, **asked: Path) -> tuple[str, ...]:
    """All mistakes of the assignment with these changes, a line each."""
    with pytest.raises(SpecErrors) as caught:
        load(write(root, changes), "small", **asked)  # type: ignore[arg-type]
    return caught.value.errors


def scenario_file(*bodies: str, head: str = HEAD) -> str:
    """A file whose scenarios have these bodies: key lines, the first of them after the dash."""
    items = [body.rstrip("\n").replace("\n", "\n    ") for body in bodies]
    return head + "".join(f"  - {item}\n" for item in items)


def plan_of(root: Path, *bodies: str, head: str = HEAD, changes: Changes | None = None) -> Plan:
    """The plan of a file whose scenarios have these bodies; one without a name is s."""
    named = [body if body.startswith("name: ") else f"name: s\n{body}" for body in bodies]
    write(root, {**(changes or {}), F: scenario_file(*named, head=head)})
    return load(root, "small").plan


def scenario_of(root: Path, body: str, changes: Changes | None = None) -> Scenario:
    """The only scenario of a file whose scenario has this body."""
    (scenario,) = plan_of(root, body, changes=changes).scenarios
    return scenario
