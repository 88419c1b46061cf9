"""Keys of causes: failures with the same key have one cause."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """The key of the cause that a file fails as it is loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentFile:
    """The key of the cause that a file was not handed in."""

    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFunction:
    """The key of the cause that a function or class is missing."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """The key of the cause that a part of the submission is to blame."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedAt:
    """The key of the cause of an exception at one line."""

    type_name: str
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Endless:
    """The key of the cause that a function does not end."""

    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InScript:
    """The key of the cause in one statement of a program without functions."""

    function: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRule:
    """The key of the cause of all other failures of a function: the rule that explains them."""

    function: str
    rule: str


# Failures with the same key have one cause.
CauseKey = Loading | AbsentFile | MissingFunction | Blamed | RaisedAt | Endless | InScript | ByRule
