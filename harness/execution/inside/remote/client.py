"""The tests' side: a program that runs in another process, as modules, classes and objects here.

No byte of the program is run here: it sends only plain data and numbers. Its objects equal no plain
value, so no expected value has to be sent. The program compares two of its own objects.
"""

from __future__ import annotations

import reprlib
import sys
import types
from _json import encode_basestring_ascii as quote
from typing import Any, NoReturn

from ..messages.exceptions import BUILTIN_ERRORS
from .acts import ToldActs
from .peer import SPECIALS, Peer, error_name, made_error, packed_error
from .sending import OF_PLAIN, OPERATORS, CalledWithoutValues, SentNames, not_sent
from .values import Graph, MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_HELD = (int, str, float, complex, tuple, bytes, frozenset)
_MAX_BASES = 20
_NUMBER = "<number>"  # of an object, in its own dictionary; no program can write this name
_PROGRAM = "<program>"
# Objects of these types lead to everything that a test knows.
_NEVER_GIVEN = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)


class RemoteFunction:
    """A function or method of the program's."""

    def __init__(self, program: RemoteProgram, number: int, name: str) -> None:
        self.__dict__[_PROGRAM] = program
        self.__dict__[_NUMBER] = number
        self.__dict__["__name__"] = name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        program = self.__dict__[_PROGRAM]
        return program.call(self, self.__dict__["__name__"], arguments, keywords)

    def __getattr__(self, name: str) -> Any:
        return self.__dict__[_PROGRAM].attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[_PROGRAM].request("set", self, name, value)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self.__dict__[_PROGRAM].request("documentation", self)

    @property
    def __signature__(self) -> Any:
        return self.__dict__[_PROGRAM].signature(self)

    def __repr__(self) -> str:
        return str(self.__dict__["__name__"])


class RemoteModule(types.ModuleType):
    """A module of the program's."""

    def __init__(self, program: RemoteProgram, number: int, name: str) -> None:
        super().__init__(name)
        self.__dict__.update({_PROGRAM: program, _NUMBER: number, "__file__": f"{name}.py"})
        del self.__dict__["__doc__"]

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self._public_names()
        if name == "__path__":
            raise AttributeError(name)
        return self.__dict__[_PROGRAM].attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("__spec__", "__loader__", "__file__"):  # of the import on this side
            self.__dict__[name] = value
        else:
            self.__dict__[_PROGRAM].request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__[_PROGRAM].request("delete", self, name)

    def __dir__(self) -> list[str]:
        return list(self.__dict__[_PROGRAM].request("names", self))

    def _public_names(self) -> list[str]:
        names = dir(self)
        if "__all__" in names:
            return list(self.__dict__[_PROGRAM].request("get", self, "__all__"))
        return [name for name in names if name[:1] != "_"]


class RemoteClass(type):
    """The type of the program's classes here."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> RemoteClass:
        if _PROGRAM not in namespace:
            raise TypeError(f"a test cannot derive a class from a class of the program ({name})")
        return super().__new__(cls, name, bases, namespace)

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        return _program_of(cls).call(cls, cls.__name__, arguments, keywords)

    def __getattr__(cls, name: str) -> Any:
        return _program_of(cls).attribute(cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        _program_of(cls).request("set", cls, name, value)

    def __delattr__(cls, name: str) -> None:
        _program_of(cls).request("delete", cls, name)

    def __dir__(cls) -> list[str]:
        return list(_program_of(cls).request("names", cls))

    def __bool__(cls) -> bool:
        return True

    def __iter__(cls) -> Any:
        return _program_of(cls).special(cls, "__iter__", ())

    def __len__(cls) -> Any:
        return _program_of(cls).special(cls, "__len__", ())

    def __getitem__(cls, key: Any) -> Any:
        return _program_of(cls).special(cls, "__getitem__", (key,))

    @property
    def __signature__(cls) -> Any:
        return _program_of(cls).signature(cls)


def _program_of(cls: type) -> RemoteProgram:
    program: RemoteProgram = cls.__dict__[_PROGRAM]
    return program


class RemoteObject:
    """An object of a class of the program's."""

    def __getattr__(self, name: str) -> Any:
        return _program_of(type(self)).attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OF_EXCEPTIONS and isinstance(self, BaseException):
            object.__setattr__(self, name, value)
        else:
            _program_of(type(self)).request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        _program_of(type(self)).request("delete", self, name)

    def __dir__(self) -> list[str]:
        return list(_program_of(type(self)).request("names", self))

    def __eq__(self, other: object) -> Any:
        program = _program_of(type(self))
        if is_remote(other):
            return bool(program.special(self, "__eq__", (other,)))
        for content in program.content(self):
            return type(content) is type(other) and content == other
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_program_of(type(self)).special(self, "__hash__", ()))

    def __repr__(self) -> str:
        return str(_program_of(type(self)).special(self, "__repr__", ()))

    def __str__(self) -> str:
        return str(_program_of(type(self)).special(self, "__str__", ()))

    def __format__(self, how: str) -> str:
        return str(_program_of(type(self)).special(self, "__format__", (how,)))

    def __copy__(self) -> Any:
        return _program_of(type(self)).request("copy", self, False)

    def __deepcopy__(self, known: object) -> Any:
        return _program_of(type(self)).request("copy", self, True)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("an object of the program cannot be pickled by a test")


