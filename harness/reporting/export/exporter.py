"""What a format of `harness export` is: its name, its help line and the function that writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.model.plan import Plan
from harness.model.result import RunResult


class Marks(StrEnum):
    """Which marks go out: the totals, without what lateness takes of them, or the harness's own
    alone."""

    TOTAL = "total"
    BEFORE_LATENESS = "before-lateness"
    FUNCTIONALITY = "functionality"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """A run and what the user asked for; what has a default is for gradebooks."""

    run: RunResult
    plan: Plan
    folder: Path  # of the report, with the feedback pages
    marks: Marks = Marks.TOTAL
    gradebook: Path | None = None  # as downloaded
    column: str | None = None  # its title
    clear: bool = False  # remove the marks of students who have none in this run
    match: Path | None = None  # a CSV file that says which submission is whose
    roster: Path | None = None  # the course's list of students


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A file's bytes, and one line for each thing that a person must know about it."""

    data: bytes
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """A format. A module of this package that has one as `EXPORTER` adds it to the command.
    `export` raises UserError where the run or the request does not allow it."""

    name: str
    help: str  # one line for `harness export --help`
    export: Callable[[ExportRequest], Exported]
    is_gradebook: bool = False  # the options for gradebooks may be given
    is_archive: bool = False  # no text: it goes to a file and not to a terminal
    may_be_anonymous: bool = False  # it needs no names


def text_exporter(
    name: str,
    help_line: str,
    text: Callable[[RunResult, Plan], str],
    *,
    may_be_anonymous: bool = False,
) -> Exporter:
    """A format that is a text made from the run alone."""

    def export(request: ExportRequest) -> Exported:
        text_of_run = text(request.run, request.plan)
        return Exported(data=text_of_run.encode("utf-8", "backslashreplace"))

    return Exporter(name=name, help=help_line, export=export, may_be_anonymous=may_be_anonymous)
