"""The folder of a page on which students check their work in a browser. All of it is static, and
nothing in it is asked for from elsewhere."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from hashlib import sha256
from importlib import metadata, resources
from pathlib import Path

import jinja2
import markupsafe

from harness.common.errors import UserError
from harness.common.files import files_below, zipped
from harness.grading.context import GradingContext
from harness.grading.stub import handed_out_stubs
from harness.model.plan import Plan, Specification
from harness.packaging.handout import scenarios_page, student_key, student_plan
from harness.packaging.program_file import program_parts
from harness.packaging.web.npm import EDITOR, PYODIDE, package
from harness.reporting.html.environment import render

INDEX = "index.html"
_CHECKER = "harness.packaging.web.checker"
_FILES = resources.files("harness.packaging.web").joinpath("files")
_OURS = ("machine.js", "page.css", "page.js", "worker.js")
_TEMPLATES = "reporting/html/templates"
_NEEDED_TEMPLATES = ("check.html.j2", "parts.html.j2", "student.html.j2", "style.css")
_PYODIDE_FILES = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_EDITOR_ENTRIES = (
    "dist/index.js",
    "dist/prism/languages/python.js",
    "dist/languages/python.js",
    "dist/extensions/commands/index.js",
)
_IMPORTED = re.compile(rb"""(?:from|import) ?"(\.{1,2}/[^"]+)";""")
_SOURCE_MAP = re.compile(rb"\n//# sourceMappingURL=.*")


def web_folder(
    specification: Specification, context: GradingContext, cache: Path
) -> dict[str, bytes]:
    """The folder's files by their paths; the same for the same specification, harness and
    interpreter. `specification` is the whole assignment, `context` was prepared from it cut by
    `visible_only`; `cache` is the course's. UserError where the assignment cannot be checked in a
    browser, or what the page needs cannot be fetched."""
    plan = student_plan(context.specification)
    assignment = plan.assignment
    if assignment.packages:
        needs = ", ".join(assignment.packages)
        raise UserError(f"it needs {needs}, which a browser does not have", place=assignment.id)
    pin = PYODIDE.get(assignment.python)
    if pin is None:
        versions = ", ".join(PYODIDE)
        raise UserError(
            f"no browser runs Python {assignment.python}",
            place=assignment.id,
            hint=f"there are {versions}",
        )
    key = student_key(context, plan)
    files = {name: _FILES.joinpath(name).read_bytes() for name in _OURS}
    files |= {f"pyodide/{name}": data for name, data in _pyodide(package(pin, cache))}
    files |= {f"editor/{name}": data for name, data in _editor(package(EDITOR, cache))}
    checker = program_parts(plan, key, _CHECKER)
    files["checker.zip"] = zipped(checker | dict(_templates()) | dict(_jinja()))
    files["visible-scenarios.txt"] = scenarios_page(plan, key).encode("utf-8", "backslashreplace")
    files["assignment.js"] = _facts(specification, plan)
    files["LICENSES.txt"] = _licenses(pin.version).encode()
    for file in (*assignment.variants[0].files, *assignment.extra_files):
        files[f"provided/{file.name}"] = file.data
    provided = sorted(name for name in files if name.startswith("provided/"))
    files[INDEX] = render("web.html.j2", assignment=assignment, provided=provided).encode()
    return files | {"offline.js": _offline(assignment.id, files)}


def _facts(specification: Specification, plan: Plan) -> bytes:
    """What the page's script knows of the assignment."""
    assignment = plan.assignment
    stubs = {file.name: file.data.decode("utf-8-sig") for file in handed_out_stubs(specification)}
    facts = {
        "id": assignment.id,
        "files": [[name, stubs.get(name, "")] for name in assignment.submission_files],
    }
    return f"self.ASSIGNMENT = {json.dumps(facts)};\n".encode()


def _offline(assignment_id: str, files: dict[str, bytes]) -> bytes:
    """The service worker, which keeps these files and knows them from those of another making."""
    digest = sha256(
        b"".join(name.encode() + sha256(files[name]).digest() for name in sorted(files))
    )
    names = json.dumps(sorted(files))
    text = _FILES.joinpath("offline.js").read_text("utf-8")
    prefix = f"harness {assignment_id} "  # of all makings of this page
    text = text.replace("VERSION", json.dumps(prefix + digest.hexdigest()))
    return text.replace("FILES", names).replace("PREFIX", prefix).encode()


def _pyodide(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Under names that every file server gives the right type."""
    for name in _PYODIDE_FILES:
        yield name, files[name]
    code = "pyodide.asm.mjs" if "pyodide.asm.mjs" in files else "pyodide.asm.js"
    yield "pyodide.asm.js", _SOURCE_MAP.sub(b"", files[code])
    loader = files["pyodide.mjs"].replace(b"pyodide.asm.mjs", b"pyodide.asm.js")
    yield "pyodide.js", _SOURCE_MAP.sub(b"", loader)


def _editor(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The modules that these import, and their style."""
    waiting, seen = list(_EDITOR_ENTRIES), set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        yield name.removeprefix("dist/"), _SOURCE_MAP.sub(b"", files[name])
        folder = posixpath.dirname(name)
        for imported in _IMPORTED.findall(files[name]):
            waiting.append(posixpath.normpath(posixpath.join(folder, imported.decode())))
    yield "layout.css", files["dist/layout.css"]


def _templates() -> Iterator[tuple[str, bytes]]:
    folder = resources.files("harness").joinpath(_TEMPLATES)
    for name in _NEEDED_TEMPLATES:
        yield f"harness/{_TEMPLATES}/{name}", folder.joinpath(name).read_bytes()


def _jinja() -> Iterator[tuple[str, bytes]]:
    """The template engine as it is installed here, of what is Python in it."""
    for module in (jinja2, markupsafe):
        name = module.__name__
        for path, data in files_below(resources.files(name), name, lambda entry: True):
            if path.endswith(".py"):
                yield path, data


def _licenses(pyodide: str) -> str:
    jinja, safe = metadata.version("jinja2"), metadata.version("markupsafe")
    return (
        "This page holds, unchanged but for the names of files:\n"
        f"Pyodide {pyodide}, Mozilla Public License 2.0, github.com/pyodide/pyodide\n"
        "CPython in it, Python Software Foundation License\n"
        f"{EDITOR.name} {EDITOR.version}, MIT License, github.com/jonpyt/prism-code-editor\n"
        f"Jinja {jinja} and MarkupSafe {safe}, BSD 3-Clause License, github.com/pallets\n"
    )
