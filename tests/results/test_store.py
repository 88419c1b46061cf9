"""The store on real files: what comes back, what is never used again, and who may write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.model.observation import Ending
from harness.model.verdict import Verdict, VerdictKind
from harness.results.reuse import encoded
from harness.results.store import Store
from tests.results.small_run import BROKEN, FACTS, PLAN, UNREADABLE, observed, result, save


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "run.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A run that has begun."""
    with Store.open(path) as store:
        store.begin(FACTS, PLAN)
        yield store


def test_everything_comes_back_as_it_was(path: Path) -> None:
    observations = {"k1": (observed(text="\udc80é\0"), observed(Ending.CPU_LIMIT)), "k2": ()}
    verdicts = {"v1": result("ada").scenarios[1].verdict}
    finished = replace(FACTS, complete=True, finished="later")
    with Store.open(path) as store:
        store.begin(FACTS, PLAN)
        save(store, result("ada", "1"), {"k1": (observed(text="old"),)}, state_digest="old")
        for one in (UNREADABLE, result("ada"), BROKEN):
            save(store, one, observations, verdicts, state_digest="s1")
        store.finish(finished)
    with Store.open(path) as store:
        found = [store.observations(key) for key in ("k1", "k2", "k3")]
        assert found == [observations["k1"], (), None]
        assert (store.verdict("v1"), store.verdict("v2")) == (verdicts["v1"], None)
        assert (store.result("ada"), store.result("eve")) == (result("ada"), None)
        assert store.states() == dict.fromkeys(("ada", "broken", "unreadable"), "s1")
        assert store.plan() == PLAN
        run = store.run()
        assert (run.facts, [*run.submissions]) == (finished, [result("ada"), BROKEN, UNREADABLE])


@pytest.mark.parametrize("ending", list(Ending))
def test_what_passes_is_not_used_again(store: Store, ending: Ending) -> None:
    passing = {"timeout", "harness_error", "stopped_early", "stand_in_failed"}
    save(store, result("ada"), {"k": (observed(), observed(ending))})
    assert (store.observations("k") is None) == (ending.value in passing)


@pytest.mark.parametrize("kind", list(VerdictKind))
def test_verdicts_that_pass_are_not_used_again(store: Store, kind: VerdictKind) -> None:
    passing = {VerdictKind.TIMEOUT, VerdictKind.HARNESS_ERROR, VerdictKind.STOPPED_EARLY}
    save(store, result("ada"), {}, {"v": Verdict(kind=kind)})
    assert (store.verdict("v") is None) == (kind in passing)


def test_a_run_starts_anew_over_what_is_there(store: Store) -> None:
    store.save(result("ada"))
    store.finish(replace(FACTS, complete=True))
    store.begin(replace(FACTS, started="later"), PLAN)
    run = store.run()
    assert not run.facts.complete
    assert run.facts.started == "later"
    assert [one.id for one in run.submissions] == ["ada"]


def test_fresh_forgets_everything(store: Store) -> None:
    save(store, result("ada"), {"k": (observed(),)})
    store.close()
    with Store.open(store.path, fresh=True) as fresh:
        assert fresh.result("ada") is None
        assert fresh.earlier("ada", result("ada").source_digest) is None
        assert fresh.observations("k") is None
        with pytest.raises(UserError, match="holds no facts"):
            fresh.run()


def test_other_submissions_and_other_states_are_dropped(store: Store) -> None:
    store.save(result("ada"), state_digest="new")
    store.save(result("eve"), state_digest="old")
    save(store, result("gone"), {"k": (observed(),)}, state_digest="new")
    store.keep_only(["ada", "eve"])
    assert [one.id for one in store.run().submissions] == ["ada", "eve"]
    store.keep_only(["ada", "eve"], state_digest="new")
    assert [one.id for one in store.run().submissions] == ["ada"]
    assert store.observations("k") == (observed(),)


def test_another_assignments_run_is_not_overwritten(store: Store) -> None:
    with pytest.raises(UserError, match=r"holds a run of small, not of other\. Hint: "):
        store.begin(replace(FACTS, assignment="other"), PLAN)
    assert store.run().facts == FACTS


