"""Registers the rules that explain failures.

Each file has the rules of one topic; new files are found automatically.
"""

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
# A rule returns facts, or only a sentence if no code needs its facts, or None if it does not apply.
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
    """Stages in which rules are tried. The first rule that applies explains the failure."""

    ENDING = 1  # wrong end of the process or wrong exception; other differences follow from it
    OUTPUT_BEFORE_INPUTS = 2  # wrong output that explains why too many inputs are read
    KNOWN_MISTAKE = 3  # a typical mistake in values, arguments, inputs or texts
    DIFFERENCE = 4  # says what differs, but not why
    LAST = 5  # applies to every failure


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationRule:
    """A rule that explains one kind of failure.

    In each stage, rules are tried in ascending order of `place`.
    """

    name: str  # its id in `results.json`
    stage: Stage
    place: int
    words: str  # completes a sentence for teachers about a function's mistake
    explain: Explain


def rule(stage: Stage, place: int, words: str) -> Callable[[Explain], ExplanationRule]:
    """Make a rule from the decorated function, which is then found automatically.

    The function takes a failure and returns one plain sentence, or facts that
    `model.explanation.sentences` puts into words, or None if the rule does not apply. Leave gaps
    between places, for example of ten: `harness doctor -v` lists the places in use.
    """
    return lambda function: ExplanationRule(
        name=function.__name__, stage=stage, place=place, words=words, explain=function
    )


def rule_about(
    stage: Stage, place: int, words: str, part: Part[P]
) -> Callable[[Callable[[Failure, P], Found]], ExplanationRule]:
    """Make a rule from a function of two parameters: the failure and one part of it, such as its
    exception. The rule applies only if the failure has this part.
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


# Names that a cause may have instead of a rule, if no single failure shows the mistake.
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

    Raise ValueError if two have the same place.
    """
    return extensions(__name__, __path__, ExplanationRule, lambda rule: (rule.stage, rule.place))


def explain(failure: Failure) -> Explanation:
    """Return the explanation by the first rule that applies.

    If the output was already wrong before the program ended wrongly, explain the output and add the
    ending.
    """
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
    """Return whether the rule with this name only says that something differs, without naming a
    mistake.
    """
    late = {rule.name for rule in registered_rules() if rule.stage >= Stage.DIFFERENCE}
    return name in late or name in {"", "asked_for_more"}  # follows from another mistake


def rule_words() -> dict[str, str]:
    """Return the phrase with which each rule describes a mistake to teachers, by rule name in
    alphabetical order.
    """
    words = {rule.name: rule.words for rule in registered_rules()}
    return dict(sorted((words | _BESIDE).items()))
