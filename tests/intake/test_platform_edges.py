"""Names, dates and people as platforms and packing programs write them now and then; a new platform
is one file; archives that hold a whole class: what is wrong with them is one line, never a mark."""

import random
import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.intake import identifying, platforms, submissions
from harness.intake.archives.contents import unpacked
from harness.intake.caps import MIB, Caps
from harness.intake.entries import RefusedUpload
from harness.intake.recognising import layout_names
from harness.model.submission import Withheld
from tests.conftest import Added
from tests.downloads import (
    NOON,
    HandIn,
    canvas,
    gradescope,
    laid,
    moodle,
    plain_folders,
    program,
    tarred_class,
    zipped_class,
)
from tests.intake.cohorts import A1, by_id, cohort, refusal, source_of, table, told
from tests.intake.made_archives import (
    tarred_as,
    with_flag,
    zip_bomb,
    zipped,
    zipped_as,
    zipped_at,
)
from tests.tiny_course import Course, results


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
    # No dates, so no names of Brightspace.
    **dict.fromkeys(("Sep 31, 2024 926 PM", "2024-13-01 2126", "1 Sep 2024 1326 PM")),
}


@pytest.mark.parametrize(("written", "at"), DATES.items(), ids=DATES)
def test_dates_of_brightspace_are_read(
    written: str, at: tuple[int, ...] | None, tmp_path: Path
) -> None:
    folders = {f"{n}-9 - Kim {n} - {written}/a1.py": b"" for n in (1, 2)}
    found = cohort(laid(folders, tmp_path / "class"), time_zone="UTC")
    assert found.facts.layouts == ("Brightspace" if at else "plain",)
    shown = datetime(*at, tzinfo=UTC).isoformat() if at else ""  # type: ignore[misc, arg-type]
    assert [one.handed_in for one in found.submissions] == [shown, shown]


OBJECTS = {
    "with a zone": "!ruby/object:ActiveSupport::TimeWithZone\n"
    "    utc: 2024-09-24 12:00:00.000000000 Z\n    zone: !ruby/object:ActiveSupport::TimeZone\n"
    "      name: Australia/Brisbane\n    time: 2024-09-24 22:00:00.000000000 Z",
    "without one": "!ruby/object:ActiveSupport::TimeWithZone\n    utc: 2024-09-24 12:00:00",
}


@pytest.mark.parametrize("written", OBJECTS.values(), ids=OBJECTS)
def test_times_written_as_ruby_objects_are_read(written: str, tmp_path: Path) -> None:
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


def test_an_extension_for_an_unknown_student_is_ignored_with_a_notice(tmp_path: Path) -> None:
    extensions = table(tmp_path, "id,due\n9,2024-09-26T12:00Z\n1,2024-09-26T12:00Z\n")
    found = cohort(class_of(tmp_path, "1", "2"), due="2024-09-24T11:00Z", extensions=extensions)
    assert found.notices == (f"{extensions}:2: unknown student 9, so the extension is not used",)
    assert by_id(found)["1"].withheld is None


def test_an_extension_before_the_time_due_is_a_slip(tmp_path: Path) -> None:
    extensions = table(tmp_path, "id,due\n1,2024-09-23T12:00Z\n")
    assert refusal(class_of(tmp_path, "1"), due="2024-09-24T11:00Z", extensions=extensions) == (
        f"{extensions}:2: the extension of 1 ends before the due time of the class. "
        "Hint: correct it, or leave the line out"
    )