def test_readers_see_what_is_committed_while_a_writer_writes(path: Path, store: Store) -> None:
    with Store.read_only(path) as reader:
        assert reader.result("ada") is None
        save(store, result("ada"), {"k": (observed(),)})
        assert reader.result("ada") == result("ada")
        assert reader.observations("k") == (observed(),)


def test_a_finished_run_is_one_file_also_after_it_was_read(path: Path, store: Store) -> None:
    store.save(result("ada"))
    store.close()
    with Store.read_only(path) as reader:
        assert reader.result("ada") == result("ada")
    assert {each.name for each in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}
    with Store.open(path) as again, Store.read_only(path) as reader:
        again.save(result("bob"))
        assert reader.result("bob") == result("bob")


def test_one_writer_at_a_time(path: Path, store: Store) -> None:
    with pytest.raises(UserError, match="another run is writing"):
        Store.open(path)
    store.close()
    with Store.open(path) as again:
        again.save(result("ada"))


def test_a_lock_held_by_another_program_is_one_line(path: Path, store: Store) -> None:
    store._connection.execute("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UserError, match="another run is writing"):
        store.save(result("ada"))
    other.execute("ROLLBACK")
    other.close()
    store.save(result("ada"))
    assert store.result("ada") == result("ada")


def test_a_newer_harnesss_results_are_refused(path: Path, store: Store) -> None:
    store.close()
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    before = path.read_bytes()
    for attempt in (
        lambda: Store.open(path),
        lambda: Store.read_only(path),
        lambda: Store.open(path, fresh=True),  # what people gave could not be kept
    ):
        with pytest.raises(UserError, match="written by a newer harness"):
            attempt()
    assert path.read_bytes() == before


def test_a_file_of_something_else_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a database, but long enough to be read as one\n" * 40)
    with pytest.raises(UserError, match="this is no results file"):
        Store.open(path)
    with pytest.raises(UserError, match="this is no results file"):
        Store.read_only(path)
    assert path.read_text().startswith("not a database")
    other = path.with_name("other.sqlite")
    with pytest.raises(UserError, match="there are no results here"):
        Store.read_only(other)
    with sqlite3.connect(other) as raw:
        raw.execute("CREATE TABLE theirs (a)")
    raw.close()
    with pytest.raises(UserError, match="this is no results file of the harness"):
        Store.open(other)
    with pytest.raises(UserError, match="the results cannot be written"):
        Store.open(path / "run.sqlite")


def test_an_unreadable_row_is_observed_and_judged_again(path: Path, store: Store) -> None:
    seen = {"k": (observed(),), "z": (observed(text="z"),)}
    save(store, result("ada"), seen, {"v": Verdict(kind="x")})
    store.close()
    damaged = blake2b(encoded((observed(),)), digest_size=16).digest()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE text SET data = x'00' WHERE digest = ?", (damaged,))
        raw.execute("UPDATE submission SET result = '{\"unknown\": 1}'")
    raw.close()
    with Store.open(path) as again:
        assert again.observations("k") is None
        assert again.observations("z") == (observed(text="z"),)
        assert again.verdict("v") is None
        assert again.result("ada") is None
        save(again, result("ada"), {"k": (observed(),)})
        assert again.observations("k") == (observed(),)


def test_the_same_text_is_stored_once(path: Path) -> None:
    slow = replace(observed(), cpu_seconds=0.7)
    with Store.open(path) as store:
        for number in range(3):
            save(store, result(f"s{number}"), {f"k{number}": (slow if number else observed(),)})
        assert store.observations("k0") == store.observations("k2") == (observed(),)
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM text").fetchone() == (1,)
        assert raw.execute("SELECT count(*) FROM observation").fetchone() == (3,)
    raw.close()


def test_observations_are_small(path: Path) -> None:
    board = ("|-|-|-|-|-|-|-|-|\n" * 8 + " 1 2 3 4 5 6 7 8 \n") * 20
    with Store.open(path) as store:
        save(store, result("ada"), {f"k{n}": (observed(text=board),) for n in range(200)})
    assert path.stat().st_size < 200 * len(board) / 5
