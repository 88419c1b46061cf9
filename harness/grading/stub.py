"""A stub from a reference: the file that a student starts with, without any of the solution.

It is taken from the syntax tree: the imports, the functions and classes that the assignment asks
for with their signatures and docstrings, what these signatures name, and the `__name__` guard. No
comment of the reference survives, at any place.
"""

import ast
import io
import tokenize
from collections.abc import Collection, Iterable, Iterator, Sequence

from harness.common.errors import HarnessError
from harness.model.plan import SourceFile, Specification

_NOT_TEXT = {tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.NL}
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_PLACEHOLDERS = ("...", "pass")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def handed_out_stubs(specification: Specification) -> tuple[SourceFile, ...]:
    """Return a stub of each Python file of the reference with the functions that the scenarios
    test.
    """
    plan = specification.plan
    asked: set[str] = set()
    for scenario in plan.scenarios:
        asked.add(scenario.function.partition(".")[0])
        # An exception class of the file may be named only there.
        for stated in (scenario.stated, *scenario.stated_cases):
            if stated.raises is not None:
                asked |= {stated.raises.type_name, *stated.raises.also, stated.raises.is_a}
    stubs: list[SourceFile] = []
    for file in specification.reference:
        if file.name.endswith(".py"):
            data = stub(file, asked, plan.assignment.title)
            stubs.append(SourceFile(name=file.name, data=data))
    return tuple(stubs)


def stub(reference: SourceFile, asked: Iterable[str], heading: str) -> bytes:
    """Return the stub of one file of the reference; `asked` are the functions and classes to keep.

    Raise HarnessError if the result does not compile or contains a statement of a body.
    """
    text = reference.data.decode("utf-8-sig")
    tree = ast.parse(text)
    made = _stub_text(tree, text, asked, heading)
    try:
        stub_tree = ast.parse(made)
    except SyntaxError as error:
        raise HarnessError(f"the stub of {reference.name} does not compile: {error.msg}") from None
    secret = {ast.dump(node) for node in bodies(tree)}  # a mistake would publish an answer
    if not secret.isdisjoint(ast.dump(node) for node in bodies(stub_tree)):
        raise HarnessError(f"the stub of {reference.name} contains a part of the reference")
    return made.encode()


def _stub_text(tree: ast.Module, text: str, asked: Iterable[str], heading: str) -> str:
    guards = [node for node in tree.body if _is_main_guard(node)]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    needed = _needed(tree, {*asked, *_names(guards)})
    blocks = _blocks(tree, text, needed)
    docstring = ast.Module(body=[ast.Expr(ast.Constant(heading))], type_ignores=[])
    opening = [ast.unparse(docstring)]
    if imports:
        opening.append(_all_as_written(imports, text))
    if needed and not isinstance(needed[0], _Definition):
        opening.append(blocks.pop(0))
    parts = ["\n\n".join(opening), *blocks]
    parts += [_as_written(node, text) for node in guards]
    return "\n\n\n".join(parts) + "\n"


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in _names([node.test])


def _blocks(tree: ast.Module, text: str, needed: Sequence[ast.stmt]) -> list[str]:
    """Return each definition, and each run of assignments between two, as it is in the stub."""
    defined = _defined_names(tree)
    blocks: list[str] = []
    assignments: list[ast.stmt] = []
    for node in needed:
        if not isinstance(node, _Definition):
            assignments.append(node)
            continue
        if assignments:
            blocks.append(_all_as_written(assignments, text))
            assignments = []
        blocks.append(_shell(node, text, defined))
    if assignments:
        blocks.append(_all_as_written(assignments, text))
    return blocks


def _shell(node: _Definition, text: str, defined: Collection[str]) -> str:
    """Return the definition with its docstring, and an ellipsis instead of the body.

    A decorator that is one of the file's `defined` functions is left out: without its body it would
    return None.
    """
    outside = " " * node.col_offset
    inside = " " * (node.col_offset + 4)
    lines: list[str] = []
    for decorator in _decorators(node, defined):
        lines.append(f"{outside}@{ast.unparse(decorator)}")
    lines.append(outside + _header(node, text))
    if ast.get_docstring(node, clean=False) is not None:
        lines.append(inside + _docstring(node, text))
    if isinstance(node, ast.ClassDef):
        lines += [inside + _as_written(attribute, text) for attribute in _attributes(node)]
        shells: list[str] = []
        for member in node.body:
            if isinstance(member, _Definition) and _is_public(member.name):
                shells.append(_shell(member, text, defined))
        if shells:
            return "\n".join(lines) + "\n\n" + "\n\n".join(shells)
    lines.append(inside + "...")
    return "\n".join(lines)


def _docstring(node: _Definition, text: str) -> str:
    """Return the docstring as it was written, if it is one string."""
    source = ast.get_source_segment(text, node.body[0]) or ""
    types = [token.type for token in _tokens(source) if token.string.strip()]
    if types == [tokenize.STRING]:
        return source
    return ast.unparse(node.body[0])


