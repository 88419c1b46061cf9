"""Mutants: single-fault changes of the reference that a clause's scenarios must notice. Pure.

Programs that do nothing: what they score shows which scenarios are given away. Pure.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from harness.grading.engines import Job
from harness.grading.stub import handed_out_stubs
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
