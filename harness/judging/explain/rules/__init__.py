"""The rules that explain a failure, one file a theme; a new file is found by itself."""

from functools import cache

from harness.common.discovery import extensions
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import ExplanationRule, Stage
from harness.model.verdict import Explanation

# What a cause may have in place of a rule: nothing that one failure shows.
_BESIDE = {
    "hard_coded_size": "a size is hard-coded",
    "not_gradable": "the files cannot be graded",
    "not_run": "not run, because something else must be right first",
    "too_slow": "is right, but too slow",
    "unreadable": "Python cannot read the file",
}


@cache
def registered_rules() -> tuple[ExplanationRule, ...]:
    """All rules in the order in which they are tried; ValueError where two have one place."""
    return extensions(__name__, __path__, ExplanationRule, lambda each: (each.stage, each.place))


def explain(failure: Failure) -> Explanation:
    """The sentence of the first rule that applies, with the rule's name."""
    for rule in registered_rules():
        message = rule.explain(failure)
        if message is not None:
            return Explanation(rule=rule.name, message=message)
    raise AssertionError("the last rule applies to every failure")


@cache
def _general() -> frozenset[str]:
    return frozenset(rule.name for rule in registered_rules() if rule.stage >= Stage.DIFFERENCE)


def is_general(name: str) -> bool:
    """Whether a rule, by its name, says only that something differs and names no mistake."""
    return name in _general() or not name


def rule_words() -> dict[str, str]:
    """What every rule says to a teacher, by its name, in alphabetical order."""
    words = {rule.name: rule.words for rule in registered_rules()}
    return dict(sorted((words | _BESIDE).items()))
