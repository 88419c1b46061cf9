"""Failures of programs without functions, put together by the statement that they lead to."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from harness.judging.causes.deriving import derive
from harness.judging.causes.failed_scenarios import FailedScenario
from harness.model.observation import Ending, Observation, Turn, Typed
from harness.model.verdict import Absence, Cell, Channel, ComparedRow, Comparison, VerdictKind
from tests.judging.test_causes import fails, outline

PROGRAM = """\
name = input("Name: ")
points = int(input("Points: "))
total = points + 5
if total > 90:
    print("Very good.")
elif total > 70:
    print("Good.")
elif total > 50:
    print("Passed.")
else:
    print("Failed.")
if total < 0:
    print("Nothing below zero.")
for number in range(points):
    print("*" * number)
print(f"{name} has {total}.")
print("That makes %d of 100." % total)
print("Goodbye,", name)
"""
GRADES = (("Very good.", "Good."), ("Good.", "Passed."), ("Passed.", "Failed."))

Line = tuple[str | None, str | None]


def cell(text: str | None) -> Cell:
    return Cell(note=Absence.MISSING) if text is None else Cell(text=text)


def failed(
    *lines: Line, rule: str = "line_differs", number: int = 0, shown: str = "", channel: str = ""
) -> FailedScenario:
    """A failing run, by its first lines: what each should be, and what it is."""
    program = fails("a1.py", stimulus="run", rule=rule, number=number)
    difference = Comparison(
        channel=Channel(channel or "prints"),
        subject="printed text",
        rows=tuple(
            ComparedRow(expected=cell(one), other=cell(other) if one != other else None)
            for one, other in lines
        ),
    )
    turns = (Turn(printed=shown, typed=Typed(text="Ada")),) if shown else ()
    return replace(
        program,
        verdict=replace(program.verdict, differences=(difference,)),
        observation=Observation(ending=Ending.ANSWERED, turns=turns),
    )


def numbered(failures: Iterable[FailedScenario]) -> list[FailedScenario]:
    return [
        replace(each, scenario=replace(each.scenario, id=str(number)), index=number)
        for number, each in enumerate(failures)
    ]


def sizes(*failures: FailedScenario, program: str = PROGRAM) -> list[int]:
    """How many failures each cause has; right is what prints `Name: `."""
    found = derive(
        numbered(failures), outline(program), {}, lambda _, seen: "Name: " in seen.printed
    )
    return [len(cause.scenarios) for cause in found]


ENDED = failed(rule="stopped_early", channel="reads")
ASKED = failed(rule="asked_for_more", channel="reads")
MATCHED = failed(rule="text_not_matched")


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        # The same text too often and too seldom, of whatever rule.
        (
            [
                failed(("Nothing below zero.", None), rule="nothing_printed"),
                failed((None, "Nothing below zero."), ("a", "a"), rule="line_too_many"),
            ],
            [2],
        ),
        # Texts that one statement prints.
        ([failed(("***", None), rule="line_missing"), failed(("*", None), rule="cut")], [2]),
        # Texts of two statements.
        (
            [
                failed(("***", None), rule="line_missing"),
                failed(("Nothing below zero.", None), rule="nothing_printed"),
                failed(("*", None), rule="nothing_printed"),
            ],
            [2, 1],
        ),
        # One value in two statements; two texts that have nothing in common.
        (
            [
                failed(("Ada has 9.", "Ada has 8.")),
                failed(("That makes 9 of 100.", "That makes 8 of 100.")),
            ],
            [2],
        ),
        (
            [
                failed(("Very well.", "Very good.")),
                failed(("Bye, Ada", "Goodbye, Ada")),
                failed(("Points? ", "Points: "), rule="prompt_differs"),
            ],
            [1, 1, 1],
        ),
        # A text is wrong where it is shown, and not in the value that is asked for there.
        (
            [
                failed(("Points? ", "Points: "), rule="prompt_differs"),
                failed(("Ada has 9.", "Ada has 8.")),
            ],
            [1, 1],
        ),
        # One text in the place of another: the conditions around both.
        ([failed(pair) for pair in GRADES], [3]),
        ([failed(pair[::-1]) for pair in GRADES], [3]),
        # How the run ends, and what is said about no line, is of one cause with a line that is
        # missing, too many or in the place of another, and else a cause of its own.
        ([ENDED, ASKED, MATCHED], [3]),
        ([ENDED, MATCHED, failed(("***", None)), failed(GRADES[0])], [3, 1]),
        ([ENDED, MATCHED, failed(("Points? ", "Points: "))], [2, 1]),
        # A failure of something else is told by its rule, as elsewhere.
        ([failed(rule="wrong_exit_status", channel="exit"), ENDED], [1, 1]),
        ([failed(rule="file_differs", channel="writes"), ENDED], [1, 1]),
    ],
)
def test_failures_join_by_statement(failures: list[FailedScenario], expected: list[int]) -> None:
    assert sorted(sizes(*failures), reverse=True) == expected


def test_a_program_with_functions_is_told_by_its_rules() -> None:
    program = PROGRAM + "def double(x):\n    return 2 * x\n"
    assert sizes(ENDED, ASKED, program=program) == [2]
    assert sizes(ENDED, ASKED, program=program + "double(3)\n") == [1, 1]


def test_a_limit_is_a_cause_of_its_own() -> None:
    memory = replace(ENDED, verdict=replace(ENDED.verdict, kind=VerdictKind.MEMORY_LIMIT))
    assert sizes(memory, ENDED) == [1, 1]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("name: ", [2]),  # would pass with the right prompt
        ("A game\nname: ", [2]),
        ("My name: ", [1, 1]),
        ("Points: ", [1, 1]),
    ],
)
def test_a_failure_that_passes_with_the_right_words_has_their_cause(
    shown: str, expected: list[int]
) -> None:
    program = PROGRAM.replace("Name: ", "name: ")
    prompt = failed(("Name: ", "name: "), rule="only_case")
    unknown = failed(rule="text_not_matched", shown=shown)
    assert sizes(prompt, unknown, program=program) == expected


def test_the_number_of_tries_is_bounded() -> None:
    program = "\n".join(f'print("{number}!")' for number in range(200))
    wrong = [failed((f"{number}?", f"{number}!")) for number in range(100)]
    tried: list[FailedScenario] = []
    failures = [*wrong, *(failed(shown=f"{number}!\n") for number in range(100))]

    def passes(each: FailedScenario, seen: Observation) -> bool:
        tried.append(each)
        return False

    derive(numbered(failures), outline(program), {}, passes)
    assert 0 < len(tried) <= 300


def test_a_truncated_observation_is_not_grouped_with_a_statement() -> None:
    """What is there is the verdict; it cannot be judged again with a line corrected."""
    wording = failed(("Points? ", "Points: "), rule="prompt_differs")
    course = failed(("***", None))
    whole = replace(MATCHED, observation=Observation(ending=Ending.ANSWERED))
    cut = replace(MATCHED, observation=Observation(ending=Ending.ANSWERED, full_digest="digest"))
    assert sizes(course, whole, wording) == [2, 1]
    assert sizes(course, cut, wording) == [1, 1, 1]
