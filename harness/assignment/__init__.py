"""Reads an assignment's YAML files and compiles them; every mistake has file:line:column.

What needs PyYAML or pydantic is imported on request, since a cached plan is loaded without them.
"""

from typing import TYPE_CHECKING

from harness.assignment.loading import (
    CACHE,
    SpecErrors,
    available,
    files_asked_for,
    find_root,
    load,
)
from harness.assignment.vocabulary import as_template
from harness.common.discovery import lazy_exports

if TYPE_CHECKING:
    from harness.assignment.compile import load_for_fuzzing, record_draws
    from harness.assignment.document import in_quotes
    from harness.assignment.files.small_files import (
        expectation_text,
        load_equivalents,
        load_expectation,
    )
    from harness.assignment.scenarios.draws import (
        literals,
        load_module,
        no_constants_of_loaded_modules,
    )
    from harness.assignment.schema import json_schema, write_schemas

__all__ = [
    "CACHE",
    "SpecErrors",
    "as_template",
    "available",
    "expectation_text",
    "files_asked_for",
    "find_root",
    "in_quotes",
    "json_schema",
    "literals",
    "load",
    "load_equivalents",
    "load_expectation",
    "load_for_fuzzing",
    "load_module",
    "no_constants_of_loaded_modules",
    "record_draws",
    "write_schemas",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "compile": ("load_for_fuzzing", "record_draws"),
        "document": ("in_quotes",),
        "files.small_files": ("expectation_text", "load_equivalents", "load_expectation"),
        "scenarios.draws": ("literals", "load_module", "no_constants_of_loaded_modules"),
        "schema": ("json_schema", "write_schemas"),
    },
)
