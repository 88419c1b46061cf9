"""What a scenario states, and what the reference did: together, what is expected."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness.model.observation import Ending, Observation
from harness.model.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Exactly:
    """This value, type-exact (a text channel: this text)."""

    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonValue:
    """`{python: …}`: the value of an expression evaluated beside the reference."""

    expression: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyValue:
    """`{any: true}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfType:
    """`{type: float}`: exactly this builtin type."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approximately:
    """`{approx: 3.14, within: 0.01}`: an int or float no further away than `within`."""

    number: float
    within: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """`{matches: regex}`: a str in which `re.search` finds the pattern.

    `{shows: words}` is one that assignment.yaml has these words for; "" where it has none.
    """

    pattern: str
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """`{contains: text}`: a str that has the text somewhere."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """`{one_of: […]}`: one of these values, type-exact."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """`{all_of: […]}`: what every one of these asks for."""

    matchers: tuple[Matcher, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf:
    """`{none_of: […]}`: what not one of these asks for."""

    matchers: tuple[Matcher, ...]


Matcher = (
    Exactly
    | PythonValue
    | AnyValue
    | OfType
    | Approximately
    | Matches
    | Contains
    | OneOf
    | AllOf
    | NoneOf
)


def parts_of(matcher: Matcher) -> tuple[Matcher, ...]:
    """The matchers that a combination is made of, those inside others too; any other: itself."""
    if not isinstance(matcher, AllOf | NoneOf):
        return (matcher,)
    return tuple(part for inner in matcher.matchers for part in parts_of(inner))


class Ignore(StrEnum):
    """A difference in text that a scenario may forgive."""

    CASE = "case"
    TRAILING_SPACE = "trailing-space"
    BLANK_LINES = "blank-lines"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTurn:
    """`turns: {3: …}`: what is printed before input `index` (0-based; the last follows the end)."""

    index: int
    printed: Matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTurns:
    """`all_turns` when a list stated every one, so that the number of turns counts too."""

    turns: tuple[StatedTurn, ...]
    all_turns: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRaise:
    """`raises: ValueError`, or with its message."""

    type_name: str
    message: Matcher | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLeave:
    """`leaves: {board: …}`: a parameter's or session variable's value afterwards."""

    name: str
    value: Matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A scenario's own words about its outcome, templates already rendered; None states nothing.

    `shown` is a session's text per step, as the sheet prints it; `transcript` is the whole screen
    with typed text. Both are goldens for the reference; a submission is held to the reference.
    """

    returns: Matcher | None = None
    prints: Matcher | None = None
    turns: StatedTurns | None = None
    transcript: str | None = None
    shown: tuple[str, ...] | None = None
    raises: StatedRaise | None = None
    leaves: tuple[StatedLeave, ...] = ()
    leaves_unchanged: bool = False
    exit: int | None = None
    exit_any: bool = False
    reads: int | None = None
    ends: Ending | None = None
    ignore: tuple[Ignore, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What one stimulus's observation is compared with.

    `reference` is None where the assignment has no reference. `stated` has every `{python: …}`
    replaced by the value it had beside the reference. `parameters` name a call's positional
    arguments as the reference does.
    """

    stated: Expected
    reference: Observation | None
    parameters: tuple[str, ...] = ()
