"""The files of a new assignment: from the template, or from a reference that is there, or
from an assignment that comes with the harness: a clone's own, in a wheel a copy of them."""

from __future__ import annotations

import json
import re
import string
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.assignment import available
from harness.common.errors import UserError
from harness.packaging.scaffold.first_scenarios import First, class_names, first_scenarios
from harness.packaging.scaffold.trial import Draft, LeftOut, tried

_TEMPLATE = Path(__file__).parent / "template"
_SPEC_FILES = (
    *("assignment.yaml", "clauses.yaml", "mutants.yaml"),
    *("is_valid.yaml", "main.yaml", "total.yaml"),
)
_SAMPLES = {
    "another_style": "fails: []\nmark: [10, 10]\n",
    "accepts_zero": 'fails: ["is_valid/below-the-lowest"]\n'
    'explains: ["is_valid returned True instead of False"]\n',
}
_HEAD = "# Each expects what the reference prints and returns.\nscenarios:\n"
_OWN = "Put your own solution here: every submission is compared with it."
_MOST_TOLD = 3  # reasons
_PACKAGE = Path(__file__).parents[2]
_PARTS = ("specs", "reference", "submissions")
_NOT_COPIED = {"__pycache__", ".ruff_cache"}


def from_template(assignment_id: str, file: str) -> dict[str, bytes]:
    """A small assignment with reference, scenarios, mutants and samples, by path below the root."""
    values = _values(assignment_id, file)
    spec, submissions = f"specs/{assignment_id}", f"submissions/{assignment_id}"
    files = {f"reference/{assignment_id}/{file}": _filled("reference.py.txt", values)}
    files |= {f"{spec}/{name}": _filled(name, values) for name in _SPEC_FILES}
    for sample, expected in _SAMPLES.items():
        files[f"{submissions}/{sample}/{file}"] = _filled(f"{sample}.py.txt", values)
        files[f"{submissions}/{sample}/expect.yaml"] = expected.encode()
    return files


