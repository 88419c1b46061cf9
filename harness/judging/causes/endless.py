"""Causes of what does not end, with the loop that goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.common.escaping import plain
from harness.judging.causes.failures import Failing
from harness.model.policy import Loop, Outline
from harness.model.verdict import Cause, Symptom

_GUESS = ": perhaps a loop whose condition stays true."


def with_loops(
    causes: Sequence[Cause],
    loops: Mapping[str, Loop],
    failures: Sequence[Failing],
    outline: Outline,
) -> tuple[Cause, ...]:
    """The causes, those of which the loop is known (`loops`, by the example's id) with its line;
    those that hang in one loop are one cause, that of the loop's function, or else the first."""
    order = {each.scenario.id: each.index for each in failures}
    groups: dict[Loop | int, list[Cause]] = {}
    for index, cause in enumerate(causes):
        groups.setdefault(loops.get(cause.example, index), []).append(cause)
    return tuple(
        together[0]
        if isinstance(loop, int)
        else _with_loop(_joined(together, loop, outline, order), loop, outline)
        for loop, together in groups.items()
    )


def _joined(
    causes: Sequence[Cause], loop: Loop, outline: Outline, order: Mapping[str, int]
) -> Cause:
    function = outline.function_at(loop.file, loop.first)
    main = next((cause for cause in causes if cause.function == function), causes[0])
    count: Counter[tuple[str, int | None]] = Counter()
    for symptom in (symptom for cause in causes for symptom in cause.symptoms):
        count[symptom.rule, symptom.line] += symptom.scenarios
    scenarios = {name for cause in causes for name in cause.scenarios}
    clauses = (clause for cause in (main, *causes) for clause in cause.clauses)
    return replace(
        main,
        scenarios=tuple(sorted(scenarios, key=order.__getitem__)),
        symptoms=tuple(
            Symptom(rule=rule, scenarios=number, line=line)
            for (rule, line), number in count.items()
        ),
        clauses=tuple(dict.fromkeys(clauses)),
    )


def _with_loop(cause: Cause, loop: Loop, outline: Outline) -> Cause:
    function = outline.function_at(loop.file, loop.first)
    where = f"line {loop.first}" + (f" of {plain(function, limit=60)}" if function else "")
    message = cause.message.removesuffix(_GUESS)
    joined = ". The" if message == cause.message else ": the"
    message = f"{message.removesuffix('.')}{joined} loop in {where} does not end."
    place = cause.place
    inside = place is not None and place.file == loop.file
    inside = inside and place is not None and place.first <= loop.first <= place.last
    return replace(cause, message=message, line=loop.first if inside else cause.line)
