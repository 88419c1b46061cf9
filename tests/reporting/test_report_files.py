"""What a report folder holds, and whole pages (`UPDATE_GOLDEN=1` writes them anew)."""

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest
from jinja2 import Environment

from benchmarks.large_class import measured
from harness.common.files import page_name
from harness.execution.confinement import NOT_PREVENTED
from harness.model.observation import Tier
from harness.model.plan import Plan
from harness.model.result import RunResult, StrengthFigures, SubmissionResult
from harness.reporting.export.marks_csv import marks_csv
from harness.reporting.html.environment import environment
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.reporting.terminal.cards import explain_failures
from harness.reporting.terminal.tables import explain_scenario, show_submission, summary_table
from harness.reporting.writing import MANIFEST, mark_unfinished, page_writer, write_reports
from harness.results.database import STORE_NAME
from harness.results.results_json import results_json
from harness.results.store import Store
from harness.results.student_view import student_view
from tests.downloads import laid
from tests.reporting import fault_samples, pages_read, report_samples
from tests.reporting.report_samples import FACTS, MANY_FAULTS, PERFECT, PLAN, RUN, class_page


def inodes(*folders: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for folder in folders for path in folder.iterdir()}


HOSTILE_IDS = [
    "../../etc/passwd", "/etc/passwd", "..", ".", "", "a/b", "a\\b", "con", "NUL.txt",
    "x" * 500, "line\nend", "nul\x00", "\ud800", "\u202egpj", "<script>",
    "javascript:alert(1)", "CAPS", "caps", "Caps", "trailing.", "-rf", ".hidden", "Ümlaut",
    "caps-0123456789",
]  # fmt: skip


