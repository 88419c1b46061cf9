"""exempt.yaml: what does not count for whom, from the file to the pages."""

from __future__ import annotations

import zipfile

from tests.tiny_course import Course, results, submission

EXEMPT = """\
exempt:
  - student: prints_total
    scenarios: ["total/*", "main/*"]
    reason: the sheet's example was wrong
"""


def test_a_student_is_excused_without_running_anything_again(graded: Course) -> None:
    before = submission(graded.report, "prints_total")["mark"]
    others = [e for e in results(graded.report)["submissions"] if e["id"] != "prints_total"]
    graded.write("specs/tiny/exempt.yaml", EXEMPT)
    outcome = graded.run("grade", "submissions/tiny")
    assert outcome.status == 0, outcome.err
    found = submission(graded.report, "prints_total")
    assert (before, found["mark"]) == (3.69, 6.0)
    note = "not counted: total/*, main/* (the sheet's example was wrong)"
    assert note in found["notes"]
    assert [e for e in results(graded.report)["submissions"] if e["id"] != "prints_total"] == others
    page = (graded.report / "feedback" / "prints_total.html").read_text("utf-8")
    assert "not counted: total/*, main/*" in page
    shown = graded.run("show", "reports/tiny", "prints_total").out
    rows = {row[0]: row[-1] for line in shown.splitlines() if len(row := line.split()) == 3}
    assert (rows["is_valid"], rows["total"]) == ("6/6", "0/0")


def test_who_is_excused_leaves_the_course_in_no_package(course: Course) -> None:
    course.write("specs/tiny/exempt.yaml", EXEMPT.replace("prints_total", "s-ada-4712"))
    for command, file in (("handout", "h.zip"), ("gradescope", "g.zip"), ("classroom50", "c")):
        assert course.run(command, "tiny", "-o", file).status == 0
    places = [course.path("h.zip"), course.path("g.zip"), course.path("c/grader.pyz")]
    with zipfile.ZipFile(course.path("h.zip")) as handout:
        places.append(course.path("selfcheck.pyz"))
        places[-1].write_bytes(handout.read("selfcheck.pyz"))
    for place in places:
        with zipfile.ZipFile(place) as archive:
            assert not [n for n in archive.namelist() if b"s-ada-4712" in archive.read(n)]


def test_mistakes_have_their_place(course: Course) -> None:
    course.write(
        "specs/tiny/exempt.yaml", "exempt:\n  - {scenarios: [total/none], reason: ''}\n  - {}\n"
    )
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.status == 2
    lines = outcome.err.splitlines()
    assert all(line.startswith("error: specs/tiny/exempt.yaml:") for line in lines)
    course.write("specs/tiny/exempt.yaml", EXEMPT.replace("total/*", "totals/*"))
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.err.startswith(
        "error: specs/tiny/exempt.yaml:3:17: exempt, item 1, scenarios, item 1: totals/* matches "
    )
