"""`-p tests.no_processes` leaves out tests that are marked `process`, or have a fixture that
starts some; another test that starts a process fails. For `make quick`."""

import sys
from collections.abc import Generator
from typing import Any

import pytest

STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system")
FIXTURES = {"graded_once", "chromium_started", "why_not_strong"}
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
    slow = [
        item
        for item in items
        if item.get_closest_marker("process") or FIXTURES.intersection(_fixtures(item))
    ]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]


def _fixtures(item: pytest.Item) -> list[str]:
    """Those of a test function, and those that these need."""
    return item.fixturenames if isinstance(item, pytest.Function) else []