def of_several(assignment_id: str, names: Sequence[str]) -> dict[str, bytes]:
    """The same with a program of one line in each of these files."""
    reference = {name: f'"""{_OWN}"""\n\nprint("Hello from {name}")\n'.encode() for name in names}
    return _begun(assignment_id, reference, _draft(reference)) | _of_course(
        assignment_id, reference
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The files of an assignment that was begun from its reference, the programs whose input or
    files a person has to add, and what has no first scenario."""

    files: dict[str, bytes]
    unfinished: tuple[str, ...]
    left_out: tuple[str, ...]


def from_reference(assignment_id: str, reference: Mapping[str, bytes]) -> Begun:
    """For each class of the reference, each function that needs neither input nor a file, and each
    program, a clause, a first scenario and a mutant, and the reference as a sample, as far as
    `harness validate` finds them sound. `reference` has its Python files by name; it is run.

    UserError where one is no Python, or there is nothing to call or run.
    """
    draft = _draft(reference)
    if not draft.firsts:
        raise UserError(
            "the reference has nothing to call or run",
            place=f"reference/{assignment_id}",
            hint=f"finish it first, or write specs/{assignment_id} by hand",
        )
    asking = tuple(first for first in draft.firsts if first.asks)
    ready = tuple(first for first in draft.firsts if not first.asks)
    found = replace(draft, firsts=ready)
    if ready:
        course = _of_course(assignment_id, reference)
        found = tried(
            assignment_id, found, lambda it: _begun(assignment_id, reference, it) | course
        )
    named = {first.name: first for first in (*found.firsts, *asking)}
    found = replace(found, firsts=tuple(named[f.name] for f in draft.firsts if f.name in named))
    if not found.firsts:
        raise UserError(
            f"no first scenario can be made: {'; '.join(map(_told, found.left_out[:_MOST_TOLD]))}",
            place=f"reference/{assignment_id}",
            hint=f"write specs/{assignment_id} by hand",
        )
    return Begun(
        files=_begun(assignment_id, reference, found),
        unfinished=tuple(first.name for first in asking),
        left_out=tuple(each.first.name for each in found.left_out),
    )


def _draft(reference: Mapping[str, bytes]) -> Draft:
    """The first scenarios, without those that would have the id of another."""
    firsts: dict[str, First] = {}
    left_out: list[LeftOut] = []
    for file, data in reference.items():
        for first in first_scenarios(file, data):
            key = re.sub(r"[\W_]+", "", first.name.lower())
            if firsts.setdefault(key, first) is not first:
                reason = f"{firsts[key].name} of {firsts[key].file} has this name already"
                left_out.append(LeftOut(first=first, reason=reason))
    return Draft(firsts=tuple(firsts.values()), left_out=tuple(left_out))


def _of_course(assignment_id: str, reference: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"reference/{assignment_id}/{name}": data for name, data in reference.items()}


def _begun(assignment_id: str, reference: Mapping[str, bytes], draft: Draft) -> dict[str, bytes]:
    spec, submissions = f"specs/{assignment_id}", f"submissions/{assignment_id}"
    firsts = draft.firsts
    heading = _filled("assignment.yaml", _values(assignment_id, ", ".join(reference)))
    classes = [name for data in reference.values() for name in class_names(data)]
    if classes:
        compared = ", ".join(f"{name}: attributes" for name in classes)
        heading += f"compare: {{{compared}}}\n".encode()
    if draft.floats:
        heading += b"floats: {within: 0.000001}\n"
    first_file = _HEAD + "".join(map(_scenario, firsts))
    first_file += "".join(f"# Left out: {_told(each)}\n" for each in draft.left_out)
    files = {
        f"{spec}/assignment.yaml": heading,
        f"{spec}/clauses.yaml": ("clauses:\n" + "".join(map(_clause, firsts))).encode(),
        f"{spec}/first.yaml": first_file.encode(),
        f"{spec}/mutants.yaml": ("mutants:\n" + "".join(map(_mutant, firsts))).encode(),
        f"{submissions}/reference/expect.yaml": b"fails: []\nmark: [10, 10]\n",
    }
    files |= {f"{submissions}/reference/{name}": data for name, data in reference.items()}
    return files


def _told(left: LeftOut) -> str:
    return f"{left.first.action.partition(': ')[2]}: {' '.join(left.reason.split())}"


def _clause(first: First) -> str:
    text = json.dumps(f"{first.name} does what the sheet says.")
    return f'  - {{id: "{first.name}", section: "1", text: {text}}}\n'


def _scenario(first: First) -> str:
    key, _, text = first.action.partition(": ")
    if ": " in text:  # which YAML would read as a mapping
        text = f"'{text}'"
    lines = [
        f"  - name: {first.name} for the first time",
        f"    function: {first.name}",
        f'    clause: "{first.name}"',
        "    visible: true",
        f"    {key}: {text}",
    ]
    if first.raises:
        lines.append(f"    raises: {first.raises}")
    if first.seeded:
        lines.append("    seed: 1")
    if first.asks:
        lines.append("    input: []  # what is typed, line by line; files: what it reads")
    return "".join(f"{line}\n" for line in lines)


def _mutant(first: First) -> str:
    def block(text: str) -> str:
        return "".join(f"      {line}\n" for line in text.splitlines())

    return (
        f'  - clause: "{first.name}"\n    file: {first.file}\n    why: It is not written.\n'
        f"    find: |\n{block(first.find)}    replace: |\n{block(first.replace)}"
    )


def _values(assignment_id: str, file: str) -> dict[str, str]:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"title": assignment_id.replace("-", " ").title(), "file": file, "python": python}


def _filled(name: str, values: Mapping[str, str]) -> bytes:
    text = (_TEMPLATE / name).read_text(encoding="utf-8")
    return string.Template(text).substitute(values).encode()


def shipped() -> tuple[str, ...]:
    """The ids of the assignments that come with the harness; none where they were left out."""
    return available(_root())


def copied(source: str, assignment_id: str) -> dict[str, bytes]:
    """The files of a shipped assignment by their paths below the course's root, under another id.

    UserError for an assignment that does not come with the harness.
    """
    if source not in shipped():
        known = ", ".join(shipped()) or "none"
        raise UserError(
            f"no assignment {source!r} comes with the harness", hint=f"there are: {known}"
        )
    files: dict[str, bytes] = {}
    for part in _PARTS:
        folder = _root() / part / source
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and not _NOT_COPIED & set(inside.parts):
                files[f"{part}/{assignment_id}/{inside.as_posix()}"] = path.read_bytes()
    return files


def _root() -> Path:
    packed = _PACKAGE / "shipped"
    return packed if packed.is_dir() else _PACKAGE.parent
