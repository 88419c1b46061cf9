"""Times due against times of handing in: zones, summer time, extensions. What people decided about
submissions that are held is done by the next grading. Which attempt is graded where a course takes
late work, and the slip days that are left."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from harness.intake.pipeline import read_cohort
from harness.intake.terms import ClassOptions
from harness.model.assignment import LatePolicy, OtherFiles, Period, TimeUnit
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
from tests.intake.cohorts import A1, by_id, cohort, lay, refusal, source_of, table, told, withheld

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
    attempts = [one(DUE + timedelta(hours=n), f"at {n}") for n in (-2, -1, 1, 2)]
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


def test_a_late_submission_has_its_delay_and_no_files(tmp_path: Path) -> None:
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


def test_an_extension_of_a_group_member_applies_only_to_that_member(tmp_path: Path) -> None:
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
        "Canvas gives no times: submissions marked LATE there are late, and --due has no effect",
    )
    without = by_id(cohort(path))
    assert (without["1"].withheld, without["1"].notes) == (None, ("marked late by its platform",))


def test_two_attempts_at_one_time_are_for_a_person(tmp_path: Path) -> None:
    monday = laid(moodle([one(DUE, "monday's")]), tmp_path / "monday")
    tuesday = laid(moodle([one(DUE, "tuesday's")]), tmp_path / "tuesday")
    (found,) = read_cohort((monday, tuesday), A1, ClassOptions()).submissions
    assert found.withheld is Withheld.NEEDS_REVIEW
    assert found.notes == ("the download does not say which of two attempts is the later one",)
    names = [file.name for file in found.choices]
    assert names == ["attempt 1: a1.py", "attempt 2: a1.py"]
    chosen = {found.id: (Decision(kind=DecisionKind.CHOOSE, value=names[1]),)}
    (found,) = read_cohort((monday, tuesday), A1, ClassOptions(), chosen).submissions
    assert (found.withheld, source_of(found)) == (None, "tuesday's")
    assert found.notes == ("a person chose attempt 2: a1.py",)


@pytest.mark.parametrize("build", [gradescope, canvas, brightspace, blackboard])
def test_an_attempt_counts_once(tmp_path: Path, build: Callable[[Sequence[HandIn]], Files]) -> None:
    first = laid(build([one(DUE), one(DUE, name="2")]), tmp_path / "first")
    again = laid(build([one(DUE), one(DUE, name="2")]), tmp_path / "again")
    found = read_cohort((first, again), A1, ClassOptions())
    assert [each.withheld for each in found.submissions] == [None, None]
    assert (found.facts.submissions, found.facts.students) == (2, 2)


def test_two_files_of_one_name_in_one_attempt(tmp_path: Path) -> None:
    files = {"kim_1_8_a1.py": b"one", "kim_1_9_a1.py": b"other"}
    (found,) = cohort(laid(files, tmp_path / "class")).submissions
    assert found.problem == "found 2 files named a1.py"


WRONG: dict[str, object] = {
    "--due: '2024-09-24T17:00' has no time zone. Hint: write it as 2024-09-24T17:00+10:00, or name "
    "a --time-zone": {"due": "2024-09-24T17:00"},
    "--due: '2024-09-24' is a day without a time. Hint: write it as 2024-09-24T17:00+10:00, or "
    "name a --time-zone": {"due": "2024-09-24", "time_zone": "UTC"},
    "--due: 'tomorrow' is not a time. "
    "Hint: write it as 2024-09-24T17:00+10:00, or name a --time-zone": {"due": "tomorrow"},
    "--due: '9999-12-31T23:59-10:00' is not a time. Hint: write it as 2024-09-24T17:00+10:00, or "
    "name a --time-zone": {"due": "9999-12-31T23:59-10:00"},
    "--time-zone: unknown time zone 'Brisbane'. Hint: write one like Australia/Brisbane": {
        "time_zone": "Brisbane"
    },
    "--extensions: extensions need a due time, and there is none. Hint: add --due": {
        "extensions": Path("x.csv")
    },
    "{path}: these times have no time zone. Hint: add --time-zone Australia/Brisbane (or yours)": {
        "due": "2024-09-24T17:00Z"
    },
}


@pytest.mark.parametrize(("asked", "line"), told(WRONG))
def test_terms_that_do_not_fit_the_download_are_refused(
    tmp_path: Path, asked: dict[str, object], line: str
) -> None:
    path = laid(brightspace([one(DUE)]), tmp_path / "class")
    assert refusal(path, **asked) == line.format(path=path)


@pytest.mark.usefixtures("no_zones")
def test_a_machine_without_zones_is_told_how_to_get_them(tmp_path: Path) -> None:
    path = laid(brightspace([one(DUE)]), tmp_path / "class")
    assert refusal(path, time_zone="Australia/Brisbane") == (
        "--time-zone: unknown time zone 'Australia/Brisbane'. "
        "Hint: no time zone is known on this machine: pip install tzdata"
    )


def test_a_download_without_times_cannot_be_held_to_any(tmp_path: Path) -> None:
    path = laid(moodle([one(DUE)]), tmp_path / "class")
    assert refusal(path, due="2024-09-24T17:00Z") == (
        f"{path}: a download from Moodle does not say when anything was handed in, so --due cannot "
        "be applied. Hint: add --roster with a column handed_in, or leave out --due"
    )


EXTENSIONS: dict[str, object] = {
    ":3: unknown student 9. ": "id,due\n\n9,2024-09-24T18:00Z\n",
    ":1: the column id is missing. ": "student,due\n",
    ": is empty": "",
    ":2: '' is not a time. ": "id,due\n1,\n",
    ":2: the id is missing. ": "id,due\n,2024-09-24T18:00Z\n",
    ":3: the id 1 is repeated here, after ": "id,due\n1,2024-09-24T18:00Z\n1,2024-09-24T19:00Z\n",
    ":2: 2 students are called team@x. ": "id,due\nteam@x,2024-09-24T18:00Z\n",
}


@pytest.mark.parametrize(("text", "line"), told(EXTENSIONS))
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


def test_a_held_submission_lists_the_files_to_choose_from(folder: Path) -> None:
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
    assert (ada.problem, ada.notes) == ("", ("a person chose new.py",))
    assert len(ada.choices) == 2


NOTHING = {"a file that is gone": ("choose", "gone.py"), "an excuse": ("excuse", "ill")}


@pytest.mark.parametrize("decided", NOTHING.values(), ids=NOTHING)
def test_a_decision_of_no_file_leaves_it_held(folder: Path, decided: tuple[str, str]) -> None:
    ada, *_ = read(folder, ada=decided)
    assert ada.withheld is Withheld.NEEDS_REVIEW


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    return table(tmp_path, "id,name,email\nben,Ben,\n7,Zoe,zoe@uni.example\n")


def test_whose_a_submission_is(folder: Path, roster: Path) -> None:
    assert [each.id for each in read(folder, roster)] == ["7", "ada", "ben", "cid"]
    *others, cid = read(folder, roster, cid=("match", "7"))
    assert [each.id for each in others] == ["ada", "ben"]
    assert (cid.student.id, cid.student.name, cid.student.email) == ("7", "Zoe", "zoe@uni.example")
    assert "assigned by a person" in cid.notes


def test_whose_it_is_is_looked_for_on_the_roster(folder: Path, roster: Path) -> None:
    def notices(student: str) -> tuple[str, ...]:
        match = Decision(kind=DecisionKind.MATCH, value=student)
        found = read_cohort((folder,), REVIEWED, ClassOptions(roster=roster), {"cid": (match,)})
        return found.notices[1:]

    assert notices("4711") == ("4711, to whom cid is assigned, is not on the roster",)
    assert notices("BEN") == notices("7") == notices("zoe@uni.example") == ()


def test_a_submission_can_be_matched_with_an_unlisted_student(folder: Path) -> None:
    _, ben, _ = read(folder, ben=("match", "4711"))
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


POLICY = LatePolicy(
    rate=Fraction(1, 10),
    grace=Period(count=15, unit=TimeUnit.MINUTE),
    until=Period(count=2, unit=TimeUnit.DAY),
)
LATEST = replace(POLICY, latest=True)
SLIP = replace(POLICY, until=None, slip_days=3)
ASKED = {"due": "2024-09-24T17:00Z", "time_zone": "UTC"}
EARLY, LATER, AFTER_THAT, TOO_LATE = -60, 60, 24 * 60 + 1, 3 * 24 * 60  # minutes after it


def selected(path: Path, policy: LatePolicy = POLICY, **asked: object) -> Submission:
    (found,) = cohort(path, replace(A1, late=policy), **{**ASKED, **asked}).submissions
    return found


# Of the attempts at these minutes after the due time: the one that is graded, what that costs in
# percent, and what is said.
ATTEMPTS: dict[str, tuple[LatePolicy, Sequence[int], tuple[int, int, str]]] = {
    "in time, though one is late": (
        *(POLICY, (EARLY, LATER), (EARLY, 0, "1 later attempt came in after the due time")),
    ),
    "the latest, though one is in time": (LATEST, (EARLY, LATER), (LATER, 10, "")),
    "the latest that is taken": (
        LATEST,
        (LATER, AFTER_THAT, TOO_LATE),
        (AFTER_THAT, 20, "1 later attempt came in after the end of the time for late work"),
    ),
    "the latest of late ones": (POLICY, (LATER, AFTER_THAT), (AFTER_THAT, 20, "")),
    "in the time of grace": (
        *(POLICY, (EARLY, 15, LATER), (15, 0, "1 later attempt came in after the due time")),
    ),
}


@pytest.mark.parametrize(("policy", "minutes", "expected"), ATTEMPTS.values(), ids=ATTEMPTS)
def test_which_attempt_is_graded(
    tmp_path: Path, policy: LatePolicy, minutes: Sequence[int], expected: tuple[int, int, str]
) -> None:
    attempts = [one(DUE + timedelta(minutes=each), str(each)) for each in minutes]
    found = selected(laid(brightspace(attempts), tmp_path / "class"), policy)
    percent = found.late.share * 100 if found.late else 0
    assert (int(source_of(found)), percent, "; ".join(found.notes)) == expected
    assert found.withheld is None


def test_later_submissions_are_late(tmp_path: Path) -> None:
    found = selected(laid(brightspace([one(DUE + timedelta(days=3))]), tmp_path / "class"))
    assert (found.withheld, found.late, found.files) == (Withheld.LATE, None, ())


def test_an_extension_is_what_lateness_is_counted_from(tmp_path: Path) -> None:
    path = laid(gradescope([one(DUE + timedelta(hours=25))]), tmp_path / "class")
    found = selected(path, extensions=table(tmp_path, "id,due\n1,2024-09-25T17:00\n"))
    assert (found.late.due, found.late.share) == ("2024-09-25T17:00:00+00:00", Fraction(1, 10))


def test_canvas_marks_late_files_without_a_time(tmp_path: Path) -> None:
    handed = [HandIn(id="1", name="Kim", files=program("x"), late=True)]
    path = laid(canvas(handed), tmp_path / "class")
    found = selected(path)
    why = "it is marked late, and its download has no time that says how late"
    assert (found.withheld, found.notes) == (Withheld.NEEDS_REVIEW, (why,))
    found = selected(path, roster=table(tmp_path, "id,handed in\n1,2024-09-24T18:00\n"))
    assert (found.withheld, found.late and found.late.share) == (None, Fraction(1, 10))
    in_time = [HandIn(id="1", name="Kim", files=program("x")), *handed]
    path = laid(canvas(in_time), tmp_path / "both")
    assert (selected(path).withheld, selected(path).late) == (None, None)
    assert selected(path, LATEST).withheld is Withheld.NEEDS_REVIEW


def test_an_earlier_attempt_that_the_export_lacks_is_for_a_person(tmp_path: Path) -> None:
    attempts = [one(DUE - timedelta(hours=1)), one(DUE + timedelta(hours=1))]
    path = laid(gradescope(attempts), tmp_path / "class")
    assert selected(path).withheld is Withheld.NEEDS_REVIEW
    assert selected(path, LATEST).late is not None


USED = {
    "nothing": ((), (3, 0)),
    "one, by id": (("id,slip days\n1,1\n",), (2, 10)),
    "by email": (("email,slip days\nKIM@x.edu,2\n",), (1, 20)),
    "as a report has it": (
        *(("id,student,name,email,slip days\n2,2,Bo,,3\n1,1,Kim,kim@x.edu,1\n",), (2, 10)),
    ),
    "several rows and files": (
        *(("id,slip days\n1,1\n1,1\n2,3\n", "id;slip days\n1;\n"), (1, 20)),
    ),
    "more than there are": (("id,slip days\n1,9\n",), (0, 30)),
}


@pytest.mark.parametrize(("files", "cost"), USED.values(), ids=USED)
def test_slip_days_used_before_are_counted(
    tmp_path: Path, files: Sequence[str], cost: tuple[int, int]
) -> None:
    at = DUE + timedelta(days=2, hours=1)
    handed = [
        HandIn(id="1", name="Kim", email="kim@x.edu", files=program("x"), at=at),
        HandIn(id="2", name="Bo", files=program("y"), at=DUE),
    ]
    path = laid(gradescope(handed), tmp_path / "class")
    paths = tuple(table(tmp_path, text, f"{number}.csv") for number, text in enumerate(files))
    class_ = cohort(path, replace(A1, late=SLIP), **ASKED, slip_days=paths)
    late = by_id(class_)["1"].late
    assert (late.slip_days, late.share * 100) == cost
    said = "slip days: without --slip-days, no earlier use is counted"
    assert class_.notices == (() if files else (said,))


def test_each_of_a_group_has_slip_days(tmp_path: Path) -> None:
    at = DUE + timedelta(hours=25)
    group = HandIn(id="1", name="A", files=program(""), at=at, others=(("2", "B", ""),))
    used = table(tmp_path, "id,slip days\n2,2\n")
    path = laid(gradescope([group]), tmp_path / "class")
    found = by_id(cohort(path, replace(A1, late=SLIP), **ASKED, slip_days=(used,)))
    costs = {
        name: (each.late.slip_days, each.late.share) for name, each in found.items() if each.late
    }
    assert costs == {"1": (2, 0), "2": (1, Fraction(1, 10))}


REFUSED: dict[str, object] = {
    ":1: the column slip days is missing. Hint: begin with a line id,slip days": "id,days\n1,2\n",
    ":2: the id is missing. Hint: write id,slip days in each line": "id,slip days\n,2\n",
    ":2: '-1' is not a number of days. Hint: write a whole number": "id,slip days\n1,-1\n",
    ":2: nobody on this list is a student of this class, for example 8. Hint: write ids or "
    "emails of this class": "id,slip days\n8,1\n9,1\n",
    ":2: 2 students are called team@x. "
    "Hint: write the id of the right one": "id,slip days\nteam@x,1\n",
}


@pytest.mark.parametrize(("text", "line"), told(REFUSED))
def test_slip_days_that_cannot_be_used(tmp_path: Path, text: str, line: str) -> None:
    handed = [HandIn(id=n, name=n, files=program(""), at=DUE, email="team@x") for n in ("1", "2")]
    path = laid(gradescope(handed), tmp_path / "class")
    used = table(tmp_path, text)
    assert refusal(path, replace(A1, late=SLIP), **ASKED, slip_days=(used,)) == f"{used}{line}"


def test_slip_days_of_a_report_without_any(tmp_path: Path) -> None:
    report = tmp_path / "a0"
    report.mkdir()
    (report / "marks.csv").write_text("id,student,mark\n1,1,2\n")
    path = laid(moodle([one(datetime(2024, 9, 24))]), tmp_path / "class")
    assert refusal(path, replace(A1, late=SLIP), **ASKED, slip_days=(report,)) == (
        f"{report / 'marks.csv'}:1: the column slip days is missing. "
        "Hint: leave it out: its assignment has no slip days"
    )
    nothing = (
        "--slip-days: this assignment allows no slip days. Hint: add --due, and to assignment.yaml "
    )
    for policy in (POLICY, None):
        said = refusal(path, replace(A1, late=policy), **ASKED, slip_days=(report,))
        assert said == f"{nothing}late: {{slip_days: 4}}"
