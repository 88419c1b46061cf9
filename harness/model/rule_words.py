"""The rules that a failure or a cause may have, in a teacher's words. Each rule has its words where
it is written; docs/causes.md lists them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

_WORDS: dict[str, str] = {}


def name_rule(name: str, words: str) -> str:
    """A rule's name, after its words are registered: what a function does wrong, as the end of a
    sentence. Raises ValueError for a name that has other words already."""
    if _WORDS.setdefault(name, words) != words:
        raise ValueError(f"the rule {name} has the words {_WORDS[name]!r}")
    return name


def rule_words() -> Mapping[str, str]:
    """The words of every rule by its name, in alphabetical order."""
    importlib.import_module("harness.judging.explain.rules")  # the rules register themselves
    return dict(sorted(_WORDS.items()))


def rule_in_words(rule: str) -> str:
    """What a function does wrong, as the end of a sentence; the rule's name where it is new."""
    return rule_words().get(rule) or rule.replace("_", " ") or "fails"
