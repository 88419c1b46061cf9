"""`harness validate`: everything that must agree before an assignment may grade anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from harness.grading.context import GradingContext, isolated
from harness.grading.engines import Job
from harness.grading.engines.local import run_jobs
from harness.grading.engines.processes import import_early
from harness.grading.grader import Graded
from harness.grading.observing.answer_key import CheckName, Problem, key_disagreements
from harness.grading.validation.again import (
    isolation_problems,
    printing_givens,
    second_run,
    stand_in_problems,
)
from harness.grading.validation.checks import (
    coverage,
    golden_count,
    shares,
    tolerances,
    value_problems,
)
from harness.grading.validation.known_programs import (
    mutant_jobs,
    mutant_outcome,
    mutant_problems,
    trivial_programs,
    trivial_score,
)
from harness.grading.validation.overstated import overstated
from harness.grading.validation.patterns import slow_patterns
from harness.grading.validation.report import SampleOutcome, ValidationReport
from harness.grading.validation.samples import Sample, compare, sample_problems
from harness.matchers.kinds.texts import Matches
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.result import SubmissionResult
from harness.model.submission import Submission

Progress = Callable[[str, int, int], None]


def validate(
    context: GradingContext,
    samples: tuple[Sample, ...],
    *,
    jobs: int | None = None,
    isolation: bool = False,
    progress: Progress = lambda what, done, total: None,
) -> ValidationReport:
    """Check the reference, goldens, coverage, repeatability, mutants and samples.

    With `isolation`, also check that shared and separate processes give the same results. The
    context must come from `prepare(…, refuse=False)`: the reference's disagreements come here.
    """
    import_early()
    specification, plan = context.specification, context.specification.plan
    clauses, uncovered = coverage(plan)
    progress("second run", 0, 1)
    problems = [*_reference_problems(context, uncovered)]
    programs = _Programs.of(context, samples)
    graded = programs.graded(context, jobs, digests=isolation, progress=progress)
    if isolation:
        separately = replace(context, specification=isolated(specification))
        alone = programs.graded(separately, jobs, digests=True, progress=progress)
        for together, apart in zip(graded.all(), alone.all(), strict=True):
            problems += isolation_problems(together, apart)
    mutants = tuple(map(mutant_outcome, specification.mutants, _results(graded.mutants)))
    sampled: list[SampleOutcome] = []
    for sample, result in zip(samples, _results(graded.samples), strict=True):
        sampled.append(compare(result, sample.expected, plan))
    reference = graded.reference.result
    problems += _policy_problems(reference)
    problems += mutant_problems(specification, mutants)
    problems += sample_problems(sampled)
    return ValidationReport(
        assignment=plan.assignment.id,
        scenarios=len(plan.scenarios),
        groups=len({scenario.group for scenario in plan.scenarios}),
        stimuli=sum(len(scenario.stimuli) for scenario in plan.scenarios),
        goldens=golden_count(plan),
        clauses=clauses,
        functions=shares(plan),
        mutants=mutants,
        samples=tuple(sampled),
        trivial=tuple(map(trivial_score, _results(graded.trivial))),
        problems=tuple(problems),
        tolerances=tolerances(plan),
        advice=tuple(_all_advice(context, graded.reference)),
        why_alone=why_alone(graded.all()),
    )


def _reference_problems(context: GradingContext, uncovered: Sequence[Problem]) -> Iterator[Problem]:
    """Yield disagreements of the reference with the scenarios or with itself; the `uncovered`
    clauses and scenarios come between the two."""
    specification = context.specification
    yield from key_disagreements(specification.plan, context.key)
    yield from value_problems(specification.plan, context.key, specification.reference)
    yield from uncovered
    yield from second_run(context)
    yield from stand_in_problems(context)


@dataclass(frozen=True, slots=True, kw_only=True)
class _GradedPrograms:
    """The results of all programs with a known right score."""

    mutants: Sequence[Graded]
    trivial: Sequence[Graded]
    samples: Sequence[Graded]
    reference: Graded

    def all(self) -> tuple[Graded, ...]:
        """Return all results; the last is the reference's."""
        return (*self.mutants, *self.trivial, *self.samples, self.reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Programs:
    """All programs with a known right score."""

    mutants: Sequence[Job]
    trivial: Sequence[Job]
    samples: Sequence[Job]
    reference: Job

    @staticmethod
    def of(context: GradingContext, samples: Sequence[Sample]) -> _Programs:
        """Return the programs of an assignment."""
        specification = context.specification
        reference = Submission(
            id="the-reference", files=specification.reference, origin="the reference"
        )
        return _Programs(
            mutants=mutant_jobs(specification),
            trivial=[Job(submission=program) for program in trivial_programs(specification)],
            samples=[Job(submission=sample.submission) for sample in samples],
            reference=Job(submission=reference),
        )

    def graded(
        self, context: GradingContext, workers: int | None, *, digests: bool, progress: Progress
    ) -> _GradedPrograms:
        """Grade all programs."""
        jobs = [*self.mutants, *self.trivial, *self.samples, self.reference]
        graded: dict[Job, Graded] = {}
        outcomes = run_jobs(context, jobs, workers, digests=digests, blame=True)
        for count, (job, found) in enumerate(outcomes, start=1):
            graded[job] = found
            progress("mutants and samples", count, len(jobs))
        return _GradedPrograms(
            mutants=[graded[job] for job in self.mutants],
            trivial=[graded[job] for job in self.trivial],
            samples=[graded[job] for job in self.samples],
            reference=graded[self.reference],
        )


def _results(graded: Sequence[Graded]) -> list[SubmissionResult]:
    return [grade.result for grade in graded]


def why_alone(graded: Sequence[Graded]) -> str | None:
    """Return why nothing was shared, as of the last program, the reference; None if some was."""
    if any(grade.shared for grade in graded):
        return None
    return graded[-1].result.isolation_reason or "no two scenarios may share a process"


def _policy_problems(itself: SubmissionResult) -> Iterator[Problem]:
    """Yield the policy's findings in the reference: they would cost every similar submission."""
    for found in itself.findings:
        message = found.message
        if found.word:
            message += f" (policy.yaml calls it {found.word})"
        yield Problem(CheckName.POLICY, f"{found.file}:{found.line}", message)


def _all_advice(context: GradingContext, reference: Graded) -> Iterator[str]:
    plan = context.specification.plan
    yield from _advice(reference, plan)
    yield from slow_patterns(plan, context.key, context.slowness)
    yield from printing_givens(context)
    yield from overstated(context)


def _advice(reference: Graded, plan: Plan) -> Iterator[str]:
    """Yield suggestions for improvement."""
    # The course could not speed up the sheet's own demands (files, a script that asks at once).
    if reference.not_plain:
        reason = reference.result.isolation_reason
        yield (
            f"slow: even the reference runs each scenario in its own process: {reason}. Hint: "
            "create such objects inside a function, so that scenarios can share a process"
        )
    found = [scenario.id for scenario in plan.scenarios if _shows_expression(scenario)]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield (
            f"hard to read: {found[0]}{more} would show students a regular expression. Hint: give "
            "it a name under patterns: in assignment.yaml and write {shows: its name}"
        )


def _shows_expression(scenario: Scenario) -> bool:
    """Return whether students of a failing submission would read a regular expression."""
    if scenario.visibility is Visibility.HIDDEN:
        return False
    for stated in (scenario.stated, *scenario.stated_cases):
        for part in stated.parts():
            if isinstance(part, Matches) and not part.words:
                return True
    return False
