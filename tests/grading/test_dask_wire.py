"""What travels in a cluster comes back as it was, bounded; who does not serve is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.common import serial
from harness.common.errors import UserError
from harness.execution import TierTrial, find_interpreter
from harness.grading.engines import Job, WorkerFailure, WorkerSetup
from harness.grading.engines.dask import Cluster, described, engine
from harness.grading.engines.dask import host as wire
from harness.grading.engines.dask.engine import Roster
from harness.grading.engines.dask.host import NOT_TRIED, WorkerHost
from harness.model.assignment import SourceFile
from harness.model.observation import Tier
from harness.model.submission import Submission, Withheld
from harness.model.verdict import Verdict, VerdictKind
from harness.results.reuse import Packer
from tests.plans import key, plan, scenario
from tests.results.small_run import observed, result

pytest.importorskip("distributed")

SETUP = WorkerSetup(
    plan=plan(scenario("f/b")),
    key=key({}),
    interpreter=find_interpreter("3.12"),
    tier=Tier.STANDARD,
    cpu=None,
    store=None,
    thorough=False,
    secret=b"\0secret",
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
    pieces = tuple(
        Packer().pieces(
            {"k": (observed(),), "l": (observed(),)}, {"v": Verdict(kind=VerdictKind.PASSED)}
        )
    )
    graded = result("ada")
    answers = [
        wire.WorkerAnswer(worker="tcp://a:1", refused="it is tired"),
        wire.WorkerAnswer(worker="tcp://a:1", ended=graded, pieces=pieces),
        wire.WorkerAnswer(worker="", ended=WorkerFailure(reason="full disk")),
    ]
    for answer in answers:
        assert wire.unpack_answer(wire.pack_answer(answer)) == answer


def test_an_answer_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = tuple(Packer().pieces({"k": (observed(),)}, {}))
    graded = result("ada")
    answer = wire.WorkerAnswer(worker="tcp://a:1", ended=graded, pieces=pieces)
    size = len(wire.pack_answer(replace(answer, pieces=())))
    data = sum(len(text) for piece in pieces for _, text in piece.texts)
    assert data < size
    monkeypatch.setattr(wire, "MOST_ANSWER", size)
    monkeypatch.setattr(wire, "_fit", lambda pieces: False)
    assert wire.unpack_answer(wire.pack_answer(answer)) == replace(answer, pieces=())
    monkeypatch.undo()
    monkeypatch.setattr(wire, "MOST_ANSWER", size // 2 - 1)
    failed = wire.unpack_answer(wire.pack_answer(answer)).ended
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
def test_what_is_no_answer_is_an_error(data: object) -> None:
    with pytest.raises(serial.SerialError):
        wire.unpack_answer(data)


@pytest.mark.parametrize("field", ["observations", "verdicts", "texts"])
@pytest.mark.parametrize("change", [lambda row: row[:1], lambda row: ["AA==", *row[1:]]])
def test_a_piece_that_is_cut_off_is_an_error(
    field: str, change: Callable[[list[str]], list[str]]
) -> None:
    pieces = tuple(Packer().pieces({"k": (observed(),)}, {"v": Verdict(kind=VerdictKind.PASSED)}))
    graded = result("ada")
    plain = json.loads(wire.pack_answer(wire.WorkerAnswer(worker="", ended=graded, pieces=pieces)))
    cut: Any = plain["pieces"][0][field]
    plain["pieces"][0][field] = [change(row) for row in cut]
    with pytest.raises(serial.SerialError):
        wire.unpack_answer(json.dumps(plain).encode())


def test_a_plan_that_is_too_large_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_SETUP", 4 << 20)
    with pytest.raises(UserError, match=r"are 5 MiB, and a cluster takes 4 MiB\. Hint: grade with"):
        wire.pack_setup(replace(SETUP, plan=plan(spec_digest="x" * (5 << 20))), described())
    packed = wire.pack_setup(SETUP, described())
    monkeypatch.setattr(wire, "MOST_SETUP", 4)
    with pytest.raises(serial.SerialError):
        wire.unpack_setup(packed)


@pytest.mark.parametrize(
    ("address", "files", "said"),
    [
        ("grading.example.edu", 0, "no address of a scheduler"),
        ("tcp://grading.example.edu", 0, "no address of a scheduler"),
        ("tls://h:1", 0, "TLS needs an authority, a certificate and its key"),
        ("tls://h:1", 2, "TLS needs an authority, a certificate and its key"),
        ("tcp://h:1", 3, "uses no certificates"),
    ],
)
def test_addresses_and_certificates(address: str, files: int, said: str) -> None:
    given = dict.fromkeys(("ca", "cert", "key")[:files], Path("x.pem"))
    with pytest.raises(UserError, match=said):
        Cluster(address=address, **given)


HOLDS = TierTrial(tier=Tier.STANDARD)


@pytest.mark.parametrize(
    ("setup", "require", "trial", "said"),
    [
        (SETUP, Tier.STANDARD, HOLDS, ""),
        (SETUP, Tier.PORTABLE, HOLDS, ""),
        (SETUP, Tier.STRONG, HOLDS, "no work below the strong tier, the run is standard"),
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
def test_a_worker_that_does_not_serve_says_why(
    setup: WorkerSetup, require: Tier, trial: TierTrial, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{WorkerHost.__module__}.try_tier", lambda interpreter, tier: trial)
    host = WorkerHost(jobs=1, python=None, require=require)
    found = host.shortcoming(wire.pack_setup(setup, described()), "name")
    assert found.endswith(said) and bool(found) == bool(said)


def test_another_harness_is_refused() -> None:
    host = WorkerHost(jobs=1, python=None, require=Tier.STANDARD)
    found = host.shortcoming(wire.pack_setup(SETUP, "harness 9.9 (0123)"), "name")
    assert found == f"it has {described()}, the run harness 9.9 (0123)"
    assert (
        host.shortcoming(b"of a later format", "other") == f"it has another harness: {described()}"
    )


def test_a_failure_makes_a_worker_try_anew_whether_it_serves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A disk that is full: the job goes elsewhere, and is no fact about the submission."""
    trials = iter([HOLDS, replace(HOLDS, shortcoming="No space left on device")])
    monkeypatch.setattr(f"{WorkerHost.__module__}.try_tier", lambda interpreter, tier: next(trials))
    failure = WorkerFailure(reason="No space left on device")
    answer = wire.WorkerAnswer(worker="", ended=failure)
    monkeypatch.setattr(WorkerHost, "_attempt", lambda *given: answer)
    host = WorkerHost(jobs=1, python=None, require=Tier.STANDARD)
    job = Job(submission=Submission(id="ada", files=(), origin=""))
    assert host.grade("name", job, "tcp://a:1").refused == NOT_TRIED
    assert host.shortcoming(wire.pack_setup(SETUP, described()), "name") == ""
    answer = host.grade("name", job, "tcp://a:1")
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
    with pytest.raises(UserError, match=r"there is none.; what is graded is kept"):
        workers.must_have_some()


def test_where_all_are_refused_nobody_waits(workers: Watched) -> None:
    workers.look(_identity(a=("one", 4)))
    workers.refuse("a", "it is tired")
    with pytest.raises(UserError, match=r"no worker grades this run .one: it is tired."):
        workers.must_have_some()