# Attributes that the interpreter and the tests' runner set on a passing exception.
_OF_EXCEPTIONS = frozenset(
    ("__traceback__", "__cause__", "__context__", "__suppress_context__", "__notes__", "args")
)
_DEFINED_HERE = frozenset(("__eq__", "__hash__", "__repr__", "__str__", "__format__"))


def is_remote(thing: object) -> bool:
    """Return whether it is an object of the program's."""
    kind = type(thing)
    return kind in (RemoteFunction, RemoteModule, RemoteClass) or type(kind) is RemoteClass


def _special_method(name: str) -> Any:
    def method(self: Any, *arguments: Any) -> Any:
        if name == "__exit__":  # the traceback is the test's
            arguments = (*arguments[:2], None)
        return _program_of(type(self)).special(self, name, arguments)

    method.__name__ = name
    return method


def _contains(self: Any, wanted: object) -> bool:
    """Return whether one of its items equals the value, without sending the value."""
    return any(item is wanted or item == wanted for item in self)


def _attributes(self: Any) -> Any:
    return _program_of(type(self)).request("attributes", self)


def _number_of(thing: Any) -> int:
    if type(thing) is RemoteClass:
        number = type.__getattribute__(thing, "__dict__")[_NUMBER]
    elif type(thing) in (RemoteFunction, RemoteModule):
        number = thing.__dict__[_NUMBER]
    else:
        number = _state(thing)[_NUMBER]
    return int(number)


def _state(thing: Any) -> dict[str, Any]:
    """Return an object's own dictionary, even if its class defines `__dict__`."""
    for base in type(thing).__mro__:
        reader = base.__dict__.get("__dict__")
        if type(reader) is types.GetSetDescriptorType:
            state: dict[str, Any] = reader.__get__(thing)
            return state
    raise TypeError("an object without a dictionary")


