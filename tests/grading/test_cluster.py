"""A scheduler and two workers, over TLS: the same bytes as on one machine, whoever is killed; what
travels comes back as it was, bounded; who does not serve is refused."""

import json
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.soak import runs
from harness import grade, load_assignment
from harness.common import serial
from harness.common.errors import UserError
from harness.execution import TierTrial, find_interpreter
from harness.grading import machine
from harness.grading.engines import Job, WorkerFailure, WorkerSetup, dask
from harness.grading.engines.dask import Cluster, described, engine
from harness.grading.engines.dask import host as wire
from harness.grading.engines.dask.engine import Roster
from harness.grading.engines.dask.host import NOT_TRIED, WorkerHost
from harness.grading.observing.setup import GraderSetup
from harness.model.assignment import SourceFile
from harness.model.observation import Tier
from harness.model.result import Event, Notice, SubmissionGraded
from harness.model.submission import Submission, Withheld
from harness.model.verdict import Verdict, VerdictKind
from harness.results.reuse import Packer
from tests.plans import key, plan, scenario
from tests.results.small_run import observed, result
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


def test_a_cluster_gives_the_same_bytes(cluster: Running, course: Course, local: Path) -> None:
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
        monkeypatch.setattr(engine, name, value)
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


def test_a_dead_workers_work_goes_elsewhere(cluster: Running, course: Course, local: Path) -> None:
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
    done = course.run(*("grade", "submissions/tiny", "--out", out, "--scheduler", address, *more))
    assert done.status == 2
    return done.err.splitlines()[-1]


def test_who_has_no_certificate_gets_no_answer(
    cluster: Running, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "CONNECT_SECONDS", 0.5)
    plain = cluster[0].address.replace("tls://", "tcp://")
    assert refused(course, plain).startswith(f"error: {plain}: no scheduler answers (")


def test_no_scheduler_is_one_line(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "CONNECT_SECONDS", 0.2)
    address = "tcp://127.0.0.1:1"
    last = refused(course, address)
    assert last.startswith(f"error: {address}: no scheduler answers (")
    assert last.endswith("Hint: start it with: dask scheduler")
    assert "--jobs and --scheduler cannot be combined" in refused(course, address, "--jobs", "2")


def test_without_distributed_the_error_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dask.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'distributed>="):
        dask.require_distributed()


KEPT = {"k": (observed(),), "l": (observed(),)}, {"v": Verdict(kind=VerdictKind.PASSED)}
ANSWER = wire.WorkerAnswer(
    worker="tcp://a:1", ended=result("ada"), pieces=tuple(Packer().pieces(*KEPT))
)
SETUP = WorkerSetup(
    grader=GraderSetup(plan=plan(scenario("f/b")), key=key({}), secret=b"\0secret"),
    interpreter=find_interpreter("3.12"),
    tier=Tier.STANDARD,
)


def test_a_job_comes_back_as_it_was() -> None:
    submission = Submission(
        id="ada",
        files=(SourceFile(name="a1.py", data=b"\xff\0x"),),
        origin="class/ada",
        notes=("a note",),
        withheld=Withheld.LATE,
    )
    for only in (None, ("f/b", "f/a")):
        job = Job(submission=submission, only=only)
        assert serial.loads(Job, serial.dumps(job)) == job


def test_an_answer_comes_back_as_it_was() -> None:
    for answer in [
        wire.WorkerAnswer(worker="tcp://a:1", refused="it is tired"),
        ANSWER,
        wire.WorkerAnswer(worker="", ended=WorkerFailure(reason="full disk")),
    ]:
        assert wire.unpack_answer(wire.pack_answer(answer)) == answer


