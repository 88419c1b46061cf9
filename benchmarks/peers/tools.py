"""The graders: how each is laid out in a folder, started, and its verdicts read."""

from __future__ import annotations

import json
import os
import re
import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchmarks.peers.cases import NAMES

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
REFERENCE = ROOT / "reference" / "connect4ish"
OURS = "ours"

Verdicts = dict[str, bool]
"""Passed or not, by the test's name; a grader that gives no result gives no verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(ABC):
    """`isolates` says in a few words what is kept apart from what; `peer` and `package` name the
    pins and the package whose version is shown; `bin` is the environment's."""

    name: str
    isolates: str
    peer: str
    package: str
    bin: Path

    def environ(self, home: Path) -> dict[str, str]:
        """Nothing of ours or of the caller's, but for the path and the locale."""
        return {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }

    def lay(self, folder: Path, source: str, expected: str) -> None:
        """Make `folder` with the submission and all that the grader needs."""
        folder.mkdir(parents=True)
        (folder / "a1.py").write_text(source, encoding="utf-8")
        shutil.copy(REFERENCE / "a1_support.py", folder)
        self.lay_tests(folder, expected)

    def lay_tests(self, folder: Path, expected: str) -> None:
        """The tests, and beside them the cases and the recorded screens."""
        shutil.copytree(HERE / self.tests, folder, dirs_exist_ok=True)
        _lay_cases(folder, expected)

    @property
    def tests(self) -> str:
        """The folder with this grader's tests, beside this file."""
        return self.peer

    @abstractmethod
    def command(self, folder: Path) -> list[str]:
        """What a user types."""

    def telling(self, folder: Path) -> list[str]:
        """The command whose verdicts can be read by name also when tests fail."""
        return self.command(folder)

    @abstractmethod
    def verdicts(self, folder: Path, output: str) -> Verdicts:
        """What it says of the tests it has a result for."""


