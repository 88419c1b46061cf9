"""Makes the JSON Schema of the YAML files, for editors and for `harness schema`."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from harness.assignment.files import small_files
from harness.assignment.files.assignment import AssignmentShape
from harness.assignment.files.policy import PolicyShape
from harness.assignment.scenarios.shape import ScenarioFileShape
from harness.assignment.shapes import Shape
from harness.matchers.kinds import schemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"
KINDS: dict[str, type[Shape]] = {
    "assignment": AssignmentShape,
    "clauses": small_files.ClausesShape,
    "equivalent": small_files.EquivalentsShape,
    "exempt": small_files.ExemptShape,
    "expect": small_files.ExpectShape,
    "mutants": small_files.MutantsShape,
    "policy": PolicyShape,
    "scenarios": ScenarioFileShape,
}


def json_schema() -> dict[str, Any]:
    """Return one schema for all kinds of files; `$defs` has each kind by its name."""
    return {
        "$schema": DIALECT,
        "title": "a1-harness specification files",
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS],
        "$defs": _definitions(),
    }


def file_schemas() -> dict[str, dict[str, Any]]:
    """Return the separate schema of each kind of file, by kind."""
    definitions = _definitions()
    schemas_by_kind: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        used = _reachable([kind], definitions)
        schema = {"$schema": DIALECT, "$ref": f"#/$defs/{kind}", "$defs": used}
        schemas_by_kind[kind] = schema
    return schemas_by_kind


def write_schemas(folder: Path) -> tuple[Path, ...]:
    """Write `<kind>.json` for every kind of file into `folder`; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for kind, schema in file_schemas().items():
        path = folder / f"{kind}.json"
        text = json.dumps(schema, indent=2)
        path.write_text(f"{text}\n", encoding="utf-8")
        paths.append(path)
    return tuple(paths)


def _definitions() -> dict[str, Any]:
    models = [(model, "validation") for model in KINDS.values()]
    _, whole = models_json_schema(models, ref_template="#/$defs/{model}")  # type: ignore[arg-type]
    text = json.dumps(whole["$defs"] | schemas())
    for kind, model in KINDS.items():
        text = re.sub(rf'(?<=["/]){model.__name__}"', f'{kind}"', text)
    text = re.sub(r'Shape"', '"', text)
    return _reachable(KINDS, _without_defaults(json.loads(text)))


def _without_defaults(part: Any) -> Any:
    """Return the schema without pydantic's titles, without defaults that only mean "not stated",
    and without null as an alternative.
    """
    if isinstance(part, list):
        return [_without_defaults(item) for item in part]
    if not isinstance(part, dict):
        return part
    part = dict(part)
    options = part.get("anyOf", ())
    if {"type": "null"} in options and "$ref" in options[0]:
        del part["anyOf"]
        part |= options[0]
    kept: dict[str, Any] = {}
    for key, value in part.items():
        is_title = key == "title" and isinstance(value, str)
        is_not_stated = key == "default" and value in ("", [], {}, None, "0")
        if not is_title and not is_not_stated:
            kept[key] = _without_defaults(value)
    return kept


def _reachable(kinds: Iterable[str], definitions: dict[str, Any]) -> dict[str, Any]:
    names: set[str] = set()
    waiting = set(kinds)
    while waiting:
        names |= waiting
        text = json.dumps([definitions[name] for name in waiting])
        mentioned = {name for name in definitions if f'"#/$defs/{name}"' in text}
        waiting = mentioned - names
    return {name: definitions[name] for name in sorted(names)}
