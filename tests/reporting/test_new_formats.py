"""A new format is one new file; JUnit XML, CSV (`UPDATE_GOLDEN=1`), feedback zips, anonymity."""

import io
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from harness.cli.commands.results.export import command
from harness.common.csv_tables import bare_cell, inert_cell
from harness.common.errors import UserError
from harness.common.files import page_name
from harness.intake import platforms
from harness.model import result
from harness.model.plan import ManualSlot, Plan
from harness.model.policy import Unparsable
from harness.model.submission import Student
from harness.model.verdict import Cause, CodePlace, stated
from harness.reporting import export
from harness.reporting.export import exporter
from harness.reporting.export.anonymous import anonymous
from harness.reporting.export.exporter import Exported, ExportRequest
from harness.reporting.export.faults_csv import faults_csv
from harness.reporting.export.junit import junit_xml
from harness.reporting.export.marks_csv import marks_csv
from harness.results.results_json import results_json
from tests import plans
from tests.conftest import Added
from tests.reporting import fault_samples, report_samples
from tests.reporting.pages_read import assert_golden, refusal
from tests.reporting.report_samples import (
    MANY_FAULTS,
    OUR_FAULT,
    PERFECT,
    PLAN,
    RUN,
    class_page,
    overview,
)
from tests.tiny_course import Course

TOY_EXPORTER = """
from harness.reporting.export.exporter import text_exporter

EXPORTER = text_exporter(
    "toy", "one id a line", lambda run, plan: "".join(f"{each.id}\\n" for each in run.submissions)
)
"""
TOY_GRADEBOOK = """
from harness.intake.gradebook import Gradebook, by_items

GRADEBOOK = Gradebook(
    name="abacus",
    title="Abacus",
    ids=("who",),
    layout=by_items("(?P<title>.*)", ["who"], lacks="has no column who", hint="count again"),
    feedback_name=lambda source: f"{source}.html",
)
"""


@pytest.fixture
def toys(added: Added) -> None:
    added(export, "toy_lines", TOY_EXPORTER)
    added(platforms, "abacus", TOY_GRADEBOOK)


@pytest.mark.usefixtures("toys")
def test_they_are_found(graded_once: Course, tmp_path: Path) -> None:
    run = CliRunner()
    text = run.invoke(command, ["--help"]).output
    assert "one id a line" in text
    assert "feedback-abacus" in text
    report = str(graded_once.report)
    outcome = run.invoke(command, [report, "--to", "toy"])
    assert outcome.stdout.splitlines()[-2:] == ["prints_total", "syntax_error"]
    with pytest.raises(UserError, match="needs names and ids"):
        run.invoke(command, [report, "--to", "toy", "--anonymous"], catch_exceptions=False)
    book = tmp_path / "book.csv"
    book.write_text("who,A tiny till\nperfect,\n", encoding="utf-8")
    outcome = run.invoke(command, [report, "--to", "abacus", "--gradebook", str(book)])
    assert outcome.stdout.splitlines() == ["who,A tiny till", "perfect,6.00"]


def test_names_are_unique_and_have_a_help_line() -> None:
    known = export.exporters()
    assert not {"toy", "abacus"} & set(known)  # they are gone again
    assert list(known) == sorted(known)
    assert all(each.help and "\n" not in each.help for each in known.values())


EXPORTED = Path(__file__).parent / "exported"
SCHEMA = Path(__file__).parents[1] / "fixtures" / "junit-10.xsd"
STYLE = ManualSlot(id="style", title="Code style", out_of=Fraction(4))
COURSE = replace(PLAN, assignment=replace(PLAN.assignment, manual=(STYLE,)))
LATE = replace(
    PERFECT,
    id="=late",
    status=result.SubmissionStatus.LATE,
    mark=None,
    scenarios=(),
    notes=("handed in 2 h after the due time",),
    student=Student(id="7", name="Lena, Late", email="lena@uni.example"),
    handed_in="2026-03-01T12:00:00+10:00",
    attempt=2,
)
BY_HAND = replace(
    PERFECT,
    manual=(result.ManualMark(slot=STYLE, mark=Fraction(7, 3)),),
    adjustment=result.Adjustment(marks=Fraction(-1, 2), reason="-1/2 for the name"),
    comment="Good.\nGo on.",
)
CLASS = result.RunResult(
    facts=RUN.facts, submissions=(LATE, MANY_FAULTS, OUR_FAULT, BY_HAND, report_samples.UNREADABLE)
)


@pytest.fixture(scope="module")
def schema() -> Any:
    import xmlschema  # noqa: PLC0415  (half a second that the other workers can do without)

    return xmlschema.XMLSchema(str(SCHEMA))


def test_texts_and_the_schema_of_junit(schema: Any) -> None:
    assert_golden(EXPORTED / "junit.xml", junit_xml(CLASS, COURSE))
    assert_golden(EXPORTED / "marks.csv", marks_csv(CLASS, COURSE))
    schema.validate(str(EXPORTED / "junit.xml"))
    spoiled = (EXPORTED / "junit.xml").read_text(encoding="utf-8").replace(' failures="', ' x="')
    assert not schema.is_valid(spoiled.split("\n", 1)[1])


