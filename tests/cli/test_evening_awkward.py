"""An evening with awkward students, platform by platform: download in, gradebook out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.test_evening import EVENINGS, SAMPLES, Evening, last_first
from tests.downloads import NOON, HandIn, zipped_class
from tests.per_commit import per_commit
from tests.tiny_course import Course


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


CLASS = (
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
ENROLLED = [each for each in CLASS if not each.withdrawn]
Rows = Sequence[Sequence[str]]


def handed(identity: Callable[[int], str], *, has_groups: bool) -> list[HandIn]:
    found = []
    for each in CLASS:
        for attempt, sample in enumerate(each.samples):
            one = HandIn(
                id=identity(each.number),
                name=each.name,
                files=((each.file, (SAMPLES / sample / "a1.py").read_bytes()),),
                at=NOON + timedelta(hours=30 * each.late + attempt),
                late=each.late,
            )
            others = [o for o in CLASS if each.group and o.group == each.group and o is not each]
            if has_groups:
                one = replace(one, others=tuple((identity(o.number), o.name, "") for o in others))
            found.append(one)
    return found


def gradebook(name: str, evening: Evening) -> Evening:
    """The platform's gradebook with these students instead."""
    header, *rows = evening.book
    possible = [row for row in rows if "Points Possible" in row[0]]
    made = [ROWS[name](each.number, each.name) for each in ENROLLED]
    return replace(evening, book=[header, *possible, *made])


def of_canvas(number: int, name: str) -> list[str]:
    return [last_first(name), str(number), f"S{number}", f"s{number}@uni.example", "1", "", "9"]


ROWS: dict[str, Callable[[int, str], list[str]]] = {
    "canvas": of_canvas,
    "gradescope, then canvas": of_canvas,
    "brightspace": lambda n, name: [
        *(f"#9{n}", f"#u{n}", name.rpartition(" ")[2], name.rpartition(" ")[0], "", "#"),
    ],
    "blackboard": lambda n, name: [
        *(name.rpartition(" ")[2], name.rpartition(" ")[0], f"u{n}", ""),
    ],
    "moodle": lambda n, name: [
        *(f"Participant {n}", name, f"s{n}@uni.example", "Submitted", "", "6.00", "-", ""),
    ],
}


def expected(name: str, each: Awkward) -> str:
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
    evening = gradebook(name, EVENINGS[name])
    files = evening.download(handed(evening.identity, has_groups=name.startswith("gradescope")))
    download = zipped_class(files, tmp_path / "class.zip")
    roster = tmp_path / "roster.csv"
    lines = [f"{evening.identity(each.number)},{each.name},{each.group}" for each in ENROLLED]
    roster.write_text("\n".join(["id,name,group", *lines]) + "\n", encoding="utf-8")
    extensions = tmp_path / "extensions.csv"
    lines = [f"{evening.identity(e.number)},2024-09-28T12:00Z" for e in CLASS if e.extension]
    extensions.write_text("\n".join(["id,due", *lines]) + "\n", encoding="utf-8")
    due = (*evening.due, "--extensions", extensions) if evening.due else ()

    graded = course.ok("grade", download, "--assignment", "tiny", "--roster", roster, *due)
    assert f"{evening.identity(4212)} is not on the roster" in graded.err

    given = tmp_path / "book.csv"
    given.write_bytes(evening.written())
    out = tmp_path / "import.csv"
    done = course.ok("export", "reports/tiny", "--to", evening.to, "--gradebook", given, "-o", out)
    after = list(evening.read(out.read_bytes()).values())[-len(ENROLLED) :]
    marks = {each.number: row[evening.mark] for each, row in zip(ENROLLED, after, strict=True)}
    assert marks == {each.number: expected(name, each) for each in ENROLLED}
    assert [line for line in done.err.splitlines() if "has no row" in line and "4212" in line]
