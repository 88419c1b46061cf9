"""Marks that people give, and two runs side by side (`UPDATE_GOLDEN=1` writes those anew)."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from harness.common.csv_tables import Sheet
from harness.common.errors import UserError
from harness.common.escaping import visible, visible_lines
from harness.model.assignment import ManualSlot, RubricItem
from harness.model.result import (
    Adjustment,
    Decision,
    DecisionKind,
    LineComment,
    ManualMark,
    Override,
    PickedItem,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.review import Action, Adjusted, Change, Commented, MarkGiven, apply_changes
from harness.model.submission import Student
from harness.model.verdict import Verdict, VerdictKind
from harness.reporting.export.exporter import Marks
from harness.reporting.export.gradebooks import gradebook_entry
from harness.reporting.export.manual_marks import manual_template, read_manual
from harness.reporting.github import markdown_summary
from harness.reporting.html.environment import capital
from harness.reporting.terminal.tables import show_submission, summary_table
from harness.reporting.two_runs import comparison_csv, comparison_page, comparison_table
from harness.reporting.view import words
from harness.reporting.view.marks import counting_mark
from harness.results.comparing import (
    RunComparison,
    RunSnapshot,
    ScenarioOutcome,
    SnapshotEntry,
    compare_runs,
)
from harness.results.student_view import student_view
from tests.reporting import pages_read, report_samples
from tests.reporting.report_samples import MANY_FAULTS, PERFECT, PLAN, RUN, class_page, result
from tests.results.test_results_json import plain

STYLE = ManualSlot(id="style", title="Code style", out_of=Fraction(4))
REPORT = ManualSlot(id="report", title="The report", out_of=Fraction(5, 2))
COURSE = replace(PLAN, assignment=replace(PLAN.assignment, manual=(STYLE, REPORT)))
NONE = (ManualMark(slot=STYLE), ManualMark(slot=REPORT))
ADA = replace(
    PERFECT,
    id="=ada",
    manual=(ManualMark(slot=STYLE, mark=Fraction(1, 3)), ManualMark(slot=REPORT)),
    adjustment=Adjustment(marks=Fraction(-3, 2), reason="a day late"),
    comment="-- good",
    student=Student(id="1", name="Ada"),
    source_digest="a" * 64,
)
BOB = replace(MANY_FAULTS, id="bob", manual=NONE, source_digest="b" * 64)
CLASS = replace(RUN, submissions=(ADA, BOB))
HEADER = "id,name,style (out of 4),report (out of 2.5),adjustment,reason,comment"


def sheet(text: str) -> Sheet:
    rows = tuple(tuple(row) for row in csv.reader(io.StringIO(text, newline="")))
    return Sheet(rows=rows, place="m.csv", lines=tuple(range(1, len(rows) + 1)))


def given(*rows: str, header: str = HEADER) -> list[Change]:
    return read_manual(sheet("\n".join([header, *rows])), CLASS, COURSE)


def test_the_template_has_what_was_given_so_far_and_read_again_changes_nothing() -> None:
    assert read_manual(sheet(manual_template(CLASS, COURSE)), CLASS, COURSE) == []
    assert manual_template(CLASS, COURSE).split("\r\n") == [
        HEADER,
        "'=ada,Ada,1/3,,-1.5,a day late,'-- good",
        "bob,,,,,,",
        "",
    ]


def marks(**given: Fraction | None) -> list[Action]:
    return [MarkGiven(slot=slot, mark=mark) for slot, mark in given.items()]


HELPED = Adjustment(marks=Fraction(1), reason="helped others")
TAKEN = {
    "marks": ("bob,,3.5,1,,,", marks(style=Fraction(7, 2), report=Fraction(1))),
    "a comma and a fraction": (
        'bob,,"3,25",1/3,,,',
        marks(style=Fraction(13, 4), report=Fraction(1, 3)),
    ),
    "an adjustment": ("bob,,,,+1,helped others,", [Adjusted(adjustment=HELPED)]),
    "a comment": ("bob,,,,,,well done", [Commented(text="well done")]),
    "more beside what was given": ("'=ada,,1/3,2,-1.5,a day late,", marks(report=Fraction(2))),
    "taken back": (
        "'=ada,,-,,-,,-",
        [*marks(style=None), Adjusted(adjustment=None), Commented(text="")],
    ),
}


@pytest.mark.parametrize(("row", "expected"), TAKEN.values(), ids=TAKEN)
def test_a_row_gives(row: str, expected: list[Action]) -> None:
    changes = given(row)
    assert [change.action for change in changes] == expected
    about = {(each.submission, each.source_digest, each.assignment) for each in changes}
    of = BOB if row.startswith("bob") else ADA
    assert about == {(of.id, of.source_digest, PLAN.assignment.id)}


REFUSED = {
    "eve,,1,1,,,": "this run has no submission 'eve'",
    "bob,,5,,,,": "style: 5 is not between 0 and 4",
    "bob,,-1,,,,": "style: -1 is not between 0 and 4",
    "bob,,many,,,,": "style: 'many' is not a number",
    "bob,,1e3,,,,": "style: '1e3' is not a number",
    "bob,,nan,,,,": "style: 'nan' is not a number",
    "bob,,,,-1,,": "an adjustment of -1 needs a reason",
    "bob,,,,x,why,": "adjustment: 'x' is not a number",
    "bob,,4,2.5,-9,why,": "an adjustment of -9 makes the total -1.62, not between 0 and 12.5",
    "bob,,4,2.5,+9,why,": "an adjustment of 9 makes the total 16.38, not between 0 and 12.5",
}


@pytest.mark.parametrize(("row", "line"), REFUSED.items(), ids=REFUSED)
def test_a_row_is_refused(row: str, line: str) -> None:
    assert pages_read.refusal(given, row) == f"m.csv:2: {line}"


def test_every_mistake_is_a_line_and_nothing_is_taken() -> None:
    refused = pages_read.refusal(given, "bob,,1,1,,,", "eve,,9,,,,", "'=ada,,9,x,1,,", "bob,,2,,,,")
    assert refused.split("\n") == [
        "m.csv:3: this run has no submission 'eve'",
        "m.csv:4: style: 9 is not between 0 and 4",
        "m.csv:4: report: 'x' is not a number",
        "m.csv:4: an adjustment of 1 needs a reason",
        "m.csv:5: bob has a row above already",
    ]


def test_a_header_of_something_else_is_refused() -> None:
    assert pages_read.refusal(given, "bob,1", header="student,Style").split("\n") == [
        "m.csv:1: 'student' is not a column of marks. Hint: the slots are: style | report",
        "m.csv:1: 'Style' is not a column of marks. Hint: the slots are: style | report",
        "m.csv:1: the column id is missing. Hint: start from a table of --to manual-marks",
    ]


@pytest.mark.parametrize("twice", ["style", "style (out of 4)", "comment", "id"])
def test_two_columns_of_one_name_are_refused(twice: str) -> None:
    (change,) = given("bob,2", header="id,style")
    assert [change.action] == marks(style=Fraction(2))
    line = f"m.csv:1: there are 2 columns {twice.partition(' ')[0]}. Hint: remove all but one"
    assert pages_read.refusal(given, "bob,1,,2", header=f"id,style,comment,{twice}") == line


def after(row: str) -> SubmissionResult:
    earlier = [
        *marks(style=Fraction(1, 3)),
        Adjusted(adjustment=ADA.adjustment),
        Commented(text=ADA.comment),
    ]
    changes = [replace(given(row)[0], action=action) for action in earlier] + given(row)
    return apply_changes(ADA, [replace(each, at=f"{at}") for at, each in enumerate(changes)])


def test_the_class_has_totals_once_there_are_any() -> None:
    nobody = class_page(replace(RUN, submissions=(BOB,)), COURSE)
    assert "<span>Mark</span>" not in nobody
    assert nobody.count("<span>Functionality</span>") == 1
    some = class_page(CLASS, COURSE)
    assert some.count("<span>Mark so far</span>") == some.count("<span>Functionality</span>") == 1
    whole = replace(CLASS, submissions=(after("'=ada,,,2"), BOB))
    assert '<td class="number">7.29</td>' in class_page(whole, COURSE)
    head, ada, bob = pages_read.on_terminal(summary_table(whole, COURSE), 120).splitlines()[:3]
    assert head.split()[:5] == ["submission", "name", "state", "mark", "functionality"]
    assert "7.29" in ada
    assert "so far" in bob


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (-9, "-9 (the total is not below 0)"),
        (9, "+9 (the total is not above the maximum)"),
        (-1, "-1"),
    ],
)
def test_an_adjustment_that_no_longer_fits_is_limited_with_a_word(marks: int, said: str) -> None:
    """A mark may have changed since."""
    adjustment = Adjustment(marks=Fraction(marks), reason="late")
    adjusted = replace(PERFECT, mark=Fraction(2), adjustment=adjustment)
    assert f"adjusted by {said}: late" in words.account(adjusted)


MARKED_STYLE = ManualSlot(id="style", title="Code <b>style", out_of=Fraction(4), clause="5.2")
OTHER = ManualSlot(id="rest", title="The rest", out_of=Fraction(1, 2))
BY_HAND = (ManualMark(slot=MARKED_STYLE), ManualMark(slot=OTHER, mark=Fraction(1, 3)))
FAILED = Verdict(kind=VerdictKind.FAILED)


def test_the_terminal_shows_why_there_is_no_mark_and_which_faults_cost_none() -> None:
    lenient = result("ada", {"check_input/a-leading-zero": FAILED})
    text = pages_read.on_terminal(show_submission(lenient, PLAN))
    assert "✗" not in text
    assert text.endswith("no marks lost: check_input: a leading zero\n")
    text = pages_read.on_terminal(show_submission(report_samples.UNREADABLE, PLAN))
    assert "its own process" not in text
    assert "differs" not in text
    why = "the attempt of noon was in time"
    withheld = replace(
        MANY_FAULTS, status=SubmissionStatus.NEEDS_REVIEW, mark=None, scenarios=(), notes=(why,)
    )
    text = pages_read.on_terminal(show_submission(withheld, PLAN))
    assert text.splitlines()[1:3] == [why, ""]
    assert "function" not in text


NAMES = RubricItem(id="names", title="Names <i>say", points=Fraction(2))
PICKED = PickedItem(item=NAMES.id, title=NAMES.title, points=NAMES.points)
TOLD = replace(
    ADA,
    manual=(ManualMark(slot=replace(STYLE, rubric=(NAMES,)), mark=Fraction(2), items=(PICKED,)),),
    adjustment=None,
    comment="Good.\n=1+1",
    override=Override(mark=Fraction(5), reason="shown in the lab"),
    line_comments=(
        LineComment(id="1", file="a1.py", line=3, text="Why \x1b[31m<b>?", quoted="    x = 1"),
        LineComment(id="2", file="a1.py", line=4, text="Moved.", quoted="y", moved_from=2),
        LineComment(id="3", file="a1.py", line=9, text="Gone.", quoted="z = 2", outdated=True),
    ),
)
SAID = [
    "functionality mark set by a tutor: 5.00 (autograder: 6.46): shown in the lab",
    "Code style: 2.00 of 4 (Names <i>say +2)",
    "comment: Good.\n=1+1",
    "total: 7.00 of 10",
    "a1.py, line 3: Why \x1b[31m<b>?",
    "a1.py, line 4 (line 2 before the file changed): Moved.",
    "a1.py, line 9 (of an earlier version, which had 'z = 2'): Gone.",
]


THIRD = "Code style: 0.33 of 4"
ADJUSTED = ("adjusted by -1.5: a day late", "comment: -- good")
GIVEN = {
    "all of it": (TOLD, SAID),
    "some of the marks": (
        replace(MANY_FAULTS, manual=BY_HAND),
        [
            "Code <b>style (clause 5.2): not marked yet (4 marks)",
            "The rest: 0.33 of 0.5",
        ],
    ),
    "an adjustment": (
        after("'=ada,,,2"),
        [THIRD, "The report: 2.00 of 2.5", *ADJUSTED, "total: 7.29 of 12.5"],
    ),
    "an adjustment before there is a total": (
        ADA,
        [THIRD, "The report: not marked yet (2.5 marks)", *ADJUSTED],
    ),
    "nothing": (BOB, []),
}


@pytest.mark.parametrize(("result", "lines"), GIVEN.values(), ids=GIVEN)
def test_marks_by_people_are_on_every_page(result: SubmissionResult, lines: list[str]) -> None:
    assert words.said_by_hand(result) == lines
    summary = markdown_summary(student_view(result, COURSE), 3)
    text = pages_read.on_terminal(show_submission(result, COURSE))
    for line in lines:
        assert visible(line) in text
        assert visible_lines(line) in summary
    assert ("Code" in summary) == bool(lines)
    for page in report_samples.both_pages(result, COURSE):
        shown = pages_read.Page(page).text
        the_sum = counting_mark(result).sum
        expected = words.beside_sum(result) if the_sum else words.account(result)
        assert the_sum in shown
        for line in expected if lines else ():
            assert capital(line) in shown
            assert "<i>say" not in page


def test_both_pages_show_comments_on_lines() -> None:
    for page in report_samples.both_pages(TOLD, COURSE):
        for part in (
            'Why <span class="esc">\\x1b</span>[31m&lt;b&gt;?',
            "<code>a1.py</code>, line 4 (line 2 before the file changed): <bdi>Moved.</bdi>",
            "<code>a1.py</code>, line 9 of an earlier version: <bdi>Gone.</bdi>",
        ):
            assert part in page


def test_a_gradebook_has_it_in_its_comment_with_the_mark_that_was_set_and_results_json() -> None:
    entry = gradebook_entry(TOLD, Marks.TOTAL)
    assert (entry.mark, entry.waits) == ("7.00", "")
    assert entry.comment.splitlines() == [
        "Code style (Names <i>say +2)",
        "Mark set: shown in the lab",
        "Good.",
        "=1+1",
        *SAID[4:],
    ]
    late = replace(TOLD, status=SubmissionStatus.LATE, mark=None)
    assert gradebook_entry(late, Marks.TOTAL).mark == "7.00"
    assert gradebook_entry(late, Marks.FUNCTIONALITY).why == "late"
    excused = replace(TOLD, decisions=(Decision(kind=DecisionKind.EXCUSE, value="ill"),))
    assert gradebook_entry(excused, Marks.TOTAL).why == "excused (ill)"
    (written,) = plain(replace(CLASS, submissions=(TOLD,)), COURSE)["submissions"]
    assert written["manual"][0]["items"] == [{"title": NAMES.title, "level": "", "points": 2.0}]
    assert written["override"] == {"mark": 5.0, "reason": "shown in the lab"}
    assert [each["line"] for each in written["line_comments"]] == [3, 4, 9]


GOLDEN = Path(__file__).parent / "exported"


def outcomes(**passed: bool) -> tuple[ScenarioOutcome, ...]:
    return tuple(
        ScenarioOutcome(
            id=f"f/{name}",
            verdict="passed" if is_passed else "failed",
            points=Fraction(is_passed),
            out_of=Fraction(1),
            extra_credit=False,
        )
        for name, is_passed in passed.items()
    )


BOTH = outcomes(a=True, b=True)
ONLY_A, NEITHER = outcomes(a=True, b=False), outcomes(a=False, b=False)


def entry(
    name: str, mark: str | None = "6", scenarios: tuple[ScenarioOutcome, ...] = BOTH
) -> SnapshotEntry:
    return SnapshotEntry(
        id=name,
        status="graded" if mark is not None else "harness_error",
        mark=None if mark is None else Fraction(mark),
        out_of=Fraction(6),
        total=None,
        source_digest="a" * 64,
        findings=(),
        by_hand="[]",
        scenarios=scenarios,
    )


SAME, LOST, DEDUCTED, RESTYLED = map(entry, ("same", "lost one", "deducted", "=style+1"))
FIXED = entry("fixed", "3", ONLY_A)
BYTES = entry("other bytes", "0", NEITHER)
OURS = entry("our fault", None, (replace(NEITHER[0], verdict="harness_error"), BOTH[1]))
GONE = entry("gone\u202e", "3", ONLY_A)
FACTS = {"the interpreter": "3.12.1", "the scenarios": "old"}
OLD = RunSnapshot(
    path="reports/old",
    assignment="small",
    started="2026-01-02T03:04:05+00:00",
    complete=True,
    made_with=FACTS,
    entries=(SAME, LOST, FIXED, BYTES, OURS, DEDUCTED, RESTYLED, GONE),
)
NEW = replace(
    OLD,
    path="reports/new",
    complete=False,
    made_with=FACTS | {"the scenarios": "new"},
    entries=(
        SAME,
        replace(LOST, mark=Fraction(3), scenarios=ONLY_A),
        replace(FIXED, mark=Fraction(6), scenarios=BOTH),
        replace(BYTES, mark=Fraction(6), source_digest="b" * 64, scenarios=BOTH),
        replace(OURS, status="graded", mark=Fraction(6), scenarios=BOTH),
        replace(DEDUCTED, mark=Fraction(11, 2), findings=("import: `import os` was added",)),
        replace(RESTYLED, total=Fraction(17, 2), by_hand='["style"]'),
        entry("new one"),
    ),
)
FOUND = compare_runs(OLD, NEW)


FORMS: dict[str, Callable[[], str]] = {
    "comparison.txt": lambda: pages_read.on_terminal(comparison_table(FOUND), 140),
    "comparison.csv": lambda: comparison_csv(FOUND),
    "comparison.html": lambda: pages_read.without_style(comparison_page(FOUND)),
}


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    pages_read.assert_golden(GOLDEN / name, FORMS[name]())
    if name.endswith(".html"):
        pages_read.assert_inert(comparison_page(FOUND))


def compared(before: SnapshotEntry, after: SnapshotEntry) -> RunComparison:
    return compare_runs(replace(OLD, entries=(before,)), replace(OLD, entries=(after,)))


def test_points_that_changed_are_told_without_a_scenario() -> None:
    heavier = replace(SAME.scenarios[0], out_of=Fraction(3), points=Fraction(3))
    before = entry("x", "3", ONLY_A)
    after = replace(before, mark=Fraction(9, 2), scenarios=(heavier, before.scenarios[1]))
    (change,) = compared(before, after).changes
    assert (change.scenarios, change.marks) == ((), Fraction(3, 2))
    assert (change.weights, change.rest) == (Fraction(3, 2), 0)


def test_who_has_the_same_mark_by_other_points_is_as_before() -> None:
    """That a scenario counts for more changes nothing where all passed; one that is new does."""
    heavier = replace(SAME.scenarios[0], out_of=Fraction(3), points=Fraction(3))
    after = replace(SAME, scenarios=(heavier, SAME.scenarios[1]))
    old = replace(OLD, entries=(SAME,))
    assert compared(SAME, after) == replace(compared(after, after), old=old)
    another = replace(SAME, scenarios=(*SAME.scenarios, *outcomes(c=False)))
    assert len(compared(SAME, another).changes) == 1


def test_who_was_not_graded_before_has_no_new_scenarios() -> None:
    late = replace(SAME, status="late", mark=None, scenarios=())
    for before, after in ((late, SAME), (SAME, late)):
        found = compared(before, after)
        said = f"same,{before.status} before, {after.status} now"
        assert said in comparison_csv(found).replace('"', "")
        assert found.scenarios == ()


def test_a_hundredth_has_a_reason_and_other_assignments_are_not_compared() -> None:
    before = entry("x", "4.51", ONLY_A)
    found = compared(before, replace(before, mark=Fraction(9, 2)))
    reason = '"small changes of points, or rounding"'
    assert comparison_csv(found).splitlines()[1] == f"x,4.51,4.50,-0.01,same,{reason}"
    with pytest.raises(UserError, match="a run of other cannot be compared with one of small"):
        compare_runs(OLD, replace(NEW, assignment="other"))


def test_new_scenarios_and_other_points_are_told_apart() -> None:
    half = Fraction(1, 2)
    before = entry("ada", "4.5", outcomes(a=True, b=False, gone=True))
    kept, lost, _ = before.scenarios
    after = replace(
        before,
        mark=Fraction(18, 5),
        scenarios=(replace(kept, points=Fraction(3), out_of=Fraction(3)), lost, *outcomes(c=False)),
        findings=("import: other",),
    )
    old = replace(OLD, entries=(before,), worth={"f/a": half, "f/b": half, "f/gone": half})
    new = replace(OLD, entries=(after,), worth={"f/a": Fraction(3), "f/b": half, "f/c": half})
    found = compare_runs(old, new)
    (change,) = found.changes
    assert [(each.id, each.marks) for each in change.scenarios] == [("f/c", 0), ("f/gone", -2)]
    assert (change.weights, change.rest) == (Fraction(8, 5), half * -1)
    text = comparison_csv(found)
    assert "+1.60 because scenarios have other points; -0.50 from deductions" in text
    page = comparison_page(found)
    assert "1 scenario is new: f/c." in page
    assert "1 scenario is no longer there: f/gone." in page
    assert "1 scenario has other points: f/a (0.5 before, 3 now)." in page
