"""`harness grade` as a lecturer meets it: a first run, a second one, a class's download."""

import json
import re
import shutil
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests import downloads
from tests.cli.conftest import without_reference
from tests.cli.test_grade_interrupted import marks, with_workers_killed
from tests.downloads import NOON, HandIn, canvas, gradescope, zipped_class
from tests.per_commit import per_commit
from tests.tiny_course import Course, Outcome, python_here, results, rows, submission, verdicts

RESULTS = "reports/tiny/results.json"
NAMES = ["hard_coded_5", "missing_total", "perfect", "prints_total", "syntax_error"]


def test_a_folder_is_graded_and_the_place_of_its_report_is_shown(course: Course) -> None:
    outcome = course.ok("grade", "submissions/tiny")
    table = outcome.out.splitlines()
    assert table[0].split()[:4] == ["submission", "state", "mark", "passed"]
    assert [line.split()[0] for line in table[1:6]] == NAMES
    assert table[3].split() == ["perfect", "graded", "6.00/6", "13/13"]
    assert table[6:] == [f"Report: {course.report / 'index.html'}"]
    run = results(course.report)["run"]
    assert outcome.err.splitlines() == [
        "layout: plain, 5 submissions of 5 students",
        "5 folders: 5 students",
        f"tiny: 5 submissions, Python {run['python']}, tier {run['tier']}",
        "5 of 5 graded",
        "all marks are ready; now looking for causes in 3 submissions",
        "3 of 3 searched for causes",
    ]


THEIRS = {
    "a folder": ("grade", "../class/eve", "../class/jo"),
    "a file": ("grade", "../class/eve/a1.py", "../class/jo/a1.py"),
    "checked": ("check", "../class/eve/a1.py"),
    "another course's": ("grade", "../class/eve", "../class/jo", "--root", "../class/eve"),
}


@pytest.mark.parametrize("case", THEIRS)
def test_a_course_that_is_handed_in_is_not_the_one_that_grades(case: str, course: Course) -> None:
    for name in ("eve", "jo"):
        folder = course.root.parent / "class" / name
        folder.mkdir(parents=True)
        shutil.copy(course.path("submissions/tiny/missing_total/a1.py"), folder)
    eve = course.root.parent / "class" / "eve"
    shutil.copytree(course.path("specs"), eve / "specs")
    shutil.copytree(course.path("reference"), eve / "reference")
    shutil.copy(eve / "a1.py", eve / "reference" / "tiny")
    outcome = course.run(*THEIRS[case])
    assert ("the reference has no function" in outcome.err) == ("--root" in THEIRS[case])


def test_writes_pages_for_both_readers_and_results(graded_once: Course) -> None:
    lecturers, students = (
        {path.name: path.read_text("utf-8") for path in (graded_once.report / kind).iterdir()}
        for kind in ("submissions", "feedback")
    )
    assert sorted(lecturers) == sorted(students) == [f"{name}.html" for name in NAMES]
    assert (graded_once.report / "index.html").is_file()
    assert graded_once.report.stat().st_mode & 0o077 == 0
    assert "hidden-canary-xanthippe" in lecturers["prints_total.html"]
    # Its name and verdict are no secret here.
    assert "hidden canary Xanthippe" in students["prints_total.html"]
    assert not any("4711" in page for page in students.values())
    run = json.loads(graded_once.text(RESULTS))["run"]
    assert run["complete"] is True
    assert run["started"] <= run["finished"]
    assert marked(graded_once) == {
        "hard_coded_5": ("graded", 4.62),
        "missing_total": ("graded", 5.08),
        "perfect": ("graded", 6.0),
        "prints_total": ("graded", 3.69),
        "syntax_error": ("unreadable", 0.0),
    }


def test_the_same_command_again_keeps_everything(graded: Course) -> None:
    before, observed = results(graded.report), rows(graded.report, "observation")
    outcome = graded.ok("grade", "submissions/tiny")
    assert "tiny: 5 submissions, 5 graded before, Python" in outcome.err
    assert results(graded.report) == before
    assert rows(graded.report, "observation") == observed


def test_a_changed_submission_alone_is_run_again(graded: Course) -> None:
    observed, judged = rows(graded.report, "observation"), rows(graded.report, "submission")
    graded.edit(
        "submissions/tiny/hard_coded_5/a1.py", "basket.append(amount)", "basket.insert(0, amount)"
    )
    assert "5 submissions, 4 graded before" in graded.run("grade", "submissions/tiny").err
    assert len(rows(graded.report, "observation") - observed) == 13
    assert len(rows(graded.report, "submission") - judged) == 1
    assert submission(graded.report, "hard_coded_5")["mark"] == 3.69


