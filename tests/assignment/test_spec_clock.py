"""`clock:` what time programs are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.assignment.document import HintedError
from harness.assignment.scenarios.stimulus import read_clock
from harness.model.plan import Scenario
from tests.assignment.small_assignment import ASSIGNMENT, HEAD, A, errors_of, plan_of

READ = {
    ("2026-03-01T12:00", ""): "2026-03-01T12:00:00+00:00",
    ("2026-03-01 12:00:30", "UTC"): "2026-03-01T12:00:30+00:00",
    ("2026-03-01", "Australia/Brisbane"): "2026-03-01T00:00:00+10:00",
    ("2026-03-01T12:00Z", "Australia/Brisbane"): "2026-03-01T12:00:00+00:00",
    ("2026-03-01T12:00-03:30", "Australia/Brisbane"): "2026-03-01T12:00:00-03:30",
    ("2026-07-01T12:00", "Europe/London"): "2026-07-01T12:00:00+01:00",
    ("2028-02-29", "Europe/London"): "2028-02-29T00:00:00+00:00",
}
REFUSED = {
    ("2026-02-30", ""): (
        "there is no 2026-02-30 (day is out of range for month)",
        "write a day and a time that there are",
    ),
    ("2026-03-01T24:30", ""): (
        "there is no 2026-03-01T24:30 (hour must be in 0..23)",
        "write a day and a time that there are",
    ),
    ("2026-03-29T01:30", "Europe/London"): (
        "there is no 2026-03-29T01:30 in Europe/London: clocks are put forward then",
        "write 2026-03-29T02:30",
    ),
    ("2026-10-25T01:30", "Europe/London"): (
        "clocks in Europe/London show 2026-10-25T01:30 twice: they are put back then",
        "write 2026-10-25T01:30+01:00 or 2026-10-25T01:30+00:00",
    ),
    ("1969-07-20", ""): (
        "1969-07-20 is out of what a computer's clock tells",
        "write a year from 1970 to 9998",
    ),
    ("2026-3-1", ""): (
        "expected a date and a time, got '2026-3-1'",
        "write one like 2026-03-01T12:00, or a date alone for its midnight",
    ),
    ("noon", ""): (
        "expected a date and a time, got 'noon'",
        "write one like 2026-03-01T12:00, or a date alone for its midnight",
    ),
}


@pytest.mark.parametrize("written", READ, ids=" ".join)
def test_a_time_is_read_in_its_zone(written: tuple[str, str]) -> None:
    assert read_clock(*written).time.isoformat() == READ[written]


@pytest.mark.parametrize("written", REFUSED, ids=" ".join)
def test_what_no_clock_shows_is_refused(written: tuple[str, str]) -> None:
    with pytest.raises(HintedError) as refused:
        read_clock(*written)
    assert (str(refused.value), refused.value.hint) == REFUSED[written]


def loaded(root: Path, *lines: str, settings: str = "", head: str = "") -> tuple[Scenario, ...]:
    body = "\n".join(("call: check_input('a')", *lines))
    return plan_of(root, body, head=head + HEAD, changes={A: ASSIGNMENT + settings}).scenarios


def clocks(scenarios: tuple[Scenario, ...]) -> dict[str, list[str]]:
    return {
        scenario.id: [
            each.clock.time.isoformat() if each.clock else "" for each in scenario.stimuli
        ]
        for scenario in scenarios
    }


ZONE = "time_zone: Australia/Brisbane\nclock: 2026-03-01T12:00\n"


def test_the_assignment_has_a_clock_that_a_file_and_a_scenario_replace(tmp_path: Path) -> None:
    assert clocks(loaded(tmp_path)) == {"f/s": [""]}
    ours = "2026-03-01T12:00:00+10:00"
    assert clocks(loaded(tmp_path, settings=ZONE)) == {"f/s": [ours]}
    head = "clock: 2027-01-01\n"
    assert clocks(loaded(tmp_path, settings=ZONE, head=head)) == {
        "f/s": ["2027-01-01T00:00:00+10:00"]
    }
    own = "clock: 2028-02-29T08:00"
    assert clocks(loaded(tmp_path, own, settings=ZONE, head=head)) == {
        "f/s": ["2028-02-29T08:00:00+10:00"]
    }


def test_a_list_is_swept_with_the_constants(tmp_path: Path) -> None:
    found = loaded(
        tmp_path, "constants: {BOARD_SIZE: [4, 5]}", 'clock: [2026-03-01, "2028-02-29T08:00"]'
    )
    first, second = "2026-03-01T00:00:00+00:00", "2028-02-29T08:00:00+00:00"
    assert clocks(found) == {
        "f/s[BOARD_SIZE=4,clock=2026-03-01]": [first],
        "f/s[BOARD_SIZE=4,clock=2028-02-29T08:00]": [second],
        "f/s[BOARD_SIZE=5,clock=2026-03-01]": [first],
        "f/s[BOARD_SIZE=5,clock=2028-02-29T08:00]": [second],
    }


def test_the_time_that_is_swept_fills_in_texts(tmp_path: Path) -> None:
    (scenario,) = loaded(tmp_path, "clock: [2026-03-01]", 'prints: "{{ clock }}\\n"')
    assert scenario.stated.prints is not None
    assert scenario.stated.prints.exact_text == "2026-03-01\n"


def test_a_row_has_its_own_time(tmp_path: Path) -> None:
    found = loaded(tmp_path, "clock: 2026-03-01", "cases: [{clock: 2027-01-01}, {returns: true}]")
    assert clocks(found) == {"f/s": ["2027-01-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00"]}


def test_a_mistake_in_the_assignment_has_its_place(tmp_path: Path) -> None:
    settings = "time_zone: Europe/London\nclock: 2026-03-29T01:30\n"
    (error,) = errors_of(tmp_path, {A: ASSIGNMENT + settings})
    assert error == (
        "specs/small/assignment.yaml:10:8: clock: there is no 2026-03-29T01:30 in Europe/London: "
        "clocks are put forward then. Hint: write 2026-03-29T02:30."
    )
