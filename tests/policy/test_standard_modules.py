"""No public name of the standard library is a finding unless it is another module."""

import builtins
import importlib
import types
from collections.abc import Iterable

import pytest

from harness.model.plan import SourceFile
from harness.model.policy import ImportPolicy, NameList, Policy
from harness.policy import rule
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


@pytest.fixture(autouse=True)
def _every_finding_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule, "MAX_PER_RULE", 10_000)


def found(start: str, lines: str, module: str, names: Iterable[str]) -> dict[str, str]:
    """What is found where a program has these two lines for each of the names, by the name."""
    names = tuple(names)
    source = "".join(f"{text}\n" for text in (start, *map(lines.format, names)))
    allow = (module.partition(".")[0],)
    # No built-in is permitted, so that what a star import brings is not taken for one.
    policy = Policy(imports=ImportPolicy(allow=allow), lists=(NameList(key="builtins", allow=()),))
    report = check((SourceFile(name="a1.py", data=source.encode()),), policy)
    assert report.unparsable is None
    return {names[finding.line // 2 - 1]: finding.message for finding in report.findings}


def public_names(module: types.ModuleType) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_") and name.isidentifier()]


@pytest.mark.parametrize("name", MODULES)
def test_only_modules_are_found(name: str) -> None:
    module = importlib.import_module(name)
    names = public_names(module)
    expected = {each for each in names if is_other_module(module, each)}
    expected |= REACHING & set(names) if name == "sys" else set()
    assert found(f"import {name} as m", f"m.{{0}}\n{name}.{{0}}", name, names).keys() == expected
    assert found(f"import {name}", f"\nA = {name}.{{0}}(1)", name, names).keys() == expected


@pytest.mark.parametrize("name", MODULES)
def test_what_is_taken_out_of_a_module_is_found_only_if_it_is_one(name: str) -> None:
    module = importlib.import_module(name)
    names = public_names(module)
    expected = {each for each in names if is_other_module(module, each)}
    assert found("", f"from {name} import {{0}}\nA = {{0}}(1)", name, names).keys() == expected


@pytest.mark.parametrize("name", MODULES)
def test_what_a_star_brings_is_no_finding(name: str) -> None:
    module = importlib.import_module(name)
    public = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
    names = [
        other
        for other in public
        if not isinstance(getattr(module, other), types.ModuleType)
        and getattr(module, other) is not getattr(builtins, other, None)
    ]
    assert found(f"from {name} import *", "def f():\n    {0}(1).a", name, names) == {}
