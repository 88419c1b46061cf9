"""The text of the modules that a bare interpreter needs to run `entry`, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from types import MappingProxyType

ENTRY = "harness.policy.checking:run"

_PACKAGES = (
    "harness",
    "harness.common",
    "harness.model",
    "harness.policy",
    "harness.policy.rules",
)
_MODULES = (
    "harness.model.policy",
    "harness.common.serial",
    "harness.policy.words",
    "harness.policy.standard",
    "harness.policy.survey",
    "harness.policy.rules.modules",
    "harness.policy.reading",
    "harness.policy.findings",
    "harness.policy.rules.imports",
    "harness.policy.rules.evasion",
    "harness.policy.rules.techniques",
    "harness.policy.rules.structure",
    "harness.policy.printing",
    "harness.policy.outline",
    "harness.policy.request",
    "harness.policy.sharing",
    "harness.policy.checking",
)


def _texts() -> dict[str, str]:
    # The packages are empty: what their own `__init__` re-exports is not needed inside.
    texts = dict.fromkeys(_PACKAGES, "")
    root = resources.files("harness")
    for name in _MODULES:
        *packages, module = name.split(".")[1:]
        texts[name] = root.joinpath(*packages, f"{module}.py").read_text(encoding="utf-8")
    return texts


SOURCES: Mapping[str, str] = MappingProxyType(_texts())

POLICY_DIGEST = sha256("\0".join(f"{k}\0{v}" for k, v in SOURCES.items()).encode()).hexdigest()
