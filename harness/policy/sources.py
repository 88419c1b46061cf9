"""Collects the source of exactly the modules that a bare interpreter needs to run `ENTRY`."""

import pkgutil
from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from types import MappingProxyType

from harness.policy import conditions, rules

ENTRY = "harness.policy.checking:run"

_CONDITIONS = tuple(info.name for info in pkgutil.iter_modules(conditions.__path__))
_RULES = tuple(info.name for info in pkgutil.iter_modules(rules.__path__))
_FOLDERS = {conditions.__name__: _CONDITIONS, rules.__name__: _RULES}
_MODULES = (
    "harness.model.policy",
    "harness.common.serial",
    "harness.common.discovery",
    "harness.policy.standard",
    "harness.policy.index",
    "harness.policy.newer",
    "harness.policy.reading",
    "harness.policy.rule",
    "harness.policy.condition",
    *(f"harness.policy.conditions.{name}" for name in _CONDITIONS),
    "harness.policy.conditions",
    *(f"harness.policy.rules.{name}" for name in _RULES),
    "harness.policy.rules",
    "harness.policy.hash_order",
    "harness.policy.luck",
    "harness.policy.outline",
    "harness.policy.checking",
)


def _texts() -> dict[str, str]:
    # The packages are empty: nothing inside uses the names that their `__init__` re-exports.
    texts = dict.fromkeys(("harness", "harness.common", "harness.model", "harness.policy"), "")
    root = resources.files("harness")
    for name in _MODULES:
        path = name.removeprefix("harness.").replace(".", "/")
        if name in _FOLDERS:  # inside, modules are not looked for in a folder
            imports = "".join(f"import {name}.{module}\n" for module in _FOLDERS[name])
            file = root.joinpath(path, "__init__.py")
        else:
            imports = ""
            file = root.joinpath(f"{path}.py")
        texts[name] = imports + file.read_text(encoding="utf-8")
    return texts


SOURCES: Mapping[str, str] = MappingProxyType(_texts())

_PARTS = (f"{name}\0{text}" for name, text in SOURCES.items())
POLICY_DIGEST = sha256("\0".join(_PARTS).encode()).hexdigest()
