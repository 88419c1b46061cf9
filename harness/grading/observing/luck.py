"""Failed scenarios of programs that use chance or a clock are run again: do they differ?

The verdict stays. If another run did something else, the verdict says so and names the calls.
Every further run is another draw, so a few runs find what differs half of the time; the finding is
stored with the verdict, and grading again says the same.
"""

from collections.abc import Iterable
from dataclasses import replace

from harness.grading.observing.judged_runs import Candidate, RunOutcome, reduced
from harness.grading.observing.running import run_scenario
from harness.judging.judge import without_addresses
from harness.model.observation import Ending, Observation
from harness.model.plan import Scenario
from harness.model.sentences import finished
from harness.model.verdict import Verdict, VerdictKind, stated

MAX_RUNS = 4  # of one scenario, after the first; at least two if nothing differs
MAX_SCENARIOS = 10  # of one submission
_SAYS_NOTHING = frozenset({Ending.HARNESS_ERROR, Ending.NOT_RUN, Ending.TAMPERED})


def flag_luck(outcome: RunOutcome, scenarios: Iterable[Scenario], candidate: Candidate) -> None:
    """Mark the newly failed scenarios whose outcome differs from run to run."""
    if not candidate.report.outline.lucky_calls:
        return
    new = {id(verdict): key for key, verdict in outcome.new_verdicts.items()}
    failed = [
        scenario
        for scenario in scenarios
        if outcome.verdicts[scenario.id].kind is VerdictKind.FAILED
        and id(outcome.verdicts[scenario.id]) in new
    ]
    for scenario in failed[:MAX_SCENARIOS]:
        verdict = outcome.verdicts[scenario.id]
        if _differs(scenario, outcome.observations[scenario.id], candidate):
            flagged = _flagged(verdict, scenario, candidate)
            outcome.verdicts[scenario.id] = flagged
            outcome.new_verdicts[new[id(verdict)]] = flagged


def _differs(scenario: Scenario, seen: tuple[Observation, ...], candidate: Candidate) -> bool:
    first = without_addresses(seen)
    for _ in range(MAX_RUNS):
        run = run_scenario(candidate.server, scenario, scenario.limits)
        if any(each.ending in _SAYS_NOTHING for each in run):
            return False
        if without_addresses(tuple(map(reduced, run))) != first:
            return True
    return False


def _flagged(verdict: Verdict, scenario: Scenario, candidate: Candidate) -> Verdict:
    calls = candidate.report.outline.lucky_calls
    own = verdict.explanation or replace(stated("differs", ""), hint=scenario.hint)
    named = f"{calls[0].call} in line {calls[0].line}"
    more = f" and {len(calls) - 1} more" if len(calls) > 1 else ""
    remark = f"This differs from run to run, perhaps because of {named}{more}."
    told = replace(own, remarks=(*own.remarks, finished(remark)))
    return replace(verdict, explanation=told, differs_by=calls)