def test_an_answer_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(wire.pack_answer(replace(ANSWER, pieces=())))
    assert sum(len(text) for piece in ANSWER.pieces for _, text in piece.texts) < size
    monkeypatch.setattr(wire, "MAX_ANSWER", size)
    monkeypatch.setattr(wire, "_fit", lambda pieces: False)
    assert wire.unpack_answer(wire.pack_answer(ANSWER)) == replace(ANSWER, pieces=())
    monkeypatch.undo()
    monkeypatch.setattr(wire, "MAX_ANSWER", size // 2 - 1)
    failed = wire.unpack_answer(wire.pack_answer(ANSWER)).ended
    assert isinstance(failed, WorkerFailure) and "too large" in failed.reason


@pytest.mark.parametrize(
    "data",
    [
        None,
        "text",
        b"",
        b"\x80\x04\x95pickle",
        b"[]",
        b"{}",
        b'{"worker":"a","refused":"","ended":{},"pieces":[]}',
        b'{"worker":"a","refused":"","ended":{"is":"SubmissionResult","id":4},"pieces":[]}',
        b"[" * 100_000,
    ],
)
def test_an_invalid_answer_is_an_error(data: object) -> None:
    with pytest.raises(serial.SerialError):
        wire.unpack_answer(data)


@pytest.mark.parametrize("field", ["observations", "verdicts", "texts"])
@pytest.mark.parametrize("change", [lambda row: row[:1], lambda row: ["AA==", *row[1:]]])
def test_a_piece_cut_off_is_refused(field: str, change: Callable[[list[str]], list[str]]) -> None:
    plain = json.loads(wire.pack_answer(ANSWER))
    cut: Any = plain["pieces"][0][field]
    plain["pieces"][0][field] = [change(row) for row in cut]
    with pytest.raises(serial.SerialError):
        wire.unpack_answer(json.dumps(plain).encode())


def test_a_plan_that_is_too_large_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_SETUP", 4 << 20)
    large = replace(SETUP.grader, plan=plan(spec_digest="x" * (5 << 20)))
    with pytest.raises(
        UserError, match=r"have 5 MiB; a cluster's limit is 4 MiB\. Hint: grade with"
    ):
        wire.pack_setup(replace(SETUP, grader=large), described())
    packed = wire.pack_setup(SETUP, described())
    monkeypatch.setattr(wire, "MAX_SETUP", 4)
    with pytest.raises(serial.SerialError):
        wire.unpack_setup(packed)


@pytest.mark.parametrize(
    ("address", "files", "said"),
    [
        ("grading.example.edu", 0, "not an address of a scheduler"),
        ("tcp://grading.example.edu", 0, "not an address of a scheduler"),
        ("tls://h:1", 0, "TLS needs the authority's certificate, an own certificate and its key"),
        ("tls://h:1", 2, "TLS needs the authority's certificate, an own certificate and its key"),
        ("tcp://h:1", 3, "uses no certificates"),
    ],
)
def test_an_address_or_a_certificate_that_does_not_fit_is_refused(
    address: str, files: int, said: str
) -> None:
    given = dict.fromkeys(("ca", "cert", "key")[:files], Path("x.pem"))
    with pytest.raises(UserError, match=said):
        Cluster(address=address, **given)


HOLDS = TierTrial(tier=Tier.STANDARD)


@pytest.mark.parametrize(
    ("setup", "require", "trial", "said"),
    [
        (SETUP, Tier.STANDARD, HOLDS, ""),
        (SETUP, Tier.PORTABLE, HOLDS, ""),
        (SETUP, Tier.STRONG, HOLDS, "it requires the strong tier, but the run uses standard"),
        (
            SETUP,
            Tier.STANDARD,
            TierTrial(tier=Tier.STANDARD, shortcoming="bubblewrap is not installed"),
            "the standard tier does not hold there: bubblewrap is not installed",
        ),
        (
            replace(SETUP, interpreter=replace(SETUP.interpreter, build="cpython 3.12.9 other")),
            Tier.STANDARD,
            HOLDS,
            "the run's cpython 3.12.9 other",
        ),
    ],
)
def test_a_worker_that_does_not_serve_gives_a_reason(
    setup: WorkerSetup, require: Tier, trial: TierTrial, said: str
) -> None:
    host = WorkerHost(jobs=1, python=None, require=require)
    with machine.try_tier.replaced_by(lambda interpreter, tier: trial):
        found = host.shortcoming(wire.pack_setup(setup, described()), "name")
    assert found.endswith(said) and bool(found) == bool(said)


def test_another_harness_is_refused() -> None:
    host = WorkerHost(jobs=1, python=None, require=Tier.STANDARD)
    found = host.shortcoming(wire.pack_setup(SETUP, "harness 9.9 (0123)"), "name")
    assert found == f"it has {described()}, the run harness 9.9 (0123)"
    assert host.shortcoming(b"of another", "other") == f"its harness differs: {described()}"


def test_a_failure_makes_a_worker_try_anew_if_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full: the job goes elsewhere, and is not a fact about the submission."""
    trials = iter([HOLDS, replace(HOLDS, shortcoming="No space left on device")])
    answer = wire.WorkerAnswer(worker="", ended=WorkerFailure(reason="No space left on device"))
    monkeypatch.setattr(WorkerHost, "_attempt", lambda *given: answer)
    host = WorkerHost(jobs=1, python=None, require=Tier.STANDARD)
    job = Job(submission=Submission(id="ada", files=(), origin=""))
    assert host.grade("name", job).refused == NOT_TRIED
    with machine.try_tier.replaced_by(lambda interpreter, tier: next(trials)):
        assert host.shortcoming(wire.pack_setup(SETUP, described()), "name") == ""
        answer = host.grade("name", job)
    assert answer.ended is None
    assert answer.refused.endswith("the standard tier does not hold there: No space left on device")


def _identity(**workers: tuple[str, int]) -> Any:
    return {
        "workers": {
            address: {"name": name, "resources": {"harness": count} if count else {}}
            for address, (name, count) in workers.items()
        }
    }


class Watched(Roster):
    """Workers, what is told of them, and time as a test has it pass."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.told: list[str] = []
        monkeypatch.setattr(engine, "time", SimpleNamespace(monotonic=lambda: self.now))
        super().__init__("tcp://s:1", lambda each: SimpleNamespace(key=each), self.told.append)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


def test_a_worker_that_has_forgotten_the_run_is_tried_anew(workers: Watched) -> None:
    workers.look(_identity(**{"tcp://a:1": ("ada", 1)}))
    workers.accept("tcp://a:1")
    assert workers.able() == {"tcp://a:1": 1}
    workers.forget("tcp://a:1")
    assert workers.able() == {}
    workers.look(_identity(**{"tcp://a:1": ("ada", 1)}))
    workers.accept("tcp://a:1")
    assert workers.able() == {"tcp://a:1": 1} and workers.told == []


def test_only_workers_that_were_tried_get_work(workers: Watched) -> None:
    workers.look(_identity(a=("one", 4), b=("two", 2), c=("jupyter", 0)))
    assert workers.able() == {}
    workers.accept("a")
    workers.refuse("b", "its Python is 3.11")
    workers.refuse("b", "its Python is 3.11")
    assert workers.able() == {"a": 4}
    assert workers.told == [
        "worker jupyter is not used: it was not started by harness worker",
        "worker two is not used: its Python is 3.11",
    ]
    workers.look(_identity(d=("four", 1)))
    assert workers.able() == {}


def test_without_workers_there_is_an_end_to_waiting(workers: Watched) -> None:
    workers.look(_identity(a=("one", 4)))
    workers.must_have_some()
    workers.now += engine.PATIENCE + 1
    with pytest.raises(UserError, match=r"no worker grades this run .1 do not answer."):
        workers.must_have_some()
    workers.accept("a")
    workers.must_have_some()
    workers.look(_identity())
    workers.must_have_some()
    workers.now += engine.PATIENCE + 1
    with pytest.raises(UserError, match=r"there is none.; finished submissions are kept"):
        workers.must_have_some()


def test_where_all_are_refused_nobody_waits(workers: Watched) -> None:
    workers.look(_identity(a=("one", 4)))
    workers.refuse("a", "it is tired")
    with pytest.raises(UserError, match=r"no worker grades this run .one: it is tired."):
        workers.must_have_some()
