"""mutants.yaml: single-fault changes of the reference."""

from __future__ import annotations

import textwrap

from harness.assignment.scenarios.python_text import PythonError, parse_statements
from harness.assignment.scenarios.settings import has_clause
from harness.assignment.schema.models.lists import MutantShape, MutantsShape
from harness.assignment.schema.validate import shaped
from harness.assignment.yaml.document import Document
from harness.assignment.yaml.errors import nearest
from harness.model.plan import Clause, SourceFile
from harness.model.specification import Mutant


def read_mutants(
    document: Document, reference: tuple[SourceFile, ...], clauses: tuple[Clause, ...] | None
) -> tuple[Mutant, ...]:
    """The mutants that can be made; mistakes noted for the others."""
    shape = shaped(MutantsShape, document, (), document.data)
    if shape is None:
        return ()
    texts = {file.name: file.data.decode("utf-8-sig") for file in reference}
    found: list[Mutant] = []
    for index, part in enumerate(shape.mutants):
        mutant = _mutant(document, index, part, texts)
        place = ("mutants", index, "clause")
        if has_clause(document, place, part.clause, clauses) and mutant is not None:
            found.append(mutant)
    return tuple(found)


def _mutant(
    document: Document, index: int, part: MutantShape, texts: dict[str, str]
) -> Mutant | None:
    loc = ("mutants", index)
    if part.file not in texts:
        hint = nearest(part.file, texts)
        document.add((*loc, "file"), f"the reference has no file {part.file}", hint)
        return None
    places = located(texts[part.file], part.find, part.replace)
    if len(places) != 1:
        count = len(places)
        what = "this text is not in" if not count else f"this text is {count} times in"
        hint = "" if not count else "add a line before or after it"
        document.add((*loc, "find"), f"{what} {part.file}", hint)
        return None
    find, replacement = places[0]
    if find == replacement:
        document.add((*loc, "replace"), "this changes nothing")
        return None
    try:
        parse_statements(texts[part.file].replace(find, replacement))
    except PythonError as error:
        document.add((*loc, "replace"), f"the changed {part.file} is not Python ({error})")
        return None
    return Mutant(
        clause=part.clause, file=part.file, find=find, replace=replacement, why=part.why.strip()
    )


def located(text: str, find: str, replacement: str) -> list[tuple[str, str]]:
    """Every place of `find` in the text, with what takes its place.

    Whole lines are found at any indentation (a YAML block has lost it); failing that, `find` is
    any piece of text. A place is given as text that is in the file once.
    """
    lines = text.splitlines(keepends=True)
    wanted = textwrap.dedent(find).strip("\n").splitlines()
    new = textwrap.dedent(replacement).strip("\n").splitlines()
    found: list[tuple[str, str]] = []
    for start in range(len(lines) - len(wanted) + 1):
        block = "".join(lines[start : start + len(wanted)])
        if wanted and textwrap.dedent(block).strip("\n").splitlines() == wanted:
            margin = block[: len(lines[start].rstrip("\r\n")) - len(wanted[0])]
            changed = "".join(f"{margin}{line}\n" if line.strip() else "\n" for line in new)
            before = start
            while text.count("".join(lines[before:start]) + block) > 1 and before > 0:
                before -= 1
            context = "".join(lines[before:start])
            found.append((context + block, context + changed))
    if found:
        return found
    piece = find.removesuffix("\n")
    return [(piece, replacement.removesuffix("\n"))] * text.count(piece) if piece else []
