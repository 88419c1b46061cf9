"""The terminal that a scenario runs on, as pexpect sees it. The only file that knows pexpect."""

from __future__ import annotations

import codecs
import os
import select
from typing import TYPE_CHECKING

import pexpect
from pexpect.spawnbase import SpawnBase

from harness.execution.linux.pty import CHUNK, PseudoTerminal
from harness.execution.protocol.screen import ScreenParser

if TYPE_CHECKING:
    _Spawn = SpawnBase[str]
else:
    _Spawn = SpawnBase


class Terminal(PseudoTerminal, _Spawn):
    """A pseudo-terminal whose `expect` and `expect_exact` read what is there as the program goes
    on; EOF means that `finish` was called, TIMEOUT that nothing came in time."""

    encoding = "utf-8"

    def __init__(self, screen: ScreenParser) -> None:
        PseudoTerminal.__init__(self, screen)
        self._shown = 0

    def __getattr__(self, name: str) -> object:
        """What only pexpect's own methods use is made when the first of them is used: most
        scenarios are over before anybody expects anything."""
        if "timeout" in vars(self):
            raise AttributeError(name)
        own = dict(vars(self))
        _Spawn.__init__(self, timeout=1, maxread=CHUNK, encoding="utf-8", codec_errors="replace")
        self.delaybeforesend = None
        self.delayafterread = None
        self._incremental = codecs.getincrementaldecoder("utf-8")("replace")
        vars(self).update(own)
        return getattr(self, name)

    def read_nonblocking(self, size: int = 1, timeout: float | None = None) -> str:
        """What pexpect's `expect` reads with."""
        if self._shown == len(self.screen.raw) and not self.finished:
            wait = select.poll()
            wait.register(self.child_fd, select.POLLIN)
            if not wait.poll(None if timeout is None else max(0, timeout * 1000)):
                raise pexpect.TIMEOUT("nothing was printed in time")
            self.drain(CHUNK * 1024)
        data = bytes(self.screen.raw[self._shown : self._shown + size])
        self._shown += len(data)
        if not data:
            self.flag_eof = True
            raise pexpect.EOF("the program has ended")
        return self._incremental.decode(data, final=False)

    def send(self, s: str) -> int:
        """Type text as it stands, without remembering it."""
        return os.write(self.child_fd, s.encode("utf-8"))
