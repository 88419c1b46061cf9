"""`-p tests.no_processes`: tests marked `process` are left out, and another that starts a process
fails. For `make quick`."""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest

STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system")
_running = False


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if _running and event in STARTS:
        pytest.fail(f"{event} in a quick test: mark it `process`", pytrace=True)


def pytest_configure() -> None:
    sys.addaudithook(_refuse)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, Any, Any]:
    global _running  # noqa: PLW0603
    _running = True
    try:
        return (yield)
    finally:
        _running = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = [item for item in items if item.get_closest_marker("process")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]
