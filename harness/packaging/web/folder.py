"""The folder of a page on which students check their work in a browser: all of it is static, and
the page asks for nothing from elsewhere. What it needs from the npm registry is pinned by version
and digest, fetched by npm once, and kept in the cache."""

import base64
import functools
import io
import json
import os
import posixpath
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256, sha512
from importlib import metadata, resources
from pathlib import Path

from harness.common.errors import UserError
from harness.common.escaping import encoded
from harness.common.files import files_below, write_bytes, zipped
from harness.execution import Interpreter
from harness.grading.context import GradingContext
from harness.grading.stub import handed_out_stubs
from harness.model.plan import Specification
from harness.packaging.handout import scenarios_page, student_key, student_plan
from harness.packaging.program_file import program_parts
from harness.reporting.html.environment import render, template_module

_PATIENCE = 600.0  # seconds for a download
_LARGEST = 64 * 1024 * 1024  # bytes of a package, unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A package's archive: `sha512` as npm writes it."""

    name: str
    version: str
    sha512: str

    @property
    def archive(self) -> str:
        return f"{self.name}-{self.version}.tgz"


# The Pyodide whose Python is the one of an assignment.
PYODIDE = {
    "3.11": Pin(
        name="pyodide",
        version="0.25.1",
        sha512="y0nJ/fLA3bxD2iZRzvVTbP2O+wp4Ewm2wThfV4HF0BytQ6hsoqTJFLNY4usLOcCVBrK8TTWqFqrmsVPzHe4rsw==",
    ),
    "3.12": Pin(
        name="pyodide",
        version="0.27.7",
        sha512="RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA==",
    ),
    "3.13": Pin(
        name="pyodide",
        version="0.28.3",
        sha512="rtCsyTU55oNGpLzSVuAd55ZvruJDEX8o6keSdWKN9jPeBVSNlynaKFG7eRqkiIgU7i2M6HEgYtm0atCEQX3u4A==",
    ),
    "3.14": Pin(
        name="pyodide",
        version="314.0.7",
        sha512="0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
    ),
}
EDITOR = Pin(
    name="prism-code-editor",
    version="5.4.0",
    sha512="8y4SdQxwHa/lnxIbFf2w8N2D1OwxcskDRw774ov4XEEa1e5alqqrAZk08YXgaxisc1RuJdFbCTI+4tU3Plljqw==",
)


def package(pin: Pin, cache: Path) -> dict[str, bytes]:
    """Return the files of a package by their paths in it. Raise UserError if it is neither below
    `cache` nor can be fetched, or if it is not the pinned one."""
    kept = cache / "npm" / pin.archive
    if not kept.is_file():
        write_bytes(kept, _fetched(pin, kept))
    data = kept.read_bytes()
    if not _is_pinned(pin, data):
        hint = "remove it and make the page again"
        raise UserError(f"it is not {pin.name} {pin.version}", place=str(kept), hint=hint)
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive:
            if member.isfile() and sum(map(len, files.values())) + member.size <= _LARGEST:
                content = archive.extractfile(member)
                assert content is not None
                files[member.name.partition("/")[2]] = content.read()
    return files


def _is_pinned(pin: Pin, data: bytes) -> bool:
    return base64.b64encode(sha512(data).digest()).decode() == pin.sha512


def _fetched(pin: Pin, kept: Path) -> bytes:
    what = f"{pin.name}@{pin.version}"
    hint = f"install Node.js, which has npm, or put {pin.archive} into {kept.parent} yourself"
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", what, "--pack-destination", folder, "--silent"]
        try:
            done = subprocess.run(
                command, capture_output=True, cwd=folder, timeout=_PATIENCE, check=False
            )
        except FileNotFoundError:
            raise UserError(f"npm is needed to fetch {what}, once", hint=hint) from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"npm did not fetch {what}: {error}", hint=hint) from None
        archive = Path(folder, pin.archive)
        if done.returncode or not archive.is_file():
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise UserError(f"npm did not fetch {what}: {''.join(said)[:200]}", hint=hint)
        data = archive.read_bytes()
    if not _is_pinned(pin, data):
        raise UserError(f"what npm fetched as {what} is not what was pinned")
    return data


