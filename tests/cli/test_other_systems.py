"""The commands where the modules and calls are taken away that Windows lacks, on a console of an
old code page, with line ends of its own. No such system itself has been tried."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.packaging.test_selfcheck import NO_TERMINALS
from tests.tiny_course import HARNESS, Course, environment, python_here, results

pytestmark = pytest.mark.process


def lacking(course: Course, *arguments: object) -> tuple[int, str, str]:
    """How the command ends on such a system, and what it prints there."""
    variables = {**environment(PYTHONIOENCODING="cp1252"), "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, NO_TERMINALS, HARNESS, *map(str, arguments)],
        cwd=course.root,
        env=variables,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode("cp1252"), done.stderr.decode("cp1252")


def test_doctor_says_what_is_not_there(course: Course) -> None:
    status, said, errors = lacking(course, "doctor", "--python", python_here())
    assert (status, errors) == (0, "")
    lines = said.splitlines()
    assert lines[1:3] == [
        "tier strong: not here, it needs Linux",
        "tier standard: not here, it needs Linux",
    ]
    assert lines[3].startswith("tier portable: used")
    assert lines[-1].startswith("better: grade on Linux: ")


def test_check_explains_on_an_old_console(course: Course) -> None:
    source = course.path("submissions/tiny/hard_coded_5/a1.py")
    windows = source.read_text(encoding="utf-8").replace("\n", "\r\n")
    file = course.root / "Übung \u2603" / "a1.py"
    file.parent.mkdir()
    file.write_bytes(b"\xef\xbb\xbf" + windows.encode())
    status, said, errors = lacking(course, "check", file, "--assignment", "tiny")
    assert (status, "Traceback" in errors) == (1, False)
    assert "visible checks passed" in said


def test_grading_has_the_same_marks(course: Course, graded_once: Course) -> None:
    class_ = ("submissions/tiny/perfect", "submissions/tiny/hard_coded_5")
    asked = ("--require-tier", "portable", "--jobs", "1", "--out", "out")
    status, _, errors = lacking(course, "grade", *class_, *asked)
    assert (status, "Traceback" in errors) == (0, False)

    def marks(run: object) -> dict[str, object]:
        return {one["id"]: one["mark"] for one in results(run)["submissions"]}  # type: ignore[arg-type]

    found, expected = marks(course.root / "out"), marks(graded_once.report)
    assert found == {name: expected[name] for name in ("perfect", "hard_coded_5")}
