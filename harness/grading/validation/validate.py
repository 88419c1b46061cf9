"""`harness validate`: everything that must agree before an assignment may grade anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from harness.common.words import rounded
from harness.grading.context import GradingContext, isolated
from harness.grading.engines import Job
from harness.grading.engines.local import run_jobs
from harness.grading.engines.processes import import_early
from harness.grading.grader import Graded
from harness.grading.observing.answer_key import Problem, key_disagreements
from harness.grading.validation.checks import (
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
    mutant_jobs,
    mutant_problems,
    outcome,
    reference_itself,
    trivial_programs,
)
from harness.matchers.kinds.texts import Matches
from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.model.specification import SampleExpectation
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
    with `isolation`, also that scenarios together and alone give the same results. The context must
    come from `prepare(…, refuse=False)`: what the reference does not do is reported here."""
    import_early()
    specification, plan = context.specification, context.specification.plan
    clauses, uncovered = coverage(plan)
    progress("second run", 0, 1)
    second_runs = [*second_run(context), *stand_in_problems(context)]
    problems = [*_reference_problems(context), *uncovered, *second_runs]
    trivial = trivial_programs(specification)
    handed_in = [*trivial, *(each.submission for each in samples), reference_itself(specification)]
    programs = [*mutant_jobs(specification), *(Job(submission=each) for each in handed_in)]
    graded = _run(context, programs, jobs, progress, digests=isolation)
    if isolation:
        alone = replace(context, specification=isolated(specification))
        pairs = zip(graded, _run(alone, programs, jobs, progress, digests=True), strict=True)
        problems += [problem for pair in pairs for problem in isolation_problems(*pair)]
    results = (each.result for each in graded)  # taken in the order of the programs
    outcomes = tuple(map(outcome, specification.mutants, results))
    scores = tuple(map(_trivial, islice(results, len(trivial))))
    pairs_of_samples = zip(samples, results, strict=False)
    sampled = tuple(compare(result, each.expected, plan) for each, result in pairs_of_samples)
    (itself,) = results
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
        trivial=scores,
        problems=tuple(problems),
        advice=(*_value_in_the_way(itself.isolation_reason), *_without_words(plan)),
    )


def _reference_problems(context: GradingContext) -> Iterator[Problem]:
    plan, key = context.specification.plan, context.key
    yield from key_disagreements(plan, key)
    yield from value_problems(plan, key, context.specification.reference)


CAUSES_AS_STATED = 0.9  # of the samples: blame is a likelihood, and one fault may look like two


def _sample_problems(samples: Sequence[SampleOutcome]) -> list[Problem]:
    """Also the samples with other causes than stated, where those are too many."""
    problems = [sample.problem("samples", part) for sample in samples for part in sample.parts]
    stated = [sample for sample in samples if sample.other_causes is not None]
    other = [sample for sample in stated if sample.other_causes]
    if len(stated) - len(other) >= CAUSES_AS_STATED * len(stated):
        return problems
    return problems + [each.problem("causes", each.other_causes or "") for each in other]


def _policy_problems(reference: SubmissionResult) -> list[Problem]:
    """What the policy finds in the reference, which would cost every submission like it."""
    problems = []
    for finding in reference.findings:
        message = finding.message
        if finding.word:
            message += f" (policy.yaml calls it {finding.word})"
        problems.append(Problem("policy", f"{finding.file}:{finding.line}", message))
    return problems


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
) -> list[Graded]:
    """The results in the order of the jobs."""
    graded: dict[int, Graded] = {}  # a sample may be called what a mutant is
    for job, found in run_jobs(context, jobs, workers, digests=digests, blame=True):
        graded[id(job)] = found
        progress("mutants and samples", len(graded), len(jobs))
    return [graded[id(job)] for job in jobs]


def _trivial(result: SubmissionResult) -> TrivialScore:
    return TrivialScore(
        name=result.id,
        mark=rounded(result.mark) if result.mark is not None else "-",
        out_of=rounded(result.out_of),
        passed=tuple(s.scenario_id for s in result.scenarios if s.verdict.passed and s.out_of),
    )
