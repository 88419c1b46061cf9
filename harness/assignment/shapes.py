"""The common basis of all YAML models: strict parsing, fields with several possible types, common
fields.

The meaning of values is checked later. A default value means "not stated"; use `model_fields_set`
to find out.
"""

import json
import re
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

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
from harness.matchers.reading import describe, nearest, number_hint
from harness.model.stimulus import Limits

M = TypeVar("M", bound=BaseModel)
_OPTION = (
    "\0"  # starts the names of options in pydantic's locations; no key in a file starts like this
)
_FRACTION = re.compile(r"[0-9]+(?:\.[0-9]+|/[0-9]*[1-9][0-9]*)?\Z")
_ID = "^[a-z0-9][a-z0-9_-]*$"
_FEW_KEYS = 12  # maximum number of keys listed in a message
_PLAIN_TYPES = (
    type(None),
    bool,
    int,
    float,
    str,
    list,
)  # type of a YAML value; other types are mappings
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


_PERCENT = r"^[0-9]{1,3}(\.[0-9]{1,2})? ?%$"


def _percent(value: Any) -> Fraction:
    if isinstance(value, str) and re.fullmatch(_PERCENT, value):
        share = Fraction(value.rstrip("% ")) / 100
        if 0 < share <= 1:
            return share
    got = describe(value)
    what = f"expected a percentage above 0 like 10%, up to 100%, got {got}"
    raise wrong(what, instead="10%")


Percent = Annotated[
    Fraction,
    PlainValidator(_percent),
    WithJsonSchema({"type": "string", "pattern": _PERCENT, "examples": ["10%"]}),
]


def wrong(what: str, hint: str = "", *, instead: Any = None) -> PydanticCustomError:
    """Return an error whose message is shown unchanged.

    `instead` replaces the invalid value, so that the rest of the file can still be checked.
    """
    context = {"what": what, "hint": hint, "instead": instead}
    return PydanticCustomError("spec", "{what}", context)


@dataclass(frozen=True, slots=True, eq=False)
class Expects:
    """Describes the expected type for error messages, and selects the option of a union.

    Other values are rejected with "expected …, got …" and the hint. The YAML value's type selects
    the option. With `whole`, an error inside the value is reported for the value as a whole.
    """

    words: str
    hint: str | Callable[[Any], str] = ""
    _: KW_ONLY
    whole: bool = False
    instead: Any = None

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        is_union = isinstance(source, types.UnionType) or get_origin(source) is Union
        inner = _union_schema(source, handler) if is_union else handler(source)
        return core_schema.no_info_wrap_validator_function(self._read, inner)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        # pydantic writes oneOf, of which `number` and `integer` would both hold for 4.
        written = handler(schema)
        if "oneOf" not in written:
            return written
        renamed: dict[str, Any] = {}
        for key, part in written.items():
            name = "anyOf" if key == "oneOf" else key
            renamed[name] = part
        return renamed

    def _read(self, value: Any, read: Callable[[Any], Any]) -> Any:
        try:
            return read(value)
        except ValidationError as error:
            details = error.errors(include_url=False)
            if not self.whole and all(map(_is_inside, details)):
                raise
        hint = self.hint
        if not isinstance(hint, str):
            hint = hint(value)
        what = f"expected {self.words}, got {describe(value)}"
        raise wrong(what, hint, instead=self.instead)


