"""Causes of programs that do not end: the loop or recursion that keeps them busy."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.judging.causes.deriving import joined
from harness.judging.causes.failed_scenarios import FailedScenario
from harness.model.explanation.facts import InLoop, InRecursion, LoopEnd
from harness.model.policy import Loop, Outline, Recursion
from harness.model.verdict import Cause, VerdictKind


def with_loops(
    causes: Sequence[Cause],
    endless: Mapping[str, Loop | Recursion],
    failures: Sequence[FailedScenario],
    outline: Outline,
) -> tuple[Cause, ...]:
    """Return the causes with the line of their endless loop or recursion, if it is known.
    `endless` is keyed by the id of a cause's example.

    Causes with the same loop are merged into the cause of its function, or otherwise into the
    first.
    """
    groups: dict[Loop | Recursion | int, list[Cause]] = {}
    for index, cause in enumerate(causes):
        groups.setdefault(endless.get(cause.example, index), []).append(cause)
    found: list[Cause] = []
    for loop, together in groups.items():
        if isinstance(loop, int):
            found += together
            continue
        function = outline.function_at(loop.file, loop.first)
        of_function = [cause for cause in together if cause.function == function]
        main, *_ = of_function or together
        main = joined(together, main, failures)
        members = [failure for failure in failures if failure.scenario.id in main.scenarios]
        main = main.with_reason(_what_keeps_busy(loop, function, members))
        place = main.place
        if place and place.file == loop.file and place.first <= loop.first <= place.last:
            main = replace(main, line=loop.first)
        found.append(main)
    return tuple(found)


def _what_keeps_busy(
    known: Loop | Recursion, function: str, members: Sequence[FailedScenario]
) -> InLoop | InRecursion:
    """Return the loop or recursion in which these scenarios reached their limit, as exactly as it
    is known.
    """
    if isinstance(known, Recursion):
        return InRecursion(line=known.first, function=function)
    ends = LoopEnd.NEVER
    kinds = {failure.verdict.kind for failure in members}
    ended_later = any(failure.observation.ends_in_double for failure in members)
    if ended_later or kinds == {VerdictKind.OUTPUT_LIMIT}:
        ends = LoopEnd.LATER_PERHAPS
    elif all(failure.scenario.faster_than for failure in members):
        # A program stopped by a time limit may be slow instead of endless.
        ends = LoopEnd.NEVER_OR_LATE
    return InLoop(line=known.first, function=function, ends=ends)
