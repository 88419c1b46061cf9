"""What an explanation rule is, the order in which rules are tried, and words that they share."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from enum import IntEnum
from functools import cache

from harness.common.escaping import plain
from harness.judging.explain.failure import Failure
from harness.matchers import type_with_article
from harness.model.observation import Raised
from harness.model.rule_words import name_rule
from harness.model.values import Value, ValueKind
from harness.model.verdict import Explanation

Rule = Callable[[Failure], str | None]


class Stage(IntEnum):
    """The stages in which rules are tried; the first rule that applies explains the failure."""

    ENDING = 1
    """The process did not end as it should, or an exception differs: nothing else counts then."""

    OUTPUT_BEFORE_INPUTS = 2
    """A known mistake in the output, which also explains why more input was asked for later."""

    KNOWN_MISTAKE = 3
    """A known mistake in values, arguments, inputs or texts."""

    DIFFERENCE = 4
    """What differs, without a reason."""

    LAST = 5
    """Applies to every failure."""


_REGISTERED: list[tuple[tuple[Stage, int], Rule]] = []  # sorted


def rule(stage: Stage, place: int, words: str) -> Callable[[Rule], Rule]:
    """Register a rule: within its stage, rules are tried in ascending order of `place`.

    A rule takes a failure and returns one plain sentence, or None when it does not apply. Its
    name is its id in `results.json`; `words` say to a teacher what a function does wrong. Leave
    gaps between places, tens where they fit: `grep @rule` shows those that are taken. Raises
    ValueError for a place that is taken.
    """

    def register(function: Rule) -> Rule:
        for at, other in _REGISTERED:
            if at == (stage, place):
                raise ValueError(
                    f"{function.__name__}: {stage.name} {place} is the place of {other.__name__}"
                )
        name_rule(function.__name__, words)
        insort(_REGISTERED, ((stage, place), function), key=lambda entry: entry[0])
        return function

    return register


def is_general(name: str) -> bool:
    """Whether a rule, by its name, says only that something differs and names no mistake."""
    return name in _general() or not name


@cache
def _general() -> frozenset[str]:
    late = (Stage.DIFFERENCE, Stage.LAST)
    return frozenset(function.__name__ for (stage, _), function in _REGISTERED if stage in late)


def registered_rules() -> tuple[Rule, ...]:
    """All registered rules in the order in which they are tried."""
    return tuple(function for _, function in _REGISTERED)


def explain(failure: Failure) -> Explanation:
    """The sentence of the first rule that applies, with the rule's name."""
    for _, function in _REGISTERED:
        message = function(failure)
        if message is not None:
            return Explanation(rule=function.__name__, message=message)
    raise AssertionError("the last rule applies to every failure")


def a_type(value: Value) -> str:
    """The value's type with its article: "an int", "a list", "None"."""
    if value.kind is ValueKind.NONE:
        return "None"
    if value.kind is ValueKind.CYCLE:
        return "a value that contains itself"
    return type_with_article(value.type_name)


def count(number: int, singular: str, plural: str | None = None) -> str:
    """ "1 line", "3 lines"."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def at_line(raised: Raised) -> str:
    """The student's own line, as the end of a clause; empty where none is known."""
    if not raised.frames:
        return ""
    frame = raised.frames[-1]
    source = plain(frame.source.strip(), limit=80)
    return f" (line {frame.line}: {source})" if source else f" (line {frame.line})"
