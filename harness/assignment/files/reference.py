"""Check the imports of the reference's files for modules that a submission would not find."""

import ast
from collections.abc import Iterator
from pathlib import Path

from harness.assignment.document import Problems
from harness.assignment.symbols import AssignmentSymbols
from harness.model.plan import Place, SourceFile


def check_reference_imports(symbols: AssignmentSymbols, root: Path, problems: Problems) -> None:
    """Note an error for each relative import, and for each import of a file beside the reference
    that is neither submitted nor provided."""
    folder = symbols.reference_folder
    names = [*symbols.file_names, *(file.name for file in symbols.tested_program)]
    known = {name.removesuffix(".py") for name in names}
    for file in symbols.reference:
        if not file.name.endswith(".py"):
            continue
        shown = (folder / file.name).relative_to(root).as_posix()
        for node, module in _imports(file):
            place = Place(file=shown, line=node.lineno, column=node.col_offset + 1)
            first = module.partition(".")[0]
            if isinstance(node, ast.ImportFrom) and node.level:
                what = "a relative import: a submission is single modules, not a package"
                hint = f"write from {module or '…'} import …"
                if not module:
                    hint = "write import and the module's name"
                problems.add(place, "", what, hint)
            elif first not in known and (folder / f"{first}.py").is_file():
                what = (
                    f"{first}.py is beside the reference, but it is neither submitted nor provided"
                )
                hint = "list it in assignment.yaml, under submission: files or under provided:"
                problems.add(place, "", what, hint)


def _imports(file: SourceFile) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    """Yield every import of the file with the module's name; it may be empty."""
    for node in ast.walk(ast.parse(file.data)):
        if isinstance(node, ast.ImportFrom):
            yield node, node.module or ""
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
