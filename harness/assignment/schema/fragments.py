"""JSON Schema of the values that take several shapes."""

from __future__ import annotations

from typing import Any

from harness.assignment.schema.validators import (
    COMPARE_WORDS,
    ENDS,
    ID_PATTERN,
    IGNORE,
    ISOLATION,
    LEAST_MULTIPLE,
    OTHERWISE,
    VISIBLE,
)
from harness.matchers import schemas

Schema = dict[str, Any]

WORDS: Schema = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}
ARGV: Schema = {"type": "array", "items": {"type": "string"}}
POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0}
ID: Schema = {"type": "string", "pattern": ID_PATTERN}
WHOLE: Schema = {"type": "integer", "minimum": 1}
WHOLE_OR_ZERO: Schema = {"type": "integer", "minimum": 0}
MULTIPLE: Schema = {"type": "integer", "minimum": LEAST_MULTIPLE}
POINTS: Schema = {
    "anyOf": [POSITIVE, {"type": "string", "pattern": "^[0-9]+(/[0-9]+|\\.[0-9]+)?$"}],
}

VISIBLE_OR_NOT: Schema = {"anyOf": [{"type": "boolean"}, {"enum": list(VISIBLE)}]}
ENDS_WORDS: Schema = {"enum": list(ENDS)}
ISOLATION_WORDS: Schema = {"enum": list(ISOLATION)}
OTHERWISE_WORDS: Schema = {"enum": list(OTHERWISE)}
_SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
_LIST: Schema = {"type": "array"}


def _mapping(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


EXIT: Schema = {"anyOf": [{"type": "integer"}, _mapping({"any": {"const": True}})]}

# Named, since they refer to themselves; the published schema has these definitions too.
MATCHERS: dict[str, Schema] = schemas()
EXPECTED: Schema = {"anyOf": [_SCALAR, _LIST, {"$ref": "#/$defs/Matcher"}]}
EXPECTED_TEXT: Schema = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/TextMatcher"}]}
TURNS: Schema = {
    "anyOf": [
        {"type": "array", "items": EXPECTED_TEXT},
        {
            "type": "object",
            "patternProperties": {"^[0-9]+$": EXPECTED_TEXT},
            "additionalProperties": False,
        },
    ]
}
RAISES: Schema = {
    "anyOf": [
        {"type": "string"},
        *(
            {
                "type": "object",
                "properties": {key: named, "message": EXPECTED_TEXT, "is_a": {"type": "string"}},
                "required": [key],
                "additionalProperties": False,
            }
            for key, named in (
                ("type", {"type": "string"}),
                ("one_of", {"type": "array", "minItems": 1, "items": {"type": "string"}}),
                ("any", {"const": True}),
            )
        ),
    ]
}
COMPARE: Schema = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [
            {"type": "array", "minItems": 1, "items": {"type": "string"}},
            {"enum": list(COMPARE_WORDS)},
        ]
    },
}
LEAVES: Schema = {
    "anyOf": [
        {"const": "unchanged"},
        {"type": "object", "minProperties": 1, "additionalProperties": EXPECTED},
    ]
}
_FILE: Schema = {"anyOf": [{"type": "string"}, _mapping({"text": {"type": "string"}})]}
FILES: Schema = {"type": "object", "additionalProperties": _FILE}
WRITES: Schema = {
    "anyOf": [
        {"const": "unchanged"},
        {
            "type": "object",
            "minProperties": 1,
            "properties": {"only": {"type": "array", "items": {"type": "string"}}},
            "additionalProperties": {"anyOf": [EXPECTED_TEXT, {"type": "null"}]},
        },
    ]
}
INPUT: Schema = {
    "type": "array",
    "items": {
        "anyOf": [
            {"type": ["string", "integer"]},
            _mapping({"key": {"enum": ["ctrl-d", "ctrl-c"]}}),
        ]
    },
}
LINES: Schema = {
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
    ]
}
CONSTANTS: Schema = {
    "type": "object",
    "additionalProperties": {"anyOf": [_SCALAR, {"type": "array", "minItems": 1}]},
}
READS: Schema = {"anyOf": [WHOLE_OR_ZERO, _mapping({"at_most": WHOLE_OR_ZERO})]}
CASES: Schema = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "input": INPUT,
                    "stdin": {"type": "string"},
                    "argv": ARGV,
                    "returns": EXPECTED,
                    "prints": EXPECTED_TEXT,
                    "turns": TURNS,
                    "raises": RAISES,
                    "leaves": LEAVES,
                    "exit": EXIT,
                    "reads": READS,
                },
                "additionalProperties": {"anyOf": [_SCALAR, _LIST]},
            },
        },
    ]
}
_IGNORED: Schema = {"enum": list(IGNORE)}
IGNORED: Schema = {"anyOf": [_IGNORED, {"type": "array", "items": _IGNORED}]}
SEVERITY: Schema = {
    "anyOf": [{"enum": ["note", "review", "zero"]}, _mapping({"deduct": POINTS})],
}
MARK: Schema = {
    "anyOf": [
        {"type": "number"},
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    ]
}
ALLOW_OR_FORBID: Schema = {"oneOf": [{"required": [key]} for key in ("allow", "forbid")]}
ONE_STIMULUS: Schema = {"oneOf": [{"required": [key]} for key in ("call", "session", "run")]}
