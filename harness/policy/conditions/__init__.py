"""The conditions under `structure:` in policy.yaml, one module for each topic.

New modules are found automatically.
"""

from functools import cache

from harness.common.discovery import import_modules
from harness.policy.condition import CONDITIONS, ConditionKind


@cache
def condition_kinds() -> dict[str, ConditionKind]:
    """Return all kinds of conditions by key, in alphabetical order."""
    import_modules(__name__, __path__)
    return dict(sorted(CONDITIONS.items()))
