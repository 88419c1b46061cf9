"""An outcome against what its entry expects: every fault as one line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.model.observation import Observation
from harness.model.result import SubmissionResult
from tests.hostile.hostile_entries import Entry
from tests.hostile.hostile_stage import CANARY, Outcome


def faults(entry: Entry, outcome: Outcome) -> list[str]:
    """Empty when all is as it must be."""
    expect = entry.expect
    found = [fault for result in outcome.results for fault in _of_result(entry, result)]
    found += [each for each in outcome.refusals if not re.search(expect.problem, each)]
    if not outcome.results and not outcome.refusals:
        found.append("nothing was handed in")
    found += [f"a page does not show {each}" for each in expect.shown if each not in outcome.pages]
    found += [f"a page holds {each}" for each in expect.absent if each in outcome.pages]
    if outcome.survivors:
        found.append(f"{outcome.survivors} processes were left")
    if not outcome.neighbours_same:
        found.append("the honest submission beside it was changed")
    if any(holds(seen, CANARY) for seen in outcome.observations):
        found.append("it saw the canary")
    if outcome.memory_mib > expect.memory_mib:
        found.append(f"the parent's memory grew by {outcome.memory_mib:.1f} MiB")
    if outcome.cpu_seconds > expect.cpu_seconds:
        found.append(f"the parent computed for {outcome.cpu_seconds:.2f} s")
    return found


def holds(seen: Observation, text: str) -> bool:
    """Whether a submission said this text anywhere."""
    return text in repr(seen)


def _of_result(entry: Entry, result: SubmissionResult) -> Iterator[str]:
    expect = entry.expect
    if result.status != expect.status:
        yield f"{result.id}: {result.status} {result.problem}"
    reason = result.problem or (result.unparsable.reason if result.unparsable else "")
    if not re.search(expect.problem, reason):
        yield f"{result.id}: problem: {reason!r}"
    if not re.search(expect.note, "\n".join(result.notes)):
        yield f"{result.id}: notes: {result.notes!r}"
    if expect.isolation not in (None, result.isolation):
        yield f"{result.id}: ran {result.isolation}: {result.isolation_reason}"
    findings = "\n".join(
        f"{each.rule} line {each.line}: {each.message}" for each in result.findings
    )
    if expect.finding and not (result.flagged and re.search(expect.finding, findings)):
        yield f"{result.id}: findings: {findings!r}, flagged: {result.flagged}"
    verdicts = {each.scenario_id: each.verdict for each in result.scenarios}
    for name, expected in expect.verdicts.items():
        if name not in verdicts:
            yield f"{name}: there is no such scenario"
            continue
        seen = verdicts[name]
        if seen.kind is not expected.verdict or not re.search(expected.message, seen.message):
            yield f"{result.id}: {name}: {seen.kind}: {seen.message}"
