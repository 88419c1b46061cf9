"""The rules of a policy, one module for each topic. New modules are found automatically."""

from functools import cache

from harness.common.discovery import extensions
from harness.policy.rule import UNCHECKED, FindingKind, PolicyRule


@cache
def policy_rules() -> tuple[PolicyRule, ...]:
    """Return all rules in order. Raise ValueError if two have the same order."""
    return extensions(__name__, __path__, PolicyRule, lambda rule: rule.order)


@cache
def finding_kinds() -> tuple[FindingKind, ...]:
    """Return the kinds of findings, in the order of the rules. Raise ValueError if two have the
    same name."""
    kinds = [rule.kind for rule in policy_rules()]
    kinds.append(UNCHECKED)
    names = {kind.name for kind in kinds}
    if len(names) < len(kinds):
        raise ValueError("two kinds of findings have the same name")
    return tuple(kinds)


def finding_kind(name: str) -> FindingKind:
    """Return the kind with this name; for a name that no rule uses any more, a kind with a general
    title.
    """
    for kind in finding_kinds():
        if kind.name == name:
            return kind
    return FindingKind(name=name, title="Finding", group=UNCHECKED.group)
