"""The conditions under `structure:` in policy.yaml, one file a theme; a new file is found by
itself."""

from functools import cache

from harness.common.discovery import import_modules
from harness.policy.condition import CONDITIONS, ConditionKind


@cache
def condition_kinds() -> dict[str, ConditionKind]:
    """Return all kinds of conditions by their keys, in the order of the alphabet."""
    import_modules(__name__, __path__)
    return dict(sorted(CONDITIONS.items()))
