"""A submission's text held to the sheet's rules: imports, permitted techniques, structure.

`check` is pure. It runs under the assignment's own interpreter, in a limited process: `SOURCES`
is what to load there, `ENTRY` what to call with a `payload`.
"""

from harness.policy.checking import check, payload
from harness.policy.sources import ENTRY, POLICY_DIGEST, SOURCES

__all__ = ["ENTRY", "POLICY_DIGEST", "SOURCES", "check", "payload"]