def test_characters_that_xml_does_not_allow_are_replaced(schema: Any) -> None:
    verdict = report_samples.failed("x", "a\0b\x1b[31m\ud800\ufffe<>&'\" \U0001f600")
    spoiled = replace(MANY_FAULTS.scenarios[0], verdict=verdict)
    run = replace(CLASS, submissions=(replace(MANY_FAULTS, id="\x08", scenarios=(spoiled,)),))
    text = junit_xml(run, COURSE).split("\n", 1)[1]
    schema.validate(text)
    (failure,) = ElementTree.fromstring(text).iter("failure")
    assert failure.get("message") == "a\ufffdb\ufffd[31m\ufffd\ufffd<>&'\" \U0001f600"


CELLS = {
    "=1+1": "'=1+1", "+x": "'+x", "-x": "'-x", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx",
    "\n=x": "'\n'=x", "\uff1dx": "'\uff1dx", "-1.5": "-1.5", "+3,25": "+3,25", "-12%": "-12%",
    "-": "-", "--": "--", "x=1": "x=1", "": "", "'x": "'x", "-1-1": "'-1-1", "-1e5": "'-1e5",
    "Eve;=1+1": "Eve;'=1+1", 'Eve"; "=1': """Eve"; "'=1""", "a\t@SUM(1)": "a\t'@SUM(1)",
    "Doe, =Jo": "Doe, =Jo", '="00429"': '="00429"', '="A7b"': '="A7b"',
    '="1"+1': """'="1"+1""", '="a b"': """'="a b\"""",
    "a\n-2+cmd|' /C x'!A0": "a\n'-2+cmd|' /C x'!A0", "late; -0.5 (a day)": "late; -0.5 (a day)",
    "Good, @ada; - so": "Good, @ada; - so", "See:\n- main()": "See:\n- main()",
}  # fmt: skip


@pytest.mark.parametrize(("text", "cell"), CELLS.items(), ids=repr)
def test_cells_are_inert(text: str, cell: str) -> None:
    assert inert_cell(text) == cell
    assert bare_cell(cell) == text
    assert inert_cell(cell) == cell


SOURCES = {
    "moodle": {
        "Ada O'Neil_2_assignsubmission_file_": "Ada O'Neil_2_assignsubmission_file_/feedback.html",
        "Ada O'Neil_12_assignsubmission_file": "Ada O'Neil_12_assignsubmission_file/feedback.html",
        "Séan_Ng_13_assignsubmission_file_a1.py": "Séan_Ng_13_assignsubmission_file_feedback.html",
        "Participant_14_assignsubmission_file_": (
            "Participant_14_assignsubmission_file_/feedback.html"
        ),
        "../x_1_assignsubmission_file_": None,
        "": None,
    },
    "canvas": {
        "ngwei_103_9001_a1.py": "ngwei_103_9001_a1.html",
        "ngwei_LATE_103_9001_a1-1.py": "ngwei_LATE_103_9001_a1-1.html",
        "LATE_anon_aB3d_9001_a1.py": "LATE_anon_aB3d_9001_a1.html",
        "a1.py": None,
    },
    "brightspace": {
        "397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM": (
            "397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM/feedback.html"
        ),
        "folder": None,
        "..": None,
    },
}


def written(folder: Path, *ids: str) -> None:
    (folder / "feedback").mkdir()
    for name in ids:
        (folder / "feedback" / page_name(name)).write_text(f"for {name}")


def feedback(
    results: Iterable[result.SubmissionResult], folder: Path, of: str = ""
) -> tuple[dict[str, str], Exported]:
    """The pages in the zip by their paths, and all that was exported."""
    run = replace(CLASS, submissions=tuple(results))
    request = ExportRequest(run=run, plan=COURSE, folder=folder)
    packed = exporter(f"feedback{of}").export(request)
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}, packed


@pytest.mark.parametrize("platform", SOURCES)
def test_feedback_goes_back_under_the_names_it_came_by(platform: str, tmp_path: Path) -> None:
    sources = SOURCES[platform]
    results = [replace(PERFECT, id=f"s{n}", source=source) for n, source in enumerate(sources)]
    written(tmp_path, *(each.id for each in results))
    pages, packed = feedback(results, tmp_path, f"-{platform}")
    assert (pages.pop("index.html", "") != "") == (platform == "brightspace")
    assert pages == {name: f"for s{number}" for number, name in enumerate(sources.values()) if name}
    assert len(packed.warnings) == list(sources.values()).count(None)
    assert feedback(results, tmp_path, f"-{platform}")[1] == packed


def test_a_group_has_one_page(tmp_path: Path) -> None:
    written(tmp_path, "ada")
    source = "Ada_1_assignsubmission_file_"
    both = (replace(PERFECT, id="ada", source=source), replace(PERFECT, id="bo", source=source))
    pages, packed = feedback(both, tmp_path, "-moodle")
    assert list(pages) == [f"{source}/feedback.html"]
    assert packed.warnings == (
        (f"bo: {source}/feedback.html is the page of ada, who is in the same group"),
    )


