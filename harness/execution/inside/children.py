"""Ends children, those of a dead child that were inherited among them."""

# pathlib would be heavy for every fork to carry
# ruff: noqa: PTH123

from __future__ import annotations

import os


def kill_children(spared: set[int]) -> None:
    """Kill this process's children but for `spared`, until none is left, and reap them.

    A subreaper inherits the orphans of what it kills, so that a daemon does not get away.
    """
    while True:
        pids = _children() - spared
        if not pids:
            return
        for pid in pids:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


def _children() -> set[int]:
    own = os.getpid()
    try:
        with open(f"/proc/{own}/task/{own}/children", "rb") as children:
            return {int(pid) for pid in children.read().split()}
    except OSError:
        return _by_waiting()


def _by_waiting() -> set[int]:
    """Where no list can be read: only what has ended already is found, and reaped."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        pass
    return set()
