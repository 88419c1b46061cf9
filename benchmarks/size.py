"""`make size`: lines, code and modules of the harness by package, against the last budget.

Lines are counted as they stand, those of Python apart from those of other languages; code is what
is neither blank, comment nor docstring. A module is a `.py` file other than `__init__.py`; its
importers are the other files of `harness/`. `--record TITLE` keeps the figures in `size.json`
beside this file; `BUDGET` and `LATER` state what may be reached.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_name("size.json")
LONGEST_FUNCTION = 50  # lines
LONGEST_MODULE = 600  # lines
_NO_CODE = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What `harness/` may have, and `tests/`."""

    issue: str
    lines: int
    other: int
    modules: int
    test_lines: int


BUDGET = Budget(
    issue="one road for each fact", lines=47_000, other=1_696, modules=240, test_lines=34_000
)
LATER = {  # what came after that: lines more, in whatever language
    "pages that name the change": 1_000,
    "every first-year exercise": 1_500,
    "the desk": 3_500,
    "in the browser": 1_000 + 500,
    "ready for strangers": 300,
}
ALLOWED = BUDGET.lines + BUDGET.other + sum(LATER.values())


@dataclass(slots=True, kw_only=True)
class Size:
    """The figures of one package; `other` are lines of other languages than Python, `single` the
    modules with one importer."""

    lines: int = 0
    other: int = 0
    code: int = 0
    modules: int = 0
    single: int = 0

    def add(self, other: Size) -> None:
        """Add the figures of another package."""
        self.lines += other.lines
        self.other += other.other
        self.code += other.code
        self.modules += other.modules
        self.single += other.single


@dataclass(slots=True, kw_only=True)
class Measured:
    """All packages, and what is longer than it may be."""

    packages: dict[str, Size] = field(default_factory=dict)
    too_long: list[str] = field(default_factory=list)
    test_lines: int = 0

    def total(self) -> Size:
        """The sum of all packages."""
        total = Size()
        for size in self.packages.values():
            total.add(size)
        return total


def main() -> None:
    """Print the table; exit status 1 where the budget is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", metavar="TITLE", help="keep the figures under this title")
    options = parser.parse_args()
    measured = measure()
    records = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else []
    _print(measured, records)
    if options.record:
        packages = {name: asdict(size) for name, size in measured.packages.items()}
        records.append(
            {"title": options.record, "test_lines": measured.test_lines, "packages": packages}
        )
        RECORD.write_text(json.dumps(records, indent=1) + "\n", "utf-8")
    sys.exit(_exceeded(measured))


def measure() -> Measured:
    """Count the files that git knows below `harness/` and `tests/`."""
    measured = Measured()
    trees: dict[Path, ast.Module] = {}
    for path in _files("harness"):
        text = path.read_text("utf-8")
        size = measured.packages.setdefault(_package(path), Size())
        if path.suffix != ".py":
            size.other += text.count("\n")
            continue
        size.lines += text.count("\n")
        trees[path] = ast.parse(text)
        size.code += _code_lines(text, trees[path])
        size.modules += path.name != "__init__.py"
        measured.too_long += _too_long(path, text, trees[path])
    importers = _importers(trees)
    for path, files in importers.items():
        if path.name != "__init__.py" and len(files) == 1:
            measured.packages[_package(path)].single += 1
    measured.test_lines = sum(
        path.read_text("utf-8").count("\n") for path in _files("tests") if path.suffix == ".py"
    )
    return measured


def _files(folder: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def _package(path: Path) -> str:
    parts = path.relative_to(ROOT / "harness").parts
    return parts[0] if len(parts) > 1 else "(top)"


def _code_lines(text: str, tree: ast.Module) -> int:
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            value = first.value if isinstance(first, ast.Expr) else None
            if first and isinstance(value, ast.Constant) and isinstance(value.value, str):
                lines.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


def _too_long(path: Path, text: str, tree: ast.Module) -> Iterator[str]:
    place = path.relative_to(ROOT).as_posix()
    if (lines := text.count("\n")) > LONGEST_MODULE:
        yield f"{place}: {lines} lines"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{place}:{node.lineno}: {node.name} has {length} lines"


def _importers(trees: dict[Path, ast.Module]) -> dict[Path, set[Path]]:
    """By module the files that import it, by a statement or through a list of lazy exports."""
    modules = {_dotted(path): path for path in trees}
    importers: dict[Path, set[Path]] = {path: set() for path in trees}
    for path, tree in trees.items():
        package = _dotted(path if path.name == "__init__.py" else path.parent / "__init__.py")
        for node in ast.walk(tree):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                parts = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [part if part in modules else node.module for part in parts]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = [f"{package}.{node.value}"] if path.name == "__init__.py" else []
            for name in names:
                if name in modules and modules[name] != path:
                    importers[modules[name]].add(path)
    return importers


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _print(measured: Measured, records: list[dict[str, object]]) -> None:
    heads = f"{'lines':>7} {'code':>7} {'other':>6} {'modules':>8} {'one importer':>13}"
    print(f"{'package':12} {heads}")
    rows = [*sorted(measured.packages.items()), ("all", measured.total())]
    for name, size in rows:
        lines = f"{size.lines:7,} {size.code:7,} {size.other:6,}"
        print(f"{name:12} {lines} {size.modules:8} {size.single:13}")
    print(f"{'tests':12} {measured.test_lines:7,}")
    for record in records:
        total, tests = _recorded(record)
        print(
            f"{record['title']}: {total.lines:,} lines, {total.code:,} of code, "
            f"{total.modules} modules, {total.single} with one importer; tests {tests:,}"
        )
    print(
        f"Budget ({BUDGET.issue}): {BUDGET.lines:,} lines, {BUDGET.other:,} of other languages, "
        f"{BUDGET.modules} modules, tests {BUDGET.test_lines:,}"
    )
    later = ", ".join(f"{issue} {lines:,}" for issue, lines in LATER.items())
    size = measured.total()
    print(f"and what came later, in any language: {later}")
    print(f"together: {ALLOWED:,}; there are {size.lines + size.other:,}")
    for line in measured.too_long:
        print(f"too long: {line}")


def _recorded(record: dict[str, object]) -> tuple[Size, int]:
    packages, tests = record["packages"], record["test_lines"]
    assert isinstance(packages, dict) and isinstance(tests, int)
    total = Size()
    for size in packages.values():
        total.add(Size(**size))
    return total, tests


def _exceeded(measured: Measured) -> bool:
    total = measured.total()
    return (
        total.lines + total.other > ALLOWED
        or total.modules > BUDGET.modules
        or measured.test_lines > BUDGET.test_lines
        or bool(measured.too_long)
    )


if __name__ == "__main__":
    main()
