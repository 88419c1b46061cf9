"""Recording goldens: what the reference prints becomes the transcripts a course hands out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.common.errors import UserError
from harness.execution import Driver, choose_tier, find_interpreter, pick_cpu
from harness.grading.observing.running import run_scenario
from harness.model.observation import Ending
from harness.model.plan import ProvidedVariant
from harness.model.specification import Specification

AsTemplate = Callable[[str, ProvidedVariant, tuple[str, ...]], str]


def record_transcripts(
    specification: Specification, as_template: AsTemplate, *, python: Path | None = None
) -> tuple[Path, ...]:
    """Write every transcript file whose content differs from what the reference does.

    Returns the files written. Raises UserError when the reference does not end by itself.
    """
    plan = specification.plan
    interpreter = find_interpreter(plan.assignment.python, python)
    tier = choose_tier(interpreter)
    submitted = plan.assignment.submission_files
    written: list[Path] = []
    with (
        Driver(interpreter, tier.tier, cpu=pick_cpu()) as driver,
        driver.submission(plan.assignment, specification.reference) as server,
    ):
        for target in specification.transcripts:
            scenario = plan.scenario(target.scenario_id)
            (observation,) = run_scenario(server, scenario, scenario.limits)
            if observation.ending is not Ending.ANSWERED:
                raise UserError(
                    f"the reference does not end by itself ({observation.ending.value})",
                    place=str(scenario.place),
                    hint="a transcript needs input up to the program's end",
                )
            variant = plan.assignment.variant(scenario.stimuli[0].constants)
            text = as_template(observation.transcript(), variant, submitted)
            path = Path(specification.folder) / target.path
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="")
                written.append(path)
    return tuple(written)
