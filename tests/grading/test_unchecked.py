"""A program that runs and cannot be checked keeps its marks, and a person is asked to read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from harness import load_assignment
from harness.execution.linux.driver import ToolServer
from harness.execution.runner import TOOL_LIMITS
from harness.grading.context import prepare
from harness.grading.grader import Grader
from harness.model.policy import MAX_SOURCE_BYTES, Severity
from harness.model.result import SubmissionResult
from tests.inline import grader_of, handed_in
from tests.tiny_course import FIXTURE

RIGHT = (FIXTURE / "reference" / "tiny" / "a1.py").read_text("utf-8")
# The check shows the name of what a module calls, and gives up on one this deep.
DEEP = f"\n\ndef nothing():\n    pass\n\n\nnothing.b = nothing\nnothing{'.b' * 1500}()\n"
LARGE = f"\n\nif 0:\n    {'a;' * 12_000}\n"  # which Python leaves out
LITTLE = replace(TOOL_LIMITS, cpu_seconds=0.1)


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with grader_of(prepare(load_assignment(FIXTURE, "tiny"))) as grader:
        yield grader


def graded(grader: Grader, program: str) -> SubmissionResult:
    return grader.grade(handed_in(program)).result


def test_one_that_is_nested_too_deep(grader: Grader) -> None:
    asks_for_a_person(graded(grader, RIGHT + DEEP), "the code is nested too deeply to be read")


def test_one_that_is_too_large_for_the_limits_of_the_check(
    grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "unchecked" not in rules(graded(grader, RIGHT + LARGE))
    monkeypatch.setattr(ToolServer.run, "__defaults__", (LITTLE,))
    asks_for_a_person(graded(grader, RIGHT + LARGE), "the limits of the check were reached")


def test_one_over_the_limit_of_size_is_not_run(grader: Grader) -> None:
    padding = "#" * (MAX_SOURCE_BYTES - len(RIGHT))
    assert graded(grader, RIGHT + padding).mark == 6
    refused = graded(grader, RIGHT + padding + "#")
    assert refused.status == "unreadable"
    assert refused.scenarios[0].verdict.kind == "unreadable"


def asks_for_a_person(result: SubmissionResult, reason: str) -> None:
    assert result.flagged
    (found,) = [each for each in result.findings if each.rule == "unchecked"]
    assert found.consequence.severity is Severity.REVIEW
    assert reason in found.message
    assert {each.verdict.kind for each in result.scenarios} == {"passed"}


def rules(result: SubmissionResult) -> set[str]:
    return {each.rule for each in result.findings}
