"""A lecturer's evening, platform by platform; `harness export` and `harness manual`."""

import csv
import io
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.cli.options import login_name
from harness.model.review import Change, Commented
from harness.results.store import Store, record
from tests import downloads
from tests.cli.test_bad_input import files_up_to, without_privilege
from tests.tiny_course import FIXTURE, Course, results, submission

SAMPLES = FIXTURE / "submissions" / "tiny"
Row = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Student:
    """The samples that were handed in, one an attempt, and the mark that belongs into the gradebook
    ("" for none)."""

    number: int
    name: str
    samples: tuple[str, ...] = ("perfect",)
    file: str = "a1.py"
    late: bool = False
    extension: bool = False
    group: str = ""
    withdrawn: bool = False
    unlisted: bool = False  # in the gradebook and not on the roster
    mark: str = "6.00"
    by_name: str = ""  # where students are matched by names alone, if not `mark`


CLASS = (
    Student(number=4101, name="Mary-Ann O'Brien"),
    Student(number=4102, name="Zoë Müller", samples=("prints_total",), mark="3.69"),
    Student(number=4103, name="Jo LATE", samples=("syntax_error",), mark="0.00"),
    Student(number=4104, name="=Nobody Enrolled", samples=(), mark="", unlisted=True),
    Student(number=4201, name="Tardy Jones", late=True, mark=""),
    Student(number=4202, name="Ines Anders", late=True, extension=True),
    Student(number=4203, name="Rita Again", samples=("prints_total", "perfect")),
    Student(number=4204, name="Gus One", group="g1"),
    Student(number=4205, name="Gwen Two", group="g1", samples=()),
    Student(number=4206, name="Kim Park", by_name="none"),
    Student(number=4207, name="Kim Park", samples=("prints_total",), mark="3.69", by_name="none"),
    Student(number=4208, name="Nobody Handin", samples=(), mark=""),
    Student(number=4209, name="Wrong Name", file="main.py", mark="0.00"),
    Student(number=4210, name="Dora Copy", file="a1 (1).py"),
    Student(number=4211, name="陈 伟", samples=("missing_total",), mark="5.08"),
    Student(number=4212, name="Wanda Withdrawn", withdrawn=True),
)
ENROLLED = [each for each in CLASS if not each.withdrawn]


def handed(identity: Callable[[int], str], *, has_groups: bool) -> list[downloads.HandIn]:
    found = []
    for each in CLASS:
        for attempt, sample in enumerate(each.samples):
            one = downloads.HandIn(
                id=identity(each.number),
                name=each.name,
                files=((each.file, (SAMPLES / sample / "a1.py").read_bytes()),),
                at=downloads.NOON + timedelta(hours=30 * each.late + attempt),
                email=f"s{each.number}@uni.example",
                late=each.late,
            )
            others = [o for o in CLASS if each.group and o.group == each.group and o is not each]
            if has_groups:
                one = replace(one, others=tuple((identity(o.number), o.name, "") for o in others))
            found.append(one)
    return found