class RemoteProgram(Peer):
    """The program, as its tests see it. `told` is called as `ToldActs` says."""

    def __init__(
        self,
        send: Callable[[str], None],
        receive: Callable[[], Any],
        told: Callable[[int, str], None] = lambda number, words: None,
        sent_names: SentNames | None = None,
    ) -> None:
        super().__init__(Graph(0, self), send, receive, self._do)
        self.sent_names = sent_names or SentNames(None, ())
        self.acts = ToldActs(told)
        self._things: dict[int, Any] = {}  # the program's, by number
        self._known_objects: dict[int, Any] = {}  # the tests' that the program knows
        self._numbers: dict[int, int] = {}
        self._errors: dict[int, BaseException] = {}
        self._next = 2
        self._about: dict[int, tuple[BaseException, Any]] = {}
        self._before: list[Callable[[], None]] = []
        self._is_mirroring = False
        self._bases: list[int] = []  # classes that are being described
        self.write: Callable[[str, str], None] = lambda stream, text: None
        self.ask: Callable[[str, tuple[Any, ...]], Any] = _nothing_to_ask

    def watch(self, mirror: Callable[[], None]) -> None:
        """Call `mirror` before each request, except for those that `mirror` itself makes."""
        self._before.append(mirror)

    def module(self, name: str) -> Any:
        """Import a module of the program's."""
        return self.request("import", name)

    def request(self, operation: str, *values: Any) -> Any:
        """Ask the program for an operation, as `Peer.request` does."""
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
        """Call something of the program's, and tell of it."""
        shown = [short(argument) for argument in arguments]
        shown += [f"{key}={short(value)}" for key, value in keywords.items()]
        with self.acts.telling(f"{name}({', '.join(shown)})") as told:
            result = self.request("call", thing, arguments, keywords)
            told(f"returned {short(result)}")
        return result

    def special(self, thing: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        """Call a special method of an object of the program's. Raise TypeError for an operator that
        is not sent the other, plain value."""
        is_plain = name in OPERATORS and not all(map(is_remote, arguments))
        if is_plain and not self.sent_names.has_object(name):
            base = next((base for base in type(thing).__mro__ if base in _HELD), None)
            if base is not None and hasattr(base, name):
                return getattr(base, name)(thing, *arguments)
            raise not_sent(type(thing).__name__, name)
        return self.request("special", thing, name, arguments)

    def attribute(self, thing: Any, name: str) -> Any:
        """Return an attribute of the program's. If plain values have such an attribute too, and
        the reference does not define it, the result cannot be called with values."""
        value = self.request("get", thing, name)
        if name not in OF_PLAIN or not is_remote(value):
            return value
        is_module = type(thing) is RemoteModule
        names = self.sent_names
        is_sent = names.has_module(name) if is_module else names.has_object(name)
        return value if is_sent else CalledWithoutValues(value, type(thing).__name__, name)

    def content(self, thing: Any) -> tuple[Any, ...]:
        """Return, in a tuple, the built-in value of an object whose class derives from a built-in
        type; an empty tuple for any other object."""
        found = self.request("content", thing)
        if type(found) is not tuple:
            raise MalformedError("a content")
        return found

    def about(self, error: BaseException) -> str:
        return ""

    def of_program(self, error: BaseException) -> Any:
        """Return the program's report of an exception that it raised; None for any other."""
        known = self._about.get(id(error))
        return None if known is None else known[1]

    def encoded(self, plain: Any) -> str:
        """Return the program's message, as JSON again."""
        import json  # noqa: PLC0415

        return json.dumps(plain)

    def signature(self, thing: Any) -> Any:
        """Return the signature of a callable, as `inspect` represents it."""
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
        """Return the text for an object of the program's, or of the tests'."""
        if is_remote(thing):
            return f'["program",{_number_of(thing)}]'
        number = self._numbers.get(id(thing))
        if isinstance(thing, BaseException):
            return self._exported_error(thing, number)
        if number is None:
            number = self._numbered(thing)
        is_function = isinstance(thing, types.FunctionType | types.MethodType)
        name = str(getattr(thing, "__name__", "function"))
        defined = [special for special in sorted(SPECIALS) if _defines(type(thing), special)]
        specials = ",".join(map(quote, defined))
        words = "true" if is_function else "false"
        return f'["test",{number},{words},{quote(name)},[{specials}]]'

    def _exported_error(self, error: BaseException, number: int | None) -> str:
        if number is None:
            number = self._numbered(error)
        known = [name for name in map(error_name, type(error).__mro__) if name]
        return packed_error(self._graph, error, known[0], number)

    def _numbered(self, thing: Any) -> int:
        number = self._numbers[id(thing)] = self._next
        self._known_objects[number] = thing
        self._next += 2
        return number

    def resolve(self, plain: list[Any]) -> Any:
        """Return the object for a text of the program's side."""
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
        base = next((ancestor for ancestor in kind.__mro__ if ancestor in _HELD), None)
        if base is not None:
            if type(content) is not base:
                raise MalformedError("a content")
            make: Any = base.__new__
            thing = make(kind, content)
        elif issubclass(kind, BaseException):
            thing = kind.__new__(kind)
            if type(content) is tuple:
                object.__setattr__(thing, "args", content)
        else:
            thing = object.__new__(kind)
        _state(thing)[_NUMBER] = number
        return thing

    def _class(self, number: int) -> RemoteClass:
        if number in self._bases or len(self._bases) > _MAX_BASES:
            raise MalformedError("a class")
        self._bases.append(number)
        try:
            described = super().request("describe", number)
        finally:
            self._bases.pop()
        return self._class_from(number, described)

    def _class_from(self, number: int, described: Any) -> RemoteClass:
        if type(described) is not tuple or len(described) != 6:
            raise MalformedError("a class")
        name, module, doc, bases, specials, is_hashable = described
        if type(name) is not str or type(specials) is not tuple or type(bases) is not tuple:
            raise MalformedError("a class")
        namespace: dict[str, Any] = {
            _PROGRAM: self,
            _NUMBER: number,
            "__module__": module if type(module) is str else "",
            "__doc__": doc if type(doc) is str else None,
            "__dict__": property(_attributes),
        }
        for special in specials:
            if type(special) is str and special in SPECIALS and special not in _DEFINED_HERE:
                namespace[special] = _special_method(special)
        if "__iter__" in namespace and not self.sent_names.defines("__contains__"):
            namespace["__contains__"] = _contains
        if is_hashable is False:
            namespace["__hash__"] = None
        usable = self._usable_bases(bases)
        try:
            return RemoteClass(name, usable, namespace)
        except TypeError:  # bases that do not go together here
            return RemoteClass(name, (RemoteObject,), namespace)

    def _usable_bases(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        found: list[type] = []
        for base in bases:
            if type(base) is str and base in BUILTIN_ERRORS:
                found.append(BUILTIN_ERRORS[base])
            elif base in _HELD or type(base) is RemoteClass:
                found.append(base)
        if not any(type(base) is RemoteClass for base in found):
            found.insert(0, RemoteObject)
        return tuple(found)

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
        _require(not isinstance(thing, BaseException))
        if operation == "call":
            _require(type(values[1]) is tuple and type(values[2]) is dict)
            return thing(*values[1], **values[2])  # type: ignore[misc]
        name = values[1]
        _require(type(name) is str)
        if operation == "special":
            _require(name in SPECIALS and type(values[2]) is tuple)
            return getattr(type(thing), name)(thing, *values[2])
        if name[:1] == "_" or name in _kept_names(thing):
            raise AttributeError(name)
        if operation == "set":
            _check_may_set(thing, name, values[2])
            return setattr(thing, name, values[2])
        return _given(getattr(thing, name))


_GIVEN = {"get": 2, "set": 3, "call": 3, "special": 3}


def _nothing_to_ask(operation: str, values: tuple[Any, ...]) -> Any:
    raise EOFError("no input is left")


def _require(condition: bool) -> None:
    if not condition:
        raise MalformedError("an operation")


def _kept_names(thing: object) -> frozenset[str]:
    """Return the names by which a mock tells a test what was called; empty for other objects."""
    mock = sys.modules.get("unittest.mock")
    if mock is None or not isinstance(thing, mock.NonCallableMock):
        return frozenset()
    return frozenset(dir(mock.AsyncMock)) | {"method_calls"}


def _check_may_set(thing: object, name: str, value: object) -> None:
    """Raise AttributeError unless a program may set this attribute of a test's object: it could
    otherwise put its own answer instead of a check."""
    if isinstance(thing, _NEVER_SET) or callable(getattr(type(thing), name, None)):
        raise AttributeError(f"a program cannot replace {name} of a test")
    if _kept_names(thing) and is_remote(value):
        raise AttributeError(f"a mock's {name} cannot be an object of the program")


_NEVER_SET = (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def _given(value: Any) -> Any:
    """Return an attribute that a program asked for. AttributeError for what leads further."""
    if isinstance(value, _NEVER_GIVEN):
        raise AttributeError("this cannot be passed to a program")
    return value


def _defines(kind: type, special: str) -> bool:
    return any(special in base.__dict__ for base in kind.__mro__[:-1])


class _Short(reprlib.Repr):
    """Shortens a call's display, without asking the program."""

    def repr_instance(self, thing: Any, level: int) -> str:
        if is_remote(thing):
            return f"<{getattr(type(thing), '__name__', 'object')} object>"
        return super().repr_instance(thing, level)


_SHORT = _Short()
_SHORT.maxlevel = 4
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 20
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 200


def short(value: Any) -> str:
    """Return a value for people, shortened."""
    if is_remote(value):
        return _SHORT.repr_instance(value, 1)
    return _SHORT.repr(value)
