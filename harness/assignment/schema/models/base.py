"""What the models of all files share: strict parsing, and the types of common fields.

What a value means is checked later, where the constants and functions are known. A field that
takes several shapes is `Any` here, described by its JSON Schema and read by `matchers` or
`stimuli`. A default means "not stated": ask `model_fields_set`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

from harness.assignment.schema import fragments as schemas
from harness.assignment.schema.validators import as_list, check_count, check_positive

Words = Annotated[list[str], BeforeValidator(as_list), WithJsonSchema(schemas.WORDS)]
Positive = Annotated[float, BeforeValidator(check_positive), WithJsonSchema(schemas.POSITIVE)]
Points = Annotated[Any, WithJsonSchema(schemas.POINTS)]
Whole = Annotated[int, BeforeValidator(check_count), WithJsonSchema(schemas.WHOLE)]
Expected = Annotated[Any, WithJsonSchema(schemas.EXPECTED)]
ExpectedText = Annotated[Any, WithJsonSchema(schemas.EXPECTED_TEXT)]


class Shape(BaseModel):
    """What all shapes share: no coercion, no unknown keys."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class LimitsShape(Shape):
    """`limits:` what one scenario may use."""

    cpu_seconds: Positive = 1.0
    """CPU time of the scenario, in seconds."""
    wall_seconds: Positive = 10.0
    """Time asleep (not waiting for a CPU), in seconds."""
    memory_mib: Whole = 256
    """Memory, in MiB."""
    output_kib: Whole = 256
    """Printed text, in KiB."""
