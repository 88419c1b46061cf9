"""The answer key is the same whether the reference's stimuli ran together or each alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.execution import SubmissionServer
from harness.grading.context import GradingContext, isolated
from harness.grading.observing import answer_key
from harness.grading.observing.answer_key import make_key
from harness.model.expectation import AnswerKey
from harness.model.observation import Observation
from harness.model.specification import Specification
from harness.model.stimulus import Limits, Stimulus
from tests.grading.test_shared_grading import REFERENCE
from tests.grading.test_shared_grading import context as context  # noqa: PLC0414  (a fixture)
from tests.inline import DRIVERS

Alone = Callable[[], int]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Alone:
    """How many stimuli were observed in a process of their own."""
    seen: list[Stimulus] = []
    observe = SubmissionServer.observe

    def counted(self: SubmissionServer, stimulus: Stimulus, limits: Limits) -> Observation:
        seen.append(stimulus)
        return observe(self, stimulus, limits)

    monkeypatch.setattr(SubmissionServer, "observe", counted)
    return lambda: len(seen)


def key(context: GradingContext, specification: Specification) -> AnswerKey:
    with DRIVERS.lend(context.interpreter, context.tier.tier) as driver:
        return make_key(specification, driver)


def with_reference(specification: Specification, program: str) -> Specification:
    (file,) = specification.reference
    return replace(specification, reference=(replace(file, data=program.encode()),))


def asked(specification: Specification) -> int:
    return sum(len(scenario.stimuli) for scenario in specification.plan.scenarios)


KEEPING = REFERENCE.replace("    return len", "    SEEN.append(1)\n    return len") + "SEEN = []\n"
SLOW = REFERENCE.replace("return len", "sum(range(10**6))\n    return len")


@pytest.mark.parametrize("program", [REFERENCE, KEEPING, SLOW])
def test_both_ways_give_one_key(context: GradingContext, program: str) -> None:
    specification = with_reference(context.specification, program)
    assert key(context, specification) == key(context, isolated(specification))


def test_a_reference_that_may_share_runs_alone_for_the_audit_only(
    context: GradingContext, alone: Alone
) -> None:
    key(context, context.specification)
    audited = alone()
    assert 0 < audited < asked(context.specification)
    key(context, with_reference(context.specification, KEEPING))
    assert alone() - audited == asked(context.specification)


def test_an_audit_that_fails_runs_everything_alone(
    context: GradingContext, alone: Alone, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = key(context, isolated(context.specification))
    together = answer_key._observe_together

    def wrong(*arguments: object) -> dict[Stimulus, Observation]:
        seen = together(*arguments)  # type: ignore[arg-type]
        return {each: replace(one, exit_status=7) for each, one in seen.items()}

    monkeypatch.setattr(answer_key, "_observe_together", wrong)
    before = alone()
    assert key(context, context.specification) == right
    assert alone() - before > asked(context.specification)


def test_what_takes_long_is_measured_alone(context: GradingContext) -> None:
    found = key(context, with_reference(context.specification, SLOW))
    longest = max(
        answer.observation.cpu_seconds for each in found.scenarios for answer in each.answers
    )
    assert longest > 0.004
