"""`harness validate`: everything that must agree before an assignment may grade anybody. Of some
programs it is known what they must score: mutants, samples, and programs that do nothing."""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from harness.common.words import rounded
from harness.grading.context import GradingContext, isolated
from harness.grading.engines import Job
from harness.grading.engines.local import run_jobs
from harness.grading.engines.processes import import_early
from harness.grading.grader import Graded
from harness.grading.observing.answer_key import Problem, key_disagreements
from harness.grading.stub import handed_out_stubs
from harness.grading.validation.checks import (
    MutantOutcome,
    SampleOutcome,
    TrivialScore,
    ValidationReport,
    coverage,
    golden_count,
    isolation_problems,
    needs_scenario,
    second_run,
    shares,
    stand_in_problems,
    tolerances,
    value_problems,
)
from harness.grading.validation.patterns import slow_patterns
from harness.matchers.kinds.texts import Matches
from harness.model.plan import (
    ExpectedCause,
    Mutant,
    Plan,
    SampleExpectation,
    SourceFile,
    Specification,
    Visibility,
    glob,
)
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.model.verdict import Explanation, Verdict

Progress = Callable[[str, int, int], None]
CAUSES_AS_STATED = 0.9  # of the samples: blame is a likelihood, and one fault may look like two
# Rules that say only that something differs, or works otherwise: any sample may meet them.
GENERIC_RULES = frozenset({"wrong_value", "prints_differ", "stand_in_passed", "not_run"})
_MOST_ALIKE = 3  # failures with the same message that have a line each


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
    """Check the reference, goldens, coverage, repeatability, mutants and samples of one
    assignment.

    With `isolation`, also check that shared and separate processes give the same results. The
    context must come from `prepare(…, refuse=False)`, because disagreements of the reference are
    reported here.
    """
    import_early()
    specification, plan, key = context.specification, context.specification.plan, context.key
    clauses, uncovered = coverage(plan)
    progress("second run", 0, 1)
    problems = [*key_disagreements(plan, key), *value_problems(plan, key, specification.reference)]
    problems += [*uncovered, *second_run(context), *stand_in_problems(context)]
    trivial = trivial_programs(specification)
    ours = Submission(id="the-reference", files=specification.reference, origin="the reference")
    handed_in = [*trivial, *(each.submission for each in samples), ours]
    programs = [*mutant_jobs(specification), *(Job(submission=each) for each in handed_in)]

    run = partial(_run, programs, jobs, digests=isolation, progress=progress)
    graded = run(context)
    if isolation:
        alone = replace(context, specification=isolated(specification))
        pairs = zip(graded, run(alone), strict=True)
        problems += [problem for pair in pairs for problem in isolation_problems(*pair)]
    results = (each.result for each in graded)  # taken in the order of the programs
    outcomes = tuple(map(outcome, specification.mutants, results))
    scores = tuple(map(_trivial, islice(results, len(trivial))))
    pairs_of_samples = zip(samples, results, strict=False)
    sampled = tuple(compare(result, each.expected, plan) for each, result in pairs_of_samples)
    (itself,) = results
    problems += [*_policy_problems(itself), *mutant_problems(specification, outcomes)]
    problems += _sample_problems(sampled)
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
        tolerances=tolerances(plan),
        advice=(
            *_advice(itself.isolation_reason, plan),
            *slow_patterns(plan, key, context.slowness),
        ),
        why_alone=why_alone(graded),
    )


def _run(
    programs: Sequence[Job],
    jobs: int | None,
    context: GradingContext,
    *,
    digests: bool,
    progress: Progress,
) -> list[Graded]:
    """Return the results in the order of the programs."""
    graded: dict[int, Graded] = {}  # a sample may be called what a mutant is
    for job, found in run_jobs(context, programs, jobs, digests=digests, blame=True):
        graded[id(job)] = found
        progress("mutants and samples", len(graded), len(programs))
    return [graded[id(job)] for job in programs]


def why_alone(graded: Sequence[Graded]) -> str | None:
    """Return why nothing was shared, as of the last program, the reference; None if some was."""
    if any(each.shared for each in graded):
        return None
    return graded[-1].result.isolation_reason or "no two scenarios may share a process"


