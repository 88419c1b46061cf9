"""Defines the keys by which failures are grouped: failures with the same key have the same
cause.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """Key of a file that fails while it loads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentFile:
    """Key of a file that was not submitted."""

    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFunction:
    """Key of a missing function or class."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """Key of a function, class or constant that is to blame."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedAt:
    """Key of an exception at one line."""

    type_name: str
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Endless:
    """Key of a function that does not end."""

    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InScript:
    """Key of a statement in a program without functions."""

    function: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRule:
    """Key of all other failures: the function and the rule that explains them.

    Faults that a student's tests do not notice have a cause for each clause.
    """

    function: str
    rule: str
    clauses: tuple[str, ...] = ()


# Failures with the same key have one cause.
CauseKey = Loading | AbsentFile | MissingFunction | Blamed | RaisedAt | Endless | InScript | ByRule
