"""The rules of a policy, one file a theme; a new file is found by itself."""

from functools import cache

from harness.common.discovery import extensions
from harness.policy.rule import UNCHECKED, FindingKind, PolicyRule


@cache
def policy_rules() -> tuple[PolicyRule, ...]:
    """All rules, in their order. Raises ValueError where two have the same."""
    return extensions(__name__, __path__, PolicyRule, lambda rule: rule.order)


@cache
def finding_kinds() -> tuple[FindingKind, ...]:
    """The kinds of findings, in the order of the rules; ValueError where two have one name."""
    kinds = (*(rule.kind for rule in policy_rules()), UNCHECKED)
    if len({kind.name for kind in kinds}) < len(kinds):
        raise ValueError("two kinds of findings have the same name")
    return kinds


def finding_kind(name: str) -> FindingKind:
    """The kind of this name; one that no rule makes (any more) has no title of its own."""
    titleless = FindingKind(name=name, title="Finding", group=UNCHECKED.group)
    return next((kind for kind in finding_kinds() if kind.name == name), titleless)
