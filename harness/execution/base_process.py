"""The base server's process, seen from the driver."""

from __future__ import annotations

import marshal
import os
import socket
import subprocess
from dataclasses import dataclass

from harness.execution import bootstrap, pids
from harness.execution.inside import wire
from harness.execution.interpreter import Interpreter
from harness.execution.screen import Screen
from harness.execution.terminals import a_terminal
from harness.execution.tiers import Confinement
from harness.model.errors import HarnessError

_START = marshal.dumps({"start": True}, 2)
_PATIENCE = 30.0  # seconds for our own processes to answer, whatever the load


@dataclass(slots=True)
class ServerProcess:
    """A server forked from the base: its control socket and the pipe of its scenarios' replies.

    `pid` is its number here, `inside` the base's number for it, which differs in a namespace.
    """

    pid: int
    inside: int
    control: socket.socket
    replies: int


class BaseProcess:
    """Starts the interpreter, asks it for servers, and ends them and it."""

    def __init__(
        self,
        interpreter: Interpreter,
        confinement: Confinement,
        directory: str,
        *,
        hash_seed: int,
        clock_offset: int = 0,
    ) -> None:
        self._nursery = a_terminal(Screen(mark=b"\0", most_marks=0))
        ours, theirs = socket.socketpair()
        orders = confinement.for_base() | {
            "preload": ["typing"],
            "clock_offset": clock_offset,
            "environment": bootstrap.INNER_ENVIRONMENT,
        }
        slave = self._nursery.slave
        command = bootstrap.command(interpreter.path, theirs.fileno())
        try:
            self._process = subprocess.Popen(
                confinement.wrapped(command, directory),
                stdin=slave,
                stdout=slave,
                stderr=slave,
                pass_fds=(theirs.fileno(),),
                env=bootstrap.environment(hash_seed),
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            self._nursery.close()
            raise HarnessError(f"{interpreter.path} did not start: {error.strerror}") from None
        finally:
            theirs.close()
        self._control = ours
        ours.settimeout(_PATIENCE)
        self._say(bootstrap.first_message(orders))
        self._hear()

    def start_server(self, setup: dict[str, object]) -> ServerProcess:
        """Have a server forked that is set up so; HarnessError when the base does not answer."""
        ours, theirs = socket.socketpair()
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        try:
            wire.send(self._control, _START, (theirs.fileno(), write_end))
            inside, descriptors = self._hear()
            pid = pids.told(int(inside), descriptors)
            ours.settimeout(_PATIENCE)
            wire.send(ours, marshal.dumps(setup, 2))  # past the base, which must not know it
        except (OSError, HarnessError) as error:
            ours.close()
            os.close(read_end)
            raise HarnessError(f"the base server did not start a server: {error}") from None
        finally:
            theirs.close()
            os.close(write_end)
        return ServerProcess(pid, int(inside), ours, read_end)

    def end_server(self, server: ServerProcess) -> None:
        """End a server and all below it, and wait until it is gone."""
        server.control.close()
        os.close(server.replies)
        try:
            wire.send(self._control, marshal.dumps({"end": server.inside}, 2))
            self._hear()
        except (OSError, HarnessError):
            self._process.kill()  # whatever it forked dies with it

    def complaint(self) -> str:
        """What our own code said on the terminal it was born on: the last line, for messages."""
        self._nursery.drain(1 << 20)
        lines = bytes(self._nursery.screen.raw).decode("utf-8", "replace").splitlines()
        return lines[-1][:300] if lines else ""

    def close(self) -> None:
        """End the base server and wait for it."""
        self._control.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._nursery.close()

    def _say(self, data: bytes) -> None:
        try:
            self._control.sendall(data)
        except OSError:
            raise HarnessError(f"the base server ended: {self.complaint()}") from None

    def _hear(self) -> tuple[bytes, list[int]]:
        try:
            message = wire.receive(self._control)
        except (OSError, EOFError):
            message = None
        if message is None:
            raise HarnessError(f"the base server ended: {self.complaint()}")
        return message
