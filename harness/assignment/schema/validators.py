"""Small checks that the models run on a value before pydantic does, with plain messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pydantic_core import PydanticCustomError

from harness.assignment.yaml.errors import nearest

VISIBLE = ("after_due_date", "after_published")
IGNORE = ("case", "trailing-space", "blank-lines")
ISOLATION = ("proved", "all")
OTHERWISE = ("zero", "review")
COMPARE_WORDS = ("attributes", "repr", "equality")
ENDS = {
    "answered": "answered",
    "asks_for_more": "asked_for_more",
    "ended_early": "ended_early",
    "timeout": "timeout",
    "cpu_limit": "cpu_limit",
    "memory_limit": "memory_limit",
    "output_limit": "output_limit",
    "crashed": "crashed",
}
LEAST_MULTIPLE = 3
ID_PATTERN = "^[a-z0-9][a-z0-9_-]*$"
CHOICES = {"ends": tuple(ENDS), "ignore": IGNORE, "isolation": ISOLATION, "otherwise": OTHERWISE}


def wrong(what: str, hint: str = "") -> PydanticCustomError:
    """An error whose message is shown unchanged."""
    return PydanticCustomError("spec", "{what}", {"what": what, "hint": hint})


def describe(value: Any) -> str:
    """What a YAML value is, for "expected …, got …"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "text"
    return "a list" if isinstance(value, list) else "a mapping"


def as_list(value: Any) -> Any:
    """A single text is a list of one."""
    return [value] if not isinstance(value, list | dict) else value


def check_positive(value: Any) -> Any:
    """A number above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise wrong(f"expected a positive number, got {describe(value)}")
    return float(value)


def check_whole(value: Any) -> Any:
    """A whole number, not negative."""
    if type(value) is not int or value < 0:
        raise wrong(f"expected a whole number, got {describe(value)}")
    return value


def check_count(value: Any) -> Any:
    """A whole number, one or more."""
    if type(value) is not int or value < 1:
        raise wrong(f"expected a whole number above zero, got {describe(value)}")
    return value


def check_multiple(value: Any) -> Any:
    """How many times as long is too long: less than that, and a busy machine would decide."""
    if type(value) is not int or value < LEAST_MULTIPLE:
        what = f"expected a whole number from {LEAST_MULTIPLE}, got {describe(value)}"
        raise wrong(what, "it is a multiple of the reference's CPU time")
    return value


def check_exit(value: Any) -> Any:
    """An exit status, or {any: true}."""
    if type(value) is not int and value != {"any": True}:
        raise wrong(f"expected an exit status or {{any: true}}, got {describe(value)}")
    return value


def check_cases(value: Any) -> Any:
    """The name of a generator, or a table."""
    if not isinstance(value, str | list):
        what = f"expected a list of cases or file.function, got {describe(value)}"
        raise wrong(what, "write - {text: a, returns: 1} for each case")
    return value


def check_reads(value: Any) -> Any:
    """A number of inputs, or the most there may be."""
    number = value["at_most"] if isinstance(value, dict) and list(value) == ["at_most"] else value
    if type(number) is not int or number < 0:
        raise wrong(f"expected a whole number or {{at_most: …}}, got {describe(number)}")
    return value


def check_id(value: Any) -> Any:
    """A word that may stand in the head of a table."""
    if not isinstance(value, str) or not re.search(ID_PATTERN, value) or value.endswith("\n"):
        what = f"expected a word of small letters, digits, - and _, got {describe(value)}"
        raise wrong(what, "quote it" if isinstance(value, int | float) else "")
    return value


def check_visible(value: Any) -> Any:
    """true, false, after_due_date or after_published."""
    if isinstance(value, bool) or value in VISIBLE:
        return value
    expected = "expected true, false, after_due_date or after_published"
    hint = nearest(value, VISIBLE) if isinstance(value, str) else ""
    raise wrong(f"{expected}, got {describe(value)}", hint)


def check_choice(key: str) -> Callable[[Any], Any]:
    """One of the words that the key takes."""
    choices = CHOICES[key]

    def check(value: Any) -> Any:
        if value in choices:
            return value
        hint = nearest(value, choices) if isinstance(value, str) else ""
        raise wrong(f"expected {listed(choices)}, got {describe(value)}", hint)

    return check


def listed(words: tuple[str, ...]) -> str:
    """`a, b or c`."""
    if len(words) == 1:
        return words[0]
    return ", ".join(words[:-1]) + " or " + words[-1]
