"""Processes of workers: forked where that is possible, and the same where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from harness.grading.engines import processes

MODULE = "tests.grading.process_that_tells"


@pytest.fixture(params=["forked", "an interpreter of its own"])
def forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    forked: bool = request.param == "forked"
    if not forked:
        monkeypatch.setattr(processes, "_can_fork", lambda: False)
    return forked


@contextmanager
def started() -> Iterator[tuple[processes.ChildProcess, Connection]]:
    process, connection = processes.start(MODULE)
    with connection:
        connection.send(os.getpid())
        yield process, connection
    process.wait(60)


def test_a_process_has_what_we_have_at_its_start(
    forks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("one", "two"):
        folder = tmp_path / variable
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("TOLD", variable)
        with started() as (_, connection):
            assert connection.recv() == {
                "folder": str(folder),
                "variable": variable,
                "processors": os.sched_getaffinity(0),
                "leads its group": True,
                "parent": True,
                "forked": forks,
            }


@pytest.mark.usefixtures("forks")
def test_it_is_ended_and_waited_for() -> None:
    for end in ("terminate", "kill"):
        process, connection = processes.start(MODULE)
        with connection:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.01)
            getattr(process, end)()
            process.wait(60)
            with pytest.raises((EOFError, ConnectionResetError)):
                connection.recv()


def test_without_the_server_there_is_another() -> None:
    with started() as (_, before):
        server = processes._running_server()
        server._process.kill()
        server._process.wait()
        with started() as (_, after):
            assert after.recv()["forked"]
        assert before.recv()["variable"] == os.environ.get("TOLD", "")  # it lives on


def test_a_module_that_cannot_be_imported_is_an_error() -> None:
    with pytest.raises((EOFError, ConnectionError)):
        processes.start("tests.grading.no_such_module")
    with started() as (_, connection):
        assert connection.recv()["leads its group"]


_RUN = """
from harness.grading.engines.worker import SpawnedWorker
worker = SpawnedWorker("ready", "tests.grading.worker_that_hangs")
print(worker.receive(), flush=True)
worker.receive()
"""


def test_an_orphan_that_cannot_end_in_time_leaves_no_folder(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _RUN],
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"ready\n"
        assert list(tmp_path.iterdir())
        run.kill()
        run.stdout.read()  # until the orphan has ended too
    assert not list(tmp_path.iterdir())
