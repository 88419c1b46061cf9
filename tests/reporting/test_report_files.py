"""What a report folder holds: its files, pages in words (no names of ours, no silence about what
was open) and whole, as a reviewer can open them, templates that are compiled once for all
processes; a class ten times as large takes no more memory.

`UPDATE_GOLDEN=1 pytest tests/reporting/test_report_files.py` writes the pages anew.
"""

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
from harness.judging.differences import ENDINGS
from harness.model.observation import Ending, Tier
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
from tests.reporting.pages_read import (
    Page,
    assert_golden,
    assert_inert,
    on_terminal,
    without_blanks,
    without_style,
)
from tests.reporting.report_samples import (
    FACTS,
    IMPORT_ASKS,
    MANY_FAULTS,
    OUR_FAULT,
    PASSED,
    PERFECT,
    PLAN,
    RUN,
    UNREADABLE,
    WRONG_NAME,
    class_page,
)

HOSTILE_IDS = [
    "../../etc/passwd", "/etc/passwd", "..", ".", "", "a/b", "a\\b", "con", "NUL.txt",
    "x" * 500, "line\nend", "nul\x00", "\ud800", "\u202egpj", "<script>",
    "javascript:alert(1)", "CAPS", "caps", "Caps", "trailing.", "-rf", ".hidden", "Ümlaut",
    "caps-0123456789",
]  # fmt: skip


@pytest.mark.parametrize("submission_id", HOSTILE_IDS)
def test_page_names_are_safe(submission_id: str) -> None:
    name = page_name(submission_id)
    assert name.isascii()
    assert name.endswith(".html")
    assert name[0].isalnum()
    assert len(name) < 80
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def test_page_names_differ_also_where_case_does_not_count() -> None:
    names = {page_name(submission_id).lower() for submission_id in HOSTILE_IDS}
    assert len(names) == len(HOSTILE_IDS)
    assert page_name("jane.doe-7") == "jane.doe-7.html"


def test_a_name_that_looks_like_ours_cannot_take_anothers_page() -> None:
    assert page_name(page_name("CAPS").removesuffix(".html").lower()) != page_name("CAPS")


def test_every_page_of_a_run_and_beside_them_marks_and_results(tmp_path: Path) -> None:
    index = write_reports(RUN, PLAN, tmp_path / "new" / "folder")
    assert index == tmp_path / "new" / "folder" / "index.html"
    names = sorted(page_name(submission.id) for submission in RUN.submissions)
    for kind in ("submissions", "feedback"):
        assert sorted(path.name for path in (index.parent / kind).iterdir()) == names
    assert index.with_name("results.json").read_text("ascii") == results_json(RUN, PLAN)
    assert index.with_name("marks.csv").read_bytes() == marks_csv(RUN, PLAN).encode()


def test_pages_of_gone_submissions_go_with_a_whole_run_and_other_files_stay(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path)
    own = tmp_path / "feedback" / "my-notes.html"
    own.write_text("mine")
    fewer = RunResult(facts=RUN.facts, submissions=(PERFECT,))
    write_reports(replace(fewer, facts=UNFINISHED.facts), PLAN, tmp_path)
    assert (tmp_path / "submissions" / "many-faults.html").exists()
    write_reports(fewer, PLAN, tmp_path)
    assert sorted(p.name for p in (tmp_path / "submissions").iterdir()) == ["perfect.html"]
    assert sorted(p.name for p in (tmp_path / "feedback").iterdir()) == [
        "my-notes.html",
        "perfect.html",
    ]
    assert own.read_text() == "mine"


def test_the_class_page_says_how_strong_the_scenarios_are_where_that_is_known() -> None:
    assert "These scenarios notice" not in class_page(RUN, PLAN)
    facts = replace(RUN.facts, strength=StrengthFigures(changes=412, noticed=410))
    page = class_page(replace(RUN, facts=facts), PLAN)
    assert "These scenarios notice 99.5 % of 412 single-fault changes of the reference" in page


