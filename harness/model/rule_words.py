"""The rules that a failure or a cause may have, in a teacher's words. Each rule has its words where
it is written; docs/causes.md lists them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping


def rule_words() -> Mapping[str, str]:
    """The words of every rule by its name, in alphabetical order."""
    # Only when they are asked for: a reader of expected causes stands beside the package of rules.
    rules = importlib.import_module("harness.judging.explain.rules")
    words: Mapping[str, str] = rules.rule_words()
    return words


def rule_in_words(rule: str) -> str:
    """What a function does wrong, as the end of a sentence; the rule's name where it is new."""
    return rule_words().get(rule) or rule.replace("_", " ") or "fails"
