"""A stub from a reference: what a student starts with, without any of the solution.

Taken from the syntax tree: the imports, the functions and classes that the assignment asks for
with their signatures and docstrings, what these signatures name, and the `__name__` guard. No
comment of the reference survives, at any place.
"""

import ast
import io
import itertools
import tokenize
from collections.abc import Collection, Iterable, Iterator

from harness.common.errors import HarnessError
from harness.model.plan import SourceFile, Specification

_NOT_TEXT = {tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.NL}
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def handed_out_stubs(specification: Specification) -> tuple[SourceFile, ...]:
    """Return a stub of each Python file of the reference with the functions that the scenarios
    test.
    """
    plan = specification.plan
    asked = {scenario.function.partition(".")[0] for scenario in plan.scenarios}
    for scenario in plan.scenarios:  # an exception class of the file may be named only there
        for stated in (scenario.stated, *scenario.stated_cases):
            if (raises := stated.raises) is not None:
                asked |= {raises.type_name, *raises.also, raises.is_a}
    return tuple(
        SourceFile(name=file.name, data=stub(file, asked, plan.assignment.title))
        for file in specification.reference
        if file.name.endswith(".py")
    )


def stub(reference: SourceFile, asked: Iterable[str], heading: str) -> bytes:
    """Return the stub of one file of the reference; `asked` are the functions and classes to keep.

    Raise HarnessError if the result does not compile or contains a statement of a body.
    """
    text = reference.data.decode("utf-8-sig")
    tree = ast.parse(text)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    ifs = [node for node in tree.body if isinstance(node, ast.If)]
    guards = [node for node in ifs if "__name__" in _names([node.test])]
    needed = _needed(tree, {*asked, *_names(guards)})
    own = {node.name for node in tree.body if isinstance(node, _Definition)}
    groups: list[str] = []
    for is_definition, nodes in itertools.groupby(needed, lambda n: isinstance(n, _Definition)):
        if is_definition:
            groups += [_shell(node, text, own) for node in nodes if isinstance(node, _Definition)]
        else:
            groups.append("\n".join(_as_written(node, text) for node in nodes))
    docstring = ast.Module(body=[ast.Expr(ast.Constant(heading))], type_ignores=[])
    opening = [ast.unparse(docstring), "\n".join(_as_written(node, text) for node in imports)]
    if needed and not isinstance(needed[0], _Definition):
        opening.append(groups.pop(0))
    head = "\n\n".join(block for block in opening if block)
    made = "\n\n\n".join([head, *groups, *(_as_written(node, text) for node in guards)]) + "\n"
    try:
        stub_tree = ast.parse(made)
    except SyntaxError as error:
        raise HarnessError(f"the stub of {reference.name} does not compile: {error.msg}") from None
    secret = {ast.dump(node) for node in bodies(tree)}  # a mistake would publish an answer
    if not secret.isdisjoint(ast.dump(node) for node in bodies(stub_tree)):
        raise HarnessError(f"the stub of {reference.name} holds a part of the reference")
    return made.encode()


def _shell(node: _Definition, text: str, own: Collection[str]) -> str:
    """Return the definition with its docstring, and an ellipsis in place of the body.

    A decorator that is one of the file's `own` functions is left out: without its body it would
    return None.
    """
    inside = " " * (node.col_offset + 4)
    lines = [" " * node.col_offset + f"@{ast.unparse(each)}" for each in _decorators(node, own)]
    lines.append(" " * node.col_offset + _header(node, text))
    if ast.get_docstring(node, clean=False) is not None:
        source = ast.get_source_segment(text, node.body[0]) or ""
        types = [token.type for token in _tokens(source) if token.string.strip()]
        is_one_piece = types == [tokenize.STRING]
        lines.append(inside + (source if is_one_piece else ast.unparse(node.body[0])))
    if isinstance(node, ast.ClassDef):
        lines += [inside + _as_written(each, text) for each in _attributes(node)]
        members = [member for member in node.body if isinstance(member, _Definition)]
        shells = [
            _shell(member, text, own)
            for member in members
            if not member.name.startswith("_") or member.name[:2] == member.name[-2:] == "__"
        ]
        if shells:
            return "\n".join(lines) + "\n\n" + "\n\n".join(shells)
    lines.append(inside + "...")
    return "\n".join(lines)


