"""No public name of the standard library is a finding unless it is another module."""

from __future__ import annotations

import builtins
import importlib
import types

import pytest

from harness.model.plan import SourceFile
from harness.model.policy import ImportPolicy, NameList, Policy
from harness.policy.checking import check

# What introductory courses import, and what is imported most anywhere.
MODULES = """
    abc argparse array bisect calendar collections copy csv dataclasses datetime decimal enum
    fractions functools glob hashlib heapq inspect io itertools json locale logging math numbers
    operator os os.path pathlib pprint queue random re secrets shlex shutil signal socket
    sqlite3 ssl statistics string struct subprocess sys tempfile textwrap threading time timeit
    traceback types typing unittest uuid collections.abc
    """.split()  # noqa: SIM905

# Ways to modules without an import, rightly found.
REACHING = {"meta_path", "modules", "path_hooks"}


def is_other_module(module: types.ModuleType, name: str) -> bool:
    value = getattr(module, name)
    if not isinstance(value, types.ModuleType):
        return False
    is_part = value.__name__ == f"{module.__name__}.{name}"
    return not is_part and (module.__name__, name) != ("os", "path")


def findings(source: str, module: str) -> list[str]:
    allow = (module.partition(".")[0],)
    # No built-in is permitted, so that what a star import brings is not taken for one.
    policy = Policy(imports=ImportPolicy(allow=allow), lists=(NameList(key="builtins", allow=()),))
    report = check((SourceFile(name="a1.py", data=source.encode()),), policy)
    assert report.unparsable is None
    return [finding.message for finding in report.findings]


@pytest.mark.parametrize("name", MODULES)
def test_only_modules_are_found(name: str) -> None:
    module = importlib.import_module(name)
    wrong: list[str] = []
    for public in dir(module):
        if public.startswith("_") or not public.isidentifier():
            continue
        expected = is_other_module(module, public) or (name == "sys" and public in REACHING)
        found = findings(f"import {name} as m\nm.{public}\n{name}.{public}\n", name)
        plain = findings(f"import {name}\nA = {name}.{public}(1)\n", name)
        if {bool(found), bool(plain)} != {expected}:
            wrong.append(f"{name}.{public}: {found or plain}")
    assert wrong == []


@pytest.mark.parametrize("name", MODULES)
def test_what_is_taken_out_of_a_module_is_found_only_if_it_is_one(name: str) -> None:
    module = importlib.import_module(name)
    wrong: list[str] = []
    for public in dir(module):
        if public.startswith("_") or not public.isidentifier():
            continue
        found = findings(f"from {name} import {public}\nA = {public}(1)\n", name)
        if bool(found) != is_other_module(module, public):
            wrong.append(f"{name}.{public}: {found}")
    assert wrong == []


@pytest.mark.parametrize("name", MODULES)
def test_what_a_star_brings_is_no_finding(name: str) -> None:
    module = importlib.import_module(name)
    public = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
    wrong = {
        other: found
        for other in public
        if not isinstance(getattr(module, other), types.ModuleType)
        and getattr(module, other) is not getattr(builtins, other, None)
        and (found := findings(f"from {name} import *\ndef f():\n    {other}(1).a\n", name))
    }
    assert wrong == {}
