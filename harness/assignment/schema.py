"""The published JSON Schema of the YAML files, for editors and for `harness schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from harness.assignment.files.assignment import AssignmentShape
from harness.assignment.files.expect import ExpectShape
from harness.assignment.files.lists import ClausesShape, EquivalentsShape, ExemptShape, MutantsShape
from harness.assignment.files.policy import PolicyShape
from harness.assignment.scenarios.shape import ScenarioFileShape
from harness.assignment.shapes import Shape
from harness.matchers import schemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"
KINDS: dict[str, type[Shape]] = {
    "assignment": AssignmentShape,
    "clauses": ClausesShape,
    "equivalent": EquivalentsShape,
    "exempt": ExemptShape,
    "expect": ExpectShape,
    "mutants": MutantsShape,
    "policy": PolicyShape,
    "scenarios": ScenarioFileShape,
}


def json_schema() -> dict[str, Any]:
    """One schema for every kind of file; `$defs` holds each kind by its name."""
    definitions = _definitions()
    return {
        "$schema": DIALECT,
        "title": "a1-harness specification files",
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS],
        "$defs": definitions,
    }


def file_schemas() -> dict[str, dict[str, Any]]:
    """The schema of each kind of file on its own, by kind."""
    definitions = _definitions()
    return {
        kind: {
            "$schema": DIALECT,
            "$ref": f"#/$defs/{kind}",
            "$defs": _reachable(kind, definitions),
        }
        for kind in KINDS
    }


def write_schemas(folder: Path) -> tuple[Path, ...]:
    """Write `<kind>.json` for every kind of file into `folder`; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for kind, schema in file_schemas().items():
        path = folder / f"{kind}.json"
        path.write_text(json.dumps(schema, indent=2) + "\n", encoding="utf-8")
        written.append(path)
    return tuple(written)


def _definitions() -> dict[str, Any]:
    models = [(model, "validation") for model in KINDS.values()]
    _, whole = models_json_schema(models, ref_template="#/$defs/{model}")  # type: ignore[arg-type]
    names = {model.__name__: kind for kind, model in KINDS.items()}
    definitions = whole["$defs"] | schemas()
    renamed = {
        names.get(name, _short(name)): _cleaned(part, names) for name, part in definitions.items()
    }
    return dict(sorted(renamed.items()))


def _short(name: str) -> str:
    return name.removesuffix("Shape")


def _cleaned(part: Any, names: dict[str, str]) -> Any:
    """Our definition names, and without pydantic's titles and "not stated" defaults."""
    if isinstance(part, list):
        return [_cleaned(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    if set(part) >= {"anyOf"} and {"type": "null"} in part["anyOf"] and "$ref" in part["anyOf"][0]:
        part = {**part, **part["anyOf"][0]}
        del part["anyOf"]
    found: dict[str, Any] = {}
    for key, value in part.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "default" and value in ("", [], {}, None, "0"):
            continue
        if key == "$ref":
            name = value.rsplit("/", 1)[1]
            found[key] = f"#/$defs/{names.get(name, _short(name))}"
        else:
            found[key] = _cleaned(value, names)
    return found


def _reachable(kind: str, definitions: dict[str, Any]) -> dict[str, Any]:
    wanted, found = [kind], {}
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        found[name] = definitions[name]
        text = json.dumps(definitions[name])
        wanted += [other for other in definitions if f'"#/$defs/{other}"' in text]
    return dict(sorted(found.items()))
