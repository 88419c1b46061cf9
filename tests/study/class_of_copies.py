"""Classes in which it is known who copied, made from the samples of the assignments.

`programs`: twenty in five styles, none from another, and twenty disguised copies of them.
`made_class`: thirty independent programs, and one that some others have copied.
What people do to a copied program so that it does not look copied, and the same written by somebody
else: statements in another shape, not only under other names. Nobody runs what comes out: it is
compared, so what it would do matters less than its shape."""

import ast
import builtins
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from harness.model.study import Fingerprint
from harness.study.likeness import Likeness, likeness
from harness.study.program_texts import fingerprints

SUBMISSIONS = Path(__file__).parents[2] / "submissions"
SAMPLES = SUBMISSIONS / "connect4ish"
STYLES = {
    "one list of directions": (
        "perfect", "off_by_one_column", "loop_never_reads_input",
        "check_win_never_ends_on_some_boards"
    ),
    "short": (
        "five_in_a_row_not_a_win", "int_crash_on_ax", "print_instead_of_return",
        "upper_case_wrong"
    ),
    "scans": (
        "does_not_ask", "draw_reported_as_win", "labels_without_spaces",
        "new_board_instead_of_mutation"
    ),
    "comprehensions": (
        "comprehension_and_join", "add_returns_none", "one_diagonal_missed", "asks_for_more"
    ),
    "many helpers": (
        "crlf_and_bom", "diagonal_from_row_3_missed", "returned_instead_of_printed",
        "own_board_size"
    ),
}  # fmt: skip
STYLE_OF = {name: style for style, names in STYLES.items() for name in names}
PREFIX = "copy of "


def prints(text: str, kind: str = "tree") -> tuple[Fingerprint, ...]:
    """The fingerprints of a program of one file."""
    return tuple(
        Fingerprint(value=value, first_line=first, last_line=last, file=file)
        for value, first, last, file in fingerprints([text.encode()], kind)["rows"]
    )


def alike(texts: Mapping[str, str], kind: str = "tree", given: str = "", **asked: Any) -> Likeness:
    """The likeness of these programs, to which this text was given."""
    found = {name: prints(text, kind) for name, text in texts.items()}
    return likeness(found, given=prints(given, kind), **asked)


def scores_of(found: Likeness) -> defaultdict[frozenset[str], float]:
    """Of all pairs; 0 for one that is not among them."""
    scores = {frozenset((pair.first, pair.second)): pair.score for pair in found.pairs}
    return defaultdict(float, scores)


def programs() -> dict[str, str]:
    """The independent programs by name, and each copy as "copy of" its original."""
    found = {name: (SAMPLES / name / "a1.py").read_text("utf-8-sig") for name in STYLE_OF}
    originals, kinds = list(found), list(DISGUISES)
    for number, name in enumerate(originals):
        if number % 5 == 4:  # half of it only, the rest from a program in another style
            other = ast.parse(found[originals[(number + 7) % len(originals)]])
            text = ast.unparse(half_of(ast.parse(found[name]), other))
            chosen: tuple[str, ...] = ("renamed", "without comments")
        else:
            text = found[name]
            chosen = tuple(kinds[at] for at in range(5) if (at + number) % 5 < 3)
        found[PREFIX + name] = disguised(text, chosen, number)
    return found


SOURCE = "source"
INDEPENDENT = 30
FUNCTIONS = 10  # of an independent program
TURNED = 0.4  # of its statements
TURNED_BY_COPIES = 0.2  # at most, of those who do more than disguise
_SAME_FUNCTION = 0.5  # share of fingerprints; more is another version of one function
_MIN_FUNCTION = 4  # fingerprints


def made_class(
    copies: int, draw: int, *, independent: int = INDEPENDENT, turned: float = 0.0
) -> dict[str, str]:
    """Independent programs `own 0`…, a `source`, and disguised copies of it, `source 0`…, each
    with up to this share of its statements in another shape as well.

    An independent program has functions of all the samples, so two of them may have one in common,
    as an obvious one is written by many; but each writes it in a shape of its own. The source is a
    sample as it is, of another assignment with each draw."""
    chance = random.Random(f"{copies} copies, draw {draw}")
    found = {}
    for number in range(independent):
        chosen = chance.sample(range(len(all_functions())), FUNCTIONS)
        found[f"own {number}"] = written_anew(chosen, chance, TURNED)
    text = chance.choice(sources_by_assignment()[assignment_of(draw)])
    found[SOURCE] = text
    for number in range(copies):
        kinds = tuple(chance.sample(list(DISGUISES), chance.randint(1, len(DISGUISES))))
        copy = ast.parse(disguised(text, kinds, chance.randrange(1000)))
        share = chance.uniform(0, turned)
        copy.body = [
            paraphrased(node, chance, share) if isinstance(node, ast.FunctionDef) else node
            for node in copy.body
        ]
        found[f"{SOURCE} {number}"] = ast.unparse(ast.fix_missing_locations(copy)) + "\n"
    return found


