"""Checks the requirements for files, classes and functions: `structure:` in policy.yaml."""

from collections.abc import Iterator
from dataclasses import replace

from harness.model.policy import PolicyGroup
from harness.policy.condition import CheckedPart, definition_named
from harness.policy.conditions import condition_kinds
from harness.policy.rule import Breach, CheckedFile, FindingKind, policy_rule


@policy_rule(80, FindingKind(name="requirement", title="Structure", group=PolicyGroup.STRUCTURE))
def check_requirements(file: CheckedFile) -> Iterator[Breach]:
    """Yield the conditions that parts of the file do not meet."""
    for requirement in file.policy.requirements:
        part = _part(file, requirement.scope)
        if part is None:
            continue
        for condition in requirement.conditions:
            kind = condition_kinds()[condition.key]
            for breach in kind.check(part, condition):
                yield replace(breach, requirement=requirement)


def _part(file: CheckedFile, scope: str) -> CheckedPart | None:
    """Return the part of a file that a requirement applies to; None if the file does not contain
    it.
    """
    tree = file.index.tree
    if scope in ("", file.source.name):
        return CheckedPart(name=file.source.name, node=tree, file=file)
    node = definition_named(tree, scope)
    if node is None:
        return None
    return CheckedPart(name=scope, node=node, file=file)
