"""A class whose tests are graded: four submissions and three faults, for pages and exports."""

from fractions import Fraction

from harness.model.assignment import SourceFile, TestedProgram, TestWriting
from harness.model.plan import Scenario
from harness.model.result import RunResult, ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.stimulus import Stimulus
from harness.model.submission import Student
from harness.model.verdict import Verdict, VerdictKind
from harness.stimuli.suite import SuiteQuestion, SuiteRun
from tests import plans

SECRET = "return minutes // 61"
WHY = ("an hour has <61> minutes", "the first hour is free", "a lost ticket costs nothing")


def _scenario(number: int) -> Scenario:
    action = SuiteRun(
        question=SuiteQuestion.NOTICES, files=("test_a1.py",), against=f"fault {number}"
    )
    return plans.scenario(
        f"tests/notices-1-{number}",
        name=f"the tests notice a fault against §1.{number}",
        clauses=(f"1.{number}",),
        stimuli=(Stimulus(action=action),),
    )


def _program(name: str, why: str = "") -> TestedProgram:
    return TestedProgram(
        name=name, files=(SourceFile(name="a1.py", data=SECRET.encode()),), why=why
    )


_PROGRAMS = [_program("the reference")]
_PROGRAMS += [_program(f"fault {number}", why) for number, why in enumerate(WHY, 1)]
PLAN = plans.plan(
    *(_scenario(number) for number in (1, 2, 3)),
    assignment=plans.assignment(
        submission_files=("test_a1.py",),
        test_writing=TestWriting(
            files=("test_a1.py",),
            program_files=("a1.py",),
            public_names=("fee",),
            programs=tuple(_PROGRAMS),
        ),
    ),
)
_KINDS = {
    "1": VerdictKind.PASSED,
    "0": VerdictKind.FAILED,
    "?": VerdictKind.HARNESS_ERROR,
}


def _result(name: str, noticed: str, student: str = "") -> SubmissionResult:
    outcomes: list[ScenarioResult] = []
    for scenario, sign in zip(PLAN.scenarios, noticed, strict=True):
        verdict = Verdict(kind=_KINDS[sign])
        points = Fraction(verdict.passed)
        outcome = ScenarioResult(
            scenario_id=scenario.id, verdict=verdict, points=points, out_of=Fraction(1)
        )
        outcomes.append(outcome)
    return SubmissionResult(
        id=name,
        source_digest=name.encode().hex() * 8,
        status=SubmissionStatus.GRADED,
        mark=Fraction(2 * noticed.count("1")),
        out_of=Fraction(6),
        scenarios=tuple(outcomes),
        student=Student(id=name, name=student) if student else None,
    )


RUN = RunResult(
    facts=plans.facts(complete=True, finished="2026-01-02T03:05:05+00:00"),
    submissions=(
        _result("ann", "110", "Ann <Ng>"),
        _result("bo", "010"),
        _result("cy", "1?0"),
        _result("di", "000"),
    ),
)
