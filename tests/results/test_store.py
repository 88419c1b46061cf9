"""The store on real files, also after its writer was killed or the disk filled up."""

import os
import random
import resource
import signal
import sqlite3
import stat
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TextIO

import pytest

from harness.common.errors import UserError
from harness.model.observation import Ending
from harness.model.result import RunResult
from harness.model.verdict import Verdict, VerdictKind
from harness.results.database import STORE_NAME
from harness.results.reuse import PIECE_BYTES, Packer, encoded
from harness.results.store import Store
from tests.results.small_run import BROKEN, FACTS, PLAN, UNREADABLE, observed, result, save
from tests.tiny_course import NEWER, change_run, rows


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
def test_temporary_failures_are_not_used_again(store: Store, ending: Ending) -> None:
    passing = {"timeout", "harness_error", "not_run", "stopped_early", "stand_in_failed"}
    save(store, result("ada"), {"k": (observed(), observed(ending))})
    assert (store.observations("k") is None) == (ending.value in passing)


@pytest.mark.parametrize("kind", list(VerdictKind))
def test_verdicts_that_pass_are_not_used_again(store: Store, kind: VerdictKind) -> None:
    passing = {
        VerdictKind.TIMEOUT,
        VerdictKind.HARNESS_ERROR,
        VerdictKind.NOT_RUN,
        VerdictKind.STOPPED_EARLY,
    }
    save(store, result("ada"), {}, {"v": Verdict(kind=kind)})
    assert (store.verdict("v") is None) == (kind in passing)


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


def test_a_run_starts_anew_over_what_is_there_but_not_of_another_assignment(store: Store) -> None:
    store.save(result("ada"))
    store.finish(replace(FACTS, complete=True))
    later = replace(FACTS, started="later")
    store.begin(later, PLAN)
    assert store.run().facts == later
    assert [one.id for one in store.run().submissions] == ["ada"]
    with pytest.raises(UserError, match=r"contains a run of small, not of other\. Hint: "):
        store.begin(replace(FACTS, assignment="other"), PLAN)
    assert store.run().facts == later


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


