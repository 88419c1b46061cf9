"""Rules about the inputs that a program takes."""

from __future__ import annotations

from harness.judging.case import Case
from harness.judging.visible import count
from harness.model.observation import Ending

_WITHOUT_ASKING = frozenset(
    {Ending.ANSWERED, Ending.CPU_LIMIT, Ending.TIMEOUT, Ending.STOPPED_EARLY}
)


def did_not_ask_for_input(case: Case) -> str | None:
    """Nothing was read, though something should have been."""
    if case.observation.ending not in _WITHOUT_ASKING or case.raises or case.loading:
        return None
    if case.observation.reads or not case.expected_reads:
        return None
    if case.reads is None and case.ending is None:
        return None
    inputs = count(case.expected_reads, "input")
    ending = "" if case.ending is None else ", and did not end either"
    return case.says(f"did not ask for input{ending}: {inputs} should have been taken")


def asked_for_more(case: Case) -> str | None:
    """It wanted more input than there was to be typed."""
    more = case.reads is not None and case.reads.actual > case.reads.expected
    if case.ending is not Ending.ASKED_FOR_MORE and not more:
        return None
    parts = _parts_earlier(case)
    if case.expected_reads == 0:
        return case.says("asked for more input than the scenario has: it should ask for none")
    if case.reads is not None and case.ending is None:
        taken, enough = case.reads.actual, case.reads.expected
        return case.says(f"asked for more input than expected: {taken} times, not {enough}{parts}")
    reads = case.observation.reads
    last = f" after {case.typed(reads - 1)}" if reads else ""
    return case.says(f"asked for more input than the scenario has{last}{parts}", place="")


def stopped_early(case: Case) -> str | None:
    """It ended before all inputs were taken."""
    if case.reads is None or case.observation.ending is not Ending.ANSWERED or case.raises:
        return None
    taken, expected = case.reads.actual, case.reads.expected
    if taken >= expected:
        return None
    parts = _parts_earlier(case)
    if taken == 0:
        return case.says(f"stopped early: it took none of {count(expected, 'input')}{parts}")
    last = case.typed(taken - 1)
    clause = f"stopped early: it took {taken} of {count(expected, 'input')} and ended after {last}"
    return case.says(clause + parts)


def _parts_earlier(case: Case) -> str:
    """Where the text had already parted, if that was before the last input."""
    text = case.text
    if text is None or text.turn is None or text.turn >= case.observation.reads:
        return ""
    place = case.place(text.turn)
    return f"; what it prints differs already {place}" if place else ""
