"""First scenarios tried on the reference: what it raises is stated, what cannot be compared is left
out with the reason."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.assignment import load
from harness.common.files import write_bytes
from harness.grading import GradingContext, prepare
from harness.grading.validation import ValidationReport, validate
from harness.model.observation import Ending, Phase
from harness.packaging.scaffold.first_scenarios import First

_MOST_ROUNDS = 5
_NOT_STATED = ", which the scenario does not state."


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A call or run that is no first scenario, and why."""

    first: First
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What the first files are made of. `floats`: some are the result of a computation."""

    firsts: tuple[First, ...]
    left_out: tuple[LeftOut, ...] = ()
    floats: bool = False


Build = Callable[[Draft], Mapping[str, bytes]]


def tried(assignment_id: str, draft: Draft, build: Build) -> Draft:
    """The draft after which `harness validate` finds nothing. `build` gives all its files, the
    reference included. Raises what `prepare` does."""
    chosen = {first.name: first for first in draft.firsts}
    waiting, attempt = draft.firsts, 0
    while waiting:
        attempts = tuple(first.attempt(attempt) for first in waiting)
        raised = _raised(assignment_id, replace(draft, firsts=attempts), build)
        for first, name in zip(attempts, raised, strict=True):
            # That it raises is an outcome too, but only where other arguments have no better one.
            if not name or not attempt:
                chosen[first.name] = replace(first, raises=name)
        attempt += 1
        waiting = tuple(
            first
            for first, name in zip(waiting, raised, strict=True)
            if name and attempt <= len(first.others)
        )
    return _sound(assignment_id, replace(draft, firsts=tuple(chosen.values())), build)


def _raised(assignment_id: str, draft: Draft, build: Build) -> list[str]:
    """The exception that each of them ends with; empty for any other end."""
    key = _prepared(assignment_id, draft, build).key
    seen = [entry.answers[0].observation for entry in key.scenarios]
    return [
        each.raised.type_name
        if each.raised and each.ending is Ending.ANSWERED and each.phase is Phase.STIMULUS
        else ""
        for each in seen
    ]


def _prepared(assignment_id: str, draft: Draft, build: Build) -> GradingContext:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in build(draft).items():
            write_bytes(Path(folder, name), data)
        return prepare(load(Path(folder), assignment_id), refuse=False)


def _sound(assignment_id: str, draft: Draft, build: Build) -> Draft:
    for _ in range(_MOST_ROUNDS):
        if not draft.firsts:
            break
        context = _prepared(assignment_id, draft, build)
        report = validate(context, (), jobs=1)
        ids = [scenario.id for scenario in context.specification.plan.scenarios]
        changed = _without_problems(draft, report, ids)
        if changed == draft:
            break
        draft = changed
    return draft


def _without_problems(draft: Draft, report: ValidationReport, ids: Sequence[str]) -> Draft:
    firsts: list[First] = []
    left_out = list(draft.left_out)
    for first, scenario_id in zip(draft.firsts, ids, strict=True):
        found = dict(_problems(first, scenario_id, report))
        if found.keys() == {"repeat"} and not first.seeded:
            firsts.append(replace(first, seeded=True))
        elif not found:
            firsts.append(first)
        else:
            reason = next(iter(found.values())).removeprefix(scenario_id).lstrip(": ")
            left_out.append(LeftOut(first=first, reason=reason.removesuffix(_NOT_STATED)))
    floats = draft.floats or any(problem.check == "floats" for problem in report.problems)
    return Draft(firsts=tuple(firsts), left_out=tuple(left_out), floats=floats)


def _problems(
    first: First, scenario_id: str, report: ValidationReport
) -> Iterator[tuple[str, str]]:
    for problem in report.problems:
        if problem.check != "floats" and scenario_id in problem.message:
            yield problem.check, problem.message
    for mutant in report.mutants:
        if mutant.clause == first.name and not mutant.killed_by:
            yield "mutants", "it does what a function does that is not written"
