"""Finds patterns of an assignment that take long to search for. Each is searched for in every
program's output, often more than once, and a class waits for all of it."""

from collections.abc import Iterator
from dataclasses import replace

from harness.common.escaping import quoted, shortened
from harness.common.words import counted
from harness.grading.observing.answer_key import key_disagreements
from harness.matchers.kinds.texts import Search, noted_searches
from harness.model.expectation import AnswerKey
from harness.model.plan import Plan

# Milliseconds of CPU time of the usual machine, in steps: a little more or less says nothing.
_STEPS = (1, 3, 10, 30, 100, 300, 1000)
_MAX_NAMED = 3
_MAX_PATTERN_LENGTH = 60  # characters
_HINT = "Hint: begin with a rare text, limit repetitions ({0,80}), or search only one turn"


def slow_patterns(plan: Plan, key: AnswerKey, slowness: float) -> Iterator[str]:
    """Yield advice about patterns that take over a millisecond on the reference's output, slowest
    first. A machine that is `slowness` times as slow as the usual one has as much more time."""
    steps: dict[str, int] = {}  # by pattern
    lines: dict[str, str] = {}
    for scenario in plan.scenarios:
        with noted_searches() as searches:
            key_disagreements(replace(plan, scenarios=(scenario,)), key)
        for search in searches:
            pattern = search.matcher.pattern
            step = _step_below(1000 * search.seconds() / slowness)
            if step > steps.get(pattern, 0):
                steps[pattern] = step
                lines[pattern] = f"{scenario.place}: {_in_words(search, step)}"
    slowest = sorted(steps, key=lambda pattern: -steps[pattern])
    for pattern in slowest[:_MAX_NAMED]:
        yield f"{lines[pattern]}. {_HINT}"
    if len(slowest) > _MAX_NAMED:
        others = counted(len(slowest) - _MAX_NAMED, "other pattern")
        yield f"{others} take more than {steps[slowest[-1]]} ms on the reference's output"


def _step_below(milliseconds: float) -> int:
    """Return the greatest step that it exceeds; 0 if there is none."""
    exceeded = [step for step in _STEPS if milliseconds > step]
    return max(exceeded, default=0)


def _in_words(search: Search, step: int) -> str:
    pattern = quoted(shortened(search.matcher.pattern, _MAX_PATTERN_LENGTH))
    named = f"{search.matcher.words} ({pattern})" if search.matcher.words else pattern
    size = counted(len(search.text), "character")
    return f"slow pattern: {named} takes more than {step} ms on the reference's output of {size}"
