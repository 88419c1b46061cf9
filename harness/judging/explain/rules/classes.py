"""Rules about classes: `self`, methods in the wrong place or missing, `__repr__`, `__eq__`."""

from __future__ import annotations

from harness.common.escaping import plain, quoted
from harness.judging.channels import is_default_repr
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import Stage, at_line, rule
from harness.judging.mismatches import TextMismatch
from harness.matchers.kinds.equal_to import EqualTo
from harness.model.observation import NameHint, NameHintKind
from harness.model.values import ValueKind


@rule(Stage.ENDING, 112, "forgets the parameter self")
def forgotten_self(failure: Failure) -> str | None:
    """A method without its first parameter."""
    hint = _hint(failure, NameHintKind.NO_SELF)
    if hint is None:
        return None
    now = f" (now it is {plain(hint.near, limit=40)})" if hint.near else ""
    return f"{_name(hint)} is a method: its first parameter must be self{now}."


@rule(Stage.ENDING, 113, "forgets self. before an attribute")
def forgotten_self_dot(failure: Failure) -> str | None:
    """An attribute that is used as if it were a variable."""
    hint = _hint(failure, NameHintKind.SELF_DOT)
    if hint is None:
        return None
    first = plain(hint.near, limit=40)
    name = _name(hint)
    where = at_line(failure.raised) if failure.raised else ""
    return failure.says(
        f"uses {name} without {first}{where}: it is an attribute of "
        f"{plain(hint.owner, limit=40)}, so write {first}.{name}"
    )


@rule(Stage.ENDING, 114, "a method stands outside its class")
def method_outside_its_class(failure: Failure) -> str | None:
    """A function at module level that should be a method."""
    hint = _hint(failure, NameHintKind.OUTSIDE)
    if hint is None:
        return None
    owner = plain(hint.owner, limit=40)
    return f"{_name(hint)} stands outside the class {owner}: indent it, so that it belongs to it."


@rule(Stage.ENDING, 115, "a method is missing")
def missing_method(failure: Failure) -> str | None:
    """A method or attribute that is nearly called so."""
    hint = _hint(failure, NameHintKind.NEAREST)
    if hint is None:
        return None
    near = plain(hint.near, limit=40)
    owner = plain(hint.owner, limit=40)
    return f"{owner} has no {_name(hint)}. You have {near}: is that it?"


@rule(Stage.KNOWN_MISTAKE, 3, "objects cannot be shown (no __repr__)")
def no_repr(failure: Failure) -> str | None:
    """Python's own words for an object where its class should have some."""
    for mismatch in failure.mismatches:
        if not isinstance(mismatch, TextMismatch) or not mismatch.shown:
            continue
        if is_default_repr(mismatch.actual):
            owner = _owner(mismatch.actual)
            return failure.says(
                f"is shown as {plain(mismatch.actual, limit=60)}: {owner} has no __repr__",
                who="the value",
            )
    pair = failure.exact_return
    if pair is None or pair[1].kind is not ValueKind.STR or pair[0].kind is not ValueKind.STR:
        return None
    if " object at 0x" not in pair[1].text or " object at 0x" in pair[0].text:
        return None
    return failure.says(f"returned Python's own words for an object: {_owner(pair[1].text)} has no "
                        "__repr__")  # fmt: skip


@rule(Stage.KNOWN_MISTAKE, 5, "shows objects as another text (__repr__)")
def repr_differs(failure: Failure) -> str | None:
    """The right value, and a session shows it as another text."""
    text = failure.text
    if text is None or not text.shown or failure.expectation.reference is None:
        return None
    has = quoted(text.actual) if text.actual else "an empty text"
    wanted = quoted(text.expected.exact_text or "")
    return failure.says(
        f"is shown as {has}, it should be shown as {wanted}: that text comes from __repr__",
        who="the value",
    )


@rule(Stage.KNOWN_MISTAKE, 4, "objects cannot be compared (no __eq__)")
def no_eq(failure: Failure) -> str | None:
    """Objects that are compared by identity."""
    mismatch = failure.returns
    if mismatch is None or mismatch.actual is None or not isinstance(mismatch.expected, EqualTo):
        return None
    items = mismatch.actual.items
    name = plain(mismatch.actual.type_name, limit=40)
    expression = plain(mismatch.expected.expression)
    if items and items[-1].kind is ValueKind.FOREIGN:
        return failure.says(
            f"returned an object that is not equal to {expression}: {name} has no __eq__"
        )
    return failure.says(f"returned an object that is not equal (==) to {expression}")


def _hint(failure: Failure, kind: NameHintKind) -> NameHint | None:
    names = failure.raised.names if failure.raised else None
    return names if names is not None and names.kind is kind else None


def _name(hint: NameHint) -> str:
    return plain(hint.name, limit=40)


def _owner(shown: str) -> str:
    before = shown.partition(" object at 0x")[0]
    return plain(before.rpartition("<")[2].rpartition(".")[2], limit=40)
