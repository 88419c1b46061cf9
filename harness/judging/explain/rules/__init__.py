"""The rules that explain a failure, one file a theme; a new file is found by itself."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, wraps
from operator import attrgetter
from typing import TypeVar

from harness.common.discovery import extensions
from harness.judging.compare.mismatch import (
    CourseTestMismatch,
    FigureMismatch,
    RaiseMismatch,
    SuiteMismatch,
    TextMismatch,
    ValueMismatch,
)
from harness.judging.explain.failure import Failure, TextEdit
from harness.matchers.comparison import type_with_article
from harness.model.explanation.facts import Facts, Later
from harness.model.values import Value, ValueKind
from harness.model.verdict import Explanation, stated

P = TypeVar("P")
# Facts, or a sentence if nothing more is asked about the rule; None if the rule does not apply.
Found = Facts | str | None
Explain = Callable[[Failure], Found]
Part = Callable[[Failure], P | None]

RAISES: Part[RaiseMismatch] = attrgetter("raises")
RETURNS: Part[ValueMismatch] = attrgetter("returns")
EXACT_RETURN: Part[tuple[Value, Value]] = attrgetter("exact_return")
LEAVES: Part[ValueMismatch] = attrgetter("leaves")
TEXT: Part[TextMismatch] = attrgetter("text")
TEXTS: Part[TextEdit] = attrgetter("texts")
FILE: Part[ValueMismatch] = attrgetter("file")
FILE_TEXTS: Part[TextEdit] = attrgetter("file_texts")
TEST: Part[CourseTestMismatch] = attrgetter("test")
SUITE: Part[SuiteMismatch] = attrgetter("suite")
FIGURE: Part[FigureMismatch] = attrgetter("figure")
STDERR: Part[ValueMismatch] = attrgetter("stderr")


class Stage(IntEnum):
    """The stages in which rules are tried; the first rule that applies explains the failure."""

    ENDING = 1  # the process did not end as it should, or an exception differs: all else follows
    OUTPUT_BEFORE_INPUTS = 2  # a mistake in the output that explains why more input is asked for
    KNOWN_MISTAKE = 3  # in values, arguments, inputs or texts
    DIFFERENCE = 4  # what differs, without a reason
    LAST = 5  # applies to every failure


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationRule:
    """Within its stage, rules are tried in ascending order of `place`."""

    name: str  # its id in `results.json`
    stage: Stage
    place: int
    words: str  # a function's mistake, for a teacher, as the end of a sentence
    explain: Explain


def rule(stage: Stage, place: int, words: str) -> Callable[[Explain], ExplanationRule]:
    """Make a rule of a function, which is then found by itself: it takes a failure and returns
    one plain sentence, or facts that `model.explanation.sentences` has words for, or None if
    it does not apply. Leave gaps between places, tens if they fit: `harness doctor -v`
    lists those taken.
    """
    return lambda function: ExplanationRule(
        name=function.__name__, stage=stage, place=place, words=words, explain=function
    )


def rule_about(
    stage: Stage, place: int, words: str, part: Part[P]
) -> Callable[[Callable[[Failure, P], Found]], ExplanationRule]:
    """Make a rule as `rule` does, of a function that also gets this part of the failure, if it
    exists.
    """

    def make(function: Callable[[Failure, P], Found]) -> ExplanationRule:
        @wraps(function)
        def explain(failure: Failure) -> Found:
            subject = part(failure)
            if subject is None:
                return None
            return function(failure, subject)

        return rule(stage, place, words)(explain)

    return make


def a_type(value: Value) -> str:
    """Return the value's type with its article: "an int", "a list", "None"."""
    if value.kind is ValueKind.NONE:
        return "None"
    if value.kind is ValueKind.CYCLE:
        return "a value that contains itself"
    return type_with_article(value.type_name)


# A cause may have these instead of a rule: no single failure shows them.
_BESIDE = {
    "costs_too_much": "is right, but its work grows too fast",
    "hard_coded_size": "a size is hard-coded",
    "module_not_taken": "imports a submitted module that is not accepted",
    "not_gradable": "the files cannot be graded",
    "not_run": "not run, because something else must be right first",
    "differs_from_run_to_run": "differs from run to run",
    "out_of_budget": "was not run, because all time was used up",
    "too_slow": "is right, but too slow",
    "unreadable": "Python cannot read the file",
}


@cache
def registered_rules() -> tuple[ExplanationRule, ...]:
    """Return all rules in the order in which they are tried.

    Raise ValueError if two have one place.
    """
    return extensions(__name__, __path__, ExplanationRule, lambda rule: (rule.stage, rule.place))


def explain(failure: Failure) -> Explanation:
    """Return the first applicable rule's explanation. The screen before it ends as it
    should not comes first, and that it does so after it."""
    found = _first_that_applies(failure)
    if failure.earlier is None:
        return found
    earlier = _first_that_applies(failure.earlier)
    if earlier.rule == found.rule:
        return found
    return replace(earlier, later=Later(rule=found.rule, facts=found.facts))


def _first_that_applies(failure: Failure) -> Explanation:
    for rule in registered_rules():
        found = rule.explain(failure)
        if isinstance(found, str):
            return stated(rule.name, found)
        if found is not None:
            return Explanation(rule=rule.name, facts=found)
    raise AssertionError("no rule applied, although the last one must apply to every failure")


@cache
def is_general(name: str) -> bool:
    """Return whether a rule, by its name, only says that something differs and names no mistake."""
    late = {rule.name for rule in registered_rules() if rule.stage >= Stage.DIFFERENCE}
    return name in late or name in {"", "asked_for_more"}  # that comes of something else


def rule_words() -> dict[str, str]:
    """Return what every rule says to a teacher, by its name, in alphabetical order."""
    words = {rule.name: rule.words for rule in registered_rules()}
    return dict(sorted((words | _BESIDE).items()))