def last_and_first(name: str) -> tuple[str, str]:
    first, _, last = name.rpartition(" ")
    return last, first


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """A platform: what it gives to download, its gradebook (what is above the students, and the row
    of each by number and name), and the form of that file."""

    download: Callable[[Sequence[downloads.HandIn]], downloads.Files]
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
    download=downloads.canvas,
    identity=str,
    to="canvas",
    head=(
        ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "A tiny till (77)", "Final"),
        ("    Points Possible", "", "", "", "", "6", "(read only)"),
    ),
    row=lambda n, name: (
        *(", ".join(last_and_first(name)), str(n), f"S{n}", f"s{n}@uni.example", "1", "", "9"),
    ),
    key=1,
    mark=5,
    feedback=lambda n, name: f"_{n}_",
)
BRISBANE = ("--due", "2024-09-25T12:00", "--time-zone", "Australia/Brisbane")
EVENINGS = {
    "canvas": CANVAS,
    "gradescope, then canvas": replace(
        CANVAS, download=downloads.gradescope, identity=lambda n: f"S{n}", key=2, feedback=None
    ),
    "brightspace": Evening(
        download=downloads.brightspace,
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
        download=downloads.blackboard,
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
        download=downloads.moodle,
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


def expected(name: str, each: Student) -> str:
    evening = EVENINGS[name]
    if evening.by_name and each.by_name:
        return ""
    if name == "canvas" and each.extension:
        return ""  # it says late by its own due time, and no time to hold to the extension
    if name == "canvas" and len(each.samples) > 1:
        return ""  # two files that may be meant, and no times: a person decides
    if not evening.due and each.late:
        return "6.00"
    return each.mark


def check_feedback(
    named: Callable[[int, str], str], evening: Evening, files: downloads.Files, course: Course
) -> None:
    """Each student has a page, whose path has what is `named` by number and name."""
    path = course.path("feedback.zip")
    done = course.run("export", "reports/tiny", "--to", f"feedback-{evening.to}", "-o", path)
    assert done.status == 0
    group = f"{evening.identity(4205)}: .* is the page of 4204, who is in the same group\n"
    assert re.fullmatch(group, done.err)
    with zipfile.ZipFile(path) as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist()}
    assert (pages.pop("index.html", None) is not None) == (evening.to == "brightspace")
    assert len(pages) == sum(bool(each.samples) for each in CLASS)
    for each in CLASS:
        if each.samples:
            path = named(each.number, each.name)
            (page,) = (text for place, text in pages.items() if path in place)
            assert f"<bdi>{evening.identity(each.number)}</bdi>" in page
    beginnings = {name.split("/")[0] if "/" in name else name.rpartition("_")[0] for name in files}
    beginnings -= {""}
    assert all(place.startswith(tuple(beginnings)) for place in pages)


@pytest.mark.parametrize("name", EVENINGS)
def test_from_the_download_to_the_gradebook(name: str, course: Course, tmp_path: Path) -> None:
    evening = EVENINGS[name]
    files = evening.download(handed(evening.identity, has_groups=name.startswith("gradescope")))
    download = downloads.zipped_class(files, tmp_path / "class.zip")
    roster = tmp_path / "roster.csv"
    listed = [each for each in ENROLLED if not each.unlisted]
    lines = [f"{evening.identity(each.number)},{each.name},{each.group}" for each in listed]
    roster.write_text("\n".join(["id,name,group", *lines]) + "\n", encoding="utf-8")
    extensions = tmp_path / "extensions.csv"
    lines = [f"{evening.identity(e.number)},2024-09-28T12:00Z" for e in CLASS if e.extension]
    extensions.write_text("\n".join(["id,due", *lines]) + "\n", encoding="utf-8")
    due = (*evening.due, "--extensions", extensions) if evening.due else ()
    graded = course.ok("grade", download, "--assignment", "tiny", "--roster", roster, *due)
    assert f"{evening.identity(4212)} is not on the roster" in graded.err
    if evening.feedback is not None:
        check_feedback(evening.feedback, evening, files, course)

    given = tmp_path / "book.csv"
    given.write_bytes(evening.written((each.number, each.name) for each in ENROLLED))
    out = tmp_path / "import.csv"
    arguments = ("--to", evening.to, "--gradebook", given, "-o", out)
    done = course.run("export", "reports/tiny", *arguments)
    assert (done.status, done.out) == (0, f"Wrote {out}\n"), done.err
    before, after = evening.read(given.read_bytes()), evening.read(out.read_bytes())
    assert list(after) == list(before)
    rows = list(after.values())[-len(ENROLLED) :]
    marks = {each.number: row[evening.mark] for each, row in zip(ENROLLED, rows, strict=True)}
    assert marks == {each.number: expected(name, each) for each in ENROLLED}
    for key, row in after.items():
        kept = [cell.removeprefix("'") if "=Nobody" in cell else cell for cell in row]
        kept[evening.mark] = before[key][evening.mark]
        assert kept == before[key]

    lines = done.err.splitlines()
    assert any("has no submission" in line and "Nobody" in line for line in lines)
    assert any("has no mark: no submission" in line and "Nobody" in line for line in lines)
    assert any("has no mark: late" in line for line in lines) == bool(evening.due)
    assert sum("ONLY BY NAME" in line for line in lines) == bool(evening.by_name)
    without = [line for line in lines if "has no row" in line]
    assert len(without) == (3 if evening.by_name else 1)
    assert [line for line in without if "4212" in line]


MANUAL = """\
manual:
  - {id: style, title: Code style, out_of: 4}
  - {id: report, title: The report, out_of: 2.5}
policy: policy.yaml
"""


@pytest.fixture(scope="module")
def with_slots_once(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = Course.copy(graded_once.root, tmp_path_factory.mktemp("slots") / "course")
    course.edit("specs/tiny/assignment.yaml", "policy: policy.yaml\n", MANUAL)
    course.ok("grade", "submissions/tiny")
    return course


@pytest.fixture
def with_slots(with_slots_once: Course, tmp_path: Path) -> Course:
    """The tiny course with two manual slots, graded."""
    return Course.copy(with_slots_once.root, tmp_path / "course")


def exported(course: Course, form: str, *more: str | Path) -> str:
    return course.ok("export", "reports/tiny", "--to", form, *more).out


def test_data_of_the_report_is_exported_unchanged(graded_once: Course) -> None:
    for form, own in (("json", "results.json"), ("csv", "marks.csv")):
        assert exported(graded_once, form) == (graded_once.report / own).read_text("utf-8")
    suites = ElementTree.fromstring(exported(graded_once, "junit").split("\n", 1)[1])
    ids = [entry["id"] for entry in results(graded_once.report)["submissions"]]
    assert [suite.get("name") for suite in suites] == ids


def test_before_anybody_gave_marks_that_is_one_line(with_slots: Course, tmp_path: Path) -> None:
    arguments = ("export", "reports/tiny", "--to", "blackboard")
    book = with_slots.write(
        "book.csv", "Username,A tiny till [Total Pts: 12.5 Score] |1\nperfect,\nnobody,\n"
    )
    said = "this file contains no marks: 5 submissions still to be marked by hand "
    said += "(Code style, The report); "
    said += "--marks functionality exports the marks without that part"
    assert with_slots.run(*arguments).err.splitlines() == [said]
    assert with_slots.run(*arguments, "--gradebook", book).err.splitlines() == [
        f"{book}:3: nobody has no submission; the row stays",
        *(
            f"{book}: submission {each} has no row (or more than one)"
            for each in ("hard_coded_5", "missing_total", "prints_total", "syntax_error")
        ),
        f"{book}: use --match FILE to say whose rows they are",
        said,
    ]


def test_marks_that_people_give(with_slots: Course) -> None:
    template = with_slots.path("marks.csv")
    exported(with_slots, "manual-marks", "-o", template)
    rows = list(csv.reader(template.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == [
        *("id", "name", "style (out of 4)", "report (out of 2.5)"),
        *("adjustment", "reason", "comment"),
    ]
    given = {"perfect": ["3.5", "1/3", "", "", "Nice."], "prints_total": ["2", "", "", "", ""]}
    given["missing_total"] = ["0", "0", "-5", "copied", ""]
    for row in rows[1:]:
        row[2:] = given.get(row[0], row[2:])
    with template.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    done = with_slots.run("manual", "reports/tiny", template)
    assert (done.status, done.err) == (0, "")
    assert done.out == "3 submissions changed; 2 of 5 done\n"

    perfect = submission(with_slots.report, "perfect")
    assert (perfect["mark"], perfect["total"], perfect["total_out_of"]) == (6.0, 9.83, 12.5)
    assert submission(with_slots.report, "missing_total")["total"] == 0.08
    assert submission(with_slots.report, "prints_total")["total"] is None
    for folder in ("submissions", "feedback"):
        page = (with_slots.report / folder / "perfect.html").read_text(encoding="utf-8")
        assert " = 9.83 of 12.5" in page
        assert "Comment: Nice." in page

    book = with_slots.write(
        "book.csv", "Username,A tiny till [Total Pts: 12.5 Score] |1\nperfect,\nprints_total,\n"
    )
    outcome = with_slots.run("export", "reports/tiny", "--to", "blackboard", "--gradebook", book)
    assert outcome.out.splitlines()[1:] == ["perfect,9.83", "prints_total,"]
    line = f"{book}:3: prints_total has no mark: no mark yet for The report"
    assert outcome.err.splitlines()[0] == line
    alone = ("--gradebook", book, "--marks", "functionality")
    outcome = with_slots.run("export", "reports/tiny", "--to", "blackboard", *alone)
    assert outcome.out.splitlines()[1:] == ["perfect,6.00", "prints_total,3.69"]

    before = results(with_slots.report)
    for fresh in ([], ["--fresh"]):
        assert with_slots.run("grade", "submissions/tiny", *fresh).status == 0
        assert results(with_slots.report) == before
    again = with_slots.run("manual", "reports/tiny", template)
    assert again.out == "0 submissions changed; 2 of 5 done\n"


def test_a_file_with_mistakes_is_refused_whole(with_slots: Course) -> None:
    before = results(with_slots.report)
    file = with_slots.write("m.csv", "id,style,adjustment,reason\nperfect,4\neve,1\nperfect,9,1\n")
    outcome = with_slots.run("manual", "reports/tiny", file)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.splitlines() == [
        f"error: {file}:3: this run has no submission 'eve'",
        f"error: {file}:4: perfect has a row above already",
    ]
    assert results(with_slots.report) == before


def test_a_full_disk_leaves_the_old_file(graded: Course) -> None:
    path = graded.write("marks.xml", "the old file")
    arguments = ("export", "reports/tiny", "--to", "junit", "-o", path)
    outcome = graded.run(*arguments, before=files_up_to(1000))
    assert (outcome.status, outcome.out) == (2, "")
    hint = "Hint: free disk space and run the same command again"
    assert outcome.err == f"error: {path}: file too large. {hint}\n"
    assert path.read_text(encoding="utf-8") == "the old file"
    assert [each.name for each in graded.root.iterdir() if "tmp" in each.name] == []


def test_an_unwritable_output_path_is_an_error(graded: Course) -> None:
    folder = graded.path("locked")
    folder.mkdir(mode=0o555)
    for command in (
        ("export", "reports/tiny", "--to", "csv"),
        ("compare", "reports/tiny", "reports/tiny", "--to", "csv"),
        ("handout", "tiny"),
    ):
        outcome = graded.run(*command, "-o", folder / "new", before=without_privilege)
        assert (outcome.status, outcome.out) == (2, "")
        hint = "Hint: choose a writable folder"
        assert outcome.err == f"error: {folder / 'new'}: permission denied. {hint}\n"
        assert list(folder.iterdir()) == []


def test_marks_do_not_come_in_while_another_run_writes(with_slots: Course) -> None:
    file = with_slots.write("m.csv", "id,style\nperfect,4\n")
    with Store.open(with_slots.report / "run.sqlite"):
        outcome = with_slots.run("manual", "reports/tiny", file)
    assert (outcome.status, outcome.out) == (2, "")
    assert "another run is writing these results" in outcome.err


def test_the_marks_of_two_tutors_are_put_together(with_slots: Course, tmp_path: Path) -> None:
    """Each has a copy of the report; what both changed to something else is named."""
    ben = tmp_path / "ben"
    shutil.copytree(with_slots.report, ben)
    sides = ((with_slots.report, "3", "missing_total"), (ben, "2", "prints_total"))
    for folder, mark, alone in sides:
        table = with_slots.write("m.csv", f"id,style\nperfect,{mark}\n{alone},1\n")
        assert with_slots.run("manual", folder, table).status == 0
    done = with_slots.run("manual", "reports/tiny", ben)
    who = login_name() or "somebody"
    assert done.err == (
        f"conflict: perfect: mark style: 3.00 by {who} here, 2.00 by {who} there; the later "
        "change counts: 2.00\n"
    )
    assert done.out == "2 changes to 2 submissions taken; 0 of 5 done\n"
    marks = {
        name: submission(with_slots.report, name)["manual"][0]["mark"]
        for name in ("perfect", "prints_total", "missing_total")
    }
    assert marks == {"perfect": 2.0, "prints_total": 1.0, "missing_total": 1.0}
    again = with_slots.run("manual", "reports/tiny", ben / "run.sqlite")
    assert (again.out.split(";")[0], again.err) == ("0 changes to 0 submissions taken", "")
    itself = with_slots.run("manual", "reports/tiny", "reports/tiny")
    assert itself.err == "error: reports/tiny: is the run itself\n"


def test_feedback_has_comments_newer_than_the_pages(with_slots: Course) -> None:
    said = Change(who="ann", assignment="", submission="perfect", action=Commented(text="Neat."))
    record(with_slots.report / "run.sqlite", [said])
    exported(with_slots, "feedback", "-o", with_slots.path("f.zip"))
    with zipfile.ZipFile(with_slots.path("f.zip")) as archive:
        assert b"Comment: Neat." in archive.read("perfect.html")
        assert b"Neat." not in archive.read("prints_total.html")