def test_one_writer_at_a_time_also_where_another_program_locks(path: Path, store: Store) -> None:
    store._connection.execute("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UserError, match="another run is writing"):
        store.save(result("ada"))
    other.execute("ROLLBACK")
    other.close()
    store.save(result("ada"))
    assert store.result("ada") == result("ada")
    with pytest.raises(UserError, match="another run is writing"):
        Store.open(path)
    store.close()
    with Store.open(path) as again:
        again.save(result("ada"))


def test_a_newer_harnesss_results_are_refused(path: Path, store: Store) -> None:
    store.close()
    change_run(path.parent, NEWER)
    before = path.read_bytes()
    # If it began anew, what people gave could not be kept.
    for attempt in (Store.open, Store.read_only, partial(Store.open, fresh=True)):
        with pytest.raises(UserError, match=r"by a newer harness \(version 99 .* with --out"):
            attempt(path)
    assert path.read_bytes() == before


def test_a_file_of_something_else_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a database, but long enough to be read as one\n" * 40)
    for attempt in (Store.open, Store.read_only):
        with pytest.raises(UserError, match="this is not a results file"):
            attempt(path)
    assert path.read_text().startswith("not a database")
    other = path.with_name("other") / path.name
    with pytest.raises(UserError, match="no results were found"):
        Store.read_only(other)
    other.parent.mkdir()
    change_run(other.parent, "CREATE TABLE theirs (a)")
    with pytest.raises(UserError, match="this is not a results file of the harness"):
        Store.open(other)
    with pytest.raises(UserError, match="the results cannot be written"):
        Store.open(path / "run.sqlite")


def test_an_unreadable_row_is_observed_and_judged_again(path: Path, store: Store) -> None:
    seen = {"k": (observed(),), "z": (observed(text="z"),)}
    save(store, result("ada"), seen, {"v": Verdict(kind="x")})
    store.close()
    damaged = blake2b(encoded((observed(),)), digest_size=16).digest()
    change_run(path.parent, "UPDATE text SET data = x'00' WHERE digest = ?", damaged)
    change_run(path.parent, "UPDATE submission SET result = '{\"unknown\": 1}'")
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
    assert len(rows(path.parent, "text")) == 1
    assert len(rows(path.parent, "observation")) == 3


def test_observations_are_small(path: Path) -> None:
    board = ("|-|-|-|-|-|-|-|-|\n" * 8 + " 1 2 3 4 5 6 7 8 \n") * 20
    with Store.open(path) as store:
        save(store, result("ada"), {f"k{n}": (observed(text=board),) for n in range(200)})
    assert path.stat().st_size < 200 * len(board) / 5


ADA = result("ada")


def test_a_good_result_of_another_state_can_be_asked_for(store: Store) -> None:
    store.save(ADA, state_digest="s1")
    assert store.earlier("ada", ADA.source_digest) == ADA
    store.keep_only(["ada"], state_digest="s2")
    assert store.result("ada") is None
    assert store.earlier("ada", ADA.source_digest) == ADA
    assert store.earlier("ada", "0" * 64) is None
    newer = replace(ADA, mark=Fraction(1))
    store.save(newer, state_digest="s2")
    assert store.earlier("ada", ADA.source_digest) == newer
    failed = replace(BROKEN, id="ada", source_digest=ADA.source_digest)
    store.keep_only(["ada"], state_digest="s3")
    store.save(failed, state_digest="s3")
    store.keep_only(["ada"], state_digest="s4")
    assert store.earlier("ada", ADA.source_digest) == newer  # a failure of ours is no good
    store.save(replace(ADA, id="gone"), state_digest="s4")
    store.keep_only(["ada"], state_digest="s5")
    assert store.earlier("gone", ADA.source_digest) is None


def test_an_outline_is_the_result_without_its_long_parts(store: Store) -> None:
    notes = (',"scenarios":[', '],"source_digest":')
    tricky = replace(ADA, notes=notes, problem='"scenarios":[')
    for one in (tricky, replace(UNREADABLE, scenarios=())):
        store.save(one)
        assert store.outline(one.id) == replace(one, scenarios=(), causes=(), files=())
    assert store.outline("nobody") is None


def stored(folder: Path, *names: str, text: str = "") -> RunResult:
    """A run of these submissions, its store closed."""
    with Store.open(folder / STORE_NAME) as store:
        store.begin(FACTS, PLAN)
        for name in names:
            store.save(replace(result(name), comment=text))
        return store.run()


def test_it_is_read_as_often_as_asked_also_when_the_store_is_closed(tmp_path: Path) -> None:
    found = stored(tmp_path, "eve", "ada", "kim").submissions
    assert [one.id for one in found] == ["ada", "eve", "kim"]
    assert len(found) == 3
    assert [*found] == [result("ada"), result("eve"), result("kim")]
    assert result("eve") in found
    assert result("bob") not in found


def test_another_run_over_it_is_never_taken_for_it(tmp_path: Path) -> None:
    found = stored(tmp_path, "ada", "eve").submissions
    with Store.open(tmp_path / STORE_NAME) as store:
        store.keep_only(["ada"])
    assert next(iter(found)) == result("ada")
    with pytest.raises(UserError, match="another run has been written here"):
        list(found)
    with Store.open(tmp_path / STORE_NAME) as store:
        store.begin(replace(FACTS, started="another day"), PLAN)
    with pytest.raises(UserError, match="another run has been written here"):
        list(found)


def test_no_submission_stays_in_memory(tmp_path: Path) -> None:
    large = 200_000
    found = stored(tmp_path, *(f"s{n:02}" for n in range(40)), text="x" * large).submissions
    tracemalloc.start()
    try:
        assert sum(len(one.comment) for one in found) == 40 * large
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * large


def test_pieces_are_bounded() -> None:
    drawn = random.Random(7)  # texts that do not compress well
    large = {f"k{n}": (observed(text=drawn.randbytes(150_000).hex()),) for n in range(20)}
    pieces = list(Packer().pieces(large, {}))
    assert len(pieces) > 2
    sizes = [[len(data) for _, data in piece.texts] for piece in pieces]
    assert max(map(sum, sizes)) < PIECE_BYTES + max(map(max, sizes))
    assert sum(len(piece.observations) for piece in pieces) == 20
    pieces = list(Packer().pieces({f"k{number}": (observed(),) for number in range(5000)}, {}))
    assert [len(piece.texts) for piece in pieces] == [1, 0, 0]
    assert sum(len(piece.observations) for piece in pieces) == 5000


def test_a_text_is_sent_once_by_a_packer() -> None:
    packer, same = Packer(), (observed(),)
    passed = Verdict(kind=VerdictKind.PASSED)
    (first,) = packer.pieces({"a": same, "b": same}, {"v": passed})
    (second,) = packer.pieces({"c": same}, {"w": passed})
    assert [len(first.texts), len(second.texts)] == [2, 0]
    assert list(packer.pieces({}, {})) == []


def test_pieces_are_stored_even_if_their_result_never_came(path: Path) -> None:
    verdict = Verdict(kind=VerdictKind.PASSED)
    with Store.open(path) as store:
        for piece in Packer().pieces({"k": (observed(),)}, {"v": verdict}):
            store.add(piece)
    with Store.open(path) as store:
        assert store.observations("k") == (observed(),)
        assert store.verdict("v") == verdict
        assert store.states() == {}


def write(path: Path) -> None:
    with Store.open(path) as store:
        store.begin(FACTS, PLAN)
        for number in range(10_000):
            name = f"s{number:05}"
            observations = {f"{name}/{n}": (observed(text=name * 50),) for n in range(20)}
            verdicts = {f"{name}/{n}": result(name).scenarios[1].verdict for n in range(20)}
            save(store, result(name), observations, verdicts, state_digest=name)
            print(number, flush=True)


def fill_the_disk(path: Path) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = Store.open(path)
    store.begin(FACTS, PLAN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        for number in range(10_000):
            data = {f"{number}/{n}": (observed(text=str(n) * 99),) for n in range(50)}
            save(store, result(f"s{number:05}"), data)
            print(number, flush=True)
    except UserError as error:
        print(error, flush=True)


def read_and_write(path: Path) -> None:
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    with Store.read_only(path) as reader:
        print(reader.result("ada") == result("ada"), len(reader.run().submissions))
    try:
        Store.open(path)
    except UserError as error:
        print(error, flush=True)


@contextmanager
def started(function: Callable[[Path], None], path: Path) -> Iterator[tuple[int, TextIO]]:
    """A process that calls the function, and what it prints. It starts no interpreter, which takes
    long and may lie where the process may not look."""
    read, out = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.dup2(out, 1)
            sys.stdout = os.fdopen(1, "w", closefd=False)
            function(path)
            sys.stdout.flush()
            status = 0
        finally:
            os._exit(status)
    os.close(out)
    with os.fdopen(read) as output:
        yield child, output


@pytest.mark.process
@pytest.mark.parametrize("kill_after", [0, 1, 7, 23])
def test_a_killed_writer_leaves_whole_submissions(tmp_path: Path, kill_after: int) -> None:
    path = tmp_path / "run.sqlite"
    with started(write, path) as (writer, output):
        next(line for line in output if int(line) >= kill_after)
        os.kill(writer, signal.SIGKILL)
        assert os.waitpid(writer, 0)[1] == signal.SIGKILL
    with Store.open(path) as store:
        run = store.run()
        assert not run.facts.complete
        assert len(run.submissions) > kill_after
        for number, one in enumerate(run.submissions):
            assert one == result(f"s{number:05}")
            assert store.states().get(one.id) == one.id
            for key in (f"{one.id}/{n}" for n in range(20)):
                assert None not in (store.observations(key), store.verdict(key))
        after = f"s{len(run.submissions):05}"
        assert len({store.observations(f"{after}/{n}") is None for n in range(20)}) == 1
        store.save(result("z"))
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.process
def test_a_full_disk_is_one_line_and_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with started(fill_the_disk, path) as (writer, output):
        *stored, error = output.read().splitlines()
        assert os.waitpid(writer, 0)[1] == 0
    assert error.startswith(f"{path}: the disk ")
    assert len(stored) > 1
    with Store.open(path) as store:
        names = [f"s{number:05}" for number in range(len(stored))]
        assert [one.id for one in store.run().submissions] == names
        save(store, result("z"), {"k": (observed(),)})


@pytest.mark.process
def test_a_sealed_folder_can_be_read_not_written(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("sealed")
    for each in (folder, *folder.parents):  # one folder more where tests run side by side
        if not each.stat().st_mode & stat.S_IXOTH:
            each.chmod(0o755)
    path = folder / "run.sqlite"
    with Store.open(path) as store:
        store.begin(FACTS, PLAN)
        store.save(result("ada"))
    folder.chmod(0o555)
    with started(read_and_write, path) as (reader, output):
        first, second = output.read().splitlines()
        assert os.waitpid(reader, 0)[1] == 0
    folder.chmod(0o755)
    assert first == "True 1"
    assert second.startswith(f"{path}: ")


def test_an_error_while_saving_stores_nothing_of_it(store: Store) -> None:
    store._connection.execute(
        "CREATE TEMP TRIGGER stop BEFORE INSERT ON main.verdict "
        "BEGIN SELECT RAISE(ABORT, 'stopped'); END"
    )
    with pytest.raises(UserError, match="stopped"):
        save(store, ADA, {"k": (observed(),)}, {"v": ADA.scenarios[1].verdict})
    assert store.observations("k") is None
    assert store.verdict("v") is None
    assert store.states() == {}
    store._connection.execute("DROP TRIGGER stop")
    save(store, ADA, {"k": (observed(),)})
    assert store.observations("k") == (observed(),)
