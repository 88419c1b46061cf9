"""No submission stops the page for marking: forged results, and one that cannot be shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.model.result import RunResult, SubmissionResult
from harness.review.desk import Desk
from harness.review.server import HOST, create_app
from tests.reporting.report_samples import FACTS
from tests.reporting.test_hostile_class import BATCH, BESIDE, hostile_class, stored

HEAD = {"Host": f"{HOST}:80", "X-Token": "token"}


def screens(results: list[SubmissionResult], folder: Path) -> dict[str, str]:
    """The screen of each submission, by its id."""
    run = RunResult(facts=replace(FACTS, complete=True), submissions=tuple(results))
    desk = Desk(stored(run, folder), who="ann")
    app = create_app(desk, folder, "token")
    app.config |= {"PORT": 80, "TESTING": True}
    client = app.test_client()
    assert client.get("/since/0/0", headers=HEAD).status_code == 200
    found = {}
    for id, number in desk.numbers().items():
        answer = client.get(f"/submission/{number}", headers=HEAD)
        assert answer.status_code == 200
        found[id] = answer.json["html"]
    return found


def test_one_that_cannot_be_shown_is_shown_as_held(tmp_path: Path) -> None:
    found = screens([*BESIDE], tmp_path)
    assert set(found) == {each.id for each in BESIDE}
    assert "its screen could not be made" in found["broken"]
    assert "could not be made" not in found["many-faults"]


def test_forged_results_have_their_screens(tmp_path: Path) -> None:
    screens(hostile_class(0, 8), tmp_path)


@pytest.mark.release
@pytest.mark.parametrize("first", range(0, 1000, BATCH))
def test_a_thousand_forged_results_have_their_screens(first: int, tmp_path: Path) -> None:
    screens(hostile_class(first, BATCH), tmp_path)