def inodes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.iterdir()}


def test_a_page_that_stands_there_as_it_would_be_written_is_left_alone(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path)
    (touched, changed) = ("perfect.html", "many-faults.html")
    before = inodes(tmp_path / "feedback")
    whole = {path.name: path.read_bytes() for path in (tmp_path / "feedback").iterdir()}
    (tmp_path / "feedback" / touched).write_text("an editor was here")
    commented = replace(MANY_FAULTS, comment="See me.")
    others = [result for result in RUN.submissions if result != MANY_FAULTS]
    again = replace(RUN, submissions=tuple(sorted([*others, commented], key=lambda r: r.id)))
    write_reports(again, PLAN, tmp_path)
    after = inodes(tmp_path / "feedback")
    assert {name for name in before if after[name] != before[name]} == {touched, changed}
    assert (tmp_path / "feedback" / touched).read_bytes() == whole[touched]
    assert b"See me." in (tmp_path / "feedback" / changed).read_bytes()


def test_another_plan_writes_all_pages_again(tmp_path: Path) -> None:
    write_reports(RUN, PLAN, tmp_path)
    before = inodes(tmp_path / "feedback")
    titled = replace(PLAN, assignment=replace(PLAN.assignment, title="Another title"))
    write_reports(RUN, titled, tmp_path)
    assert not set(before.items()) & set(inodes(tmp_path / "feedback").items())


def test_a_report_that_is_being_replaced_says_that_it_is_not_complete(tmp_path: Path) -> None:
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
def test_what_a_killed_run_did_not_come_to_rename_goes_with_the_next(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    names = (f".index.html.{gone.pid}.tmp", f"feedback/.perfect.html.{gone.pid}.tmp")
    others = (f".index.html.{os.getppid()}.tmp", ".mine.tmp", "submissions/.x.999999999.tm")
    for name in (*names, *others):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("half")
    write_reports(RUN, PLAN, tmp_path)
    assert not any((tmp_path / name).exists() for name in names)
    assert all((tmp_path / name).exists() for name in others)


def pages(folder: Path) -> dict[str, int]:
    return {**inodes(folder / "submissions"), **inodes(folder / "feedback")}


def test_what_workers_wrote_is_left_alone_at_the_end(tmp_path: Path) -> None:
    ids = [result.id for result in RUN.submissions]
    for result in reversed(RUN.submissions):
        page_writer(tmp_path, ids, PLAN)(result)
    before = pages(tmp_path)
    write_reports(RUN, PLAN, tmp_path)
    assert pages(tmp_path) == before


def test_one_submission_fewer_changes_the_pages_beside_it_alone(tmp_path: Path) -> None:
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


def test_a_page_of_a_submission_that_is_gone_goes_with_the_class_page(tmp_path: Path) -> None:
    page_writer(tmp_path, [MANY_FAULTS.id], PLAN)(MANY_FAULTS)
    assert set(pages(tmp_path)) == {"many-faults.html"}
    write_reports(RunResult(facts=RUN.facts, submissions=(OUR_FAULT,)), PLAN, tmp_path)
    assert set(pages(tmp_path)) == {"our-fault.html"}


def test_a_forged_manifest_removes_nothing_elsewhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text("precious")
    folder = tmp_path / "reports"
    folder.mkdir()
    forged = ["../outside.html", "submissions/../../outside.html 0 0", "/etc/hostname"]
    (folder / MANIFEST).write_text("\n".join(forged))
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


def test_how_a_program_ended_is_said_in_words() -> None:
    assert all(ENDINGS[ending] != ending.value for ending in Ending)


@pytest.mark.parametrize("tier", list(Tier))
def test_the_class_page_says_what_the_tier_could_not_prevent(tier: Tier) -> None:
    sentence = NOT_PREVENTED[tier]
    assert sentence.endswith(".")
    facts = replace(FACTS, tier=tier, not_prevented=sentence)
    text = Page(class_page(replace(RUN, facts=facts), PLAN)).text
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
            row, scenario_id=f"{row.scenario_id}[{copy}]", verdict=PASSED if copy else row.verdict
        )
        for row in result.scenarios
        for copy in range(COPIES)
    )
    return replace(result, id=name, scenarios=rows)


