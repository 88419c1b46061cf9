"""One scenario of a graded submission again, alone: what a mark is defended with."""

from __future__ import annotations

from pathlib import Path

from harness.common.errors import UserError
from harness.execution import choose_tier, create_driver, find_interpreter
from harness.model.observation import Observation, Tier
from harness.model.plan import Plan, Scenario
from harness.model.result import SubmissionResult
from harness.model.stimulus import Stimulus
from harness.model.submission import Submission
from harness.model.verdict import StandInOutcome

Replayed = tuple[tuple[Stimulus, Observation], ...]
_WITH_STAND_INS = (StandInOutcome.PASSED, StandInOutcome.FAILED)


def replay(
    plan: Plan,
    graded: SubmissionResult,
    submission: Submission,
    scenario_id: str,
    *,
    python: Path | None = None,
    require: Tier | None = Tier.STANDARD,
) -> Replayed:
    """Each stimulus of the scenario with what the submission does, in the plan's order: with the
    stand-ins in place of its modules where the verdict is of such a run (`Stimulus.stand_ins`).

    Raises UserError when the plan has no such scenario, when these are not the files that were
    graded, or when no interpreter or tier serves.
    """
    scenario = _scenario(plan, scenario_id)
    verdicts = {entry.scenario_id: entry.verdict for entry in graded.scenarios}
    if scenario_id in verdicts and verdicts[scenario_id].stand_in in _WITH_STAND_INS:
        scenario = scenario.standing_in()
    if submission.problem or submission.digest != graded.source_digest:
        raise UserError(
            f"this is not what was graded as {graded.id}",
            place=submission.origin,
            hint="name what was handed in with --submission",
        )
    interpreter = find_interpreter(plan.assignment.python, python)
    tier = choose_tier(interpreter, require)
    with (
        create_driver(interpreter, tier.tier) as driver,
        driver.submission(plan.assignment, submission.files) as server,
    ):
        return tuple(
            (stimulus, server.observe(stimulus, scenario.limits)) for stimulus in scenario.stimuli
        )


def _scenario(plan: Plan, scenario_id: str) -> Scenario:
    try:
        return plan.scenario(scenario_id)
    except KeyError:
        likely = [one.id for one in plan.scenarios if scenario_id in one.id][:3]
        hint = f"did you mean {', '.join(likely)}?" if likely else "the report names them"
        raise UserError(f"no scenario {scenario_id!r}", hint=hint) from None
