"""A plan of a few scenarios, and what marking needs beside it."""

from fractions import Fraction

from harness.model.assignment import FunctionSignature, SourceFile
from harness.model.plan import Plan, Scenario
from harness.model.policy import Consequence, Finding, PolicyReport, Severity, Unparsable
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind
from tests import plans

PASSED = Verdict(kind=VerdictKind.PASSED)
FAILED = Verdict(kind=VerdictKind.FAILED)


def scenario(name: str, points: str = "1", **changes: object) -> Scenario:
    return plans.scenario(name, points=Fraction(points), **changes)


def plan(*scenarios: Scenario, marks: str = "6", functions: tuple[str, ...] = ("f", "g")) -> Plan:
    assignment = plans.assignment(
        functionality_marks=Fraction(marks),
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in functions),
    )
    return plans.plan(*scenarios, assignment=assignment)


def finding(rule: str, severity: Severity, marks: str = "0") -> Finding:
    consequence = Consequence(severity=severity, marks=Fraction(marks))
    return plans.finding(rule=rule, consequence=consequence)


def report(*findings: Finding) -> PolicyReport:
    return PolicyReport(findings=findings, notes=("a note",))


UNREADABLE = PolicyReport(unparsable=Unparsable(file="a1.py", reason="the file is empty"))
SUBMISSION = Submission(
    id="ada", files=(SourceFile(name="a1.py", data=b"x"),), origin="ada", notes=("late night",)
)
