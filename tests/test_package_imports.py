"""Packages use each other through their `__init__`, as the syntax trees show; the ways of facts
that docs/architecture.md lists are those that they take.
"""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import harness
from harness.assignment import loading
from harness.packaging.program_file import _imports
from harness.results import reuse
from tests.ways import WAYS, Way, listed, traced, write

ROOT = Path(harness.__file__).parent

# Collections of parts that are used one by one, so that each costs what it costs.
BY_MODULE = (
    *("assignment", "common", "grading", "intake", "judging", "marking", "matchers", "model"),
    *("packaging", "policy", "reporting", "results", "review", "stimuli", "study"),
)
# Programs in one file hold what their modules import, so they name exactly what they need.
PACKED = ("harness.packaging.selfcheck", "harness.packaging.classroom50")
MAX_MODULES = 14  # side by side in one folder


def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ("harness", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def package(module: str) -> str:
    return ".".join(module.split(".")[:2])


def imported(path: Path) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.lineno, node.module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, ""


@cache
def exported(path: Path) -> set[str]:
    """What a package's `__init__` imports from its own modules."""
    found = ast.walk(ast.parse(path.read_text("utf-8")))
    return {a.name for node in found if isinstance(node, ast.ImportFrom) for a in node.names}


def test_other_packages_are_imported_through_their_public_names() -> None:
    known = modules()
    packages = {name for name, path in known.items() if path.name == "__init__.py"}
    wrong: list[str] = []
    for name, path in known.items():
        for line, module, what in imported(path):
            if package(module) == package(name) or not module.startswith("harness."):
                continue
            inner = module.removeprefix("harness.")
            if name in PACKED or any(f"{inner}.".startswith(f"{part}.") for part in BY_MODULE):
                continue
            is_public = module in packages and what in {"", *exported(known[module])}
            is_module = module not in packages and package(module) == module
            if not (is_public or is_module):
                wrong.append(f"{name}:{line} takes {what or 'all'} from {module}")
    assert wrong == []


@pytest.mark.parametrize(
    "packages",
    [("execution", *reuse._SHARED), ("judging", "matchers", *reuse._SHARED), loading._PACKAGES],
)
def test_a_digest_of_sources_covers_all_that_they_import(packages: tuple[str, ...]) -> None:
    own = {f"harness.{name}" for name in packages}
    trees = (ast.parse(p.read_text("utf-8")) for n, p in modules().items() if package(n) in own)
    found = {package(module) for tree in trees for module, _ in _imports(tree)}
    assert {name for name in found if name.startswith("harness.")} <= own


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.title)
def test_the_document_lists_every_type_that_holds_it(way: Way, tmp_path: Path) -> None:
    types = traced(way, tmp_path)
    if os.environ.get("UPDATE_GOLDEN"):
        write(way.title, types)
    assert sorted(types) == sorted(listed(way.title)), "UPDATE_GOLDEN=1 writes the list anew"
    assert len(types) <= way.most


def test_no_folder_has_more_modules_than_a_newcomer_takes_in_at_a_glance() -> None:
    counts: dict[str, int] = {}
    for path in ROOT.rglob("[!_]*.py"):
        folder = path.parent.relative_to(ROOT).as_posix()
        counts[folder] = counts.get(folder, 0) + 1
    crowded = {folder: count for folder, count in counts.items() if count > MAX_MODULES}
    assert crowded == {}, "group them by subject into packages"
