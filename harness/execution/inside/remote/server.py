"""Serves a test's requests in the process that holds the program and nothing of the test.

`input`, `print`, `open` and others are Python's own unless a test replaced them. The program's
output goes to its terminal and, with the next message, to the test.
"""

from __future__ import annotations

import builtins
import os
import sys
from _json import encode_basestring_ascii as quote

from ..messages.codec import FUNCTION, mro_of, name_of, space_of
from ..messages.exceptions import BUILTIN_ERRORS, describe
from ..running import end_program, run_as_main
from ..scenario.streams import PipedStreams
from .peer import SPECIALS, Peer, error_name, made_error, packed_error
from .values import Graph, MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..messages.exceptions import Sources
    from ..modules import Library

_MODULE = type(sys)
_ENDED_BY_CTRL_C = -2  # as `subprocess` says it
_CALLABLES = frozenset(
    (
        FUNCTION,
        type(len),
        type(str.upper),
        type(str.__len__),
        type("".__len__),
        type(Peer.hear.__get__(0)),
    )
)
# The built-in value of an object of a class derived from one of these, which never changes.
_IMMUTABLE = (int, str, float, complex, tuple, bytes, frozenset)
_MUTABLE = (list, dict, set, bytearray)
_COPIES: dict[Any, Callable[[Any], Any]] = {
    int: lambda thing: int.__add__(thing, 0),
    str: lambda thing: str.__getitem__(thing, slice(None)),
    float: lambda thing: float.__add__(thing, 0.0),
    complex: lambda thing: complex.__add__(thing, 0),
    tuple: lambda thing: tuple.__getitem__(thing, slice(None)),
    bytes: lambda thing: bytes.__getitem__(thing, slice(None)),
    frozenset: lambda thing: frozenset.union(frozenset(), thing),
    list: lambda thing: list.__getitem__(thing, slice(None)),
    dict: lambda thing: dict(dict.items(thing)),
    set: lambda thing: set.union(set(), thing),
    bytearray: lambda thing: bytearray.__getitem__(thing, slice(None)),
}
_args_of = BaseException.__dict__["args"].__get__


def _held_base(kind: type) -> Any:
    """Return the built-in type, such as `list`, whose content objects of this class hold; None if
    there is none.
    """
    for base in mro_of(kind):
        if base in _COPIES:
            return base
    return None


def _is_class(thing: object) -> bool:
    return type in mro_of(type(thing))


class ObjectsOfTest:
    """The test's objects as the program sees them.

    Every use of one is sent as a request to the test.
    """

    def __init__(self, request: Callable[..., Any]) -> None:
        self._request = request
        self._by_number: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}  # by the identity of what stands for them

    def number_of(self, thing: Any) -> int | None:
        return self._numbers.get(id(thing))

    def get(self, plain: list[Any]) -> Any:
        """Return the object that stands for one of the test's, made from its number, its kind
        (function or not), its name and its special methods.
        """
        _, number, is_function, name, specials = plain
        if not SPECIALS.issuperset(specials):  # `__reduce_ex__` would call whatever it returns
            raise MalformedError("an object")
        if number not in self._by_number:
            made = self._function(number, name) if is_function else self._object(number, specials)
            self._by_number[number] = made
            self._numbers[id(made)] = number
        return self._by_number[number]

    def _function(self, number: int, name: str) -> Any:
        request = self._request

        def function(*arguments: Any, **keywords: Any) -> Any:
            return request("call", number, arguments, keywords)

        function.__name__ = function.__qualname__ = name
        return function

    def _object(self, number: int, specials: Iterable[str]) -> Any:
        request = self._request

        def read(self: Any, name: str) -> Any:
            if name[:1] == "_":
                raise AttributeError(name)
            return request("get", number, name)

        def write(self: Any, name: str, value: Any) -> None:
            request("set", number, name, value)

        namespace: dict[str, Any] = {"__getattr__": read, "__setattr__": write}
        for special in specials:
            namespace[special] = self._special(number, special)
        return type("object", (), namespace)()

    def _special(self, number: int, name: str) -> Any:
        request = self._request
        if name == "__call__":
            return lambda self, *arguments, **keywords: request("call", number, arguments, keywords)
        if name == "__exit__":  # the exception would bring its traceback along
            return lambda self, kind, error, trace: request(
                "special", number, name, (kind, error, None)
            )
        return lambda self, *arguments: request("special", number, name, arguments)