def _union_schema(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    choices: dict[Any, Any] = {}
    for option in get_args(source):
        schema = handler.generate_schema(option)
        for name in _names(option):
            choices.setdefault(name, schema)

    def option_of(value: Any) -> str:
        kind = type(value)
        return _name(kind)

    return core_schema.tagged_union_schema(choices, discriminator=option_of)


def _is_inside(detail: Any) -> bool:
    """Return whether a pydantic error is about a part of the value and not the whole value."""
    depth = len(_without_options(detail["loc"]))
    if detail["type"] == "missing":  # its location ends in the missing key
        depth -= 1
    return depth > 0


def _without_options(loc: Loc) -> Loc:
    """Return the keys and indexes of a location, without the names of union options."""
    return tuple(part for part in loc if not str(part).startswith(_OPTION))


def _name(kind: Any) -> str:
    """Return the name of the union option that reads values of this type."""
    word = "mapping"
    if kind in _PLAIN_TYPES:
        word = kind.__name__
    return f"{_OPTION}{word}"


def _names(option: Any) -> set[str]:
    """Return the names of an option: one for each YAML type that it accepts."""
    origin = get_origin(option)
    if origin is Annotated:
        inner = get_args(option)[0]
        return _names(inner)
    if origin is Literal:
        return {_name(type(value)) for value in get_args(option)}
    if option is float:
        return {_name(int), _name(float)}
    return {_name(origin or option)}


def quote(value: Any) -> str:
    """Return the hint to put a value in quotes."""
    if value is None or isinstance(value, int | float | dict):
        return "quote it"
    return ""


class OneOrMore:
    """Marks a list whose single item may be written without brackets."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_as_list, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        items = handler(schema)
        return {"anyOf": [items["items"], items]}


class OrAtMost:
    """Marks a number that may also be written `{at_most: 3}`."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_without_at_most, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        number = handler(schema)
        mapping = {
            "type": "object",
            "properties": {"at_most": number},
            "required": ["at_most"],
            "additionalProperties": False,
        }
        return {"anyOf": [number, mapping]}


def _without_at_most(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"at_most"}:
        return value["at_most"]
    return value


def _as_list(value: Any) -> Any:
    if isinstance(value, list | dict):
        return value
    return [value]


def _points(value: Any) -> Fraction:
    is_fraction = isinstance(value, str) and _FRACTION.match(value)
    if is_fraction or type(value) in (int, float):
        points = Fraction(str(value))
        if points > 0:
            return points
    got = describe(value)
    what = f'expected a positive number or a fraction like "1/3", got {got}'
    raise wrong(what, instead=1)


Words = Annotated[list[str], OneOrMore()]
Positive = Annotated[float, Field(gt=0), Expects("a positive number", number_hint)]
Whole = Annotated[int, Field(ge=1), Expects("a whole number above zero")]
WholeOrZero = Annotated[int, Field(ge=0), Expects("a whole number")]
IdWord = Annotated[
    str, Field(pattern=_ID), Expects("a word of lower-case letters, digits, - and _", quote)
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


def guessed_keys(*rows: tuple[str, str]) -> dict[str, str]:
    """Return the hint for each key that authors guess. A row has several such keys, with spaces
    between them, and their hint."""
    hints: dict[str, str] = {}
    for keys, hint in rows:
        for key in keys.split():
            hints[key] = hint
    return hints


class Shape(BaseModel):
    """The base of all shapes: no coercion, no unknown keys."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True, defer_build=True
    )
    # Keys that authors guess and that no key here is like, each with its hint.
    guesses: ClassVar[Mapping[str, str]] = {}


class AnythingShape(Shape):
    """Anything, instead of the reference's."""

    any: Literal[True]
    """true."""


Prompts = Annotated[
    Literal["exact"] | AnythingShape,
    Expects("{any: true} or exact", "write {any: true}", whole=True),
]


class FloatsShape(Shape):
    """`floats:` how floats are compared."""

    within: Positive
    """The largest difference that is ignored."""
    in_text: bool = False
    """Whether it also applies to floats inside texts: printed or returned text, files, sessions."""


_USUAL = Limits()


class LimitsShape(Shape):
    """`limits:` the resources that one scenario may use."""

    cpu_seconds: Positive = _USUAL.cpu_seconds
    """CPU time of the scenario, in seconds."""
    wall_seconds: Positive = _USUAL.wall_seconds
    """Waiting time, such as sleeping, but not waiting for a CPU, in seconds."""
    memory_mib: Whole = _USUAL.memory_mib
    """Memory, in MiB."""
    output_kib: Whole = _USUAL.output_kib
    """Printed text, in KiB."""

    def over(self, base: Limits) -> Limits:
        """Return `base` with the limits stated here replaced."""
        names = self.model_fields_set & LimitsShape.model_fields.keys()
        stated = {name: getattr(self, name) for name in names}
        return replace(base, **stated)


class AllLimitsShape(LimitsShape):
    """`limits:` the resources of one scenario, and of all runs of a submission together."""

    total_seconds: Positive | None = None
    """CPU time and time asleep of all runs of one submission together, in seconds. A submission
    that takes longer is held for review (left out: 100 times the reference's, 60 to 600)."""


def one_required(*keys: str) -> dict[str, Any]:
    """Return a JSON Schema that requires exactly one of these keys."""
    return {"oneOf": [{"required": [key]} for key in keys]}


def read_shape(kind: type[M], document: Document) -> M | None:
    """Read the document as a `kind`. Invalid parts get defaults, and errors are noted.

    Return None if too little is valid.
    """
    data = document.data
    shape, details = _validate(kind, document, (), data)
    if document.refused:
        return None
    for detail in details:
        instead = detail.get("ctx", {}).get("instead")
        if instead is None:
            return None
        place = _without_options(detail["loc"])
        data = _replace(data, place, instead)
    if not details:
        return shape
    with suppress(ValidationError):
        return kind.model_validate(data)
    return None


def load_shape(kind: type[M], path: Path, file: str) -> M:
    """Read a file as a `kind`; messages call it `file`. Raise SpecErrors with all errors."""
    problems = Problems()
    document = Document.open(path, file, problems)
    shape: M | None = None
    if document is not None:
        shape = read_shape(kind, document)
    problems.raise_any()
    assert shape is not None
    return shape


def _replace(data: Any, loc: Loc, value: Any) -> Any:
    if not loc or not isinstance(data, dict | list):  # a single item of a list
        return value
    copy: Any = data.copy()
    first, *rest = loc
    copy[first] = _replace(copy[first], tuple(rest), value)
    return copy


def salvage(
    kind: type[M], document: Document, loc: Loc, data: Any
) -> tuple[M | None, frozenset[Any]]:
    """Read `data` as a `kind` without the keys that have errors, so that the rest can still be
    checked.

    Return the model (None if the rest is not enough) and the keys with errors, which are noted.
    """
    shape, details = _validate(kind, document, loc, data)
    broken = document.refused_below(loc)
    for detail in details:
        broken.update(detail["loc"][:1])
    if details and isinstance(data, dict):
        rest: dict[Any, Any] = {}
        for key, value in data.items():
            if key not in broken:
                rest[key] = value
        with suppress(ValidationError):
            shape = kind.model_validate(rest)
    return shape, frozenset(broken)


def _validate(kind: type[M], document: Document, loc: Loc, data: Any) -> tuple[M | None, list[Any]]:
    """Return the model and no errors, or None and pydantic's errors, which are noted."""
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
            annotation = kind.model_fields[part].annotation
            kind = next(_shapes_in(annotation), kind)
    return kind


def _shapes_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _shapes_in(part)


def _note(kind: type[BaseModel], document: Document, loc: Loc, detail: Any) -> None:
    """Note a pydantic error in plain words, at its place in the file."""
    inner = _without_options(detail["loc"])
    full = (*loc, *inner)
    code = detail["type"]
    got = detail["input"]
    if code == "spec":
        context = detail["ctx"]
        document.add(full, context["what"], context["hint"])
    elif code == "missing":
        *around, key = full
        shape = _shape_at(kind, inner[:-1])
        hint = _hint_to_write(shape, str(key))
        document.add(tuple(around), f"the key {key} is missing", hint)
    elif code in ("extra_forbidden", "invalid_key"):
        shape = _shape_at(kind, inner[:-1])
        hint = _hint_for_key(shape, str(inner[-1]))
        document.add(full, "unknown key", hint, key=True)
    elif code == "literal_error":
        expected = detail["ctx"]["expected"].replace("'", "")
        hint = ""
        if isinstance(got, str):
            words = re.split(", | or ", expected)
            hint = nearest(got, words)
        what = f"expected {expected.lower()}, got {describe(got)}"
        document.add(full, what, hint)
    elif code == "too_short":
        document.add(full, "expected at least one, got an empty list")
    elif code in _EXPECTED:
        shown = describe(got)
        if type(got) in (int, float):
            shown = f"the number {document.raw(full)}"
        hint = ""
        if code == "string_type" and isinstance(got, int | float):
            hint = "quote it"
        if code == "string_type" and isinstance(got, list):
            hint = "write one text"
        if code in ("float_type", "int_type"):
            hint = number_hint(got)
        if code == "list_type" and isinstance(got, str | int | float):
            written = document.raw(full)
            hint = f"write [{written}]"
        what = f"expected {_EXPECTED[code]}, got {shown}"
        document.add(full, what, hint)
    else:
        document.add(full, detail["msg"])


def _hint_to_write(kind: type[BaseModel], key: str) -> str:
    """Return the hint for a missing key; "" without an example."""
    field = kind.model_fields.get(key)
    if field is None or not field.examples:
        return ""
    example = json.dumps(field.examples[0])
    return f"write {key}: {example}"


def _hint_for_key(kind: type[BaseModel], key: str) -> str:
    """Return the hint for an unknown key: the nearest known one, or all if there are few."""
    guessed: Mapping[str, str] = getattr(kind, "guesses", {})
    if key in guessed:
        return guessed[key]
    known = [field.alias or name for name, field in kind.model_fields.items()]
    hint = nearest(key, known)
    if not hint and len(known) <= _FEW_KEYS:
        hint = f"known keys are {', '.join(known)}"
    return hint