def filled(folder: Path, count: int, plan: Plan) -> Path:
    with Store.open(folder / STORE_NAME) as store:
        store.begin(FACTS, plan)
        for number in range(count):
            some = (MANY_FAULTS, PERFECT)[number % 8 > 0]
            store.save(large(some, f"s{number:04}"))
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
        assert sorted(path.name for path in (tmp_path / "marks").iterdir()) == ["2.html", "3.html"]
        store.keep_only(["s0"])
        write_reports(store.run(), PLAN, tmp_path)
    assert list((tmp_path / "marks").iterdir()) == []
    assert [path.name for path in (tmp_path / "submissions").iterdir()] == ["s0.html"]


GOLDEN = Path(__file__).parent / "golden"
UNFINISHED = RunResult(
    facts=replace(
        FACTS,
        complete=False,
        finished="",
        python="3.11.7",
        notices=("No Python 3.12 was found; graded with the nearest one.",),
    ),
    submissions=(OUR_FAULT,),
)


def _feedback(result: SubmissionResult) -> str:
    return feedback_page(student_view(result, PLAN))


def _check(result: SubmissionResult, most: int = 3) -> str:
    return without_blanks(explain_failures(student_view(result, PLAN), most, width=100))


PAGES: dict[str, Callable[[], str]] = {
    "index.html": lambda: class_page(RUN, PLAN),
    "index-unfinished.html": lambda: class_page(UNFINISHED, PLAN),
    "index-empty.html": lambda: class_page(RunResult(facts=FACTS, submissions=()), PLAN),
    "submission-many-faults.html": lambda: submission_page(MANY_FAULTS, PLAN),
    "submission-perfect.html": lambda: submission_page(PERFECT, PLAN),
    "submission-our-fault.html": lambda: submission_page(OUR_FAULT, PLAN),
    "feedback-many-faults.html": lambda: _feedback(MANY_FAULTS),
    "feedback-perfect.html": lambda: _feedback(PERFECT),
    "feedback-asks-at-import.html": lambda: _feedback(IMPORT_ASKS),
    "feedback-syntax-error.html": lambda: _feedback(UNREADABLE),
    "feedback-wrong-name.html": lambda: _feedback(WRONG_NAME),
    "feedback-our-fault.html": lambda: _feedback(OUR_FAULT),
    "summary.txt": lambda: on_terminal(summary_table(RUN, PLAN)),
    "summary-unfinished.txt": lambda: on_terminal(summary_table(UNFINISHED, PLAN)),
    "check.txt": lambda: _check(MANY_FAULTS, 20),
    "check-syntax-error.txt": lambda: _check(UNREADABLE),
    "check-perfect.txt": lambda: _check(PERFECT),
    "show.txt": lambda: on_terminal(show_submission(MANY_FAULTS, PLAN)),
    "scenario.txt": lambda: explain_scenario(MANY_FAULTS.scenarios[6], PLAN.scenarios[6]),
}


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str) -> None:
    assert_golden(GOLDEN / name, without_style(PAGES[name]()))


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith(".html")])
def test_structure(name: str) -> None:
    """One h1, no heading level skipped, a main part, table headers, a language."""
    page = assert_inert(PAGES[name](), scripts=1 if name.startswith("index") else 0)
    tags = [tag for tag, _ in page.elements]
    levels = [int(tag[1]) for tag in tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tags.count("main") == 1
    assert ("html", {"lang": "en"}) in page.elements
    assert tags.count("table") <= tags.count("th")
    identifiers = [a["id"] for _, a in page.elements if "id" in a]
    assert len(identifiers) == len(set(identifiers))


def test_no_golden_is_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(PAGES)
