"""Runs the client's side of a cluster: submissions go out as tasks of dask, and answers come in.

dask queues and balances tasks and restarts those of a dead worker. Added here are the choice of
workers, a bound on the tasks that are out, a second copy of a task that takes far longer than the
others, and another worker after a failure of ours.
"""

import queue
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any

from harness.common import serial
from harness.common.errors import UserError
from harness.grading.engines import Ended, TheJob, WorkerFailure, WorkerSetup
from harness.grading.engines.dask import (
    RESOURCE,
    Cluster,
    connect,
    described,
    host,
    require_distributed,
)
from harness.grading.engines.dask.host import WorkerAnswer, pack_setup, unpack_answer
from harness.grading.grader import Graded
from harness.results.reuse import Piece

PATIENCE = 60.0  # seconds without any worker that could take part
CALL_SECONDS = 30.0  # for the scheduler to answer
FETCH_SECONDS = 30.0  # seconds for workers to hand over their answers
LOOK_SECONDS = 1.0  # between two looks at the workers
AHEAD = 2  # tasks that are out for each submission that a worker grades at a time
TOGETHER = 8  # answers fetched at a time, to limit memory
# Send a second copy after at least this time, and SLOW times the longest so far.
SLOW_SECONDS = 60.0
SLOW = 10.0
MAX_FAILURES = 2  # of ours, on different workers if possible
MAX_DEATHS = 5  # how often dask may give up a task, each time after several dead workers

# Starts a trial on the worker at this address; returns dask's future of the answer.
Trial = Callable[[str], Any]


@dataclass(slots=True)
class _Tried:
    """A worker that is being tested or was tested.

    `trial` is dask's future; `at_a_time` is the number of submissions it grades at once.
    """

    at_a_time: int
    trial: Any
    accepted: bool = False


class Roster:
    """The workers of a cluster.

    Each new worker is tested by `try_out` before it gets work. `tell` is called with one line for
    each unsuitable worker.
    """

    def __init__(self, address: str, try_out: Trial, tell: Callable[[str], None]) -> None:
        self._address = address
        self._try_out = try_out
        self._tell = tell
        self._names: dict[str, str] = {}
        self._there: dict[str, _Tried] = {}
        self.refused: dict[str, str] = {}
        self._since = time.monotonic()

    def look(self, identity: Any) -> None:
        """Record the scheduler's present workers and test new ones."""
        workers = identity["workers"]
        for address, worker in workers.items():
            self._names[address] = str(worker["name"])
            count = int(worker["resources"].get(RESOURCE, 0))
            if not count:
                self.refuse(address, host.NO_WORKER_OF_OURS)
            elif address not in self._there:
                self._there[address] = _Tried(count, self._try_out(address))
        for address in self._there.keys() - workers.keys():
            del self._there[address]

    def accept(self, address: str) -> None:
        """Record that the worker at this address passed its test."""
        if address in self._there:
            self._there[address].accepted = True

    def forget(self, address: str) -> None:
        """Test this worker again."""
        self._there.pop(address, None)

    def refuse(self, address: str, reason: str) -> None:
        """Give this worker no work from now on."""
        if address not in self.refused:
            self.refused[address] = reason
            self._tell(f"worker {self._names.get(address, address)} is not used: {reason}")

    def able(self) -> dict[str, int]:
        """Return the workers that take part, with the number of submissions that each grades at a
        time.
        """
        found = {
            address: tried.at_a_time
            for address, tried in self._there.items()
            if tried.accepted and address not in self.refused
        }
        if found:
            self._since = time.monotonic()
        return found

    def must_have_some(self) -> None:
        """Raise UserError if all workers are refused, or if none came within `PATIENCE` seconds."""
        waiting = self._there.keys() - self.refused.keys()
        all_refused = self.refused and not waiting
        if self.able() or (time.monotonic() - self._since < PATIENCE and not all_refused):
            return
        refused = sorted(self.refused.items())
        reasons = [f"{self._names.get(address, address)}: {reason}" for address, reason in refused]
        if waiting:
            reasons.append(f"{len(waiting)} do not answer")
        why = "; ".join(reasons) or "there is none"
        what = f"no worker grades this run ({why}); finished submissions are kept"
        start = f"harness worker --scheduler {self._address} starts one"
        raise UserError(what, place=self._address, hint=f"{start}, then run the same command again")


