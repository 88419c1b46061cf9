"""Objects that stand, in a test's process, for a program's functions, modules, classes and
objects. Every use of one is sent as a request to the program (`RemoteProgram`).
"""

from __future__ import annotations

import types
from typing import Any, NoReturn

from ..messages.exceptions import BUILTIN_ERRORS
from .peer import SPECIALS
from .values import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .client import RemoteProgram

_HELD = (int, str, float, complex, tuple, bytes, frozenset)
_NUMBER = "<number>"  # of an object, in its own dictionary; no program can write this name
_PROGRAM = "<program>"


class RemoteFunction:
    """Stands for a function or method of the program."""

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
    """Stands for a module of the program."""

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
        program = self.__dict__[_PROGRAM]
        names = dir(self)
        if "__all__" in names:
            names = list(program.request("get", self, "__all__"))
        else:
            names = [name for name in names if name[:1] != "_"]
        return [name for name in names if program.sent_names.has_module(name)]


class RemoteClass(type):
    """Stands for a class of the program; it is the metaclass of these stand-ins."""

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
    """Stands for an object whose class the program defines."""

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
    """Return whether `thing` stands for an object of the program."""
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
    """Return whether an item equals the value; the value is not sent, the items are fetched."""
    return any(item is wanted or item == wanted for item in self)


def _attributes(self: Any) -> Any:
    return _program_of(type(self)).request("attributes", self)


def number_of(thing: Any) -> int:
    """Return the number by which the program knows this object."""
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


def plain_base(kind: type) -> type | None:
    """Return the built-in type, such as `int`, that a class derives from; None for any other."""
    for ancestor in kind.__mro__:
        if ancestor in _HELD:
            return ancestor
    return None


def made_object(kind: RemoteClass, number: int, content: Any) -> Any:
    """Return an object of the class with this number; `content` is the built-in value that it is,
    or an exception's arguments. Raise MalformedError for another content."""
    base = plain_base(kind)
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


def made_class(program: RemoteProgram, number: int, described: Any) -> RemoteClass:
    """Return the class with this number, made from the program's description.

    Raise MalformedError if that does not describe a class.
    """
    if type(described) is not tuple or len(described) != 6:
        raise MalformedError("a class")
    name, module, doc, bases, specials, is_hashable = described
    if type(name) is not str or type(specials) is not tuple or type(bases) is not tuple:
        raise MalformedError("a class")
    namespace: dict[str, Any] = {
        _PROGRAM: program,
        _NUMBER: number,
        "__module__": module if type(module) is str else "",
        "__doc__": doc if type(doc) is str else None,
        "__dict__": property(_attributes),
    }
    for special in specials:
        if type(special) is str and special in SPECIALS and special not in _DEFINED_HERE:
            namespace[special] = _special_method(special)
    if "__iter__" in namespace and not program.sent_names.defines("__contains__"):
        namespace["__contains__"] = _contains
    if is_hashable is False:
        namespace["__hash__"] = None
    usable = _usable_bases(bases)
    try:
        return RemoteClass(name, usable, namespace)
    except TypeError:  # bases that do not go together here
        return RemoteClass(name, (RemoteObject,), namespace)


def _usable_bases(bases: tuple[Any, ...]) -> tuple[type, ...]:
    found: list[type] = []
    for base in bases:
        if type(base) is str and base in BUILTIN_ERRORS:
            found.append(BUILTIN_ERRORS[base])
        elif base in _HELD or type(base) is RemoteClass:
            found.append(base)
    if not any(type(base) is RemoteClass for base in found):
        found.insert(0, RemoteObject)
    return tuple(found)
