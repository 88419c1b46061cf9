"""Causes are looked for once every submission of a class has its mark."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.common import serial
from harness.execution import SubmissionServer
from harness.grading.batch import Interrupted
from harness.grading.engines import CausesJob, Job
from harness.grading.engines.dask.host import JobMessage
from harness.grading.observing.budget import Used
from harness.grading.observing.causes.evidence import MAX_BYTES, evidence_of, failures_of
from harness.judging.causes.failed_scenarios import failing
from harness.marking.mark import mark
from harness.model.observation import Ending, Observation, Raised
from harness.model.policy import PolicyReport
from harness.model.result import (
    CausesBegun,
    CausesFound,
    Event,
    RunStarted,
    SubmissionGraded,
)
from harness.model.stimulus import Stimulus
from harness.model.verdict import Verdict, VerdictKind
from harness.results.database import STORE_NAME
from harness.results.store import Store
from tests import plans
from tests.grading.test_causes_of_submissions import ONE_FAULT, REFERENCE, course_in
from tests.inline import grade_here, handed_in
from tests.tiny_course import Course

# Faults in functions, another constant and an exception, each handed in by two students: of few
# submissions no marks would be written before their causes.
FAULTS = ("ann", "ben", "cat", "eve", "hal")
FAULTY = [*FAULTS, *(f"{name} too" for name in FAULTS)]
PROGRAMS = {
    name: REFERENCE.replace(*ONE_FAULT[name.removesuffix(" too")][:2], 1) for name in FAULTY
}
PROGRAMS |= {"all right": REFERENCE, "cannot be read": "def\n"}


def class_in(folder: Path) -> tuple[Course, Path]:
    """A course, and the folder of its class."""
    course = course_in(folder)
    inbox = course.root / "in"
    for name, program in PROGRAMS.items():
        (inbox / name).mkdir(parents=True)
        (inbox / name / "a1.py").write_text(program)
    return course, inbox


def files_of(out: Path) -> dict[str, str]:
    """The report's files, without the times of the run."""
    run = json.loads((out / "results.json").read_text())["run"]
    texts = {}
    for path in sorted([out / "results.json", out / "marks.csv", *out.glob("**/*.html")]):
        text = path.read_text()
        for time in (run["started"], run["finished"]):
            text = text.replace(time, "")
        texts[str(path.relative_to(out))] = text
    return texts


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A course's folder, a class, and its report, made without an interruption."""
    course, inbox = class_in(tmp_path_factory.mktemp("course"))
    out = course.root / "out"
    order: list[str] = []
    with observed(order):
        grade_here(harness.load_assignment(course.root, "shop"), inbox, out)
    # Nothing of the course answers before the last submission was observed.
    assert "for causes" in order
    assert "for causes" not in order[: len(order) - order[::-1].index("for a verdict")]
    return course.root, inbox, out


@contextmanager
def observed(order: list[str]) -> Iterator[None]:
    observe = SubmissionServer.observe

    def noted(self: SubmissionServer, stimulus: Stimulus, *more: Any) -> Any:
        for_causes = stimulus.substitutions or stimulus.traces_lines or stimulus.finds_loop
        order.append("for causes" if for_causes else "for a verdict")
        return observe(self, stimulus, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SubmissionServer, "observe", noted)
        yield


def marks(out: Path) -> dict[str, float | None]:
    plain = json.loads((out / "results.json").read_text())
    return {entry["id"]: entry["mark"] for entry in plain["submissions"]}


def test_marks_are_there_before_causes_and_a_run_goes_on_after_an_interruption(
    whole: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    root, inbox, report = whole
    loaded = harness.load_assignment(root, "shop")
    out = tmp_path / "out"
    at_marks: dict[str, str] = {}
    found: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, CausesBegun):
            assert event.total == len(FAULTY)
        if isinstance(event, CausesFound):
            found.append(event.result.id)
            at_marks.update(files_of(out))
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        grade_here(loaded, inbox, out, listener=hear)
    assert stopped.value.run.facts.complete
    assert len(found) == 1
    # The report was written before the first cause was found; after the interruption, again.
    for texts in (at_marks, files_of(out)):
        plain = json.loads(texts["results.json"])
        assert plain["run"]["complete"]
        assert {entry["id"]: entry["mark"] for entry in plain["submissions"]} == marks(report)
        pending = [entry["id"] for entry in plain["submissions"] if "causes_pending" in entry]
        assert found[0] in pending or texts is not at_marks
        assert len(pending) >= len(FAULTY) - 1
        assert texts.keys() == files_of(report).keys()

    heard: list[Event] = []
    grade_here(loaded, inbox, out, listener=heard.append)
    (begun,) = (event for event in heard if isinstance(event, RunStarted))
    assert begun.kept == begun.total
    assert not any(isinstance(event, SubmissionGraded) for event in heard)
    later = [event.result.id for event in heard if isinstance(event, CausesFound)]
    assert sorted([*found, *later]) == sorted(FAULTY)
    assert files_of(out) == files_of(report)

    heard.clear()
    grade_here(loaded, inbox, out, listener=heard.append)
    assert not any(isinstance(event, CausesBegun) for event in heard)


def test_only_some_are_looked_through(whole: tuple[Path, Path, Path], tmp_path: Path) -> None:
    root, inbox, report = whole
    loaded = harness.load_assignment(root, "shop")
    out = tmp_path / "out"

    def stop(event: Event) -> None:
        if isinstance(event, CausesBegun):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        grade_here(loaded, inbox, out, listener=stop)
    heard: list[Event] = []
    grade_here(loaded, inbox, out, only=["ben", "cat"], listener=heard.append)
    assert [e.result.id for e in heard if isinstance(e, CausesFound)] == ["ben", "cat"]
    grade_here(loaded, inbox, out)
    assert files_of(out) == files_of(report)


def test_evidence_is_what_was_packed_and_is_bounded() -> None:
    plan = plans.plan(plans.scenario("a/one"), plans.scenario("a/two"))
    verdicts = {one.id: Verdict(kind=VerdictKind.FAILED) for one in plan.scenarios}
    result = mark(plan, verdicts, PolicyReport(), submission=handed_in(""))
    seen = Observation(ending=Ending.ANSWERED, cpu_seconds=0.25)
    failures = failing(plan, verdicts, {one.id: (seen,) for one in plan.scenarios})
    pending = evidence_of(failures, Used(cpu=1.0, waiting=2.0))
    assert failures_of(result, pending, plan) == failures
    assert (pending.cpu_seconds, pending.waiting_seconds) == (1.0, 2.0)
    raised = Raised(type_name="ValueError", message=os.urandom(MAX_BYTES).hex())
    large = tuple(replace(one, observation=replace(seen, raised=raised)) for one in failures)
    packed = evidence_of(large, Used())
    assert len(packed.evidence) < MAX_BYTES
    for failure in failures_of(result, packed, plan):
        assert failure.observation.is_truncated
        assert failure.observation.raised is not None
        assert failure.observation.raised.type_name == "ValueError"


def test_jobs_travel_to_other_machines(whole: tuple[Path, Path, Path]) -> None:
    with Store.read_only(whole[2] / STORE_NAME) as store:
        result = store.result("ann")
    assert result is not None
    submission = handed_in(PROGRAMS["ann"], "ann")
    for job in (Job(submission=submission), CausesJob(submission=submission, result=result)):
        message = JobMessage(job=job)
        assert serial.loads(JobMessage, serial.dumps(message)) == message
