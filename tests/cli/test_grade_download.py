"""`harness grade` on a class's download: who, when, late or not, in results and on pages."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.downloads import (
    DOWNLOADS,
    NOON,
    HandIn,
    brightspace,
    canvas,
    gradescope,
    laid,
    tarred_class,
    zipped_class,
)
from tests.per_commit import per_commit
from tests.tiny_course import Course, Outcome, results, rows

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "results.schema.json").read_text(encoding="utf-8")
)
PROGRAMS = ("perfect", "missing_total", "hard_coded_5", "syntax_error")
MARKS = {"perfect": 6.0, "missing_total": 5.08, "hard_coded_5": 4.62, "syntax_error": 0.0}


def handed_in(course: Course) -> list[HandIn]:
    """A student for each program, an hour apart; the first one again, with another, at the end."""
    handed = [
        HandIn(
            id=str(100 + number),
            name=f"Jo Kim{number}",
            email=f"jo{number}@example.edu",
            files=(("a1.py", course.path(f"submissions/tiny/{name}/a1.py").read_bytes()),),
            at=NOON + timedelta(hours=number),
            late=number > 2,
        )
        for number, name in enumerate((*PROGRAMS, "missing_total"))
    ]
    last = handed.pop()
    again = HandIn(id="100", name="Jo Kim0", files=last.files, at=last.at, late=True)
    return [*handed, again]


def found(course: Course) -> dict[str, Any]:
    whole = results(course.report)
    whole["run"] |= {"started": "", "finished": ""}
    jsonschema.validate(whole, SCHEMA)
    return whole


def marks(course: Course) -> dict[str, tuple[str, float | None]]:
    return {one["id"]: (one["status"], one["mark"]) for one in found(course)["submissions"]}


def graded(course: Course, *arguments: str | Path) -> Outcome:
    return course.ok("grade", "--assignment", "tiny", *arguments)


@pytest.mark.parametrize("platform", per_commit(DOWNLOADS, "canvas", "moodle"))
def test_a_download_of_each_platform_has_the_same_marks(
    course: Course, tmp_path: Path, platform: str
) -> None:
    files = DOWNLOADS[platform](handed_in(course))
    outcome = graded(course, zipped_class(files, tmp_path / "class.zip"))
    counted = {"moodle": 4, "plain": 4}.get(platform, 5)
    name = platform if platform == "plain" else platform.capitalize()
    first = f"layout: {name}, {counted} submissions of 4 students"
    assert outcome.err.splitlines()[0] == first
    assert marks(course) == {
        "100": ("graded", MARKS["missing_total"]),
        "101": ("graded", MARKS["missing_total"]),
        "102": ("graded", MARKS["hard_coded_5"]),
        "103": ("unreadable", 0.0),
    }
    cohort = found(course)["run"]["cohort"]
    assert cohort.pop("contents")["students"] == 4
    assert cohort == {
        "layouts": [name],
        "submissions": counted,
        "students": 4,
        "due": "",
        "time_zone": "",
    }


def test_due_extended_and_expected(course: Course, tmp_path: Path) -> None:
    path = tarred_class(brightspace(handed_in(course)), tmp_path / "class.tar.gz")
    roster = course.write("roster.csv", "ID,Email\n" + "".join(f"{n},\n" for n in range(100, 105)))
    asked = ["--due", "2024-09-24T13:30", "--time-zone", "Europe/London", "--roster", roster]
    graded(course, path, *asked)
    assert marks(course) == {
        "100": ("graded", MARKS["perfect"]),
        "101": ("graded", MARKS["missing_total"]),
        "102": ("late", None),
        "103": ("late", None),
        "104": ("no_submission", None),
    }
    whole = found(course)
    assert whole["run"]["cohort"]["due"] == "2024-09-24T13:30:00+01:00"
    first = whole["submissions"][0]
    assert {key: first[key] for key in ("student_id", "name", "handed_in_at")} == {
        "student_id": "100",
        "name": "Jo Kim0",
        "handed_in_at": "2024-09-24T12:00:00+01:00",
    }
    assert (first["attempt"], first["attempts"]) == (1, 2)
    page = (course.report / "feedback" / "102.html").read_text(encoding="utf-8")
    assert "This was submitted after the due time." in page
    assert "handed in 2024-09-24T14:00:00+01:00, due 2024-09-24T13:30:00+01:00" in page

    extensions = course.write(
        "extensions.csv", "id,due\n103,2024-09-24T15:00\n102,2024-09-24T14:00\n"
    )
    outcome = graded(course, path, *asked, "--extensions", extensions)
    assert "5 submissions, 3 graded before" in outcome.err
    assert marks(course)["102"] == ("graded", MARKS["hard_coded_5"])
    assert marks(course)["103"] == ("unreadable", 0.0)
    graded(course, path, *asked)
    assert marks(course)["102"] == ("late", None)


def test_late_work_costs_what_the_course_says(course: Course, tmp_path: Path) -> None:
    spec = course.path("specs/tiny/assignment.yaml")
    rules = "late: {per_day: 10%, grace: 15 min, until: 7 days, slip_days: 1}\n"
    spec.write_text(spec.read_text(encoding="utf-8") + rules, encoding="utf-8")
    perfect = handed_in(course)[0].files
    handed = [
        HandIn(id=str(number), name=f"Kim {number}", files=perfect, at=NOON + timedelta(hours=late))
        for number, late in enumerate((0, 1, 25, 49, 24 * 8))
    ]
    path = zipped_class(gradescope(handed), tmp_path / "class.zip")
    asked = ("--due", "2024-09-24T12:00Z")

    def costs() -> dict[str, tuple[int, float, float | None]]:
        late = {one["id"]: one for one in found(course)["submissions"] if "late" in one}
        return {
            name: (one["late"]["slip_days"], one["late"]["percent"], one["total"])
            for name, one in late.items()
        }

    graded(course, path, *asked)
    assert costs() == {"1": (1, 0, 6.0), "2": (1, 10, 5.4), "3": (1, 20, 4.8)}
    assert marks(course) | {"4": ("late", None)} == marks(course)
    line = (
        "late: due 2024-09-24T12:00:00+00:00; 1 slip day used; 1 day begun costs 10 % of the "
        "total; 6.00 before, 5.40 after"
    )
    assert line in course.ok("show", course.report, "2").out
    gradebook = course.ok("export", course.report, "--to", "canvas", "--marks", "before-lateness")
    assert gradebook.out.splitlines()[-1].endswith(",")
    assert {row.rsplit(",", 1)[1] for row in gradebook.out.splitlines()[2:-1]} == {"6.00"}

    before = course.report.rename(course.path("reports/another"))
    outcome = graded(course, path, *asked, "--slip-days", before)
    assert costs() == {"1": (0, 10, 5.4), "2": (0, 20, 4.8), "3": (0, 30, 4.2)}
    assert "--slip-days" not in outcome.err


def test_a_group_is_run_once_and_has_one_mark(course: Course, tmp_path: Path) -> None:
    one = handed_in(course)[1]
    group = HandIn(
        id=one.id, name=one.name, files=one.files, others=(("7", "A", ""), ("8", "B", "b@x"))
    )
    path = zipped_class(gradescope([group]), tmp_path / "class.zip")
    graded(course, path)
    assert marks(course) == dict.fromkeys(("7", "8", "101"), ("graded", MARKS["missing_total"]))
    both = {each["id"]: each for each in found(course)["submissions"]}
    assert both["7"]["failed"] == both["8"]["failed"] == both["101"]["failed"] != {}
    assert both["8"]["notes"] == ["handed in together with Jo Kim1, A"]
    assert (both["8"]["name"], both["8"]["email"]) == ("B", "b@x")
    before = rows(course.report, "observation")
    outcome = graded(course, path)
    assert "3 submissions, 3 graded before" in outcome.err
    assert rows(course.report, "observation") == before


def test_something_else_may_be_left_to_a_person(course: Course, tmp_path: Path) -> None:
    program = handed_in(course)[0].files[0][1]
    handed = [HandIn(id="1", name="K", files=(("A1.py", program),))]
    path = zipped_class(canvas(handed), tmp_path / "class.zip")
    graded(course, path)
    assert marks(course) == {"1": ("unreadable", 0.0)}
    course.edit(
        "specs/tiny/assignment.yaml",
        "submission: {files: [a1.py]}",
        "submission: {files: [a1.py], otherwise: review}",
    )
    graded(course, path)
    assert marks(course) == {"1": ("needs_review", None)}
    (one,) = found(course)["submissions"]
    assert (one["problem"], one["flagged"]) == ("found A1.py, expected a1.py", True)


def test_an_unclear_layout_writes_nothing(course: Course, tmp_path: Path) -> None:
    path = laid({**canvas(handed_in(course)), "eve.py": b""}, tmp_path / "class")
    assert course.refusal("grade", "--assignment", "tiny", path) == (
        f"{path}: the layout is not clear: 5 named as Canvas names them and 1 otherwise "
        "(eve.py). Hint: --layout canvas | plain"
    )
    assert not course.report.exists()
    outcome = graded(course, path, "--layout", "canvas")
    assert outcome.err.startswith("layout: Canvas, 6 submissions of 5 students\n")
    assert marks(course)["eve"] == ("needs_review", None)
