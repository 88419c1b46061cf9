"""Times due against times of handing in: zones, summer time, extensions. What people decided about
submissions that are held is done by the next grading."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness.intake.pipeline import read_cohort
from harness.intake.terms import ClassOptions
from harness.model.assignment import OtherFiles
from harness.model.result import Decision, DecisionKind
from harness.model.submission import Submission, Withheld
from tests.downloads import (
    Files,
    HandIn,
    blackboard,
    brightspace,
    canvas,
    gradescope,
    laid,
    moodle,
    program,
)
from tests.intake.cohorts import A1, by_id, cohort, lay, refusal, source_of, table, withheld

DUE = datetime(2024, 9, 24, 17, 0, tzinfo=UTC)
IN_TIME, LATE = None, Withheld.LATE


def clock(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


def one(at: datetime, source: str = "x", name: str = "1") -> HandIn:
    return HandIn(id=name, name=f"Kim {name}", files=program(source), at=at)


BRISBANE, BERLIN = "Australia/Brisbane", "Europe/Berlin"
# Each as the wall clock of the course shows it, and the due time as it is typed.
CLOCKS = {
    "on the dot": (BRISBANE, (2024, 9, 24, 17, 0, 0), "2024-09-24T17:00", IN_TIME),
    "a second late": (BRISBANE, (2024, 9, 24, 17, 0, 1), "2024-09-24T17:00", LATE),
    "due in another zone": (BRISBANE, (2024, 9, 24, 17, 0, 0), "2024-09-24T07:00Z", IN_TIME),
    "a minute late there": (BRISBANE, (2024, 9, 24, 17, 1, 0), "2024-09-24T07:00Z", LATE),
    "in summer": (BERLIN, (2024, 7, 1, 12, 0, 0), "2024-07-01T10:00Z", IN_TIME),
    "not yet in winter": (BERLIN, (2024, 1, 1, 12, 0, 0), "2024-01-01T10:59Z", LATE),
    "in winter": (BERLIN, (2024, 1, 1, 12, 0, 0), "2024-01-01T11:00Z", IN_TIME),
    # 02:30 comes twice, at 00:30Z and 01:30Z: nobody is late by it.
    "the hour that comes twice": (BERLIN, (2024, 10, 27, 2, 30, 0), "2024-10-27T00:30Z", IN_TIME),
    "due in the hour that comes twice": (
        BERLIN,
        (2024, 10, 27, 2, 50, 0),
        "2024-10-27T02:40",
        IN_TIME,
    ),
    "after both of them": (BERLIN, (2024, 10, 27, 3, 0, 0), "2024-10-27T02:40", LATE),
    # 02:30 never comes: the clock went from 02:00 (01:00Z) to 03:00.
    "the hour that never comes": (BERLIN, (2024, 3, 31, 2, 30, 0), "2024-03-31T01:30Z", IN_TIME),
}


@pytest.mark.parametrize(("zone", "at", "due", "withheld"), CLOCKS.values(), ids=CLOCKS.keys())
def test_a_wall_clock_is_the_courses(
    tmp_path: Path, zone: str, at: tuple[int, ...], due: str, withheld: Withheld | None
) -> None:
    path = laid(blackboard([one(clock(*at))]), tmp_path / "class")
    (found,) = cohort(path, due=due, time_zone=zone).submissions
    assert found.withheld is withheld


def test_the_latest_attempt_in_time_is_graded(tmp_path: Path) -> None:
    hours = (-2, -1, 1, 2)
    attempts = [one(DUE + timedelta(hours=n), f"at {n}") for n in hours]
    for build in (brightspace, blackboard):
        path = laid(build(attempts[::-1]), tmp_path / build.__name__)
        (found,) = cohort(path, due="2024-09-24T17:00Z", time_zone="UTC").submissions
        assert source_of(found) == "at -1"
        assert (found.attempt, found.attempts, found.withheld) == (2, 4, None)
        assert found.notes == ("2 later attempts came in after the due time",)
        (found,) = cohort(path, time_zone="UTC").submissions
        assert (source_of(found), found.attempt, found.notes) == ("at 2", 4, ())
        assert found.handed_in == "2024-09-24T19:00:00+00:00"
        (found,) = cohort(path).submissions
        assert found.handed_in == "2024-09-24T19:00:00"


def test_late_says_by_how_much_and_has_no_files(tmp_path: Path) -> None:
    path = laid(gradescope([one(DUE + timedelta(minutes=5))]), tmp_path / "class")
    (found,) = cohort(path, due="2024-09-24T17:00+00:00").submissions
    assert (found.withheld, found.files, found.problem) == (Withheld.LATE, (), "")
    assert found.notes == ("handed in 2024-09-24T17:05:00+00:00, due 2024-09-24T17:00:00+00:00",)


def test_extensions_are_by_id_or_email(tmp_path: Path) -> None:
    late = DUE + timedelta(hours=1)
    handed = [
        HandIn(id=str(n), name=f"K{n}", files=program(""), at=late, email=f"K{n}@Example.edu")
        for n in range(4)
    ]
    path = laid(gradescope(handed), tmp_path / "class")
    extensions = table(
        tmp_path,
        "ID;Due\n1;2024-09-24T18:00Z\nk2@example.edu;2024-09-24T19:00+01:00\n3;2024-09-24T17:59\n",
    )
    found = by_id(cohort(path, due="2024-09-24T17:00Z", extensions=extensions, time_zone="UTC"))
    assert withheld(found) == {"0": LATE, "1": IN_TIME, "2": IN_TIME, "3": LATE}


def test_an_extension_of_one_of_a_group_is_theirs_alone(tmp_path: Path) -> None:
    late = DUE + timedelta(hours=1)
    handed = [HandIn(id="1", name="A", files=program(""), at=late, others=(("2", "B", ""),))]
    extensions = table(tmp_path, "id,due\n2,2024-09-24T18:00Z\n")
    path = laid(gradescope(handed), tmp_path / "class")
    found = by_id(cohort(path, due="2024-09-24T17:00Z", extensions=extensions))
    assert (found["1"].withheld, found["2"].withheld) == (LATE, IN_TIME)


def test_canvas_is_late_by_its_own_word(tmp_path: Path) -> None:
    handed = [
        HandIn(id=str(n), name=f"K{n}", files=program(str(n)), late=n in (1, 2)) for n in range(4)
    ]
    path = laid(canvas(handed), tmp_path / "class")
    extensions = table(tmp_path, "id,due\n2,2024-09-25T17:00Z\n3,2024-09-25T17:00Z\n")
    found = cohort(path, due="2024-09-24T17:00Z", extensions=extensions)
    assert withheld(by_id(found)) == {
        "0": IN_TIME,
        "1": LATE,
        "2": Withheld.NEEDS_REVIEW,
        "3": IN_TIME,
    }
    assert found.notices == (
        "Canvas gives no times: late is what it marked LATE by its own due time, not by --due",
    )
    without = by_id(cohort(path))
    assert (without["1"].withheld, without["1"].notes) == (None, ("marked late by its platform",))


def test_two_attempts_at_one_time_are_for_a_person(tmp_path: Path) -> None:
    monday = laid(moodle([one(DUE, "monday's")]), tmp_path / "monday")
    tuesday = laid(moodle([one(DUE, "tuesday's")]), tmp_path / "tuesday")
    (found,) = read_cohort((monday, tuesday), A1, ClassOptions()).submissions
    assert found.withheld is Withheld.NEEDS_REVIEW
    assert found.notes == ("of two attempts nothing tells which is the later",)
    names = [file.name for file in found.choices]
    assert names == ["attempt 1: a1.py", "attempt 2: a1.py"]
    chosen = {found.id: (Decision(kind=DecisionKind.CHOOSE, value=names[1]),)}
    (found,) = read_cohort((monday, tuesday), A1, ClassOptions(), chosen).submissions
    assert (found.withheld, source_of(found)) == (None, "tuesday's")
    assert found.notes == ("a person chose attempt 2: a1.py",)


@pytest.mark.parametrize("build", [gradescope, canvas, brightspace, blackboard])
def test_an_attempt_in_two_downloads_counts_once(
    tmp_path: Path, build: Callable[[Sequence[HandIn]], Files]
) -> None:
    first = laid(build([one(DUE), one(DUE, name="2")]), tmp_path / "first")
    again = laid(build([one(DUE), one(DUE, name="2")]), tmp_path / "again")
    found = read_cohort((first, again), A1, ClassOptions())
    assert [each.withheld for each in found.submissions] == [None, None]
    assert (found.facts.submissions, found.facts.students) == (2, 2)


def test_two_files_of_one_name_in_one_attempt(tmp_path: Path) -> None:
    files = {"kim_1_8_a1.py": b"one", "kim_1_9_a1.py": b"other"}
    (found,) = cohort(laid(files, tmp_path / "class")).submissions
    assert found.problem == "found 2 files named a1.py"


WRONG = {
    "no zone": (
        {"due": "2024-09-24T17:00"},
        "--due: '2024-09-24T17:00' has no zone. Hint: write it as 2024-09-24T17:00+10:00, "
        "or name a --time-zone",
    ),
    "no time": (
        {"due": "2024-09-24", "time_zone": "UTC"},
        "--due: '2024-09-24' is a day without a time. Hint: write it as "
        "2024-09-24T17:00+10:00, or name a --time-zone",
    ),
    "no time at all": (
        {"due": "tomorrow"},
        "--due: 'tomorrow' is not a time. Hint: write it as 2024-09-24T17:00+10:00, "
        "or name a --time-zone",
    ),
    "no time that can be compared": (
        {"due": "9999-12-31T23:59-10:00"},
        "--due: '9999-12-31T23:59-10:00' is not a time. Hint: write it as 2024-09-24T17:00+10:00, "
        "or name a --time-zone",
    ),
    "no such zone": (
        {"time_zone": "Brisbane"},
        "--time-zone: there is no time zone 'Brisbane'. Hint: write one like Australia/Brisbane",
    ),
    "extensions of nothing": (
        {"extensions": Path("x.csv")},
        "--extensions: extensions are of a due time, and there is none. Hint: add --due",
    ),
    "clock times of no zone": (
        {"due": "2024-09-24T17:00Z"},
        "{path}: the times here have no zone. Hint: add --time-zone Australia/Brisbane (or yours)",
    ),
}


@pytest.mark.parametrize(("asked", "line"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_held_to(tmp_path: Path, asked: dict[str, object], line: str) -> None:
    path = laid(brightspace([one(DUE)]), tmp_path / "class")
    assert refusal(path, **asked) == line.format(path=path)


@pytest.mark.usefixtures("no_zones")
def test_a_machine_without_zones_is_told_how_to_get_them(tmp_path: Path) -> None:
    path = laid(brightspace([one(DUE)]), tmp_path / "class")
    assert refusal(path, time_zone="Australia/Brisbane") == (
        "--time-zone: there is no time zone 'Australia/Brisbane'. "
        "Hint: no time zone is known on this machine: pip install tzdata"
    )


def test_a_download_without_times_cannot_be_held_to_any(tmp_path: Path) -> None:
    path = laid(moodle([one(DUE)]), tmp_path / "class")
    assert refusal(path, due="2024-09-24T17:00Z") == (
        f"{path}: a download from Moodle does not say when anything was handed in, so --due cannot "
        "be held to. Hint: add --roster with a column handed_in, or leave out --due"
    )


EXTENSIONS = {
    "an unknown id": ("id,due\n\n9,2024-09-24T18:00Z\n", ":3: there is no student 9. "),
    "no column": ("student,due\n", ":1: there is no column id. "),
    "nothing in it": ("", ": is empty"),
    "no due time": ("id,due\n1,\n", ":2: '' is not a time. "),
    "no id": ("id,due\n,2024-09-24T18:00Z\n", ":2: there is no id. "),
    "an id twice": (
        "id,due\n1,2024-09-24T18:00Z\n1,2024-09-24T19:00Z\n",
        ":3: the id 1 is here again, after ",
    ),
    "two students": ("id,due\nteam@x,2024-09-24T18:00Z\n", ":2: 2 students are called team@x. "),
}


@pytest.mark.parametrize(("text", "line"), EXTENSIONS.values(), ids=EXTENSIONS.keys())
def test_extensions_that_cannot_be_used(tmp_path: Path, text: str, line: str) -> None:
    handed = [
        HandIn(id=str(n), name=f"K{n}", files=program(""), at=DUE, email="team@x") for n in (1, 2)
    ]
    path = laid(gradescope(handed), tmp_path / "class")
    extensions = table(tmp_path, text)
    said = refusal(path, due="2024-09-24T17:00Z", extensions=extensions)
    assert said.startswith(f"{extensions}{line}")
    assert "Hint: " in said
    assert "\n" not in said


REVIEWED = replace(A1, otherwise=OtherFiles.REVIEW)
TREE = {
    "ada/old.py": "1",
    "ada/new.py": "2",
    "ada/notes.txt": "3",
    "ben/a1.py": "4",
    "cid/sub/mine.py": "5",
}


def read(folder: Path, roster: Path | None = None, **decided: tuple[str, str]) -> list[Submission]:
    decisions = {
        name: (Decision(kind=DecisionKind(kind), value=value),)
        for name, (kind, value) in decided.items()
    }
    return list(
        read_cohort((folder,), REVIEWED, ClassOptions(roster=roster), decisions).submissions
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay(tmp_path / "class", TREE)


def test_what_is_held_says_of_which_files_one_may_be_chosen(folder: Path) -> None:
    ada, ben, cid = read(folder)
    assert ada.withheld is cid.withheld is Withheld.NEEDS_REVIEW
    assert {file.name: file.data for file in ada.choices} == {"old.py": b"1", "new.py": b"2"}
    assert ben.choices == ()
    assert [file.name for file in cid.choices] == ["sub/mine.py"]


def test_the_file_that_was_chosen_is_graded(folder: Path) -> None:
    ada, _, cid = read(folder, ada=("choose", "new.py"), cid=("choose", "sub/mine.py"))
    assert (source_of(ada), source_of(cid)) == ("2", "5")
    assert ada.files[0].name == "a1.py"
    assert ada.withheld is None
    assert ada.problem == ""
    assert ada.notes == ("a person chose new.py",)
    assert len(ada.choices) == 2


NOTHING = {"a file that is gone": ("choose", "gone.py"), "an excuse": ("excuse", "ill")}


@pytest.mark.parametrize("decided", NOTHING.values(), ids=NOTHING)
def test_what_does_not_say_a_file_that_is_there_leaves_it_held(
    folder: Path, decided: tuple[str, str]
) -> None:
    ada, *_ = read(folder, ada=decided)
    assert ada.withheld is Withheld.NEEDS_REVIEW


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    return table(tmp_path, "id,name,email\nben,Ben,\n7,Zoe,zoe@uni.example\n")


def test_whose_a_submission_is(folder: Path, roster: Path) -> None:
    assert [each.id for each in read(folder, roster)] == ["7", "ada", "ben", "cid"]
    *others, cid = read(folder, roster, cid=("match", "7"))
    assert [each.id for each in others] == ["ada", "ben"]
    assert cid.student is not None
    assert (cid.student.id, cid.student.name, cid.student.email) == ("7", "Zoe", "zoe@uni.example")
    assert "a person said whose it is" in cid.notes


def test_whose_it_is_is_looked_for_on_the_roster(folder: Path, roster: Path) -> None:
    def notices(student: str) -> tuple[str, ...]:
        match = Decision(kind=DecisionKind.MATCH, value=student)
        found = read_cohort((folder,), REVIEWED, ClassOptions(roster=roster), {"cid": (match,)})
        return found.notices[1:]

    assert notices("4711") == ("4711, who is said to have handed in cid, is not on the roster",)
    assert notices("BEN") == notices("7") == notices("zoe@uni.example") == ()


def test_whose_it_is_may_be_somebody_whom_no_list_has(folder: Path) -> None:
    _, ben, _ = read(folder, ben=("match", "4711"))
    assert ben.student is not None
    assert (ben.id, ben.student.id, source_of(ben)) == ("ben", "4711", "4")


@pytest.mark.parametrize("other", ["ben", "dora"])
def test_two_submissions_of_one_student_are_held(folder: Path, other: str) -> None:
    """One whose own it is stays as it is; two of whom a person said it are both held."""
    ada, ben, cid = read(folder, ada=("match", other), cid=("match", "Dora"))
    held = {each.id: each.notes for each in (ada, ben, cid) if each.withheld}
    told = {"ada": f"{other} has another submission too"}
    told |= {"cid": "Dora has another submission too"} if other == "dora" else {}
    assert {name: text for name, text in told.items() if text in held[name]} == told
    assert ben.withheld is None
