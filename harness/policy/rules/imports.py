"""Checks a file's import statements against those that the sheet allows."""

from __future__ import annotations

import ast

from harness.model.policy import PolicyGroup
from harness.policy.rule import CheckedFile, FindingCollector, FindingKind, policy_rule, short

_Import = ast.Import | ast.ImportFrom
_KIND = FindingKind(name="import", title="Imports", group=PolicyGroup.IMPORTS)


@policy_rule(10, _KIND)
def check_imports(file: CheckedFile, collector: FindingCollector) -> None:
    """Every import statement, at any level, against `imports:`."""
    index, rule = file.index, file.policy.imports
    if rule is None:
        return
    statements: list[tuple[_Import, bool]] = []
    for visit in index.of(ast.Import, ast.ImportFrom):
        if isinstance(visit.node, ast.Import | ast.ImportFrom):
            statements.append((visit.node, visit.holder is index.tree))
    statements.sort(key=lambda entry: (entry[0].lineno, entry[0].col_offset))
    if rule.exactly is not None:
        _exactly(statements, rule.exactly, collector)
    elif rule.forbid is not None:
        _all_but(statements, rule.forbid, collector)
    else:
        _only(statements, rule.allow or (), collector)


def _only(
    statements: list[tuple[_Import, bool]], allowed: tuple[str, ...], collector: FindingCollector
) -> None:
    for node, _ in statements:
        for module in _modules(node):
            if _is_of(module, allowed):
                continue
            others = f"only {', '.join(allowed)}" if allowed else "nothing"
            collector.add(_KIND, node, f"imports {short(module)}, but {others} may be imported")


def _all_but(
    statements: list[tuple[_Import, bool]], forbidden: tuple[str, ...], collector: FindingCollector
) -> None:
    for node, _ in statements:
        for module in _modules(node):
            # `from os import path` imports os.path, too.
            parts = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            named = (module, *(f"{module}.{part}" for part in parts))
            refused = next((name for name in named if _is_of(name, forbidden)), None)
            if refused is not None:
                what = f"imports {short(refused)}, which may not be imported"
                collector.add(_KIND, node, what)


def _is_of(module: str, names: tuple[str, ...]) -> bool:
    """Whether it is one of these modules or a part of one."""
    return any(module == name or module.startswith(name + ".") for name in names)


def _modules(node: _Import) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    return ("." * node.level + (node.module or ""),)


def _exactly(
    statements: list[tuple[_Import, bool]], exactly: tuple[str, ...], collector: FindingCollector
) -> None:
    given = [_normal(text) for text in exactly]
    written = [(node, at_top, ast.unparse(node)) for node, at_top in statements]
    at_home = [text for _, at_top, text in written if at_top and text in given]
    missing = [text for text in given if text not in at_home]
    earlier_texts: list[str] = []
    for node, at_top, text in written:
        if at_top and text in given:
            if text in earlier_texts:
                collector.add(_KIND, node, f"`{short(text)}` is here a second time")
            elif any(given.index(text) < given.index(earlier) for earlier in earlier_texts):
                collector.add(_KIND, node, f"`{short(text)}` is not in the given order")
            earlier_texts.append(text)
        elif text in missing:
            missing.remove(text)
            earlier_texts.append(text)
            what = f"`{short(text)}` was moved; it is at the top of the file as given"
            collector.add(_KIND, node, what)
        elif text in given:
            collector.add(_KIND, node, f"`{short(text)}` is here a second time")
        else:
            _add_unknown(node, at_top, text, missing, collector)
    for text in missing:
        collector.add(_KIND, None, f"the given import `{short(text)}` was removed")


def _add_unknown(
    node: _Import, at_top: bool, text: str, missing: list[str], collector: FindingCollector
) -> None:
    original = next((m for m in missing if _same_module(m, node)), None) if at_top else None
    if original is not None:
        missing.remove(original)
        what = f"the given import `{short(original)}` was changed to `{short(text)}`"
    else:
        where = "" if at_top else " inside other code"
        what = f"`{short(text)}` was added{where}; only the given imports are permitted"
    collector.add(_KIND, node, what)


def _same_module(text: str, node: _Import) -> bool:
    original = ast.parse(text).body[0]
    if not isinstance(original, ast.Import | ast.ImportFrom):
        return False
    return bool(set(_modules(original)) & set(_modules(node)))


def _normal(text: str) -> str:
    return ast.unparse(ast.parse(text))
