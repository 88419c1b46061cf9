"""Which attempt is graded where a course takes late work, and the slip days that are left."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from harness.model.assignment import LatePolicy, Period, TimeUnit
from harness.model.submission import Submission, Withheld
from tests.downloads import HandIn, brightspace, canvas, gradescope, laid, moodle, program
from tests.intake.cohorts import A1, by_id, cohort, refusal, source_of, table
from tests.intake.test_due_times import DUE, one

LATE = LatePolicy(
    rate=Fraction(1, 10),
    grace=Period(count=15, unit=TimeUnit.MINUTE),
    until=Period(count=2, unit=TimeUnit.DAY),
)
LATEST = replace(LATE, latest=True)
SLIP = replace(LATE, until=None, slip_days=3)
ASKED = {"due": "2024-09-24T17:00Z", "time_zone": "UTC"}
IN_TIME, LATER, AFTER_THAT, TOO_LATE = -60, 60, 24 * 60 + 1, 3 * 24 * 60  # minutes after it


def selected(path: Path, policy: LatePolicy = LATE, **asked: object) -> Submission:
    (found,) = cohort(path, replace(A1, late=policy), **{**ASKED, **asked}).submissions
    return found


# Of the attempts at these minutes after the due time: the one that is graded, what that costs in
# percent, and what is said.
ATTEMPTS: dict[str, tuple[LatePolicy, Sequence[int], tuple[int, int, str]]] = {
    "in time, though one is late": (
        *(LATE, (IN_TIME, LATER), (IN_TIME, 0, "1 later attempt came in after the due time")),
    ),
    "the latest, though one is in time": (LATEST, (IN_TIME, LATER), (LATER, 10, "")),
    "the latest that is taken": (
        LATEST,
        (LATER, AFTER_THAT, TOO_LATE),
        (AFTER_THAT, 20, "1 later attempt came in after the end of the time for late work"),
    ),
    "the latest of late ones": (LATE, (LATER, AFTER_THAT), (AFTER_THAT, 20, "")),
    "in the time of grace": (
        *(LATE, (IN_TIME, 15, LATER), (15, 0, "1 later attempt came in after the due time")),
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


def test_what_is_later_than_that_is_late(tmp_path: Path) -> None:
    found = selected(laid(brightspace([one(DUE + timedelta(days=3))]), tmp_path / "class"))
    assert (found.withheld, found.late, found.files) == (Withheld.LATE, None, ())


def test_an_extension_is_what_lateness_is_counted_from(tmp_path: Path) -> None:
    path = laid(gradescope([one(DUE + timedelta(hours=25))]), tmp_path / "class")
    extensions = table(tmp_path, "id,due\n1,2024-09-25T17:00\n")
    found = selected(path, extensions=extensions)
    assert found.late is not None
    assert (found.late.due, found.late.share) == ("2024-09-25T17:00:00+00:00", Fraction(1, 10))


def test_canvas_says_late_and_not_how_late(tmp_path: Path) -> None:
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
def test_slip_days_that_are_left(
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
    assert late is not None
    assert (late.slip_days, late.share * 100) == cost
    said = "slip days: none are counted as used in other assignments without --slip-days"
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


REFUSED = {
    "no column": (
        "id,days\n1,2\n",
        ":1: there is no column slip days. Hint: begin with a line id,slip days",
    ),
    "no id": (
        *("id,slip days\n,2\n", ":2: there is no id. Hint: write id,slip days in each line"),
    ),
    "no number": (
        *("id,slip days\n1,-1\n", ":2: '-1' is not a number of days. Hint: write a whole number"),
    ),
    "nobody": (
        "id,slip days\n8,1\n9,1\n",
        ":2: neither 8 nor anybody else of this list is a student here. "
        "Hint: write ids or emails of this class",
    ),
    "anybody": (
        "id,slip days\nteam@x,1\n",
        ":2: 2 students are called team@x. Hint: name the one that is meant by its id",
    ),
}


@pytest.mark.parametrize(("text", "line"), REFUSED.values(), ids=REFUSED)
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
        f"{report / 'marks.csv'}:1: there is no column slip days. "
        "Hint: leave it out: its assignment has no slip days"
    )
    nothing = "--slip-days: there are no slip days to use. Hint: add --due, and to assignment.yaml "
    for policy in (LATE, None):
        said = refusal(path, replace(A1, late=policy), **ASKED, slip_days=(report,))
        assert said == f"{nothing}late: {{slip_days: 4}}"
