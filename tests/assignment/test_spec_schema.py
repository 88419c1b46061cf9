"""The published JSON Schema: current, and of one mind with the loader."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from harness.assignment.schema import file_schemas, json_schema, write_schemas
from tests.assignment.small_assignment import (
    ASSIGNMENT,
    CLAUSES,
    HEAD,
    MUTANTS,
    POLICY,
    SCENARIOS,
    scenario_file,
)

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema"


def read(text: str) -> Any:
    """YAML as an editor's validator sees it: JSON, every key a string."""
    return json.loads(json.dumps(yaml.safe_load(text)))


@cache
def validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator(file_schemas()[kind])


def test_the_committed_schemas_are_current(tmp_path: Path) -> None:
    for path in write_schemas(tmp_path):
        assert (PUBLISHED / path.name).read_text() == path.read_text()


def test_one_schema_holds_every_kind_of_file() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    kinds = [part["$ref"].removeprefix("#/$defs/") for part in schema["anyOf"]]
    assert kinds == [
        *(
            "assignment",
            "clauses",
            "equivalent",
            "exempt",
            "expect",
            "mutants",
            "policy",
            "scenarios",
        )
    ]
    assert set(kinds) < set(schema["$defs"])
    text = json.dumps(schema)
    assert "Shape" not in text
    whole = jsonschema.Draft202012Validator(schema)
    for document in (ASSIGNMENT, CLAUSES, MUTANTS, POLICY, SCENARIOS):
        whole.validate(read(document))


EVERYTHING = scenario_file(
    "name: call\nfunction: f\nclause: [a, b]\nvisible: after_published\npoints: 1/3\n"
    "informational: true\nextra_credit: true\ntags: [a]\nlimits: {cpu_seconds: 0.5}\n"
    "given: x = 1\nconstants: {A: 4, B: [1, 2], C: [[1]]}\nignore: [case]\nprovide: d.py\nseed: 3\n"
    "stand_in: {a.py: b.py}\n"
    "call: f(x)\ninput: [a, 1, {key: ctrl-c}]\nreturns: {approx: 1, within: 0.1}\n"
    "prints: {contains: a}\nturns: {0: a, 1: {any: true}}\nraises: {type: E, message: m}\n"
    "leaves: {x: [1]}\nreads: 0\nends: cpu_limit",
    "name: combined\ncall: f()\nreturns: {all_of: [{type: int}, {none_of: [{one_of: [1]}]}]}\n"
    "prints: {none_of: [{contains: a}]}",
    "name: run\nrun: a1.py\nargv: [a]\nexit: 1\ntranscript: gameplay/a.txt\nturns: [a]",
    "name: told\nrun: a1.py\nexit: {any: true}\nprints: {shows: a parting message}",
    "name: drawn\ncall: f(x)\nsample: {strategy: b.c, count: 3, seed: 0}\neach: true\n"
    "returns: null\nleaves: unchanged\nraises: E",
    "name: cases\nsession: '>>> f(x)'\ncases: b.c\n",
    head=f"points_total: 10\nmarks: 3\n{HEAD}",
)
ACCEPTED = [
    ("scenarios", EVERYTHING),
    ("scenarios", SCENARIOS),
    ("assignment", ASSIGNMENT + "limits: {wall_seconds: 5}\n"),
    ("assignment", ASSIGNMENT + "patterns: {a parting message: bye}\n"),
    ("assignment", ASSIGNMENT.replace("files: [a1.py]", "as: p4.py")),
    ("assignment", ASSIGNMENT + "manual: [{id: a, title: b, out_of: 1/2, clause: c}]\n"),
    ("clauses", CLAUSES),
    ("mutants", MUTANTS),
    ("policy", POLICY),
    ("policy", "imports: {none: true}\n"),
    ("policy", "imports: {forbid: [os]}\nsyntax: {forbid: [If]}\n"),
    ("expect", "fails: [a/*]\nmark: [1, 2]\nverdicts: {a: cpu_limit}\n"),
]


@pytest.mark.parametrize(("kind", "text"), ACCEPTED)
def test_what_is_right_is_accepted(kind: str, text: str) -> None:
    validator(kind).validate(read(text))


CALL = "name: s\ncall: f()\n"
REFUSED = [
    ("scenarios", "scenarios: []\n"),
    ("scenarios", "function: f\n"),
    ("scenarios", scenario_file("call: f()")),
    ("scenarios", scenario_file("name: s")),
    ("scenarios", scenario_file(CALL + "run: a1.py")),
    ("scenarios", scenario_file(CALL + "retruns: 1")),
    ("scenarios", scenario_file(CALL + "returns: {pyhton: a}")),
    ("scenarios", scenario_file(CALL + "returns: {any: true, type: int}")),
    ("scenarios", scenario_file(CALL + "prints: 5")),
    ("scenarios", scenario_file(CALL + "prints: {none_of: [a]}")),
    ("scenarios", scenario_file(CALL + "prints: {all_of: [{type: int}]}")),
    ("scenarios", scenario_file(CALL + "returns: {all_of: []}")),
    ("scenarios", scenario_file(CALL + "visible: later")),
    ("scenarios", scenario_file(CALL + "points: many")),
    ("scenarios", scenario_file(CALL + "input: [1.5]")),
    ("scenarios", scenario_file(CALL + "input: [{key: ctrl-x}]")),
    ("scenarios", scenario_file(CALL + "ends: cpu")),
    ("scenarios", scenario_file(CALL + "ignore: [cases]")),
    ("scenarios", scenario_file(CALL + "limits: {cpu_seconds: 0}")),
    ("scenarios", scenario_file(CALL + "clause: 4.6")),
    ("scenarios", scenario_file(CALL + "stand_in: {a.py: 1}")),
    ("scenarios", scenario_file(CALL + "stand_in: a.py")),
    ("scenarios", scenario_file(CALL + "sample: {strategy: a.b}")),
    ("assignment", ASSIGNMENT.replace('"3.12"', "3.12")),
    ("assignment", ASSIGNMENT.replace("title: Small\n", "")),
    ("assignment", ASSIGNMENT + "manual: [{id: a b, title: b, out_of: 1}]\n"),
    ("assignment", ASSIGNMENT + "manual: [{id: a, title: b}]\n"),
    ("clauses", CLAUSES.replace('id: "4.6"', "id: 4.6")),
    ("mutants", MUTANTS.replace("why:", "reason:")),
    ("policy", POLICY.replace("{deduct: 1.5}", "deduct")),
    ("policy", "syntax: [If]\n"),
    ("policy", "syntax: {allow: [If], forbid: [For]}\n"),
    ("expect", "fails: a\n"),
]


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_what_is_wrong_is_refused(kind: str, text: str) -> None:
    assert not validator(kind).is_valid(read(text))
