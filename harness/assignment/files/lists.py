"""The files that hold one list: clauses, exempt, equivalent and mutants.yaml."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from harness.assignment.document import Document
from harness.assignment.loading import EQUIVALENT
from harness.assignment.scenarios.context import has_clause
from harness.assignment.scenarios.python_text import PythonError, parse_statements
from harness.assignment.shapes import Shape, load_shape, shaped, wrong
from harness.matchers import nearest
from harness.model.plan import Clause, Exemption, SourceFile, glob
from harness.model.specification import Mutant
from harness.model.study.reports import Equivalent


def _line(text: str) -> str:
    if "\n" in text.strip():
        raise wrong("expected one line, got several", instead="-")
    return text.strip()


def _reason(text: str) -> str:
    if not text.strip():
        raise wrong("expected a reason, got nothing", instead="-")
    return " ".join(text.split())


Line = Annotated[str, AfterValidator(_line)]
Reason = Annotated[str, AfterValidator(_reason)]


class ClauseShape(Shape):
    """One testable statement of the sheet."""

    id: str
    """Its id, quoted."""
    section: str
    """The section of the sheet, quoted."""
    text: Line
    """One line in our own words."""
    unsettled: str = ""
    """Why the sheet leaves it open; such a clause needs no scenario."""


class ClausesShape(Shape):
    """clauses.yaml."""

    clauses: list[ClauseShape]
    """Every testable statement."""


class ExemptionShape(Shape):
    """Scenarios that do not count, and for whom."""

    student: str = ""
    """An id or email; everybody where it is left out."""
    scenarios: list[str]
    """Globs over scenario ids."""
    reason: Reason
    """Why; the student reads it."""


class ExemptShape(Shape):
    """exempt.yaml."""

    exempt: list[ExemptionShape]
    """Who is excused from what."""


class EquivalentShape(Shape):
    """A change of the reference that no input tells from it."""

    file: str
    """The reference's file."""
    function: str
    """The function or method that has the line; `(module)` outside of all."""
    find: str
    """The line as it is, without its indentation."""
    replace: str
    """The line as changed."""
    why: Reason
    """Why it cannot be noticed."""


class EquivalentsShape(Shape):
    """equivalent.yaml."""

    equivalent: list[EquivalentShape]
    """What `harness strength` does not count."""


class MutantShape(Shape):
    """One single-fault change of the reference."""

    clause: str
    """The clause whose scenarios kill it."""
    file: str
    """The reference's file."""
    find: str
    """A text that is in the file exactly once (its indentation may be left out)."""
    replace: str
    """What takes its place."""
    why: str
    """What is wrong then."""


class MutantsShape(Shape):
    """mutants.yaml."""

    mutants: list[MutantShape]
    """One or more a clause."""


def read_clauses(document: Document) -> tuple[Clause, ...] | None:
    """The clauses, in the file's order; None, with mistakes noted, if it cannot be read."""
    shape = shaped(ClausesShape, document, (), document.data)
    if shape is None:
        return None
    found: dict[str, Clause] = {}
    for index, part in enumerate(shape.clauses):
        loc = ("clauses", index, "id")
        if part.id in found:
            document.add(loc, f"the clause {part.id} is here a second time")
        found[part.id] = Clause(
            id=part.id, section=part.section, text=part.text, unsettled=part.unsettled.strip()
        )
    return tuple(found.values())


def read_exemptions(document: Document, scenario_ids: Sequence[str]) -> tuple[Exemption, ...]:
    """The exemptions; mistakes are noted in the document's problems."""
    shape = shaped(ExemptShape, document, (), document.data)
    if shape is None:
        return ()
    for index, part in enumerate(shape.exempt):
        for place, pattern in enumerate(part.scenarios):
            if not any(glob(pattern).fullmatch(name) for name in scenario_ids):
                hint = nearest(pattern, scenario_ids)
                what = f"{pattern} matches no scenario"
                document.add(("exempt", index, "scenarios", place), what, hint)
    return tuple(
        Exemption(
            student=part.student.strip(),
            scenarios=tuple(part.scenarios),
            reason=part.reason,
        )
        for part in shape.exempt
    )


def load_equivalents(folder: Path) -> tuple[Equivalent, ...]:
    """The entries of `folder`/equivalent.yaml, none where there is no such file; SpecErrors with
    every mistake in it."""
    path = folder / EQUIVALENT
    if not path.exists():
        return ()
    shape = load_shape(EquivalentsShape, path, f"{folder.parent.name}/{folder.name}/{EQUIVALENT}")
    return tuple(
        Equivalent(
            file=part.file,
            function=part.function,
            before=part.find.strip(),
            after=part.replace.strip(),
            why=part.why,
        )
        for part in shape.equivalent
    )


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