def _attributes(node: ast.ClassDef) -> list[ast.stmt]:
    """Return the attributes of a class that define it: the fields of a dataclass, the members of
    an enumeration, and the names that headers of its methods use.
    """
    made_of = any("dataclass" in ast.unparse(each) for each in node.decorator_list) or any(
        ast.unparse(base).endswith(("Enum", "Flag", "NamedTuple")) for base in node.bases
    )
    members = [m for m in node.body if isinstance(m, _Definition)]
    used = {name for member in members for name in _names(_parts_of_header(member, ()))}
    return [
        each
        for each in node.body
        if isinstance(each, _ASSIGNMENTS) and (made_of or used & _names(_targets(each)))
    ]


def _header(node: _Definition, text: str) -> str:
    """Return the lines from `def` to the colon as they were formatted, without comments."""
    lines = text.splitlines(keepends=True)[node.lineno - 1 : node.body[0].end_lineno]
    depth = 0
    kept: list[tokenize.TokenInfo] = []
    for token in _tokens("".join(lines)):
        if token.type in _NOT_TEXT:
            continue
        kept.append(token)
        depth += (token.string in "([{") - (token.string in ")]}") if token.string else 0
        if token.string == ":" and depth == 0:
            break
    made = ""
    row, column = kept[0].start
    for token in kept:
        if token.start[0] > row:
            made, column = made + "\n", 0
        made += " " * (token.start[1] - column) + token.string
        row, column = token.end
    return made


def _as_written(node: ast.stmt, text: str) -> str:
    """Return a statement as it was written, unless it contains a comment."""
    source = ast.get_source_segment(text, node) or ""
    commented = any(token.type == tokenize.COMMENT for token in _tokens(source))
    return ast.unparse(node) if commented else source


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(source).readline)


def _needed(tree: ast.Module, wanted: Collection[str]) -> list[ast.stmt]:
    """Return the definitions of the `wanted` names, with those that their headers name, and so on,
    in the file's order.
    """
    own = {node.name for node in tree.body if isinstance(node, _Definition)}
    used: set[str] = set()
    kept: list[ast.stmt] = []
    while True:
        more = [
            node
            for node in tree.body
            if node not in kept
            and (
                (isinstance(node, _Definition) and node.name in used | set(wanted))
                or (isinstance(node, _ASSIGNMENTS) and used & _names(_targets(node)))
            )
        ]
        if not more:
            return [node for node in tree.body if node in kept]
        kept += more
        for node in more:
            used |= _names(_parts_of_header(node, own) if isinstance(node, _Definition) else [node])


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _parts_of_header(node: _Definition, own: Collection[str]) -> list[ast.AST]:
    decorators = _decorators(node, own)
    if isinstance(node, ast.ClassDef):
        inner = [m for m in node.body if isinstance(m, _Definition)]
        parts = [part for member in inner for part in _parts_of_header(member, own)]
        return [*parts, *decorators, *node.bases, *_attributes(node)]
    return [node.args, *decorators, *([node.returns] if node.returns else [])]


def _decorators(node: _Definition, own: Collection[str]) -> list[ast.expr]:
    """Return all decorators except the file's own functions."""
    return [each for each in node.decorator_list if not _names([each]) & set(own)]


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def bodies(tree: ast.AST) -> list[ast.stmt]:
    """Yield all statements inside functions, at any depth, except docstrings and definitions."""
    found: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            has_docstring = ast.get_docstring(node, clean=False) is not None
            for statement in node.body[1 if has_docstring else 0 :]:
                found += [n for n in ast.walk(statement) if isinstance(n, ast.stmt)]
    # Without what a stub has in their place.
    return [statement for statement in found if ast.unparse(statement) not in ("...", "pass")]
