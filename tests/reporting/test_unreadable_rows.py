"""A result that is stored and cannot be read costs its submission alone, in everything that is made
of a run."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.model.result import SubmissionStatus
from harness.reporting.export import exporters
from harness.reporting.export.exporter import ExportRequest, export_of_all
from harness.reporting.html.course_pages import course_page
from harness.reporting.mail import MailRequest, mails
from harness.reporting.terminal.tables import summary_table
from harness.reporting.two_runs import comparison_csv
from harness.reporting.writing import write_reports
from harness.results.comparing import compare_runs, read_snapshot
from harness.results.course import merge_runs, read_course
from harness.results.database import read_run, read_submission
from harness.review.desk import Desk
from tests.review.marked_class import database_of

BAD, GOOD = "s002", "s003"
ROWS = {
    "no result": b"garbage",
    "other fields": '{"unknown": 1}',
    "nested without end": "[" * 100_000,
}


@pytest.fixture(params=ROWS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = database_of(tmp_path / "run", 4)
    connection = sqlite3.connect(path)
    row = ROWS[request.param]
    connection.execute("UPDATE submission SET result = ? WHERE id = ?", (row, BAD))
    connection.commit()
    connection.close()
    return path


def test_everything_is_made_of_the_others(database: Path) -> None:
    folder = database.parent
    run, plan = read_run(folder)
    statuses = {each.id: each.status for each in run.submissions}
    assert statuses.pop(BAD) is SubmissionStatus.HARNESS_ERROR
    assert SubmissionStatus.HARNESS_ERROR not in statuses.values()
    assert read_submission(folder, BAD)[0].mark is None
    assert read_submission(folder, GOOD)[0].mark is not None
    write_reports(run, plan, folder)
    plain = json.loads((folder / "results.json").read_bytes())
    assert len(plain["submissions"]) == len(statuses) + 1
    assert summary_table(run, plan)
    request = ExportRequest(run=run, plan=plan, folder=folder)
    for name in ("csv", "json", "junit", "feedback", "manual-marks"):
        assert GOOD.encode() in export_of_all(exporters()[name], request).data
    sent = list(mails(run, plan, folder, MailRequest(sender="a@b.example", at=datetime.now(UTC))))
    assert [each.id for each in sent] == sorted([*statuses, BAD])
    runs, unread = read_course(folder)
    assert not unread
    assert course_page(merge_runs("C1", runs, []))
    desk = Desk(database, who="")
    numbers = desk.numbers()
    assert desk.result(numbers[BAD]).problem
    assert desk.result(numbers[GOOD]).mark is not None


def test_it_is_compared_with_itself_when_it_could_be_read(database: Path, tmp_path: Path) -> None:
    whole = read_snapshot(database_of(tmp_path / "whole", 4).parent)
    comparison = compare_runs(whole, read_snapshot(database.parent))
    assert [change.id for change in comparison.changes] == [BAD]
    assert BAD in comparison_csv(comparison)


def test_an_entry_of_results_json_that_lacks_a_field_costs_itself(tmp_path: Path) -> None:
    folder = database_of(tmp_path / "run", 4).parent
    run, plan = read_run(folder)
    write_reports(run, plan, folder)
    path = folder / "results.json"
    plain = json.loads(path.read_bytes())
    del plain["submissions"][1]["out_of"]
    other = tmp_path / "other.json"
    other.write_text(json.dumps(plain))
    comparison = compare_runs(read_snapshot(path), read_snapshot(other))
    assert [change.id for change in comparison.changes] == [BAD]
    for number in ("1e999999999", "1e-999999999", "9" * 200):
        other.write_text(path.read_text().replace('"mark": ', f'"mark": {number}, "was": ', 1))
        with pytest.raises(UserError, match=r"not a results\.json"):
            read_snapshot(other)
