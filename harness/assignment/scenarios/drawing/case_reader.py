"""The cases of one file's scenarios: rows of a table, recorded draws, or a single one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from harness.assignment.scenarios.drawing.cases import Case, case_rows
from harness.assignment.scenarios.drawing.draws import (
    DrawError,
    DrawRequest,
    file_name,
    read_draws,
    request_for,
)
from harness.assignment.scenarios.expected import check_sensible
from harness.assignment.scenarios.settings import Context, Setting
from harness.assignment.scenarios.sweeps import Variation
from harness.assignment.vocabulary import Overrides
from harness.model.plan import Scenario
from harness.model.stimulus import Binding


def asks_for_draws(chosen: Setting) -> bool:
    """Whether the scenario has cases: rows, or draws."""
    return chosen.states("sample") or chosen.states("cases")


def check_draw_keys(context: Context, chosen: Setting) -> None:
    """Mistakes for keys beside `sample` or `cases` that do not go with them."""
    if chosen.states("sample") and chosen.states("cases"):
        hint = "make one scenario of each"
        context.add((*chosen.loc, "cases"), "expected one of sample and cases", hint, key=True)
    elif chosen.states("each") and not asks_for_draws(chosen):
        context.add((*chosen.loc, "each"), "each belongs to sample or cases", key=True)
    if chosen.states("transcript") and asks_for_draws(chosen):
        what = "a transcript is of one game, and cases are several"
        hint = "state turns in each case, or write a scenario for each game"
        context.add((*chosen.loc, "transcript"), what, hint, key=True)
    if chosen.states("sample") and chosen.own.sample is None:
        context.add((*chosen.loc, "sample"), "expected a mapping, got null")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReader:
    """Reads the cases of one file's scenarios, and fills `requests` and `samples` as `Compiled` has
    them. With `recording`, draws that are missing are no mistake: they are about to be made."""

    folder: Path
    recording: bool
    requests: dict[str, DrawRequest]
    samples: dict[tuple[str, Overrides], DrawRequest]

    def cases(
        self, context: Context, chosen: Setting, variation: Variation, group: str, kind: str
    ) -> list[Case]:
        """The rows or draws, none if one is wrong or they are to be recorded; a scenario without
        them is one case that binds nothing."""
        if not asks_for_draws(chosen):
            return [Case((), chosen)]
        if isinstance(chosen.own.cases, list) and not chosen.states("sample"):
            cases = case_rows(context, chosen)
            before = len(context.document.problems)
            for case in cases:
                if len(context.document.problems) == before:
                    check_sensible(context, case.setting, kind)
        else:
            draws = self._draws(context, chosen, variation, group)
            cases = [Case(draw, chosen) for draw in draws]
        if cases:
            context.names |= {binding.name for binding in cases[0].bindings}
        else:
            context.names_known = False
        return cases

    def _draws(
        self, context: Context, chosen: Setting, variation: Variation, group: str
    ) -> list[tuple[Binding, ...]]:
        if chosen.states("sample") == chosen.states("cases"):
            return []
        if isinstance(chosen.own.cases, list):
            return []
        sample, loc = chosen.own.sample, (*chosen.loc, "cases")
        kind, source, count, seed = "cases", chosen.own.cases, 0, 0
        if sample is not None:
            kind, source, count, seed = "sample", sample.strategy, sample.count, sample.seed
            loc = (*chosen.loc, "sample", "strategy")
        try:
            request = request_for(
                self.folder,
                kind,
                source,
                count=count,
                seed=seed,
                constants=context.constants,
            )
            name = file_name(group, variation.swept)
            self.requests[name] = request
            if kind == "sample":
                self.samples[group, variation.overrides] = request
            return read_draws(self.folder, name, request)
        except DrawError as error:
            missing = error.hint == "run harness record"
            if not (self.recording and missing):
                context.add(loc, str(error), error.hint)
            return []


def one_of_each(scenario: Scenario, variation: Variation) -> list[Scenario]:
    """A scenario for each case of one that states `each`."""
    return [
        replace(
            scenario,
            id=scenario.group + variation.bracket(f"draw={number}"),
            stimuli=(stimulus,),
            stated=scenario.stated_for(stimulus),
            stated_cases=(),
            is_sample=False,
        )
        for number, stimulus in enumerate(scenario.stimuli, start=1)
    ]
