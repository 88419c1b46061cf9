"""The policy's sources, loaded from memory by bare interpreters. No public name of the standard
library is a finding unless it is another module."""

import builtins
import importlib
import json
import shutil
import sys
import types
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

import pytest

from harness.common import serial
from harness.model.plan import SourceFile
from harness.model.policy import ImportPolicy, NameList, Policy, PolicyReport, PolicyRequest
from harness.policy import rule
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


# What introductory courses import, and what is imported most anywhere.
MODULES = """
    abc argparse array bisect calendar collections copy csv dataclasses datetime decimal enum
    fractions functools glob hashlib heapq inspect io itertools json locale logging math numbers
    operator os os.path pathlib pprint queue random re secrets shlex shutil signal socket
    sqlite3 ssl statistics string struct subprocess sys tempfile textwrap threading time timeit
    traceback types typing unittest uuid collections.abc
    """.split()  # noqa: SIM905


def is_other_module(module: types.ModuleType, name: str) -> bool:
    value = getattr(module, name)
    if not isinstance(value, types.ModuleType):
        return False
    is_part = value.__name__ == f"{module.__name__}.{name}"
    return not is_part and (module.__name__, name) != ("os", "path")


def found(start: str, lines: str, module: str, names: Iterable[str]) -> dict[str, str]:
    """What is found where a program has these two lines for each of the names, by the name."""
    names = tuple(names)
    text = "".join(f"{each}\n" for each in (start, *map(lines.format, names)))
    allow = (module.partition(".")[0],)
    # No built-in is permitted, so that what a star import brings is not taken for one.
    policy = Policy(imports=ImportPolicy(allow=allow), lists=(NameList(key="builtins", allow=()),))
    with patch.object(rule, "MAX_PER_RULE", 10_000):
        report = check((source(text),), policy)
    assert report.unparsable is None
    return {names[finding.line // 2 - 1]: finding.message for finding in report.findings}


@pytest.mark.parametrize("name", MODULES)
def test_only_modules_are_found(name: str) -> None:
    module = importlib.import_module(name)
    names = [each for each in dir(module) if not each.startswith("_") and each.isidentifier()]
    expected = {each for each in names if is_other_module(module, each)}
    assert found("", f"from {name} import {{0}}\nA = {{0}}(1)", name, names).keys() == expected
    if name == "sys":  # ways to modules without an import, rightly found
        expected |= {"meta_path", "modules", "path_hooks"}
    assert found(f"import {name} as m", f"m.{{0}}\n{name}.{{0}}", name, names).keys() == expected
    assert found(f"import {name}", f"\nA = {name}.{{0}}(1)", name, names).keys() == expected


@pytest.mark.parametrize("name", ["numpy", "numpy.ma", "numpy.linalg", "pandas"])
def test_a_package_has_its_own_names(name: str) -> None:
    """They are also names of modules of Python, as `numpy.random` is."""
    package = pytest.importorskip(name)
    shared = [each for each in dir(package) if each in sys.stdlib_module_names and each[0] != "_"]
    assert found(f"import {name} as m", "m.{0}\nm.{0}", name, shared) == {}


@pytest.mark.parametrize("name", MODULES)
def test_a_name_from_a_star_import_is_not_a_finding(name: str) -> None:
    module = importlib.import_module(name)
    public = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
    names = [
        other
        for other in public
        if not isinstance(getattr(module, other), types.ModuleType)
        and getattr(module, other) is not getattr(builtins, other, None)
    ]
    assert found(f"from {name} import *", "def f():\n    {0}(1).a", name, names) == {}
