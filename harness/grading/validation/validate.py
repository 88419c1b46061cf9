"""`harness validate`: everything that must agree before an assignment may grade anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from harness.common.words import rounded
from harness.grading.context import GradingContext, isolated
from harness.grading.engines import Job
from harness.grading.engines.local import run_jobs
from harness.grading.engines.processes import import_early
from harness.grading.grader import Graded
from harness.grading.observing.answer_key import key_disagreements
from harness.grading.validation.checks import (
    Problem,
    SampleOutcome,
    TrivialScore,
    ValidationReport,
    coverage,
    golden_count,
    isolation_problems,
    second_run,
    shares,
    stand_in_problems,
    value_problems,
)
from harness.grading.validation.programs import (
    compare,
    has_functions,
    mutant_jobs,
    mutant_problems,
    outcome,
    reference_itself,
    returns_none,
    untouched_stub,
)
from harness.matchers.kinds.texts import Matches
from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.model.specification import SampleExpectation, Specification
from harness.model.submission import Submission

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample submission and what its expect.yaml says of it."""

    submission: Submission
    expected: SampleExpectation


def validate(
    context: GradingContext,
    samples: tuple[Sample, ...],
    *,
    jobs: int | None = None,
    isolation: bool = False,
    progress: Progress = lambda what, done, total: None,
) -> ValidationReport:
    """Check the reference, goldens, coverage, repeatability, mutants and samples of one assignment;
    with `isolation`, also that scenarios together and alone give the same results.

    The context must come from `prepare(…, refuse=False)`: disagreements between the reference
    and the goldens are reported here.
    """
    import_early()
    specification, plan = context.specification, context.specification.plan
    clauses, uncovered = coverage(plan)
    problems = [*_reference_problems(context), *uncovered, *_second_runs(context, progress)]
    programs = _Programs.of(specification, samples)
    graded = _run(context, programs.all(), jobs, progress, digests=isolation)
    results = {name: each.result for name, each in graded.items()}
    if isolation:
        alone = replace(context, specification=isolated(specification))
        apart = _run(alone, programs.all(), jobs, progress, digests=True)
        pairs = ((graded[id(job)], apart[id(job)]) for job in programs.all())
        problems += [found for pair in pairs for found in isolation_problems(*pair)]
    itself = results[id(programs.itself)]
    killed = zip(specification.mutants, programs.mutants, strict=True)
    outcomes = tuple(outcome(mutant, results[id(job)]) for mutant, job in killed)
    handed_in = zip(samples, programs.samples, strict=True)
    sampled = tuple(compare(results[id(job)], each.expected, plan) for each, job in handed_in)
    problems += [
        *_policy_problems(itself),
        *mutant_problems(specification, outcomes),
        *_sample_problems(sampled),
    ]
    return ValidationReport(
        assignment=plan.assignment.id,
        scenarios=len(plan.scenarios),
        groups=len({scenario.group for scenario in plan.scenarios}),
        stimuli=sum(len(scenario.stimuli) for scenario in plan.scenarios),
        goldens=golden_count(plan),
        clauses=clauses,
        functions=shares(plan),
        mutants=outcomes,
        samples=sampled,
        trivial=tuple(_trivial(results[id(job)]) for job in programs.trivial),
        problems=tuple(problems),
        advice=(*_value_in_the_way(itself.isolation_reason), *_without_words(plan)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Programs:
    """What is graded for a validation."""

    mutants: tuple[Job, ...]
    trivial: tuple[Job, ...]
    samples: tuple[Job, ...]
    itself: Job

    @classmethod
    def of(cls, specification: Specification, samples: tuple[Sample, ...]) -> _Programs:
        makers = [untouched_stub] if specification.reference else []
        # Without functions it would be the reference, which of course has full marks.
        makers += [returns_none] if has_functions(specification) else []
        return cls(
            mutants=tuple(mutant_jobs(specification)),
            trivial=tuple(Job(submission=make(specification)) for make in makers),
            samples=tuple(Job(submission=sample.submission) for sample in samples),
            itself=Job(submission=reference_itself(specification)),
        )

    def all(self) -> list[Job]:
        return [*self.mutants, *self.trivial, *self.samples, self.itself]


def _reference_problems(context: GradingContext) -> list[Problem]:
    specification = context.specification
    disagreements = key_disagreements(specification.plan, context.key)
    problems = [
        Problem(
            check="goldens",
            place=str(found.scenario.place),
            message=f"{found.scenario.id}: {found.sentence}",
        )
        for found in disagreements
    ]
    return [*problems, *value_problems(specification.plan, context.key, specification.reference)]


def _second_runs(context: GradingContext, progress: Progress) -> list[Problem]:
    progress("second run", 0, 1)
    specification, key = context.specification, context.key
    interpreter, tier = context.interpreter, context.tier.tier
    return [
        *second_run(specification, key, interpreter, tier),
        *stand_in_problems(specification, key, interpreter, tier),
    ]


def _sample_problems(sampled: Sequence[SampleOutcome]) -> list[Problem]:
    problems = [
        Problem(check="samples", place=f"{sample.name}/expect.yaml", message=part)
        for sample in sampled
        for part in sample.parts
    ]
    return [*problems, *_cause_problems(sampled)]


CAUSES_AS_STATED = 0.9  # of the samples: blame is a likelihood, and one fault may look like two


def _cause_problems(samples: Sequence[SampleOutcome]) -> list[Problem]:
    """The samples with other causes than stated, where those are too many."""
    stated = [sample for sample in samples if sample.other_causes is not None]
    other = [sample for sample in stated if sample.other_causes]
    if len(stated) - len(other) >= CAUSES_AS_STATED * len(stated):
        return []
    return [
        Problem(check="causes", place=f"{each.name}/expect.yaml", message=each.other_causes or "")
        for each in other
    ]


def _policy_problems(reference: SubmissionResult) -> list[Problem]:
    """What the policy finds in the reference, which would cost every submission like it."""
    return [
        Problem(
            check="policy",
            place=f"{found.file}:{found.line}",
            message=found.message + (f" (policy.yaml calls it {found.word})" if found.word else ""),
        )
        for found in reference.findings
    ]


def _value_in_the_way(reason: str) -> Iterator[str]:
    """The reason, where it is a value that cannot be compared: what a sheet asks for (files, a
    script that asks at once) is nothing that the course could make faster."""
    if reason.endswith("may change unseen"):
        yield (
            f"slower than need be: even the reference runs each scenario alone: {reason}. Hint: "
            "what is made inside a function instead lets scenarios run together"
        )


def _without_words(plan: Plan) -> Iterator[str]:
    """The visible scenarios of which a student would read a regular expression."""
    found = [
        scenario.id
        for scenario in plan.scenarios
        if scenario.visibility is not Visibility.HIDDEN
        and any(
            isinstance(part, Matches) and not part.words
            for stated in (scenario.stated, *scenario.stated_cases)
            for part in stated.parts()
        )
    ]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield (
            f"hard to read: {found[0]}{more} would show students a regular expression. Hint: name "
            "it under patterns: in assignment.yaml and write {shows: its name}"
        )


def _run(
    context: GradingContext,
    jobs: list[Job],
    workers: int | None,
    progress: Progress,
    *,
    digests: bool,
) -> dict[int, Graded]:
    """Each job's result by the job's identity: a sample may be called what a mutant is."""
    results: dict[int, Graded] = {}
    for job, graded in run_jobs(context, jobs, workers, digests=digests, blame=True):
        results[id(job)] = graded
        progress("mutants and samples", len(results), len(jobs))
    return results


def _trivial(result: SubmissionResult) -> TrivialScore:
    return TrivialScore(
        name=result.id,
        mark=rounded(result.mark) if result.mark is not None else "-",
        out_of=rounded(result.out_of),
        passed=tuple(s.scenario_id for s in result.scenarios if s.verdict.passed and s.out_of),
    )
