"""What tests cost: wall time and CPU time, user and system, with that of the processes that they
started, which may live on. `-p tests.times` prints the slowest tests and the CPU time by folder;
`--times-json FILE` keeps each test's."""

from __future__ import annotations

import json
import os
import resource
import time
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

SLOWEST = 20


def _cpu(*, children: bool = True) -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)[: 2 if children else 1]
    used = [resource.getrusage(kind) for kind in kinds]
    alive = _of_children(os.getpid()) if children else 0
    return sum(each.ru_utime + each.ru_stime for each in used) + alive


def _of_children(pid: int | str) -> float:
    """What processes that live on from test to test have used so far; 0 where none can tell."""
    seconds = 0.0
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            for child in children.read_text().split():
                times = Path(f"/proc/{child}/stat").read_text().rpartition(") ")[2].split()[11:15]
                seconds += sum(map(int, times)) / os.sysconf("SC_CLK_TCK") + _of_children(child)
    return seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times-json", metavar="FILE", help="keep the times of each test")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Times(config), "times-of-tests")


class Times:
    """Measures in each worker of pytest-xdist, and reports in the process that started them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._tests: dict[str, tuple[float, float]] = {}
        self._processes: list[float] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._start = (time.perf_counter(), _cpu())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report: Any = yield
        if call.when == "teardown":
            wall, cpu = self._start
            report.user_properties.append(("times", (time.perf_counter() - wall, _cpu() - cpu)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == "times":
                self._tests[report.nodeid] = (value[0], value[1])

    def pytest_sessionfinish(self) -> None:
        if hasattr(self._config, "workerinput"):
            self._config.workeroutput["cpu"] = _cpu()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._processes.append(getattr(node, "workeroutput", {}).get("cpu", 0.0))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        folders: Counter[str] = Counter()
        number: Counter[str] = Counter()
        for test, (_, cpu) in self._tests.items():
            path = Path(test.partition("::")[0])
            folder = str(path.parent if path.suffix else path)
            folders[folder] += cpu
            number[folder] += 1
        write = terminalreporter.write_line
        terminalreporter.section(f"{SLOWEST} slowest tests: wall, CPU in seconds")
        for test, (wall, cpu) in sorted(self._tests.items(), key=lambda item: -item[1][0])[
            :SLOWEST
        ]:
            write(f"{wall:7.2f} {cpu:7.2f}  {test}")
        terminalreporter.section("CPU time by folder: seconds, tests")
        for folder, cpu in folders.most_common():
            write(f"{cpu:7.1f} {number[folder]:5}  {folder}")
        # The processes that tests ran in are children of this one, and have said what they used.
        whole = sum(self._processes) + _cpu(children=not self._processes)
        write(f"{whole - folders.total():7.1f}        starting, collecting")
        write(f"{whole:7.1f} {number.total():5}  all")
        if target := self._config.getoption("--times-json"):
            Path(target).write_text(json.dumps(self._tests, indent=1), encoding="utf-8")
