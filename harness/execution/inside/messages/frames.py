"""Sends and receives messages over sockets and pipes.

A message is its length (four bytes, little endian), one byte for its kind (see `protocol`) and its
body. Messages of a server may carry file descriptors.
"""

from __future__ import annotations

import _socket
from os import read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Send: TypeAlias = Callable[[bytes, str], None]  # takes a message's kind and text
    Receive: TypeAlias = Callable[[], bytes]  # gives the next message

HEAD = 4  # bytes of the length
_LARGEST = 256 * 1024 * 1024
_MAX_DESCRIPTORS = 8
_USUAL = 1 << 14  # bytes


def framed(body: bytes) -> bytes:
    """Return one message with its length in front."""
    return len(body).to_bytes(HEAD, "little") + body


def receive(channel: int) -> bytes:
    """Return the body of the next message. Raise EOFError if the driver hung up."""
    return _body(lambda count: read(channel, count), b"")


def receive_only(channel: int) -> bytes:
    """Return the body of a message that is followed by none until it is answered, so that one read
    usually suffices.
    """
    data = read(channel, _USUAL)
    if len(data) == HEAD + int.from_bytes(data[:HEAD], "little"):
        return data[HEAD:]
    return _body(lambda count: read(channel, count), data)


def send(channel: int, kind: bytes, text: str) -> None:
    """Send a message of one byte for its kind and ASCII text."""
    send_bytes(channel, kind, text.encode("ascii"))


def send_bytes(channel: int, kind: bytes, content: bytes) -> None:
    """Send a message whose body is bytes."""
    data = framed(kind + content)
    while data:
        data = data[write(channel, data) :]


def send_to_socket(sock: _socket.socket, payload: bytes, descriptors: tuple[int, ...] = ()) -> None:
    """Send a message; the file descriptors travel with its first byte."""
    data = framed(payload)
    if descriptors:
        packed = b"".join(number.to_bytes(4, "little") for number in descriptors)
        sent = sock.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)])
    else:
        sent = sock.send(data)
    if sent < len(data):
        sock.sendall(data[sent:])


def receive_from_socket(sock: _socket.socket) -> tuple[bytes, list[int]] | None:
    """Return the next message and the file descriptors sent with it; None at the end of the
    stream.
    """
    head, ancillary, _, _ = sock.recvmsg(HEAD, _socket.CMSG_SPACE(4 * _MAX_DESCRIPTORS))
    descriptors: list[int] = []
    for level, kind, data in ancillary:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
            for at in range(0, len(data) - len(data) % 4, 4):
                descriptors.append(int.from_bytes(data[at : at + 4], "little"))
    return (_body(sock.recv, head), descriptors) if head else None


def _body(take: Callable[[int], bytes], data: bytes) -> bytes:
    """Return the body of a message that begins with `data`.

    Raise EOFError if it is truncated or too long.
    """
    data = _completed(take, data, HEAD)
    length = int.from_bytes(data[:HEAD], "little")
    if length > _LARGEST:
        raise EOFError("the message is too long")
    return _completed(take, data, HEAD + length)[HEAD:]


def _completed(take: Callable[[int], bytes], data: bytes, count: int) -> bytes:
    parts = [data]
    missing = count - len(data)
    while missing > 0:
        if not (part := take(min(missing, 1 << 20))):
            raise EOFError("the other side hung up")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
