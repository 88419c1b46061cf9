"""What the package carries for the run on the platform, and where things lie there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from harness.model import serial
from harness.model.errors import HarnessError
from harness.model.plan import Visibility
from harness.model.specification import Specification

T = TypeVar("T")

SETTINGS, SPECIFICATION, FALLBACK = "settings.json", "specification.json", "fallback.json"
PLATFORM_SECONDS = 600  # what the platform gives a run, unless the course asks for more


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to run and show. `hidden` is what the platform does with scenarios that students may
    not see. Seconds since the start: no scenario is begun after `stop_after`, and everything is
    ended after `end_after`."""

    assignment: str
    python: str
    hidden: Visibility
    stop_after: float
    end_after: float
    harness: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The platform's folder, `/autograder` there."""

    root: Path

    @property
    def source(self) -> Path:
        """Where the package was unpacked."""
        return self.root / "source"

    @property
    def submission(self) -> Path:
        """What the student handed in."""
        return self.root / "submission"

    @property
    def results(self) -> Path:
        """What the platform reads."""
        return self.root / "results" / "results.json"

    @property
    def metadata(self) -> Path:
        """What the platform says of the submission."""
        return self.root / "submission_metadata.json"

    @property
    def keys(self) -> Path:
        """Where setup.sh keeps the answer key."""
        return self.source / "cache"

    def settings(self) -> Settings:
        """The package's settings. HarnessError where it is not whole."""
        return self._read(Settings, SETTINGS)

    def specification(self) -> Specification:
        """The assignment, compiled. HarnessError where the package is not whole."""
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
