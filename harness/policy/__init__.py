"""Checks a submission's text against the sheet's rules: imports, techniques, structure.

`check` is pure. It runs under the assignment's own interpreter, in a limited process: `SOURCES`
is what to load there, `ENTRY` what to call with a `PolicyRequest` as JSON.
"""

from typing import TYPE_CHECKING

from harness.common.discovery import lazy_exports
from harness.model.policy import PolicyRequest, ProgramFiles
from harness.policy.rule import ListSetting, unchecked
from harness.policy.rules import finding_kind, finding_kinds, policy_rules

if TYPE_CHECKING:
    from harness.policy.checking import check
    from harness.policy.sharing import check_sharing
    from harness.policy.sources import ENTRY, POLICY_DIGEST, SOURCES

__all__ = [
    "ENTRY",
    "POLICY_DIGEST",
    "SOURCES",
    "ListSetting",
    "PolicyRequest",
    "ProgramFiles",
    "check",
    "check_sharing",
    "finding_kind",
    "finding_kinds",
    "policy_rules",
    "unchecked",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "checking": ("check",),
        "sharing": ("check_sharing",),
        "sources": ("ENTRY", "POLICY_DIGEST", "SOURCES"),
    },
)
