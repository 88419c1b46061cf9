"""Runs one job (a scenario, a tool's call or a scenario's stand-ins) in an interpreter started for
it, on systems without terminals.

A thread reports the CPU time used, because the kernel is not asked. The standard streams are pipes
that look like a terminal. Descriptor 1 gets all visible text in order, including standard error.
Our own messages go to the original descriptor 2. A request for a typed line is written into the
visible text, so that its reader has seen everything printed before; the line then arrives as a
message on descriptor 0.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import _thread
import gc
import io
import os
import sys
import time
from _json import encode_basestring_ascii as quote
from functools import partial
from os import _exit, write

from . import clock
from .messages.frames import framed, receive, send
from .messages.protocol import (
    FromTool,
    Heartbeat,
    Keyboard,
    Mark,
    PipedSetup,
    ScenarioJob,
    decode_job,
    split,
)
from .modules import (
    begin_path_with_a_folder,
    complete_interpreter,
    hide_ours,
    import_useful,
    load_tests,
    load_tool,
)
from .scenario import figures
from .scenario.process import Program, ScenarioProcess
from .scenario.streams import install_input, install_outputs
from .stand_ins.calls import StandIns

try:
    from .limits import KernelLimits
except ImportError:  # Windows counts nothing of the kind
    KernelLimits = None  # type: ignore[assignment, misc]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEPT = ("SYSTEMROOT",)  # without it Windows finds no random numbers and no network
_STACK = 1 << 18
_SIZE = (80, 24)  # of the terminal that scenarios have elsewhere


_lock = _thread.allocate_lock()  # frames and beats, of two threads, never interleave


def serve(setup: dict[str, Any]) -> None:
    """Receive the `PipedSetup` and the job, run the job, send one answer and exit."""
    piped_setup = PipedSetup.decode(receive(0))
    job = decode_job(receive(0))
    sys.path.extend(setup["more_modules"])
    is_piped = isinstance(job, ScenarioJob) and job.stdin is not None
    heard, said = _install(piped_setup.secret + Mark.ASKS_FOR_INPUT, is_piped=is_piped)
    from_driver = partial(_from_driver, heard)
    complete_interpreter()
    begin_path_with_a_folder()
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    os.environ.clear()  # nothing of the user's own
    os.environ.update(setup["environment"] | kept)
    os.chdir(setup["directory"])
    write(said, framed(Heartbeat.STARTED))
    if KernelLimits is not None:
        KernelLimits(setup["confinement"]).keep(piped_setup.limits)
    if "tool" in setup:
        tool = load_tool(setup["tool"], setup["entry"])
        _begin(said, piped_setup.beat)
        _send_locked(said, FromTool.ANSWER, quote(tool(job.payload)))
        _exit(0)
    if "stand_ins" in setup:
        stand_ins = StandIns(setup)
        _begin(said, piped_setup.beat)
        stand_ins.run(job, partial(_send_locked, said), from_driver)
    if "tests" in setup:
        tests = load_tests(setup)
        _begin(said, piped_setup.beat)
        tests.run(job, partial(_send_locked, said), from_driver)
    if setup["clock_offset"]:
        clock.move(setup["clock_offset"])
    program = Program(setup)
    import_useful(program.submitted, setup)
    sources = [source.data for source in program.submitted.values()]
    if setup["more_modules"] and figures.may_draw(sources):
        figures.prepare_if_installed()
    scenario = ScenarioProcess(job, program)
    hide_ours()
    gc.collect()
    gc.freeze()
    _begin(said, piped_setup.beat)
    try:
        scenario.perform(1, partial(_send_locked, said), from_driver)
        write(1, piped_setup.secret + Mark.OVER)
        _exit(0)
    finally:
        _exit(70)


def _begin(said: int, beat: float) -> None:
    """Report the start and then, every `beat` seconds, the CPU time used so far."""
    sleep, computed = time.sleep, time.process_time
    before = computed()

    def tell() -> None:
        while True:
            sleep(beat)
            word = framed(Heartbeat.COMPUTED + b"%d" % int((computed() - before) * 1e6))
            with _lock:
                write(said, word)

    write(said, framed(Heartbeat.BEGINS))
    usual = _thread.stack_size(_STACK)
    _thread.start_new_thread(tell, ())
    _thread.stack_size(usual)


def _send_locked(said: int, kind: bytes, text: str) -> None:
    with _lock:
        send(said, kind, text)


def _from_driver(heard: int) -> bytes:
    """Return the next message on this descriptor. Raise SystemExit if the driver has ended."""
    try:
        return receive(heard)
    except EOFError:
        raise SystemExit(1) from None


class _PipedKeyboard:
    """Typed input. It writes the secret `word` into the visible text to ask for a line."""

    def __init__(self, word: bytes, heard: int) -> None:
        self._word = word
        self._heard = heard
        self._left = b""

    def take(self, most: int) -> bytes:
        """Return up to `most` bytes of a line; empty at the end of the input.

        Raises KeyboardInterrupt for Ctrl-C.
        """
        while not self._left:
            write(1, self._word)
            kind, line = split(_from_driver(self._heard))
            if kind == Keyboard.CTRL_D:
                return b""
            if kind == Keyboard.CTRL_C:
                _signal.raise_signal(_signal.SIGINT)
            self._left = line
        data, self._left = self._left[:most], self._left[most:]
        return data


class _Output(io.FileIO):
    """Descriptor 1 as a raw stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


_Output.__name__ = _Output.__qualname__ = "FileIO"  # as Python's own, for those who print it
_Output.__module__ = "_io"


def _install(word: bytes, *, is_piped: bool) -> tuple[int, int]:
    """Set up the standard streams. Return the descriptors for messages to this process and for its
    reports.

    A program that reads descriptor 0 directly finds the end of input and none of our messages. With
    `is_piped`, the scenario's input is set later by `pipe_in`.
    """
    heard, said = os.dup(0), os.dup(2)
    os.dup2(1, 2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # A script's background job ignores Ctrl-C, and so would the processes that it starts.
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    if not is_piped:
        install_input(_PipedKeyboard(word, heard).take)
    terminals = (1, 2) if is_piped else (0, 1, 2)
    real_isatty, real_size = os.isatty, os.get_terminal_size

    def isatty(descriptor: int, /) -> bool:
        return descriptor in terminals or real_isatty(descriptor)

    def get_terminal_size(descriptor: int = 1, /) -> os.terminal_size:
        return os.terminal_size(_SIZE) if descriptor in terminals else real_size(descriptor)

    for module in (os, sys.modules[os.name]):  # `posix` or `nt`
        for function in (isatty, get_terminal_size):
            setattr(module, function.__name__, function)
    install_outputs(_Output)
    return heard, said
