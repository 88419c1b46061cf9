"""No code reads a sentence back: with each sentence replaced by its digest, all else stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.api import load_assignment
from harness.common import serial
from harness.execution import create_driver
from harness.grading.check import cohort_of, without_files
from harness.grading.context import prepare
from harness.grading.grader import Graded, Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.explanation import sentences
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.reporting.view.figures import ClassCauses, FailingCounter
from harness.reporting.view.own_lines import marked_lines
from harness.reporting.view.shown_causes import changes_return, outcomes
from harness.results.reuse import P, ResultCache, SharedPass, StoredRun
from harness.results.student_view import ALWAYS, EVERYTHING, student_view
from tests.grading.test_causes_of_submissions import ONE_FAULT, REFERENCE, course_in
from tests.tiny_course import FIXTURE

OURS = Path(harness.__file__).parents[1]
# The parts of an explanation that are sentences or pieces of them.
SENTENCES = frozenset({"sentence", "before", "after", "clause", "rest", "remarks"})


@dataclass
class SeenBefore(ResultCache):
    """What an earlier grading observed, and nothing that it judged."""

    runs: dict[str, StoredRun] = field(default_factory=dict)
    probes: dict[str, Any] = field(default_factory=dict)

    def passed_shared(self, key: str) -> bool:
        return self.runs.get(key) is SharedPass.PASSED

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        stored = self.runs.get(key)
        return stored if isinstance(stored, tuple) else None

    def probe(self, key: str, kind: type[P]) -> P | None:
        found = self.probes.get(key)
        return found if isinstance(found, kind) else None

    def add(self, graded: Graded) -> None:
        self.runs.update(graded.runs)
        self.probes.update(graded.probes)


def digest(sentence: str) -> str:
    return sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest()


def without_sentences(plain: Any, *, explains: bool = False) -> Any:
    """Return JSON of a result in which the sentences of explanations are left out."""
    if isinstance(plain, list):
        return [without_sentences(part, explains=explains) for part in plain]
    if not isinstance(plain, dict):
        return plain
    kept: dict[str, Any] = {}
    for name, part in plain.items():
        is_sentence = name in SENTENCES
        if name == "reason":  # of a fact: why a file cannot be read; else another fact
            is_sentence = isinstance(part, str)
        if not (explains and is_sentence):
            kept[name] = without_sentences(part, explains=explains or name == "explanation")
    return kept


def shown(result: SubmissionResult, plan: Plan) -> list[object]:
    """Return which checks and causes are shown together, and which lines are marked."""
    scenarios = {scenario.id: scenario for scenario in plan.scenarios}
    found: list[object] = []
    for visible in (ALWAYS, EVERYTHING):
        view = student_view(result, plan, visible=visible)
        for cause in view.causes:
            checks = [check.id for check in cause.checks]
            found.append((cause.function, checks, cause.hidden, cause.marks, cause.clauses))
            found.append((marked_lines(cause), changes_return(cause)))
        for lines in outcomes(view.shown, scenarios):
            found.append([[check.id for check in line.checks] for line in lines])
    return found


def of_class(results: Sequence[SubmissionResult], plan: Plan) -> list[object]:
    """Return how a class is counted."""
    causes, failing = ClassCauses(), FailingCounter(plan)
    for result in results:
        causes.add(result)
        failing.add(result)
    tallies = [*causes.causes(), *failing.most(), *failing.doubtful()]
    counted = [(t.kind, t.functions, t.count, t.marks, t.students, t.cause) for t in tallies]
    return [counted, causes.places()]


def left_of(result: SubmissionResult, plan: Plan) -> list[str]:
    """Return what `harness check` judges if only one of the files is there."""
    missing = plan.assignment.submission_files[1:]
    return [entry.scenario_id for entry in without_files(result, missing).scenarios]


def facts_of(results: Sequence[SubmissionResult], plan: Plan) -> list[object]:
    whole = [without_sentences(serial.to_plain(result)) for result in results]
    views = [(shown(result, plan), left_of(result, plan)) for result in results]
    return [whole, views, of_class(results, plan)]


def assert_nothing_reads_sentences(
    monkeypatch: pytest.MonkeyPatch,
    root: Path,
    assignment: str,
    folder: Path,
    cache_of_packages: Path | None = None,
) -> None:
    context = prepare(load_assignment(root, assignment), cache=cache_of_packages)
    spec = context.specification
    submissions = cohort_of([folder], spec.plan.assignment).submissions
    setup = GraderSetup(
        plan=spec.plan, key=context.key, reference=spec.reference, slowness=context.slowness
    )
    cache = SeenBefore()
    first: list[SubmissionResult] = []
    with (
        create_driver(context.interpreter, context.tier.tier) as driver,
        Grader(setup, driver) as grader,
    ):
        for submission in submissions:
            graded = grader.grade(submission)
            cache.add(graded)
            first.append(graded.result)
        expected = facts_of(first, spec.plan)
        monkeypatch.setattr(sentences, "as_shown", digest)
        again = [grader.grade(submission, cache).result for submission in submissions]
        assert facts_of(again, spec.plan) == expected
    said = [cause.message for result in again for cause in result.causes if cause.message]
    assert said and all(len(message) == len(digest("")) for message in said)  # it does replace


def test_no_sentence_of_one_function_or_of_several_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    course = course_in(tmp_path)
    for name in ("ann", "eve", "gus", "hal", "ida"):
        old, new, _ = ONE_FAULT[name]
        course.write(f"in/{name}/a1.py", REFERENCE.replace(old, new, 1))
    assert_nothing_reads_sentences(monkeypatch, course.root, "shop", course.path("in"))


def test_no_sentence_about_a_number_that_is_written_out_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    samples = FIXTURE / "submissions" / "tiny"
    assert_nothing_reads_sentences(monkeypatch, FIXTURE, "tiny", samples)


@pytest.mark.release
@pytest.mark.parametrize(
    "assignment", ["connect4ish", "naughts-crosses", "cs112-p4", "comp1005-a3"]
)
def test_no_decision_reads_sentences_about_a_sample(
    monkeypatch: pytest.MonkeyPatch, assignment: str
) -> None:
    samples = OURS / "submissions" / assignment
    assert_nothing_reads_sentences(monkeypatch, OURS, assignment, samples)


EXAMPLES = sorted(path.name for path in (OURS / "examples").glob("*") if (path / "specs").is_dir())


@pytest.mark.release
@pytest.mark.parametrize("example", EXAMPLES)
def test_no_decision_reads_sentences_about_a_sample_of_an_example(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, example: str
) -> None:
    root = OURS / "examples" / example
    samples = root / "submissions"
    assert_nothing_reads_sentences(monkeypatch, root, example, samples, tmp_path)
