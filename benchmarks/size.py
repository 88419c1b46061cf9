"""`make size`: the size and the density of `harness/`, package by package.

Density says how much a reader must take in at a time. It is counted as in the codebases that this
one is compared with: tokens per statement, and per thousand statements the comprehensions, those
with another comprehension or a conditional expression inside, and the conditional expressions.
Docstrings, comments and line breaks do not count. `--record TITLE` keeps the figures in
`size.json` beside this file.
"""

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
MAX_FUNCTION = 50  # lines
MAX_MODULE = 600  # lines
MAX_TOKENS = 10.5  # per statement
MAX_COMPREHENSIONS = 45.0  # this and the following per thousand statements
MAX_NESTED = 1.5
MAX_CONDITIONALS = 22.0
MIN_STATEMENTS = 200  # a package with fewer is judged with the whole only
_LAYOUT_TOKENS = frozenset(
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
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True, kw_only=True)
class Size:
    """Counts of one package or file; `other_lines` are lines of other languages than Python."""

    modules: int = 0
    lines: int = 0
    other_lines: int = 0
    statements: int = 0
    tokens: int = 0
    comprehensions: int = 0
    nested: int = 0
    conditionals: int = 0

    def add(self, other: "Size") -> None:
        """Add the counts of another package or file."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def tokens_per_statement(self) -> float:
        """Return the tokens of an average statement."""
        return self.tokens / max(1, self.statements)

    def per_thousand(self, count: int) -> float:
        """Return a count per thousand statements."""
        return 1000 * count / max(1, self.statements)

    def exceeds(self) -> list[str]:
        """Return the names of the measures that are above their aim."""
        measures = {
            "tokens": (self.tokens_per_statement, MAX_TOKENS),
            "comprehensions": (self.per_thousand(self.comprehensions), MAX_COMPREHENSIONS),
            "nested": (self.per_thousand(self.nested), MAX_NESTED),
            "conditionals": (self.per_thousand(self.conditionals), MAX_CONDITIONALS),
        }
        return [name for name, (value, most) in measures.items() if value > most]


@dataclass(slots=True, kw_only=True)
class Measured:
    """The sizes of all packages and files, and the functions and modules that are too long."""

    packages: dict[str, Size] = field(default_factory=dict)
    files: dict[str, Size] = field(default_factory=dict)
    too_long: list[str] = field(default_factory=list)

    def total(self) -> Size:
        """Return the sum of all packages."""
        total = Size()
        for size in self.packages.values():
            total.add(size)
        return total


def main() -> None:
    """Print the table; exit with status 1 if a package or function is above its aim."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", metavar="TITLE", help="keep the figures under this title")
    parser.add_argument("--files", metavar="PACKAGE", help="show the files of this package")
    options = parser.parse_args()
    measured = measure()
    if options.files:
        prefix = f"harness/{options.files}/"
        rows = {name: size for name, size in measured.files.items() if name.startswith(prefix)}
        _print_table(rows)
        return
    rows = dict(sorted(measured.packages.items()))
    rows["all"] = measured.total()
    _print_table(rows)
    for line in measured.too_long:
        print(f"too long: {line}")
    _print_records()
    if options.record:
        _record(options.record, rows)
    sys.exit(_above_aims(measured))


def measure() -> Measured:
    """Count the files below `harness/` that git knows or would add."""
    measured = Measured()
    for path in _files("harness"):
        text = path.read_text("utf-8")
        package = measured.packages.setdefault(_package(path), Size())
        if path.suffix != ".py":
            package.other_lines += text.count("\n")
            continue
        tree = ast.parse(text)
        size = _size_of(text, tree)
        size.modules = int(path.name != "__init__.py")
        package.add(size)
        measured.files[path.relative_to(ROOT).as_posix()] = size
        measured.too_long += _too_long(path, text, tree)
    return measured


def _files(folder: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def _package(path: Path) -> str:
    parts = path.relative_to(ROOT / "harness").parts
    return parts[0] if len(parts) > 1 else "(top)"


def _size_of(text: str, tree: ast.Module) -> Size:
    size = Size(lines=text.count("\n"))
    docstring_lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstring_lines.update(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.stmt):
            size.statements += 1
        elif isinstance(node, _COMPREHENSIONS):
            size.comprehensions += 1
            size.nested += _has_branch_inside(node)
        elif isinstance(node, ast.IfExp):
            size.conditionals += 1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT_TOKENS and token.start[0] not in docstring_lines:
            size.tokens += 1
    return size


def _has_branch_inside(comprehension: ast.AST) -> bool:
    for inner in ast.walk(comprehension):
        if inner is not comprehension and isinstance(inner, (*_COMPREHENSIONS, ast.IfExp)):
            return True
    return False


def _too_long(path: Path, text: str, tree: ast.Module) -> Iterator[str]:
    place = path.relative_to(ROOT).as_posix()
    lines = text.count("\n")
    if lines > MAX_MODULE:
        yield f"{place}: {lines} lines"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION:
                yield f"{place}:{node.lineno}: {node.name} has {length} lines"


def _print_table(rows: dict[str, Size]) -> None:
    width = max(len(name) for name in rows)
    heads = "modules   lines   other  statements  tokens  compr.  nested  cond."
    print(f"{'':{width}}  {heads}  above the aim")
    for name, size in rows.items():
        counts = f"{size.modules:7} {size.lines:7,} {size.other_lines:7,} {size.statements:11,}"
        comprehensions = size.per_thousand(size.comprehensions)
        nested = size.per_thousand(size.nested)
        conditionals = size.per_thousand(size.conditionals)
        tokens = size.tokens_per_statement
        density = f"{tokens:7.1f} {comprehensions:7.0f} {nested:7.1f} {conditionals:6.0f}"
        print(f"{name:{width}}  {counts} {density}  {', '.join(size.exceeds())}".rstrip())
    print(
        f"aims: {MAX_TOKENS} tokens per statement; per thousand statements "
        f"{MAX_COMPREHENSIONS:.0f} comprehensions, {MAX_NESTED} nested, "
        f"{MAX_CONDITIONALS:.0f} conditional expressions"
    )


def _read_records() -> list[dict[str, dict[str, dict[str, int]]]]:
    if not RECORD.exists():
        return []
    records: list[dict[str, dict[str, dict[str, int]]]] = json.loads(RECORD.read_text("utf-8"))
    return records


def _print_records() -> None:
    for record in _read_records():
        total = Size(**record["rows"]["all"])
        print(
            f"{record['title']}: {total.lines:,} lines, {total.modules} modules, "
            f"{total.tokens_per_statement:.1f} tokens, "
            f"{total.per_thousand(total.comprehensions):.0f} comprehensions, "
            f"{total.per_thousand(total.nested):.1f} nested, "
            f"{total.per_thousand(total.conditionals):.0f} conditional expressions"
        )


def _record(title: str, rows: dict[str, Size]) -> None:
    kept: list[object] = [*_read_records()]
    kept.append({"title": title, "rows": {name: asdict(size) for name, size in rows.items()}})
    RECORD.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _above_aims(measured: Measured) -> bool:
    for size in measured.packages.values():
        if size.statements > MIN_STATEMENTS and size.exceeds():
            return True
    return bool(measured.too_long)


if __name__ == "__main__":
    main()