def test_a_submission_that_is_gone_leaves_the_report(graded: Course) -> None:
    shutil.rmtree(graded.path("submissions/tiny/perfect"))
    graded.ok("grade", "submissions/tiny")
    assert [*marks(graded)] == [name for name in NAMES if name != "perfect"]
    assert not (graded.report / "feedback" / "perfect.html").exists()


def stuck(graded: Course, line: str, limits: str) -> str:
    does = f"while True:\n        {line}\n    if not amount.isdigit():"
    graded.edit("submissions/tiny/perfect/a1.py", "if not amount.isdigit():", does)
    graded.edit("specs/tiny/assignment.yaml", "policy:", f"limits: {{{limits}}}\npolicy:")
    return graded.run("grade", "submissions/tiny").err


def test_results_of_a_stopped_run_are_kept_until_all_are_asked_for(graded: Course) -> None:
    leave_only(graded, "perfect")
    told = stuck(graded, "pass", "cpu_seconds: 0.1")
    assert "perfect: 4 of 13 scenarios stopped early" in told
    found, observed = results(graded.report), rows(graded.report, "observation")
    assert submission(graded.report, "perfect")["flagged"]
    kinds = list(verdicts(graded.report, "perfect").values())
    assert (kinds.count("stopped_early"), kinds.count("cpu_limit")) == (4, 5)
    failed = submission(graded.report, "perfect")["failed"].values()
    times = [each["time"] for each in failed if each["verdict"] == "cpu_limit"]
    bounds = {"allowed": 0.1, "waiting": False, "less_than": None, "reference_less_than": 0.1}
    assert times == 5 * [bounds]
    said = "Time: 0.1 s are allowed, yours took more than 0.1 s, ours takes less than 0.1 s"
    assert said in (graded.report / "feedback" / "perfect.html").read_text("utf-8")
    assert said in graded.run("show", graded.report, "perfect").out
    assert "1 submission, 1 graded before" in graded.run("grade", "submissions/tiny").err
    assert results(graded.report) == found
    assert rows(graded.report, "observation") == observed
    anew = graded.run("grade", "submissions/tiny", "--fresh")
    assert "graded before" not in anew.err
    assert "perfect: 4 of 13 scenarios stopped early" in anew.err
    assert list(verdicts(graded.report, "perfect").values()) == kinds
    thorough = ("grade", "submissions/tiny", "--thorough")
    assert "graded before" not in graded.run(*thorough).err
    kinds = list(verdicts(graded.report, "perfect").values())
    assert (kinds.count("stopped_early"), kinds.count("cpu_limit")) == (0, 9)
    assert "1 submission, 1 graded before" in graded.run(*thorough).err
    graded.edit("specs/tiny/assignment.yaml", "cpu_seconds: 0.1", "cpu_seconds: 0.11")
    assert "graded before" not in graded.run(*thorough).err


def test_a_scenario_that_slept_too_long_is_tried_again(graded: Course) -> None:
    """How long a program sleeps is wall time, which is the machine's as well as its own."""
    leave_only(graded, "perfect")
    stuck(graded, "__import__('time').sleep(1)", "wall_seconds: 0.3")
    assert "timeout" in verdicts(graded.report, "perfect").values()
    assert "1 submission, Python" in graded.run("grade", "submissions/tiny").err


def test_a_changed_golden_judges_again_without_running(graded: Course) -> None:
    observed = rows(graded.report, "observation")
    assert submission(graded.report, "prints_total")["mark"] == 3.69
    anything = "returns: {any: true}\n    prints: {any: true}\n"
    graded.edit("specs/tiny/total.yaml", "returns: 0\n", anything)
    graded.ok("grade", "submissions/tiny")
    assert rows(graded.report, "observation") == observed
    assert verdicts(graded.report, "prints_total")["total/an-empty-basket"] == "passed"
    assert submission(graded.report, "prints_total")["mark"] == 4.15


def test_changed_points_mark_again_without_judging(graded: Course) -> None:
    observed, judged = rows(graded.report, "observation"), rows(graded.report, "verdict")
    graded.edit("specs/tiny/total.yaml", "call: total([])\n", "call: total([])\n    points: 8\n")
    graded.ok("grade", "submissions/tiny")
    assert rows(graded.report, "observation") == observed
    assert rows(graded.report, "verdict") == judged
    assert submission(graded.report, "missing_total")["mark"] == 3.3  # 11 of 20 points


