"""Write the first clauses.yaml and mutants.yaml of an assignment, and values as YAML."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable

import yaml

from harness.packaging.scaffold.first_scenarios import First


def in_yaml(value: object) -> str:
    """Return a plain Python value as one line of YAML."""
    return json.dumps(value, ensure_ascii=False)


def name_in_yaml(name: str) -> str:
    """Return a name as YAML.

    Add quotes only if YAML would not read it as text, as with `no` and `1`.
    """
    is_plain = re.fullmatch(r"[A-Za-z_][\w./-]*", name, re.ASCII)
    if is_plain and yaml.safe_load(name) == name:
        return name
    return in_yaml(name)


def clauses_file(names: Iterable[str]) -> bytes:
    """Return the text of clauses.yaml with a clause for each function or program."""
    lines = ["clauses:"]
    for name in names:
        text = json.dumps(f"{name} does as the sheet says.")
        lines.append(f'  - {{id: {in_yaml(name)}, section: "1", text: {text}}}')
    return text_of(lines)


def mutants_file(changes: Iterable[First]) -> bytes:
    """Return the text of mutants.yaml with one mutant for each change.

    A mutant lacks one function's body.
    """
    items = "".join(map(_mutant, changes))
    if not items:
        return b"mutants: []\n"
    return f"mutants:\n{items}".encode()


def _mutant(first: First) -> str:
    find = textwrap.indent(first.find, " " * 6)
    replaced = textwrap.indent(first.replace, " " * 6)
    return (
        f"  - clause: {in_yaml(first.name)}\n    file: {first.file}\n    why: It is not written.\n"
        f"    find: |\n{find}\n    replace: |\n{replaced}\n"
    )


def text_of(lines: Iterable[str]) -> bytes:
    """Join lines to the contents of a file."""
    return "".join(f"{line}\n" for line in lines).encode()
