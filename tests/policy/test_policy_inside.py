"""The policy's sources, loaded from memory by bare interpreters."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.common import serial
from harness.model.plan import SourceFile
from harness.model.policy import ImportPolicy, NameList, Policy, PolicyReport, PolicyRequest
from harness.policy.checking import check
from harness.policy.sources import ENTRY, SOURCES

# Loads nothing from the disk but the standard library.
LOADER = """
import json, sys, types
sources, entry, request = json.load(sys.stdin)
for name, text in sources.items():
    module = sys.modules[name] = types.ModuleType(name)
    if any(other.startswith(name + ".") for other in sources):
        module.__path__ = []
    exec(compile(text, name, "exec"), module.__dict__)
module, _, function = entry.partition(":")
sys.stdout.write(getattr(sys.modules[module], function)(request))
"""


def interpreters() -> list[str]:
    found = [sys.executable]
    for version in ("3.11", "3.12", "3.13", "3.14"):
        on_path = shutil.which(f"python{version}")
        pyenv = Path.home() / ".pyenv" / "versions"
        kept = sorted(pyenv.glob(f"{version}.*/bin/python")) if pyenv.is_dir() else []
        found += [str(path) for path in kept[-1:]] or ([on_path] if on_path else [])
    return list(dict.fromkeys(found))


def run_inside(python: str, files: tuple[SourceFile, ...], policy: Policy | None) -> PolicyReport:
    request = serial.dumps(PolicyRequest(files=files, policy=policy))
    done = subprocess.run(
        [python, "-I", "-S", "-c", LOADER],
        input=json.dumps([dict(SOURCES), ENTRY, request]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return serial.loads(PolicyReport, done.stdout)


FILES = (
    SourceFile(
        name="a1.py",
        data=b"\xef\xbb\xbfimport os\r\nA = {}\r\nprint(sum([1]))\r\n"
        b"B = ''.join([])\r\nexec('')\r\n",
    ),
)
POLICY = Policy(
    imports=ImportPolicy(exactly=("from a1_support import *",)),
    lists=(
        NameList(key="syntax", allow=("FunctionDef", "List")),
        NameList(key="builtins", allow=("print",)),
        NameList(key="methods", allow=("append",)),
        NameList(key="module_level", allow=("imports", "constants")),
    ),
    provided_names=("BOARD_SIZE",),
)


@pytest.mark.process
def test_a_bare_interpreter_finds_what_we_find() -> None:
    here = check(FILES, POLICY)
    assert len(here.findings) > 6
    for python in interpreters():
        assert run_inside(python, FILES, POLICY) == here, python


@pytest.mark.process
def test_a_bare_interpreter_says_why_it_cannot_read() -> None:
    for python in interpreters():
        report = run_inside(python, (SourceFile(name="a1.py", data=b"if 1\n"),), None)
        assert report.unparsable is not None
        assert (report.unparsable.line, report.unparsable.source) == (1, "if 1")


@pytest.mark.process
def test_a_newer_interpreter_reads_what_an_older_one_refuses() -> None:
    files = (SourceFile(name="a1.py", data=b"def f[T](a: T) -> T:\n    return a\n"),)
    readable = {
        python: run_inside(python, files, None).unparsable is None for python in interpreters()
    }
    versions = {
        python: subprocess.run(
            [python, "-c", "import sys; print(sys.version_info >= (3, 12))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        == "True"
        for python in interpreters()
    }
    assert readable == versions


def test_the_sources_stand_in_the_order_in_which_they_can_be_loaded() -> None:
    seen: set[str] = set()
    for name, text in SOURCES.items():
        needed = {
            line.split()[1]
            for line in text.splitlines()
            if line.startswith("from harness.") and not line.endswith("import serial")
        }
        assert needed <= seen, name
        seen.add(name)
