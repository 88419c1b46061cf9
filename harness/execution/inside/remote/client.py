"""The tests' side of the conversation with a program in another process: sends requests and
answers the program's requests.

No code of the program runs here: it sends only plain data and numbers for its objects. These
objects compare unequal to every plain value, so expected values are never sent. Two of the
program's objects are compared by the program.
"""

from __future__ import annotations

import reprlib
import types
from _json import encode_basestring_ascii as quote
from typing import Any

from .acts import ToldActs
from .peer import Peer, error_name, made_error, packed_error
from .proxies import (
    RemoteClass,
    RemoteFunction,
    RemoteModule,
    is_remote,
    made_class,
    made_object,
    number_of,
    plain_base,
)
from .sending import (
    OF_PLAIN,
    OPERATORS,
    CalledWithoutValues,
    SentNames,
    check_may_set,
    given_attribute,
    is_failure,
    kept_names,
    not_sent,
    require,
    specials_of,
)
from .values import Graph, MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_BASES = 20


class RemoteProgram(Peer):
    """The program, as its tests see it. `told` is called as described in `ToldActs`."""

    def __init__(
        self,
        send: Callable[[str], None],
        receive: Callable[[], Any],
        told: Callable[[int, str], None] = lambda number, words: None,
        sent_names: SentNames | None = None,
    ) -> None:
        super().__init__(Graph(0, self), send, receive, self._do)
        self.sent_names = sent_names or SentNames(None, None)
        self.acts = ToldActs(told)
        self._things: dict[int, Any] = {}  # the program's, by number
        self._known_objects: dict[int, Any] = {}  # the tests' that the program knows
        self._numbers: dict[int, int] = {}
        self._errors: dict[int, BaseException] = {}
        self._next = 2
        self._about: dict[int, tuple[BaseException, Any]] = {}
        self._before: list[Callable[[], None]] = []
        self._is_mirroring = False
        self.is_answering = False  # a question of the program's
        self.failure: BaseException | None = None  # the first of the test's that the program saw
        self.given_values: set[str] = set()  # names like `__lt__` that were sent plain values
        self._bases: list[int] = []  # classes that are being described
        self.write: Callable[[str, str], None] = lambda stream, text: None
        self.ask: Callable[[str, tuple[Any, ...]], Any] = _nothing_to_ask

    def watch(self, mirror: Callable[[], None]) -> None:
        """Call `mirror` before each request, except for requests that `mirror` itself makes."""
        self._before.append(mirror)

    def module(self, name: str) -> Any:
        """Import one of the program's modules."""
        return self.request("import", name)

    def request(self, operation: str, *values: Any) -> Any:
        """Send an operation to the program and return its result, as `Peer.request` does."""
        if not self._is_mirroring:
            self._is_mirroring = True
            try:
                for mirror in self._before:
                    mirror()
            finally:
                self._is_mirroring = False
        return super().request(operation, *values)

    def call(
        self, thing: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Call a function or class of the program, and report the call as an action."""
        shown = [short(argument) for argument in arguments]
        shown += [f"{key}={short(value)}" for key, value in keywords.items()]
        with self.acts.telling(f"{name}({', '.join(shown)})") as told:
            result = self.request("call", thing, arguments, keywords)
            told(f"returned {short(result)}")
        return result

    def special(self, thing: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        """Call a special method, such as `__len__`, of the program's object.

        Raise TypeError for an operator whose other, plain value must not be sent.
        """
        is_plain = name in OPERATORS and not all(map(is_remote, arguments))
        if is_plain and not self.sent_names.has_object(name):
            base = plain_base(type(thing))
            if base is not None and hasattr(base, name):
                return getattr(base, name)(thing, *arguments)
            raise not_sent(type(thing).__name__, name)
        if is_plain:
            self.given_values.add(name)
        return self.request("special", thing, name, arguments)

    def attribute(self, thing: Any, name: str) -> Any:
        """Return an attribute of the program's object.

        If plain values have an attribute of the same name, and the reference does not define it,
        the result cannot be called with values.
        """
        value = self.request("get", thing, name)
        if name not in OF_PLAIN or not is_remote(value):
            return value
        is_module = type(thing) is RemoteModule
        names = self.sent_names
        if is_module and names.has_module(name):
            return value
        if not is_module and names.has_object(name):
            self.given_values.add(name)
            return value
        return CalledWithoutValues(value, type(thing).__name__, name)

    def content(self, thing: Any) -> tuple[Any, ...]:
        """Return a tuple with the built-in value of an object whose class derives from a built-in
        type such as `int`; for any other object an empty tuple.
        """
        found = self.request("content", thing)
        if type(found) is not tuple:
            raise MalformedError("a content")
        return found

    def about(self, error: BaseException) -> str:
        return ""

    def of_program(self, error: BaseException) -> Any:
        """Return the program's description of an exception that it raised; None for any other
        exception.
        """
        known = self._about.get(id(error))
        return None if known is None else known[1]

    def encoded(self, plain: Any) -> str:
        """Return a message of the program as JSON text again."""
        import json  # noqa: PLC0415

        return json.dumps(plain)

    def signature(self, thing: Any) -> Any:
        """Return the signature of a function of the program as an `inspect.Signature`."""
        import inspect  # noqa: PLC0415

        kinds = list(inspect._ParameterKind)
        parameters = []
        for name, kind, has_default, default, note in self.request("signature", thing):
            known = {"default": default} if has_default else {}
            if note is not None:
                known["annotation"] = note
            parameters.append(inspect.Parameter(name, kinds[kind], **known))
        return inspect.Signature(parameters)

    def more(self) -> str:
        numbers = self._graph.forget()
        return f',"drop":{numbers}' if numbers else ""

    def heard(self, message: dict[str, Any]) -> None:
        said = message.get("said", [])
        if type(said) is not list:
            raise MalformedError("output")
        for part in said:
            if type(part) is not list or [type(item) for item in part] != [str, str]:
                raise MalformedError("output")
            self.write(*part)

    def raised(self, message: dict[str, Any]) -> BaseException:
        error = super().raised(message)
        self._about[id(error)] = error, message.get("about")
        return error

    def export(self, thing: Any) -> str:
        """Return the JSON text that stands for an object of the program or of the tests."""
        if is_remote(thing):
            return f'["program",{number_of(thing)}]'
        number = self._numbers.get(id(thing))
        if isinstance(thing, BaseException):
            return self._exported_error(thing, number)
        if number is None:
            number = self._numbered(thing)
        is_function = isinstance(thing, types.FunctionType | types.MethodType)
        name = str(getattr(thing, "__name__", "function"))
        specials = ",".join(map(quote, sorted(specials_of(thing))))
        words = "true" if is_function else "false"
        return f'["test",{number},{words},{quote(name)},[{specials}]]'

    def _exported_error(self, error: BaseException, number: int | None) -> str:
        if number is None:
            number = self._numbered(error)
        known = [name for name in map(error_name, type(error).__mro__) if name]
        arguments = error.args
        if is_failure(error):  # its message may contain what the test expects
            arguments = ()
            self.failure = self.failure or error
        return packed_error(self._graph, arguments, known[0], number)

    def _numbered(self, thing: Any) -> int:
        number = self._numbers[id(thing)] = self._next
        self._known_objects[number] = thing
        self._next += 2
        return number

    def resolve(self, plain: list[Any]) -> Any:
        """Return the object for such a JSON value from the program."""
        name, number = plain[0], plain[1]
        if name == "error":
            return made_error(self._graph, plain)
        if type(number) is not int:
            raise MalformedError("a number")
        if name in ("test", "mine"):
            if number not in self._known_objects:
                raise MalformedError("a number")
            return self._known_objects[number]
        if name != "program" or len(plain) < 3:
            raise MalformedError("a value")
        if number not in self._things:
            self._things[number] = self._made(number, plain)
        return self._things[number]

    def _made(self, number: int, plain: list[Any]) -> Any:
        kind = plain[2]
        if kind == "class":
            return self._class(number)
        if kind == "object" and len(plain) == 5 and type(plain[3]) is int:
            return self._object(number, plain[3], self._graph.unpack(plain[4]))
        if len(plain) != 4 or type(plain[3]) is not str:
            raise MalformedError("a value")
        if kind == "module":
            return RemoteModule(self, number, plain[3])
        if kind == "function":
            return RemoteFunction(self, number, plain[3])
        raise MalformedError("a kind")

    def _object(self, number: int, class_number: int, content: Any) -> Any:
        if class_number not in self._things:
            self._things[class_number] = self._class(class_number)
        kind = self._things[class_number]
        if type(kind) is not RemoteClass:
            raise MalformedError("a class")
        return made_object(kind, number, content)

    def _class(self, number: int) -> RemoteClass:
        if number in self._bases or len(self._bases) > _MAX_BASES:
            raise MalformedError("a class")
        self._bases.append(number)
        try:
            described = super().request("describe", number)
        finally:
            self._bases.pop()
        return made_class(self, number, described)

    def _do(self, operation: str, values: list[Any]) -> Any:
        """Carry out the program's request."""
        if operation in ("input", "stdin", "replaces_input"):
            return self.ask(operation, tuple(values))
        if operation not in _GIVEN or len(values) != _GIVEN[operation]:
            raise MalformedError("an operation")
        thing = self._known_objects.get(values[0]) if type(values[0]) is int else None
        if values[0] not in self._known_objects:
            raise MalformedError("a number")
        # Its side has a copy of its own; the original's arguments say what an assertion expects.
        require(not isinstance(thing, BaseException))
        if operation == "call":
            require(type(values[1]) is tuple and type(values[2]) is dict)
            was_answering, self.is_answering = self.is_answering, True
            try:
                return thing(*values[1], **values[2])  # type: ignore[misc]
            finally:
                self.is_answering = was_answering
        name = values[1]
        require(type(name) is str)
        if operation == "special":
            require(name in specials_of(thing) and type(values[2]) is tuple)
            return getattr(type(thing), name)(thing, *values[2])
        if name[:1] == "_" or name in kept_names(thing):
            raise AttributeError(name)
        if operation == "set":
            check_may_set(thing, name, is_remote_value=is_remote(values[2]))
            return setattr(thing, name, values[2])
        return given_attribute(getattr(thing, name))


_GIVEN = {"get": 2, "set": 3, "call": 3, "special": 3}


def _nothing_to_ask(operation: str, values: tuple[Any, ...]) -> Any:
    raise EOFError("no input is left")


class _Short(reprlib.Repr):
    """Shortens the text of a call without sending requests to the program."""

    def repr_instance(self, thing: Any, level: int) -> str:
        if is_remote(thing):
            return f"<{getattr(type(thing), '__name__', 'object')} object>"
        return super().repr_instance(thing, level)


_SHORT = _Short()
_SHORT.maxlevel = 4
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 20
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 200


def short(value: Any) -> str:
    """Return a short `repr` of a value, for people."""
    if is_remote(value):
        return _SHORT.repr_instance(value, 1)
    return _SHORT.repr(value)
