"""Tells how to repeat a scenario by hand: constants to set, lines to paste, and the command to
type.
"""

import ast
import copy
import itertools
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from harness.common.escaping import shorten
from harness.judging.side_by_side.boards import grid_of
from harness.model.assignment import Surroundings
from harness.model.stimulus import Binding, Clock, Form, Stimulus, statements
from harness.model.values import Value
from harness.model.verdict import BoardArgument, Grid

MAX_OF_A_FILE = 2000  # characters shown
_MAX_SOURCE = 6000  # maximum length of source that may be a board
_Trees = Mapping[str, ast.expr]  # syntax trees of constants, by name


def constant_changes(stimulus: Stimulus, surroundings: Surroundings) -> tuple[tuple[str, str], ...]:
    """Return the constants to change, as (provided file, new line); the file is "" if no provided
    file has the constant.
    """
    # In reverse order, so that the first file with a constant wins.
    file_of = {constant.name: constant.file for constant in reversed(surroundings.constants)}
    changes: list[tuple[str, str]] = []
    for binding in stimulus.constants:
        changes.append((file_of.get(binding.name, ""), _assignment(binding)))
    return tuple(changes)


def _assignment(binding: Binding) -> str:
    return f"{binding.name} = {binding.literal}"


def shell_command(stimulus: Stimulus) -> str:
    """Return the shell command that starts the program or the tests.

    Return "" without a program, or if the scenario seeds the random generator, which needs
    Python.
    """
    action = stimulus.action
    if action.form is Form.SUITE:
        return action.display()
    if not action.program or stimulus.seed is not None:
        return ""
    parts: list[str] = []
    for variable in stimulus.environment:
        parts.append(f"{variable.name}={shlex.quote(variable.literal)}")
    parts.append(shlex.join(["python3", action.program, *action.argv]))
    return " ".join(parts)


def python_lines(stimulus: Stimulus, surroundings: Surroundings) -> str:
    """Return the lines to paste into the Python prompt, for calls, sessions and programs with
    seeded randomness.
    """
    lines = _first_of_all(stimulus)
    if stimulus.action.program:
        return "\n".join([*lines, *stimulus.action.lines])
    # Provided names come last: a submission's own `BOARD_SIZE = 8` must not change the call.
    for name in (*surroundings.submitted, *surroundings.provided):
        if name.endswith(".py"):
            lines.append(f"from {PurePath(name).stem} import *")
    lines += _pasteable(set_up(stimulus))
    lines += map(_assignment, stimulus.bindings)
    for text in stimulus.action.lines:
        lines += _pasteable(text)
    return "\n".join(lines).rstrip("\n")


def called(stimulus: Stimulus) -> str:
    """Return the call, the session's steps (one a line), or the command; generated values appear
    by name.
    """
    return stimulus.action.display(list(map(_assignment, stimulus.bindings)))


def to_try(stimulus: Stimulus) -> str:
    """Return everything to run, one statement a line: clock, environment and random seed, then the
    call or program.
    """
    lines: list[str] = []
    if stimulus.clock:
        lines.append(f"# at {clock_words(stimulus.clock)}")
    command = shell_command(stimulus)
    if command:
        lines.append(command)
        return "\n".join(lines)
    lines += _first_of_all(stimulus)
    if stimulus.action.program:
        lines += stimulus.action.lines
    else:
        lines.append(called(stimulus))
    return "\n".join(lines)


def clock_words(clock: Clock) -> str:
    """Return a fixed time as a phrase such as "2026-03-01 12:00:00 (UTC+10:00)"."""
    return f"{clock.time.replace(tzinfo=None)} ({clock.time.tzname()})"


def set_up(stimulus: Stimulus, call: str = "", without: Collection[str] = ()) -> str:
    """Return the setup code without unused definitions.

    If only `call` is displayed, definitions count as used if `call` needs them. The names in
    `without` never count as used. If the random generator is seeded, all statements stay, because
    each may draw a number.
    """
    given = stimulus.given.rstrip("\n")
    parts = statements(given)
    texts = (call,) if call else stimulus.action.texts
    kept = _needed(parts, _names_in(texts) - set(without))
    if len(kept) == len(parts) or stimulus.seed is not None or not _are_apart(parts):
        return given
    lines = given.split("\n")
    shown: list[str] = []
    for part in kept:
        shown += lines[part.lineno - 1 : _last_line(part)]
    return "\n".join(shown)


def _names_in(texts: Iterable[str]) -> set[str]:
    """Return the names used in these pieces of code."""
    used: set[str] = set()
    for text in texts:
        for part in statements(text):
            used |= _names(part)
    return used


def _needed(parts: Sequence[ast.stmt], used: set[str]) -> list[ast.stmt]:
    """Return the statements that have an effect, and the definitions that these or the names in
    `used` need.
    """
    is_needed = [not _bound(part) for part in parts]
    used = set(used)
    for part, needed in zip(parts, is_needed, strict=True):
        if needed:
            used |= _names(part)
    is_growing = True
    while is_growing:
        is_growing = False
        for place, part in enumerate(parts):
            if not is_needed[place] and _bound(part) & used:
                is_needed[place] = True
                used |= _names(part)
                is_growing = True
    return list(itertools.compress(parts, is_needed))


def _are_apart(parts: Sequence[ast.stmt]) -> bool:
    """Return whether every statement is on its own line."""
    return all(_last_line(part) < after.lineno for part, after in itertools.pairwise(parts))


