"""pydantic's errors in plain words, each with its place in the file."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from harness.assignment.schema.validators import describe
from harness.assignment.yaml.document import Document, Loc
from harness.assignment.yaml.errors import nearest

M = TypeVar("M", bound=BaseModel)

_EXPECTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def shaped(kind: type[M], document: Document, loc: Loc, data: Any) -> M | None:
    """`data` (found at `loc`) as a `kind`; None, with mistakes noted, if it is none."""
    shape, broken = salvaged(kind, document, loc, data)
    return None if broken else shape


def salvaged(
    kind: type[M], document: Document, loc: Loc, data: Any
) -> tuple[M | None, frozenset[Any]]:
    """As much of `data` as is a `kind`, so that the rest can still be checked, and the keys that
    have a mistake (noted). The shape is None if nothing can be made of the rest."""
    size = len(loc)
    refused = {part[size] for part in document.refused if len(part) > size and part[:size] == loc}
    try:
        return kind.model_validate(data), frozenset(refused)
    except ValidationError as error:
        details = error.errors(include_url=False)
    for detail in details:
        _note(kind, document, loc, detail)
    broken = frozenset(refused | {detail["loc"][0] for detail in details if detail["loc"]})
    if not isinstance(data, dict):
        return None, broken
    rest = {key: value for key, value in data.items() if key not in broken}
    try:
        return kind.model_validate(rest), broken
    except ValidationError:
        return None, broken


def known_keys(kind: type[BaseModel]) -> list[str]:
    """The keys of a shape as they are written."""
    return [field.alias or name for name, field in kind.model_fields.items()]


def _shape_at(kind: type[BaseModel], inner: Loc) -> type[BaseModel]:
    for part in inner:
        if not isinstance(part, str) or part not in kind.model_fields:
            continue
        annotation = kind.model_fields[part].annotation
        for option in (annotation, *getattr(annotation, "__args__", ())):
            if isinstance(option, type) and issubclass(option, BaseModel):
                kind = option
    return kind


def _note(kind: type[BaseModel], document: Document, loc: Loc, part: Any) -> None:
    inner = tuple(part["loc"])
    full = (*loc, *inner)
    code = part["type"]
    if code == "spec":
        document.add(full, part["ctx"]["what"], part["ctx"]["hint"])
    elif code == "missing":
        holder = full[:-1]
        what = f"the key {full[-1]} is missing"
        document.add(holder, what)
    elif code in ("extra_forbidden", "invalid_key"):
        name = str(inner[-1])
        keys = known_keys(_shape_at(kind, inner[:-1]))
        hint = nearest(name, keys)
        if not hint and len(keys) <= 12:
            hint = f"known keys are {', '.join(keys)}"
        document.add(full, "unknown key", hint, key=True)
    elif code == "too_short":
        document.add(full, "expected at least one, got an empty list")
    elif code in _EXPECTED:
        got = part["input"]
        numeric = isinstance(got, int | float) and not isinstance(got, bool)
        hint = "quote it" if code == "string_type" and isinstance(got, int | float) else ""
        shown = f"the number {document.raw(full)}" if numeric else describe(got)
        document.add(full, f"expected {_EXPECTED[code]}, got {shown}", hint)
    else:
        document.add(full, part["msg"])
