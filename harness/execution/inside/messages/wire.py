"""Length-prefixed messages, with descriptors, over a Unix stream socket. Both sides use it."""

from __future__ import annotations

import _socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

READER_SETUP: dict[str, Any] = {}  # of a server that compiles stimuli and has no submission
_LARGEST = 256 * 1024 * 1024
_MOST_DESCRIPTORS = 8


def framed(payload: bytes) -> bytes:
    """One message behind its length."""
    return len(payload).to_bytes(4, "little") + payload


def send(sock: _socket.socket, payload: bytes, descriptors: tuple[int, ...] = ()) -> None:
    """Send one message; the descriptors travel with its first byte."""
    data = framed(payload)
    if descriptors:
        packed = b"".join(number.to_bytes(4, "little") for number in descriptors)
        sent = sock.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)])
    else:
        sent = sock.send(data)
    if sent < len(data):
        sock.sendall(data[sent:])


def receive(sock: _socket.socket) -> tuple[bytes, list[int]] | None:
    """The next message and its descriptors; None at the end of the stream."""
    space = _socket.CMSG_SPACE(4 * _MOST_DESCRIPTORS)
    head, ancillary, _, _ = sock.recvmsg(4, space)
    descriptors: list[int] = []
    for level, kind, data in ancillary:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
            whole = len(data) - len(data) % 4
            descriptors += [
                int.from_bytes(data[at : at + 4], "little") for at in range(0, whole, 4)
            ]
    if not head:
        return None
    if len(head) < 4:
        head += _exactly(sock, 4 - len(head))
    length = int.from_bytes(head, "little")
    if length > _LARGEST:
        raise EOFError("the message is too long")
    return _exactly(sock, length), descriptors


def _exactly(sock: _socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = sock.recv(min(count, 1 << 20))
        if not part:
            raise EOFError("the stream ended inside a message")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
