"""A pattern that never comes to an end on one student's text stops neither batch nor others."""

from __future__ import annotations

from pathlib import Path

import pytest

import harness
from harness.matchers.kinds import texts
from harness.model.result import Event, Notice, SubmissionStatus
from tests.grading.stand_in_course import BANK, RIGHT, SHOP, hand_in, write
from tests.inline import grade_here

SPEC = """function: shop.py
scenarios:
  - name: one tin
    run: shop.py
    input: [1, q]
    prints: {matches: '(?:in it: )?(x+)+y|in it: 5'}
"""


def test_it_is_our_failure_and_the_batch_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path, {"specs/pair/shop.yaml": SPEC})
    hand_in(root, "right", RIGHT)
    words = SHOP.replace('"in it:"', f'"{"x" * 60}"')
    submissions = hand_in(root, "wordy", {"bank.py": BANK, "shop.py": words})
    events: list[Event] = []
    monkeypatch.setattr(texts, "BUDGET_SECONDS", 0.2)
    assignment = harness.load_assignment(root, "pair")
    run = grade_here(assignment, submissions, root / "out", listener=events.append)
    statuses = {each.id: each.status for each in run.submissions}
    assert statuses == {
        "right": SubmissionStatus.GRADED,
        "wordy": SubmissionStatus.HARNESS_ERROR,
    }
    (notice,) = (event.text for event in events if isinstance(event, Notice))
    start = "wordy: could not be graded: shop/one-tin: the pattern "
    assert notice.startswith(start)
    assert "takes more than 0.2 s of CPU time on a text of " in notice
