"""Grading with the shared run: the same results as with every scenario alone, and the checks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import load_assignment
from harness.execution import SharedGroup, SharedOutcome, ShouldRetain, SubmissionServer
from harness.execution.inside.messages.exceptions import Sources
from harness.grading import grader
from harness.grading.context import GradingContext, isolated, prepare
from harness.grading.grader import Graded, Grader
from harness.grading.observing import answer_key
from harness.grading.observing.answer_key import make_key
from harness.grading.observing.draws import Source, StimulusId
from harness.grading.observing.shared_process.checked import CheckedObserver
from harness.grading.observing.shared_process.shared_run import (
    DifferingDraw,
    SharedRunResult,
    SharedRuns,
    SharedStimulus,
)
from harness.grading.validation.again import isolation_problems
from harness.judging.judge import Judge
from harness.model.expectation import AnswerKey, Expectation, Expected
from harness.model.observation import Ending, Isolation, Observation, Phase
from harness.model.plan import Specification
from harness.model.policy import PolicyReport, Sharing
from harness.model.stimulus import Limits, Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import VerdictKind
from harness.results.reuse import SharedPass
from harness.stimuli.call import Call
from tests import plans
from tests.inline import DRIVERS, grader_of, handed_in
from tests.tiny_course import Course

SUPPORT = "SIZE = 3\nNAMES = ['x', 'o']\n"
REFERENCE = """\
from support import *
def fresh() -> list:
    return [0] * SIZE
def count(rows: list) -> int:
    return len(rows)
def ask() -> str:
    print(input("name? "))
    return NAMES[0]
def after(rows: list) -> list:
    return [row + 1 for row in rows]
if __name__ == "__main__":
    print(fresh())
"""
SETTINGS = """\
provided: [support.py]
functionality_marks: 4
limits: {cpu_seconds: 0.3}
policy: policy.yaml
"""
SCENARIOS = """\
function: after
scenarios:
  - {name: a fresh one, function: fresh, constants: {SIZE: [2, 3, 4]}, call: fresh()}
  - {name: again, function: fresh, call: fresh()}
  - {name: its length, function: fresh, constants: {SIZE: [2, 3, 4]}, call: len(fresh())}
  - {name: counts, function: count, call: "count([1, 2])"}
  - {name: counts none, function: count, call: "count([])"}
  - {name: asks, function: ask, call: ask(), input: [me]}
  - {name: the program, function: ask, run: a1.py}
  - {name: first, call: "after([10, 11, 12])"}
  - {name: second, call: "after([ 11, 12,13])"}
  - {name: third, call: "after([12, 13, 14])"}
  - {name: before, call: "after([9, 10, 11])"}
  - {name: also before, call: "after([9, 10,11])"}
  - {name: short, call: "after([1])"}
  - {name: in between, call: "after([2])"}