def _policy_problems(itself: SubmissionResult) -> Iterator[Problem]:
    """Return the policy's findings in the reference: they would cost every similar submission."""
    for found in itself.findings:
        word = f" (policy.yaml calls it {found.word})" if found.word else ""
        yield Problem("policy", f"{found.file}:{found.line}", found.message + word)


def _trivial(result: SubmissionResult) -> TrivialScore:
    return TrivialScore(
        name=result.id,
        mark=rounded(result.mark) if result.mark is not None else "-",
        out_of=rounded(result.out_of),
        passed=tuple(s.scenario_id for s in result.scenarios if s.verdict.passed and s.out_of),
    )


def _sample_problems(samples: Sequence[SampleOutcome]) -> list[Problem]:
    """Also the samples with other causes than stated, where those are too many."""
    problems = [sample.problem("samples", part) for sample in samples for part in sample.parts]
    stated = [sample for sample in samples if sample.other_causes is not None]
    other = [sample for sample in stated if sample.other_causes]
    if len(stated) - len(other) >= CAUSES_AS_STATED * len(stated):
        return problems
    return problems + [each.problem("causes", each.other_causes or "") for each in other]


def _advice(reason: str, plan: Plan) -> Iterator[str]:
    """Return suggestions for improvement; `reason` is why the reference runs each scenario
    alone.
    """
    # What a sheet asks for (files, a script that asks at once) the course could not make faster.
    if reason.endswith("may change unseen"):
        yield (
            f"slower than need be: even the reference runs each scenario alone: {reason}. Hint: "
            "what is made inside a function instead lets scenarios run together"
        )
    found: list[str] = []  # the scenarios of which a student would read a regular expression
    for scenario in plan.scenarios:
        stated = (scenario.stated, *scenario.stated_cases)
        asked = [each for one in stated for each in one.parts() if isinstance(each, Matches)]
        if scenario.visibility is not Visibility.HIDDEN and any(not each.words for each in asked):
            found.append(scenario.id)
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield (
            f"hard to read: {found[0]}{more} would show students a regular expression. Hint: name "
            "it under patterns: in assignment.yaml and write {shows: its name}"
        )


def mutated(files: tuple[SourceFile, ...], mutant: Mutant) -> tuple[SourceFile, ...]:
    """Return the reference with the fault written into it."""
    old, new = mutant.find.encode(), mutant.replace.encode()
    return tuple(
        replace(file, data=file.data.replace(old, new)) if file.name == mutant.file else file
        for file in files
    )


def mutant_jobs(specification: Specification) -> list[Job]:
    """Return one job for each mutant, in the order of the file, on the scored scenarios of its
    clause.
    """
    scored = [each for each in specification.plan.scenarios if not each.informational]
    jobs = []
    for index, mutant in enumerate(specification.mutants):
        files = mutated(specification.reference, mutant)
        submission = Submission(id=f"mutant-{index}", files=files, origin="mutants.yaml")
        only = tuple(each.id for each in scored if mutant.clause in each.clauses)
        jobs.append(Job(submission=submission, only=only))
    return jobs


def outcome(mutant: Mutant, result: SubmissionResult) -> MutantOutcome:
    """Return who noticed the mutant."""
    killed = tuple(s.scenario_id for s in result.scenarios if not s.verdict.passed)
    return MutantOutcome(
        clause=mutant.clause, why=mutant.why, killed_by=killed, scenarios=len(result.scenarios)
    )


def mutant_problems(
    specification: Specification, outcomes: tuple[MutantOutcome, ...]
) -> Iterator[Problem]:
    """Return surviving mutants, and clauses without a mutant."""
    messages = [
        f"the mutant of clause {each.clause} ({each.why}) survives its {each.scenarios} scenarios"
        for each in outcomes
        if not each.killed_by
    ]
    mutated_clauses = {mutant.clause for mutant in specification.mutants}
    messages += [
        f"clause {clause.id} has no mutant"
        for clause in specification.plan.assignment.clauses
        if needs_scenario(clause) and clause.id not in mutated_clauses
    ]
    return (Problem("mutants", "mutants.yaml", message) for message in messages)


