"""Checks a submission's text against the sheet's rules: imports, techniques, structure.

`check` is pure. It runs under the assignment's own interpreter, in a limited process: `SOURCES`
is what to load there, `ENTRY` what to call with a `PolicyRequest` as JSON.
"""

from harness.policy.checking import PolicyRequest, ProgramFiles, check
from harness.policy.rule import ListSetting, unchecked
from harness.policy.rules import finding_kind, finding_kinds, policy_rules
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