def assignment_of(draw: int) -> str:
    """The one whose sample is the source."""
    return sorted(sources_by_assignment())[draw % len(sources_by_assignment())]


def reference_of(draw: int) -> str:
    """The reference of that assignment."""
    files = sorted((SUBMISSIONS.parent / "reference" / assignment_of(draw)).glob("*.py"))
    return "\n\n".join(file.read_text("utf-8") for file in files)


def alike_by_chance(count: int, draw: int, share: float) -> dict[str, str]:
    """Programs of the same plan, function by function, each written by somebody else."""
    chance = random.Random(f"alike {draw}")
    plan = chance.sample(range(len(all_functions())), FUNCTIONS)
    return {f"own {number}": written_anew(plan, chance, share) for number in range(count)}


def written_anew(functions: Sequence[int], chance: random.Random, share: float) -> str:
    """A program of these functions, this share of whose statements is in another shape."""
    body = [paraphrased(deepcopy(all_functions()[at]), chance, share) for at in functions]
    return ast.unparse(ast.fix_missing_locations(ast.Module([*body], []))) + "\n"


@cache
def all_functions() -> tuple[ast.FunctionDef, ...]:
    """Of all samples, each in one version."""
    found: list[tuple[set[int], ast.FunctionDef]] = []
    for path in sorted(SUBMISSIONS.glob("*/*/*.py")):
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError:
            continue
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef):
                continue
            values = {each.value for each in prints(ast.unparse(node))}
            if len(values) >= _MIN_FUNCTION and not any(
                len(values & other) >= _SAME_FUNCTION * min(len(values), len(other))
                for other, _ in found
            ):
                found.append((values, node))
    return tuple(node for _, node in found)


@cache
def sources_by_assignment() -> dict[str, tuple[str, ...]]:
    """The samples of each assignment that Python can read, of 80 lines and more."""
    found = {}
    for folder in sorted(SUBMISSIONS.iterdir()):
        texts = []
        for sample in sorted(folder.iterdir()):
            files = sorted(sample.glob("*.py"))
            text = "\n\n".join(each.read_text("utf-8-sig") for each in files)
            if text.count("\n") >= 80 and prints(text):
                texts.append(text)
        found[folder.name] = tuple(texts)
    return found


Disguise = Callable[[ast.Module, random.Random], ast.Module]


