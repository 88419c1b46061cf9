"""What is kept of an observation, and its verdict where that is less than all of it.

A program may print and answer as much as its limits allow in every scenario. So a large observation
is judged when it arrives, and then cut: nothing has to be bounded in sum, and what one scenario
shows is judged the same whatever the others show.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import chain

from harness.common.errors import HarnessError
from harness.grading.observing.running import LIMIT_ENDINGS
from harness.judging.judge import LAST_KINDS, Judge
from harness.model.observation import Ending, Observation, Raised, StepOutcome
from harness.model.plan import Scenario
from harness.model.verdict import Verdict, VerdictKind
from harness.results.reuse import encoded

MOST_KEPT = 16 * 1024  # bytes of text, and `_VALUE_BYTES` for each value
_VALUE_BYTES = 32
_LONGEST_TEXT = 1000


def reduced(seen: Observation) -> Observation:
    """The observation as it is when it is small; else how it ended and what it raised, marked `cut`
    by a digest of all of it but the time that it took."""
    if seen.cut or not _is_large(seen):
        return seen
    raising = (step.raised for step in seen.steps if step.raised)
    return Observation(
        ending=seen.ending,
        phase=seen.phase,
        raised=seen.raised and _short(seen.raised),
        steps=tuple(StepOutcome(raised=_short(raised)) for raised in [*raising][:1]),
        exit_status=seen.exit_status,
        detail=seen.detail[:_LONGEST_TEXT],
        nearest=seen.nearest,
        cpu_seconds=seen.cpu_seconds,
        cut=sha256(encoded((seen,))).hexdigest(),
    )


def _short(raised: Raised) -> Raised:
    ends = raised.frames if len(raised.frames) < 2 else (raised.frames[0], raised.frames[-1])
    return replace(raised, message=raised.message[:_LONGEST_TEXT], bases=(), frames=ends)


def _is_large(seen: Observation) -> bool:
    left = MOST_KEPT
    for text in _texts(seen):
        left -= sys.getsizeof(text)
        if left < 0:
            return True
    values = [step.value for step in seen.steps if step.value is not None]
    values += [*seen.arguments, *seen.arguments_before]
    values += [each.value for each in (*seen.variables, *seen.files)]
    if seen.value is not None:
        values.append(seen.value)
    while values:
        value = values.pop()
        left -= _VALUE_BYTES + sys.getsizeof(value.text) - sys.getsizeof("")
        if left < 0:
            return True
        values += value.items
    return False


def _texts(seen: Observation) -> Iterator[str]:
    yield seen.loading_printed
    yield seen.stderr or ""
    for turn in chain(seen.turns, *(step.turns for step in seen.steps)):
        yield turn.printed
    for step in seen.steps:
        yield step.shown
    for raised in (seen.raised, *(step.raised for step in seen.steps)):
        if raised is not None:
            yield raised.message
            yield from raised.bases
            for frame in raised.frames:
                yield from (frame.file, frame.function, frame.source)
    yield from (each.name for each in (*seen.variables, *seen.files))
    yield from seen.left_open


class Arrivals:
    """Takes in the draws of one submission's scenarios as they are observed."""

    def __init__(self, judge_of: Callable[[Scenario, int], Judge]) -> None:
        """`judge_of` gives what judges the draw of a scenario."""
        self._judge_of = judge_of
        self._verdicts: dict[tuple[str, int, Ending], Verdict] = {}
        self._explained: dict[str, set[Ending]] = {}  # of which a failing draw is explained

    def keep(self, scenario: Scenario, index: int, seen: Observation) -> Observation:
        """What is to be kept of the draw of this index; its verdict can be asked for from now on.
        HarnessError where what is expected cannot be compared."""
        if index == 0:
            self._explained.pop(scenario.id, None)
        judge = self._judge_of(scenario, index)
        if seen is judge.reference:  # from a shared run, judged once for all
            return seen
        kept = reduced(seen)
        if not kept.cut:
            return seen
        if seen == judge.reference:  # its texts and values are in memory once
            return replace(judge.reference, cpu_seconds=seen.cpu_seconds)
        self._remember(scenario, index, seen)
        if seen.ending in LIMIT_ENDINGS:  # under a shortened limit it is not known how it ends
            stopped = replace(seen, ending=Ending.STOPPED_EARLY, detail=seen.ending.value)
            self._remember(scenario, index, stopped)
        return kept

    def _remember(self, scenario: Scenario, index: int, seen: Observation) -> None:
        """The verdict; of draws after the first that fails the kind alone, which is all that is
        asked for."""
        judge = self._judge_of(scenario, index)
        try:
            kind = judge.kind(seen)
            verdict = Verdict(kind=kind)
            explained = self._explained.setdefault(scenario.id, set())
            if index == 0 or (kind is not VerdictKind.PASSED and seen.ending not in explained):
                verdict = judge.verdict(seen)
        except HarnessError as failure:
            raise HarnessError(f"{scenario.id}: {failure}") from None
        if kind is not VerdictKind.PASSED and kind not in LAST_KINDS:
            explained.add(seen.ending)
        self._verdicts[scenario.id, index, seen.ending] = verdict

    def verdict(self, scenario: Scenario, index: int, seen: Observation) -> Verdict:
        """Of a draw that was kept, or is whole. HarnessError as `keep`."""
        if seen.cut:
            return self._verdicts[scenario.id, index, seen.ending]
        return self._judge_of(scenario, index).verdict(seen)

    def kind(self, scenario: Scenario, index: int, seen: Observation) -> VerdictKind:
        if seen.cut:
            return self._verdicts[scenario.id, index, seen.ending].kind
        return self._judge_of(scenario, index).kind(seen)
