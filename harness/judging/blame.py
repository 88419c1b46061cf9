"""A scenario run a second time with the course's module in place of the submission's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.model.stimulus import StandIn
from harness.model.verdict import Explanation, StandInOutcome, Verdict, VerdictKind

RULE = "stand_in_passed"


def blamed(own: Verdict, second: Verdict, stand_ins: Sequence[StandIn]) -> Verdict:
    """The better of two verdicts, which says whose fault it was that the first run failed.

    `own` failed with all that was handed in, `second` is of the run with these stand-ins.
    """
    if VerdictKind.HARNESS_ERROR in (own.kind, second.kind):
        return Verdict(kind=VerdictKind.HARNESS_ERROR)
    names = " and ".join(each.module for each in stand_ins)
    if second.passed:
        message = (
            f"With the course's own {names} in place of yours this works: the fault is in your "
            f"{names}, and this scenario's points are given."
        )
        if own.message:
            message += f" With yours: {own.message}"
        explanation = Explanation(rule=RULE, message=message)
        return replace(second, explanation=explanation, stand_in=StandInOutcome.PASSED)
    rule = second.explanation.rule if second.explanation else RULE
    message = (
        f"{second.message} This was with the course's own {names} in place of yours: "
        "look elsewhere for the fault."
    ).strip()
    explanation = Explanation(rule=rule, message=message)
    return replace(second, explanation=explanation, stand_in=StandInOutcome.FAILED)