def test_feedback_is_packed_by_id(tmp_path: Path) -> None:
    written(tmp_path, "perfect")
    assert list(feedback([PERFECT], tmp_path)[0]) == ["perfect.html"]
    line = "no submission of this run came from a download of Moodle"
    assert line in refusal(feedback, [PERFECT], tmp_path, "-moodle")
    (tmp_path / "feedback" / page_name("perfect")).unlink()
    assert "grade again to write it" in refusal(feedback, [PERFECT], tmp_path)


WHO = "zephyrine"
NAMED = replace(
    PERFECT,
    id=f"{WHO}-4711",
    student=Student(id=WHO, name=WHO, email=f"{WHO}@uni.example"),
    problem=f"found {WHO}.py, expected a1.py",
    notes=(f"handed in by {WHO} for the group",),
    adjustment=result.Adjustment(marks=Fraction(1), reason=WHO),
    comment=f"Well done, {WHO}.",
    handed_in="2026-03-01T12:34:56+10:00",
    source=f"{WHO}_1_assignsubmission_file_",
)
FILE = CodePlace(file=f"{WHO}.py", first=3, last=3, text=(f"# {WHO}",))
BROKEN = replace(
    NAMED,
    id=f"{WHO}-4712",
    status=result.SubmissionStatus.UNREADABLE,
    findings=(plans.finding(file=f"{WHO}.py"),),
    unparsable=Unparsable(file=f"{WHO}.py", reason="is not Python", line=3, source=f"# {WHO}"),
    isolation_reason=f"{WHO}.py, line 12: `global board`",
    causes=(
        Cause(
            function="",
            explanation=stated("not_gradable", f"found {WHO}.py"),
        ),
        Cause(
            function="",
            explanation=stated("unreadable", "is not Python"),
            place=FILE,
            line=3,
        ),
    ),
)
FACTS = replace(RUN.facts, notices=(f"{WHO} is not on the roster",))
NAMED_CLASS = result.RunResult(facts=FACTS, submissions=(MANY_FAULTS, NAMED, BROKEN))
LISTS = [junit_xml, marks_csv, results_json]


@pytest.mark.parametrize("text", LISTS)
def test_an_anonymous_class_names_nobody(text: Callable[[result.RunResult, Plan], str]) -> None:
    assert WHO in text(NAMED_CLASS, PLAN)
    made = text(anonymous(NAMED_CLASS), PLAN)
    assert WHO not in made
    assert "12:34:56" not in made
    assert "student-1" in made
    assert "student-2" in made


def test_it_is_the_same_every_time_whatever_the_order() -> None:
    turned = replace(NAMED_CLASS, submissions=NAMED_CLASS.submissions[::-1])
    made = anonymous(NAMED_CLASS)
    assert anonymous(turned) == made
    totals = (sorted(str(each.total) for each in run.submissions) for run in (made, NAMED_CLASS))
    assert len({*map(tuple, totals)}) == 1  # marks stay


def test_of_the_runs_facts_notices_and_what_lay_there_stay_behind() -> None:
    lay_there = result.Contents(what="folders", total=2, students=1, of_students=1, review=(WHO,))
    cohort = result.CohortFacts(
        layouts=("Moodle",), submissions=1, students=1, due="2026-03-01", time_zone="UTC"
    )
    read = replace(FACTS, cohort=replace(cohort, contents=lay_there))
    made = anonymous(replace(NAMED_CLASS, facts=read)).facts
    assert made == replace(FACTS, notices=(), cohort=cohort)


def test_a_csv_of_the_faults_that_tests_notice() -> None:
    lines = faults_csv(fault_samples.RUN, fault_samples.PLAN).splitlines()
    assert lines[0].startswith("id,tests/notices-1-1: an hour has <61> minutes,")
    assert lines[1:] == ["ann,1,1,0", "bo,0,1,0", "cy,1,,0", "di,0,0,0"]


def test_the_csv_of_faults_names_nobody_if_that_is_asked_for() -> None:
    lines = faults_csv(anonymous(fault_samples.RUN), fault_samples.PLAN).splitlines()
    assert sorted(line.partition(",")[2] for line in lines[1:]) == [
        "0,0,0",
        "0,1,0",
        "1,,0",
        "1,1,0",
    ]
    assert all(line.startswith("student-") for line in lines[1:])


def test_the_matrix_has_first_what_nobody_notices_and_no_text_of_a_program() -> None:
    matrix = overview(fault_samples.RUN, fault_samples.PLAN).faults
    noticed = [(row.number, row.noticed, row.graded) for row in matrix.by_fault()]
    assert noticed == [(3, 0, 4), (1, 2, 4), (2, 2, 3)]
    first, *_ = matrix.by_student(1)
    assert (first.id, first.noticed, first.count) == ("ann", (False, True, True), 2)
    assert fault_samples.SECRET not in class_page(fault_samples.RUN, fault_samples.PLAN)
