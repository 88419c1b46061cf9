"""What a later run must not take away: good results of the same bytes, and what people gave."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from harness.model.plan import ManualSlot
from harness.model.result import Adjustment, ByHand, ManualMark, SlotMark
from harness.results import Store
from tests.results.small_run import BROKEN, FACTS, PLAN, result

STYLE = ManualSlot(id="style", title="Style", out_of=Fraction(4))
ADA = replace(result("ada"), manual=(ManualMark(slot=STYLE),))
GIVEN = ByHand(
    marks=(SlotMark(slot="style", mark=Fraction(7, 3)), SlotMark(slot="gone", mark=Fraction(1))),
    adjustment=Adjustment(marks=Fraction(-1, 2), reason="a day late"),
    comment="Short and clear.",
    source_digest=ADA.source_digest,
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    with Store.open(tmp_path / "run.sqlite") as store:
        store.begin(FACTS, PLAN)
        store.save(ADA, {}, {}, state_digest="s1")
        yield store


def test_a_good_result_of_another_state_can_be_asked_for(store: Store) -> None:
    assert store.earlier("ada", ADA.source_digest) == ADA
    store.keep_only(["ada"], state_digest="s2")
    assert store.result("ada") is None
    assert store.earlier("ada", ADA.source_digest) == ADA
    assert store.earlier("ada", "0" * 64) is None
    newer = replace(ADA, mark=Fraction(1))
    store.save(newer, {}, {}, state_digest="s2")
    assert store.earlier("ada", ADA.source_digest) == newer


def test_a_failure_of_ours_is_no_good_result(store: Store) -> None:
    failed = replace(BROKEN, id="ada", source_digest=ADA.source_digest)
    store.keep_only(["ada"], state_digest="s2")
    store.save(failed, {}, {}, state_digest="s2")
    store.keep_only(["ada"], state_digest="s3")
    assert store.earlier("ada", ADA.source_digest) == ADA


def test_a_submission_that_is_gone_is_not_kept(store: Store) -> None:
    store.keep_only([], state_digest="s2")
    assert store.earlier("ada", ADA.source_digest) is None


def test_what_people_gave_is_joined_and_not_stored_with_the_result(store: Store) -> None:
    store.give({"ada": GIVEN, "nobody": GIVEN})
    (ada,) = store.run().submissions
    assert ada.manual == (ManualMark(slot=STYLE, mark=Fraction(7, 3)),)
    assert (ada.adjustment, ada.comment) == (GIVEN.adjustment, GIVEN.comment)
    assert ada.notes == ADA.notes
    assert (ada.total, ada.total_out_of) == (Fraction(9, 2) + Fraction(7, 3) - Fraction(1, 2), 10)
    assert store.result("ada") == ADA
    store.give({"ada": ByHand()})
    assert store.run().submissions == (ADA,)


def test_what_was_given_for_another_assignment_is_not_joined(store: Store) -> None:
    store.give({"ada": replace(GIVEN, assignment="other")})
    assert store.run().submissions == (ADA,)
    store.give({"ada": replace(GIVEN, assignment=FACTS.assignment)})
    assert store.run().submissions[0].comment == GIVEN.comment


def test_marks_for_earlier_bytes_say_so(store: Store) -> None:
    store.give({"ada": replace(GIVEN, source_digest="0" * 64)})
    (ada,) = store.run().submissions
    assert ada.notes == (
        *ADA.notes,
        "what a person gave was given for an earlier version of these files",
    )


def test_to_begin_anew_keeps_what_people_gave(store: Store) -> None:
    store.give({"ada": GIVEN})
    store.close()
    with Store.open(store.path, fresh=True) as fresh:
        assert fresh.result("ada") is None
        assert fresh.earlier("ada", ADA.source_digest) is None
        assert fresh.by_hand() == {"ada": GIVEN}


TOTALS = {
    "nothing by hand": ((), None, Fraction(9, 2)),
    "one is missing": ((None,), None, None),
    "all are there": ((Fraction(1, 3),), None, Fraction(29, 6)),
    "never below nothing": ((Fraction(0),), Adjustment(marks=Fraction(-9), reason="r"), 0),
    "never above the maximum": (
        (Fraction(0),),
        Adjustment(marks=Fraction(9), reason="r"),
        ADA.out_of + STYLE.out_of,
    ),
}


@pytest.mark.parametrize(("marks", "adjustment", "total"), TOTALS.values(), ids=TOTALS)
def test_totals(
    marks: tuple[Fraction | None, ...], adjustment: Adjustment | None, total: Fraction | None
) -> None:
    manual = tuple(ManualMark(slot=STYLE, mark=mark) for mark in marks)
    assert replace(ADA, manual=manual, adjustment=adjustment).total == total
    assert replace(ADA, manual=manual, mark=None).total is None
