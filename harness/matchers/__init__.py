"""What may stand in place of an expected value or text."""

from harness.matchers.comparison import (
    SOURCE_LIMIT,
    normalised,
    same,
    same_shown,
    source,
    type_with_article,
)
from harness.matchers.kinds import read, schemas
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine, NoneOf, OneOf, lines_of
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.equal_to import EqualData, EqualTo
from harness.matchers.kinds.texts import HasNumber, LinesUnordered, Matches
from harness.matchers.kinds.values import (
    GENERATOR,
    AnyValue,
    Approximately,
    Exactly,
    OfType,
    PythonValue,
    Unordered,
    Yields,
)
from harness.matchers.reading import Field, Refused, describe, nearest, read_all

__all__ = [
    "GENERATOR",
    "SOURCE_LIMIT",
    "ALine",
    "AllOf",
    "AnyValue",
    "Approximately",
    "Contains",
    "EqualData",
    "EqualTo",
    "Exactly",
    "Field",
    "HasNumber",
    "LastLine",
    "LinesUnordered",
    "Matches",
    "NoneOf",
    "OfType",
    "OneOf",
    "PythonValue",
    "Refused",
    "Unordered",
    "Yields",
    "describe",
    "lines_of",
    "nearest",
    "normalised",
    "read",
    "read_all",
    "same",
    "same_shown",
    "schemas",
    "source",
    "type_with_article",
]
