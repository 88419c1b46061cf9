"""What may stand in place of an expected value or text: one file a matcher, in `kinds`.

A matcher's file holds everything about it: how it is read from YAML, its part of the JSON Schema,
what it accepts and its words. Importing this package registers all of them.
"""

from harness.common.discovery import import_modules
from harness.matchers import kinds
from harness.matchers.comparison import (
    SOURCE_LIMIT,
    normalised,
    same,
    same_shown,
    source,
    type_with_article,
)
from harness.matchers.field import Field, Refused, describe, nearest, read_all
from harness.matchers.kinds.any_value import AnyValue
from harness.matchers.kinds.approximately import Approximately
from harness.matchers.kinds.combinations import AllOf, NoneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.equal_to import EqualData, EqualTo
from harness.matchers.kinds.exactly import Exactly
from harness.matchers.kinds.lines import ALine, LastLine, lines_of
from harness.matchers.kinds.number import HasNumber
from harness.matchers.kinds.one_of import OneOf
from harness.matchers.kinds.pattern import Matches
from harness.matchers.kinds.python_value import PythonValue
from harness.matchers.kinds.type_of import OfType
from harness.matchers.kinds.unordered import LinesUnordered, Unordered
from harness.matchers.kinds.yields import GENERATOR, Yields
from harness.matchers.registry import Part, matcher_class, matcher_key, read, schemas

import_modules(kinds.__name__, kinds.__path__)

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
    "Part",
    "PythonValue",
    "Refused",
    "Unordered",
    "Yields",
    "describe",
    "lines_of",
    "matcher_class",
    "matcher_key",
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
