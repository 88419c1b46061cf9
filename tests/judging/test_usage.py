"""Who is to blame in classes, where nothing can be substituted, by what fails and what passes."""

from __future__ import annotations

import pytest

from harness.judging.blame import find_blame
from harness.model.plan import Scenario
from tests.judging.test_causes import fails, outline

PROGRAM = """\
LEAST = 10
class Account:
    def __init__(self, owner):
        self.owner = owner
    def deposit(self, amount):
        return amount
    def withdraw(self, amount):
        return amount
class Savings(Account):
    def __init__(self, owner):
        super().__init__(owner)
    def withdraw(self, amount):
        return max(LEAST, super().withdraw(amount))
def transfer(one, other, amount):
    one.withdraw(amount)
    other.deposit(amount)
def opened(owners):
    return [Account(owner) for owner in owners]
"""
# Of each kind of scenario what it is about, and what it does.
KINDS = {
    "account": ("Account", "Account('Ada')"),
    "deposit": ("Account.deposit", "Account('Ada').deposit(1)"),
    "withdraw": ("Account.withdraw", "Account('Ada').withdraw(1)"),
    "savings": ("Savings", "Savings('Ada')"),
    "least": ("Savings.withdraw", "Savings('Ada').withdraw(1)"),
    "transfer": ("transfer", "transfer(Account('Ada'), Account('Alan'), 1)"),
    "opened": ("opened", "opened(['Ada'])"),
}


def scenarios(kinds: str) -> list[Scenario]:
    return [
        fails(KINDS[kind][0], stimulus=KINDS[kind][1], number=number, rule=kind).scenario
        for number, kind in enumerate(kinds.split())
    ]


@pytest.mark.parametrize(
    ("failing", "passing", "blamed"),
    [
        ("account deposit withdraw savings least transfer opened", "", {"Account"}),
        ("deposit deposit transfer", "account account withdraw transfer", {"Account.deposit"}),
        ("withdraw least transfer", "account deposit savings opened", {"Account.withdraw"}),
        ("savings savings least", "account deposit withdraw transfer", {"Savings"}),
        ("least least", "savings account withdraw withdraw", {"Savings.withdraw"}),
        ("transfer", "account deposit deposit withdraw withdraw opened", {"transfer"}),
        ("opened", "account deposit withdraw transfer", {"opened"}),
        # Two faults: that both are in what `account` begins with explains less.
        (
            "opened opened opened deposit deposit deposit deposit",
            "account account account account withdraw withdraw withdraw withdraw savings",
            {"opened", "Account.deposit"},
        ),
    ],
)
def test_what_failing_scenarios_use_and_passing_ones_do_not(
    failing: str, passing: str, blamed: set[str]
) -> None:
    failures = [
        fails(KINDS[kind][0], stimulus=KINDS[kind][1], number=number, rule=kind)
        for number, kind in enumerate(failing.split())
    ]
    for passes in (None, lambda each, names: None):
        found = find_blame(
            failures,
            outline(PROGRAM),
            frozenset({"transfer", "opened"}),
            frozenset(),
            passes,
            passed=scenarios(passing),
        )
        assert len(found) == len(failures)
        assert {name for names in found.values() for name in names} == blamed


def test_what_cannot_be_substituted_is_explained_by_what_is_known_to_be_wrong() -> None:
    program = "def words(x):\n    return [x]\ndef report(x):\n    return words(x)\n"
    failures = [fails("words", stimulus="words(1)"), fails("report", stimulus="report(1)")]
    found = find_blame(
        failures,
        outline(program),
        frozenset({"words", "report"}),
        frozenset(),
        lambda each, names: None,
        passed=[],
    )
    assert set(found.values()) == {("words",)}
    assert find_blame([fails("nobody")], outline("x = 1\n"), frozenset(), frozenset(), None) == {
        "nobody/wrong_value-0": ()
    }
