"""policy.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field, WithJsonSchema, create_model

from harness.assignment.schema import fragments as schemas
from harness.assignment.schema.models.base import Shape
from harness.policy import ListSetting, policy_rules


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


class _PolicyShape(Shape):
    """policy.yaml. A part that is left out is not restricted."""

    imports: ImportsShape | None = None
    """Which imports there may be."""
    severity: SeverityShape = SeverityShape()
    """What a finding means."""
    clauses: PolicyClausesShape = PolicyClausesShape()
    """The clauses that findings cite."""


def _list_of(setting: ListSetting) -> tuple[Any, Any]:
    shape = ListShape if setting.may_forbid else AllowShape
    return shape | None, Field(default=None, description=setting.description)


def _with_lists() -> type[_PolicyShape]:
    fields: dict[str, Any] = {
        rule.setting.key: _list_of(rule.setting)
        for rule in policy_rules()
        if rule.setting is not None
    }
    return create_model(
        "PolicyShape", __base__=_PolicyShape, __doc__=_PolicyShape.__doc__, **fields
    )


if TYPE_CHECKING:
    PolicyShape = _PolicyShape
else:
    PolicyShape = _with_lists()
