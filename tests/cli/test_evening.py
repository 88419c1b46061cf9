"""A lecturer's evening, platform by platform: the class's zip in, the importer's files out.

What goes out is read with the csv and zipfile modules.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from tests.downloads import (
    NOON,
    Files,
    HandIn,
    blackboard,
    brightspace,
    canvas,
    gradescope,
    moodle,
    zipped_class,
)
from tests.tiny_course import FIXTURE, Course

SAMPLES = FIXTURE / "submissions" / "tiny"
# Number, name, which sample was handed in ("": nothing), and whether it came late.
CLASS = (
    (4101, "Mary-Ann O'Brien", "perfect", False),
    (4102, "Zoë Müller", "prints_total", False),
    (4103, "陈 伟", "missing_total", False),
    (4104, "Jo LATE", "syntax_error", False),
    (4105, "Kim Park", "perfect", False),
    (4106, "Kim Park", "prints_total", False),
    (4107, "Tardy Jones", "perfect", True),
    (4108, "=Nobody Handin", "", False),
)
MARKS = {"perfect": "6.00", "prints_total": "3.69", "missing_total": "5.08", "syntax_error": "0.00"}
BOTH_KIMS = {4105, 4106}
Rows = list[list[str]]


def handed(identity: Callable[[int], str]) -> list[HandIn]:
    return [
        HandIn(
            id=identity(number),
            name=name,
            files=(("a1.py", (SAMPLES / sample / "a1.py").read_bytes()),),
            at=NOON + timedelta(hours=30 * late),
            email=f"s{number}@uni.example",
            late=late,
        )
        for number, name, sample, late in CLASS
        if sample
    ]


def book(header: Sequence[str], row: Callable[[int, str], Sequence[str]]) -> Rows:
    return [list(header), *(list(row(number, name)) for number, name, _, _ in CLASS)]


def last_first(name: str) -> str:
    first, _, last = name.rpartition(" ")
    return f"{last}, {first}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """A platform: what it gives to download, its gradebook, and the form of that file."""

    download: Callable[[Sequence[HandIn]], Files]
    identity: Callable[[int], str]
    to: str
    book: Rows
    key: int
    mark: int
    encoding: str = "utf-8"
    delimiter: str = ","
    due: tuple[str, ...] = ("--due", "2024-09-25T12:00Z")
    by_name: bool = False
    feedback: Callable[[int, str], str] | None = None

    def written(self) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.delimiter).writerows(self.book)
        return text.getvalue().encode(self.encoding)

    def read(self, data: bytes) -> dict[str, list[str]]:
        text = io.StringIO(data.decode(self.encoding), newline="")
        return {row[self.key]: row for row in csv.reader(text, delimiter=self.delimiter)}


CANVAS_BOOK = [
    ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "A tiny till (77)", "Final"],
    ["    Points Possible", "", "", "", "", "6", "(read only)"],
    *book(
        (), lambda n, name: (last_first(name), str(n), f"S{n}", f"s{n}@uni.example", "1", "", "9")
    )[1:],
]
EVENINGS = {
    "canvas": Evening(
        download=canvas,
        identity=str,
        to="canvas",
        book=CANVAS_BOOK,
        key=1,
        mark=5,
        feedback=lambda n, name: f"_{n}_",
    ),
    "gradescope, then canvas": Evening(
        download=gradescope,
        identity=lambda n: f"S{n}",
        to="canvas",
        book=CANVAS_BOOK,
        key=2,
        mark=5,
    ),
    "brightspace": Evening(
        download=brightspace,
        identity=str,
        to="brightspace",
        book=book(
            (
                *("OrgDefinedId", "Username", "Last Name", "First Name"),
                *("A tiny till Points Grade <Numeric MaxPoints:6>", "End-of-Line Indicator"),
            ),
            lambda n, name: (
                *(f"#9{n}", f"#u{n}", name.rpartition(" ")[2], name.rpartition(" ")[0], "", "#"),
            ),
        ),
        key=0,
        mark=4,
        by_name=True,
        due=("--due", "2024-09-25T12:00", "--time-zone", "Australia/Brisbane"),
        feedback=lambda n, name: f"{n}-2557369 - {name} - ",
    ),
    "blackboard": Evening(
        download=blackboard,
        identity=lambda n: f"u{n}",
        to="blackboard",
        book=book(
            ("Last Name", "First Name", "Username", "A tiny till [Total Pts: 6 Score] |88"),
            lambda n, name: (name.rpartition(" ")[2], name.rpartition(" ")[0], f"u{n}", ""),
        ),
        key=2,
        mark=3,
        encoding="utf-16",
        delimiter="\t",
        due=("--due", "2024-09-25T12:00", "--time-zone", "Australia/Brisbane"),
    ),
    "moodle": Evening(
        download=moodle,
        identity=str,
        to="moodle",
        book=book(
            (
                *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade"),
                *("Last modified (grade)", "Feedback comments"),
            ),
            lambda n, name: (
                *(f"Participant {n}", name, f"s{n}@uni.example", "Submitted", "", "6.00", "-", ""),
            ),
        ),
        key=0,
        mark=4,
        due=(),  # its download has no times
        feedback=lambda n, name: f"{name}_{n}_assignsubmission_file_/",
    ),
}


def expected(evening: Evening, number: int) -> str:
    """The mark that this student's cell must hold."""
    sample, late = next((s, late) for n, _, s, late in CLASS if n == number)
    if not sample or (late and evening.due):
        return ""
    return "" if evening.by_name and number in BOTH_KIMS else MARKS[sample]


