"""Runs every change of a reference against its scenarios."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.grading import FailureJob, GradingContext, search_failures
from harness.model.assignment import SourceFile
from harness.model.plan import Plan
from harness.model.specification import Specification
from harness.model.study.reports import ChangeOutcome, Equivalent, PairOutcome, StrengthReport
from harness.model.submission import Submission
from harness.results import write_strength
from harness.study.strength.generating import Change, changes, combined, pairs, with_change
from harness.study.strength.known import Known
from harness.study.strength.tallying import place, report

_MOST_NAMED = 5  # scenarios kept for a change

Progress = Callable[[str, int, int], None]


def measure(
    context: GradingContext,
    equivalents: Sequence[Equivalent],
    *,
    cache: Path,
    jobs: int | None = None,
    most_pairs: int = 0,
    progress: Progress = lambda what, done, total: None,
) -> StrengthReport:
    """For each change of the reference, and for at most `most_pairs` pairs of changes: which scored
    scenario notices it, if any.

    A change is tried with the scenarios of its own function first. Results are stored below `cache`
    by content, those of an interrupted run too; `harness.results.latest_strength` reads the report
    again. Raises UserError when the generator of changes is not installed.
    """
    specification = context.specification
    progress("making the changes", 0, 0)
    made = changes(specification.reference)
    known = Known.open(cache, context, _MOST_NAMED)
    singles = [_program(specification, change) for change in made]
    run = _Run(context, known, jobs, progress)
    run(singles, [_own(specification.plan, each) for each in made])
    reasons = {place(each): each.why for each in equivalents}
    outcomes = [
        _outcome(change, known.found[program.digest], reasons)
        for change, program in zip(made, singles, strict=True)
    ]
    among = [number for number, each in enumerate(outcomes) if each.noticed_by]
    chosen = {
        pair: program
        for pair in pairs(made, among, most_pairs)
        if (program := _program_of_two(specification, made[pair[0]], made[pair[1]])) is not None
    }
    own = [_own(specification.plan, made[first]) for first, _ in chosen]
    run(list(chosen.values()), own)
    found = report(
        specification.plan,
        outcomes,
        [
            PairOutcome(first=first, second=second, noticed_by=known.found[program.digest])
            for (first, second), program in chosen.items()
        ],
        equivalents,
    )
    write_strength(cache, found)
    return found


@dataclass(frozen=True, slots=True)
class _Run:
    """Has it known what programs fail first."""

    context: GradingContext
    known: Known
    workers: int | None
    progress: Progress

    def __call__(self, programs: Sequence[Submission], own: Sequence[frozenset[str]]) -> None:
        """`own` are, by program, the scenarios to try first."""
        jobs = {
            program.digest: FailureJob(submission=program, first=first, most=_MOST_NAMED)
            for program, first in zip(programs, own, strict=True)
            if program.digest not in self.known.found
        }
        done = len(programs) - len(jobs)
        try:
            for job, found in search_failures(self.context, list(jobs.values()), self.workers):
                self.known.add(job.submission.digest, found.scenarios)
                done += 1
                self.progress("changed programs", done, len(programs))
        finally:
            self.known.save()


def _own(plan: Plan, change: Change) -> frozenset[str]:
    """The scenarios of the function; where it has none, those of the program that is its file."""
    for name in (change.function, change.file):
        own = frozenset(each.id for each in plan.scenarios if each.function == name)
        if own:
            return own
    return frozenset()


def _program(specification: Specification, change: Change) -> Submission:
    return _submission(with_change(specification.reference, change))


def _program_of_two(
    specification: Specification, first: Change, second: Change
) -> Submission | None:
    original = next(file for file in specification.reference if file.name == first.file)
    text = combined(original, first, second)
    if text is None:
        return None
    return _submission(with_change(specification.reference, replace(first, text=text)))


def _submission(program: tuple[SourceFile, ...]) -> Submission:
    made = Submission(id="change", files=program, origin="the reference")
    return replace(made, id=f"change-{made.digest[:12]}")


def _outcome(
    change: Change, noticed_by: tuple[str, ...], reasons: Mapping[tuple[str, str, str, str], str]
) -> ChangeOutcome:
    outcome = ChangeOutcome(
        file=change.file,
        function=change.function,
        line=change.line,
        operator=change.operator,
        before=change.before,
        after=change.after,
        noticed_by=noticed_by,
    )
    return replace(outcome, why=reasons.get(place(outcome), ""))
