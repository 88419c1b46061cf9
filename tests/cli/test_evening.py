"""A lecturer's evening, platform by platform: the class's zip in, the importer's files out, also of
awkward students. What goes out is read with the csv and zipfile modules.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
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
from tests.per_commit import per_commit
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
Row = Sequence[str]


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


def last_and_first(name: str) -> tuple[str, str]:
    first, _, last = name.rpartition(" ")
    return last, first


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """A platform: what it gives to download, its gradebook (what is above the students, and the row
    of each by number and name), and the form of that file."""

    download: Callable[[Sequence[HandIn]], Files]
    identity: Callable[[int], str]
    to: str
    head: tuple[Row, ...]
    row: Callable[[int, str], Row]
    key: int
    mark: int
    encoding: str = "utf-8"
    delimiter: str = ","
    due: tuple[str, ...] = ("--due", "2024-09-25T12:00Z")
    by_name: bool = False
    feedback: Callable[[int, str], str] | None = None

    def written(self, students: Iterable[tuple[int, str]]) -> bytes:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.delimiter)
        writer.writerows([*self.head, *(self.row(number, name) for number, name in students)])
        return text.getvalue().encode(self.encoding)

    def read(self, data: bytes) -> dict[str, list[str]]:
        text = io.StringIO(data.decode(self.encoding), newline="")
        return {row[self.key]: row for row in csv.reader(text, delimiter=self.delimiter)}


CANVAS = Evening(
    download=canvas,
    identity=str,
    to="canvas",
    head=(
        ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "A tiny till (77)", "Final"),
        ("    Points Possible", "", "", "", "", "6", "(read only)"),
    ),
    row=lambda n, name: (
        ", ".join(last_and_first(name)),
        str(n),
        f"S{n}",
        f"s{n}@uni.example",
        "1",
        "",
        "9",
    ),
    key=1,
    mark=5,
    feedback=lambda n, name: f"_{n}_",
)
BRISBANE = ("--due", "2024-09-25T12:00", "--time-zone", "Australia/Brisbane")
EVENINGS = {
    "canvas": CANVAS,
    "gradescope, then canvas": replace(
        CANVAS, download=gradescope, identity=lambda n: f"S{n}", key=2, feedback=None
    ),
    "brightspace": Evening(
        download=brightspace,
        identity=str,
        to="brightspace",
        head=(
            (
                *("OrgDefinedId", "Username", "Last Name", "First Name"),
                *("A tiny till Points Grade <Numeric MaxPoints:6>", "End-of-Line Indicator"),
            ),
        ),
        row=lambda n, name: (f"#9{n}", f"#u{n}", *last_and_first(name), "", "#"),
        key=0,
        mark=4,
        by_name=True,
        due=BRISBANE,
        feedback=lambda n, name: f"{n}-2557369 - {name} - ",
    ),
    "blackboard": Evening(
        download=blackboard,
        identity=lambda n: f"u{n}",
        to="blackboard",
        head=(("Last Name", "First Name", "Username", "A tiny till [Total Pts: 6 Score] |88"),),
        row=lambda n, name: (*last_and_first(name), f"u{n}", ""),
        key=2,
        mark=3,
        encoding="utf-16",
        delimiter="\t",
        due=BRISBANE,
    ),
    "moodle": Evening(
        download=moodle,
        identity=str,
        to="moodle",
        head=(
            (
                *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade"),
                *("Last modified (grade)", "Feedback comments"),
            ),
        ),
        row=lambda n, name: (
            *(f"Participant {n}", name, f"s{n}@uni.example", "Submitted", "", "6.00", "-", ""),
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
    given.write_bytes(evening.written((number, name) for number, name, *_ in CLASS))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Awkward:
    """A student: the samples handed in, one an attempt; the mark that belongs into the gradebook
    ("" for none)."""

    number: int
    name: str
    samples: tuple[str, ...] = ("perfect",)
    file: str = "a1.py"
    late: bool = False
    extension: bool = False
    group: str = ""
    withdrawn: bool = False
    mark: str = "6.00"
    by_name: str = ""  # where students are matched by names alone, if not `mark`


AWKWARD = (
    Awkward(number=4201, name="Tardy Jones", late=True, mark=""),
    Awkward(number=4202, name="Ines Anders", late=True, extension=True),
    Awkward(number=4203, name="Rita Again", samples=("prints_total", "perfect")),
    Awkward(number=4204, name="Gus One", group="g1"),
    Awkward(number=4205, name="Gwen Two", group="g1", samples=()),
    Awkward(number=4206, name="Kim Park", by_name="none"),
    Awkward(number=4207, name="Kim Park", samples=("prints_total",), mark="3.69", by_name="none"),
    Awkward(number=4208, name="Nobody Handin", samples=(), mark=""),
    Awkward(number=4209, name="Wrong Name", file="main.py", mark="0.00"),
    Awkward(number=4210, name="Dora Copy", file="a1 (1).py"),
    Awkward(number=4211, name="陈 伟", samples=("missing_total",), mark="5.08"),
    Awkward(number=4212, name="Wanda Withdrawn", withdrawn=True),
)
ENROLLED = [each for each in AWKWARD if not each.withdrawn]


def awkwardly_handed(identity: Callable[[int], str], *, has_groups: bool) -> list[HandIn]:
    found = []
    for each in AWKWARD:
        for attempt, sample in enumerate(each.samples):
            one = HandIn(
                id=identity(each.number),
                name=each.name,
                files=((each.file, (SAMPLES / sample / "a1.py").read_bytes()),),
                at=NOON + timedelta(hours=30 * each.late + attempt),
                late=each.late,
            )
            others = [o for o in AWKWARD if each.group and o.group == each.group and o is not each]
            if has_groups:
                one = replace(one, others=tuple((identity(o.number), o.name, "") for o in others))
            found.append(one)
    return found


def expected_of(name: str, each: Awkward) -> str:
    evening = EVENINGS[name]
    if evening.by_name and each.by_name:
        return ""
    if name == "canvas" and each.extension:
        return ""  # it says late by its own due time, and no time to hold to the extension
    if not evening.due and each.late:
        return "6.00"
    return each.mark


@pytest.mark.parametrize("name", per_commit(EVENINGS, "moodle", "blackboard"))
def test_ten_awkward_students(name: str, course: Course, tmp_path: Path) -> None:
    evening = EVENINGS[name]
    files = evening.download(
        awkwardly_handed(evening.identity, has_groups=name.startswith("gradescope"))
    )
    download = zipped_class(files, tmp_path / "class.zip")
    roster = tmp_path / "roster.csv"
    lines = [f"{evening.identity(each.number)},{each.name},{each.group}" for each in ENROLLED]
    roster.write_text("\n".join(["id,name,group", *lines]) + "\n", encoding="utf-8")
    extensions = tmp_path / "extensions.csv"
    lines = [f"{evening.identity(e.number)},2024-09-28T12:00Z" for e in AWKWARD if e.extension]
    extensions.write_text("\n".join(["id,due", *lines]) + "\n", encoding="utf-8")
    due = (*evening.due, "--extensions", extensions) if evening.due else ()

    graded = course.ok("grade", download, "--assignment", "tiny", "--roster", roster, *due)
    assert f"{evening.identity(4212)} is not on the roster" in graded.err

    given = tmp_path / "book.csv"
    given.write_bytes(evening.written((each.number, each.name) for each in ENROLLED))
    out = tmp_path / "import.csv"
    done = course.ok("export", "reports/tiny", "--to", evening.to, "--gradebook", given, "-o", out)
    after = list(evening.read(out.read_bytes()).values())[-len(ENROLLED) :]
    marks = {each.number: row[evening.mark] for each, row in zip(ENROLLED, after, strict=True)}
    assert marks == {each.number: expected_of(name, each) for each in ENROLLED}
    assert [line for line in done.err.splitlines() if "has no row" in line and "4212" in line]