def check_feedback(
    named: Callable[[int, str], str], evening: Evening, files: Files, course: Course
) -> None:
    """Each student has a page, whose path has what is `named` by number and name."""
    path = course.path("feedback.zip")
    done = course.run("export", "reports/tiny", "--to", f"feedback-{evening.to}", "-o", path)
    assert (done.status, done.err) == (0, "")
    with zipfile.ZipFile(path) as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist()}
    assert (pages.pop("index.html", None) is not None) == (evening.to == "brightspace")
    assert len(pages) == sum(bool(sample) for _, _, sample, _ in CLASS)
    for number, name, sample, _ in CLASS:
        if sample:
            (page,) = (text for place, text in pages.items() if named(number, name) in place)
            assert f"Feedback for <bdi>{evening.identity(number)}</bdi>" in page
    beginnings = {name.split("/")[0].removesuffix("a1.py") for name in files}
    for place in pages:  # each under a name that the download had
        assert any(place.startswith(beginning) for beginning in beginnings if beginning)


@pytest.mark.parametrize("evening", EVENINGS.values(), ids=EVENINGS)
def test_from_the_download_to_the_importer_and_to_each_student(
    evening: Evening, course: Course, tmp_path: Path
) -> None:
    files = evening.download(handed(evening.identity))
    download = zipped_class(files, tmp_path / "class.zip")
    course.ok("grade", download, "--assignment", "tiny", *evening.due)
    if evening.feedback is not None:
        check_feedback(evening.feedback, evening, files, course)

    given = tmp_path / "book.csv"
    given.write_bytes(evening.written())
    out = tmp_path / "import.csv"
    arguments = ("--to", evening.to, "--gradebook", given, "-o", out)
    done = course.run("export", "reports/tiny", *arguments)
    assert (done.status, done.out) == (0, f"Wrote {out}\n"), done.err
    before, after = evening.read(given.read_bytes()), evening.read(out.read_bytes())
    assert list(after) == list(before)
    students = dict(zip(list(before)[-len(CLASS) :], [n for n, *_ in CLASS], strict=True))
    for key, number in students.items():
        assert after[key][evening.mark] == expected(evening, number), key
    for key, row in after.items():
        kept = [cell.removeprefix("'") if "=Nobody" in cell else cell for cell in row]
        kept[evening.mark] = before[key][evening.mark]
        assert kept == before[key]

    lines = done.err.splitlines()
    assert any("has no submission" in line and "Nobody" in line for line in lines)
    assert any("has no mark: late" in line for line in lines) == bool(evening.due)
    assert sum("BY NAME ALONE" in line for line in lines) == bool(evening.by_name)
    assert sum("has no row" in line for line in lines) == (2 if evening.by_name else 0)