def test_only_a_new_scenario_runs(graded: Course) -> None:
    observed = rows(graded.report, "observation")
    new = "  - name: one and two\n    call: total([1, 2])\n    returns: 3\n"
    graded.append("specs/tiny/total.yaml", new)
    graded.ok("grade", "submissions/tiny")
    # One for each that can be read.
    assert len(rows(graded.report, "observation") - observed) == 4
    assert list(verdicts(graded.report, "perfect"))[-1] == "total/one-and-two"


def test_fresh_forgets_and_finds_the_same_with_any_number_of_jobs(graded: Course) -> None:
    leave_only(graded, "perfect", "prints_total", "syntax_error")
    texts = []
    for jobs in ("1", "2"):
        outcome = graded.ok("grade", "submissions/tiny", "--fresh", "--jobs", jobs)
        assert "graded before" not in outcome.err
        text, count = re.subn('"(started|finished)": "[^"]*"', "", graded.text(RESULTS))
        assert count == 2
        texts.append(text)
    assert texts[0] == texts[1]


def test_another_interpreter_is_told_loudly(course: Course, tmp_path: Path) -> None:
    other = "3.12" if sys.version_info[:2] != (3, 12) else "3.13"
    named = f'python: "{python_here()}"'
    course.edit("specs/tiny/assignment.yaml", named, f'python: "{other}"')
    here = "{}.{}.{}".format(*sys.version_info)
    out = tmp_path / "elsewhere"
    arguments = ("--python", sys.executable, "--out", out)
    outcome = course.ok("grade", "submissions/tiny/perfect", *arguments)
    notice = next(line for line in outcome.err.splitlines() if line.startswith("notice: "))
    assert other in notice
    assert here in notice
    facts = results(out)["run"]
    assert facts["python_wanted"] == other
    assert facts["notices"] == [notice.removeprefix("notice: ")]
    assert here in (out / "index.html").read_text(encoding="utf-8")
    checked = course.ok("check", "submissions/tiny/perfect/a1.py", "--python", sys.executable)
    assert notice in checked.err


def test_a_cohort_of_lone_files_and_several_paths(course: Course, tmp_path: Path) -> None:
    paths = [tmp_path / "ada.py", tmp_path / "bob.py"]
    for path in paths:
        shutil.copy(course.path("reference/tiny/a1.py"), path)
    course.ok("grade", *paths)
    assert marks(course) == {"ada": 6.0, "bob": 6.0}


def test_works_without_a_reference_on_what_is_stated(course: Course) -> None:
    without_reference(course)
    course.ok("grade", "submissions/tiny")
    assert submission(course.report, "perfect")["mark"] == 6.0


def test_only_grades_some_and_keeps_the_others(graded: Course) -> None:
    before = marks(graded)
    for name in ("prints_total", "hard_coded_5"):
        graded.write(f"submissions/tiny/{name}/a1.py", graded.text("reference/tiny/a1.py"))
    outcome = graded.ok("grade", "submissions/tiny", "--only", "prints_total")
    assert "tiny: 1 submission, " in outcome.err
    assert marks(graded) == before | {"prints_total": 6.0}
    assert results(graded.report)["run"]["complete"] is True
    assert len(list(graded.report.glob("submissions/*.html"))) == len(before)


def test_a_part_named_by_its_path_with_only_is_added_as_well(graded: Course) -> None:
    before = marks(graded)
    before_run = results(graded.report)["run"]
    graded.ok("grade", "submissions/tiny/perfect", "--only", "perfect")
    assert marks(graded) == before
    assert results(graded.report)["run"] == before_run


def test_a_part_of_a_class_is_not_a_complete_run(course: Course) -> None:
    course.ok("grade", "submissions/tiny", "--only", "perfect", "--only", "syntax_error")
    assert marks(course) == {"perfect": 6.0, "syntax_error": 0.0}
    assert results(course.report)["run"]["complete"] is False
    assert ", 2 graded before" in course.run("grade", "submissions/tiny").err
    assert results(course.report)["run"]["complete"] is True


def test_a_refused_partial_run_is_one_line_and_loses_nothing(graded: Course) -> None:
    before = graded.text(RESULTS)
    line = graded.refusal("grade", "submissions/tiny/perfect")
    assert "4 submissions that would be lost" in line
    assert "--only ID" in line
    assert graded.text(RESULTS) == before
    graded.ok("grade", "submissions/tiny/perfect", "--out", "reports/one")
    only = ("grade", "submissions/tiny", "--only")
    unknown = "no submission has the id 'perfekt'. Hint: there is perfect"
    assert graded.refusal(*only, "perfekt") == unknown
    graded.refusal(*only, "perfect", "--fresh")
    graded.edit("specs/tiny/total.yaml", "call: total([])\n", "call: total([])\n    points: 8\n")
    assert "graded with other scenarios" in graded.refusal(*only, "perfect")