@pytest.mark.parametrize(
    ("zone", "due"),
    [("Europe/Berlin", "2024-03-31T02:30"), ("Australia/Sydney", "2024-10-06T02:00")],
)
def test_a_due_time_that_does_not_exist_is_refused(zone: str, due: str, tmp_path: Path) -> None:
    assert refusal(class_of(tmp_path, "1"), due=due, time_zone=zone) == (
        f"--due: '{due}' does not exist in {zone}: the clocks are put forward then. "
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


def test_a_platform_is_one_file(tmp_path: Path, added: Added) -> None:
    added(platforms, "toy", TOY)
    download = laid({"7@a1.py": b"7", "8@a1.py": b"8"}, tmp_path / "download")
    assert "toy" in layout_names()
    for asked in (None, "toy"):
        found = cohort(download, layout=asked)
        assert found.facts.layouts == ("Toy",)
        sources = {name: source_of(each) for name, each in by_id(found).items()}
        assert sources == {"7": "7", "8": "8"}


def test_the_platforms_that_are_known() -> None:
    in_order = ["Gradescope", "Moodle", "Blackboard", "Brightspace", "Canvas"]
    assert [layout.name for layout in platforms.known_layouts()] == in_order
    assert layout_names() == (*sorted(map(str.lower, in_order)), "plain")


TWO = [HandIn(id=name, name=name, files=program(name * 100)) for name in ("ada", "eve")]
HINT = "download it again, or unpack it yourself and name the folder"


def stored(folder: Path, data: bytes, name: str = "class.zip") -> Path:
    """A file that was downloaded."""
    (folder / name).write_bytes(data)
    return folder / name


def complaint(path: Path) -> str:
    line = refusal(path)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line.removeprefix(f"{path}: ").removesuffix(f". Hint: {HINT}")


HOSTILE: dict[str, object] = {
    "is not an archive, expected a zip or tar archive": [b"hello", b""],
    "is a RAR archive, expected a zip or tar archive": b"Rar!\x1a\x07\x01\x00",
}


@pytest.mark.parametrize(("data", "what"), told(HOSTILE))
def test_a_class_that_is_refused_whole(tmp_path: Path, data: bytes, what: str) -> None:
    assert complaint(stored(tmp_path, data)) == what


@pytest.mark.parametrize("share", [0.4, 0.9])
def test_of_a_download_that_was_cut_short_what_is_there_is_read(
    tmp_path: Path, share: float
) -> None:
    texts = {str(n): random.Random(n).randbytes(300).hex() for n in range(10, 30)}
    handed = [HandIn(id=id, name="K", files=program(text)) for id, text in texts.items()]
    files = moodle(handed)
    for path in (
        zipped_class(files, tmp_path / "class.zip"),
        tarred_class(files, tmp_path / "class.tar.gz"),
    ):
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])
        found = cohort(path)
        assert found.submissions
        for one in found.submissions:
            assert one.withheld or source_of(one) == texts[one.id]
        said = [line for line in found.notices if "broken or incomplete" in line]
        assert len(said) == 1
        assert said[0].startswith(str(path))


def test_a_download_of_which_nothing_can_be_read(tmp_path: Path) -> None:
    for path in (
        zipped_class(moodle(TWO), tmp_path / "class.zip"),
        tarred_class(moodle(TWO), tmp_path / "class.tar.gz"),
    ):
        path.write_bytes(path.read_bytes()[:20])
        assert "broken or incomplete" in complaint(path)


def test_one_damaged_member_costs_nobody_else_and_no_marks(tmp_path: Path) -> None:
    path = zipped_class(moodle(TWO), tmp_path / "class.zip")
    data = path.read_bytes()
    at = data.index(b"a1.py") + 8  # in the compressed bytes of the first
    path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
    found = cohort(path)
    assert sorted(each.withheld or "" for each in found.submissions) == ["", "needs_review"]
    (broken,) = (each for each in found.submissions if each.withheld)
    assert broken.problem == "a1.py is damaged"


def test_a_password_is_not_the_students_fault(tmp_path: Path) -> None:
    locked = with_flag(zipped([("ada/a1.py", b"a"), ("eve/a1.py", b"e")]), 1, member=0)
    found = by_id(cohort(stored(tmp_path, locked)))
    assert found["ada"].withheld is Withheld.NEEDS_REVIEW
    assert found["ada"].problem == "a1.py is locked with a password, expected a file without one"
    assert source_of(found["eve"]) == "e"


def test_links_in_a_class_are_not_followed(tmp_path: Path) -> None:
    link = zipped_as("ada/a1.py", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)
    (one,) = cohort(stored(tmp_path, link)).submissions
    assert one.problem == "a1.py is a symbolic link, which is not followed"
    (one,) = cohort(stored(tmp_path, tarred_as("ada/a1.py", b"3"), "class.tar")).submissions
    assert one.problem == "a1.py is a special file, not a file"


