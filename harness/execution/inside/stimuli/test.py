"""Lets a test in another process (the course's or a student's) use the program in this process."""

from __future__ import annotations

from functools import partial
from json import loads

from ..messages import codec
from ..messages.protocol import FromScenario
from ..remote.guarded import GuardedServer
from ..remote.server import ProgramServer
from ..remote.streams import install_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..messages.frames import Receive, Send
    from ..modules import Library
    from ..scenario.evaluate import StimulusAnswer


def perform(
    library: Library,
    send: Send,
    receive: Receive,
    answer: StimulusAnswer,
    public_names: list[str] | None,
) -> None:
    """Answer the test's requests until it ends. Only the test's own process knows its result.

    With `public_names` the program is the course's and a student's tests use it: they may use only
    these names.
    """

    def hear() -> Any:
        return loads(receive())

    say = partial(send, FromScenario.CALL)
    if public_names is None:
        server = ProgramServer(library, answer.sources, say, hear)
    else:
        server = GuardedServer(library, answer.sources, say, hear, frozenset(public_names))
    install_streams(server)
    answer.reach("stimulus")
    server.serve()
    answer.fields["value"] = codec.encode_returned(None, answer.budget)
