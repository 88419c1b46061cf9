"""One scenario, or one call of a tool, in an interpreter of its own that was started for it.

It stands for what base and submission server do where there are terminals and forks, and tells,
from a thread, how much it has computed: no kernel is asked.
"""

from __future__ import annotations

import _sitebuiltins
import _thread
import builtins
import gc
import os
import sys
import time
import warnings
from os import _exit, write

from . import pipes
from .modules import by_module_name
from .preparing import import_useful
from .question import Question, read
from .scenario import Files, Scenario
from .tool import Tool

try:
    from .limits import Limits
except ImportError:  # Windows counts nothing of the kind
    Limits = None  # type: ignore[assignment, misc]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEPT = ("SYSTEMROOT",)  # without it Windows finds no random numbers and no network
_STACK = 1 << 18


class PipedScenario(Scenario):
    """A scenario whose words and beats, of two threads, never come between each other."""

    lock = _thread.allocate_lock()

    def _send(self, kind: bytes, text: str) -> None:
        with self.lock:
            super()._send(kind, text)


def serve(setup: dict[str, Any], job: dict[str, Any]) -> None:
    """Prepare, run, answer once, leave."""
    said = pipes.install(job["ask"])
    _complete_the_interpreter(setup["environment"])
    os.chdir(setup["directory"])
    write(said, _frame(b"U"))
    limits = Limits(counted=True, own_user=False) if Limits is not None else None
    if limits is not None:
        limits.allow_memory(job["memory"])
    if "tool" in setup:
        tool = Tool(setup["tool"], setup["entry"])
        _begin(said, job["beat"])
        tool.run(job["payload"], said)
        _exit(0)
    scenario = _prepared(setup, job)
    for name in [name for name in sys.modules if name.partition(".")[0] == "inside"]:
        del sys.modules[name]  # a submission's own module may be called so
    gc.collect()
    gc.freeze()
    _begin(said, job["beat"])
    try:
        scenario.perform(1, said)
        write(1, job["over"])
        _exit(0)
    finally:
        _exit(70)


def _prepared(setup: dict[str, Any], job: dict[str, Any]) -> PipedScenario:
    warnings.simplefilter("ignore")
    submitted = by_module_name(setup["files"])
    for source in submitted.values():
        source.try_to_compile()
    import_useful(submitted, setup)
    functions = frozenset(setup["functions"])
    question = Question(read(functions, *job["asked"]))
    return PipedScenario(job, question, Files.of(job["wanted"], setup, submitted), functions)


def _begin(said: int, beat: float) -> None:
    """Say that it begins, and from then on, every `beat` seconds, what was computed so far."""
    sleep, computed = time.sleep, time.process_time
    lock = PipedScenario.lock
    before = computed()

    def tell() -> None:
        while True:
            sleep(beat)
            word = _frame(b"T" + b"%d" % int((computed() - before) * 1e6))
            with lock:
                write(said, word)

    write(said, _frame(b"R"))
    usual = _thread.stack_size(_STACK)
    _thread.start_new_thread(tell, ())
    _thread.stack_size(usual)


def _complete_the_interpreter(environment: dict[str, str]) -> None:
    """`exit`, `quit` and `help`, which the `site` module gives elsewhere, and nobody's own
    environment."""
    end_key = "Ctrl-D (i.e. EOF)"
    builtins.quit = _sitebuiltins.Quitter("quit", end_key)
    builtins.exit = _sitebuiltins.Quitter("exit", end_key)
    builtins.help = _sitebuiltins._Helper()
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    os.environ.clear()
    os.environ.update(environment | kept)


def _frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "little") + body