class ProgramServer(Peer):
    """Serves one program to one test."""

    def __init__(
        self,
        library: Library,
        sources: Sources,
        send: Callable[[str], None],
        receive: Callable[[], Any],
    ) -> None:
        super().__init__(Graph(1, self), send, receive, self._do)
        self._library = library
        self._sources = sources
        self._objects: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._next = 1
        self._errors: dict[int, tuple[Any, int]] = {}  # the test's, by identity
        self._replaced: dict[tuple[str, str], Any] = {}  # what tests replaced, as it was
        self._tests = ObjectsOfTest(self.request)
        self._usual_input = builtins.input
        self._operations = {
            name[4:]: getattr(self, name) for name in dir(self) if name.startswith("_do_")
        }
        self.said: list[tuple[str, str]] = []
        self._kept: list[Any] = []
        self.ended = False

    def serve(self) -> None:
        """Answer the test's requests until the test has ended."""
        self._send("{}")
        while not self.ended:
            message = self.hear()
            if message.get("do") == "end":
                return
            self.answer(message)

    def keep(self, stream: Any) -> None:
        """Keep a stream open, even if the program replaces it and wraps a part of it."""
        self._kept.append(stream)

    def more(self) -> str:
        if not self.said:
            return ""
        parts = ["[" + quote(stream) + "," + quote(text) + "]" for stream, text in self.said]
        self.said.clear()
        return ',"said":[' + ",".join(parts) + "]"

    def about(self, error: BaseException) -> str:
        return ',"about":' + describe(error, self._sources)

    def export(self, thing: Any) -> str:
        """Return the JSON text that stands for an object of the program."""
        number = self._tests.number_of(thing)
        if number is not None:
            return f'["test",{number}]'
        kind = type(thing)
        if issubclass(kind, BaseException):
            if id(thing) in self._errors:
                return f'["mine",{self._errors[id(thing)][1]}]'
            name = error_name(kind)
            if name:
                return packed_error(self._graph, thing.args, name, 1)
        number = self._number(thing)
        if kind is _MODULE:
            return f'["program",{number},"module",' + quote(str(thing.__name__)) + "]"
        if _is_class(thing):
            return f'["program",{number},"class"]'
        if kind in _CALLABLES:
            name = getattr(thing, "__name__", "")
            return (
                f'["program",{number},"function",' + quote(name if type(name) is str else "") + "]"
            )
        return f'["program",{number},"object",' + self._class_and_content(thing, kind) + "]"

    def _class_and_content(self, thing: Any, kind: type) -> str:
        content: Any = None
        base = _held_base(kind)
        if base in _IMMUTABLE:
            content = _COPIES[base](thing)
        elif issubclass(kind, BaseException):
            content = _args_of(thing)
        return f"{self._number(kind)}," + self._graph.pack(content)

    def resolve(self, plain: list[Any]) -> Any:
        """Return the object for such a JSON value from the test."""
        if plain[0] == "program":
            return self._objects[plain[1]]
        if plain[0] == "test":
            return self._tests.get(plain)
        if plain[0] == "error":
            error = made_error(self._graph, plain)
            self._errors[id(error)] = (error, plain[3])
            return error
        raise MalformedError("a value")

    def _number(self, thing: Any) -> int:
        number = self._numbers.get(id(thing))
        if number is None:
            number = self._numbers[id(thing)] = self._next
            self._objects[number] = thing
            self._next += 1
        return number

    def _do(self, operation: str, values: list[Any]) -> Any:
        return self._operations[operation](*values)

    def _do_import(self, name: str, again: bool = False) -> Any:
        if again:
            sys.modules.pop(name, None)
        __import__(name)
        return sys.modules[name]

    def _do_reload(self, module: Any) -> Any:
        import importlib  # noqa: PLC0415

        return importlib.reload(module)

    def _do_get(self, thing: Any, name: str) -> Any:
        return getattr(thing, name)

    def _do_set(self, thing: Any, name: str, value: Any) -> None:
        setattr(thing, name, value)

    def _do_delete(self, thing: Any, name: str) -> None:
        delattr(thing, name)

    def _do_call(self, thing: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return thing(*arguments, **keywords)

    def _do_special(self, thing: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        return getattr(type(thing), name)(thing, *arguments)

    def _do_content(self, thing: Any) -> Any:
        """Return a tuple with the value of the built-in type, such as `list` or `int`, from which
        the object's class derives; an empty tuple if it derives from none.
        """
        base = _held_base(type(thing))
        return () if base is None else (_COPIES[base](thing),)

    def _do_names(self, thing: Any) -> Any:
        return tuple([name for name in dir(thing) if type(name) is str])

    def _do_attributes(self, thing: Any) -> Any:
        return dict(vars(thing))

    def _do_copy(self, thing: Any, deep: bool) -> Any:
        import copy  # noqa: PLC0415

        return copy.deepcopy(thing) if deep else copy.copy(thing)

    def _do_describe(self, number: int) -> Any:
        """Return a class's name, module, docstring, bases and special methods."""
        kind = self._objects[number]
        space = space_of(kind)
        bases = [self._known_base(base) for base in type.__dict__["__bases__"].__get__(kind)]
        specials: set[str] = set()
        for base in mro_of(kind)[:-1]:
            if base not in _IMMUTABLE and base not in BUILTIN_ERRORS.values():
                specials |= SPECIALS.intersection(space_of(base))
        is_hashable = getattr(kind, "__hash__", None) is not None
        module, doc = space.get("__module__"), space.get("__doc__")
        return (
            str(name_of(kind)),
            module if type(module) is str else "",
            doc if type(doc) is str else None,
            tuple(bases),
            tuple(sorted(specials)),
            is_hashable,
        )

    def _known_base(self, base: type) -> Any:
        if base in _IMMUTABLE or base in _MUTABLE or base is object:
            return base
        return error_name(base) or base

    def _do_signature(self, thing: Any) -> Any:
        """Return a function's parameters: each one's name, kind, whether it has a default, and the
        default.
        """
        import inspect  # noqa: PLC0415

        found = []
        for parameter in inspect.signature(thing).parameters.values():
            has_default = parameter.default is not parameter.empty
            default = parameter.default if has_default else None
            note = parameter.annotation if parameter.annotation is not parameter.empty else None
            found.append((parameter.name, int(parameter.kind), has_default, default, note))
        return tuple(found)

    def _do_source(self, thing: Any) -> str:
        import inspect  # noqa: PLC0415

        if type(thing) is _MODULE and thing.__name__ in self._library.sources:
            return self._library.get_source(thing.__name__)
        return inspect.getsource(thing)

    def _do_documentation(self, thing: Any) -> Any:
        doc = getattr(thing, "__doc__", None)
        return doc if type(doc) is str else None

    def _do_replace(self, module: str, name: str, value: Any) -> None:
        """Make a test's replacement of a name (such as by monkeypatch) in the program's module
        too.
        """
        found = _loaded(module)
        self._replaced.setdefault((module, name), getattr(found, name))
        setattr(found, name, value)

    def _do_restore(self, module: str, name: str) -> None:
        setattr(_loaded(module), name, self._replaced.pop((module, name)))

    def _do_surround(self, argv: list[str], environment: dict[str, str]) -> None:
        """Set the command-line arguments and environment variables that the test has set."""
        sys.argv[:] = argv
        os.environ.clear()
        os.environ.update(environment)

    def _do_chdir(self, folder: str) -> None:
        os.chdir(folder)

    def _do_text(self, name: str) -> str | None:
        """Return the text of one of the program's files; None if it has no such file."""
        module, _, ending = name.rpartition(".")
        if ending != "py" or module not in self._library.sources:
            return None
        return self._library.get_source(module)

    def _do_seed(self, seed: Any) -> None:
        _loaded("random").seed(seed)

    def _do_run(self, name: str, argv: list[str], stdin: str) -> Any:
        """Run a module as `__main__`; return its exit status and what it wrote."""
        if name not in self._library.sources:
            raise FileNotFoundError(2, "No such file or directory", name + ".py")
        raised: list[BaseException] = []

        def tell(error: BaseException) -> None:
            raised.append(error)
            self._report_unless_hooked(error)

        before = sys.argv, builtins.input, sys.excepthook, sys.modules.get("__main__")
        sys.argv, builtins.input = list(argv), self._usual_input
        streams = PipedStreams(stdin.encode("utf-8", "surrogateescape"))
        try:
            status = run_as_main(self._library, name, tell, ends=False)
            end_program()
        finally:
            output, errors = streams.close()
            sys.argv, builtins.input, sys.excepthook, main = before
            if main is not None:
                sys.modules["__main__"] = main
        if raised and type(raised[0]) is KeyboardInterrupt:
            status = _ENDED_BY_CTRL_C
        return status, output, errors

    def _report_unless_hooked(self, error: BaseException) -> None:
        if sys.excepthook is sys.__excepthook__:
            self.report(error)

    def _do_namespace(self, name: str, run_name: str) -> Any:
        """Run a module under another name, as `runpy` does; return its public names."""
        module = self._blank(name, run_name)
        before, argument = sys.modules.get(run_name), sys.argv[:1]
        sys.modules[run_name] = module  # its own classes are found there
        sys.argv[:1] = [f"{name}.py"]
        try:
            exec(self._library.sources[name].compiled(), module.__dict__)
        finally:
            sys.argv[:1] = argument
            if before is None:
                sys.modules.pop(run_name, None)
            else:
                sys.modules[run_name] = before
        return {key: value for key, value in vars(module).items() if key[:2] != "__"}

    def _blank(self, name: str, run_name: str) -> Any:
        if name not in self._library.sources:
            raise FileNotFoundError(2, "No such file or directory", name + ".py")
        module = self._library.blank(name)
        module.__name__ = run_name
        module.__loader__ = module.__spec__ = None
        module.__cached__ = None  # type: ignore[attr-defined]
        self._show_source(name)
        return module

    def _show_source(self, name: str) -> None:
        """Let `inspect` and tracebacks find the text of a module that was run without a loader."""
        import linecache  # noqa: PLC0415

        text = self._library.get_source(name)
        file = self._library.sources[name].filename
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file

    def report(self, error: BaseException) -> None:
        """Print the traceback of an exception that ended the program."""
        import traceback  # noqa: PLC0415

        whole = error.__traceback__
        without_our_frame = whole and whole.tb_next
        traceback.print_exception(type(error), error, without_our_frame)


def _loaded(module: str) -> Any:
    return __import__(module, fromlist=["x"])
