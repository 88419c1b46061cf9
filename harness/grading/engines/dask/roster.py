"""Which of a scheduler's workers take part in a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from harness.common.errors import UserError
from harness.grading.engines.dask import RESOURCE
from harness.grading.engines.dask.tasks import NO_WORKER_OF_OURS

PATIENCE = 60.0  # seconds without any worker that could take part

Trial = Callable[[str], Any]
"""Starts the trial on the worker at this address; dask's future of its answer."""


class Roster:
    """Every worker is tried once, by `try_out`, before it is given work. `tell` is called with one
    line for each that does not serve."""

    def __init__(self, address: str, try_out: Trial, tell: Callable[[str], None]) -> None:
        self._address = address
        self._try_out = try_out
        self._tell = tell
        self._threads: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self._trials: dict[str, Any] = {}
        self._accepted: set[str] = set()
        self.refused: dict[str, str] = {}
        self._since = time.monotonic()

    def look(self, identity: Any) -> None:
        """Note who is there, of what the scheduler says of itself; the new are tried."""
        workers = identity["workers"]
        offered = {
            address: int(each["resources"].get(RESOURCE, 0)) for address, each in workers.items()
        }
        self._threads = {address: count for address, count in offered.items() if count}
        for address in self._threads:
            self._names[address] = str(workers[address]["name"])
            if address not in self._trials:
                self._trials[address] = self._try_out(address)
        for address in offered.keys() - self._threads.keys() - self.refused.keys():
            self._names[address] = str(workers[address]["name"])
            self.refuse(address, NO_WORKER_OF_OURS)
        for address in self._trials.keys() - workers.keys():
            del self._trials[address]
            self._accepted.discard(address)

    def accept(self, address: str) -> None:
        """The trial went well."""
        self._accepted.add(address)

    def forget(self, address: str) -> None:
        """Try this worker anew."""
        self._accepted.discard(address)
        self._trials.pop(address, None)

    def refuse(self, address: str, reason: str) -> None:
        """Give this worker no work from now on."""
        if address not in self.refused:
            self.refused[address] = reason
            self._tell(f"worker {self._names.get(address, address)} is not used: {reason}")
        self._accepted.discard(address)

    def able(self) -> dict[str, int]:
        """The workers that take part, with how many submissions each grades at a time."""
        found = {
            address: count
            for address, count in self._threads.items()
            if address in self._accepted and address not in self.refused
        }
        if found:
            self._since = time.monotonic()
        return found

    def must_have_some(self) -> None:
        """Raise UserError when there is no worker to wait for, or none has come for `PATIENCE`."""
        waiting = self._threads.keys() - self.refused.keys()
        if self.able() or (time.monotonic() - self._since < PATIENCE and not self._all_refused()):
            return
        reasons = "; ".join(
            f"{self._names.get(address, address)}: {reason}"
            for address, reason in sorted(self.refused.items())
        )
        if waiting:
            reasons = "; ".join(filter(None, [reasons, f"{len(waiting)} do not answer"]))
        raise UserError(
            f"no worker grades this run ({reasons or 'there is none'}); what is graded is kept",
            place=self._address,
            hint=f"harness worker --scheduler {self._address} starts one, then run the same "
            "command again",
        )

    def _all_refused(self) -> bool:
        return bool(self.refused) and not self._threads.keys() - self.refused.keys()
