"""What `processes.start` runs in a test: a worker that never ends cleaning up."""

import threading
from contextlib import suppress
from multiprocessing.connection import Connection

from harness.execution import scratch_directory
from harness.grading.engines.worker import worker_process


def main(descriptor: int, parent: int) -> None:
    worker_process(descriptor, parent, _serve)


def _serve(connection: Connection, setup: object, cpu: int | None) -> None:
    with scratch_directory() as folder:
        (folder / "left").write_text("")
        connection.send(setup)
        try:
            connection.recv()
        finally:
            while True:
                with suppress(SystemExit):
                    threading.Event().wait()
