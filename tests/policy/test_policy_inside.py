"""The policy's sources, loaded from memory by bare interpreters."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from harness.common import serial
from harness.model.plan import SourceFile
from harness.model.policy import ImportPolicy, NameList, Policy, PolicyReport, PolicyRequest
from harness.policy.checking import check
from harness.policy.sources import ENTRY, SOURCES
from tests.execution.small_world import source
from tests.tiny_course import ran

# Loads nothing from the disk but the standard library.
LOADER = """
import json, sys, types
sources, entry, requests = json.load(sys.stdin)
for name, text in sources.items():
    module = sys.modules[name] = types.ModuleType(name)
    if any(other.startswith(name + ".") for other in sources):
        module.__path__ = []
    exec(compile(text, name, "exec"), module.__dict__)
module, _, function = entry.partition(":")
answers = [getattr(sys.modules[module], function)(request) for request in requests]
json.dump([sys.version_info >= (3, 12), answers], sys.stdout)
"""


def interpreters() -> list[str]:
    found = [sys.executable]
    for version in ("3.11", "3.12", "3.13", "3.14"):
        on_path = shutil.which(f"python{version}")
        pyenv = Path.home() / ".pyenv" / "versions"
        kept = sorted(pyenv.glob(f"{version}.*/bin/python")) if pyenv.is_dir() else []
        found += [str(path) for path in kept[-1:]] or ([on_path] if on_path else [])
    return list(dict.fromkeys(found))


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


ASKED = (
    PolicyRequest(files=FILES, policy=POLICY),
    PolicyRequest(files=(source("if 1\n"),), policy=None),
    PolicyRequest(files=(source("def f[T](a: T) -> T:\n    return a\n"),), policy=None),
)


def answers(python: str) -> tuple[bool, list[PolicyReport]]:
    """Whether this is Python 3.12 or later, and what it says of each that is asked."""
    done = ran(
        [python, "-I", "-S", "-c", LOADER],
        input=json.dumps([dict(SOURCES), ENTRY, list(map(serial.dumps, ASKED))]),
    )
    assert done.stderr == ""
    is_newer, reports = json.loads(done.stdout)
    return is_newer, [serial.loads(PolicyReport, report) for report in reports]


@pytest.mark.process
def test_a_bare_interpreter_finds_what_we_find() -> None:
    here = check(FILES, POLICY)
    assert len(here.findings) > 6
    for python in interpreters():
        is_newer, (found, broken, newer) = answers(python)
        assert found == here, python
        assert broken.unparsable is not None
        assert (broken.unparsable.line, broken.unparsable.source) == (1, "if 1")
        assert (newer.unparsable is None) == is_newer


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