@dataclass(eq=False, slots=True)
class _Flight:
    """A job that was sent to workers: dask's futures by key, and the time of sending."""

    job: Any  # a `BatchJob`
    data: bytes
    sent: float = 0.0
    futures: dict[str, Any] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)
    avoid: set[str] = field(default_factory=set)
    failures: int = 0
    deaths: int = 0
    copied: bool = False


class DaskEngine(AbstractContextManager["DaskEngine"]):
    """An `Engine`. `tell` is called with lines for the user."""

    def __init__(self, cluster: Cluster, tell: Callable[[str], None]) -> None:
        require_distributed()
        self._cluster = cluster
        self._data, self._name = b"", ""
        self._tell = tell
        self._client: Any = None
        self._roster = Roster(cluster.address, self._try_out, tell)
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._flights: dict[str, _Flight] = {}  # by the keys of its futures
        self._trials: dict[str, str] = {}
        self._slowest = 0.0
        self._looked = 0.0

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            # The scheduler may be gone; otherwise it forgets us by itself.
            with suppress(Exception):
                self._client.close(timeout=2)

    def run(
        self, setup: WorkerSetup, jobs: Iterable[TheJob]
    ) -> Iterator[tuple[TheJob, Piece | Ended]]:
        """Run the jobs as `Engine.run` does.

        Raise UserError if the scheduler does not answer or goes away, or no worker takes part.
        """
        waiting = iter(jobs)
        self._data = pack_setup(setup, described())
        self._name = sha256(self._data).hexdigest()
        following = next(waiting, None)
        if following is None:
            return
        if self._client is None:
            self._client = connect(self._cluster)
        while following is not None or self._flights:
            if time.monotonic() - self._looked >= LOOK_SECONDS:
                self._look()
            most = AHEAD * sum(self._roster.able().values())
            out = sum(not flight.copied for flight in dict.fromkeys(self._flights.values()))
            for _ in range(most - out):
                if following is None:
                    break
                data = serial.dumps(host.JobMessage(job=following)).encode("ascii")
                self._send(_Flight(job=following, data=data))
                following = next(waiting, None)
            for flight, answer in self._arrived():
                for piece in answer.pieces:
                    yield flight.job, piece
                if isinstance(answer.ended, WorkerFailure):
                    yield flight.job, answer.ended
                elif answer.ended is not None:
                    yield flight.job, Graded(result=answer.ended)

    def _look(self) -> None:
        """Look for new workers, and at the state of the tasks that are out."""
        identity = self._ask_scheduler(lambda: self._client.scheduler.identity(n_workers=-1))
        self._roster.look(identity)
        self._looked = time.monotonic()
        able = self._roster.able().keys()
        slow = max(SLOW_SECONDS, SLOW * self._slowest)
        once = [flight for flight in dict.fromkeys(self._flights.values()) if not flight.copied]
        late = [flight for flight in once if self._looked - flight.sent > slow]
        found = self._ask_scheduler(self._client.scheduler.processing) if late else {}
        where = {str(key): address for address, keys in found.items() for key in keys}
        for flight in late:
            flight.avoid |= {where[key] for key in flight.futures if key in where}
            if able - flight.avoid:
                self._tell(f"{flight.job.submission.id} takes long: given to another worker too")
                flight.copied = True
                self._send(flight)
        for flight in dict.fromkeys(self._flights.values()):
            if able and not flight.allowed & able:  # the workers that might have had it are gone
                self._send(flight)
        self._roster.must_have_some()

    def _send(self, flight: _Flight) -> None:
        able = set(self._roster.able())
        flight.allowed = able - flight.avoid or able
        future = self._submit("grade", flight.allowed, host.grade, self._name, flight.data)
        flight.futures[future.key] = future
        flight.sent = time.monotonic()
        self._flights[future.key] = flight

    def _try_out(self, address: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its size
            future = self._submit("trial", [address], host.take_part, self._data, self._name)
        self._trials[future.key] = address
        return future

    def _submit(
        self, what: str, workers: Iterable[str], task: Callable[..., bytes], *given: object
    ) -> Any:
        """Return dask's future of a task on one of these workers."""
        key = f"harness-{what}-{uuid.uuid4().hex}"
        future = self._client.submit(task, *given, key=key, workers=sorted(workers), pure=False)
        future.add_done_callback(self._ended.put)
        return future

    def _arrived(self) -> Iterator[tuple[_Flight, WorkerAnswer]]:
        """Yield new answers, each job once, after waiting a moment for one."""
        futures = []
        with suppress(queue.Empty):
            futures.append(self._ended.get(timeout=LOOK_SECONDS))
            while len(futures) < TOGETHER:
                futures.append(self._ended.get_nowait())
        known = [
            future
            for future in futures
            if future.key in self._flights or future.key in self._trials
        ]
        if any(future.status == "cancelled" for future in known):
            raise self._gone()
        values = self._fetched([future for future in known if future.status == "finished"])
        for future in known:
            if (address := self._trials.pop(future.key, None)) is not None:
                self._tried(address, future, values)
                continue
            if (flight := self._flights.get(future.key)) is None:
                continue  # a copy of a task that has just arrived
            if (answer := self._answer(flight, future, values)) is not None:
                self._slowest = max(self._slowest, time.monotonic() - flight.sent)
                for key, copy in flight.futures.items():
                    del self._flights[key]
                    if not copy.done():
                        copy.cancel()
                flight.futures.clear()
                yield flight, answer

    def _fetched(self, futures: list[Any]) -> dict[str, object]:
        wanted = {future.key: future for future in futures}
        gather = partial(self._client.gather, wanted, errors="skip", asynchronous=True)
        with suppress(TimeoutError):  # the workers that had them are gone or hang, so ask others
            return self._ask(gather, FETCH_SECONDS) if wanted else {}
        return {}

    def _tried(self, address: str, future: Any, values: dict[str, object]) -> None:
        try:
            refused = unpack_answer(values.get(future.key)).refused
        except serial.SerialError:
            refused = f"its trial failed ({_cause(future)})"
        if refused:
            self._roster.refuse(address, refused)
        else:
            self._roster.accept(address)
            self._looked = 0.0

    def _answer(
        self, flight: _Flight, future: Any, values: dict[str, object]
    ) -> WorkerAnswer | None:
        """Return how the job ended; None if it has been sent to a worker again."""
        if future.status != "finished" or values.get(future.key) is None:
            flight.deaths += 1
            if flight.deaths < MAX_DEATHS:
                self._again(flight, future.key)
                return None
            return WorkerAnswer(worker="", ended=WorkerFailure(reason=_cause(future)))
        try:
            answer = unpack_answer(values[future.key])
        except serial.SerialError as error:
            answer = WorkerAnswer(worker="", ended=WorkerFailure(reason=str(error)))
        if answer.refused:
            if answer.refused == host.NOT_TRIED:
                self._roster.forget(answer.worker)
            else:
                self._roster.refuse(answer.worker, answer.refused)
            self._again(flight, future.key)
            return None
        if isinstance(answer.ended, WorkerFailure):
            flight.failures += 1
            flight.avoid.add(answer.worker)
            if flight.failures < MAX_FAILURES:
                self._again(flight, future.key)
                return None
        return answer

    def _again(self, flight: _Flight, key: str) -> None:
        del self._flights[key], flight.futures[key]
        if not flight.futures:  # no copy of it is out
            self._send(flight)

    def _ask(self, call: Callable[[], Any], seconds: float) -> Any:
        """Return the answer to a call.

        Raise TimeoutError if it does not come in time, UserError if the scheduler is gone.
        """
        try:
            return self._client.sync(call, callback_timeout=seconds)
        except TimeoutError:
            if self._client.status != "running":
                raise self._gone() from None
            raise
        except (OSError, AttributeError):  # dask has no connection to ask through
            raise self._gone() from None

    def _ask_scheduler(self, call: Callable[[], Any]) -> Any:
        try:
            return self._ask(call, CALL_SECONDS)
        except TimeoutError:
            raise self._gone() from None

    def _gone(self) -> UserError:
        what = "the scheduler went away; finished submissions are kept"
        hint = "start it again, then run the same command"
        return UserError(what, place=self._cluster.address, hint=hint)


def _cause(future: Any) -> str:
    """Return dask's reason why a task did not end, in one line."""
    error = future.exception(timeout=CALL_SECONDS) if future.status == "error" else None
    text = str(error).strip().splitlines() if error is not None else []
    return text[0][:300] if text else "its worker went away"
