"""Names, dates and people as platforms and packing programs write them now and then; a new platform
is one file.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.intake import platforms
from harness.intake.recognising import layout_names
from tests.conftest import Added
from tests.downloads import NOON, HandIn, canvas, gradescope, laid, program
from tests.intake.cohorts import by_id, cohort, refusal, source_of
from tests.intake.made_archives import zipped


def without_utf8_flag(names: dict[str, bytes]) -> bytes:
    """A zip archive whose names are these bytes, without the flag that says they are UTF-8."""
    stand_ins = {
        f"{number:03}".ljust(len(raw), "x"): raw for number, raw in enumerate(names.values())
    }
    data = zipped(
        [(stand_in, name.encode()) for stand_in, name in zip(stand_ins, names, strict=True)]
    )
    for stand_in, raw in stand_ins.items():
        assert data.count(stand_in.encode()) == 2
        data = data.replace(stand_in.encode(), raw)
    return data


NAMES = {
    "UTF-8": "Zoë Müller",
    "UTF-8, Chinese": "陈 伟",
    "cp1252": "Zoé Müller",
    "cp437": "Jürgen Nuñez",
    "ASCII": "Ann Lee",
}


@pytest.mark.parametrize(("how", "name"), NAMES.items(), ids=NAMES)
def test_names_in_a_zip_without_the_flag(how: str, name: str, tmp_path: Path) -> None:
    encoding = how.partition(",")[0]
    folder = f"{name}_4711_assignsubmission_file_/a1.py"
    other = "Bo Ek_4712_assignsubmission_file_/a1.py"
    path = tmp_path / "class.zip"
    path.write_bytes(
        without_utf8_flag({folder: folder.encode(encoding), other: other.encode(encoding)})
    )
    found = by_id(cohort(path))
    assert {one.student.name for one in found.values() if one.student} == {name, "Bo Ek"}


DATES = {
    "Sep 24, 2024 926 PM": (2024, 9, 24, 21, 26),
    "Sep 24, 2024 9:26 PM": (2024, 9, 24, 21, 26),
    "September 24, 2024 926 pm": (2024, 9, 24, 21, 26),
    "24 September, 2024 926 PM": (2024, 9, 24, 21, 26),
    "24 Sep 2024 9.26 p.m.": (2024, 9, 24, 21, 26),
    "4 Sept. 2024 12:05 am": (2024, 9, 4, 0, 5),
    "2024-09-24 2126": (2024, 9, 24, 21, 26),
    "2024-09-24 9_26 PM": (2024, 9, 24, 21, 26),
    "24 September 2024 21:26": (2024, 9, 24, 21, 26),
}


@pytest.mark.parametrize(("written", "at"), DATES.items(), ids=DATES)
def test_dates_of_brightspace(written: str, at: tuple[int, ...], tmp_path: Path) -> None:
    folders = {f"{n}-9 - Kim {n} - {written}/a1.py": b"" for n in (1, 2)}
    found = cohort(laid(folders, tmp_path / "class"), time_zone="UTC")
    assert found.facts.layouts == ("Brightspace",)
    shown = datetime(*at, tzinfo=UTC).isoformat()  # type: ignore[misc, arg-type]
    assert [one.handed_in for one in found.submissions] == [shown, shown]


@pytest.mark.parametrize(
    "written", ["Sep 31, 2024 926 PM", "2024-13-01 2126", "1 Sep 2024 1326 PM"]
)
def test_no_dates_of_brightspace(written: str, tmp_path: Path) -> None:
    folders = {f"{n}-9 - Kim {n} - {written}/a1.py": b"" for n in (1, 2)}
    assert cohort(laid(folders, tmp_path / "class")).facts.layouts == ("plain",)


OBJECTS = {
    "with a zone": (
        "!ruby/object:ActiveSupport::TimeWithZone\n"
        "    utc: 2024-09-24 12:00:00.000000000 Z\n"
        "    zone: !ruby/object:ActiveSupport::TimeZone\n      name: Australia/Brisbane\n"
        "    time: 2024-09-24 22:00:00.000000000 Z"
    ),
    "without one": "!ruby/object:ActiveSupport::TimeWithZone\n    utc: 2024-09-24 12:00:00",
}


@pytest.mark.parametrize("written", OBJECTS.values(), ids=OBJECTS)
def test_times_that_ruby_writes_as_objects(written: str, tmp_path: Path) -> None:
    files = gradescope([HandIn(id="1", name="Ada", files=program("x"), at=NOON)])
    (name,) = (name for name in files if name.endswith(".yml"))
    lines = files[name].decode().splitlines()
    (line,) = (line for line in lines if line.startswith("  :created_at: "))
    text = "\n".join(lines).replace(line, f"  :created_at: {written}") + "\n"
    path = laid({**files, name: text.encode()}, tmp_path / "class")
    (found,) = cohort(path, due="2024-09-24T12:00Z").submissions
    assert (found.withheld, found.handed_in) == (None, "2024-09-24T12:00:00+00:00")


def test_canvas_names_its_test_student(tmp_path: Path) -> None:
    handed = [
        HandIn(id="1", name="Ada Park", files=program("x")),
        HandIn(id="106", name="Test Student", files=program("y")),
    ]
    found = cohort(laid(canvas(handed), tmp_path / "class"))
    assert found.notices == ("106 is Canvas's test student, not a person",)


def class_of(tmp_path: Path, *ids: str) -> Path:
    handed = [HandIn(id=each, name=f"K{each}", files=program("x"), at=NOON) for each in ids]
    return laid(gradescope(handed), tmp_path / "class")


def test_an_extension_of_somebody_who_is_not_here_stops_nobody(tmp_path: Path) -> None:
    extensions = tmp_path / "extensions.csv"
    extensions.write_text("id,due\n9,2024-09-26T12:00Z\n1,2024-09-26T12:00Z\n")
    found = cohort(class_of(tmp_path, "1", "2"), due="2024-09-24T11:00Z", extensions=extensions)
    assert found.notices == (
        f"{extensions}:2: there is no student 9, so the extension is not used",
    )
    assert by_id(found)["1"].withheld is None


def test_an_extension_before_the_time_due_is_a_slip(tmp_path: Path) -> None:
    extensions = tmp_path / "extensions.csv"
    extensions.write_text("id,due\n1,2024-09-23T12:00Z\n")
    assert refusal(class_of(tmp_path, "1"), due="2024-09-24T11:00Z", extensions=extensions) == (
        f"{extensions}:2: the extension of 1 ends before the time due for all. "
        "Hint: correct it, or leave the line out"
    )


@pytest.mark.parametrize(
    ("zone", "due"),
    [("Europe/Berlin", "2024-03-31T02:30"), ("Australia/Sydney", "2024-10-06T02:00")],
)
def test_a_time_due_that_a_spring_night_leaves_out(zone: str, due: str, tmp_path: Path) -> None:
    assert refusal(class_of(tmp_path, "1"), due=due, time_zone=zone) == (
        f"--due: '{due}' does not exist in {zone}: summer time begins. "
        "Hint: write the time an hour later, or with its offset"
    )


TOY = '''
"""A toy: `<id>@<file>`."""

import re

from harness.intake.platforms import Layout, Times
from harness.intake.uploads import attempt_at, student, students_of, upload_of


def _read(place, named, assignment):
    pieces = []
    for each in named:
        attempt = attempt_at(place, each.entry, each.match["file"], each.entry.name)
        pieces.append(upload_of(student(each.match["who"]), attempt))
    return students_of(pieces)


LAYOUT = Layout(
    name="Toy",
    order=50,
    example="1234@a1.py",
    times=Times.NONE,
    match=lambda entry: re.fullmatch("(?P<who>.+)@(?P<file>.+)", entry.name),
    read=_read,
)
'''


@pytest.fixture
def toy(added: Added) -> Iterator[None]:
    added(platforms, "toy", TOY)
    platforms.known_layouts.cache_clear()
    yield
    platforms.known_layouts.cache_clear()


@pytest.mark.usefixtures("toy")
def test_a_platform_is_one_file(tmp_path: Path) -> None:
    download = tmp_path / "download"
    download.mkdir()
    for who in ("7", "8"):
        (download / f"{who}@a1.py").write_text(who)
    assert "toy" in layout_names()
    for asked in (None, "toy"):
        found = cohort(download, layout=asked)
        assert found.facts.layouts == ("Toy",)
        assert {name: source_of(each) for name, each in by_id(found).items()} == {
            "7": "7",
            "8": "8",
        }


def test_the_platforms_that_are_known() -> None:
    in_order = ["Gradescope", "Moodle", "Blackboard", "Brightspace", "Canvas"]
    assert [layout.name for layout in platforms.known_layouts()] == in_order
    assert layout_names() == (*sorted(map(str.lower, in_order)), "plain")
