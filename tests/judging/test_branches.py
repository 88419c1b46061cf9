"""The branch that a call should have taken, or should not have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.judging.suspects import SuspectProgram, Suspicion
from harness.judging.traces import Line, WrongBranch, read_trace, wrong_branch
from harness.model.verdict import Cause, Explanation
from tests.judging.test_causes import fails
from tests.judging.test_suspects import outline

PROGRAM = """\
OWN = "no"
def is_ok(x):
    seen = x
    return x > 1
def f(x):
    if not is_ok(x):
        print(OWN)
        return None
    if x == 3:  # no is_ok(x) here
        print("three")

        print(COURSES)  # twice
    elif x == 4:
        print(COURSES)
    print("end")
    return x
"""
TEXTS = {"a1.py": PROGRAM.splitlines()}
OUTLINE = outline(PROGRAM)
FUNCTIONS = tuple(part for part in OUTLINE.parts if part.callable)
SUSPECT = SuspectProgram(
    outline=OUTLINE, texts=TEXTS, sheet=frozenset({"f"}), constants={"COURSES": "four\n", "OWN": 1}
)


def trace(*numbers: int) -> str:
    pairs = zip(numbers, (0, *numbers), strict=False)
    return "\n".join(f"a1.py:{line}:{before}" for line, before in pairs)


@pytest.mark.parametrize(
    ("expected", "printed", "ran", "found"),
    [
        ("no", "", (6, 9, 15), (7, 6, False)),
        ("", "no", (6, 7, 8), (7, 6, True)),
        ("three", "no", (6, 7, 8), (7, 6, True)),  # whether it is 3 was not asked
        ("no", "three", (6, 9, 10), (7, 6, False)),  # this was asked first
        ("three", "end", (6, 9, 13, 15), (10, 9, False)),
        ("no", "", (6, 7, 8), None),  # it was printed after all
        ("no", "", (), None),
        ("four", "", (6, 9, 13, 15), None),  # two lines print it
        ("end", "", (6, 7, 8), None),  # no condition is above it
        ("other", "more", (6, 9, 13, 15), None),
        ("", "", (6, 9, 13, 15), None),
    ],
)
def test_which_branch_went_wrong(
    expected: str, printed: str, ran: tuple[int, ...], found: tuple[int, int, bool] | None
) -> None:
    seen = wrong_branch(
        (expected, printed),
        {Line("a1.py", number) for number in ran},
        FUNCTIONS,
        SUSPECT.text,
        {"OWN": "no", "COURSES": "four\n"}.get,
    )
    assert (seen and (seen.prints.number, seen.condition.number, seen.taken)) == found


@pytest.mark.parametrize(
    ("different", "numbers", "said", "shown"),
    [
        (("no", ""), (6, 3, 4, 9, 15, 16),
         "Line 6 goes the wrong way after is_ok: line 7 prints what is expected. It is "
         "wrong.", ["is_ok"]),
        (("", "no"), (6, 3, 4, 7, 8),
         "Line 6 goes the wrong way after is_ok: line 7 prints what is not expected. "
         "It is wrong.", ["is_ok"]),
        (("three", ""), (6, 3, 4, 9, 13, 15),
         "Line 9 goes the wrong way: line 10 prints what is expected. It is wrong.",
         ["f"]),
        (("", ""), (6, 3, 4, 9, 13, 15), "It is wrong.", []),
    ],
)  # fmt: skip
def test_a_cause_says_who_decides_about_it(
    different: tuple[str, str], numbers: tuple[int, ...], said: str, shown: list[str]
) -> None:
    example = fails("f")
    name = example.scenario.id
    cause = Cause(
        function="f",
        explanation=Explanation(rule="wrong_value", message="It is wrong."),
        scenarios=(name,),
        example=name,
    )
    passing = {"other": read_trace(trace(6, 3, 4, 9, 13, 15, 16))}
    failing = {name: read_trace(trace(*numbers))}
    suspicion = SUSPECT.suspicion(cause, FUNCTIONS, failing, passing, different)
    assert Suspicion.read(str(suspicion)) == suspicion
    found = SUSPECT.explained(cause, [example], example, FUNCTIONS, suspicion)
    assert found.message == said
    assert [each.function for each in found.suspects][:1] == shown


def test_a_constant_that_differs_says_more() -> None:
    program = replace(SUSPECT, constants={"OWN": "yes"})
    branch = WrongBranch(Line("a1.py", 7), Line("a1.py", 6), taken=True)
    suspicion = Suspicion(lines=(Line("a1.py", 6),), branch=branch)
    cause = Cause(function="f", explanation=Explanation(rule="wrong_value", message="It is wrong."))
    found = program.explained(cause, [], fails("f"), FUNCTIONS, suspicion)
    assert found.message.startswith('The fault may be in OWN, which is "no" on line 1')
    raised = program.explained(replace(cause, line=8), [], fails("f"), FUNCTIONS, suspicion)
    assert raised.message.startswith("Line 6 goes the wrong way after is_ok: line 7 prints")


def test_a_hard_coded_size_says_more() -> None:
    cause = Cause(
        function="f",
        explanation=Explanation(rule="hard_coded_size", message="This looks hard-coded to 5."),
    )
    branch = WrongBranch(Line("a1.py", 7), Line("a1.py", 6), taken=True)
    suspicion = Suspicion(lines=(Line("a1.py", 6),), branch=branch)
    found = SUSPECT.explained(cause, [], fails("f"), FUNCTIONS, suspicion)
    assert found.message == cause.message


def test_a_branch_is_the_same_after_it_was_written() -> None:
    branch = WrongBranch(Line("a1.py", 7), Line("b.py", 6), taken=True)
    suspicion = Suspicion(lines=(), branch=branch)
    assert Suspicion.read(str(suspicion)) == suspicion
