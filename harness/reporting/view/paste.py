"""How to try a scenario by hand: the constants to set, the lines to paste, the command to type."""

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
from harness.model.stimulus import Binding, Clock, Stimulus, statements
from harness.model.values import Value
from harness.model.verdict import BoardArgument, Grid

MOST_OF_A_FILE = 2000  # characters shown
_LONGEST = 6000  # characters of source that may be a board
_Trees = Mapping[str, ast.expr]  # of known names


def constant_changes(stimulus: Stimulus, surroundings: Surroundings) -> tuple[tuple[str, str], ...]:
    """Return the constants to change: the provided file of each ("" for none), and its line."""
    file_of = {constant.name: constant.file for constant in reversed(surroundings.constants)}
    files = (file_of.get(binding.name, "") for binding in stimulus.constants)
    return tuple(zip(files, _assignments(stimulus.constants), strict=True))


def _assignments(bindings: Iterable[Binding]) -> list[str]:
    return [f"{binding.name} = {binding.literal}" for binding in bindings]


def shell_command(stimulus: Stimulus) -> str:
    """Return the command that starts the program.

    It is empty without a program, or if chance is seeded, which a shell command cannot do.
    """
    action = stimulus.action
    if not action.program or stimulus.seed is not None:
        return ""
    setting = [f"{each.name}={shlex.quote(each.literal)}" for each in stimulus.environment]
    return " ".join([*setting, shlex.join(["python3", action.program, *action.argv])])


def python_lines(stimulus: Stimulus, surroundings: Surroundings) -> str:
    """Return the lines to paste into the interpreter, for calls, sessions and seeded programs."""
    before = _first_of_all(stimulus)
    if stimulus.action.program:
        return "\n".join([*before, *stimulus.action.lines])
    # Provided names come last: a submission's own `BOARD_SIZE = 8` must not change the call.
    names = [*surroundings.submitted, *surroundings.provided]
    modules = (PurePath(name).stem for name in names if name.endswith(".py"))
    lines = [*before, *(f"from {module} import *" for module in modules)]
    lines += [*_pasteable(set_up(stimulus)), *_assignments(stimulus.bindings)]
    for text in stimulus.action.lines:
        lines += _pasteable(text)
    return "\n".join(lines).rstrip("\n")


def called(stimulus: Stimulus) -> str:
    """Return the call, a session's steps on lines, or the command, with the names of a case."""
    return stimulus.action.display(_assignments(stimulus.bindings))


def to_try(stimulus: Stimulus) -> str:
    """Return what to call or run, a line each, after its clock, its environment and its seeding."""
    clock = [f"# at {clock_words(stimulus.clock)}"] if stimulus.clock else []
    if command := shell_command(stimulus):
        return "\n".join([*clock, command])
    lines = stimulus.action.lines if stimulus.action.program else [called(stimulus)]
    return "\n".join([*clock, *_first_of_all(stimulus), *lines])


def clock_words(clock: Clock) -> str:
    """Return the time for a sentence: 2026-03-01 12:00:00 (UTC+10:00)."""
    return f"{clock.time.replace(tzinfo=None)} ({clock.time.tzname()})"


def set_up(stimulus: Stimulus, call: str = "", without: Collection[str] = ()) -> str:
    """Return the setup code without definitions that nothing uses.

    If only `call` is shown in place of the whole, that means all names but those `without`. All of
    it stays if chance is seeded, because each statement may draw from it.
    """
    given = stimulus.given.rstrip("\n")
    parts = statements(given)
    kept = [part for part in parts if not _bound(part)]
    texts = (call,) if call else stimulus.action.texts
    used = {name for text in texts for part in statements(text) for name in _names(part)}
    used -= set(without)
    used.update(name for part in kept for name in _names(part))
    for _ in parts:
        new = [part for part in parts if part not in kept and _bound(part) & used]
        kept += new
        used.update(name for part in new for name in _names(part))
    lines = given.split("\n")
    places = [(part.lineno, part.end_lineno or part.lineno) for part in parts]
    apart = all(stop < start for (_, stop), (start, _) in itertools.pairwise(places))
    if len(kept) == len(parts) or stimulus.seed is not None or not apart:
        return given
    shown = (place for part, place in zip(parts, places, strict=True) if part in kept)
    return "\n".join(line for start, stop in shown for line in lines[start - 1 : stop])


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement only defines; none for any other statement."""
    match statement:
        case ast.FunctionDef(name=name, decorator_list=[]):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(each.asname or each.name).partition(".")[0] for each in names} - {"*"}
        case ast.Assign(targets=targets) if all(isinstance(each, ast.Name) for each in targets):
            return {each.id for each in targets if isinstance(each, ast.Name)}
    return set()


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def piped(stimulus: Stimulus) -> str:
    """Return the piped input, bounded; an empty text if there is none."""
    return "" if stimulus.stdin is None else shorten(stimulus.stdin, MOST_OF_A_FILE)


def files_beside(stimulus: Stimulus) -> Iterator[tuple[str, str]]:
    """Return the names and bounded texts of the files in the scenario's folder, or their sizes."""
    for file in stimulus.files:
        try:
            yield file.name, shorten(file.data.decode(), MOST_OF_A_FILE)
        except UnicodeDecodeError:
            yield file.name, f"({len(file.data):,} bytes that are not text)"


