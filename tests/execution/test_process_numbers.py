"""Processes told of by descriptors."""

from __future__ import annotations

import os

import pytest

from harness.execution import Driver
from harness.execution.linux import kernel
from harness.model.observation import Ending
from harness.model.stimulus import Limits
from tests.execution.small_world import assignment, call, plain, source


def ended() -> int:
    """A descriptor for a process that is gone."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    descriptor = os.pidfd_open(child)
    os.waitpid(child, 0)
    return descriptor


def test_a_living_process_is_known_by_its_number() -> None:
    assert kernel.resolve_pid(0, [os.pidfd_open(os.getpid())]) == os.getpid()
    assert kernel.resolve_pid(5, []) == 5


def test_one_that_is_gone_is_not() -> None:
    descriptor = ended()
    with pytest.raises(kernel.GoneError):
        kernel.resolve_pid(5, [descriptor])
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_a_scenario_that_ends_while_we_ask_for_its_number_has_ended(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to the question is read when the process is gone, as on a busy machine."""
    resolve_pid = kernel.resolve_pid

    def late(number: int, descriptors: list[int]) -> int:
        for descriptor in descriptors:
            os.close(descriptor)
        return resolve_pid(number, [ended()])

    program = "import time\ndef f():\n    time.sleep(0.4)\n    return 3\n"
    with driver.submission(assignment(), (source(program),)) as server:
        monkeypatch.setattr(kernel, "resolve_pid", late)
        seen = server.observe(call("f()"), Limits(cpu_seconds=0.1))
    assert (seen.ending, plain(seen.value)) == (Ending.ANSWERED, "3")
