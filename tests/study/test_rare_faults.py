"""What scenarios miss and `harness fuzz` finds: programs with full marks and one rare fault."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.assignment import load, load_for_fuzzing
from harness.grading.check import check_submissions, handed_in
from harness.grading.context import GradingContext, prepare
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.study import FuzzOptions, fuzz
from tests.study.rare_faults import FAULTS, ROOT, RareFault
from tests.tiny_course import Course

CPU_SECONDS = 120  # of one core, for drawing, comparing and shrinking


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_rare_fault_is_one_change_of_a_sample(fault: RareFault) -> None:
    for name, text in fault.files().items():
        compile(text, name, "exec")


def laid(fault: RareFault, folder: Path, context: GradingContext) -> Submission:
    folder.mkdir(parents=True)
    for name, text in fault.files().items():
        (folder / name).write_text(text, encoding="utf-8")
    (submission,) = handed_in([folder], context.specification.plan.assignment)
    return submission


@pytest.mark.release
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_has_full_marks_and_is_found(fault: RareFault, tmp_path: Path) -> None:
    cache = ROOT / ".harness-cache"
    specification, settings = load_for_fuzzing(ROOT, fault.assignment)
    context = prepare(specification, cache=cache, recall_tier=True)
    submission = laid(fault, tmp_path / fault.name, context)
    (before,) = check_submissions(context, [submission])
    assert before.all_passed
    assert before.mark is not None
    assert before.mark >= before.out_of
    start = sum(os.times()[:4])

    def stop(function: str, done: int, total: int, found: int) -> None:
        if found:
            raise KeyboardInterrupt

    options = FuzzOptions(jobs=1)
    report = fuzz(context, settings, [submission], options, cache=tmp_path, progress=stop)
    (found,) = report.submissions
    (difference,) = found.differences
    assert difference.function == (fault.shown_by or fault.function)
    assert sum(os.times()[:4]) - start < CPU_SECONDS
    copy = Course(tmp_path / "course")
    for kind in ("specs", "reference"):
        Course.copy(ROOT / kind / fault.assignment, copy.path(f"{kind}/{fault.assignment}"))
    pasted = "scenarios:\n" + difference.scenario
    copy.write(f"specs/{fault.assignment}/pasted.yaml", pasted)
    context = prepare(load(copy.root, fault.assignment), recall_tier=True, cache=cache)
    (after,) = check_submissions(context, [submission])
    (noticed,) = _failed(after) - _failed(before)  # informational scenarios may fail as before
    assert noticed.startswith("pasted/")


def _failed(result: SubmissionResult) -> set[str]:
    return {each.scenario_id for each in result.scenarios if not each.verdict.passed}
