"""Rules about the inputs that a program takes."""

from __future__ import annotations

from harness.common.escaping import quoted
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, count, rule
from harness.model.observation import Ending

_WITHOUT_ASKING = frozenset(
    {Ending.ANSWERED, Ending.CPU_LIMIT, Ending.TIMEOUT, Ending.STOPPED_EARLY}
)


@rule(Stage.ENDING, 60, "does not ask for input")
def did_not_ask_for_input(failure: Failure) -> str | None:
    """Nothing was read, though something should have been."""
    if failure.observation.ending not in _WITHOUT_ASKING or failure.raises or failure.loading:
        return None
    if failure.observation.reads or not failure.expected_reads:
        return None
    if failure.reads is None and failure.ending is None:
        return None
    inputs = count(failure.expected_reads, "input")
    ending = "" if failure.ending is None else ", and did not end either"
    return failure.says(f"did not ask for input{ending}: {inputs} should have been read")


@rule(Stage.OUTPUT_BEFORE_INPUTS, 40, "asks for more input than there is")
def asked_for_more(failure: Failure) -> str | None:
    """It wanted more input than there was to be typed."""
    more = failure.reads is not None and failure.reads.actual > failure.reads.expected
    if failure.ending is not Ending.ASKED_FOR_MORE and not more:
        return None
    parts = _parts_earlier(failure)
    most = failure.expectation.stated.reads_at_most
    if most is not None:
        inputs = count(most, "input")
        return failure.says(f"still asked for input after {failure.observation.reads} inputs: "
                            f"at most {inputs} should be needed")  # fmt: skip
    if failure.expected_reads == 0:
        return failure.says("asked for input, although it should ask for none")
    if failure.reads is not None and failure.ending is None:
        taken, enough = failure.reads.actual, failure.reads.expected
        return failure.says(f"asked for input {count(taken, 'time')} instead of {enough}{parts}")
    reads = failure.observation.reads
    last = f" after {failure.typed(reads - 1)}" if reads else ""
    return failure.says(
        f"still asked for input{last}, although it should have ended{parts}", place=""
    )


@rule(Stage.KNOWN_MISTAKE, 110, "stops before all input is read")
def stopped_early(failure: Failure) -> str | None:
    """It ended before all inputs were taken."""
    if failure.reads is None or failure.observation.ending is not Ending.ANSWERED or failure.raises:
        return None
    taken, expected = failure.reads.actual, failure.reads.expected
    if taken >= expected:
        return None
    parts = _parts_earlier(failure)
    if taken == 0:
        return failure.says(f"stopped early: it read none of {count(expected, 'input')}{parts}")
    last, read = failure.typed(taken - 1), f"It read {taken} of {count(expected, 'input')}"
    prompt = failure.expected_prompt(taken)
    words = f", with {quoted(prompt)}" if prompt else ""
    clause = f"stopped early: after {last} it should have asked for input again{words}"
    return f"{failure.says(clause)} {read}{parts}."


def _parts_earlier(failure: Failure) -> str:
    """Where the text had already parted, if that was before the last input."""
    text = failure.text
    if text is None or text.turn is None or text.turn >= failure.observation.reads:
        return ""
    place = failure.place(text.turn)
    return f"; the output already differs {place}" if place else ""
