"""`harness mail`: files for a mail program, and a line for whoever has none."""

from __future__ import annotations

from pathlib import Path

from tests.tiny_course import INCOMPLETE, Course, Outcome, change_run

ROSTER = (
    "id,email\nperfect,p@uni.example\nprints_total,P@uni.example\nmissing_total,zoë@uni.example\n"
)


def mailed(course: Course, *more: str | Path) -> Outcome:
    return course.run("mail", "reports/tiny", "--dry-run", "--from", "a1@uni.example", *more)


def written(course: Course) -> list[str]:
    return sorted(path.name for path in (course.report / "mail").glob("*"))


def test_a_mail_for_each_address_and_a_line_for_all_others(graded: Course) -> None:
    stale = graded.write("reports/tiny/mail/gone.eml", "")
    done = mailed(graded, "--roster", graded.write("r.csv", ROSTER))
    assert done.status == 0
    assert done.out == "2 mails in reports/tiny/mail; nothing was sent\n"
    assert done.err.splitlines() == [
        "no mail for hard_coded_5: there is no address",
        "no mail for missing_total: zoë@uni.example is no address",
        "no mail for syntax_error: there is no address",
        "p@uni.example gets 2 mails: is it one person's?",
    ]
    assert not stale.exists()
    assert written(graded) == ["perfect.eml", "prints_total.eml"]
    mail = (graded.report / "mail" / "perfect.eml").read_text(encoding="ascii")
    assert "\nTo: perfect <p@uni.example>\n" in mail
    assert "your mark for A tiny till is 6.00 of 6." in mail
    assert 'filename="feedback.html"' in mail


def test_forgetting_a_student_removes_the_mails(graded: Course) -> None:
    assert mailed(graded, "--roster", graded.write("r.csv", ROSTER)).status == 0
    done = graded.run("forget", "reports/tiny", "perfect")
    assert done.out.endswith("the mails in its folder mail went too\n")
    assert written(graded) == []


def test_it_sends_nothing_and_needs_a_whole_run(graded: Course) -> None:
    done = graded.run("mail", "reports/tiny", "--from", "a1@uni.example")
    assert (done.status, done.out) == (2, "")
    assert done.err == "error: harness sends no mail. Hint: --dry-run writes the mails as files\n"
    bad = graded.run("mail", "reports/tiny", "--dry-run", "--from", "me")
    assert (bad.status, len(bad.err.splitlines())) == (2, 1)
    assert not (graded.report / "mail").exists()
    change_run(graded.report, INCOMPLETE)
    done = mailed(graded)
    assert done.err == "error: reports/tiny: this run is not complete. Hint: grade again first\n"
