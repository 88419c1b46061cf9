"""Limits the connections to the page's server, because any user of the machine can open some.

Connections that have shown the token stay. If there are too many, the oldest others are closed.
"""

import hmac
import logging
import socket
from contextlib import suppress
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

MAX_CONNECTIONS = 40  # browsers open up to six
THREADS = 4
_IDLE_SECONDS = 30
_MAX_HEADER_BYTES = 32 * 1024


class Request(HTTPRequestParser):  # type: ignore[misc]
    """An HTTP request that always has a path, even if it is malformed.

    waitress reads the path when a client disconnects, and would print a traceback without it.
    """

    path = ""


class Connection(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection. It `is_trusted` after one of its requests has shown the token."""

    parser_class = Request
    is_trusted = False

    def service(self) -> None:
        """Answer one request."""
        shown = self.requests[0].headers.get("X_TOKEN", "")
        if hmac.compare_digest(shown.encode(), self.server.token.encode()):
            self.is_trusted = True
        super().service()


class BoundedServer(TcpWSGIServer):  # type: ignore[misc]
    """A server with a few threads and a bounded number of connections.

    Idle connections are closed. Requests longer than `max_bytes` are refused unread.
    """

    channel_class = Connection

    def __init__(
        self, application: Any, listening: socket.socket, token: str, *, max_bytes: int
    ) -> None:
        self.token = token
        # Its warnings of a long queue would hide the command's messages.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        settings = Adjustments(
            sockets=[listening],
            threads=THREADS,
            connection_limit=2
            * MAX_CONNECTIONS,  # never reached, because at this limit nobody could connect
            channel_timeout=_IDLE_SECONDS,
            cleanup_interval=_IDLE_SECONDS // 2,
            max_request_header_size=_MAX_HEADER_BYTES,
            max_request_body_size=max_bytes,
            asyncore_use_poll=hasattr(wasyncore.select, "poll"),
            ident="",
        )
        dispatcher = ThreadedTaskDispatcher()
        dispatcher.set_thread_count(THREADS)
        super().__init__(
            application,
            _sock=listening,
            dispatcher=dispatcher,
            adj=settings,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            bind_socket=False,
        )

    def handle_accept(self) -> None:
        """Accept a connection. If there are too many, close the least important one."""
        super().handle_accept()
        connections = list(self.active_channels.values())
        if len(connections) > MAX_CONNECTIONS:
            oldest = min(
                connections,
                key=lambda connection: (connection.is_trusted, connection.creation_time),
            )
            oldest.handle_close()

    def stop(self) -> None:
        """Make `run` return. Called from another thread."""
        # Awake for another reason, `run` may close everything before the trigger is pulled.
        with suppress(OSError):
            self.trigger.pull_trigger(self.close_all)

    def close_all(self) -> None:
        """End the threads and all connections."""
        self.task_dispatcher.shutdown()
        wasyncore.close_all(self._map)
