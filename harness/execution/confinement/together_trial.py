"""Whether this machine can run the scenarios of a program together in one process, tried."""

from __future__ import annotations

from fractions import Fraction

from harness.common.errors import HarnessError
from harness.execution.driver import has_terminals
from harness.execution.interpreter import Interpreter
from harness.model.assignment import Assignment, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.observation import Tier
from harness.model.stimulus import Call, Limits, Stimulus

_LIMITS = Limits(cpu_seconds=5.0, wall_seconds=5.0)
_PROGRAM = SourceFile(name="sums.py", data=b"def add(a, b):\n    return a + b\n")
_CALLS = (
    Stimulus(action=Call(expression="add(1, 2)")),
    Stimulus(action=Call(expression="add(3, 4)")),
)


def try_together(interpreter: Interpreter, tier: Tier) -> str:
    """Why two calls of a plain function could not run in one process under this tier; empty where
    they could. Without that every scenario runs alone, which is right, and slower."""
    if not has_terminals():
        return "it needs Linux"
    from harness.execution.linux.driver import Driver  # noqa: PLC0415  (loads where there are terminals)

    try:
        with (
            Driver(interpreter, tier) as driver,
            driver.submission(_assignment(), (_PROGRAM,)) as server,
        ):
            (group,) = server.group({n: (call, _LIMITS) for n, call in enumerate(_CALLS)})
            outcome = server.observe_together(group, list(group.jobs))
    except HarnessError as failure:
        return str(failure)
    if outcome.refused:
        return outcome.refused
    return "" if set(outcome.seen) == set(group.jobs) else "not every answer came back"


def _assignment() -> Assignment:
    return Assignment(
        id="trial",
        title="Trial",
        course="",
        python="3.11",
        submission_files=(_PROGRAM.name,),
        laid_as=None,
        functionality_marks=Fraction(0),
        limits=_LIMITS,
        policy=None,
        clauses=(),
        functions=(FunctionSignature(name="add", parameters=("a", "b")),),
        variants=(ProvidedVariant(constants=(), files=()),),
    )