INDEX = "index.html"
_CHECKER = "harness.packaging.web.checker"
_FILES = resources.files("harness.packaging.web").joinpath("files")
_OURS = ("machine.js", "page.css", "page.js", "worker.js")
_TEMPLATES = "harness/reporting/html/templates"
_NEEDED_TEMPLATES = ("check.html.j2", "parts.html.j2", "student.html.j2")
_LIBRARY = "pyodide/python_stdlib.zip"
_PYODIDE_FILES = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_EDITOR_ENTRIES = (
    "index",
    "prism/languages/python",
    "languages/python",
    "extensions/commands/index",
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
    if (pin := PYODIDE.get(assignment.python)) is None:
        hint = f"there are {', '.join(PYODIDE)}"
        what = f"no browser runs Python {assignment.python}"
        raise UserError(what, place=assignment.id, hint=hint)
    key = student_key(context, plan)
    files = {name: _FILES.joinpath(name).read_bytes() for name in _OURS}
    files |= {f"pyodide/{name}": data for name, data in _pyodide(package(pin, cache))}
    files |= {f"editor/{name}": data for name, data in _editor(package(EDITOR, cache))}
    checker = program_parts(plan, key, _CHECKER)
    for name, text in map(template_module, _NEEDED_TEMPLATES):
        checker[f"{_TEMPLATES}/modules/{name}"] = text.encode()
    style = resources.files("harness.reporting.html").joinpath("templates/style.css")
    checker[f"{_TEMPLATES}/style.css"] = style.read_bytes()
    for name in ("jinja2", "markupsafe"):  # the template engine, of what is Python in it
        engine = files_below(resources.files(name), name, lambda entry: True)
        checker |= {path: data for path, data in engine if path.endswith(".py")}
    files["checker.zip"] = zipped(checker)
    python = context.interpreter
    if python.version.startswith(f"{assignment.python}."):
        library = f"/lib/python{assignment.python.replace('.', '')}.zip"
        files[_LIBRARY] = _compiled_library(files[_LIBRARY], library, python, cache)
        files["checker.zip"] = _compiled(files["checker.zip"], "/checker", python.path)
    files["visible-scenarios.txt"] = encoded(scenarios_page(plan, key))
    stubs = {file.name: file.data.decode("utf-8-sig") for file in handed_out_stubs(specification)}
    texts = [[name, stubs.get(name, "")] for name in assignment.submission_files]
    takes_modules = bool(assignment.extra_modules.allow)
    facts = json.dumps({"id": assignment.id, "files": texts, "extra": takes_modules})
    files["assignment.js"] = f"self.ASSIGNMENT = {facts};\n".encode()
    files["LICENSES.txt"] = _licenses(pin.version).encode()
    for file in (*assignment.variants[0].files, *assignment.extra_files):
        files[f"provided/{file.name}"] = file.data
    provided = sorted(name for name in files if name.startswith("provided/"))
    files[INDEX] = render("web.html.j2", assignment=assignment, provided=provided).encode()
    return files | {"offline.js": _offline(assignment.id, files)}


def _compiled_library(archive: bytes, place: str, python: Interpreter, cache: Path) -> bytes:
    """The same as `_compiled`, kept beside what npm fetched: it takes most of a page's making."""
    how = resources.files("harness.packaging.web").joinpath("compiled.py").read_bytes()
    parts = (archive, place.encode(), python.build.encode(), how)
    key = sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()
    kept = cache / "npm" / f"compiled-{key}.zip"
    if not kept.is_file():
        write_bytes(kept, _compiled(archive, place, python.path))
    return kept.read_bytes()


@functools.cache
def _compiled(archive: bytes, place: str, python: Path) -> bytes:
    """The archive, with code for its modules in `place`: compiling is half of the page's start."""
    program = str(resources.files("harness.packaging.web").joinpath("compiled.py"))
    command = [str(python), "-S", "-s", program, place]
    # In the code of a module the order of a set's members depends on it.
    env = os.environ | {"PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command, input=archive, capture_output=True, env=env, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"Python does not compile: {error}", place=str(python)) from None
    return done.stdout


def _offline(assignment_id: str, files: dict[str, bytes]) -> bytes:
    """The service worker, which keeps these files and knows them from those of another making."""
    parts = (name.encode() + sha256(files[name]).digest() for name in sorted(files))
    names = json.dumps(sorted(files))
    text = _FILES.joinpath("offline.js").read_text("utf-8")
    prefix = f"harness {assignment_id} "  # of all makings of this page
    text = text.replace("VERSION", json.dumps(prefix + sha256(b"".join(parts)).hexdigest()))
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
    names = [f"dist/{name}.js" for name in _EDITOR_ENTRIES]
    for name in names:  # it grows by what these import
        yield name.removeprefix("dist/"), _SOURCE_MAP.sub(b"", files[name])
        paths = (path.decode() for path in _IMPORTED.findall(files[name]))
        imported = {posixpath.normpath(posixpath.join(name, "..", path)) for path in paths}
        names += imported - set(names)
    yield "layout.css", files["dist/layout.css"]


def _licenses(pyodide: str) -> str:
    jinja, safe = metadata.version("jinja2"), metadata.version("markupsafe")
    return (
        "This page holds, unchanged but for the names of files, and compiled where it is Python:\n"
        f"Pyodide {pyodide}, Mozilla Public License 2.0, github.com/pyodide/pyodide\n"
        "CPython in it, Python Software Foundation License\n"
        f"{EDITOR.name} {EDITOR.version}, MIT License, github.com/jonpyt/prism-code-editor\n"
        f"Jinja {jinja} and MarkupSafe {safe}, BSD 3-Clause License, github.com/pallets\n"
    )
