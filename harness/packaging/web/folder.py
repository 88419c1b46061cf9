"""Build the folder of a web page on which students check their work in a browser.

All files are static, and the page loads nothing from other servers. The packages that it needs from
the npm registry are pinned by version and digest. npm downloads them once, and the cache keeps
them.
"""

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
from harness.model.expectation import AnswerKey
from harness.model.plan import Assignment, Plan, Specification
from harness.packaging.handout import student_key, student_plan
from harness.packaging.program_file import program_parts
from harness.packaging.scenarios_page import scenarios_page
from harness.reporting.html.environment import render, template_module

# Seconds for a download.
_PATIENCE = 600.0
# Bytes of a package, unpacked.
_MAX_UNPACKED = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """The pinned version of an npm package. `sha512` is in base64, as npm writes it."""

    name: str
    version: str
    sha512: str

    @property
    def archive(self) -> str:
        """Return the file name of the archive that npm downloads."""
        return f"{self.name}-{self.version}.tgz"


# The Pyodide for each version of Python.
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
    """Return the files of a package by path.

    Raise UserError if the package is not in `cache` and cannot be downloaded, or if its digest is
    wrong.
    """
    cached = cache / "npm" / pin.archive
    if not cached.is_file():
        write_bytes(cached, _fetch(pin, cached.parent))
    data = cached.read_bytes()
    if not _is_pinned(pin, data):
        hint = "remove it and build the page again"
        raise UserError(f"it is not {pin.name} {pin.version}", place=str(cached), hint=hint)
    files: dict[str, bytes] = {}
    size = 0
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive:
            if not member.isfile() or size + member.size > _MAX_UNPACKED:
                continue
            content = archive.extractfile(member)
            assert content is not None
            _, _, path = member.name.partition("/")
            files[path] = content.read()
            size += member.size
    return files


def _is_pinned(pin: Pin, data: bytes) -> bool:
    digest = sha512(data).digest()
    return base64.b64encode(digest).decode() == pin.sha512


def _fetch(pin: Pin, folder: Path) -> bytes:
    """Download a package with npm.

    If that fails, raise a UserError that names the `folder` to put the package into.
    """
    package_name = f"{pin.name}@{pin.version}"
    hint = f"install Node.js, which has npm, or put {pin.archive} into {folder} yourself"
    with tempfile.TemporaryDirectory() as download:
        command = ["npm", "pack", package_name, "--pack-destination", download, "--silent"]
        try:
            done = subprocess.run(
                command, capture_output=True, cwd=download, timeout=_PATIENCE, check=False
            )
        except FileNotFoundError:
            raise UserError(f"npm is needed once, to fetch {package_name}", hint=hint) from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"npm did not fetch {package_name}: {error}", hint=hint) from None
        archive = Path(download, pin.archive)
        if done.returncode or not archive.is_file():
            messages = done.stderr.decode("utf-8", "replace").strip().splitlines()
            last = "".join(messages[-1:])[:200]
            raise UserError(f"npm did not fetch {package_name}: {last}", hint=hint)
        data = archive.read_bytes()
    if not _is_pinned(pin, data):
        raise UserError(f"npm fetched a {package_name} that differs from the pinned one")
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
    """Return the files of the web page by path.

    The same specification, harness and interpreter give the same files. `specification` is the
    whole assignment; `context` was prepared from its visible part (`visible_only`); `cache` is the
    course's cache folder. Raise UserError if the assignment cannot be checked in a browser, or if a
    package cannot be downloaded.
    """
    plan = student_plan(context.specification)
    assignment = plan.assignment
    pin = _pyodide_for(assignment)
    key = student_key(context, plan)
    files = {name: _FILES.joinpath(name).read_bytes() for name in _OURS}
    for name, data in _pyodide(package(pin, cache)):
        files[f"pyodide/{name}"] = data
    for name, data in _editor(package(EDITOR, cache)):
        files[f"editor/{name}"] = data
    files["checker.zip"] = _checker(plan, key)
    python = context.interpreter
    if python.version.startswith(f"{assignment.python}."):
        place = f"/lib/python{assignment.python.replace('.', '')}.zip"
        files[_LIBRARY] = _compiled_library(files[_LIBRARY], place, python, cache)
        files["checker.zip"] = _compiled(files["checker.zip"], "/checker", python.path)
    files["visible-scenarios.txt"] = encoded(scenarios_page(plan, key))
    loaded = sum(len(files[f"pyodide/{name}"]) for name in _PYODIDE_FILES)
    files["assignment.js"] = _assignment_script(specification, assignment, loaded)
    files["LICENSES.txt"] = _licenses(pin.version).encode()
    provided = []
    for file in (*assignment.variants[0].files, *assignment.shown_extra_files()):
        path = f"provided/{file.name}"
        files[path] = file.data
        provided.append(path)
    provided.sort()
    tests = specification.plan.assignment.handed_out_tests
    page = render(
        "web.html.j2",
        assignment=assignment,
        provided=provided,
        tests=tests,
        students_tests=_students_tests(specification),
    )
    files[INDEX] = page.encode()
    files["offline.js"] = _offline(assignment.id, files)
    return files


def _students_tests(specification: Specification) -> tuple[str, ...]:
    """Return the names of test files that students hand in. A browser does not run them."""
    writing = specification.plan.assignment.test_writing
    return () if writing is None else writing.files


