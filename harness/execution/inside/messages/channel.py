"""The stream socket over which one scenario's process gets its job and answers."""

from __future__ import annotations

import marshal
from os import read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 64 * 1024 * 1024
_USUAL = 1 << 14  # bytes


def receive_job(channel: int) -> Any:
    """The job that the driver wrote first; EOFError when it hung up."""
    return marshal.loads(receive(channel))


def receive(channel: int) -> bytes:
    """The next message's body: bytes behind their length (4 bytes, little endian)."""
    length = int.from_bytes(_exactly(channel, 4), "little")
    if length > _LARGEST:
        raise EOFError("the message is too long")
    return _exactly(channel, length)


def receive_only(channel: int) -> bytes:
    """The body of a message that nothing follows before it is answered: as a rule in one read."""
    data = read(channel, _USUAL)
    if len(data) < 4:
        data += _exactly(channel, 4 - len(data))
    length = int.from_bytes(data[:4], "little")
    if length > _LARGEST:
        raise EOFError("the message is too long")
    missing = 4 + length - len(data)
    return data[4:] + _exactly(channel, missing) if missing else data[4:]


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
