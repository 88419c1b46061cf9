"""What a program prints outside functions, as its text says, and which lines of output that is."""

from __future__ import annotations

import pytest

from harness.model.policy import Printing
from tests.policy.test_outline import outline


def printings(program: str) -> tuple[Printing, ...]:
    return outline(a1=program).printings


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ('print("Good.")', [("Good.",)]),
        ("print()", [("",)]),
        ('print("One\\nTwo")', [("One",), ("Two",)]),
        ('input("Name: ")', [("Name: ",)]),
        ("print(total)", [("", "")]),
        ('print("Sum:", total)', [("Sum: ", "")]),
        ('print("a", "b", 3, sep="-")', [("a-b-3",)]),
        ('print("a", "b", sep=dash)', [("a", "b")]),
        ('print(f"{name} has {total:.2f}.")', [("", " has ", ".")]),
        ('print("Hello " + name + "!")', [("Hello ", "!")]),
        ('print("%-5s has %.2f." % pair)', [("", " has ", ".")]),
        ('print("{} has {total:>3}.".format(name, total=9))', [("", " has ", ".")]),
        ('print(f"{name}\\n{total} in all")', [("", ""), ("", " in all")]),
        ('print("*" * 3)', [("", "")]),
        ('show("Good.")', []),
        ('def f():\n    print("Good.")', []),
        ('show(lambda: print("Good."))', []),
    ],
)
def test_the_literal_pieces_of_each_line(text: str, pieces: list[tuple[str, ...]]) -> None:
    assert [each.pieces for each in printings(text)] == pieces


PROGRAM = """\
names = []
for name in given:
    names.append(name)
    if name:
        print(name)
if names:
    first, *others = names
    ages = {}
    ages[first] = int(input(first))
elif other:
    total = 3
    total += len(names)
    while total:
        print(total)
    print(total, ages)
"""


@pytest.mark.parametrize(
    ("line", "values", "conditions"),
    [
        (5, (2,), (4,)),  # the loop is around both
        (9, (1, 2, 3, 7), (6,)),
        (14, (1, 2, 3, 11, 12), ()),
        (15, (1, 2, 3, 7, 8, 9, 11, 12), (6, 10)),
    ],
)
def test_the_statements_that_give_the_values_and_the_conditions_around_it(
    line: int, values: tuple[int, ...], conditions: tuple[int, ...]
) -> None:
    (found,) = (each for each in printings(PROGRAM) if each.line == line)
    assert (found.values, found.conditions) == (values, conditions)


def test_the_main_guard_is_no_condition() -> None:
    (found,) = printings('if __name__ == "__main__":\n    print(1)\n')
    assert found.conditions == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Good.", [1]),
        ("Good", [3]),
        ("Ada has 9.", [2]),
        (" has .", [2]),
        ("Ada has 9", [3]),
        ("has", [3]),
        ("aXbXc", [4]),
        ("abc", [4]),
        ("ab", [3]),
        ("", [3]),
    ],
)
def test_a_line_is_of_the_statement_with_most_of_it_literal(text: str, lines: list[int]) -> None:
    program = outline(
        a1='print("Good.")\nprint(f"{name} has {age}.")\nprint(age)\nprint(f"a{age}b{age}c")\n'
    )
    assert [each.line for each in program.shown_by("a1.py", text)] == lines
    assert program.shown_by("other.py", text) == ()


def test_what_is_kept_is_bounded() -> None:
    assert len(printings("print(1)\n" * 1000)) == 200
    assert printings(f'print(f"{"{x}" * 1000}")') == ()
    (found,) = printings("".join(f"a{n} = a{n + 1}\n" for n in range(1000)) + "print(a0)\n")
    assert len(found.values) == 100
