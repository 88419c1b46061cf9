"""policy.yaml."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, WithJsonSchema

from harness.assignment.schema import fragments as schemas
from harness.assignment.schema.models.base import Shape


class FileImportsShape(Shape):
    """What a file may import: exactly one of the four."""

    exactly: list[str] = []
    """These statements, no more and no fewer."""
    allow: list[str] = []
    """Only these modules."""
    forbid: list[str] = []
    """Any but these modules."""
    none: bool = False
    """No import at all."""


class ImportsShape(FileImportsShape):
    """`imports:` exactly one of the four, for every file; or files, each with its own."""

    files: dict[str, FileImportsShape] = {}
    """Submitted files by name, and what each may import."""


class AllowShape(Shape):
    """A list of what is allowed; everything else is a finding."""

    allow: list[str]
    """What is allowed."""


class ListShape(Shape):
    """What is allowed, everything else is a finding; or what is forbidden, and nothing else is."""

    model_config = ConfigDict(json_schema_extra=schemas.ALLOW_OR_FORBID)

    allow: list[str] = []
    """What is allowed."""
    forbid: list[str] = []
    """What is forbidden."""


class PolicyClausesShape(Shape):
    """The clauses that findings cite."""

    imports: str = ""
    """For imports."""
    techniques: str = ""
    """For syntax, built-ins and methods."""
    structure: str = ""
    """For code at module level."""


class SeverityShape(Shape):
    """note, review, zero or {deduct: marks}."""

    imports: Annotated[Any, WithJsonSchema(schemas.SEVERITY)] = "review"
    """For imports."""
    techniques: Annotated[Any, WithJsonSchema(schemas.SEVERITY)] = "review"
    """For syntax, built-ins and methods."""
    structure: Annotated[Any, WithJsonSchema(schemas.SEVERITY)] = "review"
    """For code at module level."""


class PolicyShape(Shape):
    """policy.yaml. A part that is left out is not restricted."""

    imports: ImportsShape | None = None
    """Which imports there may be."""
    syntax: ListShape | None = None
    """Names of syntax tree nodes."""
    builtins: ListShape | None = None
    """Built-in functions and types."""
    methods: ListShape | None = None
    """Methods."""
    module_level: AllowShape | None = None
    """imports, constants, functions, classes, main_guard."""
    severity: SeverityShape = SeverityShape()
    """What a finding means."""
    clauses: PolicyClausesShape = PolicyClausesShape()
    """The clauses that findings cite."""
