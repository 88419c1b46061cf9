"""What one submission may take in all, and what becomes of one that used it up."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

from harness import grade, load_assignment
from harness.common import serial
from harness.execution import speed
from harness.grading.context import GradingContext, prepare, with_total_seconds
from harness.grading.engines import Job, Paused, WorkerSetup
from harness.grading.observing import budget as budget_module
from harness.grading.observing.budget import SubmissionBudget, Used, budgeted, total_seconds
from harness.grading.slow_last import (
    FIRST_SECONDS,
    ClassPace,
    RealTime,
    seconds_left,
    slow_left,
)
from harness.model.observation import Ending, Observation
from harness.model.result import (
    Event,
    SlowLeft,
    SubmissionGraded,
    SubmissionResult,
    SubmissionStatus,
    WorstLeft,
)
from harness.model.stimulus import Limits, Stimulus
from harness.model.verdict import VerdictKind
from harness.policy.rule import UNCHECKED
from harness.results.reuse import Piece
from tests import plans
from tests.inline import InlineEngine, grade_here, grader_of, handed_in, inline_engine
from tests.tiny_course import Course

SCENARIOS = """\
function: double
visible: true
scenarios:
  - {name: of 0, call: double(0)}
  - {name: of 1, call: double(1)}
  - {name: of 2, call: double(2)}
  - {name: of 3, call: double(3)}
  - {name: of 4, call: double(4)}
  - {name: of 5, call: double(5)}
