"""Grading a part of a class: the report stays the class's, or the command is refused."""

from __future__ import annotations

from typing import Any

from tests.tiny_course import Course, results


def marks(course: Course) -> dict[str, Any]:
    return {each["id"]: each["mark"] for each in results(course.report)["submissions"]}


def test_only_grades_some_and_keeps_the_others(graded: Course) -> None:
    before = marks(graded)
    reference = graded.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    graded.write("submissions/tiny/prints_total/a1.py", reference)
    graded.write("submissions/tiny/hard_coded_5/a1.py", reference)
    outcome = graded.run("grade", "submissions/tiny", "--only", "prints_total")
    assert outcome.status == 0, outcome.err
    assert "tiny: 1 submission, " in outcome.err
    assert marks(graded) == before | {"prints_total": 6.0}
    assert results(graded.report)["run"]["complete"] is True
    assert len(list(graded.report.glob("submissions/*.html"))) == len(before)


def test_a_part_named_by_its_path_with_only_is_added_as_well(graded: Course) -> None:
    before = marks(graded)
    cohort = results(graded.report)["run"]["cohort"]
    again = graded.run("grade", "submissions/tiny/perfect", "--only", "perfect")
    assert again.status == 0, again.err
    assert marks(graded) == before
    run = results(graded.report)["run"]
    assert (run["complete"], run["cohort"]) == (True, cohort)


def test_a_part_without_only_is_refused_and_nothing_is_lost(graded: Course) -> None:
    before = (graded.report / "results.json").read_bytes()
    outcome = graded.run("grade", "submissions/tiny/perfect")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "4 submissions that would be lost" in outcome.err
    assert "--only ID" in outcome.err
    assert (graded.report / "results.json").read_bytes() == before
    elsewhere = graded.run("grade", "submissions/tiny/perfect", "--out", "reports/one")
    assert elsewhere.status == 0, elsewhere.err


def test_some_of_a_class_that_was_never_graded_is_no_complete_run(course: Course) -> None:
    outcome = course.run("grade", "submissions/tiny", "--only", "perfect", "--only", "syntax_error")
    assert outcome.status == 0, outcome.err
    assert marks(course) == {"perfect": 6.0, "syntax_error": 0.0}
    assert results(course.report)["run"]["complete"] is False
    rest = course.run("grade", "submissions/tiny")
    assert ", 2 graded before" in rest.err
    assert results(course.report)["run"]["complete"] is True


def test_what_cannot_be_is_one_line(graded: Course) -> None:
    unknown = graded.run("grade", "submissions/tiny", "--only", "perfekt")
    assert unknown.err == "error: no submission has the id 'perfekt'. Hint: there is perfect\n"
    both = graded.run("grade", "submissions/tiny", "--only", "perfect", "--fresh")
    assert (both.status, both.err.count("\n")) == (2, 1)
    graded.edit("specs/tiny/total.yaml", "call: total([])\n", "call: total([])\n    points: 8\n")
    other = graded.run("grade", "submissions/tiny", "--only", "perfect")
    assert (other.status, "graded with other scenarios" in other.err) == (2, True)