def _lay_cases(folder: Path, expected: str) -> None:
    shutil.copy(HERE / "cases.py", folder)
    (folder / "expected.json").write_text(expected, encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check50(Tool):
    style: str

    @property
    def tests(self) -> str:
        return f"check50_{self.style}"

    def lay_tests(self, folder: Path, expected: str) -> None:
        checks = folder / "checks"
        shutil.copytree(HERE / self.tests, checks, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(REFERENCE / "a1_support.py", checks)
        _lay_cases(checks, expected)

    def command(self, folder: Path) -> list[str]:
        report = ["-o", "json", "--output-file", "report.json"]
        return [str(self.bin / "check50"), "--dev", "--log-level", "error", *report, "checks"]

    def verdicts(self, folder: Path, output: str) -> Verdicts:
        found = _json(folder / "report.json").get("results", [])
        return {entry["name"]: entry["passed"] is True for entry in found if entry["name"] in NAMES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Otter(Tool):
    def command(self, folder: Path) -> list[str]:
        return [str(self.bin / "otter"), "check", "a1.py", "-t", "tests"]

    def verdicts(self, folder: Path, output: str) -> Verdicts:
        if output.strip().endswith("All tests passed!") and "results:" not in output:
            return dict.fromkeys(NAMES, True)
        parts = dict(
            re.findall(r"^(units|games) results:(.*?)(?=^\w+ results:|\Z)", output, re.M | re.S)
        )
        found: Verdicts = {}
        for part, names in (("units", NAMES[:20]), ("games", NAMES[20:])):
            told = parts.get(part, "")
            if "All test cases passed!" in told:
                found |= dict.fromkeys(names, True)
            results = re.findall(r"^ *(\w+) result:\s*(\S+)", told, re.M)
            found |= {name: mark == "✅" for name, mark in results if name in names}
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradescope(Tool):
    def command(self, folder: Path) -> list[str]:
        return [str(self.bin / "python"), "run_tests.py"]

    def verdicts(self, folder: Path, output: str) -> Verdicts:
        found = _json(folder / "results.json").get("tests", [])
        return {entry["name"]: entry["score"] == entry["max_score"] for entry in found}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pytest(Tool):
    style: str

    @property
    def tests(self) -> str:
        return f"pytest_{self.style}"

    def lay_tests(self, folder: Path, expected: str) -> None:
        Tool.lay_tests(self, folder, expected)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    def command(self, folder: Path) -> list[str]:
        return [str(self.bin / "python"), "-m", "pytest", "-q", "--junitxml", "report.xml"]

    def verdicts(self, folder: Path, output: str) -> Verdicts:
        if not (folder / "report.xml").is_file():
            return {}
        cases = ElementTree.parse(folder / "report.xml").iter("testcase")
        return {
            case.get("name", "").partition("[")[2][:-1]: not list(case)
            for case in cases
            if "[" in case.get("name", "")
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours(Tool):
    """`harness check`, which explains on the terminal; verdicts by name come from `grade`."""

    def environ(self, home: Path) -> dict[str, str]:
        return dict(os.environ)

    def lay_tests(self, folder: Path, expected: str) -> None:
        specs, reference = folder / "specs" / OURS, folder / "reference" / OURS
        shutil.copytree(HERE / self.tests, specs)
        reference.mkdir(parents=True)
        for name in ("a1.py", "a1_support.py"):
            shutil.copy(REFERENCE / name, reference)

    def command(self, folder: Path) -> list[str]:
        return [str(self.bin / "harness"), "check", "a1.py"]

    def telling(self, folder: Path) -> list[str]:
        return self.grade("a1.py")

    def verdicts(self, folder: Path, output: str) -> Verdicts:
        if re.search(rf"^{len(NAMES)} of {len(NAMES)} visible checks passed$", output, re.M):
            return dict.fromkeys(NAMES, True)
        return next(iter(self.graded(folder)), {})

    def grade(self, path: str, *options: str) -> list[str]:
        """The command that grades what lies in `path` into report/."""
        tier = ["--require-tier", "standard"]
        return [str(self.bin / "harness"), "grade", path, "--out", "report", *tier, *options]

    def graded(self, folder: Path) -> list[Verdicts]:
        """A submission's verdicts by name, for each that report/results.json holds."""
        found = _json(folder / "report" / "results.json")
        if not found or not found["run"]["complete"]:
            return []
        return [
            {
                _name(each["id"]): each["id"] not in submission["failed"]
                for each in found["scenarios"]
            }
            for submission in found["submissions"]
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class OursTests(Ours):
    """`tests:`, which runs the file of the pytest peers; every verdict comes from `grade`."""

    def lay_tests(self, folder: Path, expected: str) -> None:
        specs = folder / "specs" / self.peer
        shutil.copytree(HERE / self.tests, specs)
        _lay_cases(specs, expected)
        reference = folder / "reference" / self.peer
        reference.mkdir(parents=True)
        for name in ("a1.py", "a1_support.py"):
            shutil.copy(REFERENCE / name, reference)

    def command(self, folder: Path) -> list[str]:
        return self.grade("a1.py", "--fresh")

    def telling(self, folder: Path) -> list[str]:
        return self.command(folder)

    def verdicts(self, folder: Path, output: str) -> Verdicts:
        return next(iter(self.graded(folder)), {})

    def graded(self, folder: Path) -> list[Verdicts]:
        return [
            dict(zip(NAMES, found.values(), strict=True)) for found in Ours.graded(self, folder)
        ]


def _name(scenario_id: str) -> str:
    return scenario_id.rpartition("/")[2].replace("-", "_")


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # the grader was gone before it had written its result
    return found if isinstance(found, dict) else {}


def all_tools(bins: dict[str, Path]) -> list[Tool]:
    """Ours first; `bins` are the environments by the name of their pins."""
    return [
        Ours(
            name="harness check",
            isolates="each test confined, judged outside",
            peer=OURS,
            package="",
            bin=bins["ours"],
        ),
        OursTests(
            name="harness, tests:",
            isolates="each test and the program confined apart",
            peer="ours_tests",
            package="",
            bin=bins["ours"],
        ),
        Check50(
            name="check50, as its pages show it",
            isolates="a process a test",
            style="usual",
            peer="check50",
            package="check50",
            bin=bins["check50"],
        ),
        Check50(
            name="check50, written tersely",
            isolates="units share two processes with the checks",
            style="terse",
            peer="check50",
            package="check50",
            bin=bins["check50"],
        ),
        Otter(
            name="otter check",
            isolates="units in the process that judges",
            peer="otter",
            package="otter-grader",
            bin=bins["otter"],
        ),
        Gradescope(
            name="gradescope-utils",
            isolates="nothing: all in the process that judges",
            peer="gradescope",
            package="gradescope-utils",
            bin=bins["gradescope"],
        ),
        Pytest(
            name="pytest, games by subprocess",
            isolates="units in the process that judges",
            style="mixed",
            peer="pytest",
            package="pytest",
            bin=bins["pytest"],
        ),
        Pytest(
            name="pytest, all by subprocess",
            isolates="a process a test",
            style="isolated",
            peer="pytest",
            package="pytest",
            bin=bins["pytest"],
        ),
    ]