def trivial_programs(specification: Specification) -> list[Submission]:
    """Return the file that students begin with, and every function of the reference with only
    `return None`.
    """
    sources = [file for file in specification.reference if file.name.endswith(".py")]
    submissions = []
    if specification.reference:
        stubs = handed_out_stubs(specification)
        submissions.append(Submission(id="untouched-stub", files=stubs, origin="the handout"))
    nodes = (node for file in sources for node in ast.parse(file.data).body)
    # Without functions it would be the reference, which of course has full marks.
    if any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in nodes):
        emptied = tuple(replace(file, data=_emptied(file.data).encode()) for file in sources)
        name = "every-function-returns-none"
        submissions.append(Submission(id=name, files=emptied, origin="the reference"))
    return submissions


def _emptied(source: bytes) -> str:
    tree = ast.parse(source)
    for node in tree.body:
        for part in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(part, ast.FunctionDef):
                part.body = [ast.Return(value=ast.Constant(value=None))]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _matching(patterns: Iterable[str], names: Iterable[str]) -> set[str]:
    globs = [glob(pattern) for pattern in patterns]
    return {name for name in names if any(each.fullmatch(name) for each in globs)}


def compare(result: SubmissionResult, expected: SampleExpectation, plan: Plan) -> SampleOutcome:
    """Return how a graded sample differs from its expectation.

    Informational scenarios do not count.
    """
    ungraded = {scenario.id for scenario in plan.scenarios if scenario.informational}
    kept = tuple(entry for entry in result.scenarios if entry.scenario_id not in ungraded)
    result = replace(result, scenarios=kept)
    verdicts = {entry.scenario_id: entry.verdict for entry in kept}
    listed = _matching(expected.fails, verdicts)
    failed = {name: each for name, each in verdicts.items() if not each.passed}
    parts = list(_unlisted({name: each for name, each in failed.items() if name not in listed}))
    passed = [name for name in verdicts if name in listed and name not in failed]
    parts += [f"{name} passes but is listed under fails" for name in passed]
    for pattern in expected.fails:
        if not _matching([pattern], verdicts):
            which = "no scenario that counts" if _matching([pattern], ungraded) else "no scenario"
            parts.append(f"fails: {pattern} matches {which}")
    for pattern, kind in {entry.pattern: entry.kind for entry in expected.verdicts}.items():
        matched = _matching([pattern], verdicts)
        wrong = [each for each in verdicts if each in matched and verdicts[each].kind is not kind]
        parts += [f"{each} is {verdicts[each].kind}, expected {kind}" for each in wrong]
        if not matched:
            parts.append(f"verdicts: {pattern} matches no scenario")
    parts += _explanation_parts(result, expected)
    mark = "" if result.mark is None else rounded(result.mark)
    if not _has_mark(result, expected):
        range_of_marks = " to ".join(map(str, dict.fromkeys(expected.mark)))
        parts.append(f"the mark is {mark or 'none'}, expected {range_of_marks}")
    found = sorted({finding.rule for finding in result.findings})
    wanted = sorted(set(expected.findings))
    if found != wanted:
        parts.append(f"findings are {found}, expected {wanted}")
    return SampleOutcome(
        name=result.id,
        mark=mark or "-",
        failed=len(failed),
        parts=tuple(parts),
        accepted=_accepted(result, expected),
        other_causes=_other_causes(result, expected),
    )


def _unlisted(failed: Mapping[str, Verdict]) -> Iterator[str]:
    """Return a line for each of these failures, or one for many, for example of a file that cannot
    be loaded.
    """
    alike: defaultdict[Explanation | None, list[str]] = defaultdict(list)
    for name, verdict in failed.items():
        alike[verdict.explanation].append(name)
    for explanation, names in alike.items():
        message = explanation.message if explanation else ""
        if len(names) > _MOST_ALIKE:
            yield f"{names[0]} and {len(names) - 1} more fail but are not listed: {message}"
        else:
            yield from (f"{name} fails but is not listed: {message}" for name in names)


