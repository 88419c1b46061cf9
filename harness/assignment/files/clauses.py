"""clauses.yaml: the testable statements of the sheet."""

from __future__ import annotations

from harness.assignment.schema.models.lists import ClausesShape
from harness.assignment.schema.validate import shaped
from harness.assignment.yaml.document import Document
from harness.model.plan import Clause


def read_clauses(document: Document) -> tuple[Clause, ...] | None:
    """The clauses, in the file's order; None, with mistakes noted, if it cannot be read."""
    shape = shaped(ClausesShape, document, (), document.data)
    if shape is None:
        return None
    found: dict[str, Clause] = {}
    for index, part in enumerate(shape.clauses):
        loc = ("clauses", index, "id")
        if part.id in found:
            document.add(loc, f"the clause {part.id} stands here a second time")
        text = part.text.strip()
        if "\n" in text:
            document.add(("clauses", index, "text"), "expected one line, got several")
        found[part.id] = Clause(
            id=part.id, section=part.section, text=text, unsettled=part.unsettled.strip()
        )
    return tuple(found.values())