def test_one_students_bomb_is_that_students(tmp_path: Path) -> None:
    (one,) = cohort(stored(tmp_path, zip_bomb("ada/a1.py", declared=1024**3))).submissions
    assert (one.problem, one.withheld) == ("a1.py is larger than 512 KiB", None)


def test_more_than_can_be_listed_stops_a_class_only_if_nobody_is_to_blame(tmp_path: Path) -> None:
    caps = Caps(listed=40)
    even = zipped_class({f"{n}/a1.py": b"" for n in range(50)}, tmp_path / "even.zip")
    with pytest.raises(UserError, match="holds more than 40 files"), unpacked(even, caps):
        pass
    for name, around in (("plain.zip", ""), ("around.zip", "class/")):
        files = {f"{around}{n}/a1.py": b"" for n in range(5)}
        files |= {f"{around}3/x/{n}.txt": b"" for n in range(900)}
        with unpacked(zipped_class(files, tmp_path / name), caps) as place:
            (top,) = place.entries() if around else (place,)
            faults = {folder.name: folder.fault for folder in top.entries()}
        assert "files in one submission" in faults.pop("3")
        assert set(faults.values()) == {""}


def test_leftovers_of_tools_are_not_listed_one_by_one(tmp_path: Path) -> None:
    files = {f"{n}/a1.py": b"" for n in range(5)}
    files |= {f"3/node_modules/x/{n}.js": b"" for n in range(500)}
    with unpacked(zipped_class(files, tmp_path / "class.zip"), Caps(listed=40)) as place:
        assert [folder.fault for folder in place.entries()] == [""] * 5


def test_each_submission_has_its_own_share_of_what_is_read(tmp_path: Path) -> None:
    files = {f"{n}/{name}.py": bytes(5 * MIB) for n in range(2) for name in ("a1", "b")}
    packed = tarred_class(files, tmp_path / "large.tar", mode="w")
    with unpacked(packed, Caps(unpacked_bytes=8 * MIB)) as place:
        first, second = place.entries()
        one, other = first.entries()
        assert len(one.start(5 * MIB)) == 5 * MIB
        with pytest.raises(RefusedUpload, match="unpacks to more than 8 MiB") as caught:
            other.start(5 * MIB)
        assert caught.value.ours
        assert len(second.entries()[0].start(5 * MIB)) == 5 * MIB


def test_a_large_file_of_one_student_costs_nobody_else(tmp_path: Path) -> None:
    files = {"ada/a1.py": b"ada", "bob/film.mp4": bytes(70 * MIB), "eve/a1.py": b"eve"}
    found = by_id(cohort(tarred_class(files, tmp_path / "class.tar.gz")))
    assert [source_of(found[name]) for name in ("ada", "eve")] == ["ada", "eve"]
    assert found["bob"].problem


def test_a_member_that_begins_behind_the_end_costs_its_submission(tmp_path: Path) -> None:
    laid({"ada/a1.py": b"a", "eve/A1.zip": zipped_at("a1.py", 2**64 - 1)}, tmp_path / "class")
    found = by_id(cohort(tmp_path / "class", replace(A1, archive="A1.zip")))
    assert source_of(found["ada"]) == "a"
    assert found["eve"].problem == "a1.py in A1.zip is damaged"


def test_if_our_own_code_fails_on_a_submission_that_one_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_on_eve(data: bytes) -> None:
        if data == b"e":
            raise ZeroDivisionError("secret")

    monkeypatch.setattr(submissions, "kind_of_bytes", fails_on_eve)
    found = by_id(cohort(laid({"ada/a1.py": b"a", "eve/a1.py": b"e"}, tmp_path / "class")))
    assert source_of(found["ada"]) == "a"
    assert found["eve"].withheld is Withheld.NEEDS_REVIEW
    assert "ZeroDivisionError in harness/intake/submissions.py:" in found["eve"].problem
    assert "secret" not in found["eve"].problem


def test_thousands_of_files_in_one_folder(tmp_path: Path) -> None:
    handed = [HandIn(id=str(n), name=f"K{n}", files=program("")) for n in range(1, 1502)]
    assert len(cohort(laid(canvas(handed), tmp_path / "class")).submissions) == 1501
    assert len(cohort(zipped_class(canvas(handed), tmp_path / "class.zip")).submissions) == 1501