def _other_causes(result: SubmissionResult, expected: SampleExpectation) -> str | None:
    if expected.causes is None:
        return None
    found, wanted = Counter(_causes(result)), Counter(expected.causes)
    has, should = (
        ", ".join(f"{each.function or 'the file'}: {each.rule}" for each in causes.elements())
        for causes in (found, wanted)
    )
    return "" if found == wanted else f"causes are {has or 'none'}, expected {should or 'none'}"


def _causes(result: SubmissionResult) -> tuple[ExpectedCause, ...]:
    return tuple(ExpectedCause(function=c.function, rule=c.rule) for c in result.causes)


def _accepted(result: SubmissionResult, expected: SampleExpectation) -> SampleExpectation:
    """Return the expectation that the sample meets as it is.

    The right parts of the stated one stay.
    """
    verdicts = {entry.scenario_id: entry.verdict for entry in result.scenarios}
    failed = {name: verdict for name, verdict in verdicts.items() if not verdict.passed}
    matched = [(pattern, _matching([pattern], verdicts)) for pattern in expected.fails]
    kept = [pattern for pattern, names in matched if names and names <= failed.keys()]
    covered = _matching(kept, failed)
    fails = [*kept, *(name for name in failed if name not in covered)]
    if failed and len(failed) == len(verdicts):
        fails = ["*"]
    said = [verdict.explanation for verdict in failed.values() if verdict.explanation]
    beside = _beside_scenarios(result)
    explains = [text for text in expected.explains if _is_said(text, said, beside)]
    for explanation in said:
        if explanation.rule not in GENERIC_RULES and not _lists(explains, explanation):
            explains.append(explanation.rule)
    mark = expected.mark
    if not _has_mark(result, expected):
        mark = () if result.mark is None else (float(rounded(result.mark)),) * 2
    return replace(
        expected,
        fails=tuple(fails),
        mark=mark,
        explains=tuple(explains),
        findings=tuple(sorted({finding.rule for finding in result.findings})),
        verdicts=tuple(
            each
            for each in expected.verdicts
            if {verdicts[name].kind for name in _matching([each.pattern], verdicts)} == {each.kind}
        ),
        causes=None if expected.causes is None else _causes(result),
    )


def _beside_scenarios(result: SubmissionResult) -> list[str]:
    """Return everything that a result says outside its scenarios' messages."""
    reasons = [result.unparsable.reason] if result.unparsable else []
    return [result.problem, *result.notes, *reasons]


def _lists(explains: Sequence[str], explanation: Explanation) -> bool:
    """Return whether one of the texts of `explains` is the rule, or stands in what it says."""
    return any(text == explanation.rule or text in explanation.message for text in explains)


def _is_said(text: str, said: Sequence[Explanation], beside: Sequence[str]) -> bool:
    """Return whether a text of `explains` is met by an explanation or stands beside them."""
    if any(_lists([text], explanation) for explanation in said):
        return True
    return any(text in other for other in beside)


def _explanation_parts(result: SubmissionResult, expected: SampleExpectation) -> Iterator[str]:
    explanations = [entry.verdict.explanation for entry in result.scenarios]
    said = [explanation for explanation in explanations if explanation is not None]
    for text in expected.explains:
        if not _is_said(text, said, _beside_scenarios(result)):
            yield f"no message says {text!r}"
    unlisted: dict[str, str] = {}  # the first one of each rule
    for entry in result.scenarios:
        found = entry.verdict.explanation
        if found is not None and found.rule not in GENERIC_RULES:
            is_listed = _lists(expected.explains, found)
            this = "" if is_listed else f"{entry.scenario_id}: {found.message}"
            unlisted[found.rule] = unlisted.get(found.rule) or this
    for rule, first in unlisted.items():
        if first:
            yield f"explanation {rule} is not listed under explains ({first})"


def _has_mark(result: SubmissionResult, expected: SampleExpectation) -> bool:
    if not expected.mark or result.mark is None:
        return not expected.mark
    return expected.mark[0] <= float(rounded(result.mark)) <= expected.mark[-1]
