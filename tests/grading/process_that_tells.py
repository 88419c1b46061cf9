"""What `processes.start` runs in its tests: it tells what it is, then waits."""

import os
from multiprocessing.connection import Connection
from pathlib import Path


def main(descriptor: int, parent: int) -> None:
    with Connection(descriptor) as connection:
        connection.send(
            {
                "folder": str(Path.cwd()),
                "variable": os.environ.get("TOLD", ""),
                "processors": os.sched_getaffinity(0),
                "leads its group": os.getpgid(0) == os.getpid(),
                "parent": parent == os.getppid(),
                "forked": os.getppid() != connection.recv(),
            }
        )
        connection.recv()