@pytest.mark.parametrize("submission_id", HOSTILE_IDS)
def test_page_names_are_safe(submission_id: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{,73}\.html", page_name(submission_id))


def test_page_names_differ_also_where_case_does_not_count() -> None:
    names = {page_name(submission_id).lower() for submission_id in HOSTILE_IDS}
    assert len(names) == len(HOSTILE_IDS)
    assert page_name("jane.doe-7") == "jane.doe-7.html"
    # A name that looks like ours cannot take another's page.
    assert page_name(page_name("CAPS").removesuffix(".html").lower()) != page_name("CAPS")


def test_every_page_of_a_run_and_beside_them_marks_and_results(tmp_path: Path) -> None:
    index = write_reports(RUN, PLAN, tmp_path / "new" / "folder")
    assert index == tmp_path / "new" / "folder" / "index.html"
    names = {page_name(submission.id) for submission in RUN.submissions}
    for kind in ("submissions", "feedback"):
        assert inodes(index.parent / kind).keys() == names
    assert index.with_name("results.json").read_text("ascii") == results_json(RUN, PLAN)
    assert index.with_name("marks.csv").read_bytes() == marks_csv(RUN, PLAN).encode()


def test_pages_of_gone_submissions_go_with_a_whole_run_and_other_files_stay(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path)
    own = tmp_path / "feedback" / "my-notes.html"
    own.write_text("mine")
    fewer = RunResult(facts=RUN.facts, submissions=(PERFECT,))
    write_reports(replace(fewer, facts=UNFINISHED.facts), PLAN, tmp_path)
    assert "many-faults.html" in inodes(tmp_path / "submissions")
    write_reports(fewer, PLAN, tmp_path)
    assert inodes(tmp_path / "submissions").keys() == {"perfect.html"}
    assert inodes(tmp_path / "feedback").keys() == {"my-notes.html", "perfect.html"}
    assert own.read_text() == "mine"


def test_the_class_page_shows_the_known_strength_of_the_scenarios() -> None:
    assert "These scenarios notice" not in class_page(RUN, PLAN)
    facts = replace(RUN.facts, strength=StrengthFigures(changes=412, noticed=410))
    page = class_page(replace(RUN, facts=facts), PLAN)
    assert "These scenarios notice 99.5 % of 412 single-fault changes of the reference" in page


def test_an_unchanged_page_is_not_written_again(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path)
    before = inodes(tmp_path / "feedback")
    touched, changed = (tmp_path / f"feedback/{name}.html" for name in ("perfect", "many-faults"))
    whole = touched.read_bytes()
    touched.write_text("an editor was here")
    commented = replace(MANY_FAULTS, comment="See me.")
    again = tuple(commented if each == MANY_FAULTS else each for each in RUN.submissions)
    write_reports(replace(RUN, submissions=again), PLAN, tmp_path)
    after = inodes(tmp_path / "feedback")
    assert {n for n in before if after[n] != before[n]} == {touched.name, changed.name}
    assert touched.read_bytes() == whole
    assert b"See me." in changed.read_bytes()
    # Another plan writes all pages again.
    titled = replace(PLAN, assignment=replace(PLAN.assignment, title="Another title"))
    write_reports(RUN, titled, tmp_path)
    assert not set(after.items()) & set(inodes(tmp_path / "feedback").items())


def test_a_report_that_is_being_replaced_is_marked_as_incomplete(tmp_path: Path) -> None:
    mark_unfinished(tmp_path)
    assert list(tmp_path.iterdir()) == []
    index = write_reports(RUN, PLAN, tmp_path)
    whole = index.read_bytes()
    assert b"not complete" not in whole
    mark_unfinished(tmp_path)
    assert b"not complete" in index.read_bytes()
    write_reports(RUN, PLAN, tmp_path)
    assert index.read_bytes() == whole


@pytest.mark.process
def test_the_next_run_removes_temporary_files_of_a_killed_one(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    names = (f".index.html.{gone.pid}.tmp", f"feedback/.perfect.html.{gone.pid}.tmp")
    others = (f".index.html.{os.getppid()}.tmp", ".mine.tmp", "submissions/.x.999999999.tm")
    laid(dict.fromkeys((*names, *others), b"half"), tmp_path)
    write_reports(RUN, PLAN, tmp_path)
    assert [name for name in (*names, *others) if (tmp_path / name).exists()] == [*others]


def test_pages_written_by_workers_are_not_written_again_at_the_end(tmp_path: Path) -> None:
    ids = [result.id for result in RUN.submissions]
    for result in reversed(RUN.submissions):
        page_writer(tmp_path, ids, PLAN)(result)
    folders = (tmp_path / "submissions", tmp_path / "feedback")
    before = inodes(*folders)
    write_reports(RUN, PLAN, tmp_path)
    assert inodes(*folders) == before
    # A page of a submission that is gone goes with the class page.
    page_writer(tmp_path, ["gone"], PLAN)(replace(MANY_FAULTS, id="gone"))
    assert inodes(*folders).keys() == {*before, "gone.html"}
    write_reports(RUN, PLAN, tmp_path)
    assert inodes(*folders).keys() == before.keys()


def test_one_submission_fewer_changes_only_the_pages_beside_it(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path)
    before, ids = inodes(tmp_path / "submissions"), [result.id for result in RUN.submissions]
    left = (*RUN.submissions[:2], *RUN.submissions[3:])
    write_reports(replace(RUN, submissions=left), PLAN, tmp_path)
    after = inodes(tmp_path / "submissions")
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {page_name(ids[1]), page_name(ids[3])}


def test_pages_lead_to_the_ones_before_and_after(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path)
    ids = [result.id for result in RUN.submissions]
    texts = [(tmp_path / "submissions" / page_name(name)).read_text("utf-8") for name in ids]
    for at, text in enumerate(texts):
        found = dict(re.findall(r'<a rel="(prev|next)" href="([^"]*)"', text))
        near = {"prev": ids[at - 1] if at else None, "next": (*ids, None)[at + 1]}
        assert found == {rel: page_name(name) for rel, name in near.items() if name}


def test_a_forged_manifest_removes_nothing_elsewhere(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.html", tmp_path / "reports"
    outside.write_text("precious")
    folder.mkdir()
    forged = "../outside.html\nsubmissions/../../outside.html 0 0\n/etc/hostname"
    (folder / MANIFEST).write_text(forged)
    write_reports(RunResult(facts=RUN.facts, submissions=()), PLAN, folder)
    assert outside.read_text() == "precious"


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path / "a")
    write_reports(RUN, PLAN, tmp_path / "b")
    first, second = (
        {p.relative_to(tmp_path / side): p.read_bytes() for p in (tmp_path / side).rglob("*.*")}
        for side in "ab"
    )
    assert first == second


def test_a_process_takes_templates_as_they_were_compiled() -> None:
    pages = environment.__wrapped__()
    with patch.object(Environment, "_parse", side_effect=AssertionError("compiled again")):
        for name in pages.list_templates(["j2"]):
            assert pages.get_template(name).name == name


@pytest.mark.parametrize("tier", list(Tier))
def test_the_class_page_lists_what_the_tier_could_not_prevent(tier: Tier) -> None:
    sentence = NOT_PREVENTED[tier]
    assert sentence.endswith(".")
    facts = replace(FACTS, tier=tier, not_prevented=sentence)
    text = pages_read.Page(class_page(replace(RUN, facts=facts), PLAN)).text
    assert text.count(sentence) == (2 if tier is Tier.PORTABLE else 1)
    assert ("Graded without confinement" in text) == (tier is Tier.PORTABLE)


# Each scenario many times, as a plan with swept values has it.
COPIES = 10
LARGE = replace(
    PLAN,
    scenarios=tuple(
        replace(scenario, id=f"{scenario.id}[{copy}]", points=Fraction(1))
        for scenario in PLAN.scenarios
        for copy in range(COPIES)
    ),
)


def large(result: SubmissionResult, name: str) -> SubmissionResult:
    rows = tuple(
        replace(
            row,
            scenario_id=f"{row.scenario_id}[{n}]",
            verdict=report_samples.PASSED if n else row.verdict,
        )
        for row in result.scenarios
        for n in range(COPIES)
    )
    return replace(result, id=name, scenarios=rows)


def filled(folder: Path, count: int, plan: Plan) -> Path:
    with Store.open(folder / STORE_NAME) as store:
        store.begin(FACTS, plan)
        for number in range(count):
            store.save(large(PERFECT if number % 8 else MANY_FAULTS, f"s{number:04}"))
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("small"), 20, LARGE)


@pytest.mark.process
def test_memory_is_flat(small: Path, tmp_path: Path) -> None:
    many = filled(tmp_path, 200, LARGE)
    few, more = measured(small).peak_mib, measured(many).peak_mib
    assert more < 1.3 * few
    whole = json.loads((many / "results.json").read_text(encoding="ascii"))
    assert len(whole["submissions"]) == 200
    ran = {entry["passed"] + len(entry["failed"]) for entry in whole["submissions"]}
    assert ran == {len(LARGE.scenarios)} == {len(whole["scenarios"])}
    with (many / "marks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [entry["id"] for entry in whole["submissions"]]
    assert len(list((many / "feedback").iterdir())) == 200


def test_fewer_submissions_take_the_further_pages_away(small: Path, tmp_path: Path) -> None:
    with Store.read_only(small / STORE_NAME) as store:
        results = tuple(store.run().submissions)[:2]
    with Store.open(tmp_path / STORE_NAME) as store:
        store.begin(FACTS, PLAN)
        for number in range(201):
            store.save(replace(results[number % 2], id=f"s{number}", scenarios=()))
        write_reports(store.run(), PLAN, tmp_path)
        assert inodes(tmp_path / "marks").keys() == {"2.html", "3.html"}
        store.keep_only(["s0"])
        write_reports(store.run(), PLAN, tmp_path)
    assert inodes(tmp_path / "marks", tmp_path / "submissions").keys() == {"s0.html"}


GOLDEN = Path(__file__).parent / "golden"
UNFINISHED = RunResult(
    facts=replace(
        FACTS,
        complete=False,
        finished="",
        python="3.11.7",
        notices=("No Python 3.12 was found; graded with the nearest one.",),
    ),
    submissions=(report_samples.OUR_FAULT,),
)


def _feedback(result: SubmissionResult) -> str:
    return feedback_page(student_view(result, PLAN))


def _check(result: SubmissionResult, most: int = 3) -> str:
    return pages_read.without_blanks(explain_failures(student_view(result, PLAN), most, width=100))


PAGES: dict[str, Callable[[], str]] = {
    "index.html": lambda: class_page(RUN, PLAN),
    "index-unfinished.html": lambda: class_page(UNFINISHED, PLAN),
    "index-empty.html": lambda: class_page(RunResult(facts=FACTS, submissions=()), PLAN),
    "index-tests.html": lambda: class_page(fault_samples.RUN, fault_samples.PLAN),
    "submission-many-faults.html": lambda: submission_page(MANY_FAULTS, PLAN),
    "submission-perfect.html": lambda: submission_page(PERFECT, PLAN),
    "submission-our-fault.html": lambda: submission_page(report_samples.OUR_FAULT, PLAN),
    "feedback-many-faults.html": lambda: _feedback(MANY_FAULTS),
    "feedback-perfect.html": lambda: _feedback(PERFECT),
    "feedback-asks-at-import.html": lambda: _feedback(report_samples.IMPORT_ASKS),
    "feedback-syntax-error.html": lambda: _feedback(report_samples.UNREADABLE),
    "feedback-wrong-name.html": lambda: _feedback(report_samples.WRONG_NAME),
    "feedback-our-fault.html": lambda: _feedback(report_samples.OUR_FAULT),
    "summary.txt": lambda: pages_read.on_terminal(summary_table(RUN, PLAN)),
    "summary-unfinished.txt": lambda: pages_read.on_terminal(summary_table(UNFINISHED, PLAN)),
    "check.txt": lambda: _check(MANY_FAULTS, 20),
    "check-syntax-error.txt": lambda: _check(report_samples.UNREADABLE),
    "check-perfect.txt": lambda: _check(PERFECT),
    "show.txt": lambda: pages_read.on_terminal(show_submission(MANY_FAULTS, PLAN)),
    "scenario.txt": lambda: explain_scenario(MANY_FAULTS.scenarios[6], PLAN.scenarios[6]),
}


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str) -> None:
    pages_read.assert_golden(GOLDEN / name, pages_read.without_style(PAGES[name]()))


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith(".html")])
def test_structure(name: str) -> None:
    """One h1, no heading level skipped, a main part, table headers, a language."""
    page = pages_read.assert_inert(PAGES[name](), scripts=1)
    tags = [tag for tag, _ in page.elements]
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-4]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tags.count("main") == 1
    assert ("html", {"lang": "en"}) in page.elements
    assert tags.count("table") <= tags.count("th")
    identifiers = [a["id"] for _, a in page.elements if "id" in a]
    assert len(identifiers) == len(set(identifiers))


def test_no_golden_is_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(PAGES)
