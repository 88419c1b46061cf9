"""What a submission's text is made of, and what it prints outside functions."""

import pytest

from harness.model.policy import Outline, Printing
from harness.policy.checking import check
from tests.execution.small_world import source


def outline(**files: str) -> Outline:
    return check([source(text, f"{name}.py") for name, text in files.items()], None).outline


def test_functions_classes_and_constants_with_their_lines_and_what_they_mention() -> None:
    found = outline(
        a1="SIZE = 3\n"
        "@cached\n"
        "def f(x):\n"
        "    return g(x) + SIZE\n"
        "if SIZE > 2:\n"
        "    def g(x):\n"
        "        return Board().width\n"
        "class Board:\n"
        "    width = SIZE\n"
        "if __name__ == '__main__':\n"
        "    f(1)\n"
    )
    assert {part.name: (part.first, part.last, part.mentions) for part in found.parts} == {
        "SIZE": (1, 1, ()),
        "f": (2, 4, ("SIZE", "g")),
        "g": (6, 7, ("Board",)),
        "Board": (8, 9, ("SIZE",)),
    }
    assert found.modules[0].mentions == ("SIZE", "f")
    assert found.names() == {"f", "g", "Board"}


def test_methods_and_what_a_class_has_besides() -> None:
    found = outline(
        a1="LEAST = 1\n"
        "class Account(Base, key=LEAST):\n"
        "    def __init__(self):\n"
        "        self.deposit(1)\n"
        "    @property\n"
        "    def balance(self):\n"
        "        return total(self)\n"
        "    def deposit(self, amount):\n"
        "        return self.balance\n"
        "def total(account):\n"
        "    return account.balance\n"
        "Account().deposit(1)\n"
    )
    assert [(m.name, m.first, m.last, m.mentions, m.attributes) for m in found.members] == [
        ("Account.balance", 5, 7, ("total",), ()),
        ("Account.deposit", 8, 9, (), ("balance",)),
        ("Account", 2, 9, ("LEAST",), ("deposit",)),
    ]
    assert found.modules[0].attributes == ("deposit",)
    part, account = found.part("Account.deposit"), found.part("Account")
    assert (part.first, part.last) == (8, 9)
    assert (account.first, account.last) == (2, 9)


def test_a_function_of_another_file_is_mentioned_by_its_attribute() -> None:
    found = outline(
        game="import rules\ndef play():\n    rules.win()\n", rules="def win():\n    1\n"
    )
    assert found.reached_from(["play"]) == {"play", "win"}


def test_callees_come_before_callers_and_cycles_in_the_order_of_the_text() -> None:
    found = outline(a1="def a():\n    b()\ndef b():\n    c()\ndef c():\n    b()\ndef d(): pass\n")
    assert found.callees_first(["a", "b", "c", "d"]) == ("d", "b", "c", "a")


def test_only_so_many_parts_are_named() -> None:
    assert len(outline(a1="".join(f"def f{n}(): pass\n" for n in range(1000))).parts) == 400


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


def test_the_main_guard_is_not_a_condition() -> None:
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


def test_kept_data_is_bounded() -> None:
    assert len(printings("print(1)\n" * 1000)) == 200
    assert printings(f'print(f"{"{x}" * 1000}")') == ()
    (found,) = printings("".join(f"a{n} = a{n + 1}\n" for n in range(1000)) + "print(a0)\n")
    assert len(found.values) == 100
