"""Classes, their objects and generators: what each rule fires on, says, and leaves alone."""

from __future__ import annotations

from dataclasses import replace

from harness.judging.explain.failure import Failure
from harness.matchers.kinds.equal_to import EqualTo
from harness.model.expectation import Expected
from harness.model.observation import NameHint, NameHintKind, Observation, StepOutcome
from harness.model.values import Value, ValueKind
from tests.judging.judging_cases import called, case, exactly, raised, session, step, steps

EQUALS_ADA = "== Account('Ada')"


def account(**attributes: object) -> Value:
    """An object of the class Account."""
    parts = [Value.of(part) for pair in attributes.items() for part in pair]
    return Value(ValueKind.OBJECT, "Account", tuple(parts))


def answering(answer: Value) -> Value:
    """An object of which only the answer of its `==` is known."""
    question = Value(ValueKind.STR, EQUALS_ADA)
    return Value(ValueKind.OBJECT, "Account", (question, answer))


def about(kind: NameHintKind, near: str, error: str = "AttributeError") -> Observation:
    """An exception about the name deposit of the class Account."""
    seen = raised(error, "oh", line=4, source="balance += 1")
    assert seen.raised is not None
    names = NameHint(kind=kind, name="deposit", owner="Account", near=near)
    return replace(seen, raised=replace(seen.raised, names=names))


def shown(text: str) -> Observation:
    """A session that shows an account as this text."""
    return session(StepOutcome(value=account(owner="Ada"), shown=text))


DEFAULT_REPR = "<a1.Account object at 0x…>"
SHOW_ACCOUNT = steps("account")
NO_EQ = Value(ValueKind.FOREIGN, "no __eq__")
EQUAL = Expected(returns=EqualTo(expression="Account('Ada')"))
YIELDS = Value(ValueKind.ITERATOR, "generator", (Value.of(1),))
WRONG_NAME = case(called(1), raised("AttributeError", "oh", line=4, source="x.y"))

FIRES: list[tuple[str, Failure, str]] = [
    (
        "forgotten_self",
        case(called(1), about(NameHintKind.NO_SELF, "amount", "TypeError")),
        "deposit is a method: its first parameter must be self (now it is amount).",
    ),
    (
        "forgotten_self",
        case(called(1), about(NameHintKind.NO_SELF, "", "TypeError")),
        "deposit is a method: its first parameter must be self.",
    ),
    (
        "forgotten_self_dot",
        case(called(1), about(NameHintKind.SELF_DOT, "self", "NameError")),
        "add_piece uses deposit without self (line 4: balance += 1): it is an attribute of "
        "Account, so write self.deposit.",
    ),
    (
        "method_outside_its_class",
        case(called(1), about(NameHintKind.OUTSIDE, "")),
        "deposit stands outside the class Account: indent it, so that it belongs to it.",
    ),
    (
        "missing_method",
        case(called(1), about(NameHintKind.NEAREST, "depositt")),
        "Account has no deposit. You have depositt: is that it?",
    ),
    (
        "no_repr",
        case(shown("Account('Ada')"), shown(DEFAULT_REPR), SHOW_ACCOUNT),
        "The value is shown as <a1.Account object at 0x…>: Account has no __repr__.",
    ),
    (
        "no_repr",
        case(called("Account('Ada')"), called("<a1.Account object at 0x7f00>")),
        "add_piece returned Python's own words for an object: Account has no __repr__.",
    ),
    (
        "repr_differs",
        case(shown("Account('Ada')"), shown("Account(Ada)"), SHOW_ACCOUNT),
        'The value is shown as "Account(Ada)", it should be shown as '
        "\"Account('Ada')\": that text comes from __repr__.",
    ),
    (
        "repr_differs",
        case(shown("Account('Ada')"), shown(""), SHOW_ACCOUNT),
        "The value is shown as an empty text, it should be shown as \"Account('Ada')\": that text "
        "comes from __repr__.",
    ),
    (
        "printed_instead_of_returned",
        case(
            shown("Account('Ada')"),
            session(step(None, "Account('Ada')\n")),
            steps("richest([ada])"),
        ),
        "richest printed Account(owner='Ada') instead of returning it. In a session both look "
        "alike.",
    ),
    (
        "no_eq",
        case(None, called(answering(NO_EQ)), stated=EQUAL),
        "add_piece returned an object that is not equal to Account('Ada'): Account has no __eq__.",
    ),
    (
        "no_eq",
        case(None, called(answering(Value.of(False))), stated=EQUAL),
        "add_piece returned an object that is not equal (==) to Account('Ada').",
    ),
    (
        "generator_instead_of_list",
        case(called([1]), called(YIELDS)),
        "add_piece returned a generator instead of a list: list(…) makes a list of it.",
    ),
    (
        "wrong_value",
        case(called(account(owner="Ada", balance=1)), called(account(owner="Ada", balance=2))),
        "add_piece returned a different Account: attribute balance is 2, it should be 1.",
    ),
    (
        "wrong_type",
        case(called(account(owner="Ada")), called("Ada")),
        "add_piece returned 'Ada' (a str) instead of Account(owner='Ada') (an Account).",
    ),
]

LEAVES_ALONE: list[tuple[str, Failure]] = [
    ("forgotten_self", WRONG_NAME),
    ("forgotten_self", case(called(1), about(NameHintKind.OUTSIDE, ""))),
    ("forgotten_self_dot", WRONG_NAME),
    ("method_outside_its_class", WRONG_NAME),
    ("missing_method", case(called(1), about(NameHintKind.NO_SELF, ""))),
    ("no_repr", case(shown("Account('Ada')"), shown("Account(Ada)"), SHOW_ACCOUNT)),
    ("no_repr", case(called("a"), called("b"))),
    ("repr_differs", case(called("a"), called("b"))),
    ("repr_differs", case(shown("Account('Ada')"), session(step(5)), SHOW_ACCOUNT)),
    (
        "repr_differs",
        case(None, session(step(6)), SHOW_ACCOUNT, stated=Expected(shown=("5\n",))),
    ),
    ("no_eq", case(called(account(owner="Ada")), called(account(owner="Alan")))),
    ("no_eq", case(None, called(1), stated=Expected(returns=exactly(2)))),
    ("generator_instead_of_list", case(called([1]), called((1,)))),
]
