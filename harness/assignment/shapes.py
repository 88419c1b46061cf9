"""What the models of all files share: strict parsing, values of several shapes, common fields. What
a value means is checked later. A default means "not stated": ask `model_fields_set`."""

import json
import re
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from harness.assignment.document import Document, Loc, Problems
from harness.matchers.reading import describe, nearest
from harness.model.stimulus import Limits

M = TypeVar("M", bound=BaseModel)
_OPTION = "\0"  # begins an option's name in pydantic's locations, and no key of a file
_FRACTION = re.compile(r"[0-9]+(?:\.[0-9]+|/[0-9]*[1-9][0-9]*)?\Z")
_ID = "^[a-z0-9][a-z0-9_-]*$"
_PLAIN_TYPES = (type(None), bool, int, float, str, list)  # of YAML's values; else a mapping
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


def wrong(what: str, hint: str = "", *, instead: Any = None) -> PydanticCustomError:
    """An error whose message is shown unchanged. With `instead` in the place of the value the rest
    of the file can still be checked."""
    return PydanticCustomError("spec", "{what}", {"what": what, "hint": hint, "instead": instead})


@dataclass(frozen=True, slots=True, eq=False)
class Expects:
    """A type in words: any other value is refused with "expected …, got …" and the hint. What YAML
    holds tells the options of a union apart. With `whole` a mistake inside is one of the whole."""

    words: str
    hint: str | Callable[[Any], str] = ""
    _: KW_ONLY
    whole: bool = False
    instead: Any = None

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        if isinstance(source, types.UnionType) or get_origin(source) is Union:
            choices: dict[Any, Any] = {}
            for option in get_args(source):
                schema = handler.generate_schema(option)
                for name in _names(option):
                    choices.setdefault(name, schema)
            inner: CoreSchema = core_schema.tagged_union_schema(
                choices, discriminator=lambda value: _name(type(value))
            )
        else:
            inner = handler(source)
        return core_schema.no_info_wrap_validator_function(self._read, inner)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        # pydantic writes oneOf, of which `number` and `integer` would both hold for 4.
        return {"anyOf" if key == "oneOf" else key: part for key, part in handler(schema).items()}

    def _read(self, value: Any, read: Callable[[Any], Any]) -> Any:
        try:
            return read(value)
        except ValidationError as error:
            details = error.errors(include_url=False)
            inside = [
                len(_without_options(each["loc"])) > (each["type"] == "missing") for each in details
            ]
            if not self.whole and all(inside):  # and none is that the whole is something else
                raise
        hint = self.hint if isinstance(self.hint, str) else self.hint(value)
        raise wrong(f"expected {self.words}, got {describe(value)}", hint, instead=self.instead)


def _without_options(loc: Loc) -> Loc:
    """The keys and indexes of a location, without the options' names."""
    return tuple(part for part in loc if not str(part).startswith(_OPTION))


def _name(kind: Any) -> str:
    """What the option of a union is called that this type of YAML's values is read as."""
    return f"{_OPTION}{kind.__name__ if kind in _PLAIN_TYPES else 'mapping'}"


def _names(option: Any) -> set[str]:
    """Return the names of the options, by everything that YAML may contain in their place."""
    origin = get_origin(option)
    if origin is Annotated:
        return _names(get_args(option)[0])
    if origin is Literal:
        return {_name(type(value)) for value in get_args(option)}
    return set(map(_name, (int, float) if option is float else (origin or option,)))


def quote(value: Any) -> str:
    """The hint for what should be a text."""
    return "quote it" if value is None or isinstance(value, int | float | dict) else ""


class OneOrMore:
    """For a list: a single item may be written without brackets."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            lambda value: value if isinstance(value, list | dict) else [value], handler(source)
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        items = handler(schema)
        return {"anyOf": [items["items"], items]}


def _points(value: Any) -> Fraction:
    is_fraction = isinstance(value, str) and _FRACTION.match(value)
    if (is_fraction or type(value) in (int, float)) and Fraction(str(value)) > 0:
        return Fraction(str(value))
    what = f'expected a positive number or a fraction like "1/3", got {describe(value)}'
    raise wrong(what, instead=1)


Words = Annotated[list[str], OneOrMore()]
Positive = Annotated[float, Field(gt=0), Expects("a positive number")]
Whole = Annotated[int, Field(ge=1), Expects("a whole number above zero")]
WholeOrZero = Annotated[int, Field(ge=0), Expects("a whole number")]
IdWord = Annotated[
    str, Field(pattern=_ID), Expects("a word of small letters, digits, - and _", quote)
]
Points = Annotated[
    Fraction,
    PlainValidator(_points),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": "^[0-9]+(/[0-9]+|\\.[0-9]+)?$"},
            ]
        }
    ),
]
_Plain = bool | int | float | str
_ITEMS = Expects("a value or a list of values")
_Mapping = dict[Any, Any]
_Item = Annotated[_Plain | list[Any] | _Mapping | None, _ITEMS]
Constants = dict[str, Annotated[_Plain | list[_Item] | _Mapping | None, _ITEMS]]


class Shape(BaseModel):
    """What all shapes share: no coercion, no unknown keys."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True, defer_build=True
    )