def leave_only(course: Course, *names: str) -> None:
    for folder in course.path("submissions/tiny").iterdir():
        if folder.is_dir() and folder.name not in names:
            shutil.rmtree(folder)


def observed(course: Course) -> set[str]:
    return {row[0] for row in rows(course.report, "observation")}


def test_other_provided_files_run_again(graded: Course, tmp_path: Path) -> None:
    leave_only(graded, "perfect")
    before = observed(graded)
    till = graded.text("reference/tiny/till.py")
    (tmp_path / "till.py").write_text(f"{till}\nNEW = 1\n", encoding="utf-8")
    graded.ok("grade", "submissions/tiny", "--support", tmp_path)
    assert len(observed(graded) - before) == 13


def test_another_interpreter_runs_again(graded: Course) -> None:
    if python_here() == f"3.{sys.version_info.minor}":
        pytest.skip("there is no other Python here")
    leave_only(graded, "perfect")
    before = observed(graded)
    graded.ok("grade", "submissions/tiny", "--python", sys.executable)
    assert len(observed(graded) - before) == 13
    graded.ok("grade", "submissions/tiny")
    assert len(observed(graded) - before) == 13  # the first interpreter's are still there


def test_our_own_failure_gives_no_mark_and_keeps_an_earlier_one(graded: Course) -> None:
    leave_only(graded, "missing_total")
    graded.write("submissions/tiny/new/a1.py", graded.text("reference/tiny/a1.py"))
    graded.edit("specs/tiny/total.yaml", "call: total([])\n", "call: total([])\n    points: 8\n")
    complaint, killed = with_workers_killed(graded, "submissions/tiny")
    assert killed >= 2
    for name in ("missing_total", "new"):
        assert f"{name}: could not be graded: worker died: " in complaint
        assert "died: \n" not in complaint
    kept = submission(graded.report, "missing_total")
    assert (kept["status"], kept["mark"], kept["earlier"]) == ("graded", 5.08, True)
    assert kept["flagged"]
    assert kept["notes"][-1].startswith("the harness failed on this submission")
    failed = submission(graded.report, "new")
    assert (failed["status"], failed["mark"]) == ("harness_error", None)
    again = graded.run("grade", "submissions/tiny")
    assert (again.status, "graded before" in again.err) == (0, False)
    found = submission(graded.report, "missing_total")
    assert (found["mark"], found["earlier"], found["notes"]) == (3.3, False, [])
    assert submission(graded.report, "new")["mark"] == 6.0


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
    return [*handed, HandIn(id="100", name="Jo Kim0", files=last.files, at=last.at, late=True)]


def marked(course: Course) -> dict[str, tuple[str, float | None]]:
    return {it["id"]: (it["status"], it["mark"]) for it in results(course.report)["submissions"]}


def graded(course: Course, *arguments: str | Path) -> Outcome:
    return course.ok("grade", "--assignment", "tiny", *arguments)


@pytest.mark.parametrize("platform", per_commit(downloads.DOWNLOADS, "canvas", "moodle"))
def test_each_platform_has_the_same_marks(course: Course, tmp_path: Path, platform: str) -> None:
    files = downloads.DOWNLOADS[platform](handed_in(course))
    outcome = graded(course, zipped_class(files, tmp_path / "class.zip"))
    counted = {"moodle": 4, "plain": 4}.get(platform, 5)
    name = platform if platform == "plain" else platform.capitalize()
    first = f"layout: {name}, {counted} submissions of 4 students"
    assert outcome.err.splitlines()[0] == first
    assert marked(course) == {
        "100": ("graded", MARKS["missing_total"]),
        "101": ("graded", MARKS["missing_total"]),
        "102": ("graded", MARKS["hard_coded_5"]),
        "103": ("unreadable", 0.0),
    }
    cohort = results(course.report)["run"]["cohort"]
    assert cohort.pop("contents")["students"] == 4
    assert cohort == {
        "layouts": [name],
        "submissions": counted,
        "students": 4,
        "due": "",
        "time_zone": "",
    }


