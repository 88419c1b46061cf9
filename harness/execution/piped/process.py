"""An interpreter started for one scenario, its three pipes, and the end of all it started."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import IO

from harness.common.errors import HarnessError

_CHUNK = 1 << 16
_MOST_WAITING = 64  # chunks: a program that floods its output waits for us
_GONE_SECONDS = 10.0
_LAST_WORDS = 0.5
_WINDOWS_ERRORS = 0xC0000000


class Pipe(IntEnum):
    """Where bytes came from."""

    SHOWN = 1  # what a person would see
    SAID = 2  # what the process says of itself


class PipedProcess:
    """Starts it, hands over its bytes in the order of each pipe, and ends it."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], directory: str
    ) -> None:
        new_group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows' own
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=dict(environment),
                cwd=directory,
                start_new_session=hasattr(os, "killpg"),
                creationflags=new_group,
            )
        except OSError as error:
            raise HarnessError(f"{command[0]} did not start: {error.strerror}") from None
        self._events: queue.Queue[tuple[Pipe, bytes]] = queue.Queue(_MOST_WAITING)
        self.open = set(Pipe)
        for pipe, stream in (
            (Pipe.SHOWN, self._process.stdout),
            (Pipe.SAID, self._process.stderr),
        ):
            reader = threading.Thread(target=self._read, args=(pipe, stream), daemon=True)
            reader.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def send(self, data: bytes) -> None:
        """Write to its standard input; nothing where it has ended."""
        assert self._process.stdin is not None
        left = memoryview(data)
        with contextlib.suppress(OSError):
            while left:
                left = left[os.write(self._process.stdin.fileno(), left) :]

    def hear(self, seconds: float) -> tuple[Pipe, bytes] | None:
        """The next bytes of either pipe, none of them at its end; None when none came in time."""
        try:
            pipe, data = self._events.get(timeout=seconds)
        except queue.Empty:
            return None
        if not data:
            self.open.discard(pipe)
        return pipe, data

    def has_ended(self) -> bool:
        """Whether the process itself is gone; others may still hold its pipes."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """End it and all that it started, as far as the system finds them."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif self._process.poll() is None:
            with contextlib.suppress(OSError):
                subprocess.run(
                    ["taskkill", "/T", "/F", "/PID", str(self._process.pid)],
                    capture_output=True,
                    check=False,
                )
        with contextlib.suppress(OSError):
            self._process.kill()

    def exit_code(self) -> int:
        """Its exit status once it is gone; negative: what ended it. HarnessError when it will not
        go."""
        try:
            code = self._process.wait(_GONE_SECONDS)
        except subprocess.TimeoutExpired:
            raise HarnessError("a scenario's process does not end") from None
        return -code if code >= _WINDOWS_ERRORS else code

    def close(self) -> None:
        """Leave nothing of it running, and none of its pipes open that can be closed."""
        self.kill()
        self.exit_code()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        while self.open and self.hear(_LAST_WORDS) is not None:
            continue

    def _read(self, pipe: Pipe, stream: IO[bytes]) -> None:
        with stream:
            while True:
                try:
                    data = os.read(stream.fileno(), _CHUNK)
                except OSError:
                    data = b""
                self._events.put((pipe, data))
                if not data:
                    return