class FloatsShape(Shape):
    """`floats:` how floats are compared."""

    within: Positive
    """The greatest difference that does not count."""
    in_text: bool = False
    """Whether that holds for floats inside texts too: printed, returned, written, of a session."""


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

    def over(self, base: Limits) -> Limits:
        """`base` with the keys that are stated here."""
        stated = self.model_fields_set & LimitsShape.model_fields.keys()
        return replace(base, **{name: getattr(self, name) for name in stated})


class AllLimitsShape(LimitsShape):
    """`limits:` what a scenario may use, and all of a submission together."""

    total_seconds: Positive | None = None
    """CPU time, and time asleep, of all runs of one submission together, in seconds. It is held for
    review when that is used up (left out: 100 times what the reference takes, 60 to 600)."""


def one_required(*keys: str) -> dict[str, Any]:
    """The JSON Schema by which exactly one of these keys is there."""
    return {"oneOf": [{"required": [key]} for key in keys]}


def read_shape(kind: type[M], document: Document) -> M | None:
    """Read the document as a `kind`, with defaults in place of invalid parts, and note errors.

    Return None if nothing can be made of it."""
    data = document.data
    shape, details = _validate(kind, document, (), data)
    if document.refused:
        return None
    for detail in details:
        if detail.get("ctx", {}).get("instead") is None:
            return None
        data = _replace(data, _without_options(detail["loc"]), detail["ctx"]["instead"])
    with suppress(ValidationError):
        return kind.model_validate(data) if details else shape
    return None


def load_shape(kind: type[M], path: Path, file: str) -> M:
    """A file (called `file` in messages) as a `kind`; SpecErrors with every mistake in it."""
    problems = Problems()
    document = Document.open(path, file, problems)
    shape = None if document is None else read_shape(kind, document)
    problems.raise_any()
    assert shape is not None
    return shape


def _replace(data: Any, loc: Loc, value: Any) -> Any:
    if not loc or not isinstance(data, dict | list):  # a single item of a list
        return value
    copy: Any = data.copy()
    copy[loc[0]] = _replace(copy[loc[0]], loc[1:], value)
    return copy


def salvage(
    kind: type[M], document: Document, loc: Loc, data: Any
) -> tuple[M | None, frozenset[Any]]:
    """As much of `data` as is a `kind`, so that the rest can still be checked, and the keys that
    have a mistake (noted). The shape is None if nothing can be made of the rest."""
    size = len(loc)
    shape, details = _validate(kind, document, loc, data)
    refused = {part[size] for part in document.refused if len(part) > size and part[:size] == loc}
    broken = frozenset(refused | {detail["loc"][0] for detail in details if detail["loc"]})
    if details and isinstance(data, dict):
        rest = {key: value for key, value in data.items() if key not in broken}
        with suppress(ValidationError):
            return kind.model_validate(rest), broken
    return shape, broken


def _validate(kind: type[M], document: Document, loc: Loc, data: Any) -> tuple[M | None, list[Any]]:
    """The shape, or None and pydantic's mistakes, which are noted."""
    try:
        return kind.model_validate(data), []
    except ValidationError as error:
        details: list[Any] = error.errors(include_url=False)
    for detail in details:
        _note(kind, document, loc, detail)
    return None, details


def _shape_at(kind: type[BaseModel], inner: Loc) -> type[BaseModel]:
    for part in inner:
        if isinstance(part, str) and part in kind.model_fields:
            kind = next(_shapes_in(kind.model_fields[part].annotation), kind)
    return kind


def _shapes_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _shapes_in(part)


def _note(kind: type[BaseModel], document: Document, loc: Loc, detail: Any) -> None:
    """Note one of pydantic's mistakes in plain words, at its place in the file."""
    inner = _without_options(detail["loc"])
    full = (*loc, *inner)
    code, got = detail["type"], detail["input"]
    if code == "spec":
        document.add(full, detail["ctx"]["what"], detail["ctx"]["hint"])
    elif code == "missing":
        field = _shape_at(kind, inner[:-1]).model_fields.get(str(full[-1]))
        examples = field.examples if field and field.examples else []
        hint = f"write {full[-1]}: {json.dumps(examples[0])}" if examples else ""
        document.add(full[:-1], f"the key {full[-1]} is missing", hint)
    elif code in ("extra_forbidden", "invalid_key"):
        keys = [f.alias or name for name, f in _shape_at(kind, inner[:-1]).model_fields.items()]
        hint = nearest(str(inner[-1]), keys)
        if not hint and len(keys) <= 12:
            hint = f"known keys are {', '.join(keys)}"
        document.add(full, "unknown key", hint, key=True)
    elif code == "literal_error":
        shown = detail["ctx"]["expected"].replace("'", "")
        hint = nearest(got, re.split(", | or ", shown)) if isinstance(got, str) else ""
        document.add(full, f"expected {shown.lower()}, got {describe(got)}", hint)
    elif code == "too_short":
        document.add(full, "expected at least one, got an empty list")
    elif code in _EXPECTED:
        is_number = type(got) in (int, float)
        hint = "quote it" if code == "string_type" and isinstance(got, int | float) else ""
        shown = f"the number {document.raw(full)}" if is_number else describe(got)
        document.add(full, f"expected {_EXPECTED[code]}, got {shown}", hint)
    else:
        document.add(full, detail["msg"])
