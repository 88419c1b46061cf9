"""Classes, their objects and generators: what each rule fires on, says, and leaves alone."""

from dataclasses import replace

from harness.matchers.kinds.equal_to import EqualTo
from harness.model.expectation import Expected
from harness.model.observation import NameHint, NameHintKind, Observation, StepOutcome
from harness.model.values import Value, ValueKind
from tests.judging.judging_cases import (
    Neighbours,
    Sentences,
    called,
    case,
    exactly,
    raised,
    returns,
    session,
    step,
    steps,
)

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

FIRES: Sentences = {
    "forgotten_self": {
        "deposit is a method: its first parameter must be self (now it is amount).": case(
            called(1), about(NameHintKind.NO_SELF, "amount", "TypeError")
        ),
        "deposit is a method: its first parameter must be self.": case(
            called(1), about(NameHintKind.NO_SELF, "", "TypeError")
        ),
    },
    "forgotten_self_dot": {
        "add_piece uses deposit without self (line 4: balance += 1): it is an attribute of "
        "Account, so write "
        "self.deposit.": case(called(1), about(NameHintKind.SELF_DOT, "self", "NameError"))
    },
    "method_outside_its_class": {
        "deposit stands outside the class Account: indent it, so that it belongs to it.": case(
            called(1), about(NameHintKind.OUTSIDE, "")
        )
    },
    "missing_method": {
        "Account has no deposit. You have depositt: is that it?": case(
            called(1), about(NameHintKind.NEAREST, "depositt")
        )
    },
    "no_repr": {
        "The value is shown as <a1.Account object at 0x…>: Account has no __repr__.": case(
            shown("Account('Ada')"), shown(DEFAULT_REPR), SHOW_ACCOUNT
        ),
        "add_piece returned Python's own words for an object: Account has no __repr__.": returns(
            "Account('Ada')", "<a1.Account object at 0x7f00>"
        ),
    },
    "repr_differs": {
        'The value is shown as "Account(Ada)", it should be shown as '
        "\"Account('Ada')\": that text comes from "
        "__repr__.": case(shown("Account('Ada')"), shown("Account(Ada)"), SHOW_ACCOUNT),
        "The value is shown as an empty text, it should be shown as \"Account('Ada')\": that text "
        "comes from __repr__.": case(shown("Account('Ada')"), shown(""), SHOW_ACCOUNT),
    },
    "printed_instead_of_returned": {
        "richest printed Account(owner='Ada') instead of returning it. In a session both look "
        "alike.": case(
            shown("Account('Ada')"),
            session(step(None, "Account('Ada')\n")),
            steps("richest([ada])"),
        )
    },
    "no_eq": {
        "add_piece returned an object that is not equal to Account('Ada'): Account has "
        "no __eq__.": case(None, called(answering(NO_EQ)), stated=EQUAL),
        "add_piece returned an object that is not equal (==) to Account('Ada').": case(
            None, called(answering(Value.of(False))), stated=EQUAL
        ),
    },
    "generator_instead_of_list": {
        "add_piece returned a generator instead of a list: list(…) makes a list of it.": returns(
            [1], YIELDS
        )
    },
    "wrong_value": {
        "add_piece returned a different Account: attribute balance is 2, it should be 1.": returns(
            account(owner="Ada", balance=1), account(owner="Ada", balance=2)
        )
    },
    "wrong_type": {
        "add_piece returned 'Ada' (a str) instead of Account(owner='Ada') (an Account).": returns(
            account(owner="Ada"), "Ada"
        )
    },
}

LEAVES_ALONE: Neighbours = {
    "forgotten_self": [WRONG_NAME, case(called(1), about(NameHintKind.OUTSIDE, ""))],
    "forgotten_self_dot": [WRONG_NAME],
    "method_outside_its_class": [WRONG_NAME],
    "missing_method": [case(called(1), about(NameHintKind.NO_SELF, ""))],
    "no_repr": [
        case(shown("Account('Ada')"), shown("Account(Ada)"), SHOW_ACCOUNT),
        returns("a", "b"),
    ],
    "repr_differs": [
        returns("a", "b"),
        case(shown("Account('Ada')"), session(step(5)), SHOW_ACCOUNT),
        case(None, session(step(6)), SHOW_ACCOUNT, stated=Expected(shown=("5\n",))),
    ],
    "no_eq": [
        returns(account(owner="Ada"), account(owner="Alan")),
        case(None, called(1), stated=Expected(returns=exactly(2))),
    ],
    "generator_instead_of_list": [returns([1], (1,))],
}
