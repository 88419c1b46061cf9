"""Whether the check in a browser begins with the thing that `harness check` begins with:
`python -m benchmarks.first_card [ASSIGNMENT…]`.

Every sample of an assignment is checked twice: with the reference, as `harness check` does, and
without it, as in a browser. A sample counts if either has anything to fix; it agrees if the first
thing is in the same function or, if no function is to blame, has the same rule.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.causes import ROOTS
from harness.assignment.loading import available, load
from harness.execution import create_driver
from harness.grading.check import check_submissions, not_here, submitted, without_files
from harness.grading.context import GradingContext, prepare, visible_only
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.packaging.handout import student_key, student_plan
from harness.packaging.web.callees_first import callees_first
from harness.results.redaction import ShownCause
from harness.results.student_view import student_view


def main() -> None:
    """Print a line for each assignment, one for each sample that differs, and the sum."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT")
    wanted = parser.parse_args().assignments
    same = 0
    total = 0
    for root in ROOTS:
        for name in available(root):
            if wanted and name not in wanted:
                continue
            agreeing, counted = measure(root, name)
            same += agreeing
            total += counted
    print(f"all: {same} of {total} samples have the same first card")


def measure(root: Path, name: str) -> tuple[int, int]:
    """Return how many samples of an assignment agree, and how many have anything to fix."""
    context = prepare(visible_only(load(root, name)), cache=root / ".harness-cache")
    above = root / "submissions"
    if (above / name).is_dir():
        above /= name
    same = 0
    total = 0
    for sample in sorted({path.parent for path in above.glob("*/*.py")}):
        with_reference, without = first_cards(context, sorted(sample.glob("*.py")))
        if not with_reference and not without:
            continue
        total += 1
        if with_reference == without:
            same += 1
        else:
            print(f"  {name}/{sample.name}: check {with_reference}, browser {without}", flush=True)
    print(f"{name}: {same} of {total}", flush=True)
    return same, total


def first_cards(context: GradingContext, paths: list[Path]) -> tuple[str, str]:
    """Return what comes first with the reference and without it; empty if there is nothing."""
    assignment = context.specification.plan.assignment
    submissions = submitted(paths, assignment)
    absent = not_here(paths, assignment)
    (checked,) = check_submissions(context, submissions)
    with_reference = shown_causes(without_files(checked, absent), context.specification.plan)

    plan = student_plan(context.specification)
    setup = GraderSetup(plan=plan, key=student_key(context, plan))
    with (
        create_driver(context.interpreter, context.tier.tier) as driver,
        Grader(setup, driver) as grader,
    ):
        alone = grader.grade(submissions[0]).result
    without = shown_causes(without_files(alone, absent), plan)
    return first(with_reference), first(callees_first(without, submissions[0].files))


def shown_causes(result: SubmissionResult, plan: Plan) -> tuple[ShownCause, ...]:
    """Return the causes that a student's page shows, in its order."""
    return student_view(result, plan).causes


def first(causes: tuple[ShownCause, ...]) -> str:
    """Return the function of the first cause, or its rule if it blames no function."""
    if not causes:
        return ""
    explanation = causes[0].explanation
    rule = ""
    if explanation is not None:
        rule = explanation.rule
    return causes[0].function or rule or "hidden"


if __name__ == "__main__":
    main()