"""


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    files = {"specs/small/policy.yaml": "{}\n", "reference/small/support.py": SUPPORT}
    folder = tmp_path_factory.mktemp("course")
    course = Course.small(folder, "small", REFERENCE, SCENARIOS, SETTINGS, **files)
    return prepare(load_assignment(course.root, "small"))


@pytest.fixture(scope="module")
def together(context: GradingContext) -> Iterator[Grader]:
    with grader_of(context, secret=b"1") as grader:
        yield grader


@pytest.fixture(scope="module")
def alone(context: GradingContext) -> Iterator[Grader]:
    with grader_of(context, isolated(context.specification).plan, digests=True) as grader:
        yield grader


PROGRAMS = {
    "the reference": (REFERENCE, ""),
    "another wording": (REFERENCE.replace("name?", "who?"), ""),
    "a wrong result": (REFERENCE.replace("len(rows)", "len(rows) + 1"), ""),
    "an exception": (REFERENCE.replace("len(rows)", "rows[0]"), ""),
    "a loop": (REFERENCE.replace("return len(rows)", "while True:\n        pass"), ""),
    "a missing function": (REFERENCE.replace("def count", "def counts"), ""),
    "a global": (
        REFERENCE.replace("    return len", "    global n\n    n = 1\n    return len"),
        "line 5: `global n`",
    ),
    "a list that grows": (
        REFERENCE.replace("    return len", "    SEEN.append(1)\n    return len") + "SEEN = []\n",
        "`SEEN`, a list at module level, was changed by all/counts",
    ),
    "a provided list that grows": (
        REFERENCE.replace("    return len", "    NAMES.append(1)\n    return len"),
        "`NAMES`, a list at module level, was changed by all/counts",
    ),
    "a text while it is loaded": (REFERENCE + "print(1)\n", "it prints while it is loaded"),
    "an iterator": (
        REFERENCE + "ROWS = iter([1])\n",
        "`ROWS`, a list_iterator at module level, may change unseen",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_shared_and_separate_processes_give_equal_results(
    together: Grader, alone: Grader, name: str
) -> None:
    program, reason = PROGRAMS[name]
    shared, apart = (grader.grade(handed_in(program)).result for grader in (together, alone))
    assert shared.isolation is (Isolation.ALONE if reason else Isolation.SHARED)
    assert shared.isolation_reason == reason
    assert apart.isolation is Isolation.ALONE
    assert replace(shared, isolation=Isolation.ALONE, isolation_reason="") == apart


def test_the_address_of_an_object_is_not_a_difference(
    context: GradingContext, alone: Grader
) -> None:
    program = handed_in(REFERENCE.replace("len(rows)", "str(count)  # its address"))
    with grader_of(context, secret=b"1", digests=True) as shared:
        assert shared.grade(program).observed_digests == alone.grade(program).observed_digests


class Kept:
    """What a graded submission left for the next run."""

    def __init__(self, graded: Graded) -> None:
        self._graded = graded
        self.asked: set[str] = set()

    def passed_shared(self, key: str) -> bool:
        return self._graded.runs.get(key) is SharedPass.PASSED

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        found = self._graded.runs.get(key)
        assert found is not SharedPass.PASSED
        if found is not None:
            self.asked.add(key)
        return found

    def verdict(self, key: str) -> None:
        return None


def test_only_kept_results_of_a_shared_run_are_used_next(together: Grader, alone: Grader) -> None:
    first = together.grade(handed_in(REFERENCE))
    assert SharedPass.PASSED in first.runs.values()
    again = together.grade(handed_in(REFERENCE), Kept(first))
    assert again.runs == {}
    assert again.result == first.result
    apart = Kept(first)
    alone.grade(handed_in(REFERENCE), apart)
    assert all(first.runs[key] for key in apart.asked)


@contextmanager
def serving_reference(context: GradingContext) -> Iterator[Any]:
    """A server of the reference."""
    specification = context.specification
    with (
        DRIVERS.lend(context.interpreter, context.tier.tier) as driver,
        driver.submission(specification.plan.assignment, specification.reference) as server,
    ):
        yield server


def test_the_audit_has_one_scenario_of_each_function_by_a_secret(context: GradingContext) -> None:
    plan = context.specification.plan
    function_of = {scenario.id: scenario.function for scenario in plan.scenarios}
    audits = set()
    with serving_reference(context) as server:
        for secret in range(8):
            together = SharedRuns(plan, context.key, bytes([secret])).run(server, plan.scenarios)
            chosen = [function_of[name.scenario] for name in together.audit]
            # What is asked of `ask` and of the program once has nothing to share a process with.
            assert sorted(chosen) == ["after", "count", "fresh"]
            again = SharedRuns(plan, context.key, bytes([secret])).run(server, plan.scenarios)
            assert again.audit == together.audit
            audits.add(together.audit)
    assert len(audits) > 1  # another secret, another choice


@pytest.mark.parametrize("secret", [b"1", b"2", b"3"])
def test_a_question_that_answers_another_is_later(context: GradingContext, secret: bytes) -> None:
    """What a program remembers of a question, in whatever way, answers none that comes later."""
    plan = context.specification.plan
    asked = []
    with serving_reference(context) as server, pytest.MonkeyPatch.context() as patch:
        together = server.observe_together
        patch.setattr(server, "observe_together", lambda *a: asked.append(a) or together(*a))
        shared = SharedRuns(plan, context.key, secret)
        digests = shared.expected_digests(server)
        shared.run(server, plan.scenarios)
    after = {each.id for each in plan.scenarios if each.function == "after"}
    names = {name.rpartition("/")[2] for name in digests if name in after}
    # The first one's question shows the answer of the two before, which are asked elsewhere.
    assert names == {"first", "second", "third", "short", "in-between", "before", "also-before"}
    processes = [b"".join(g.jobs[number].question for number in numbers) for g, numbers, _ in asked]
    assert not any(b"after([10, 11" in each and b"after([9, 10" in each for each in processes)
    questions = [group.jobs[number].question for group, numbers, _ in asked for number in numbers]
    places = [
        next(place for place, packed in enumerate(questions) if text in packed)
        for text in (b"after([10, 11", b"after([ 11, 12", b"after([12, 13")
    ]
    assert places == sorted(places)


STIMULUS = Stimulus(action=Call(expression="f()"))
RIGHT = Observation(ending=Ending.ANSWERED, exit_status=1)
WRONG = Observation(ending=Ending.ANSWERED, exit_status=2)
ONLY = plans.scenario("f/only", stimuli=(STIMULUS,))
NAME = StimulusId("f/only", 0)
PASSED = SharedRunResult(passed={NAME: RIGHT})
AUDITED = replace(PASSED, audit=frozenset({NAME}))
DIFFERS = SharedRunResult(differs={NAME: RIGHT})


class Answering:
    """A server that answers its stimuli with these, and keeps the numbers of those it was asked."""

    def __init__(self, answers: Mapping[Stimulus, Observation]) -> None:
        self._answers = answers
        self.asked: list[int] = []

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        self.asked.append([*self._answers].index(stimulus))
        return self._answers[stimulus]


@pytest.mark.parametrize(
    ("together", "alone", "refuted"),
    [
        (PASSED, WRONG, False),
        (AUDITED, RIGHT, False),
        (AUDITED, WRONG, True),
        (AUDITED, Observation(ending=Ending.CPU_LIMIT), False),
        (AUDITED, Observation(ending=Ending.OUTPUT_LIMIT), True),
        (DIFFERS, WRONG, False),
        (DIFFERS, RIGHT, True),
        (SharedRunResult(), RIGHT, False),
    ],
)
def test_a_contradicting_single_run_refutes_the_proof(
    together: SharedRunResult, alone: Observation, refuted: bool
) -> None:
    checked = CheckedObserver(Answering({STIMULUS: alone}), together)
    checked.observe_draw(ONLY, 0, Limits())
    assert (checked.refuted == NAME) is refuted


@pytest.mark.parametrize("data", [b"", b"{}", b"x"])
def test_a_reply_that_shows_nothing_does_not_equal_the_reference(data: bytes) -> None:
    entry = SharedStimulus(scenario=ONLY, index=0, reference=RIGHT, lot=b"")
    assert not entry.is_equal(data)


DRAWS = tuple(Stimulus(action=Call(expression=f"f({size})")) for size in range(3))
SAMPLE = plans.scenario("f/sample", stimuli=DRAWS, is_sample=True)


def differing(n: int, data: bytes) -> DifferingDraw:
    entry = SharedStimulus(scenario=SAMPLE, index=n, reference=RIGHT, lot=b"")
    return DifferingDraw(entry=entry, data=data, sources=Sources({}))


def answered(number: int) -> Observation:
    value = Value(kind=ValueKind.INT, text=str(number))
    return Observation(ending=Ending.ANSWERED, phase=Phase.STIMULUS, value=value)


@pytest.mark.parametrize(
    ("right_alone", "right_together", "asked"),
    [
        (-1, -1, [0]),  # one that failed alone decides, the others are counted
        (0, -1, [0, 1]),  # the first did not fail alone
        (-1, 1, [0, 1]),  # nothing passes that was not observed alone
    ],
)
def test_draws_after_a_failing_one_are_taken_from_the_shared_run(
    right_alone: int, right_together: int, asked: list[int]
) -> None:
    draws = {}
    for index in range(len(DRAWS)):
        number = 0 if index == right_together else 7
        data = f'{{"phase":"stimulus","value":["int","{number}"]}}\n\n'.encode()
        draws[StimulusId(SAMPLE.id, index)] = differing(index, data)

    judge = Judge(Expectation(stated=Expected(), reference=answered(0)), STIMULUS)
    answers = {each: answered(0 if at == right_alone else 7) for at, each in enumerate(DRAWS)}
    server = Answering(answers)
    checked = CheckedObserver(server, SharedRunResult(draws=draws), lambda *draw: judge)
    found = [checked.observe_draw(SAMPLE, index, Limits()) for index in range(3)]
    assert server.asked == asked
    for index, draw in enumerate(found):
        assert draw.source is (Source.ALONE if index in asked else Source.SHARED_FAILURE)
    values = [draw.observation.value for draw in found]
    assert any(value is not None and value.text != "0" for value in values)


def test_a_report_that_is_none_is_not_read() -> None:
    stub = b'{"phase":"stimulus"}\n\ni9,x\n'
    for data in (b"", b"{}", b"[\n\n\n", stub, b"[" * 9999 + b"\n\n\n"):
        assert differing(0, data).observation() is None


def test_a_refuted_proof_costs_all_shared_passes(
    context: GradingContext, together: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shared run that takes everything for right, as a broken proof would."""
    wrong = REFERENCE.replace("len(rows)", "len(rows) + 1")
    real = SubmissionServer.observe_together

    def broken(server: object, *arguments: Any) -> SharedOutcome:
        with serving_reference(context) as reference:
            return real(reference, *arguments)

    monkeypatch.setattr(SubmissionServer, "observe_together", broken)
    graded = together.grade(handed_in(wrong))
    assert "behaves differently in its own process" in graded.result.isolation_reason
    assert graded.result.isolation is Isolation.ALONE
    assert not graded.result.flagged
    assert SharedPass.PASSED not in graded.runs.values()
    kinds = [each.verdict.kind for each in graded.result.scenarios if "/count" in each.scenario_id]
    assert kinds == [VerdictKind.FAILED] * 2