def _pyodide_for(assignment: Assignment) -> Pin:
    """Return the version of Pyodide (Python for browsers) that fits an assignment.

    Raise UserError if the assignment cannot run in a browser.
    """
    if assignment.packages:
        needs = ", ".join(assignment.packages)
        raise UserError(f"it needs {needs}, which a browser does not have", place=assignment.id)
    pin = PYODIDE.get(assignment.python)
    if pin is None:
        hint = f"available: {', '.join(PYODIDE)}"
        problem = f"no Python {assignment.python} for browsers is available"
        raise UserError(problem, place=assignment.id, hint=hint)
    return pin


def _checker(plan: Plan, key: AnswerKey) -> bytes:
    """Return the archive with the program that checks submissions on the page."""
    checker = program_parts(plan, key, _CHECKER)
    for name, text in map(template_module, _NEEDED_TEMPLATES):
        checker[f"{_TEMPLATES}/modules/{name}"] = text.encode()
    style = resources.files("harness.reporting.html").joinpath("templates/style.css")
    checker[f"{_TEMPLATES}/style.css"] = style.read_bytes()
    # The template engine, but only its Python modules.
    for name in ("jinja2", "markupsafe"):
        for path, data in files_below(resources.files(name), name, lambda entry: True):
            if path.endswith(".py"):
                checker[path] = data
    return zipped(checker)


def _assignment_script(specification: Specification, assignment: Assignment, loaded: int) -> bytes:
    """Return the script that gives the page its data about the assignment.

    These are the files to hand in, their stubs, and how many bytes are `loaded` until Python
    starts.
    """
    stubs = {file.name: file.data.decode("utf-8-sig") for file in handed_out_stubs(specification)}
    texts = [[name, stubs.get(name, "")] for name in assignment.submission_files]
    takes_modules = bool(assignment.extra_modules.allow)
    facts = {"id": assignment.id, "files": texts, "extra": takes_modules, "loaded": loaded}
    return f"self.ASSIGNMENT = {json.dumps(facts)};\n".encode()


def _compiled_library(archive: bytes, place: str, python: Interpreter, cache: Path) -> bytes:
    """Return the result of `_compiled`, from the cache if possible, because compiling is slow."""
    program = resources.files("harness.packaging.web").joinpath("compiled.py").read_bytes()
    digests = sha256()
    for part in (archive, place.encode(), python.build.encode(), program):
        digests.update(sha256(part).digest())
    cached = cache / "npm" / f"compiled-{digests.hexdigest()}.zip"
    if not cached.is_file():
        write_bytes(cached, _compiled(archive, place, python.path))
    return cached.read_bytes()


@functools.cache
def _compiled(archive: bytes, place: str, python: Path) -> bytes:
    """Return the archive with its modules compiled for `place`, which halves the time to load the
    page.
    """
    program = str(resources.files("harness.packaging.web").joinpath("compiled.py"))
    command = [str(python), "-S", "-s", program, place]
    # The order of a set's members in a module's code depends on the hash seed.
    env = os.environ | {"PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command, input=archive, capture_output=True, env=env, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"Python does not compile: {error}", place=str(python)) from None
    return done.stdout


def _offline(assignment_id: str, files: dict[str, bytes]) -> bytes:
    """Return the page's service worker, which keeps these files for use without a network.

    It recognises whether kept files are of another version of the page.
    """
    names = sorted(files)
    digest = sha256()
    for name in names:
        digest.update(name.encode())
        digest.update(sha256(files[name]).digest())
    # Every version of this page has this prefix.
    prefix = f"harness {assignment_id} "
    text = _FILES.joinpath("offline.js").read_text("utf-8")
    text = text.replace("VERSION", json.dumps(prefix + digest.hexdigest()))
    text = text.replace("FILES", json.dumps(names))
    return text.replace("PREFIX", prefix).encode()


def _pyodide(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield Pyodide's files, renamed so that every web server sends them with the right content
    type.
    """
    for name in _PYODIDE_FILES:
        yield name, files[name]
    code = "pyodide.asm.mjs" if "pyodide.asm.mjs" in files else "pyodide.asm.js"
    yield "pyodide.asm.js", _SOURCE_MAP.sub(b"", files[code])
    loader = files["pyodide.mjs"].replace(b"pyodide.asm.mjs", b"pyodide.asm.js")
    yield "pyodide.js", _SOURCE_MAP.sub(b"", loader)


def _editor(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the page's text editor: its modules, the modules that they import, and
    its style.
    """
    names = [f"dist/{name}.js" for name in _EDITOR_ENTRIES]
    # The list grows while it is read.
    for name in names:
        yield name.removeprefix("dist/"), _SOURCE_MAP.sub(b"", files[name])
        imported = set()
        for path in _IMPORTED.findall(files[name]):
            imported.add(posixpath.normpath(posixpath.join(name, "..", path.decode())))
        names += imported - set(names)
    yield "layout.css", files["dist/layout.css"]


def _licenses(pyodide: str) -> str:
    jinja = metadata.version("jinja2")
    markupsafe = metadata.version("markupsafe")
    return (
        "This page contains the following software. Files are renamed, and Python code is "
        "compiled; nothing else is changed.\n"
        f"Pyodide {pyodide}, Mozilla Public License 2.0, github.com/pyodide/pyodide\n"
        "CPython in it, Python Software Foundation License\n"
        f"{EDITOR.name} {EDITOR.version}, MIT License, github.com/jonpyt/prism-code-editor\n"
        f"Jinja {jinja} and MarkupSafe {markupsafe}, BSD 3-Clause License, github.com/pallets\n"
    )
