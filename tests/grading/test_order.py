"""The order in which a submission is observed: what its students see first, before what is hidden
from them, in every kind of run."""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import load_assignment
from harness.common import serial
from harness.common.errors import HarnessError
from harness.execution import SharedGroup, SubmissionServer
from harness.grading.context import GradingContext, prepare
from harness.grading.engines import Job
from harness.grading.engines.local import WorkerPool
from harness.grading.engines.worker import grade_in_turn
from harness.grading.observing import budget
from harness.grading.observing.budget import Used
from harness.grading.observing.in_order import RunsSoFar, by_visibility
from harness.grading.observing.shared_process.shared_run import SharedRuns
from harness.judging.judge import differs_from_run_to_run
from harness.model.observation import Ending, Isolation, Observation
from harness.model.plan import Visibility
from harness.model.stimulus import Stimulus
from harness.model.verdict import DIFFERS_FROM_RUN_TO_RUN, VerdictKind
from harness.results.reuse import SharedPass
from tests.grading.worker_that_dies import DyingSetup
from tests.inline import DRIVERS, grader_of, handed_in
from tests.tiny_course import Course

REFERENCE = """\
def code(text: str) -> str:
    return text.upper()
def twice(text: str) -> str:
    return code(text) + code(text)
def total(rows: list) -> int:
    return sum(rows)
"""
# Hidden ones stand in front, so that the order of the file is the wrong one.
SCENARIOS = """\
function: code
scenarios:
  - {name: secret, call: "code('secret')"}
  - {name: shown, visible: true, call: "code('shown')"}
  - {name: later, visible: after_due_date, call: "code('later')"}
  - {name: secret total, function: total, call: "total([1, 2])"}
  - {name: second secret, call: "code('second secret')"}
  - {name: total, function: total, visible: true, call: "total([1])"}
  - {name: also shown, visible: true, call: "code('also shown')"}
  - {name: none, function: total, visible: true, call: "total([])"}
  - {name: twice, function: twice, needs: code, visible: true, call: "twice('shown')"}
  - {name: secret twice, function: twice, call: "twice('secret')"}
"""
TELLS = REFERENCE.replace("text.upper()", "'SECRET'").replace("sum(rows)", "'SECRET'")
WRONG = REFERENCE.replace("text.upper()", "'OTHER'")
SETTINGS = "functionality_marks: 4\nlimits: {cpu_seconds: 0.2}\npolicy: policy.yaml\n"
PROGRAMS = {
    "right": REFERENCE,
    "wrong": REFERENCE.replace("text.upper()", "text.lower()"),
    "wrong where it is hidden": REFERENCE.replace(
        "return text.upper()", "return text.upper() if 'secret' not in text else text"
    ),
    "without end": REFERENCE.replace(
        "    return sum", "    while True:\n        pass\n    return sum"
    ),
    "without end where it is shown": REFERENCE.replace(
        "    return text", "    while 'shown' in text:\n        pass\n    return text"
    ),
    "for a process of its own": "import sys\n" + REFERENCE,
    "with a memory": "SEEN = []\n"
    + REFERENCE.replace("    return sum", "    SEEN.append(1)\n    return sum"),
}

# Of a function that passes nothing hidden a visible scenario is audited at the end.
AUDITED_LATE = {"wrong where it is hidden"}


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    folder = tmp_path_factory.mktemp("course")
    policy = {"specs/small/policy.yaml": "{}\n"}
    course = Course.small(folder, "small", REFERENCE, SCENARIOS, SETTINGS, **policy)
    return prepare(load_assignment(course.root, "small"))


@pytest.fixture
def observed(context: GradingContext, monkeypatch: pytest.MonkeyPatch) -> list[Visibility]:
    """Filled with the visibility of each scenario as a process is asked about it; runs for causes
    are left out, of which one bit is kept."""
    seen: list[Visibility] = []
    scenarios = context.specification.plan.scenarios
    visibility = {one.stimuli[0].action: one.visibility for one in scenarios}
    observe, together = SubmissionServer.observe, SubmissionServer.observe_together
    packed: dict[int, Stimulus] = {}
    group = SubmissionServer.group

    def observed_alone(self: SubmissionServer, stimulus: Stimulus, *more: Any) -> Any:
        if not (stimulus.substitutions or stimulus.traces_lines or stimulus.finds_loop):
            seen.append(visibility[stimulus.action])
        return observe(self, stimulus, *more)

    def grouped(self: SubmissionServer, wanted: Any) -> Any:
        packed.update({number: stimulus for number, (stimulus, _) in wanted.items()})
        return group(self, wanted)

    def observed_together(
        self: SubmissionServer, group: SharedGroup, order: Sequence[int], *more: Any
    ) -> Any:
        seen.extend(visibility[packed[number].action] for number in order)
        return together(self, group, order, *more)

    monkeypatch.setattr(SubmissionServer, "observe", observed_alone)
    monkeypatch.setattr(SubmissionServer, "group", grouped)
    monkeypatch.setattr(SubmissionServer, "observe_together", observed_together)
    return seen