def _is_public(name: str) -> bool:
    is_special = name[:2] == name[-2:] == "__"
    return is_special or not name.startswith("_")


def _attributes(node: ast.ClassDef) -> list[ast.stmt]:
    """Return the attributes of a class that define it: the fields of a dataclass, the members of
    an enumeration, and the names that headers of its methods use.
    """
    is_made_of_them = _is_made_of_attributes(node)
    used: set[str] = set()
    for member in node.body:
        if isinstance(member, _Definition):
            used |= _names(_parts_of_header(member, ()))
    attributes: list[ast.stmt] = []
    for statement in node.body:
        if not isinstance(statement, _ASSIGNMENTS):
            continue
        if is_made_of_them or used & _names(_targets(statement)):
            attributes.append(statement)
    return attributes


def _is_made_of_attributes(node: ast.ClassDef) -> bool:
    """Return whether it is a dataclass, an enumeration or a named tuple."""
    if any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
        return True
    kinds = ("Enum", "Flag", "NamedTuple")
    return any(ast.unparse(base).endswith(kinds) for base in node.bases)


def _header(node: _Definition, text: str) -> str:
    """Return the lines from `def` to the colon as they were formatted, without comments."""
    lines = text.splitlines(keepends=True)[node.lineno - 1 : node.body[0].end_lineno]
    tokens = _tokens_of_header("".join(lines))
    header = ""
    row, column = tokens[0].start
    for token in tokens:
        if token.start[0] > row:
            header += "\n"
            column = 0
        header += " " * (token.start[1] - column) + token.string
        row, column = token.end
    return header


def _tokens_of_header(source: str) -> list[tokenize.TokenInfo]:
    depth = 0
    kept: list[tokenize.TokenInfo] = []
    for token in _tokens(source):
        if token.type in _NOT_TEXT:
            continue
        kept.append(token)
        if token.type == tokenize.OP and token.string in "([{":
            depth += 1
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        elif token.string == ":" and depth == 0:
            break
    return kept


def _all_as_written(nodes: Iterable[ast.stmt], text: str) -> str:
    return "\n".join(_as_written(node, text) for node in nodes)


def _as_written(node: ast.stmt, text: str) -> str:
    """Return a statement as it was written, unless it contains a comment."""
    source = ast.get_source_segment(text, node) or ""
    if any(token.type == tokenize.COMMENT for token in _tokens(source)):
        return ast.unparse(node)
    return source


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(source).readline)


def _needed(tree: ast.Module, wanted: Collection[str]) -> list[ast.stmt]:
    """Return the definitions of the `wanted` names, with those that their headers name, and so on,
    in the file's order.
    """
    defined = _defined_names(tree)
    used: set[str] = set()
    kept: list[ast.stmt] = []
    while True:
        more = [node for node in tree.body if node not in kept and _gives(node, wanted, used)]
        if not more:
            return [node for node in tree.body if node in kept]
        kept += more
        for node in more:
            if isinstance(node, _Definition):
                used |= _names(_parts_of_header(node, defined))
            else:
                used |= _names([node])


def _gives(node: ast.stmt, wanted: Collection[str], used: Collection[str]) -> bool:
    """Return whether a statement defines a wanted or used name, or assigns a used one."""
    if isinstance(node, _Definition):
        return node.name in wanted or node.name in used
    return isinstance(node, _ASSIGNMENTS) and not _names(_targets(node)).isdisjoint(used)


def _defined_names(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, _Definition)}


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target]


def _parts_of_header(node: _Definition, defined: Collection[str]) -> list[ast.AST]:
    decorators = _decorators(node, defined)
    parts: list[ast.AST] = []
    if isinstance(node, ast.ClassDef):
        for member in node.body:
            if isinstance(member, _Definition):
                parts += _parts_of_header(member, defined)
        return [*parts, *decorators, *node.bases, *_attributes(node)]
    parts = [node.args, *decorators]
    if node.returns is not None:
        parts.append(node.returns)
    return parts


def _decorators(node: _Definition, defined: Collection[str]) -> list[ast.expr]:
    """Return all decorators except the file's `defined` functions."""
    return [
        decorator for decorator in node.decorator_list if _names([decorator]).isdisjoint(defined)
    ]


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                names.add(part.id)
    return names


def bodies(tree: ast.AST) -> list[ast.stmt]:
    """Return all statements inside functions, at any depth, except docstrings and the statements
    that a stub has in their place."""
    found: list[ast.stmt] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        statements = node.body
        if ast.get_docstring(node, clean=False) is not None:
            statements = statements[1:]
        for statement in statements:
            for part in ast.walk(statement):
                if isinstance(part, ast.stmt) and ast.unparse(part) not in _PLACEHOLDERS:
                    found.append(part)
    return found
