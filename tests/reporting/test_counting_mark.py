"""One definition of the mark that counts, names and lateness, in every page and table."""

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.model.assignment import LateOf, ManualSlot, RubricItem, SourceFile
from harness.model.result import (
    LineComment,
    ManualMark,
    Override,
    PickedItem,
    RunResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.submission import Student
from harness.reporting.html.submission_pages import submission_page
from harness.reporting.view.marks import counting_mark
from harness.reporting.view.words import late_in_short
from harness.results.student_view import student_view
from tests import plans
from tests.reporting.pages_read import Page, words_of
from tests.reporting.report_samples import (
    CANARY,
    FACTS,
    IMPORT_ASKS,
    MANY_FAULTS,
    OWN_CODE,
    PERFECT,
    PLAN,
    UNREADABLE,
    WRONG_NAME,
    both_pages,
    class_page,
    overview,
)
from tests.reporting.test_late_marks import AN_HOUR, FORGIVEN, SLIP_ONLY, TOTALS, TWO_DAYS, marked

CLEO = Student(id="9", name="Cleo Larsen", email="cleo@example.edu")
NAMED = replace(MANY_FAULTS, student=CLEO, handed_in="2026-03-02T17:05:00+01:00")


@pytest.mark.parametrize(("result", "parts"), TOTALS.values(), ids=TOTALS)
def test_it_is_the_total_where_there_is_one(
    result: SubmissionResult, parts: tuple[str | None, ...]
) -> None:
    mark = counting_mark(result)
    assert mark == counting_mark(student_view(result, PLAN))
    if parts[2] is not None:
        assert (mark.value, mark.is_final) == (Fraction(parts[2]), True)
    assert mark.out_of == result.total_out_of


SUMS = {
    "4.50 functionality + 3.00 Code style - 2.00 late (20 % of the total) = 5.50 of 10": marked(),
    "4.50 functionality + Code style (not marked yet, of 4) - 2.00 late (20 % of the total) "
    "= 2.50 of 10 so far": marked(style=None),
    "4.50 functionality + 3.00 Code style = 7.50 of 10": marked(late=SLIP_ONLY),
    "6.00 functionality (set by a tutor) + 3.00 Code style = 9.00 of 10": replace(
        marked(late=None), override=Override(mark=Fraction(6), reason="ours")
    ),
    "0.50 functionality + 1.00 Code style - 9.00 adjustment = 0.00 of 10 (never below 0)": marked(
        "0.5", "1", late=None, adjusted="-9"
    ),
    "4.50 functionality - 0.90 late (20 % of the marks reached) = 3.60 of 6": replace(
        marked(late=replace(TWO_DAYS, of=LateOf.REACHED)), manual=()
    ),
}


@pytest.mark.parametrize("said", SUMS)
def test_the_sum_stands_beneath_it_on_both_pages(said: str) -> None:
    mark = counting_mark(SUMS[said])
    assert mark.sum == said
    for page in both_pages(SUMS[said]):
        assert page.count(f'<p class="sum"><bdi>{said}</bdi></p>') == 1


def test_without_other_parts_there_is_no_sum_and_the_excused_have_no_mark() -> None:
    assert counting_mark(PERFECT).sum == ""
    assert counting_mark(marked(None)).value is None


def page_of(*results: SubmissionResult) -> str:
    return class_page(RunResult(facts=FACTS, submissions=results), PLAN)


def test_the_class_page_has_names_lateness_and_extensions() -> None:
    extended = replace(PERFECT, id="e", extended_to="2026-03-05T17:00:00+01:00")
    page = page_of(replace(NAMED, late=TWO_DAYS), extended, replace(marked(late=FORGIVEN), id="z"))
    assert '<td class="name"><bdi>Cleo Larsen</bdi></td>' in page
    assert '<td class="late">2 days (-20 %), 1 slip day</td>' in page
    assert '<td class="late">extended to 2026-03-05 17:00</td>' in page
    assert '<td class="late">grace period</td>' in page
    assert 'data-tags="attention flagged late"' in page
    assert 'data-tags="extended"' in page
    assert "1 with an extension" in words_of(page, scripts=1)
    plain = page_of(PERFECT)
    assert 'data-kind="late"' not in plain
    assert 'data-kind="name"' not in plain


def test_lateness_is_told_in_short() -> None:
    too_late = replace(PERFECT, status=SubmissionStatus.LATE)
    assert late_in_short(too_late) == "too late"
    assert late_in_short(marked(late=AN_HOUR)) == "1 hour (-0.5 %)"
    assert late_in_short(PERFECT) == ""


def test_both_pages_say_who_handed_in_and_the_lecturers_when_and_how_late() -> None:
    lecturers, students = map(words_of, both_pages(replace(NAMED, late=TWO_DAYS)))
    assert "cleo@example.edu · handed in 2026-03-02 17:05 · late: 2 days (-20 %)" in lecturers
    assert "many-faults Cleo Larsen" in lecturers
    assert "Feedback for Cleo Larsen (many-faults)" in students


def test_no_two_numbers_of_the_class_page_count_the_same_submissions() -> None:
    held = replace(WRONG_NAME, status=SubmissionStatus.NEEDS_REVIEW, mark=None, flagged=True)
    text = words_of(page_of(held, replace(held, id="b")), scripts=1)
    assert "2 needs review" in text
    assert "flagged" not in text.partition("Marks, and percentage")[0]


def test_an_unreadable_file_earns_nothing_with_each_function_and_in_the_mean() -> None:
    page = page_of(PERFECT, UNREADABLE)
    assert "Mean of 2" in page
    means = overview(RunResult(facts=FACTS, submissions=(PERFECT, UNREADABLE)), PLAN).means.means()
    assert {mean.count for mean in means} == {2}
    assert next(mean.share for mean in means if mean.function == "check_win") == 50


def test_a_cell_leads_to_what_went_wrong_in_its_function() -> None:
    page = page_of(OWN_CODE)
    links = {each["href"] for tag, each in Page(page).elements if tag == "a" and "href" in each}
    targets = {
        each["id"] for _, each in Page(submission_page(OWN_CODE, PLAN)).elements if "id" in each
    }
    of_cells = [link for link in links if link and link.startswith("submissions/")]
    of_cells = [link for link in of_cells if "#" in link]
    assert of_cells
    assert {link.partition("#")[2] for link in of_cells} <= targets


FOUND = (plans.finding(message="`import copy` was added"),)


def test_nothing_to_fix_is_not_shown_beside_code_issues() -> None:
    _, students = both_pages(replace(PERFECT, findings=FOUND))
    assert "There is nothing to fix" not in students
    assert "Every check passed.</b> See the code issues below." in students
    _, students = both_pages(PERFECT)
    assert "There is nothing to fix" in students


def test_submissions_that_wait_for_a_teacher_are_not_to_be_fixed_first() -> None:
    held = replace(WRONG_NAME, status=SubmissionStatus.NEEDS_REVIEW, mark=None)
    _, students = both_pages(held)
    assert "A teacher will review this" in students
    assert "Fix this first" not in students
    assert "If you can still hand in: " in students


GUARD = 'if __name__ == "__main__":\n    '
GUARDED = {
    "main()": f"{GUARD}main()",
    "play_game(8)": f"{GUARD}play_game(8)",
    'input("? ")': f'def main() -> None:\n    input("? ")\n\n\n{GUARD}main()',
    "name = ask()": f"def main() -> None:\n    name = ask()\n\n\n{GUARD}main()",
}


@pytest.mark.parametrize("line", GUARDED)
def test_one_advice_names_the_place_of_a_line_that_runs_at_load(line: str) -> None:
    found = plans.finding(rule="module_level", message="runs at load", source=line)
    _, students = both_pages(replace(IMPORT_ASKS, findings=(found,)))
    assert GUARDED[line] in Page(students).text
    assert ("Move it into main()" in Page(students).text) == ("def main" in GUARDED[line])


def test_files_that_were_not_graded_are_shown_and_have_no_digest() -> None:

    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    game = SourceFile(name="game.py", data=b"print('hello, game')\n")
    held = replace(WRONG_NAME, files=(), choices=(game,), source_digest=empty)
    for page in both_pages(held):
        assert "hello, game" in Page(page).text
        assert empty not in page
    assert "No file was graded." in submission_page(held, PLAN)


NAMES = RubricItem(id="names", title="Names say", points=Fraction(2))
SHAPE = RubricItem(id="shape", title="No repetition", points=Fraction(2))
STYLE = ManualSlot(id="style", title="Code style", out_of=Fraction(4), rubric=(NAMES, SHAPE))
PICKED = PickedItem(item="names", title="Names say", points=Fraction(2))
OWN = SourceFile(name="a1.py", data=b"def f():\n    return 1\n")
SAID = LineComment(id="1", file="a1.py", line=2, text="Why this?", quoted="")


def test_a_students_page_has_the_rubric_and_the_program_with_its_comments() -> None:
    graded = ManualMark(slot=STYLE, mark=Fraction(2), items=(PICKED,))
    told = replace(OWN_CODE, files=(OWN,), manual=(graded,), line_comments=(SAID,))
    _, students = both_pages(told)
    text = " ".join(Page(students).text.split())
    assert "✓ Names say +2 No repetition +2 (does not apply)" in text
    none = replace(told, manual=(ManualMark(slot=STYLE, mark=Fraction(0)),))
    assert "Names say +2 (does not apply)" in " ".join(Page(both_pages(none)[1]).text.split())
    for mark in (None, Fraction(1)):  # not marked yet, and a mark that no item explains
        other = replace(told, manual=(ManualMark(slot=STYLE, mark=mark),))
        assert "Names say" not in both_pages(other)[1]
    whole, _, causes = students.partition("to fix</h2>")
    assert 'data-comment="1"' in whole
    assert 'id="L2"' in whole
    assert causes
    assert CANARY not in students
    _, plain = both_pages(replace(OWN_CODE, files=(OWN,)))
    assert 'id="L2"' not in plain


def test_a_regrade_is_requested_by_a_mail_with_the_link() -> None:
    _, students = both_pages(PERFECT)
    (link,) = (
        each["href"]
        for tag, each in Page(students).elements
        if tag == "a" and (each.get("href") or "").startswith("mailto:")
    )
    assert link is not None
    assert "harness%3Aconnect4ish%2Fperfect%2F" in link
