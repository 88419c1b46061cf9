"""No submission stops a report: forged results and replies, and hostile names, through everything
that is made of a class."""

import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console

from harness.common.errors import UserError
from harness.intake.entries import safe_id
from harness.judging.causes.deriving import derive
from harness.judging.causes.failed_scenarios import failing
from harness.judging.causes.undefined import undefined_functions
from harness.judging.judge import judge
from harness.marking.mark import mark, with_stakes
from harness.model.expectation import Expectation
from harness.model.observation import Observation
from harness.model.policy import Outline, PolicyReport
from harness.model.result import Adjustment, RunResult, SubmissionResult, SubmissionStatus
from harness.model.submission import Student, Submission
from harness.model.verdict import Cause, Verdict, stated
from harness.reporting.export import exporters
from harness.reporting.export.exporter import ExportRequest, export_of_all
from harness.reporting.holding import hold_back, made_for_all
from harness.reporting.html.course_pages import course_page
from harness.reporting.html.submission_pages import feedback_page
from harness.reporting.mail import MailRequest, mails
from harness.reporting.terminal.tables import show_submission, summary_table
from harness.reporting.two_runs import comparison_csv, comparison_page, comparison_table
from harness.reporting.writing import page_writer, write_reports
from harness.results.comparing import compare_runs, read_snapshot
from harness.results.course import merge_runs, read_course
from harness.results.database import STORE_NAME
from harness.results.store import Store
from harness.results.student_view import student_view
from tests import forged
from tests.reporting.report_samples import FACTS, HOURS, MANY_FAULTS, PERFECT, PLAN

WRITTEN = ("index.html", "results.json", "marks.csv")


def judged(forger: forged.Forger, id: str) -> SubmissionResult:
    """A result as grading makes it of forged replies."""
    verdicts: dict[str, Verdict] = {}
    seen: dict[str, tuple[Observation, ...]] = {}
    for scenario in PLAN.scenarios:
        observation = forger.observation()
        expectation = Expectation(reference=forger.observation(), stated=scenario.stated)
        stimulus = scenario.stimuli[0]
        verdicts[scenario.id] = judge(observation, expectation, stimulus)
        seen[scenario.id] = (observation,)
    return of_verdicts(id, verdicts, seen)


def of_verdicts(
    id: str, verdicts: dict[str, Verdict], seen: dict[str, tuple[Observation, ...]]
) -> SubmissionResult:
    outline = Outline()
    failures = failing(PLAN, verdicts, seen)
    result = mark(PLAN, verdicts, PolicyReport(), submission=Submission(id=id, origin=id, files=()))
    result = replace(result, undefined=undefined_functions(PLAN, outline))
    return replace(result, causes=with_stakes(PLAN, result, derive(failures, outline, {})))


def hostile_class(first: int, count: int) -> list[SubmissionResult]:
    """So many submissions, every other one judged from forged replies, under hostile ids; and two
    that nothing is wrong with."""
    ids = forged.names(first + count)[first:]
    found = [PERFECT, MANY_FAULTS]
    for number, id in enumerate(ids, start=first):
        forger = forged.Forger(number)
        result = judged(forger, id) if number % 2 else forger.result(PLAN, id)
        student = Student(id=id, name=ids[-1 - (number - first)], email=f"{id}@b.c")
        found.append(replace(result, id=safe_id(id), student=student, source=id))
    return sorted({each.id: each for each in found}.values(), key=lambda each: each.id)


def check_class(results: list[SubmissionResult], folder: Path) -> None:
    """Everything that is made of a class is made of this one, and is complete."""
    run = RunResult(facts=replace(FACTS, complete=True), submissions=tuple(results))
    write_reports(run, PLAN, folder)
    assert {*WRITTEN} <= {path.name for path in folder.iterdir()}
    plain = json.loads((folder / "results.json").read_bytes())
    assert [each["id"] for each in plain["submissions"]] == [each.id for each in results]
    held = [each for each in plain["submissions"] if HELD in each["problem"]]
    assert not held
    for kind in ("submissions", "feedback"):
        assert len(list((folder / kind).iterdir())) == len(results)
    for page in folder.rglob("*.html"):
        page.read_bytes().decode("utf-8")
    _in_store(run, folder)
    _exported(run, folder)
    console = Console(file=io.StringIO(), width=100)
    console.print(summary_table(run, PLAN))
    for result in results:
        console.print(show_submission(result, PLAN))
    made = [*mails(run, PLAN, folder, MailRequest(sender="a@b.example", at=datetime.now(UTC)))]
    assert [each.id for each in made] == [each.id for each in results]