def settings(constants: Iterable[Binding]) -> str:
    """Return overrides as a short label: `BOARD_SIZE = 10`."""
    return ", ".join(_assignments(constants))


def _first_of_all(stimulus: Stimulus) -> list[str]:
    """Return the environment and the seeding, which come before anything of the submission, as in
    the check.
    """
    lines = [f"os.environ[{each.name!r}] = {each.literal!r}" for each in stimulus.environment]
    seeding = [] if stimulus.seed is None else ["import random", f"random.seed({stimulus.seed})"]
    return [*(["import os"] if lines else []), *lines, *seeding]


def _pasteable(source: str) -> list[str]:
    """Return the statements' lines; a compound one gets the blank line that the interpreter waits
    for.
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
    """A call or a program to run, short enough to read, after `set_up`; each board separate under
    its name.
    """

    text: str
    set_up: str
    boards: tuple[tuple[str, Grid], ...] = ()


def shown_call(
    stimulus: Stimulus, constants: Mapping[str, str], given: Sequence[BoardArgument] = ()
) -> ShownCall:
    """Return the call or the program with its boards taken out.

    `constants` are literals by name, `given` the boards of arguments that are not literals.
    """
    plain = ShownCall(text=called(stimulus), set_up=set_up(stimulus))
    if not (expression := stimulus.action.expression):
        return plain
    literals = dict(constants) | {each.name: each.literal for each in stimulus.constants}
    trees = {name: node for name, text in literals.items() if (node := _parsed(text)) is not None}
    found = {each.name: _board(_parsed(each.literal), trees) for each in stimulus.bindings}
    boards = {name: board for name, board in found.items() if board is not None}
    text = _without_boards(expression, trees, given, boards)
    if not boards:
        return plain
    values = settings(each for each in stimulus.bindings if found[each.name] is None)
    shown = f"{text}  with  {values}" if values else text
    first = set_up(stimulus, text, boards)
    return ShownCall(text=shown, set_up=first, boards=tuple(boards.items()))


def _without_boards(
    expression: str, trees: _Trees, given: Sequence[BoardArgument], boards: dict[str, Grid]
) -> str:
    """Return the call with names in place of arguments that are boards, which are put into
    `boards`.
    """
    tree = _parsed(expression)
    if not isinstance(tree, ast.Call) or not expression.isascii() or "\n" in expression:
        return expression
    by_position = {each.position: each.board for each in given}
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
        names = itertools.chain(["board"], (f"board_{n}" for n in itertools.count(2)))
        name = next(name for name in names if name not in boards)
        boards[name] = board
        places.append((argument.col_offset, argument.end_col_offset or 0, name))
    for start, stop, name in reversed(places):
        expression = expression[:start] + name + expression[stop:]
    return expression


def _parsed(source: str) -> ast.expr | None:
    """Return an expression's tree; None if the text does not parse or is too long to draw."""
    match statements(source) if len(source) <= _LONGEST else []:
        case [ast.Expr(value=expression)]:
            return expression
    return None


class _Filled(ast.NodeTransformer):
    def __init__(self, trees: _Trees) -> None:
        self._trees = trees

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._trees.get(node.id, node)


def _board(node: ast.expr | None, trees: _Trees) -> Grid | None:
    """Return the board of a literal with known names filled in; None if it is not a board."""
    if node is None:
        return None
    try:
        literal = ast.literal_eval(_Filled(trees).visit(copy.deepcopy(node)))
        return grid_of(Value.of(literal))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
