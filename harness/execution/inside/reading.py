"""Reads stimuli for a driver, in a process of its own that never has a byte of a submission."""

from __future__ import annotations

import marshal

from . import wire
from .question import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import Any

SETUP: dict[str, Any] = {}  # what the base makes a reader of, and no submission server


def serve(sock: socket) -> None:
    """Answer texts by a packed question, until the driver hangs up."""
    while True:
        message = wire.receive(sock)
        if message is None:
            return
        functions, *texts = marshal.loads(message[0])
        wire.send(sock, marshal.dumps(read(frozenset(functions), *texts)))
