"""Reads an assignment's YAML files and compiles them; every mistake has file:line:column.

What needs PyYAML or pydantic is imported on request, since a cached plan is loaded without them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.assignment.loading import CACHE, available, files_asked_for, find_root, load
from harness.assignment.scenarios.templates import as_template
from harness.assignment.yaml.errors import SpecErrors

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import ModuleType

    from harness.model.specification import SampleExpectation, Specification
    from harness.model.study.fuzzing import FuzzSettings
    from harness.model.study.reports import Equivalent

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


def json_schema() -> dict[str, Any]:
    """The JSON Schema of every kind of file, each under `$defs` by its name."""
    from harness.assignment.schema import export  # noqa: PLC0415

    return export.json_schema()


def write_schemas(folder: Path) -> tuple[Path, ...]:
    """Write `scenarios.json`, `assignment.json`, … into `folder`; return the paths."""
    from harness.assignment.schema import export  # noqa: PLC0415

    return export.write_schemas(folder)


def load_equivalents(folder: Path) -> tuple[Equivalent, ...]:
    """What an assignment's equivalent.yaml says, if it has one; SpecErrors with every mistake."""
    from harness.assignment.files import lists  # noqa: PLC0415

    return lists.load_equivalents(folder)


def load_expectation(path: Path) -> SampleExpectation:
    """What a sample's expect.yaml says; SpecErrors with every mistake in it."""
    from harness.assignment.files import expect  # noqa: PLC0415

    return expect.load_expectation(path)


def expectation_text(expected: SampleExpectation) -> str:
    """An expect.yaml that says this."""
    from harness.assignment.files import expect  # noqa: PLC0415

    return expect.expectation_text(expected)


def in_quotes(text: str) -> str:
    """The text as a YAML scalar in double quotes that any reader takes for this text."""
    from harness.assignment.yaml import scalars  # noqa: PLC0415

    return scalars.in_quotes(text)


def record_draws(root: Path, assignment_id: str) -> tuple[Path, ...]:
    """Make and freeze the draws that an assignment asks for; return the files written."""
    from harness.assignment.scenarios.drawing import recording  # noqa: PLC0415

    return recording.record_draws(root, assignment_id)


def load_for_fuzzing(root: Path, assignment_id: str) -> tuple[Specification, FuzzSettings]:
    """An assignment and what is drawn beyond its scenarios; SpecErrors, UserError as `load`."""
    from harness.assignment.compile import compile_assignment  # noqa: PLC0415

    found = compile_assignment(root.resolve(), assignment_id, support=None, recording=False)
    return found.specification, found.fuzzing


def load_module(folder: Path, file: str) -> ModuleType:
    """A Python file of a spec folder, run; UserError where it cannot be."""
    from harness.assignment.scenarios.drawing import course_code  # noqa: PLC0415

    return course_code.load_module(folder, file)


def literals(source: str, draw: object, *, place: str) -> dict[str, str]:
    """A draw of the function `source`, defined at `place`, as literals by name; UserError for what
    is no dict of names, or cannot be written as a literal."""
    from harness.assignment.scenarios.drawing import course_code  # noqa: PLC0415

    return course_code.literals(source, draw, place=place)


def no_constants_of_loaded_modules() -> AbstractContextManager[None]:
    """While Hypothesis draws: not the constants of whatever modules happen to be loaded."""
    from harness.assignment.scenarios.drawing import course_code  # noqa: PLC0415

    return course_code.no_constants_of_loaded_modules()
