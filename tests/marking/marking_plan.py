"""A plan of a few scenarios, and what marking needs beside it."""

from __future__ import annotations

from fractions import Fraction

from harness.model.expectation import Expected
from harness.model.plan import (
    PLAN_VERSION,
    Assignment,
    FunctionSignature,
    Place,
    Plan,
    ProvidedVariant,
    Scenario,
    SourceFile,
    Visibility,
)
from harness.model.policy import (
    Consequence,
    Finding,
    PolicyReport,
    PolicyRule,
    Severity,
    Unparsable,
)
from harness.model.stimulus import Call, Limits, Stimulus
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind

PASSED = Verdict(kind=VerdictKind.PASSED)
FAILED = Verdict(kind=VerdictKind.FAILED)


def scenario(name: str, points: str = "1", **changes: object) -> Scenario:
    return Scenario(
        id=name,
        group=name,
        name=name.partition("/")[2],
        function=name.partition("/")[0],
        clauses=("4.1",),
        visibility=Visibility.HIDDEN,
        points=Fraction(points),
        limits=Limits(),
        stimuli=(Stimulus(action=Call(expression="f()")),),
        stated=Expected(),
        place=Place(file="f.yaml", line=1, column=1),
        **changes,  # type: ignore[arg-type]
    )


def plan(*scenarios: Scenario, marks: str = "6", functions: tuple[str, ...] = ("f", "g")) -> Plan:
    assignment = Assignment(
        id="small",
        title="Small",
        course="C1",
        python="3.12",
        submission_files=("a1.py",),
        laid_as=None,
        functionality_marks=Fraction(marks),
        limits=Limits(),
        policy=None,
        clauses=(),
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in functions),
        variants=(ProvidedVariant(constants=(), files=()),),
    )
    return Plan(
        version=PLAN_VERSION,
        assignment=assignment,
        scenarios=scenarios,
        spec_digest="s",
        reference_digest="r",
    )


def finding(rule: PolicyRule, severity: Severity, marks: str = "0") -> Finding:
    return Finding(
        rule=rule,
        clause="2",
        file="a1.py",
        line=1,
        column=1,
        source="x",
        message="m",
        consequence=Consequence(severity=severity, marks=Fraction(marks)),
    )


def report(*findings: Finding) -> PolicyReport:
    return PolicyReport(findings=findings, notes=("a note",))


UNREADABLE = PolicyReport(unparsable=Unparsable(file="a1.py", reason="the file is empty"))
SUBMISSION = Submission(
    id="ada", files=(SourceFile(name="a1.py", data=b"x"),), origin="ada", notes=("late night",)
)
