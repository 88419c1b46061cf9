"""The text of the modules that a bare interpreter needs to run `ENTRY`, and no others."""

import pkgutil
from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from types import MappingProxyType

from harness.policy import rules

ENTRY = "harness.policy.checking:run"

_RULES = tuple(info.name for info in pkgutil.iter_modules(rules.__path__))
_MODULES = (
    "harness.model.policy",
    "harness.common.serial",
    "harness.common.discovery",
    "harness.policy.standard",
    "harness.policy.index",
    "harness.policy.newer",
    "harness.policy.reading",
    "harness.policy.rule",
    *(f"harness.policy.rules.{name}" for name in _RULES),
    "harness.policy.rules",
    "harness.policy.luck",
    "harness.policy.outline",
    "harness.policy.checking",
)


def _texts() -> dict[str, str]:
    # The packages are empty: what their own `__init__` re-exports is not needed inside.
    texts = dict.fromkeys(("harness", "harness.common", "harness.model", "harness.policy"), "")
    root = resources.files("harness")
    for name in _MODULES:
        path = name.removeprefix("harness.").replace(".", "/")
        if name == rules.__name__:  # there is no folder inside to look for modules in
            imports = "".join(f"import {name}.{rule}\n" for rule in _RULES)
            texts[name] = imports + root.joinpath(path, "__init__.py").read_text(encoding="utf-8")
        else:
            texts[name] = root.joinpath(f"{path}.py").read_text(encoding="utf-8")
    return texts


SOURCES: Mapping[str, str] = MappingProxyType(_texts())

POLICY_DIGEST = sha256("\0".join(f"{k}\0{v}" for k, v in SOURCES.items()).encode()).hexdigest()
