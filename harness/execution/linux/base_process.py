"""The base server's process, seen from the driver.

Stimuli as the grading interpreter compiles them: each text once, whatever the submissions.
"""

from __future__ import annotations

import marshal
import os
import socket
import subprocess
from dataclasses import dataclass

from harness.common.errors import HarnessError
from harness.execution.confinement import Confinement
from harness.execution.inside import wire
from harness.execution.inside.base import READER_SETUP
from harness.execution.interpreter import Interpreter
from harness.execution.linux import kernel
from harness.execution.linux.pty import open_pty
from harness.execution.protocol import bootstrap
from harness.execution.protocol.observation import ScreenParser

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
        self.boot_pty = open_pty(ScreenParser(mark=b"\0", most_marks=0))
        ours, theirs = socket.socketpair()
        orders = confinement.for_base() | {
            "preload": ["typing"],
            "clock_offset": clock_offset,
            "environment": bootstrap.INNER_ENVIRONMENT,
        }
        slave = self.boot_pty.slave
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
            self.boot_pty.close()
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
            pid = kernel.resolve_pid(int(inside), descriptors)
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
        self.boot_pty.drain(1 << 20)
        lines = bytes(self.boot_pty.screen.raw).decode("utf-8", "replace").splitlines()
        return lines[-1][:300] if lines else ""

    def close(self) -> None:
        """End the base server and wait for it."""
        self._control.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.boot_pty.close()

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


class StimulusCompiler:
    """A driver's, over all its submissions; they are read in a process that has none of these."""

    def __init__(self, base: BaseProcess) -> None:
        self._base = base
        self._reader: ServerProcess | None = base.start_server(READER_SETUP)
        self._kept: dict[tuple[object, ...], bytes] = {}

    def packed(self, functions: tuple[str, ...], asked: tuple[str, str, tuple[str, ...]]) -> bytes:
        """A stimulus's texts (what is given, the expression, the steps), read and compiled for an
        assignment with these public functions. HarnessError when our own machinery fails."""
        key = (functions, *asked)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._read(marshal.dumps(key, 2))
        return found

    def close(self) -> None:
        """End the reader."""
        if self._reader is not None:
            self._base.end_server(self._reader)
            self._reader = None

    def _read(self, texts: bytes) -> bytes:
        if self._reader is None:
            self._reader = self._base.start_server(READER_SETUP)
        try:
            wire.send(self._reader.control, texts)
            message = wire.receive(self._reader.control)
        except (OSError, EOFError):
            message = None
        if message is None:
            self.close()
            raise HarnessError(f"a stimulus was not read: {self._base.complaint()}")
        return message[0]
