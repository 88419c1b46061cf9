"""What programs must score of which that is known: mutants, samples, programs that do nothing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from harness.common.words import rounded
from harness.grading.engines import Job
from harness.grading.stub import handed_out_stubs
from harness.grading.validation.checks import MutantOutcome, Problem, SampleOutcome, needs_scenario
from harness.model.plan import Plan, SourceFile, glob
from harness.model.result import SubmissionResult
from harness.model.specification import ExpectedCause, Mutant, SampleExpectation, Specification
from harness.model.submission import Submission


def mutated(files: tuple[SourceFile, ...], mutant: Mutant) -> tuple[SourceFile, ...]:
    """The reference with the fault written into it."""
    old, new = mutant.find.encode(), mutant.replace.encode()
    return tuple(
        replace(file, data=file.data.replace(old, new)) if file.name == mutant.file else file
        for file in files
    )


def scenarios_of(plan: Plan, clause: str) -> frozenset[str]:
    """The ids of the scored scenarios that test a clause."""
    return frozenset(s.id for s in plan.scenarios if clause in s.clauses and not s.informational)


def mutant_jobs(specification: Specification) -> list[Job]:
    """One job a mutant, in the order of the file, on its clause's scenarios."""
    return [
        Job(
            submission=Submission(
                id=f"mutant-{index}",
                files=mutated(specification.reference, mutant),
                origin="mutants.yaml",
            ),
            only=scenarios_of(specification.plan, mutant.clause),
        )
        for index, mutant in enumerate(specification.mutants)
    ]


def outcome(mutant: Mutant, result: SubmissionResult) -> MutantOutcome:
    """Who noticed the mutant."""
    killed = tuple(s.scenario_id for s in result.scenarios if not s.verdict.passed)
    return MutantOutcome(
        clause=mutant.clause, why=mutant.why, killed_by=killed, scenarios=len(result.scenarios)
    )


def mutant_problems(
    specification: Specification, outcomes: tuple[MutantOutcome, ...]
) -> tuple[Problem, ...]:
    """Survivors, and clauses without a mutant."""
    problems = [
        Problem(
            check="mutants",
            place="mutants.yaml",
            message=f"the mutant of clause {entry.clause} ({entry.why}) survives its "
            f"{entry.scenarios} scenarios",
        )
        for entry in outcomes
        if not entry.killed_by
    ]
    mutated_clauses = {mutant.clause for mutant in specification.mutants}
    problems += [
        Problem(check="mutants", place="mutants.yaml", message=f"clause {clause.id} has no mutant")
        for clause in specification.plan.assignment.clauses
        if needs_scenario(clause) and clause.id not in mutated_clauses
    ]
    return tuple(problems)


def reference_itself(specification: Specification) -> Submission:
    """The reference, as a student would hand it in."""
    return Submission(id="the-reference", files=specification.reference, origin="the reference")


def untouched_stub(specification: Specification) -> Submission:
    """The very file that students are given to begin with."""
    return Submission(
        id="untouched-stub", files=handed_out_stubs(specification), origin="the handout"
    )


def has_functions(specification: Specification) -> bool:
    """Whether the reference has a function or a class that could return something."""
    trees = (ast.parse(f.data) for f in specification.reference if f.name.endswith(".py"))
    return any(isinstance(n, ast.FunctionDef | ast.ClassDef) for tree in trees for n in tree.body)


def returns_none(specification: Specification) -> Submission:
    """Every function of the reference, each with nothing but `return None`."""
    emptied = tuple(
        SourceFile(name=file.name, data=_emptied(file.data).encode())
        for file in specification.reference
        if file.name.endswith(".py")
    )
    return Submission(id="every-function-returns-none", files=emptied, origin="the reference")


def _emptied(source: bytes) -> str:
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Return(value=ast.Constant(value=None))]
        elif isinstance(node, ast.ClassDef):
            node.body = [_without_body(part) for part in node.body]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _without_body(part: ast.stmt) -> ast.stmt:
    if isinstance(part, ast.FunctionDef):
        part.body = [ast.Return(value=ast.Constant(value=None))]
    return part


# Rules that say only that something differs, or works otherwise: any sample may meet them.
GENERIC_RULES = frozenset({"wrong_value", "prints_differ", "stand_in_passed", "not_run"})


def _matches(patterns: Iterable[re.Pattern[str]], name: str) -> bool:
    return any(pattern.fullmatch(name) for pattern in patterns)


