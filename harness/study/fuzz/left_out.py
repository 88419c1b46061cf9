"""Which functions of the sheet no input is drawn for, and why. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.model.plan import Plan
from harness.model.stimulus import Run, Stimulus
from harness.model.study.fuzzing import FuzzSettings, NotFuzzed

_WORD = re.compile(r"[^\W\d]\w*")
_NO_STRATEGY = "its scenarios name no strategy that makes its arguments"
_NO_GAME = "no game under fuzz: says what is typed"
_UNCALLED = "no scenario calls it"
_NO_ROW = "no scenario is of this function, though some call it"


def not_fuzzed(plan: Plan, settings: FuzzSettings) -> tuple[NotFuzzed, ...]:
    """In the order of the reference; then what is no function of it, such as a program. Of what has
    no scenario only what a clause names is of the sheet: a reference has helpers of its own."""
    drawn = {target.function for target in settings.targets}
    texts = [clause.text for clause in plan.assignment.clauses]
    on_sheet = {word for text in texts for word in _WORD.findall(text)}
    on_sheet |= {scenario.function for scenario in plan.scenarios}
    own = [each.name for each in plan.assignment.functions if each.name in on_sheet]
    names = dict.fromkeys([*own, *(scenario.function for scenario in plan.scenarios)])
    return tuple(
        NotFuzzed(function=name, reason=_reason(plan, name)) for name in names if name not in drawn
    )


def _reason(plan: Plan, name: str) -> str:
    stimuli = [one for s in plan.scenarios if s.function == name for one in s.stimuli]
    if stimuli:
        runs = all(isinstance(one.action, Run) for one in stimuli)
        return _NO_GAME if runs else _NO_STRATEGY
    last = name.rpartition(".")[2]
    every = (one for scenario in plan.scenarios for one in scenario.stimuli)
    return _NO_ROW if any(last in _words(one) for one in every) else _UNCALLED


def _words(stimulus: Stimulus) -> Iterator[str]:
    for text in stimulus.source_texts():
        yield from _WORD.findall(text)
