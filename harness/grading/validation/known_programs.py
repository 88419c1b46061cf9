"""Programs with a known score: mutants, and programs that do nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.common.words import rounded
from harness.grading.engines import Job
from harness.grading.observing.answer_key import CheckName, Problem
from harness.grading.stub import handed_out_stubs
from harness.grading.validation.checks import needs_scenario
from harness.grading.validation.report import MutantOutcome, TrivialScore
from harness.model.plan import Mutant, SourceFile, Specification
from harness.model.result import SubmissionResult
from harness.model.submission import Submission


def mutant_jobs(specification: Specification) -> list[Job]:
    """Return one job for each mutant, in the order of the file, on the scored scenarios of its
    clause.
    """
    scored = [scenario for scenario in specification.plan.scenarios if not scenario.informational]
    jobs = []
    for index, mutant in enumerate(specification.mutants):
        files = mutant.written_into(specification.reference)
        submission = Submission(id=f"mutant-{index}", files=files, origin="mutants.yaml")
        only = tuple(scenario.id for scenario in scored if mutant.clause in scenario.clauses)
        jobs.append(Job(submission=submission, only=only))
    return jobs


def mutant_outcome(mutant: Mutant, result: SubmissionResult) -> MutantOutcome:
    """Return which scenarios noticed the mutant."""
    killed_by: list[str] = []
    for entry in result.scenarios:
        if not entry.verdict.passed:
            killed_by.append(entry.scenario_id)
    return MutantOutcome(
        clause=mutant.clause,
        why=mutant.why,
        killed_by=tuple(killed_by),
        scenarios=len(result.scenarios),
    )


def mutant_problems(
    specification: Specification, outcomes: Sequence[MutantOutcome]
) -> Iterator[Problem]:
    """Yield surviving mutants, and clauses without a mutant."""
    for outcome in outcomes:
        if not outcome.killed_by:
            named = f"the mutant of clause {outcome.clause} ({outcome.why})"
            message = f"{named} survives its {outcome.scenarios} scenarios"
            yield Problem(CheckName.MUTANTS, "mutants.yaml", message)
    if specification.plan.assignment.test_writing is not None:
        return  # `notices:` says which clauses need one
    mutated_clauses = {mutant.clause for mutant in specification.mutants}
    for clause in specification.plan.assignment.clauses:
        if needs_scenario(clause) and clause.id not in mutated_clauses:
            yield Problem(CheckName.MUTANTS, "mutants.yaml", f"clause {clause.id} has no mutant")


def trivial_programs(specification: Specification) -> list[Submission]:
    """Return two programs that do nothing: the stub that students get, and the reference with only
    `return None` in each function.
    """
    if not specification.reference:
        return []
    stubs = handed_out_stubs(specification)
    programs = [Submission(id="untouched-stub", files=stubs, origin="the handout")]
    sources = [file for file in specification.reference if file.name.endswith(".py")]
    # Without functions it would be the reference, which of course has full marks.
    if any(_has_functions(file) for file in sources):
        emptied = tuple(replace(file, data=_emptied(file.data).encode()) for file in sources)
        name = "every-function-returns-none"
        programs.append(Submission(id=name, files=emptied, origin="the reference"))
    return programs


def trivial_score(result: SubmissionResult) -> TrivialScore:
    """Return the score of a program that does nothing."""
    passed: list[str] = []
    for entry in result.scenarios:
        if entry.verdict.passed and entry.out_of:
            passed.append(entry.scenario_id)
    return TrivialScore(
        name=result.id,
        mark="-" if result.mark is None else rounded(result.mark),
        out_of=rounded(result.out_of),
        passed=tuple(passed),
    )


def _has_functions(file: SourceFile) -> bool:
    body = ast.parse(file.data).body
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in body)


def _emptied(source: bytes) -> str:
    tree = ast.parse(source)
    for node in tree.body:
        parts: list[ast.stmt] = [node]
        if isinstance(node, ast.ClassDef):
            parts = node.body
        for part in parts:
            if isinstance(part, ast.FunctionDef):
                part.body = [ast.Return(value=ast.Constant(value=None))]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
