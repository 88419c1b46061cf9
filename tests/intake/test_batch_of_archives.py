"""`harness grade` on a class whose archives are wrong in every way that students know."""

from __future__ import annotations

import pytest

from tests.intake.made_archives import with_flag, zipped
from tests.tiny_course import Course, results

DOCX = zipped([("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>")])
RAR = b"Rar!\x1a\x07\x01\x00" + bytes(40)


def class_of(program: bytes) -> dict[str, bytes]:
    good = zipped([("a1.py", program)])
    leftovers = [("__MACOSX/._a1.py", b"\0\5\x16\7"), (".DS_Store", b"x")]
    return {
        "ada/A1.zip": good,
        "docx/A1.zip": zipped([("a1.py", DOCX)]),
        "eve/A1.zip": zipped([("a1.py", program), ("notes.txt", b"n")]),
        "folder/A1.zip": zipped([("A1/a1.py", program)]),
        "macos/A1.zip": zipped([*leftovers, ("a1.py", program)]),
        "nested/A1.zip": zipped([("A1.zip", good)]),
        "none/A1.zip": zipped([("main.py", program)]),
        "password/A1.zip": with_flag(good, 1),
        "rar/A1.rar": RAR,
        "two/A1.zip": zipped([("a1.py", program), ("old/a1.py", program)]),
    }


GRADED = {"ada": [], "eve": [], "folder": ["A1/a1.py was in a folder inside A1.zip"], "macos": []}
PROBLEMS = {
    "docx": "found an Office document named a1.py in A1.zip, expected a Python file",
    "nested": "found A1.zip (a zip archive) in A1.zip, expected a1.py",
    "none": "found main.py in A1.zip, expected a1.py",
    "password": "a1.py in A1.zip is locked with a password, expected a file without one",
    "rar": "found A1.rar (a RAR archive), expected A1.zip",
    "two": "found a1.py and old/a1.py in A1.zip, expected one file a1.py",
}


@pytest.fixture
def archives(course: Course) -> Course:
    course.edit("specs/tiny/assignment.yaml", "[a1.py]}", "[a1.py], archive: A1.zip}")
    program = course.path("reference/tiny/a1.py").read_bytes()
    for name, data in class_of(program).items():
        path = course.path("class") / name
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    return course


def test_each_has_its_verdict_and_the_batch_goes_on(archives: Course) -> None:
    outcome = archives.run("grade", "class", "--assignment", "tiny")
    assert (outcome.status, outcome.err.count("Traceback")) == (0, 0)
    whole = results(archives.report)
    assert whole["run"]["complete"] is True
    submissions = {each["id"]: each for each in whole["submissions"]}
    assert sorted(submissions) == sorted([*GRADED, *PROBLEMS])
    for name, notes in GRADED.items():
        found = submissions[name]
        assert (found["status"], found["mark"]) == ("graded", found["out_of"])
        assert found["notes"] == notes
    for name, problem in PROBLEMS.items():
        found = submissions[name]
        assert (found["status"], found["mark"], found["problem"]) == ("unreadable", 0.0, problem)
        page = (archives.report / "submissions" / f"{name}.html").read_text(encoding="utf-8")
        assert problem in page
