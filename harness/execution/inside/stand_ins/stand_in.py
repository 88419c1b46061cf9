"""The process that holds the course's stand-in modules, and answers calls of their functions.

It never has a byte of the submission: what arrives is plain data. Each scenario has a process of
its own, so that what a module remembers lasts as long as it would in the submission's process.
"""

from __future__ import annotations

import gc
import sys
from _json import encode_basestring_ascii as quote
from os import _exit

from ..modules import Library, ModuleSource, by_module_name
from .graph import CannotTravelError, MalformedError, SharedObjects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MOST_UNSENT = 8192  # characters printed before they are sent on


class StandIns:
    """The course's files of an assignment, compiled once for all scenarios."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self._variants = [by_module_name(files) for files in setup["variants"]]
        self._extra = setup["extra"]
        self._sources = {name: ModuleSource(name, data) for name, data in setup["stand_ins"]}
        self._reference = by_module_name(setup["reference"])
        for source in (*self._sources.values(), *self._reference.values()):
            source.try_to_compile()

    def run(
        self,
        job: dict[str, Any],
        send: Callable[[bytes, str], None],
        receive: Callable[[], bytes],
    ) -> None:
        """Load what the job names, then answer calls until the driver hangs up."""
        extra = by_module_name([file for file in self._extra if file[0] in job["provide"]])
        sources = {**self._sources, **{each.filename: each for each in self._reference.values()}}
        modules = {name: sources[file] for name, file in job["modules"]}
        beside = self._reference if job["beside"] else {}
        sys.meta_path.insert(
            0,
            Library({**extra, **beside, **modules, **self._variants[job["variant"]]}),
        )
        import json  # noqa: PLC0415  (before a module of the course may be called so)
        import random  # noqa: PLC0415

        random.seed(job["seed"])
        terminal = _Terminal(send, receive, json.loads)
        terminal.install()
        for name in modules:
            __import__(name)
        callee = _Callee(send, json.loads, terminal, frozenset(modules))
        while True:
            callee.answer(receive())


class _Terminal:
    """Standard streams that lead to the submission's terminal."""

    encoding = "utf-8"

    def __init__(
        self,
        send: Callable[[bytes, str], None],
        receive: Callable[[], bytes],
        loads: Callable[[bytes], Any],
    ) -> None:
        self._send = send
        self._receive = receive
        self._loads = loads
        self._unsent: list[str] = []
        self._length = 0

    def install(self) -> None:
        """Put them in place, and `input`."""
        import builtins  # noqa: PLC0415

        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = self  # type: ignore[assignment, misc]
        builtins.input = self.ask

    def write(self, text: str) -> int:
        """Part of the stream protocol."""
        self._unsent.append(text)
        self._length += len(text)
        if self._length > _MOST_UNSENT:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Part of the stream protocol: everything printed is sent on."""
        if self._unsent:
            self._send(b"P", quote("".join(self._unsent)))
            self._unsent.clear()
            self._length = 0

    def isatty(self) -> bool:
        """Part of the stream protocol."""
        return True

    def ask(self, prompt: object = "", /) -> str:
        """`input`, on the submission's terminal."""
        self.flush()
        self._send(b"I", quote(str(prompt)))
        frame = self._receive()
        text: str = self._loads(frame[1:])
        if frame[:1] == b"L":
            return text
        raise {"EOFError": EOFError, "KeyboardInterrupt": KeyboardInterrupt}.get(text, OSError)


class _Callee:
    def __init__(
        self,
        send: Callable[[bytes, str], None],
        loads: Callable[[bytes], Any],
        terminal: _Terminal,
        modules: frozenset[str],
    ) -> None:
        self._send = send
        self._loads = loads
        self._terminal = terminal
        self._modules = modules

    def answer(self, frame: bytes) -> None:
        """Do one call: its outcome, and what it changed."""
        shared = SharedObjects()
        try:
            request = self._loads(frame[1:])
            module, name = request["call"]
            if frame[:1] != b"C" or module not in self._modules:
                raise MalformedError("a call")
            shared.update([[number, each] for number, each in enumerate(request["objects"])])
            arguments = [shared.unpack(each) for each in request["arguments"]]
            keywords = {key: shared.unpack(each) for key, each in request["keywords"].items()}
            function = vars(sys.modules[module])[name]
        except (MalformedError, KeyError, TypeError, ValueError, AttributeError):
            self._give_up("a call that no stand-in understands")
        before = shared.all_contents()
        outcome = self._outcome(shared, function, arguments, keywords)
        del arguments, keywords
        try:
            contents = [shared.contents(number) for number in range(len(before))]
            changed = [f"[{n},{new}]" for n, new in enumerate(contents) if new != before[n]]
            added = shared.all_contents(len(before))
        except CannotTravelError as error:
            self._give_up(f"{name}() leaves {error}")
        changed += [f"[{len(before) + n},{new}]" for n, new in enumerate(added)]
        if _is_referred_to(shared.objects):
            self._give_up(f"{name}() remembers what it was given or gave")
        self._terminal.flush()
        self._send(b"V", "{" + outcome + ',"objects":[' + ",".join(changed) + "]}")

    def _outcome(
        self,
        shared: SharedObjects,
        function: Any,
        arguments: list[Any],
        keywords: dict[str, Any],
    ) -> str:
        name = function.__name__
        try:
            result = function(*arguments, **keywords)
        except MemoryError:
            _exit(71)
        except BaseException as error:
            try:
                values = shared.pack(error.args)
            except CannotTravelError as failure:
                self._give_up(f"{name}() raised an exception with {failure}")
            return '"raised":' + quote(type(error).__name__) + ',"arguments":' + values
        try:
            return '"value":' + shared.pack(result)
        except CannotTravelError as failure:
            self._give_up(f"{name}() returned {failure}")
            raise

    def _give_up(self, why: str) -> None:
        self._send(b"N", quote(why))
        _exit(0)


def _is_referred_to(objects: list[Any]) -> bool:
    """Whether anything but these containers themselves still holds one of them."""
    if not objects or not _others_holding(objects):
        return False
    gc.collect()  # an exception's frames may have been a cycle
    return _others_holding(objects)


def _others_holding(objects: list[Any]) -> bool:
    asked = tuple(objects)
    known = {id(thing) for thing in objects} | {id(objects), id(asked), id(sys._getframe())}
    return any(id(each) not in known for each in gc.get_referrers(*asked))
