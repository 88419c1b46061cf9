"""The stream socket over which one scenario's process gets its job and answers."""

from __future__ import annotations

import marshal
from os import read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 64 * 1024 * 1024


def receive_job(channel: int) -> Any:
    """The job that the driver wrote first; EOFError when it hung up."""
    return marshal.loads(receive(channel))


def receive(channel: int) -> bytes:
    """The next message's body: bytes behind their length (4 bytes, little endian)."""
    length = int.from_bytes(_exactly(channel, 4), "little")
    if length > _LARGEST:
        raise EOFError("the message is too long")
    return _exactly(channel, length)


def send(channel: int, kind: bytes, text: str) -> None:
    """One frame: its length, one byte for its kind, ASCII text."""
    body = kind + text.encode("ascii")
    data = len(body).to_bytes(4, "little") + body
    while data:
        data = data[write(channel, data) :]


def _exactly(channel: int, count: int) -> bytes:
    data = read(channel, count)
    while len(data) < count:
        part = read(channel, count - len(data))
        if not part:
            raise EOFError("the driver hung up")
        data += part
    return data