def renamed(tree: ast.Module, chance: random.Random) -> ast.Module:
    """Other names for all local variables and parameters."""

    class Rename(ast.NodeTransformer):
        def __init__(self) -> None:
            self.names: dict[str, str] = {}

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            bound = {each.arg for each in node.args.args} | {
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
            self.names = {
                name: f"{chance.choice('abcdefgh')}{number}_{name[::-1]}"
                for number, name in enumerate(sorted(bound))
                if not hasattr(builtins, name)
            }
            self.generic_visit(node)
            self.names = {}
            return node

        def visit_Name(self, node: ast.Name) -> ast.AST:
            node.id = self.names.get(node.id, node.id)
            return node

        def visit_arg(self, node: ast.arg) -> ast.AST:
            node.arg = self.names.get(node.arg, node.arg)
            return node

    return Rename().visit(tree)  # type: ignore[no-any-return]


def reordered(tree: ast.Module, chance: random.Random) -> ast.Module:
    """The functions in another order."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    chance.shuffle(functions)
    order = iter(functions)
    tree.body = [next(order) if isinstance(n, ast.FunctionDef) else n for n in tree.body]
    return tree


def without_comments(tree: ast.Module, _: random.Random) -> ast.Module:
    """No docstrings and no annotations; comments are lost with the tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                node.body = node.body[1:]
            node.returns = None
            for each in node.args.args:
                each.annotation = None
    return tree


def loops_turned(tree: ast.Module, _: random.Random) -> ast.Module:
    """`for name in range(end)` as a `while` loop that counts."""

    class Turn(ast.NodeTransformer):
        def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
            self.generic_visit(node)
            counts = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range"
            jumps = any(isinstance(each, ast.Continue) for each in ast.walk(node))
            if not counts or jumps or node.orelse or not isinstance(node.target, ast.Name):
                return node
            assert isinstance(node.iter, ast.Call)
            if len(node.iter.args) != 1:
                return node
            name, end = node.target.id, ast.unparse(node.iter.args[0])
            start, loop = ast.parse(f"{name} = 0\nwhile {name} < {end}:\n    {name} += 1").body
            assert isinstance(loop, ast.While)
            loop.body = [*node.body, *loop.body]
            return [start, loop]

    return Turn().visit(tree)  # type: ignore[no-any-return]


def messages_inlined(tree: ast.Module, _: random.Random) -> ast.Module:
    """Constants of the module written where they are used."""
    texts = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }

    class Inline(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            loaded = isinstance(node.ctx, ast.Load)
            return texts[node.id] if loaded and node.id in texts else node

    return Inline().visit(tree)  # type: ignore[no-any-return]


def half_of(tree: ast.Module, other: ast.Module) -> ast.Module:
    """Every second function from the other program, by name."""
    theirs = {n.name: n for n in other.body if isinstance(n, ast.FunctionDef)}
    taken = 0
    for at, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name in theirs:
            taken += 1
            if taken % 2 == 0:
                tree.body[at] = theirs[node.name]
    return tree


DISGUISES: dict[str, Disguise] = {
    "renamed": renamed,
    "reordered": reordered,
    "without comments": without_comments,
    "loops turned": loops_turned,
    "messages inlined": messages_inlined,
}


def disguised(source: str, names: tuple[str, ...], seed: int) -> str:
    """The program after these disguises."""
    tree, chance = ast.parse(source), random.Random(seed)
    for name in names:
        tree = DISGUISES[name](tree, chance)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def paraphrased(function: ast.FunctionDef, chance: random.Random, share: float) -> ast.FunctionDef:
    """The function with about this share of the statements that can be turned written otherwise."""
    return _Paraphrase(chance, share).visit(function)  # type: ignore[no-any-return]


class _Paraphrase(ast.NodeTransformer):
    def __init__(self, chance: random.Random, share: float) -> None:
        self.chance, self.share, self.names = chance, share, 0

    def _turns(self) -> bool:
        return self.chance.random() < self.share

    def _name(self) -> str:
        self.names += 1
        return f"step{self.names}"

    def _apart(self, value: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """A value computed before it is used."""
        name = self._name()
        before = ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)
        return [before], ast.Name(name, ast.Load())

    def visit_Return(self, node: ast.Return) -> ast.stmt | list[ast.stmt]:
        if node.value is None or isinstance(node.value, ast.Name) or not self._turns():
            return node
        before, node.value = self._apart(node.value)
        return [*before, node]

    def _arguments_apart(self, node: ast.Assign | ast.Expr) -> list[ast.stmt]:
        value, before = node.value, list[ast.stmt]()
        if isinstance(value, ast.Call):
            for at, argument in enumerate(value.args):
                simple = isinstance(argument, ast.Name | ast.Constant | ast.Starred)
                if not simple and self._turns():
                    first, value.args[at] = self._apart(argument)
                    before += first
        elif isinstance(value, ast.BinOp) and self._turns():
            first, value.left = self._apart(value.left)
            before += first
        return [*before, node]

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        return self._arguments_apart(node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        return self._arguments_apart(node)

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        before: list[ast.stmt] = []
        if self._turns() and isinstance(node.test, ast.BoolOp) and not node.orelse:
            if isinstance(node.test.op, ast.And):
                node.body = [ast.If(node.test.values.pop(), node.body, [])]
                if len(node.test.values) == 1:
                    node.test = node.test.values[0]
        elif self._turns() and node.orelse:
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body
        elif self._turns() and not isinstance(node.test, ast.Name):
            before, node.test = self._apart(node.test)
        return [*before, node]

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if not self._turns():
            return node
        before, node.iter = self._apart(node.iter)
        if isinstance(node.target, ast.Name) and self._turns():
            name = self._name()
            take = ast.Assign([node.target], ast.Name(name, ast.Load()), lineno=0)
            node.target = ast.Name(name, ast.Store())
            node.body = [take, *node.body]
        return [*before, node]

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant) or not self._turns():
            return node
        leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        node.test = ast.Constant(True)
        node.body = [leave, *node.body]
        return node
