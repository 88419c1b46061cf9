"""Runs the scenarios of one submission, or the calls of one tool, in a browser, which cannot fork.

The page's worker keeps a copy of this interpreter's memory once `ServerInBrowser.prepare` is done,
and puts it back before each `ServerInBrowser.run`, so every scenario begins in the same fresh
interpreter, as a forked process does. The worker ends a scenario by unwinding this code, which no
`except` can catch.
"""

# not pathlib: it would add memory to every copy
# ruff: noqa: PTH123

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import gc
import io
import marshal
import os
import sys
import time
from _json import encode_basestring_ascii as quote
from functools import partial

from .messages.frames import receive, send
from .messages.protocol import FromBrowser, FromTool, decode_job
from .modules import (
    begin_path_with_a_folder,
    complete_interpreter,
    hide_ours,
    import_useful,
    load_tool,
)
from .scenario import streams
from .scenario.process import Program, ScenarioProcess
from .scenario.streams import install_outputs, install_terminal_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SIZE = (80, 24)
# What leads out of the interpreter, into the page's worker; no program has it at home either.
_OUTSIDE = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")


class ServerInBrowser:
    """The object that the browser's worker creates, before any student's file is present, and
    whose two methods it calls. It gets the names of the devices through which it talks to the
    worker.
    """

    def __init__(self, terminal: str, pipe: str, questions: str, answers: str) -> None:
        self.terminal = os.open(terminal, os.O_RDWR)
        self.questions = os.open(questions, os.O_RDONLY)
        self.answers = os.open(answers, os.O_WRONLY)
        for number in (0, 1, 2):
            os.dup2(self.terminal, number)
        install_terminal_input()
        install_outputs(io.FileIO)
        streams.make_pipe = partial(_open_both_ends, pipe)
        sys.excepthook = sys.__excepthook__  # without the one that prints for the page
        self._replace_what_waits()
        _leave_nothing_outside()
        complete_interpreter()
        sys.path[:] = [place for place in sys.path if place]
        begin_path_with_a_folder()
        sys.dont_write_bytecode = True
        self.tool: Callable[[str], str] | None = None

    def prepare(self) -> None:
        """Receive the setup, compile the student's files, and import the modules that they will
        import.
        """
        setup = marshal.loads(receive(self.questions))
        os.environ.clear()
        os.environ.update(setup["environment"])
        os.chdir(setup["directory"])
        if "tool" in setup:
            self.tool = load_tool(setup["tool"], setup["entry"])
        else:
            self.program = Program(setup)
            import_useful(self.program.submitted, setup)
            hide_ours()
        gc.collect()
        gc.freeze()

    def run(self) -> None:
        """Do one job, such as one scenario, in restored memory. Never return."""
        job = decode_job(receive(self.questions))
        if self.tool is not None:
            send(self.answers, FromTool.ANSWER, quote(self.tool(job.payload)))
            os._exit(0)
        for name, data in job.files:
            path = f"{job.folder}/{name}"
            os.makedirs(path.rpartition("/")[0], exist_ok=True)  # noqa: PTH103
            with open(path, "wb") as file:
                file.write(data)
        ScenarioProcess(job, self.program).run(self.terminal, self.questions, self.answers)

    def _replace_what_waits(self) -> None:
        """Replace the functions that sleep or set a timer, so that the worker learns how long a
        program sleeps and when it wants to be interrupted. A browser has no kernel that could
        tell.
        """
        real_sleep, answers = time.sleep, self.answers

        def sleep(seconds: float, /) -> None:
            if seconds > 0:
                send(answers, FromBrowser.SLEEPS, repr(float(seconds)))
            real_sleep(seconds)

        def setitimer(which: int, seconds: float, interval: float = 0.0, /) -> None:
            send(answers, FromBrowser.INTERRUPT_AFTER, repr(float(seconds)))

        def get_terminal_size(descriptor: int = 1, /) -> os.terminal_size:
            return os.terminal_size(_SIZE)

        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        _signal.setitimer, _signal.ITIMER_PROF = setitimer, 2
        time.sleep = sleep  # type: ignore[assignment]
        for module in (os, sys.modules[os.name]):
            module.get_terminal_size = get_terminal_size  # type: ignore[attr-defined]


def _open_both_ends(pipe: str) -> tuple[int, int]:
    return os.open(pipe, os.O_RDONLY), os.open(pipe, os.O_WRONLY)


def _leave_nothing_outside() -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] in _OUTSIDE:
            del sys.modules[name]
    sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]

    class Nothing:
        """Finder that finds no module."""

        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> None:
            if name.partition(".")[0] in _OUTSIDE:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    sys.meta_path.insert(0, Nothing)