def _exported(run: RunResult, folder: Path) -> None:
    for each in exporters().values():
        request = ExportRequest(run=run, plan=PLAN, folder=folder)
        try:
            assert each.export(request).data
        except UserError:
            assert each.is_gradebook or each.is_archive  # it needs a download, which is not here


def stored(run: RunResult, folder: Path) -> Path:
    """The database of a run."""
    with Store.open(folder / STORE_NAME) as store:
        store.begin(run.facts, PLAN)
        for result in run.submissions:
            store.save(result)
        store.finish(run.facts)
        return store.path


def _in_store(run: RunResult, folder: Path) -> None:
    """What reads a run's database: comparing, and the course's page."""
    stored(run, folder)
    snapshot, other = read_snapshot(folder), read_snapshot(folder / "results.json")
    for comparison in (compare_runs(snapshot, other), compare_runs(other, snapshot)):
        Console(file=io.StringIO()).print(comparison_table(comparison))
        comparison_csv(comparison).encode("utf-8", "backslashreplace")
        comparison_page(comparison).encode("utf-8")
    runs, unread = read_course(folder)
    assert not unread
    course_page(merge_runs("C1", runs, []))


BATCH = 20
HELD = "could not be made"


def test_a_class_of_forged_results_is_written(tmp_path: Path) -> None:
    check_class(hostile_class(0, 8), tmp_path)


@pytest.mark.release
@pytest.mark.parametrize("first", range(0, 1000, BATCH))
def test_a_thousand_forged_results_are_written(first: int, tmp_path: Path) -> None:
    check_class(hostile_class(first, BATCH), tmp_path)


def test_a_class_with_two_hundred_hostile_names_is_written(tmp_path: Path) -> None:
    ids = [name for name in forged.names(200) if name]
    found: dict[str, SubmissionResult] = {}
    for id in ids:
        student = Student(id=id, name=id, email=id)
        one = replace(PERFECT, id=safe_id(id), student=student, source=id)
        found[one.id] = one
    check_class(sorted(found.values(), key=lambda each: each.id), tmp_path)


DOWNLOADED_AS = {
    "moodle": "{name}_{number}_assignsubmission_file_",
    "brightspace": "{number}-1 - {name} - Sep 24, 2024 926 PM",
    "canvas": "{name}_{number}_{number}_a1.py",
}


@pytest.mark.parametrize("platform", DOWNLOADED_AS)
def test_feedback_for_a_class_with_hostile_names_is_packed(platform: str, tmp_path: Path) -> None:
    found = []
    for number, name in enumerate((name for name in forged.names(200) if name), start=10):
        source = DOWNLOADED_AS[platform].format(name=name, number=number)
        found.append(replace(PERFECT, id=str(number), source=source))
    run = RunResult(facts=replace(FACTS, complete=True), submissions=tuple(found))
    write_reports(run, PLAN, tmp_path)
    request = ExportRequest(run=run, plan=PLAN, folder=tmp_path)
    exported = export_of_all(exporters()[f"feedback-{platform}"], request)
    with zipfile.ZipFile(io.BytesIO(exported.data)) as archive:
        names = archive.namelist()
    assert len(names) > 60
    assert len(names) + len(exported.warnings) >= len(found)
    for path in names:
        assert path.isprintable()
        assert not re.search(r"[\\\0]|^[A-Za-z]:|^/|(?:^|/)\.\.?(?:/|$)", path)


def test_the_problem_of_a_held_submission_leaves_out_the_exceptions_message() -> None:
    held_one = hold_back(PERFECT, "its page", KeyError("secret input"))
    assert "KeyError" in held_one.problem
    assert "secret" not in held_one.problem


