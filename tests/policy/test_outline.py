"""What a submission's text is made of."""

from __future__ import annotations

from harness.model.policy import Outline
from harness.policy import check
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
    parts = {part.name: (part.first, part.last, part.mentions) for part in found.parts}
    assert parts == {
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
    part = found.part("Account.deposit")
    assert part is not None and part.text[0] == "    def deposit(self, amount):"
    account = found.part("Account")
    assert account is not None and account.text[0].startswith("class Account")


def test_a_function_of_another_file_is_mentioned_by_its_attribute() -> None:
    found = outline(
        game="import rules\ndef play():\n    rules.win()\n", rules="def win():\n    1\n"
    )
    assert found.reached_from(["play"]) == {"play", "win"}


def test_callees_come_before_callers_and_cycles_in_the_order_of_the_text() -> None:
    found = outline(a1="def a():\n    b()\ndef b():\n    c()\ndef c():\n    b()\ndef d(): pass\n")
    assert found.callees_first(["a", "b", "c", "d"]) == ("d", "b", "c", "a")


def test_long_texts_are_cut() -> None:
    body = "".join(f"    x = {n}  # {'#' * 300}\n" for n in range(100))
    (part,) = outline(a1="def f():\n" + body).parts
    assert (part.last, len(part.text), max(map(len, part.text))) == (101, 100, 200)
    many = outline(a1="".join(f"def f{n}(): pass\n" for n in range(1000)))
    assert len(many.parts) == 400
