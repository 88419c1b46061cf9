"""The facts of a run: with what, how confined, and when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import harness
from harness.grading.bench import Bench
from harness.model.result import RunFacts


def now() -> str:
    """The time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def run_facts(bench: Bench) -> RunFacts:
    """The facts at the start of a run."""
    plan = bench.specification.plan
    notices = [bench.interpreter.notice] if bench.interpreter.notice else []
    if bench.specification.left_out:
        tags = ", ".join(bench.specification.left_out)
        notices.append(f"graded without the scenarios tagged {tags}")
    return RunFacts(
        assignment=plan.assignment.id,
        started=now(),
        finished="",
        complete=False,
        harness=harness.__version__,
        python=bench.interpreter.version,
        python_wanted=plan.assignment.python,
        interpreter=str(bench.interpreter.path),
        tier=bench.tier.tier,
        probes=bench.tier.probes,
        limits=plan.assignment.limits,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        input_mechanism=bench.tier.input_mechanism,
        not_prevented=bench.tier.not_prevented,
        notices=tuple(notices),
    )


def finished_facts(facts: RunFacts) -> RunFacts:
    """The same facts once every submission is done."""
    return replace(facts, finished=now(), complete=True)
