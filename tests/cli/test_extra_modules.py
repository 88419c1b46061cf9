"""A module that a student hands in beside the file asked for, from the upload to the pages."""

import sys
from pathlib import Path

import pytest

from tests.tiny_course import Course, ran, results

REFERENCE = "import math\n\n\ndef area(r):\n    return round(math.pi * r * r, 2)\n"
SCENARIOS = """\
function: area
clause: "1"
visible: true
scenarios:
  - {name: one, call: area(1), returns: 3.14}
  - {name: two, call: area(2), returns: 12.57}
"""
SETTINGS = "functionality_marks: 10\npolicy: policy.yaml\n"
POLICY = "imports: {allow: [math]}\nsyntax: {forbid: [While]}\nseverity: {imports: {deduct: 2}}\n"
MAIN = (
    "from shapes import square\nimport math\n\n\n"
    "def area(r):\n    return round(math.pi * square(r), 2)\n"
)
MODULE = "def square(n):\n    return n * n\n"
UGLY = "import os\n\n\ndef square(n):\n    while True:\n        return n * n\n"


@pytest.fixture
def asked(tmp_path: Path) -> Course:
    """An assignment that takes modules, and three submissions with one."""
    course = Course.small(
        tmp_path, "round", REFERENCE, SCENARIOS, SETTINGS, **{"specs/round/policy.yaml": POLICY}
    )
    course.edit("specs/round/assignment.yaml", "[a1.py]", "[a1.py], extra: allow")
    for student, module in (("ada", MODULE), ("bo", UGLY), ("cy", MODULE.replace("n * n", "n"))):
        course.write(f"in/{student}/a1.py", MAIN)
        course.write(f"in/{student}/shapes.py", module)
    return course


def test_a_module_is_the_students_code_everywhere(asked: Course) -> None:
    asked.ok("grade", "in", "--assignment", "round", "--out", "out")
    graded = {each["id"]: each for each in results(asked.path("out"))["submissions"]}
    assert {name: each["mark"] for name, each in graded.items()} == {"ada": 10, "bo": 8, "cy": 5}
    assert [each["isolation"] for each in graded.values()] == ["shared", "alone", "shared"]
    found = {(each["rule"], each["file"]) for each in graded["bo"]["findings"]}
    assert found == {("import", "shapes.py"), ("syntax", "shapes.py")}
    assert not graded["ada"]["findings"]
    page = asked.text("out/submissions/cy.html")
    assert "shapes.py" in page
    asked.ok("similarity", "out")


def test_a_check_of_the_file_takes_the_modules_beside_it(asked: Course, tmp_path: Path) -> None:
    for what in ("in/ada/a1.py", "in/ada", "in/ada/shapes.py"):
        outcome = asked.run("check", what, "--assignment", "round")
        assert (outcome.status, "shapes" in outcome.err) == (0, False), outcome
    asked.ok("handout", "round", "--out", "round.zip")
    folder = tmp_path / "in/ada"
    ran([sys.executable, "-m", "zipfile", "-e", "round.zip", folder], cwd=tmp_path, check=True)
    asked.write("in/ada/a1.py", MAIN)
    done = ran([sys.executable, "selfcheck.pyz", "a1.py"], cwd=folder)
    assert (done.returncode, "note:" in done.stderr) == (0, False), done


def test_a_refused_module_costs_the_submission_or_holds_it(asked: Course) -> None:
    asked.edit("specs/round/assignment.yaml", "extra: allow", "extra: refuse")
    asked.ok("grade", "in", "--assignment", "round", "--out", "out")
    graded = results(asked.path("out"))["submissions"]
    assert {(each["status"], each["mark"]) for each in graded} == {("unreadable", 0.0)}
    assert all("shapes.py" in each["problem"] for each in graded)
    asked.edit("specs/round/assignment.yaml", "extra: refuse", "extra: refuse, otherwise: review")
    asked.ok("grade", "in", "--assignment", "round", "--out", "out")
    held = {each["status"] for each in results(asked.path("out"))["submissions"]}
    assert held == {"needs_review"}


def test_modules_that_are_ignored_are_named(asked: Course) -> None:
    asked.edit("specs/round/assignment.yaml", "extra: allow", 'extra: {allow: ["form*.py"]}')
    asked.ok("grade", "in", "--assignment", "round", "--out", "out")
    (first, *_) = results(asked.path("out"))["submissions"]
    assert [cause["rule"] for cause in first["causes"]] == ["module_not_taken"]