def test_a_change_that_is_seen_once_is_enough_and_nothing_is_kept_of_the_second_look(
    together: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = []

    def changes_once(
        server: object,
        group: SharedGroup,
        order: Sequence[int],
        should_retain: ShouldRetain,
        most: float | None,
    ) -> SharedOutcome:
        kept.append(should_retain(order[0], b"something else"))
        if len(kept) == 1:
            return SharedOutcome(answers={}, refused="`NAMES`, a list,", changed_by=order[0])
        return SharedOutcome(answers={})

    monkeypatch.setattr(SubmissionServer, "observe_together", changes_once)
    result = together.grade(handed_in(REFERENCE)).result
    assert result.isolation is Isolation.ALONE
    assert result.isolation_reason.startswith("`NAMES`, a list, was changed by ")
    assert kept == [False, False]


def test_a_course_keeps_its_secret(tmp_path: Path, context: GradingContext) -> None:
    def secret(cache: Path | None) -> bytes:
        return prepare(context.specification, cache=cache).secret

    first = secret(tmp_path / "cache")
    assert len(first) == 32
    assert secret(tmp_path / "cache") == first
    assert secret(tmp_path / "other") != first
    assert secret(None) != secret(None)
    (file,) = (tmp_path / "cache").glob("audit-key*")
    assert file.stat().st_mode & 0o077 == 0


# State that only the names keep a program away from.
OUTSIDE = {
    "an attribute of another module": "    import sys as place\n",
    "an attribute of a library's class": "    from abc import ABC as place\n",
}
COUNTING = """\
    place.seen = getattr(place, "seen", 0) + 1
    return len(rows) + (place.seen > 1)"""


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_run_without_a_look_at_the_names_is_found_out(
    together: Grader, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = handed_in(REFERENCE.replace("    return len(rows)", OUTSIDE[name] + COUNTING))
    right = together.grade(program)
    assert right.result.isolation is Isolation.ALONE
    granted = PolicyReport(sharing=Sharing(allowed=True))
    monkeypatch.setattr(grader, "read_program", lambda *arguments: granted)
    wrong = together.grade(program)
    assert "behaves differently in its own process" in wrong.result.isolation_reason
    assert wrong.result.isolation is Isolation.ALONE
    assert wrong.result.scenarios == right.result.scenarios
    assert not isolation_problems(wrong, right)


Counter = Callable[[], int]


@pytest.fixture
def count_alone(monkeypatch: pytest.MonkeyPatch) -> Counter:
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
SLOW = REFERENCE.replace("return len", "sum(range(4 * 10**6))\n    return len")


@pytest.mark.parametrize("program", [REFERENCE, KEEPING, SLOW])
def test_both_ways_give_one_key(context: GradingContext, program: str) -> None:
    specification = with_reference(context.specification, program)
    assert key(context, specification) == key(context, isolated(specification))


def test_a_reference_that_may_share_runs_alone_for_the_audit_only(
    context: GradingContext, count_alone: Counter
) -> None:
    key(context, context.specification)
    audited = count_alone()
    assert 0 < audited < asked(context.specification)
    key(context, with_reference(context.specification, KEEPING))
    assert count_alone() - audited == asked(context.specification)


def test_a_failed_audit_runs_everything_in_its_own_process(
    context: GradingContext, count_alone: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = key(context, isolated(context.specification))
    together = answer_key._observe_together

    def wrong(*arguments: object) -> dict[Stimulus, Observation]:
        seen = together(*arguments)  # type: ignore[arg-type]
        return {each: replace(one, exit_status=7) for each, one in seen.items()}

    monkeypatch.setattr(answer_key, "_observe_together", wrong)
    before = count_alone()
    assert key(context, context.specification) == right
    assert count_alone() - before > asked(context.specification)


def test_slow_answers_are_measured_separately(context: GradingContext) -> None:
    found = key(context, with_reference(context.specification, SLOW))
    answers = [answer for each in found.scenarios for answer in each.answers]
    assert max(each.observation.cpu_seconds for each in answers) > 0.004


def test_a_shared_process_is_told_only_if_something_of_it_counts(together: Grader) -> None:
    """Whatever this program does is observed alone."""
    wrong = REFERENCE.replace("    return", "    raise ValueError\n    return")
    result = together.grade(handed_in(wrong)).result
    assert not any(entry.verdict.passed for entry in result.scenarios)
    assert (result.isolation, result.isolation_reason) == (Isolation.ALONE, "")
