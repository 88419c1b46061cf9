"""Conditions on the names, and on kinds of code such as loops, that a part of a program uses."""

import ast
from collections.abc import Iterator, Set

from harness.model.policy import Condition
from harness.policy.condition import CheckedPart, Holds, condition_kind
from harness.policy.index import node_kinds, walk
from harness.policy.rule import Breach, short


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _by_word(rows: str) -> dict[str, tuple[type[ast.AST], ...]]:
    """Return the kinds of nodes for each word; a row has a word, two spaces or more, and them."""
    kinds: dict[str, tuple[type[ast.AST], ...]] = {}
    for row in rows.strip().splitlines():
        word, _, names = row.strip().partition("  ")
        kinds[word] = node_kinds(names)
    return kinds


# The words that `uses` and `avoids` know beside names, with the kinds of nodes.
_KINDS = _by_word(
    """
    loop           For AsyncFor While
    for            For AsyncFor
    while          While
    break          Break
    continue       Continue
    if             If IfExp
    try            Try TryStar
    except         ExceptHandler
    raise          Raise
    assert         Assert
    return         Return
    yield          Yield YieldFrom
    pass           Pass
    del            Delete
    match          Match
    import         Import ImportFrom
    def            FunctionDef AsyncFunctionDef
    with           With AsyncWith
    global         Global
    nonlocal       Nonlocal
    lambda         Lambda
    class          ClassDef
    comprehension  ListComp SetComp DictComp GeneratorExp
    slice          Slice
    f-string       JoinedStr
    +              Add
    -              Sub
    *              Mult
    /              Div
    //             FloorDiv
    %              Mod
    **             Pow
    and            And
    or             Or
    not            Not
    in             In NotIn
    not in         NotIn
    ==             Eq
    !=             NotEq
    <              Lt
    <=             LtE
    >              Gt
    >=             GtE
    is             Is IsNot
    is not         IsNot
    """
)
WORDS = (*_KINDS, "while_true")


def _uses_of(part: CheckedPart, word: str) -> Iterator[ast.AST]:
    """Yield the nodes of a part that use a name or a kind of code.

    A node without a position is replaced by its parent.
    """
    names = {word}
    if word not in WORDS:
        names |= _imported_as(part.file.index.tree, word)
    for node in walk(part.node):
        has_place = hasattr(node, "lineno")
        if not has_place or node is part.node:
            continue
        if any(_uses(node, name) for name in names):
            yield node


def _imported_as(tree: ast.Module, name: str) -> set[str]:
    """Return the names that import statements give to the module `name`, to everything imported
    from it, or to a function with this name.
    """
    names: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Import():
                for alias in node.names:
                    if _top_package(alias.name) == name and alias.asname:
                        names.add(alias.asname)
            case ast.ImportFrom():
                is_of_module = _top_package(node.module or "") == name
                for alias in node.names:
                    if is_of_module or alias.name == name:
                        names.add(alias.asname or alias.name)
    return names


def _uses(node: ast.AST, word: str) -> bool:
    """Return whether a node itself, without its children, uses a name or a kind of code."""
    if word == "while_true":
        return isinstance(node, ast.While) and _is_true(node.test)
    kinds = _KINDS.get(word)
    if kinds is None:
        return _names(node, word)
    if isinstance(node, kinds):
        return True
    return any(isinstance(operator, kinds) for operator in _operators(node))


def _operators(node: ast.AST) -> list[ast.AST]:
    """Return the operator nodes of an expression or of `+=`. They have no position themselves."""
    if isinstance(node, ast.Compare):
        return list(node.ops)
    operator = getattr(node, "op", None)
    if isinstance(operator, ast.AST):
        return [operator]
    return []


def _names(node: ast.AST, name: str) -> bool:
    """Return whether a node uses this function, method (`.sort` or `sort`) or module."""
    match node:
        case ast.Name(id=used, ctx=ast.Load()):
            return used == name
        case ast.Attribute(attr=used):
            return used == name.removeprefix(".")
        case ast.Import():
            packages = [_top_package(alias.name) for alias in node.names]
            return name in packages
        case ast.ImportFrom():
            return _top_package(node.module or "") == name
    return False


def _top_package(module: str) -> str:
    top, _, _ = module.partition(".")
    return top


def _in_words(word: str) -> str:
    if word == "while_true":
        return "`while True`"
    if word == "loop":
        return "a loop"
    return f"`{short(word)}`"


@condition_kind("uses", Holds.NAMES, "Names and kinds of code that must appear.")
def _check_uses(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for word in condition.names:
        first = next(_uses_of(part, word), None)
        if first is None:
            yield part.breach(f"does not use {_in_words(word)}")


@condition_kind("calls", Holds.NAMES, "Functions and methods that must be called.")
def _check_calls(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for name in condition.names:
        names = {name} | _imported_as(part.file.index.tree, name)
        is_called = any(_calls(node, names) for node in walk(part.node))
        if not is_called:
            yield part.breach(f"never calls {short(name)}")


def _calls(node: ast.AST, names: Set[str]) -> bool:
    """Return whether a node calls one of these functions, or passes one as an argument."""
    if not isinstance(node, ast.Call):
        return False
    values = [node.func, *node.args]
    for keyword in node.keywords:
        values.append(keyword.value)
    return any(_names(value, name) for value in values for name in names)


@condition_kind("avoids", Holds.NAMES, "Names and kinds of code that must not appear.")
def _check_avoids(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for word in condition.names:
        message = f"{part.name} may not use {_in_words(word)}"
        for node in _uses_of(part, word):
            yield Breach(node, message, word)
