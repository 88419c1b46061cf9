"""Checks a submission's text against the sheet's rules: imports, techniques, structure.

`check` is pure. It runs under the assignment's own interpreter, in a limited process: `SOURCES`
is what to load there, `ENTRY` what to call with a `payload`.
"""

from typing import TYPE_CHECKING

from harness.common.lazy_exports import lazy_exports
from harness.policy.request import Program, payload, plain
from harness.policy.sources import ENTRY, POLICY_DIGEST, SOURCES

if TYPE_CHECKING:
    from harness.policy.checking import check
    from harness.policy.findings import unchecked
    from harness.policy.sharing import check_sharing

__all__ = [
    "ENTRY",
    "POLICY_DIGEST",
    "SOURCES",
    "Program",
    "check",
    "check_sharing",
    "payload",
    "plain",
    "unchecked",
]

__getattr__ = lazy_exports(
    __name__, {"checking": ("check",), "findings": ("unchecked",), "sharing": ("check_sharing",)}
)
