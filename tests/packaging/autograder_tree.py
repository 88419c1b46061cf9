"""The platform's folder, as it lays it out: the package in source/, a submission beside it."""

from __future__ import annotations

import compileall
import json
import os
import shutil
import sys
import time
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jsonschema

from harness.common import serial
from harness.execution import find_interpreter
from harness.packaging.gradescope.package import SETTINGS, PackageSettings, PlatformFolder
from harness.packaging.gradescope.run import ROOT, STARTED, main
from tests.tiny_course import environment, ran

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "gradescope-results.schema.json").read_text("utf-8")
)
METADATA = {
    "id": 123456,
    "created_at": "2024-03-22T15:00:00.123456+10:00",
    "assignment": {
        "id": 42,
        "title": "A1",
        "due_date": "2024-03-22T17:00:00.000000+10:00",
        "late_due_date": None,
        "total_points": "10.0",
    },
    "submission_method": "upload",
    "users": [{"email": "jo@example.edu", "id": 7, "name": "Jo"}],
    "previous_submissions": [],
}


def unpack(package: Path, folder: Path) -> None:
    """As the platform does: files with the modes that the zip gives them."""
    with zipfile.ZipFile(package) as archive:
        for member in archive.infolist():
            Path(archive.extract(member, folder)).chmod(member.external_attr >> 16 & 0o777)


def checked(path: Path) -> dict[str, Any]:
    """The results, held against the documented schema."""
    plain: dict[str, Any] = json.loads(path.read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(plain)
    return plain


@dataclass(frozen=True, slots=True)
class Autograder:
    """One such folder."""

    root: Path

    @property
    def tree(self) -> PlatformFolder:
        return PlatformFolder(self.root)

    @classmethod
    def built(cls, package: Path, root: Path) -> Autograder:
        """As setup.sh leaves it, but with the packages of this environment."""
        found = cls(root)
        unpack(package, found.tree.source)
        python = found.tree.source / "venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        wanted = found.tree.settings().python
        found.write("source/interpreter", f"{find_interpreter(wanted).path}\n")
        compileall.compile_dir(found.harness, quiet=2)
        for folder in ("submission", "results"):
            (root / folder).mkdir()
        shutil.copy(found.tree.source / "run_autograder", root / "run_autograder")
        return found

    @property
    def harness(self) -> Path:
        return self.tree.source / "harness"

    def copy(self, root: Path) -> Autograder:
        shutil.copytree(self.root, root, ignore=shutil.ignore_patterns("harness"))
        copied = Autograder(root)
        copied.harness.symlink_to(self.harness)
        return copied

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        return path

    def hand_in(self, text: str, name: str = "a1.py") -> None:
        self.write(f"submission/{name}", text)

    def limit(self, *, stop_after: float, end_after: float) -> None:
        """Other times, in seconds."""
        settings: PackageSettings = self.tree.settings()
        settings = replace(settings, stop_after=stop_after, end_after=end_after)
        self.write(f"source/{SETTINGS}", serial.dumps(settings))

    def run(self, *before: str) -> dict[str, Any]:
        """What stands in results.json after `run_autograder`, a valid one in any case."""
        self.write("submission_metadata.json", json.dumps(METADATA))
        done = ran(
            [*before, str(self.root / "run_autograder")],
            env=environment(AUTOGRADER_ROOT=str(self.root)),
            cwd=self.root,
        )
        assert done.returncode == 0, done.stderr
        return self._results()

    def grade(
        self, program: str | None = None, metadata: str = json.dumps(METADATA)
    ) -> dict[str, Any]:
        """The same after the step that grades alone, in this process, a1.py if it is given."""
        if program is not None:
            self.hand_in(program)
        self.write("submission_metadata.json", metadata)
        self.step("grade")
        return self._results()

    def step(self, name: str) -> None:
        variables = {ROOT: str(self.root), STARTED: repr(time.monotonic())}
        with patch.dict(os.environ, variables):
            assert main([name]) == 0

    def _results(self) -> dict[str, Any]:
        left = sorted(path.name for path in (self.root / "results").iterdir())
        assert left == ["results.json"]
        return checked(self.tree.results)


def verdicts(results: dict[str, Any]) -> dict[str, str | None]:
    return {test["name"]: test.get("status") for test in results["tests"]}


def gives_no_mark(results: dict[str, Any], why: str | None = None) -> bool:
    """Whether no score is given, for this reason where one is named, and the first test says so."""
    scores = ["score" in results, *("score" in test for test in results["tests"])]
    first = results["tests"][0]
    return (
        not any(scores)
        and first["name"] == "No mark"
        and first["visibility"] == "visible"
        and "status" not in first
        and results["extra_data"]["marked"] is False
        and why in (None, results["extra_data"]["no_mark"])
    )