def test_the_name_of_a_held_submission_does_not_stop_an_export() -> None:
    bad = replace(PERFECT, id="bad", source="\ud800", student=Student(id="bad", name="\ud800"))

    def make(run: RunResult) -> str:
        for each in run.submissions:
            f"{each.source} {each.student}".encode()
        return f"{len(run.submissions)} made"

    run = RunResult(facts=FACTS, submissions=(PERFECT, bad))
    made, kept_back = made_for_all(make, run, "its row")
    assert made == "2 made"
    assert [each.id for each in kept_back] == ["bad"]


def broken() -> SubmissionResult:
    """A result of which no page can be made: its verdict is of a case that its scenario lacks."""
    first, *others = MANY_FAULTS.scenarios
    wrong = replace(first, verdict=replace(first.verdict, draw=99))
    return replace(MANY_FAULTS, id="broken", scenarios=(wrong, *others), comment="secret remark")


BESIDE = (broken(), MANY_FAULTS, PERFECT)


def test_one_that_cannot_be_shown_is_held_and_the_others_are_written(tmp_path: Path) -> None:
    run = RunResult(facts=FACTS, submissions=BESIDE)
    write_reports(run, PLAN, tmp_path)
    plain = json.loads((tmp_path / "results.json").read_bytes())["submissions"]
    assert [(each["status"], each["mark"] is None) for each in plain] == [
        ("harness_error", True),
        ("graded", False),
        ("graded", False),
    ]
    assert "feedback/broken.html" in plain[0]["problem"]
    assert "IndexError" in plain[0]["problem"]
    whole = tmp_path / "whole"
    write_reports(replace(run, submissions=BESIDE[1:]), PLAN, whole)
    for page in ("feedback/many-faults.html", "feedback/perfect.html"):
        assert (tmp_path / page).read_bytes() == (whole / page).read_bytes()
    for page in ("submissions/broken.html", "feedback/broken.html"):
        assert "secret remark" not in (tmp_path / page).read_text()
    assert "broken" in (tmp_path / "index.html").read_text()
    assert (tmp_path / "marks.csv").read_text().count("\n") == 4


def test_a_worker_stores_what_cannot_be_shown_as_held(tmp_path: Path) -> None:
    write_page = page_writer(tmp_path, [each.id for each in BESIDE], PLAN)
    stored = [write_page(each) for each in BESIDE]
    assert stored[0].status is SubmissionStatus.HARNESS_ERROR
    assert stored[1:] == [*BESIDE[1:]]


def test_an_export_holds_the_one_of_which_it_can_make_nothing(tmp_path: Path) -> None:
    mark = Fraction(1, 3)
    odd = replace(PERFECT, id="odd", adjustment=Adjustment(marks=mark, reason=None))  # type: ignore[arg-type]
    run = RunResult(facts=FACTS, submissions=(MANY_FAULTS, odd, PERFECT))
    request = ExportRequest(run=run, plan=PLAN, folder=tmp_path)
    exported = export_of_all(exporters()["csv"], request)
    rows = exported.data.decode().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["many-faults", "odd", "perfect"]
    assert "harness_error" in rows[2]
    assert "6.46" in rows[3]
    assert [line.partition(":")[0] for line in exported.warnings] == ["odd"]


def test_a_table_shows_the_others() -> None:
    run = RunResult(facts=replace(FACTS, complete=True), submissions=BESIDE)
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(summary_table(run, PLAN))
    assert "many-faults" in console.export_text()


@pytest.mark.parametrize("text", ["\ud800", "it was asked code('\udfff')"])
def test_a_name_that_cannot_be_encoded_stops_no_page(text: str) -> None:
    """The forged reply `{"missing": "\\ud800"}` was the function of a cause, and so in a link."""
    cause = Cause(function=text, explanation=stated("missing", text), scenarios=(HOURS.id,))
    page = feedback_page(student_view(replace(MANY_FAULTS, causes=(cause,)), PLAN))
    assert "\\ud" in page
    page.encode("utf-8")
