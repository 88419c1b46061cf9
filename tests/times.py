"""What tests cost: wall time and CPU time, user and system, with that of the processes that they
started, which may live on. `-p tests.times` prints the slowest tests and the CPU time by folder."""

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


def _of_ended() -> float:
    """What this process has used, and those of its children that have ended."""
    used = [resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _of_living(pid: int | str) -> float:
    """What the processes below one have used that live on; 0 where none can tell. It takes 9 ms
    where one is a browser."""
    seconds = 0.0
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            for child in children.read_text().split():
                times = Path(f"/proc/{child}/stat").read_text().rpartition(") ")[2].split()[11:15]
                seconds += sum(map(int, times)) / os.sysconf("SC_CLK_TCK") + _of_living(child)
    return seconds


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Times(config), "times-of-tests")


def _folder(file: str) -> str:
    path = Path(file)
    return str(path.parent if path.suffix else path)


class Times:
    """Measures in each worker of pytest-xdist, and reports in the process that started them. What
    living processes used is known by file: such a process may end in any test."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._tests: dict[str, tuple[float, float]] = {}
        self._folders: dict[str, float] = {}
        self._whole = 0.0
        self._file = ""
        self._file_start = 0.0
        alone = config.getoption("dist", "no") == "no"
        self._runs_tests = alone or hasattr(config, "workerinput")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._runs_tests:
            file = nodeid.partition("::")[0]
            if file != self._file:
                self._next_file(file)
            self._start = (time.perf_counter(), _of_ended())

    def _next_file(self, file: str) -> None:
        now = _of_ended() + _of_living(os.getpid())
        if self._file:
            self._add(_folder(self._file), now - self._file_start)
        self._file, self._file_start = file, now

    def _add(self, folder: str, seconds: float) -> None:
        self._folders[folder] = self._folders.get(folder, 0.0) + seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report: Any = yield
        if call.when == "teardown":
            wall, cpu = self._start
            used = time.perf_counter() - wall, _of_ended() - cpu
            report.user_properties.append(("times", used))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == "times":
                self._tests[report.nodeid] = (value[0], value[1])

    def pytest_sessionfinish(self) -> None:
        if self._runs_tests:
            self._next_file("")
        if hasattr(self._config, "workerinput"):
            self._config.workeroutput["cpu"] = (self._file_start, self._folders)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        seconds, folders = getattr(node, "workeroutput", {}).get("cpu", (0.0, {}))
        self._whole += seconds
        for folder, used in folders.items():
            self._add(folder, used)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        number = Counter(_folder(test.partition("::")[0]) for test in self._tests)
        write = terminalreporter.write_line
        terminalreporter.section(f"{SLOWEST} slowest tests: wall, CPU in seconds")
        for test, (wall, cpu) in sorted(self._tests.items(), key=lambda item: -item[1][0])[
            :SLOWEST
        ]:
            write(f"{wall:7.2f} {cpu:7.2f}  {test}")
        terminalreporter.section("CPU time by folder: seconds, tests")
        for folder, cpu in sorted(self._folders.items(), key=lambda item: -item[1]):
            write(f"{cpu:7.1f} {number[folder]:5}  {folder}")
        own = resource.getrusage(resource.RUSAGE_SELF)
        # Workers are children of this process, and have said what they used.
        whole = self._whole + own.ru_utime + own.ru_stime
        if self._runs_tests:
            whole = self._file_start
        write(f"{whole - sum(self._folders.values()):7.1f}        starting, collecting")
        write(f"{whole:7.1f} {number.total():5}  all")