def test_more_than_can_be_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert identifying.MAX_SUBMISSIONS >= 10_000  # a department's night
    monkeypatch.setattr(identifying, "MAX_SUBMISSIONS", 20)
    handed = [HandIn(id=str(n), name=f"K{n}", files=program("")) for n in range(1, 22)]
    path = zipped_class(canvas(handed), tmp_path / "class.zip")
    assert complaint(path) == "more than 20 submissions"


def test_where_archives_are_handed_in_one_is_a_students(tmp_path: Path) -> None:
    a3 = replace(A1, archive="A3.zip")
    own = zipped([("a1.py", b"mine")])
    lone = stored(tmp_path, own, "ada.zip")
    found = by_id(cohort(lone, a3))
    assert source_of(found["ada"]) == "mine"
    theirs = [HandIn(id=n, name=n, files=(("A3.zip", own),)) for n in ("1", "2")]
    for number, build in enumerate((moodle, canvas, plain_folders)):
        found = by_id(cohort(zipped_class(build(theirs), tmp_path / f"class{number}.zip"), a3))
        assert {name: source_of(each) for name, each in found.items()} == {"1": "mine", "2": "mine"}
    lone.write_bytes(own[:40])
    assert by_id(cohort(lone, a3))["ada"].problem == "ada.zip is a broken or incomplete zip archive"


GRADED = {"ada": [], "folder": ["A1/a1.py was in a folder inside A1.zip"]}
PROBLEMS = {
    "nested": "found A1.zip (a zip archive) in A1.zip, expected a1.py",
    "password": "a1.py in A1.zip is locked with a password, expected a file without one",
    "rar": "found A1.rar (a RAR archive), expected A1.zip",
}


def test_each_has_its_verdict_and_the_batch_goes_on(course: Course) -> None:
    course.edit("specs/tiny/assignment.yaml", "[a1.py]}", "[a1.py], archive: A1.zip}")
    program = course.path("reference/tiny/a1.py").read_bytes()
    good = zipped([("a1.py", program)])
    files = {
        "ada/A1.zip": good,
        "folder/A1.zip": zipped([("A1/a1.py", program)]),
        "nested/A1.zip": zipped([("A1.zip", good)]),
        "password/A1.zip": with_flag(good, 1),
        "rar/A1.rar": b"Rar!\x1a\x07\x01\x00" + bytes(40),
    }
    laid(files, course.path("class"))
    outcome = course.run("grade", "class", "--assignment", "tiny")
    assert (outcome.status, outcome.err.count("Traceback")) == (0, 0)
    graded = results(course.report)
    assert graded["run"]["complete"] is True
    submissions = {each["id"]: each for each in graded["submissions"]}
    assert sorted(submissions) == sorted([*GRADED, *PROBLEMS])
    for name, notes in GRADED.items():
        found = submissions[name]
        assert (found["status"], found["mark"]) == ("graded", found["out_of"])
        assert found["notes"] == notes
    for name, problem in PROBLEMS.items():
        found = submissions[name]
        assert (found["status"], found["mark"], found["problem"]) == ("unreadable", 0.0, problem)
        page = (course.report / "submissions" / f"{name}.html").read_text(encoding="utf-8")
        assert problem in page


def test_a_module_that_is_not_taken_is_named(course: Course) -> None:
    program = course.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    imports = {
        "ada/a1.py": b"from util import twice\n" + program.encode(),
        "ada/util.py": b"twice = 2\n",
    }
    laid(imports, course.path("class"))
    outcome = course.run("grade", "class", "--assignment", "tiny")
    assert (outcome.status, outcome.err.count("Traceback")) == (0, 0)
    (ada,) = results(course.report)["submissions"]
    (cause,) = ada["causes"]
    assert cause["rule"] == "module_not_taken"
    said = "util.py was handed in, but only a1.py is graded"
    page = (course.report / "submissions" / "ada.html").read_text(encoding="utf-8")
    assert said in page
    for command in (
        ("show", str(course.report), "ada"),
        ("check", str(course.path("class/ada")), "--assignment", "tiny"),
    ):
        assert said in " ".join(course.run(*command).out.split())
