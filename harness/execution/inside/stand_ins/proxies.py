"""Modules of which a submission's process has the names only: their functions run elsewhere.

A call's arguments, its result, what it changed, printed or raised, and its questions for `input`
travel over the scenario's channel. No text of the module itself is in this process.
"""

from __future__ import annotations

import builtins
import sys
from _json import encode_basestring_ascii as quote
from os import _exit

from .graph import CannotTravelError, MalformedError, SharedObjects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_MODULE = type(sys)
_BUILTIN_ERRORS = {
    name: thing
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
}


class RemoteCaller:
    """Calls functions in another process. `send` takes a frame's kind and text, `receive` gives
    the next frame; `own_modules` are the names of the submission's own modules."""

    def __init__(
        self,
        send: Callable[[bytes, str], None],
        receive: Callable[[], bytes],
        own_modules: Iterable[str],
    ) -> None:
        from json import loads  # noqa: PLC0415  (only scenarios with a stand-in pay for it)

        self._loads = loads
        self._send = send
        self._receive = receive
        self._own_modules = ("__main__", *own_modules)

    def function(self, module: str, name: str) -> Callable[..., Any]:
        """A function that is called there, for any namespace here."""

        def proxy(*arguments: Any, **keywords: Any) -> Any:
            return self._call(module, name, arguments, keywords)

        proxy.__name__ = proxy.__qualname__ = name
        proxy.__module__ = module
        return proxy

    def module(self, name: str, functions: Iterable[str], others: Iterable[str]) -> Any:
        """A module of such functions; asking it for one of its `others`, which cannot travel,
        makes the stand-in inapplicable."""
        others = frozenset(others)
        module = _MODULE(name)
        module.__file__ = name + ".py"

        def missing(wanted: str) -> Any:
            if wanted in others:
                self.give_up(f"{name}.{wanted} is no function")
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}")

        module.__dict__["__getattr__"] = missing
        for function in functions:
            module.__dict__[function] = self.function(name, function)
        return module

    def give_up(self, why: str) -> None:
        """End this scenario: the stand-in cannot take the module's place here."""
        self._send(b"N", quote(why))
        _exit(0)

    def _call(
        self, module: str, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        shared = SharedObjects()
        try:
            packed = [shared.pack(argument) for argument in arguments]
            named = [quote(key) + ":" + shared.pack(value) for key, value in keywords.items()]
            contents = shared.all_contents()
        except CannotTravelError as error:
            self.give_up(f"{name}() was given {error}")
        self._send(
            b"C",
            'C{"call":[' + quote(module) + "," + quote(name) + '],"arguments":['
            + ",".join(packed) + '],"keywords":{' + ",".join(named)
            + '},"objects":[' + ",".join(contents) + "]}",
        )  # fmt: skip
        while True:
            frame = self._receive()
            kind, answer = frame[:1], self._loads(frame[1:])
            if kind == b"P":
                sys.stdout.write(answer)
            elif kind == b"I":
                self._ask(answer)
            elif kind == b"V":
                return self._finish(shared, answer)

    def _ask(self, prompt: str) -> None:
        try:
            line = input(prompt)
        except (EOFError, KeyboardInterrupt, OSError) as error:
            self._send(b"C", "E" + quote(type(error).__name__))
        else:
            self._send(b"C", "L" + quote(str(line)))

    def _finish(self, shared: SharedObjects, answer: dict[str, Any]) -> Any:
        try:
            shared.update(answer["objects"])
            if "raised" not in answer:
                return shared.unpack(answer["value"])
            arguments = shared.unpack(answer["arguments"])
        except MalformedError as error:
            self.give_up(f"an answer has {error}")
        raise self._error(answer["raised"])(*arguments)

    def _error(self, name: str) -> type[BaseException]:
        kind: Any = _BUILTIN_ERRORS.get(name)
        for module in self._own_modules:
            if kind is None and module in sys.modules:
                kind = vars(sys.modules[module]).get(name)
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            self.give_up(f"{name} is no exception here")
        found: type[BaseException] = kind
        return found
