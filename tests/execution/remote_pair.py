"""A test's side and a program's side of one conversation, in two threads of this process."""

import json
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.modules import Library, ModuleSource
from harness.execution.inside.remote.client import RemoteProgram
from harness.execution.inside.remote.sending import SentNames
from harness.execution.inside.remote.server import ProgramServer


@contextmanager
def remote_program(
    text: str, name: str = "a1_remote", sent_names: SentNames | None = None
) -> Iterator[RemoteProgram]:
    """Serve a program of one module, and give the side that tests have of it."""
    to_program: queue.Queue[str] = queue.Queue()
    to_test: queue.Queue[str] = queue.Queue()
    data = text.encode()
    library = Library({name: ModuleSource(f"{name}.py", data)})
    sources = Sources({f"{name}.py": data})

    def heard(messages: queue.Queue[str]) -> Any:
        return json.loads(messages.get(timeout=60))

    server = ProgramServer(library, sources, to_test.put, lambda: heard(to_program))
    program = RemoteProgram(to_program.put, lambda: heard(to_test), sent_names=sent_names)
    sys.meta_path.insert(0, library)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        assert heard(to_test) == {}
        yield program
    finally:
        to_program.put('{"do":"end","changed":[]}')
        thread.join(60)
        sys.meta_path.remove(library)
        sys.modules.pop(name, None)
