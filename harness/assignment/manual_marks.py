"""`manual:` in assignment.yaml → the marks that a person gives."""

from __future__ import annotations

from fractions import Fraction

from harness.assignment.assignment_file import Heading
from harness.assignment.document import Loc
from harness.assignment.problems import nearest
from harness.assignment.settings import fraction
from harness.model.plan import Clause, ManualSlot


def manual_slots(heading: Heading, clauses: tuple[Clause, ...] | None) -> tuple[ManualSlot, ...]:
    """The slots in the file's order. Mistakes are noted for an id that stands there twice, marks
    that are no positive number, and a clause that clauses.yaml (where there is one) lacks."""
    document = heading.document
    known = None if clauses is None else [clause.id for clause in clauses]
    found: dict[str, ManualSlot] = {}
    for index, part in enumerate(heading.shape.manual):
        loc: Loc = ("manual", index)
        if part.id in found:
            what = f"the id {part.id} stands here a second time"
            document.add((*loc, "id"), what, "ids are unique in the list")
        if part.clause and known is not None and part.clause not in known:
            what = f"unknown clause {part.clause}"
            document.add((*loc, "clause"), what, nearest(part.clause, known))
        marks = fraction(document, (*loc, "out_of"), part.out_of)
        found[part.id] = ManualSlot(
            id=part.id, title=part.title.strip(), out_of=marks or Fraction(1), clause=part.clause
        )
    return tuple(found.values())
