"""The smaller files: clauses, mutants, equivalent, exempt and expect."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from harness.assignment.schema import fragments as schemas
from harness.assignment.schema.models.base import Positive, Shape, Whole, Words
from harness.assignment.schema.validators import check_whole


class ClauseShape(Shape):
    """One testable statement of the sheet."""

    id: str
    """Its id, quoted."""
    section: str
    """The section of the sheet, quoted."""
    text: str
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
    reason: str
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
    why: str
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


class ExpectShape(Shape):
    """expect.yaml of a sample submission."""

    fails: list[str] = []
    """Globs: exactly these scenario ids fail."""
    mark: Annotated[Any, WithJsonSchema(schemas.MARK)] = None
    """The mark, or an inclusive range."""
    explains: list[str] = []
    """Texts that its explanations hold."""
    findings: list[str] = []
    """Policy rules it breaks."""
    verdicts: dict[str, str] = {}
    """Verdicts by glob, where they are not plain failures."""
    causes: dict[str, Words] = {}
    """All causes: the function to fix ("" the whole file) and the rule of the example, or a list of
    rules."""
    tier: str = ""
    """Hostile corpus: the minimum tier."""
    layer: str = ""
    """Hostile corpus: the layer that stops it."""
    wall_seconds: Positive = 1.0
    """Hostile corpus: the most time the parent may take."""
    memory_mib: Whole = 1
    """Hostile corpus: the most memory the parent may take."""
    survivors: Annotated[
        int, BeforeValidator(check_whole), WithJsonSchema(schemas.WHOLE_OR_ZERO)
    ] = 0
    """Hostile corpus: processes left running."""
