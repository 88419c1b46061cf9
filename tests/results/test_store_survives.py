"""What a store holds after its writer was killed, the disk filled up, or the folder was sealed."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from harness.common.errors import UserError
from harness.results.store import Store
from tests.results.small_run import FACTS, PLAN, observed, result

WRITER = """
import sys
from pathlib import Path
from tests.results.small_run import FACTS, PLAN, observed, result
from harness.results.store import Store

with Store.open(Path(sys.argv[1])) as store:
    store.begin(FACTS, PLAN)
    for number in range(10_000):
        name = f"s{number:05}"
        observations = {f"{name}/{n}": (observed(text=name * 50),) for n in range(20)}
        verdicts = {f"{name}/{n}": result(name).scenarios[1].verdict for n in range(20)}
        store.save(result(name), observations, verdicts, state_digest=name)
        print(number, flush=True)
"""

FULL = """
import resource, signal, sys
from pathlib import Path
from tests.results.small_run import FACTS, PLAN, observed, result
from harness.common.errors import UserError
from harness.results.store import Store

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
store = Store.open(path)
store.begin(FACTS, PLAN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    for number in range(10_000):
        data = {f"{number}/{n}": (observed(text=str(n) * 99),) for n in range(50)}
        store.save(result(f"s{number:05}"), data, {})
        print(number, flush=True)
except UserError as error:
    print(error, flush=True)
"""

SEALED = """
import os, sys
from pathlib import Path
from tests.results.small_run import FACTS, PLAN, result
from harness.common.errors import UserError
from harness.results.store import Store

path = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
with Store.read_only(path) as reader:
    print(reader.result("ada") == result("ada"), len(reader.run().submissions))
try:
    Store.open(path)
except UserError as error:
    print(error)
"""


@contextmanager
def started(script: str, path: Path) -> Iterator[tuple[int, TextIO]]:
    """A process that runs the script, and what it prints. It starts no interpreter, which takes
    long and may lie where the process may not look."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        execute(script, path)
    os.close(write)
    with os.fdopen(read) as output:
        yield child, output


def execute(script: str, path: Path) -> None:
    status = 1
    try:
        sys.argv = ["", str(path)]
        sys.stdout = os.fdopen(1, "w", closefd=False)
        exec(script, {})
        sys.stdout.flush()
        status = 0
    finally:
        os._exit(status)


@pytest.mark.process
@pytest.mark.parametrize("kill_after", [0, 1, 7, 23])
def test_a_killed_writer_leaves_whole_submissions(tmp_path: Path, kill_after: int) -> None:
    path = tmp_path / "run.sqlite"
    with started(WRITER, path) as (writer, output):
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
            assert all(store.observations(f"{one.id}/{n}") is not None for n in range(20))
            assert all(store.verdict(f"{one.id}/{n}") is not None for n in range(20))
        after = f"s{len(run.submissions):05}"
        assert all(store.observations(f"{after}/{n}") is None for n in range(20))
        store.save(result("z"), {}, {})
        check = store._connection.execute("PRAGMA integrity_check").fetchone()
        assert check == ("ok",)


@pytest.mark.process
def test_a_full_disk_is_one_line_and_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with started(FULL, path) as (writer, output):
        *stored, error = output.read().splitlines()
        assert os.waitpid(writer, 0)[1] == 0
    assert error.startswith(f"{path}: the disk ")
    assert len(stored) > 1
    with Store.open(path) as store:
        names = [one.id for one in store.run().submissions]
        assert names == [f"s{number:05}" for number in range(len(stored))]
        store.save(result("z"), {"k": (observed(),)}, {})


@pytest.mark.process
def test_a_sealed_folder_can_be_read_and_not_written(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("sealed")
    for each in (folder, *folder.parents):  # one folder more where tests run side by side
        if not each.stat().st_mode & stat.S_IXOTH:
            each.chmod(0o755)
    path = folder / "run.sqlite"
    with Store.open(path) as store:
        store.begin(FACTS, PLAN)
        store.save(result("ada"), {}, {})
    folder.chmod(0o555)
    with started(SEALED, path) as (reader, output):
        lines = output.read().splitlines()
        assert os.waitpid(reader, 0)[1] == 0
    folder.chmod(0o755)
    assert lines[0] == "True 1"
    assert lines[1].startswith(f"{path}: ")
    assert "Traceback" not in "".join(lines)


def test_an_error_while_saving_stores_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with Store.open(path) as store:
        store.begin(FACTS, PLAN)
        store._connection.execute(
            "CREATE TEMP TRIGGER stop BEFORE INSERT ON main.submission "
            "BEGIN SELECT RAISE(ABORT, 'stopped'); END"
        )
        with pytest.raises(UserError, match="stopped"):
            store.save(
                result("ada"), {"k": (observed(),)}, {"v": result("ada").scenarios[1].verdict}
            )
        assert store.observations("k") is None
        assert store.verdict("v") is None
        store._connection.execute("DROP TRIGGER stop")
        store.save(result("ada"), {"k": (observed(),)}, {})
        assert store.observations("k") == (observed(),)