def _last_line(part: ast.stmt) -> int:
    return part.end_lineno or part.lineno


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines; empty if the statement also has another effect."""
    match statement:
        case ast.FunctionDef(name=name, decorator_list=[]):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            bound = {(alias.asname or alias.name).partition(".")[0] for alias in names}
            return bound - {"*"}
        case ast.Assign(targets=targets):
            names_of_targets = [target.id for target in targets if isinstance(target, ast.Name)]
            if len(names_of_targets) == len(targets):
                return set(names_of_targets)
    return set()


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def piped(stimulus: Stimulus) -> str:
    """Return the piped input, shortened; "" if there is none."""
    if stimulus.stdin is None:
        return ""
    return shorten(stimulus.stdin, MAX_OF_A_FILE)


def files_beside(stimulus: Stimulus) -> Iterator[tuple[str, str]]:
    """Yield (name, shortened content) of each file in the scenario's folder, or its size for
    binary files.
    """
    for file in stimulus.files:
        try:
            yield file.name, shorten(file.data.decode(), MAX_OF_A_FILE)
        except UnicodeDecodeError:
            yield file.name, f"({len(file.data):,} bytes that are not text)"


def settings(constants: Iterable[Binding]) -> str:
    """Return changed constants as a short label such as `BOARD_SIZE = 10`."""
    return ", ".join(map(_assignment, constants))


def _first_of_all(stimulus: Stimulus) -> list[str]:
    """Return the lines that set the environment and the random seed.

    As in the check, they come before the submission is imported.
    """
    lines: list[str] = []
    if stimulus.environment:
        lines.append("import os")
    for variable in stimulus.environment:
        lines.append(f"os.environ[{variable.name!r}] = {variable.literal!r}")
    if stimulus.seed is not None:
        lines += ["import random", f"random.seed({stimulus.seed})"]
    return lines


def _pasteable(source: str) -> list[str]:
    """Return the source of statements as lines.

    Compound statements get the blank line that the Python prompt needs.
    """
    lines = source.split("\n")
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError):
        return lines
    shown: list[str] = []
    done = 0
    for statement in statements:
        last = statement.end_lineno or statement.lineno
        shown += lines[max(statement.lineno - 1, done) : last]
        done = max(done, last)
        if hasattr(statement, "body"):
            shown.append("")
    return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall:
    """A call or program in readable form.

    It is shown after `set_up`, and its boards are shown separately under their names.
    """

    text: str
    set_up: str
    boards: tuple[tuple[str, Grid], ...] = ()


def shown_call(
    stimulus: Stimulus, constants: Mapping[str, str], given: Sequence[BoardArgument] = ()
) -> ShownCall:
    """Return the call or program with its boards taken out.

    `constants` maps names to literals; `given` has the boards of arguments that are not literals.
    """
    plain = ShownCall(text=called(stimulus), set_up=set_up(stimulus))
    expression = stimulus.action.expression
    if not expression:
        return plain
    trees = _known_trees(constants, stimulus.constants)
    boards: dict[str, Grid] = {}
    others: list[Binding] = []
    for binding in stimulus.bindings:
        board = _board(_parsed(binding.literal), trees)
        if board is None:
            others.append(binding)
        else:
            boards[binding.name] = board
    text = _without_boards(expression, trees, given, boards)
    if not boards:
        return plain
    shown = text
    if others:
        shown += f"  with  {settings(others)}"
    first = set_up(stimulus, text, boards)
    return ShownCall(text=shown, set_up=first, boards=tuple(boards.items()))


def _known_trees(constants: Mapping[str, str], overrides: Iterable[Binding]) -> _Trees:
    """Return the syntax trees of constants by name; a scenario's own values take precedence."""
    literals = dict(constants)
    for binding in overrides:
        literals[binding.name] = binding.literal
    trees: dict[str, ast.expr] = {}
    for name, literal in literals.items():
        tree = _parsed(literal)
        if tree is not None:
            trees[name] = tree
    return trees


def _without_boards(
    expression: str, trees: _Trees, given: Sequence[BoardArgument], boards: dict[str, Grid]
) -> str:
    """Return the call with each board argument replaced by a name.

    The boards are added to `boards`.
    """
    tree = _parsed(expression)
    if not isinstance(tree, ast.Call) or not expression.isascii() or "\n" in expression:
        return expression
    by_position = {argument.position: argument.board for argument in given}
    places: list[tuple[int, int, str]] = []
    for position, argument in enumerate(tree.args):
        board = by_position.get(position)
        if board is None and isinstance(argument, (ast.List, ast.Tuple)):
            board = _board(argument, trees)
        if board is None:
            continue
        if isinstance(argument, ast.Name):
            boards.setdefault(argument.id, board)
            continue
        name = _free_name(boards)
        boards[name] = board
        places.append((argument.col_offset, argument.end_col_offset or 0, name))
    for start, stop, name in reversed(places):
        expression = expression[:start] + name + expression[stop:]
    return expression


def _free_name(boards: Collection[str]) -> str:
    """Return an unused name: `board`, otherwise `board_2` and so on."""
    name = "board"
    number = 1
    while name in boards:
        number += 1
        name = f"board_{number}"
    return name


def _parsed(source: str) -> ast.expr | None:
    """Return the syntax tree of an expression; None if it does not parse or is too long."""
    if len(source) > _MAX_SOURCE:
        return None
    match statements(source):
        case [ast.Expr(value=expression)]:
            return expression
    return None


class _FilledParts(ast.NodeTransformer):
    def __init__(self, trees: _Trees) -> None:
        self._trees = trees

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._trees.get(node.id, node)


def _board(node: ast.expr | None, trees: _Trees) -> Grid | None:
    """Return the board for a literal, after replacing known names by their values; None if it is
    not a board.
    """
    if node is None:
        return None
    try:
        literal = ast.literal_eval(_FilledParts(trees).visit(copy.deepcopy(node)))
        return grid_of(Value.of(literal))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