def test_due_extended_and_expected(course: Course, tmp_path: Path) -> None:
    files = downloads.brightspace(handed_in(course))
    path = downloads.tarred_class(files, tmp_path / "class.tar.gz")
    roster = course.write("roster.csv", "ID,Email\n" + "".join(f"{n},\n" for n in range(100, 105)))
    asked = ["--due", "2024-09-24T13:30", "--time-zone", "Europe/London", "--roster", roster]
    graded(course, path, *asked)
    assert marked(course) == {
        "100": ("graded", MARKS["perfect"]),
        "101": ("graded", MARKS["missing_total"]),
        "102": ("late", None),
        "103": ("late", None),
        "104": ("no_submission", None),
    }
    whole = results(course.report)
    assert whole["run"]["cohort"]["due"] == "2024-09-24T13:30:00+01:00"
    first = whole["submissions"][0]
    assert {key: first[key] for key in ("student_id", "name", "handed_in_at")} == {
        "student_id": "100",
        "name": "Jo Kim0",
        "handed_in_at": "2024-09-24T12:00:00+01:00",
    }
    assert (first["attempt"], first["attempts"]) == (1, 2)
    page = course.text("reports/tiny/feedback/102.html")
    assert "This was submitted after the due time." in page
    assert "handed in 2024-09-24T14:00:00+01:00, due 2024-09-24T13:30:00+01:00" in page

    later = course.write("extensions.csv", "id,due\n103,2024-09-24T15:00\n102,2024-09-24T14:00\n")
    outcome = graded(course, path, *asked, "--extensions", later)
    assert "5 submissions, 3 graded before" in outcome.err
    assert marked(course)["102"] == ("graded", MARKS["hard_coded_5"])
    assert marked(course)["103"] == ("unreadable", 0.0)
    graded(course, path, *asked)
    assert marked(course)["102"] == ("late", None)


def test_late_work_costs_what_the_course_states(course: Course, tmp_path: Path) -> None:
    rules = "late: {per_day: 10%, grace: 15 min, until: 7 days, slip_days: 1}\n"
    course.append("specs/tiny/assignment.yaml", rules)
    perfect = handed_in(course)[0].files
    handed = [
        HandIn(id=str(number), name=f"Kim {number}", files=perfect, at=NOON + timedelta(hours=late))
        for number, late in enumerate((0, 1, 25, 49, 24 * 8))
    ]
    path = zipped_class(gradescope(handed), tmp_path / "class.zip")
    asked = ("--due", "2024-09-24T12:00Z")

    def costs() -> dict[str, tuple[int, float, float | None]]:
        return {
            one["id"]: (one["late"]["slip_days"], one["late"]["percent"], one["total"])
            for one in results(course.report)["submissions"]
            if "late" in one
        }

    graded(course, path, *asked)
    assert costs() == {"1": (1, 0, 6.0), "2": (1, 10, 5.4), "3": (1, 20, 4.8)}
    assert marked(course) | {"4": ("late", None)} == marked(course)
    line = (
        "late: due 2024-09-24 12:00; 1 slip day used; counted as 1 day, minus 10 % of the "
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
    assert marked(course) == dict.fromkeys(("7", "8", "101"), ("graded", MARKS["missing_total"]))
    both = {each["id"]: each for each in results(course.report)["submissions"]}
    assert both["7"]["failed"] == both["8"]["failed"] == both["101"]["failed"] != {}
    assert both["8"]["notes"] == ["handed in together with Jo Kim1, A"]
    assert (both["8"]["name"], both["8"]["email"]) == ("B", "b@x")
    before = rows(course.report, "observation")
    assert "3 submissions, 3 graded before" in graded(course, path).err
    assert rows(course.report, "observation") == before


def test_something_else_may_be_left_to_a_person(course: Course, tmp_path: Path) -> None:
    handed = HandIn(id="1", name="K", files=(("b1.py", handed_in(course)[0].files[0][1]),))
    path = zipped_class(canvas([handed]), tmp_path / "class.zip")
    graded(course, path)
    assert marked(course) == {"1": ("unreadable", 0.0)}
    course.edit("specs/tiny/assignment.yaml", "[a1.py]}", "[a1.py], otherwise: review}")
    graded(course, path)
    assert marked(course) == {"1": ("needs_review", None)}
    (one,) = results(course.report)["submissions"]
    assert (one["problem"], one["flagged"]) == ("found b1.py, expected a1.py", True)


def test_an_unclear_layout_writes_nothing(course: Course, tmp_path: Path) -> None:
    path = downloads.laid({**canvas(handed_in(course)), "eve.py": b""}, tmp_path / "class")
    assert course.refusal("grade", "--assignment", "tiny", path) == (
        f"{path}: the layout is not clear: 5 with names like Canvas's and 1 with other names "
        "(eve.py). Hint: --layout canvas | plain"
    )
    assert not course.report.exists()
    outcome = graded(course, path, "--layout", "canvas")
    assert outcome.err.startswith("layout: Canvas, 6 submissions of 5 students\n")
    assert marked(course)["eve"] == ("needs_review", None)