def compare(result: SubmissionResult, expected: SampleExpectation, plan: Plan) -> SampleOutcome:
    """How a graded sample differs from its expectation. Informational scenarios do not count."""
    ungraded = {scenario.id for scenario in plan.scenarios if scenario.informational}
    kept = tuple(entry for entry in result.scenarios if entry.scenario_id not in ungraded)
    result = replace(result, scenarios=kept)
    fails = [glob(pattern) for pattern in expected.fails]
    kinds = {entry.pattern: entry.kind for entry in expected.verdicts}
    parts: list[str] = []
    failed = [entry for entry in result.scenarios if not entry.verdict.passed]
    names = [entry.scenario_id for entry in failed]
    for entry in result.scenarios:
        listed = _matches(fails, entry.scenario_id)
        if listed and entry.verdict.passed:
            parts.append(f"{entry.scenario_id} passes but is listed under fails")
        elif not listed and not entry.verdict.passed:
            parts.append(f"{entry.scenario_id} fails but is not listed: {entry.verdict.message}")
    for pattern, source in zip(fails, expected.fails, strict=True):
        if not any(pattern.fullmatch(entry.scenario_id) for entry in result.scenarios):
            parts.append(f"fails: {source} matches no scenario")
    for source, kind in kinds.items():
        matched = [e for e in result.scenarios if glob(source).fullmatch(e.scenario_id)]
        wrong = [e for e in matched if e.verdict.kind is not kind]
        parts += [f"{e.scenario_id} is {e.verdict.kind}, expected {kind}" for e in wrong]
        if not matched:
            parts.append(f"verdicts: {source} matches no scenario")
    parts += _explanation_parts(result, expected)
    parts += _mark_parts(result, expected)
    found = sorted({finding.rule for finding in result.findings})
    wanted = sorted(set(expected.findings))
    if found != wanted:
        parts.append(f"findings are {found}, expected {wanted}")
    mark = "-" if result.mark is None else rounded(result.mark)
    return SampleOutcome(
        name=result.id,
        mark=mark,
        failed=len(names),
        parts=tuple(parts),
        accepted=accepted(result, expected),
        other_causes=_other_causes(result, expected),
    )


def _other_causes(result: SubmissionResult, expected: SampleExpectation) -> str | None:
    if expected.causes is None:
        return None
    found, wanted = Counter(_causes(result)), Counter(expected.causes)
    if found == wanted:
        return ""
    return f"causes are {_listed(found.elements())}, expected {_listed(wanted.elements())}"


def _causes(result: SubmissionResult) -> tuple[ExpectedCause, ...]:
    return tuple(ExpectedCause(function=c.function, rule=c.rule) for c in result.causes)


def _listed(causes: Iterable[ExpectedCause]) -> str:
    return ", ".join(f"{each.function or 'the file'}: {each.rule}" for each in causes) or "none"


def accepted(result: SubmissionResult, expected: SampleExpectation) -> SampleExpectation:
    """The expectation that the sample meets as it is. Of the stated one stays what is right."""
    failed = [entry for entry in result.scenarios if not entry.verdict.passed]
    passed = [entry.scenario_id for entry in result.scenarios if entry.verdict.passed]
    kept = [
        pattern
        for pattern in expected.fails
        if not any(glob(pattern).fullmatch(name) for name in passed)
        and any(glob(pattern).fullmatch(entry.scenario_id) for entry in failed)
    ]
    covered = [glob(pattern) for pattern in kept]
    fails = [*kept, *(e.scenario_id for e in failed if not _matches(covered, e.scenario_id))]
    if failed and not passed:
        fails = ["*"]
    messages = [entry.verdict.message for entry in failed] + [result.problem, *result.notes]
    messages += [result.unparsable.reason] if result.unparsable else []
    explains = [text for text in expected.explains if any(text in each for each in messages)]
    for entry in failed:
        explanation, message = entry.verdict.explanation, entry.verdict.message
        named = explanation is not None and explanation.rule not in GENERIC_RULES
        if named and not any(text in message for text in explains):
            explains.append(message)
    kinds = {entry.scenario_id: entry.verdict.kind for entry in result.scenarios}
    verdicts = [
        each
        for each in expected.verdicts
        if {kinds[i] for i in kinds if glob(each.pattern).fullmatch(i)} == {each.kind}
    ]
    mark = expected.mark
    if _mark_parts(result, expected):
        mark = () if result.mark is None else (float(rounded(result.mark)),) * 2
    return replace(
        expected,
        fails=tuple(fails),
        mark=mark,
        explains=tuple(explains),
        findings=tuple(sorted({finding.rule for finding in result.findings})),
        verdicts=tuple(verdicts),
        causes=None if expected.causes is None else _causes(result),
    )


def _explanation_parts(result: SubmissionResult, expected: SampleExpectation) -> list[str]:
    said: dict[str, list[tuple[str, str]]] = {}
    for entry in result.scenarios:
        if entry.verdict.explanation:
            rule = entry.verdict.explanation.rule
            said.setdefault(rule, []).append((entry.scenario_id, entry.verdict.message))
    extra = [("", text) for text in (result.problem, *result.notes)]
    if result.unparsable:
        extra.append(("", result.unparsable.reason))
    everything = [message for pairs in said.values() for _, message in pairs]
    everything += [text for _, text in extra]
    parts = [
        f"no message says {text!r}"
        for text in expected.explains
        if not any(text in message for message in everything)
    ]
    for rule, pairs in said.items():
        if rule in GENERIC_RULES:
            continue
        unlisted = [
            (name, message)
            for name, message in pairs
            if not any(text in message for text in expected.explains)
        ]
        if unlisted:
            name, message = unlisted[0]
            parts.append(f"explanation {rule} is not listed under explains ({name}: {message})")
    return parts


def _mark_parts(result: SubmissionResult, expected: SampleExpectation) -> list[str]:
    if not expected.mark:
        return []
    low, high = expected.mark[0], expected.mark[-1]
    if result.mark is None or not low <= float(rounded(result.mark)) <= high:
        mark = "none" if result.mark is None else rounded(result.mark)
        return [f"the mark is {mark}, expected {low} to {high}"]
    return []
