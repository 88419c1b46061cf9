"""A forked server: confined, prepared, and ended when done with."""

from __future__ import annotations

import marshal
import select
import time
from dataclasses import dataclass
from types import TracebackType

from harness.execution.base_process import BaseProcess, ServerProcess
from harness.execution.clock import ProcessClock
from harness.execution.inside import wire
from harness.execution.notification import Listener
from harness.model.errors import HarnessError
from harness.model.observation import Ending

_PREPARING_CPU = 10.0  # seconds for compiling what a student wrote
_PREPARING_ASLEEP = 30.0
_HEARTBEAT_MS = 50


@dataclass(frozen=True, slots=True)
class FailedToPrepare:
    """Compiling the files ended the server: a fact about the files, not about us."""

    ending: Ending
    detail: str


class ServerLink:
    """A server from the base; a context manager that leaves nothing running."""

    def __init__(self, base: BaseProcess, setup: dict[str, object]) -> None:
        self._base = base
        self.server: ServerProcess = base.start_server(setup)
        self.listener: Listener | None = None
        self.failed_to_prepare: FailedToPrepare | None = None
        try:
            self._await_confined()
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ServerLink:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(
        self,
        told: object,
        terminal: int,
        *,
        memory: int,
        wanted: object = None,
        controlled: bool = False,
    ) -> None:
        """Start a scenario that is `told` this on a terminal's slave side, which controls it or
        not, with so many bytes of memory and the `wanted` files, which others may share."""
        order = (memory, controlled, wanted, marshal.dumps(told, 2))  # type: ignore[arg-type]
        try:
            wire.send(self.server.control, marshal.dumps(order, 2), (terminal,))  # type: ignore[arg-type]
        except OSError:
            raise HarnessError("a submission server ended") from None

    def close(self) -> None:
        """End the server and wait until it is gone."""
        if self.listener is not None:
            self.listener.close()
            self.listener = None
        self._base.end_server(self.server)

    def _await_confined(self) -> None:
        message = self._receive()
        if message is None or message[0] != b"C":
            raise HarnessError(f"a submission was not confined: {self._base.complaint()}")
        if message[1]:
            self.listener = Listener(message[1][0])

    def _await_ready(self) -> None:
        clock = ProcessClock(self.server.pid)
        started = time.monotonic()
        ready = select.poll()
        ready.register(self.server.control.fileno(), select.POLLIN)
        while not ready.poll(_HEARTBEAT_MS):
            if clock.cpu() > _PREPARING_CPU:
                self.failed_to_prepare = FailedToPrepare(Ending.CPU_LIMIT, "while compiling")
                return
            if clock.asleep(time.monotonic() - started) > _PREPARING_ASLEEP:
                raise HarnessError("a submission server does not get ready")
        message = self._receive()
        if message is None:
            self.failed_to_prepare = FailedToPrepare(Ending.CRASHED, "while compiling")

    def _receive(self) -> tuple[bytes, list[int]] | None:
        try:
            return wire.receive(self.server.control)
        except (OSError, EOFError):
            return None