@pytest.mark.parametrize("name", PROGRAMS)
def test_visible_scenarios_run_before_hidden_ones(
    context: GradingContext, observed: list[Visibility], name: str
) -> None:
    with grader_of(context, secret=b"1", reference=context.specification.reference) as grader:
        grader.grade(handed_in(PROGRAMS[name]))
    assert set(observed) == {Visibility.VISIBLE, Visibility.AFTER_DUE_DATE, Visibility.HIDDEN}
    if name in AUDITED_LATE:
        assert observed.pop() is Visibility.VISIBLE
    assert observed == sorted(observed, key=lambda visibility: visibility.rank)


def test_only_what_is_shown_is_asked_beside_another_function(context: GradingContext) -> None:
    plan = context.specification.plan
    asked: list[set[str]] = []
    with (
        DRIVERS.lend(context.interpreter, context.tier.tier) as driver,
        driver.submission(plan.assignment, context.specification.reference) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        together = server.observe_together

        def observed(group: SharedGroup, order: Sequence[int], *more: Any) -> Any:
            asked.append({group.jobs[number].about for number in order})
            return together(group, order, *more)

        patch.setattr(server, "observe_together", observed)
        shared = SharedRuns(plan, context.key, b"1")
        for part in by_visibility(plan.scenarios):
            visibility = part[0].visibility
            asked.clear()
            shared.run(server, part)
            several = [functions for functions in asked if len(functions) > 1]
            assert bool(several) is (visibility is Visibility.VISIBLE), visibility


def test_hidden_scenarios_refute_earlier_passes_without_details(
    context: GradingContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that is right only until it was asked what is hidden, whose shared runs are
    believed, as by a broken proof."""
    observe, together = SubmissionServer.observe, SubmissionServer.observe_together
    hidden = {
        one.stimuli[0].action
        for one in context.specification.plan.scenarios
        if one.visibility is Visibility.HIDDEN
    }
    asked_hidden: list[bool] = []
    plan = context.specification.plan
    with (
        DRIVERS.lend(context.interpreter, context.tier.tier) as driver,
        driver.submission(plan.assignment, context.specification.reference) as reference,
        driver.submission(plan.assignment, handed_in(TELLS).files) as tells,
    ):

        def after(self: SubmissionServer, stimulus: Stimulus, *more: Any) -> Any:
            server = tells if asked_hidden else reference
            if stimulus.action in hidden:
                asked_hidden.append(True)
            return observe(server, stimulus, *more)

        def shared(self: SubmissionServer, *arguments: Any) -> Any:
            return together(reference, *arguments)

        monkeypatch.setattr(SubmissionServer, "observe", after)
        monkeypatch.setattr(SubmissionServer, "observe_together", shared)
        with grader_of(context, secret=b"1") as grader:
            graded = grader.grade(handed_in(REFERENCE))
    result = graded.result
    assert result.isolation is Isolation.ALONE
    shown = {one.id for one in plan.scenarios if one.visibility is Visibility.VISIBLE}
    refuted = {
        entry.scenario_id: entry.verdict
        for entry in result.scenarios
        if entry.verdict.explanation and entry.verdict.explanation.rule == DIFFERS_FROM_RUN_TO_RUN
    }
    assert refuted and refuted.keys() & shown
    assert all(verdict.kind is VerdictKind.FAILED for verdict in refuted.values())
    assert not any("SECRET" in serial.dumps(verdict) for verdict in refuted.values())
    assert SharedPass.PASSED not in graded.runs.values()


def test_a_function_that_passes_nothing_hidden_is_audited_all_the_same(
    context: GradingContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown passes in its shared process only, and no hidden scenario could be audited."""
    together, group = SubmissionServer.observe_together, SubmissionServer.group
    plan = context.specification.plan
    hidden = {
        one.stimuli[0].action for one in plan.scenarios if one.visibility is not Visibility.VISIBLE
    }
    packed: dict[int, Stimulus] = {}

    def grouped(self: SubmissionServer, wanted: Any) -> Any:
        packed.update({number: stimulus for number, (stimulus, _) in wanted.items()})
        return group(self, wanted)

    monkeypatch.setattr(SubmissionServer, "group", grouped)
    with (
        DRIVERS.lend(context.interpreter, context.tier.tier) as driver,
        driver.submission(plan.assignment, context.specification.reference) as reference,
    ):

        def shared(
            self: SubmissionServer, group: SharedGroup, order: Sequence[int], *more: Any
        ) -> Any:
            is_hidden = any(packed[number].action in hidden for number in order)
            return together(self if is_hidden else reference, group, order, *more)

        monkeypatch.setattr(SubmissionServer, "observe_together", shared)
        with grader_of(context, secret=b"1") as grader:
            result = grader.grade(handed_in(WRONG)).result
    assert not result.problem
    assert result.isolation is Isolation.ALONE
    verdicts = {entry.scenario_id: entry.verdict for entry in result.scenarios}
    assert verdicts["all/shown"] == verdicts["all/also-shown"] == differs_from_run_to_run()
    assert verdicts["all/total"].passed


def test_a_paused_submission_shows_nothing_again(
    context: GradingContext, observed: list[Visibility], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is paused as soon as something hidden ran, and its visible scenarios are not run later."""
    program = handed_in(PROGRAMS["for a process of its own"].replace("sum(rows)", "sum(rows) + 1"))
    with grader_of(context, secret=b"1") as grader:
        whole = grader.grade(program).result
        observed.clear()

        def own_seconds() -> float:
            return 1000.0 if Visibility.HIDDEN in observed else 0.0

        with monkeypatch.context() as clock:
            clock.setattr(budget, "_own_seconds", own_seconds)
            first = grader.grade(program, pause_after=1.0)
        assert first.paused
        assert first.so_far is not None
        assert observed.count(Visibility.HIDDEN) == 1
        observed.clear()
        so_far: RunsSoFar = pickle.loads(pickle.dumps(first.so_far))
        later = grader.grade(program, before=Used(), so_far=so_far)
    assert set(observed) == {Visibility.HIDDEN}
    assert later.result == whole


class Failing:
    """Lets our own side fail once: the nth question of this visibility raises, or has the ending
    that says that it could not be observed."""

    def __init__(self, visibility: Visibility, nth: int, *, raises: bool) -> None:
        self._left = {visibility: nth}
        self._raises = raises

    def meets(self, visibility: Visibility) -> Observation | None:
        left = self._left.get(visibility, 0)
        self._left[visibility] = left - 1
        if left != 1:
            return None
        if self._raises:
            raise HarnessError("the driver is gone")
        return Observation(ending=Ending.HARNESS_ERROR)


@pytest.mark.parametrize("raises", [True, False])
@pytest.mark.parametrize("visibility", [Visibility.VISIBLE, Visibility.HIDDEN])
@pytest.mark.parametrize("nth", [1, 2])
def test_a_second_try_asks_nothing_visible_after_something_hidden(
    context: GradingContext,
    observed: list[Visibility],
    monkeypatch: pytest.MonkeyPatch,
    *,
    raises: bool,
    visibility: Visibility,
    nth: int,
) -> None:
    program = handed_in(PROGRAMS["for a process of its own"].replace("sum(rows)", "sum(rows) + 1"))
    setup = context.worker_setup(context.grader_setup())
    ((_, whole),) = grade_in_turn(setup, iter([Job(submission=program)]))
    once = len(observed)
    observed.clear()
    failing = Failing(visibility, nth, raises=raises)
    recorded = SubmissionServer.observe

    def observe(self: SubmissionServer, stimulus: Stimulus, *more: Any) -> Any:
        seen = recorded(self, stimulus, *more)
        return failing.meets(observed[-1]) or seen

    monkeypatch.setattr(SubmissionServer, "observe", observe)
    ((_, again),) = grade_in_turn(setup, iter([Job(submission=program)]))
    assert again.result == whole.result
    assert len(observed) > once
    assert observed == sorted(observed, key=lambda visibility: visibility.rank)


def test_after_a_worker_died_nothing_visible_runs_after_something_hidden(
    context: GradingContext, tmp_path: Path
) -> None:
    """Its job goes on in another process, which has only what the first one sent."""
    program = PROGRAMS["for a process of its own"].replace("sum(rows)", "sum(rows) + 1")
    jobs = [Job(submission=handed_in(program), causes_later=True)]
    setup = context.worker_setup(context.grader_setup())
    ((_, whole),) = grade_in_turn(setup, iter(jobs))
    total = len(context.specification.plan.scenarios)
    visible = sum(
        one.visibility is Visibility.VISIBLE for one in context.specification.plan.scenarios
    )
    for death in (visible, total):
        dying = DyingSetup(setup, tmp_path / str(death), deaths=(death,))
        with WorkerPool(1, "tests.grading.worker_that_dies") as pool:
            ((_, again),) = pool.run(dying, jobs)
        assert replace(again.result, pending=None) == replace(whole.result, pending=None)
        asked = dying.asked()
        assert len(asked) > total
        assert asked == sorted(asked, key=lambda visibility: visibility.rank)
