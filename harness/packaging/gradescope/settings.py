"""The settings that the package brings to the platform, its folders there, what the platform says
of a submission (`submission_metadata.json`; nothing of it is needed), and what a run found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from harness.common import serial
from harness.common.errors import HarnessError
from harness.grading.context import GradingContext
from harness.model.plan import Specification, Visibility
from harness.model.result import SubmissionResult

T = TypeVar("T")

SETTINGS, SPECIFICATION, FALLBACK = "settings.json", "specification.json", "fallback.json"
PLATFORM_SECONDS = 600  # what the platform gives a run, unless the course asks for more


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSettings:
    """How to run and show. `hidden` is what the platform does with scenarios that students may
    not see. Seconds since the start: no scenario is begun after `stop_after`, and everything is
    ended after `end_after`."""

    assignment: str
    python: str
    hidden: Visibility
    stop_after: float
    end_after: float
    harness: str


class Tree:
    """The platform's folder `root`, `/autograder` there."""

    def __init__(self, root: Path) -> None:
        self.source = root / "source"  # where the package was unpacked
        self.submission = root / "submission"
        self.results = root / "results" / "results.json"
        self.metadata = root / "submission_metadata.json"
        self.keys = self.source / "cache"  # where setup.sh keeps the answer key

    def settings(self) -> PackageSettings:
        """The package's settings. HarnessError where it is incomplete."""
        return self._read(PackageSettings, SETTINGS)

    def specification(self) -> Specification:
        """The assignment, compiled. HarnessError where the package is incomplete."""
        return self._read(Specification, SPECIFICATION)

    def interpreter(self) -> Path:
        """The Python that setup.sh found. HarnessError where it did not run."""
        return Path(self._text("interpreter").decode().strip())

    def _read(self, kind: type[T], name: str) -> T:
        try:
            return serial.loads(kind, self._text(name))
        except serial.SerialError as error:
            raise HarnessError(f"{name} of the package cannot be read: {error}") from None

    def _text(self, name: str) -> bytes:
        try:
            return (self.source / name).read_bytes()
        except OSError as error:
            raise HarnessError(f"{name} of the package: {error.strerror}") from None


_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """`late_by` is None where it was in time or no times are known; `attempt` counts from 1.
    `notice` says what could not be read."""

    id: str = "submission"
    attempt: int | None = None
    late_by: timedelta | None = None
    notice: str = ""


def read_metadata(path: Path) -> Metadata:
    """What the file says, as far as it can be read. Never raises for what is in it."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            return Metadata(notice=f"{path.name} is too long and was not read")
        plain = json.loads(data)
    except OSError as error:
        return Metadata(notice=f"{path.name} cannot be read ({error.strerror})")
    except (ValueError, RecursionError):
        return Metadata(notice=f"{path.name} is not JSON and was not used")
    if not isinstance(plain, dict):
        return Metadata(notice=f"{path.name} is not as the platform writes it and was not used")
    number, previous = plain.get("id"), plain.get("previous_submissions")
    notices: list[str] = []
    return Metadata(
        id=str(number) if type(number) in (int, str) and number != "" else "submission",
        attempt=len(previous) + 1 if isinstance(previous, list) else None,
        late_by=_late_by(plain, path.name, notices),
        notice="; ".join(notices),
    )


def _late_by(plain: dict[str, Any], name: str, notices: list[str]) -> timedelta | None:
    assignment = plain.get("assignment")
    due = assignment.get("due_date") if isinstance(assignment, dict) else None
    if due is None or plain.get("created_at") is None:
        return None
    try:
        late = datetime.fromisoformat(plain["created_at"]) - datetime.fromisoformat(due)
    except (TypeError, ValueError, OverflowError):
        notices.append(f"a time in {name} cannot be read and was not used")
        return None
    return late if late > timedelta(0) else None


class NoMark(StrEnum):
    """Why a run gives no mark: a partial mark would be wrong."""

    OUT_OF_TIME = "out of time"
    NOT_CONFINED = "not confined"
    FAILED = "the harness failed"
    NEEDS_REVIEW = "needs review"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformRun:
    """What one run on the platform found. `no_mark` None: the result's mark is the mark. `context`
    is what was run with; its plan is cut to the visible scenarios where programs could not be
    confined. `complaint` is for the staff."""

    context: GradingContext | None = None
    result: SubmissionResult | None = None
    no_mark: NoMark | None = None
    complaint: str = ""
