"""A test of the course's, in another process, which uses the program here."""

from __future__ import annotations

from functools import partial
from json import loads

from ..messages import codec
from ..messages.protocol import FromScenario
from ..remote.server import ProgramServer, install_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..messages.frames import Receive, Send
    from ..modules import Library
    from ..scenario.evaluate import StimulusAnswer


def perform(library: Library, send: Send, receive: Receive, answer: StimulusAnswer) -> None:
    """Do what the test asks for until it has ended: only its own process knows how it came out."""

    def hear() -> Any:
        return loads(receive())

    say = partial(send, FromScenario.CALL)
    server = ProgramServer(library, answer.sources, say, hear)
    install_streams(server)
    answer.reach("stimulus")
    server.serve()
    answer.fields["value"] = codec.encode_returned(None, answer.budget)
