"""Mutants: single-fault changes of the reference that a clause's scenarios must notice. Pure.

Programs that do nothing: what they score shows which scenarios are given away. Pure.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from harness.grading.engines import Job
from harness.grading.validation.coverage import needs_scenario
from harness.grading.validation.report import MutantOutcome, Problem
from harness.model.plan import Plan, SourceFile
from harness.model.result import SubmissionResult
from harness.model.specification import Mutant, Specification
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


def stub(files: tuple[SourceFile, ...]) -> Submission:
    """The handed-out file: the imports, an empty `main`, and the guard."""
    return _with_bodies(files, "untouched-stub", keep=frozenset({"main"}))


def returns_none(files: tuple[SourceFile, ...]) -> Submission:
    """Every function of the reference, each with nothing but `return None`."""
    return _with_bodies(files, "every-function-returns-none", keep=None)


def _with_bodies(
    files: tuple[SourceFile, ...], name: str, *, keep: frozenset[str] | None
) -> Submission:
    emptied = tuple(
        SourceFile(name=file.name, data=_emptied(file.data, keep).encode()) for file in files
    )
    return Submission(id=name, files=emptied, origin="the reference")


def _emptied(source: bytes, keep: frozenset[str] | None) -> str:
    tree = ast.parse(source)
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if keep is not None and node.name not in keep:
                continue
            node.body = [ast.Return(value=ast.Constant(value=None))]
        body.append(node)
    tree.body = body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
