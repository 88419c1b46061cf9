"""The commands where what Windows lacks is taken away, on a console of an old code page: no such
system itself has been tried. A run folder of version 0.1, as it was first stored."""

import csv
import io
import shutil
import subprocess
import sys
from pathlib import Path

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


def test_doctor_lists_missing_parts(course: Course) -> None:
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
    windows = course.text("submissions/tiny/hard_coded_5/a1.py").replace("\n", "\r\n")
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

    found, expected = (
        {one["id"]: one["mark"] for one in results(report)["submissions"]}
        for report in (course.root / "out", graded_once.report)
    )
    assert found == {name: expected[name] for name in ("perfect", "hard_coded_5")}


OLD = Path(__file__).parents[1] / "fixtures" / "run_of_0_1"
KEPT = ("id", "status", "mark", "out of", "Code style", "adjustment", "reason", "total", "comment")


@pytest.fixture
def old(course: Course) -> Course:
    manual = "manual:\n  - {id: style, title: Code style, out_of: 4}\n"
    course.append("specs/tiny/assignment.yaml", manual)
    for name in ("perfect", "hard_coded_5", "syntax_error"):
        shutil.copytree(course.path(f"submissions/tiny/{name}"), course.path(f"class/{name}"))
    shutil.copytree(OLD, course.report, dirs_exist_ok=True)
    return course


def rows(text: str) -> list[list[str]]:
    return [[row[column] for column in KEPT] for row in csv.DictReader(io.StringIO(text))]


AS_IT_WAS = rows((OLD / "marks.csv").read_text(encoding="utf-8"))


def test_it_is_read_as_it_is(old: Course) -> None:
    before = (old.report / "run.sqlite").read_bytes()
    assert rows(old.ok("export", old.report, "--to", "csv").out) == AS_IT_WAS
    shown = old.ok("show", old.report, "perfect").out
    assert "adjusted by -0.5: a day late" in shown
    assert "total: 9.00 of 10" in shown
    assert (old.report / "run.sqlite").read_bytes() == before


def test_it_is_graded_on_with_what_people_gave(old: Course) -> None:
    old.ok("grade", "class", "--assignment", "tiny")
    assert rows((old.report / "marks.csv").read_text(encoding="utf-8")) == AS_IT_WAS
    compared = old.ok("compare", OLD / "results.json", old.report).out
    assert "3 submissions as before, 0 changed, 0 new, 0 gone." in compared
