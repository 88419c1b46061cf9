"""Rules about classes: `self`, methods in the wrong place or missing, `__repr__`, `__eq__`."""

from harness.common.escaping import plain, quoted
from harness.common.words import listed
from harness.judging.compare.mismatch import TextMismatch, ValueMismatch
from harness.judging.compare.session import is_default_repr
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import RETURNS, TEXT, Found, Part, Stage, rule, rule_about
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.signature import (
    NOTHING,
    FoundName,
    HasSignature,
    found_name,
    parameters_in_words,
)
from harness.model.observation import NameHint, NameHintKind
from harness.model.values import ValueKind


def _hint(kind: NameHintKind) -> Part[NameHint]:
    def hint(failure: Failure) -> NameHint | None:
        if failure.raised is None or failure.raised.names is None:
            return None
        names = failure.raised.names
        if names.kind is not kind:
            return None
        return names

    return hint


def _short(name: str) -> str:
    return plain(name, limit=40)


@rule_about(Stage.ENDING, 112, "forgets the parameter self", _hint(NameHintKind.NO_SELF))
def forgotten_self(failure: Failure, hint: NameHint) -> str:
    now = ""
    if hint.near:
        now = f" (now it is {_short(hint.near)})"
    return f"{_short(hint.name)} is a method: its first parameter must be self{now}."


@rule_about(Stage.ENDING, 113, "forgets self. before an attribute", _hint(NameHintKind.SELF_DOT))
def forgotten_self_dot(failure: Failure, hint: NameHint) -> Found:
    name, first, owner = _short(hint.name), _short(hint.near), _short(hint.owner)
    advice = f": it is an attribute of {owner}, so write {first}.{name}."
    return failure.raised_at(failure.raised, f"uses {name} without {first}", advice)


@rule_about(Stage.ENDING, 114, "a method is outside its class", _hint(NameHintKind.OUTSIDE))
def method_outside_its_class(failure: Failure, hint: NameHint) -> str:
    name, owner = _short(hint.name), _short(hint.owner)
    return f"{name} is outside the class {owner}: indent it, so that it is inside."


@rule_about(Stage.ENDING, 115, "a method is missing", _hint(NameHintKind.NEAREST))
def missing_method(failure: Failure, hint: NameHint) -> str:
    name, near, owner = _short(hint.name), _short(hint.near), _short(hint.owner)
    return f"{owner} has no {name}. You have {near}: is that it?"


@rule(Stage.KNOWN_MISTAKE, 3, "objects have no readable text (no __repr__)")
def no_repr(failure: Failure) -> str | None:
    for mismatch in failure.mismatches:
        if not isinstance(mismatch, TextMismatch) or not mismatch.shown:
            continue
        text = mismatch.actual
        if is_default_repr(text):
            shown, owner = plain(text, limit=60), _owner(text)
            return failure.says(f"is shown as {shown}: {owner} has no __repr__", who="the value")
    if failure.exact_return is None:
        return None
    expected, actual = failure.exact_return
    if actual.kind is not ValueKind.STR or expected.kind is not ValueKind.STR:
        return None
    if _ADDRESS not in actual.text or _ADDRESS in expected.text:
        return None
    owner = _owner(actual.text)
    return failure.says(f"returned Python's default text for an object: {owner} has no __repr__")


_ADDRESS = " object at 0x"  # in Python's default `repr` of an object


def _owner(shown: str) -> str:
    """Return the class name in a default `repr` such as `<shop.Account object at 0x…>`, without
    its module.
    """
    before, _, _ = shown.partition(_ADDRESS)
    _, _, name = before.rpartition("<")
    _, _, class_name = name.rpartition(".")
    return _short(class_name)


@rule_about(Stage.KNOWN_MISTAKE, 5, "shows objects with the wrong text (__repr__)", TEXT)
def repr_differs(failure: Failure, text: TextMismatch) -> str | None:
    if not text.shown or failure.expectation.reference is None:
        return None
    has = "an empty text"
    if text.actual:
        has = quoted(text.actual)
    wanted = quoted(text.expected.exact_text or "")
    return failure.says(
        f"is shown as {has}, it should be shown as {wanted}: that text comes from __repr__",
        who="the value",
    )


@rule_about(Stage.KNOWN_MISTAKE, 4, "objects cannot be compared (no __eq__)", RETURNS)
def no_eq(failure: Failure, mismatch: ValueMismatch) -> str | None:
    actual = mismatch.actual
    if actual is None or not isinstance(mismatch.expected, EqualTo):
        return None
    expression = plain(mismatch.expected.expression)
    if actual.items and actual.items[-1].kind is ValueKind.FOREIGN:
        name = _short(actual.type_name)
        clause = f"returned an object that is not equal to {expression}: {name} has no __eq__"
        return failure.says(clause)
    return failure.says(f"returned an object that is not equal (==) to {expression}")


@rule_about(Stage.KNOWN_MISTAKE, 2, "a name is missing or has the wrong signature", RETURNS)
def other_signature(failure: Failure, mismatch: ValueMismatch) -> str | None:
    if mismatch.actual is None or not isinstance(mismatch.expected, HasSignature):
        return None
    found = found_name(mismatch.actual)
    if found is None:
        return None
    name = plain(failure.stimulus.action.expression, limit=60)
    return _signature_difference(name, mismatch.expected, found)


def _signature_difference(name: str, wanted: HasSignature, found: FoundName) -> str:
    if found.what == NOTHING:
        owner, _, member = name.rpartition(".")
        return f"{owner or 'The program'} has no {member}."
    if wanted.what not in ("", found.what):
        return f"{name} should be a {wanted.what}, it is a {_short(found.what)}."
    if not wanted.has_parameters(found):
        has = "unknown parameters"
        if found.parameters is not None:
            has = parameters_in_words(found.parameters)
        expected = parameters_in_words(wanted.parameters or ())
        return f"{name} has {has}, it should have {expected}."
    missing = listed(wanted.missing_attributes(found))
    return f"{name} does not set the attribute {missing}."
