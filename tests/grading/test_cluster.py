"""A scheduler and two workers, over TLS: the same bytes as on one machine, whoever is killed."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchmarks.soak import runs
from harness import grade, load_assignment
from harness.common.errors import UserError
from harness.grading.engines import dask as engine
from harness.grading.engines.dask import Cluster
from harness.grading.engines.dask import engine as client
from harness.model.result import Event, Notice, SubmissionGraded
from tests.tiny_course import FIXTURE, HARNESS, Course, environment, rows

distributed = pytest.importorskip("distributed")
Running = tuple[Cluster, list[subprocess.Popen[str]]]

CERTIFICATE = (
    *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
    *("-days", "2", "-subj", "/CN=cluster", "-keyout", "key.pem", "-out", "cert.pem"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cluster")
    subprocess.run(CERTIFICATE, cwd=place, check=True, capture_output=True)
    return place


@pytest.fixture(scope="module")
def course(folder: Path) -> Course:
    return Course.copy(FIXTURE, folder / "course")


@pytest.fixture(scope="module")
def local(course: Course) -> Path:
    out = course.root / "local"
    assert course.run("grade", "submissions/tiny", "--out", out).status == 0
    return out


@pytest.fixture(scope="module")
def cluster(folder: Path, course: Course) -> Iterator[Running]:
    cert, key = folder / "cert.pem", folder / "key.pem"
    roles = {"scheduler", "client"}
    security = distributed.Security(
        tls_ca_file=str(cert),
        require_encryption=True,
        **{f"tls_{role}_cert": str(cert) for role in roles},
        **{f"tls_{role}_key": str(key) for role in roles},
    )
    with ExitStack() as stack:
        scheduler: Any = stack.enter_context(
            distributed.LocalCluster(
                n_workers=0, security=security, protocol="tls", dashboard_address=":0"
            )
        )
        found = Cluster(address=scheduler.scheduler_address, ca=cert, cert=cert, key=key)
        workers = [
            stack.enter_context(
                subprocess.Popen(
                    [
                        *(HARNESS, "worker", "--scheduler", found.address, "--jobs", "1"),
                        *("--name", f"worker {number}"),
                        *("--tls-ca", cert, "--tls-cert", cert, "--tls-key", key),
                    ],
                    cwd=folder,
                    env=environment(),
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for number in (1, 2)
        ]
        for worker in workers:
            stack.callback(worker.kill)
        for worker in workers:
            assert worker.stderr is not None
            assert worker.stderr.readline().startswith("worker ")
            assert "grades for tls://" in worker.stderr.readline()
        yield found, workers


def graded_by(cluster: Cluster, course: Course, out: Path, then: Callable[[], None]) -> list[str]:
    """The notices of a run in which `then` is done after each submission."""
    graded: list[str] = []
    notices: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, SubmissionGraded):
            graded.append(event.result.id)
            then()
        if isinstance(event, Notice):
            notices.append(event.text)

    assignment, programs = load_assignment(course.root, "tiny"), course.root / "submissions/tiny"
    run = grade(assignment, [programs], out, cluster=cluster, listener=hear)
    assert run.facts.complete
    assert sorted(graded) == [each.id for each in run.submissions]
    return notices


def equal(out: Path, local: Path) -> None:
    assert runs.timeless(out) == runs.timeless(local)
    assert runs.pages(out) == runs.pages(local)


def test_a_cluster_gives_the_bytes_of_one_machine(
    cluster: Running, course: Course, local: Path
) -> None:
    found, _ = cluster
    out = course.root / "remote"
    shutil.copytree(local, out)  # the secret that draws what is looked at twice
    done = course.ok(
        *("grade", "submissions/tiny", "--out", out, "--fresh", "--scheduler", found.address),
        *("--tls-ca", str(found.ca), "--tls-cert", str(found.cert), "--tls-key", str(found.key)),
    )
    assert "not used" not in done.err
    equal(out, local)
    for table in ("observation", "verdict"):
        keys = [{row[0] for row in rows(each, table)} for each in (out, local)]
        assert keys[0] == keys[1]


def test_a_hung_workers_work_goes_elsewhere(
    cluster: Running, course: Course, local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SLOW_SECONDS", 0.5), ("SLOW", 0.0), ("FETCH_SECONDS", 2.0)):
        monkeypatch.setattr(client, name, value)
    found, workers = cluster

    def then() -> None:
        workers[0].send_signal(signal.SIGSTOP)
        workers[1].send_signal(signal.SIGCONT)

    workers[1].send_signal(signal.SIGSTOP)  # it is tried when the other one hangs already
    try:
        notices = graded_by(found, course, course.root / "hung", then)
    finally:
        for worker in workers:
            worker.send_signal(signal.SIGCONT)
    assert any(text.endswith("given to another worker too") for text in notices), notices
    equal(course.root / "hung", local)


def test_a_killed_workers_work_goes_elsewhere(
    cluster: Running, course: Course, local: Path
) -> None:
    found, workers = cluster
    notices = graded_by(found, course, course.root / "killed", workers[0].kill)
    equal(course.root / "killed", local)
    assert not [text for text in notices if "could not be graded" in text]


def test_a_worker_leaves_when_it_is_told_to(cluster: Running) -> None:
    _, workers = cluster
    workers[1].terminate()
    assert workers[1].wait(30) == 130


def refused(course: Course, address: str, *more: str) -> str:
    """The last line of what is said where no scheduler grades at this address."""
    out = course.root / "none"
    command = ("grade", "submissions/tiny", "--out", out, "--scheduler", address, *more)
    done = course.run(*command)
    assert done.status == 2
    return done.err.splitlines()[-1]


def test_who_has_no_certificate_gets_no_answer(
    cluster: Running, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "CONNECT_SECONDS", 0.5)
    plain = cluster[0].address.replace("tls://", "tcp://")
    assert refused(course, plain).startswith(f"error: {plain}: no scheduler answers (")


def test_no_scheduler_is_one_line(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "CONNECT_SECONDS", 0.2)
    address = "tcp://127.0.0.1:1"
    last = refused(course, address)
    assert last.startswith(f"error: {address}: no scheduler answers (")
    assert last.endswith("Hint: start it with: dask scheduler")
    assert "--jobs is for this machine" in refused(course, address, "--jobs", "2")


def test_without_distributed_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"Hint: pip install 'a1-harness\[cluster\]'"):
        engine.require_distributed()