"""
RIGHT = "def double(n):\n    return 2 * n\n"
BURNS = (
    "import time\ndef double(n):\n    end = time.process_time() + 0.12\n"
    "    while time.process_time() < end:\n        pass\n    return 2 * n\n"
)
WAITS = (
    "import threading\ndef double(n):\n    done = threading.Event()\n"
    "    done.wait(0.4)\n    return 2 * n\n"
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    folder = tmp_path_factory.mktemp("course")
    return Course.small(folder, "tiny", RIGHT, SCENARIOS, "functionality_marks: 6\n")


@pytest.fixture(scope="module")
def context(course: Course) -> GradingContext:
    return prepare(load_assignment(course.root, "tiny"))


def within(context: GradingContext, program: str, seconds: float) -> SubmissionResult:
    specification = with_total_seconds(context.specification, seconds)
    with grader_of(context, specification.plan, reference=specification.reference) as grader:
        return grader.grade(handed_in(program, "s")).result


@pytest.mark.parametrize("program", [BURNS, WAITS])
def test_decided_results_stay_and_the_rest_does_not_run(
    context: GradingContext, program: str
) -> None:
    result = within(context, program, 0.35)
    kinds = [entry.verdict.kind.value for entry in result.scenarios]
    assert kinds[-1] == "not_run"
    assert set(kinds) <= {"passed", "not_run"}
    assert (result.status, result.mark) == (SubmissionStatus.NEEDS_REVIEW, None)
    assert result.flagged
    over = result.over_budget
    assert over is not None
    assert (over.undecided, over.seconds) == (kinds.count("not_run"), 0.35)
    assert (over.mark, over.most) == (Fraction(kinds.count("passed")), Fraction(6))
    assert result.causes == ()


def test_a_right_program_never_comes_to_it(context: GradingContext) -> None:
    result = within(context, RIGHT, total_seconds(context.specification.plan, context.key))
    assert result.mark == 6
    assert result.over_budget is None


def test_time_follows_from_the_reference_and_from_the_assignment(context: GradingContext) -> None:
    plan, key = context.specification.plan, context.key
    assert 0 < key.run_seconds < 0.6
    assert total_seconds(plan, key) == 60
    assert total_seconds(plan, replace(key, run_seconds=2.5)) == 250
    assert total_seconds(plan, replace(key, run_seconds=90)) == 600
    assert total_seconds(with_total_seconds(context.specification, 7).plan, key) == 7


def test_waiting_for_a_busy_machine_does_not_count_as_waiting() -> None:
    budget = SubmissionBudget(2.0, Used(cpu=0.5), queued=lambda: 0.0)
    budget.charge(cpu=0.2, uncharged=0.05, elapsed=2.5)
    assert budget.used().waiting == 0
    assert not budget.is_over
    budget.charge(cpu=0.0, uncharged=0.0, elapsed=2.0)
    assert budget.is_over


def test_what_this_thread_waited_for_a_processor_does_not_count_as_waiting() -> None:
    in_queue = iter((5.0, 7.0, 7.0))
    budget = SubmissionBudget(60.0, queued=lambda: next(in_queue))
    budget.charge(cpu=0.01, uncharged=0.0, elapsed=4.0)
    assert budget.used().waiting == 0, "2 s of it were spent in the queue"
    budget.charge(cpu=0.0, uncharged=0.0, elapsed=3.0)
    assert budget.used().waiting == 3, "those 2 s count once"


def test_reading_and_compiling_count(context: GradingContext) -> None:
    huge = RIGHT + "".join(f"def f{n}(a):\n    return [a, {n}]\n" for n in range(4000))
    plan = context.specification.plan
    with grader_of(context, plan) as grader:
        small = grader.grade(handed_in(RIGHT)).used
        large = grader.grade(handed_in(huge)).used
    assert large.cpu > 3 * small.cpu


def test_reading_and_compiling_may_use_the_rest_of_the_budget() -> None:
    def allowed(total: float | None, used: float = 0.0, slowness: float = 1.0) -> float:
        budget = SubmissionBudget(total, Used(cpu=used), pause_after=0.01, slowness=slowness)
        return budget.for_ours(10.0)

    assert allowed(None) == allowed(600.0) == 10.0
    assert 3.9 < allowed(4.0) <= 4.0
    assert 2.9 < allowed(4.0, used=1.0) <= 3.0
    assert 5.9 < allowed(2.0, slowness=3.0) <= 6.0
    assert allowed(4.0, used=3.5) == allowed(0.1) == budget_module.MIN_FOR_OURS


def test_a_program_that_takes_long_to_read_and_to_compile_ends_with_its_budget(
    context: GradingContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "MIN_FOR_OURS", 0.0)
    huge = RIGHT + "".join(f"def f{n}(a):\n    return [a, {n}]\n" for n in range(4000))
    result = within(context, huge, 0.05)
    assert result.status is SubmissionStatus.NEEDS_REVIEW
    assert result.over_budget is not None
    assert [finding.rule for finding in result.findings] == [UNCHECKED.name]
    assert {entry.verdict.kind for entry in result.scenarios} == {VerdictKind.NOT_RUN}


def test_a_class_goes_on_where_more_time_is_given(course: Course, tmp_path: Path) -> None:
    for name, program in (("right", RIGHT), ("burns", BURNS)):
        path = course.root / "submissions" / "tiny" / name / "a1.py"
        path.parent.mkdir(parents=True)
        path.write_text(program, "utf-8")
    loaded = load_assignment(course.root, "tiny")
    inbox = course.root / "submissions" / "tiny"

    def graded(**options: object) -> dict[str, SubmissionResult]:
        run = grade_here(loaded, inbox, tmp_path / "out", **options)
        return {result.id: result for result in run.submissions}

    first = graded(total_seconds=0.35)
    assert first["right"].mark == 6
    assert first["burns"].over_budget is not None
    assert graded(total_seconds=0.35) == first
    last = graded(thorough=True, only=("burns",))
    assert last["burns"].mark == 6
    assert last["burns"].over_budget is None
    assert last["right"] == first["right"]
    assert graded(total_seconds=0.35) == last


class Pauses(InlineEngine):
    """Pauses what takes a moment, as if the others of its class were that quick."""

    orders: ClassVar[list[str]] = []

    def run(self, setup: WorkerSetup, jobs: Iterable[Job]) -> Iterator[tuple[Job, Any]]:
        hasty = [each if each.before else replace(each, pause_after=0.2) for each in jobs]
        for job, found in super().run(setup, hasty):
            if not isinstance(found, Piece):
                self.orders.append(f"{job.submission.id} {type(found).__name__}")
            yield job, found


def test_a_slow_one_is_put_to_the_end_and_comes_out_the_same(
    course: Course, tmp_path: Path
) -> None:
    paths = []
    for name, program in (("burns", BURNS), ("right", RIGHT)):
        path = tmp_path / "in" / name / "a1.py"
        path.parent.mkdir(parents=True)
        path.write_text(program, "utf-8")
        paths.append(path)
    loaded = load_assignment(course.root, "tiny")
    whole = grade_here(loaded, tmp_path / "in", tmp_path / "whole")
    told: list[SlowLeft] = []
    at_most: list[WorstLeft] = []
    orders: list[type[Event]] = []

    def hear(event: Event) -> None:
        orders.append(type(event))
        if isinstance(event, SlowLeft):
            told.append(event)
        elif isinstance(event, WorstLeft):
            at_most.append(event)

    with inline_engine(Pauses):
        run = grade(loaded, [tmp_path / "in"], tmp_path / "paused", listener=hear)
    assert Pauses.orders == ["burns Paused", "right Graded", "burns Graded"]
    assert [*run.submissions] == [*whole.submissions]
    assert [(each.submissions, each.others) for each in told] == [(1, 1), (1, 0), (0, 0)]
    assert [each.submissions for each in at_most] == [2, 2, 1, 0]
    assert orders.index(WorstLeft) < orders.index(SubmissionGraded)
    assert at_most[-1].seconds == 0 < at_most[0].seconds
    assert told[0].most_seconds is not None
    assert 0 < told[0].seconds <= told[0].most_seconds


def test_estimates_are_in_real_time() -> None:
    """On a busy machine a counted second takes several; what is not kept runs again."""
    half = Paused(used=Used(cpu=3.0), decided=0.5, kept=0.25, seconds=12.0)
    assert seconds_left(half, None) == 4.5
    assert seconds_left(half, 5.0) == 2.0
    real_time = RealTime()
    assert slow_left([half, half], 5.0, 2, real_time, [0.0, 0.0]).seconds == 2.0
    real_time.add(half.used.most, half.seconds)
    left = slow_left([half, half], 9.0, 2, real_time, [0.0, 0.0])
    assert (left.seconds, left.most_seconds) == (18.0, 24.0)
    assert slow_left([half], 9.0, 2, real_time, [0.0]).seconds == 18.0
    for _ in range(30):  # the machine does nothing else any more
        real_time.add(3.0, 3.0)
    assert slow_left([half], 9.0, 2, real_time, [0.0]).seconds == pytest.approx(4.5, rel=0.01)
    real_time.add(3e9, 12e9)
    for seconds in (1.0, 2.0, 99.0):
        real_time.add_quick(seconds)
    assert slow_left([half, half], 9.0, 2, real_time, [0.0, 0.0]).seconds == pytest.approx(20.0)


def test_less_is_left_of_a_slow_submission_that_a_worker_has_begun() -> None:
    half = Paused(used=Used(cpu=3.0), decided=0.5, kept=0.5, seconds=12.0)
    real_time = RealTime()
    real_time.add(half.used.most, half.seconds)
    for passed, left in ((0.0, 12.0), (2.0, 10.0), (9.0, 3.0), (30.0, 3.0)):
        assert slow_left([half], None, 2, real_time, [passed]).seconds == left
    assert slow_left([half, half], None, 2, real_time, [2.0, 0.0]).seconds == 11.0


def test_the_class_decides_when_a_program_is_paused() -> None:
    pace = ClassPace()
    assert pace.pause_after() == FIRST_SECONDS
    for seconds in (0.5, 0.6, 0.7, 0.8, 40.0):
        pace.add(Used(cpu=seconds))
    assert pace.pause_after() == 7.0


@dataclass
class Clocked:
    """Takes half of the CPU time that it may."""

    limits: list[Limits] = field(default_factory=list)

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        self.limits.append(limits)
        return Observation(ending=Ending.ANSWERED, cpu_seconds=limits.cpu_seconds / 2)


def test_a_slow_machine_has_longer_limits_and_reports_the_usual_ones_seconds() -> None:
    server, budget = Clocked(), SubmissionBudget(60, slowness=3.0)
    stimulus = plans.scenario("a").stimuli[0]
    seen = budgeted(server, budget).observe(stimulus, Limits(cpu_seconds=1.0, wall_seconds=10.0))
    assert server.limits == [Limits(cpu_seconds=3.0, wall_seconds=10.0)]
    assert seen.cpu_seconds == 0.5
    assert 0.5 <= budget.used().cpu < 0.7


def test_where_no_clock_tells_a_threads_time_the_programs_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a browser."""
    monkeypatch.delattr("time.thread_time")
    server, budget = Clocked(), SubmissionBudget(60)
    budgeted(server, budget).observe(plans.scenario("a").stimuli[0], Limits(cpu_seconds=1.0))
    assert budget.used() == Used(cpu=0.5)


def test_this_machine_has_a_speed_that_is_measured_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(speed.VARIABLE, raising=False)
    assert speed.machine_slowness() in speed.STEPS
    monkeypatch.setenv(speed.VARIABLE, "3")
    assert speed.machine_slowness() == 3.0


def test_the_same_class_on_a_slow_machine_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = "functionality_marks: 6\nlimits: {cpu_seconds: 0.1}\n"
    course = Course.small(tmp_path, "tiny", RIGHT, SCENARIOS, settings)
    programs = {
        "right": RIGHT,
        "wrong": RIGHT.replace("2 * n", "2 + n"),
        "loops": RIGHT.replace("return", "while n > 3: pass\n    return"),
    }
    for name, program in programs.items():
        course.write(f"submissions/tiny/{name}/a1.py", program)
    loaded = load_assignment(course.root, "tiny")
    found = []
    for slowness in ("1", "3"):
        monkeypatch.setenv(speed.VARIABLE, slowness)
        out = tmp_path / slowness
        run = grade_here(loaded, course.root / "submissions" / "tiny", out)
        assert run.facts.slowness == float(slowness)
        found.append([serial.dumps(each) for each in run.submissions])
    assert found[0] == found[1]
