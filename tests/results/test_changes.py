"""Changes that people made, in the run's database, also in one from before there were any."""

import os
import random
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from harness.common import serial
from harness.common.csv_tables import Sheet
from harness.model.assignment import ManualSlot, RubricItem
from harness.model.result import Adjustment, LineComment, ManualMark, SubmissionResult
from harness.model.review import (
    Action,
    Adjusted,
    Change,
    Commented,
    ItemPicked,
    LineCommented,
    MarkGiven,
    Undone,
)
from harness.reporting.export.manual_marks import read_manual
from harness.results.database import StoreReader
from harness.results.store import Store, record
from tests.reporting.pages_read import refusal
from tests.results.small_run import FACTS, PLAN, result
from tests.tiny_course import change_run

STYLE = ManualSlot(id="style", title="Style", out_of=Fraction(4))
ADA = replace(result("ada"), manual=(ManualMark(slot=STYLE),))
MARK = MarkGiven(slot="style", mark=Fraction(3))


def draft(action: Action, submission: str = "ada", who: str = "ann") -> Change:
    return Change(
        who=who,
        assignment=FACTS.assignment,
        submission=submission,
        action=action,
        source_digest=ADA.source_digest,
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    with Store.open(tmp_path / "run.sqlite") as store:
        store.begin(FACTS, PLAN)
        store.save(ADA, state_digest="s1")
    yield store.path


def whole_ada(database: Path) -> SubmissionResult:
    with StoreReader.read_only(database) as reader:
        found = reader.whole_result("ada")
    assert found is not None
    return found


def mark_of_ada(database: Path) -> Fraction | None:
    return whole_ada(database).manual[0].mark


def test_a_change_is_there_at_once_and_can_be_undone(database: Path) -> None:
    (change,) = record(database, [draft(MARK)])
    assert mark_of_ada(database) == 3
    record(database, [draft(Undone(change=change.id))])
    assert mark_of_ada(database) is None
    record(database, [replace(draft(MARK), assignment="other")])  # counts there alone
    assert mark_of_ada(database) is None


def test_marks_by_people_are_joined_and_not_stored_with_the_result(database: Path) -> None:
    late = Adjusted(adjustment=Adjustment(marks=Fraction(-1, 2), reason="a day late"))
    gone, said = replace(MARK, slot="gone"), Commented(text="Short and clear.")
    record(database, [*map(draft, (MARK, gone, late, said)), draft(MARK, "nobody")])
    with StoreReader.read_only(database) as reader:
        (ada,) = reader.run().submissions
        assert reader.result("ada") == ADA
    assert ada.manual == (ManualMark(slot=STYLE, mark=Fraction(3)),)
    assert (ada.adjustment, ada.comment, ada.notes) == (late.adjustment, said.text, ADA.notes)
    assert (ada.total, ada.total_out_of) == (7, 10)
    record(database, map(draft, (replace(MARK, mark=None), Adjusted(), Commented(text=""))))
    with StoreReader.read_only(database) as reader:
        assert [*reader.run().submissions] == [ADA]


def test_two_writers_take_turns_and_each_sees_the_other(database: Path) -> None:
    record(database, [draft(MARK)])
    record(database, [draft(replace(MARK, mark=Fraction(2)), who="ben")])
    with StoreReader.read_only(database) as reader:
        (first, ann), (_, ben) = reader.changes()
        assert (ann.who, ben.who) == ("ann", "ben")
        assert ann.at < ben.at
        assert [change for _, change in reader.changes(after=first)] == [ben]
    assert mark_of_ada(database) == 2


def test_later_counts_where_a_clock_was_put_back(database: Path) -> None:
    (change,) = record(database, [draft(MARK)])
    ahead = replace(change, at="2999-01-01T00:00:00.000000+00:00")
    change_run(database.parent, "UPDATE change SET data = ?", serial.dumps(ahead))
    record(database, [draft(replace(MARK, mark=Fraction(1)))])
    assert mark_of_ada(database) == 1


def test_people_mark_while_a_grading_writes_and_its_end_keeps_it(database: Path) -> None:
    with Store.open(database) as store:
        store.begin(FACTS, PLAN)
        store.keep_only(["ada"], state_digest="s2")
        record(database, [draft(MARK)])
        store.save(replace(ADA, mark=Fraction(1)), state_digest="s2")
        store.finish(FACTS)
        record(database, [draft(Commented(text="good"))])
    assert mark_of_ada(database) == 3
    with Store.open(database, fresh=True) as store:
        store.begin(FACTS, PLAN)
        store.save(replace(ADA, source_digest="b" * 64), state_digest="s3")
        (found,) = store.run().submissions
    assert (found.manual[0].mark, found.comment) == (3, "good")
    earlier = "a tutor marked an earlier version of these files"
    assert found.notes == (*ADA.notes, earlier)


def test_a_comment_on_a_line_alone_does_not_say_so_of_the_marks(database: Path) -> None:
    on_line = LineComment(id="1", file="a1.py", line=1, text="hm", quoted="x = 1")
    record(database, [draft(LineCommented(comment=on_line))])
    with Store.open(database) as store:
        store.save(replace(ADA, source_digest="b" * 64))
        (found,) = store.run().submissions
    assert found.line_comments[0].outdated
    assert found.notes == ADA.notes


def test_a_table_that_has_a_rubrics_mark_as_it_is_leaves_it_the_rubrics(database: Path) -> None:
    slot = replace(STYLE, rubric=(RubricItem(id="names", title="Names", points=Fraction(2)),))
    plan = replace(PLAN, assignment=replace(PLAN.assignment, manual=(slot,)))

    def take(store: Store, *row: str) -> None:
        sheet = Sheet(rows=(("id", "style", "comment"), row), place="m.csv", lines=(1, 2))
        store.append(read_manual(sheet, store.run(), plan))

    with Store.open(database) as store:
        store.save(replace(ADA, manual=(ManualMark(slot=slot),)))
        record(database, [draft(ItemPicked(slot="style", item="names"))])
        take(store, "ada", "2", "good")
        assert [type(change.action) for _, change in store.changes()] == [ItemPicked, Commented]
        take(store, "ada", "1", "")
    assert mark_of_ada(database) == 1


def test_changes_of_a_forgotten_submission_are_gone(database: Path) -> None:
    record(database, [draft(MARK), draft(MARK, "eve"), draft(Commented(text="zq-secret"))])
    with Store.open(database) as store:
        store.forget("ada", FACTS)
        assert [change.submission for _, change in store.changes()] == ["eve"]
    assert b"zq-secret" not in database.read_bytes()


VERSIONS = {"newer": 999, "older": 3}  # of the file, neither of which is known


@pytest.mark.parametrize("damage", ["absent", "a text", "newer", "older"])
def test_an_invalid_store_is_refused_in_one_line(database: Path, damage: str) -> None:
    if damage in VERSIONS:
        change_run(database.parent, f"PRAGMA user_version = {VERSIONS[damage]}")
    else:
        database.unlink()
        if damage == "a text":
            database.write_text("x" * 4096)
    assert "\n" not in refusal(record, database, [draft(MARK)])
    assert database.exists() == (damage != "absent")


TOGETHER = 3  # changes of one save


def acknowledged(database: Path, seconds: float) -> int:
    """How many saves a process has told of until a timer kills it at some instruction."""
    come, out = os.pipe()
    child = os.fork()
    if not child:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, seconds)
            while True:
                record(database, [draft(Commented(text=f"{n}" * 50)) for n in range(TOGETHER)])
                os.write(out, b".")
        finally:
            os._exit(1)
    os.close(out)
    with os.fdopen(come, "rb") as saves:
        count = len(saves.read())
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    return count


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
@pytest.mark.parametrize("kills", [6, pytest.param(50, marks=pytest.mark.release)])
def test_a_kill_at_any_moment_loses_nothing(database: Path, kills: int) -> None:
    moments, there, longest = random.Random(7), 0, 0.08
    for _ in range(kills):
        saves = acknowledged(database, moments.uniform(0.002, longest))
        longest *= 1 if there or saves else 2  # a busy machine saves nothing so soon
        with StoreReader.read_only(database) as reader:
            now = len(reader.changes())
        assert now % TOGETHER == 0, "a part of a save is there"
        missing = there + saves * TOGETHER - now
        assert missing in (0, -TOGETHER), f"{missing} changes are missing"
        there = now
        assert change_run(database.parent, "PRAGMA integrity_check") == [("ok",)]
    assert there > 0
