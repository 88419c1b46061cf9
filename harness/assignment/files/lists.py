"""The files that hold one list: clauses.yaml, exempt.yaml, equivalent.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.assignment.loading import EQUIVALENT
from harness.assignment.schema.models.lists import ClausesShape, EquivalentsShape, ExemptShape
from harness.assignment.schema.validate import shaped
from harness.assignment.yaml.document import Document
from harness.assignment.yaml.errors import Problems, nearest
from harness.model.plan import Clause, Exemption, glob
from harness.model.study.reports import Equivalent


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
        text = part.text.strip()
        if "\n" in text:
            document.add(("clauses", index, "text"), "expected one line, got several")
        found[part.id] = Clause(
            id=part.id, section=part.section, text=text, unsettled=part.unsettled.strip()
        )
    return tuple(found.values())


def read_exemptions(document: Document, scenario_ids: Sequence[str]) -> tuple[Exemption, ...]:
    """The exemptions; mistakes are noted in the document's problems."""
    shape = shaped(ExemptShape, document, (), document.data)
    if shape is None:
        return ()
    for index, part in enumerate(shape.exempt):
        if not part.reason.strip():
            document.add(("exempt", index, "reason"), "expected a reason, got nothing")
        for place, pattern in enumerate(part.scenarios):
            if not any(glob(pattern).fullmatch(name) for name in scenario_ids):
                hint = nearest(pattern, scenario_ids)
                what = f"{pattern} matches no scenario"
                document.add(("exempt", index, "scenarios", place), what, hint)
    return tuple(
        Exemption(
            student=part.student.strip(),
            scenarios=tuple(part.scenarios),
            reason=" ".join(part.reason.split()),
        )
        for part in shape.exempt
    )


def load_equivalents(folder: Path) -> tuple[Equivalent, ...]:
    """The entries of `folder`/equivalent.yaml, none where there is no such file; SpecErrors with
    every mistake in it."""
    path = folder / EQUIVALENT
    if not path.exists():
        return ()
    problems = Problems()
    document = Document.open(path, f"{folder.parent.name}/{folder.name}/{EQUIVALENT}", problems)
    problems.raise_any()
    assert document is not None
    shape = shaped(EquivalentsShape, document, (), document.data)
    for index, part in enumerate(shape.equivalent if shape is not None else ()):
        if not part.why.strip():
            document.add(("equivalent", index, "why"), "expected a reason, got nothing")
    problems.raise_any()
    assert shape is not None
    return tuple(
        Equivalent(
            file=part.file,
            function=part.function,
            before=part.find.strip(),
            after=part.replace.strip(),
            why=" ".join(part.why.split()),
        )
        for part in shape.equivalent
    )
