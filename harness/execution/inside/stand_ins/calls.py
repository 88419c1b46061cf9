"""Calls functions that run in another process.

A stand-in is a module of the course that is used in place of a student's. The submission's process
knows only names of modules and functions (`RemoteCaller`); the code runs in the other process
(`StandIns`). Neither process has the other's code: only plain data is sent. Each scenario has its
own stand-in process, so that global variables of a stand-in live as long as they would in the
submission's process.

Lists, dictionaries and sets are numbered and sent with their contents, so that a container that is
passed twice arrives as one object and is changed in place. Received data is checked and yields only
built-in types.
"""

from __future__ import annotations

import _ast
import builtins
import gc
import sys
from _json import encode_basestring_ascii as quote
from functools import cache
from os import _exit

from ..cells import compile_tree
from ..clock import stand_still
from ..messages.codec import MAX_DEPTH, MAX_INT_BITS, MAX_PARTS, MAX_TEXT
from ..messages.exceptions import BUILTIN_ERRORS
from ..messages.protocol import FromScenario, FromStandIn, ToStandIn, split
from ..modules import MODULE, Library, ModuleSource, by_module_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

    from ..messages.frames import Receive, Send
    from ..messages.protocol import StandInJob

_SIMPLE: dict[Any, tuple[str, Any]] = {
    type(None): ("NoneType", None),
    bool: ("bool", None),
    int: ("int", int),
    float: ("float", float),
    complex: ("complex", complex),
    type(...): ("ellipsis", None),
}
_CONSTANTS = {"None": None, "True": True, "False": False, "Ellipsis": ...}
_NAMES = dict(_SIMPLE.values())
_SEQUENCES: dict[Any, str] = {tuple: "tuple", frozenset: "frozenset"}
_CONTAINERS: dict[Any, str] = {list: "list", dict: "dict", set: "set"}


class CannotBePassedError(Exception):
    """Raised if a value is not plain data, or too large; `str()` says why."""


class MalformedCallError(Exception):
    """Raised if received data does not have the format that `SharedObjects` writes."""


class SharedObjects:
    """The containers of one call. Both processes use the same numbers for them."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._parts = 0
        self._text = 0

    def pack(self, value: Any, depth: int = 0) -> str:
        """Return a value as JSON text. New containers get the next numbers."""
        self._parts += 1
        if self._parts > MAX_PARTS or depth > MAX_DEPTH:
            raise CannotBePassedError("a value too large")
        kind = type(value)
        if kind in _CONTAINERS:
            return '["ref",' + str(self._number(value)) + "]"
        if kind is str:
            return '["str",' + self._counted(quote(value)) + "]"
        if kind is bytes:
            return '["bytes","' + self._counted(value.hex()) + '"]'
        if kind in _SEQUENCES:
            parts = [self.pack(part, depth + 1) for part in value]
            return '["' + _SEQUENCES[kind] + '",[' + ",".join(parts) + "]]"
        if kind is range:
            ends = [self.pack(end) for end in (value.start, value.stop, value.step)]
            return '["range",[' + ",".join(ends) + "]]"
        if kind not in _SIMPLE:
            raise CannotBePassedError("a value that is not plain data")
        if kind is int and value.bit_length() > MAX_INT_BITS:
            raise CannotBePassedError("a value too large")
        return '["' + _SIMPLE[kind][0] + '",' + self._counted(quote(repr(value))) + "]"

    def contents(self, number: int) -> str:
        thing = self.objects[number]
        kind = type(thing)
        parts = [part for pair in thing.items() for part in pair] if kind is dict else thing
        return '["' + _CONTAINERS[kind] + '",[' + ",".join([self.pack(p) for p in parts]) + "]]"

    def all_contents(self, start: int = 0) -> list[str]:
        """Return the contents of the containers numbered `start` and higher, and of the containers
        within them.
        """
        found: list[str] = []
        while start + len(found) < len(self.objects):
            found.append(self.contents(start + len(found)))
        return found

    def update(self, numbered: list[Any]) -> None:
        """Replace the contents of containers in place.

        Each item is [number, contents]; an unknown number makes a new container.
        """
        fillings: list[tuple[Any, list[Any]]] = []
        for entry in numbered:
            number, contents = _pair(entry)
            name, parts = _pair(contents)
            if type(number) is not int or type(parts) is not list:
                raise MalformedCallError("contents")
            if number == len(self.objects):
                new = [kind() for kind, known in _CONTAINERS.items() if known == name]
                if not new:
                    raise MalformedCallError("a kind")
                self._number(new[0])
            if not 0 <= number < len(self.objects):
                raise MalformedCallError("a number")
            thing = self.objects[number]
            if _CONTAINERS[type(thing)] != name:
                raise MalformedCallError("a kind")
            fillings.append((thing, parts))
        for thing, parts in fillings:
            self._fill(thing, [self.unpack(part) for part in parts])

    def unpack(self, plain: Any, depth: int = 0) -> Any:
        """Return the value that was packed. Raise MalformedError for anything else."""
        name, content = _pair(plain)
        if depth > MAX_DEPTH:
            raise MalformedCallError("depth")
        if name == "ref":
            if type(content) is not int or not 0 <= content < len(self.objects):
                raise MalformedCallError("a number")
            return self.objects[content]
        if name in ("tuple", "frozenset", "range") and type(content) is list:
            parts = [self.unpack(part, depth + 1) for part in content]
            try:
                if name == "range":
                    return range(*parts)
                return tuple(parts) if name == "tuple" else frozenset(parts)
            except (TypeError, ValueError):
                raise MalformedCallError("a value") from None
        if type(content) is not str:
            raise MalformedCallError("a value")
        if name == "str":
            return content
        try:
            if name == "bytes":
                return bytes.fromhex(content)
            read = _NAMES[name]
            return _CONSTANTS[content] if read is None else read(content)
        except (KeyError, ValueError):
            raise MalformedCallError("a value") from None

    def _number(self, thing: Any) -> int:
        if (number := self._numbers.get(id(thing))) is None:
            number = self._numbers[id(thing)] = len(self.objects)
            self.objects.append(thing)
        return number

    def _counted(self, text: str) -> str:
        """Return the text.

        Raise CannotTravelError if all texts of the call are too long together.
        """
        self._text += len(text)
        if self._text > MAX_TEXT:
            raise CannotBePassedError("a value too large")
        return text

    def _fill(self, thing: Any, parts: list[Any]) -> None:
        try:
            if type(thing) is list:
                thing[:] = parts
            elif type(thing) is set:
                thing.clear()
                thing.update(parts)
            else:
                pairs = list(zip(parts[::2], parts[1::2], strict=True))
                thing.clear()
                thing.update(pairs)
        except (TypeError, ValueError):  # not hashable, or a key without a value
            raise MalformedCallError("contents") from None


def _pair(plain: Any) -> list[Any]:
    if type(plain) is not list or len(plain) != 2:
        raise MalformedCallError("a value")
    return plain


_AST_ONLY = 0x400
_BLOCKS = ("body", "orelse", "finalbody")
_MAX_UNSENT = 8192  # characters printed before they are sent on


class RemoteCaller:
    """Calls functions of the stand-in process.

    `own_modules` are the names of the submission's modules. The driver passes `ToStandIn` messages
    there and `FromStandIn` messages back.
    """

    def __init__(self, send: Send, receive: Receive, own_modules: Iterable[str]) -> None:
        from json import loads  # noqa: PLC0415  (only scenarios with a stand-in pay for it)

        self._loads = loads
        self._send = send
        self._receive = receive
        self._own_modules = ("__main__", *own_modules)

    def function(self, module: str, name: str) -> Callable[..., Any]:
        """Return a proxy of a function that runs in the other process."""

        def proxy(*arguments: Any, **keywords: Any) -> Any:
            return self._call(module, name, arguments, keywords)

        proxy.__name__ = proxy.__qualname__ = name
        proxy.__module__ = module
        return proxy

    def module(self, name: str, functions: Iterable[str], others: Iterable[str]) -> Any:
        """Return a module whose functions call the stand-in process.

        The values of the names in `others` cannot be sent. A program that uses one of them ends the
        scenario: the stand-in cannot replace the module.
        """
        others = frozenset(others)
        module = MODULE(name)
        module.__file__ = name + ".py"

        def missing(wanted: str) -> Any:
            if wanted in others:
                self.give_up(f"{name}.{wanted} is not a function")
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}")

        module.__dict__["__getattr__"] = missing
        for function in functions:
            module.__dict__[function] = self.function(name, function)
        return module

    def give_up(self, why: str) -> NoReturn:
        """End this scenario because the stand-in cannot be used."""
        self._send(FromScenario.STAND_IN_INAPPLICABLE, quote(why))
        _exit(0)

    def _call(
        self, module: str, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        shared = SharedObjects()
        try:
            packed = [shared.pack(argument) for argument in arguments]
            named = [quote(key) + ":" + shared.pack(value) for key, value in keywords.items()]
            contents = shared.all_contents()
        except CannotBePassedError as error:
            self.give_up(f"{name}() was given {error}")
        self._send_on(
            ToStandIn.CALL,
            '{"call":[' + quote(module) + "," + quote(name) + '],"arguments":['
            + ",".join(packed) + '],"keywords":{' + ",".join(named)
            + '},"objects":[' + ",".join(contents) + "]}",
        )  # fmt: skip
        while True:
            kind, body = split(self._receive())
            answer = self._loads(body)
            if kind == FromStandIn.PRINTED:
                sys.stdout.write(answer)
            elif kind == FromStandIn.ASKS_FOR_LINE:
                self._ask(answer)
            elif kind == FromStandIn.OUTCOME:
                return self._finish(shared, answer)

    def _send_on(self, kind: ToStandIn, text: str) -> None:
        self._send(FromScenario.CALL, kind.decode("ascii") + text)

    def _ask(self, prompt: str) -> None:
        try:
            line = input(prompt)
        except (EOFError, KeyboardInterrupt, OSError) as error:
            self._send_on(ToStandIn.NO_LINE, quote(type(error).__name__))
        else:
            self._send_on(ToStandIn.LINE, quote(str(line)))

    def _finish(self, shared: SharedObjects, answer: dict[str, Any]) -> Any:
        try:
            shared.update(answer["objects"])
            if "raised" not in answer:
                return shared.unpack(answer["value"])
            arguments = shared.unpack(answer["arguments"])
        except MalformedCallError as error:
            self.give_up(f"an answer has {error}")
        name = answer["raised"]
        kind: Any = BUILTIN_ERRORS.get(name)
        for module in self._own_modules:
            if kind is None and module in sys.modules:
                kind = vars(sys.modules[module]).get(name)
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            self.give_up(f"{name} is not an exception here")
        raise kind(*arguments)


def slot(name: str) -> str:
    """Return the built-in name under which a function's proxy is kept.

    It is not an identifier, so that no program can contain it.
    """
    return f"<course's {name}>"


@cache
def substituted(source: ModuleSource, names: tuple[tuple[str, str], ...]) -> ModuleSource:
    """Return the module with the course's definitions in place of the student's for these names.

    Each name comes with the provided module that holds the constant, or with an empty text for a
    function. A function's name is bound to its proxy directly after its `def`, because code under
    `if __name__ == "__main__"` uses it. A text that does not compile is returned unchanged.
    """
    changed = ModuleSource(source.filename, source.data, source.package)
    changed.cell_ends = source.cell_ends
    try:
        tree = source.tree()
        _substitute(tree.body, dict(names))
        changed.code = compile_tree(tree, source.filename, source.cell_ends)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        changed.code = None
    return changed


def _substitute(body: list[Any], provided: dict[str, str]) -> None:
    """Change the statements in `body`, a block of the module, and in the blocks inside it."""
    index = 0
    while index < len(body):
        statement = body[index]
        if isinstance(statement, _ast.FunctionDef) and provided.get(statement.name) == "":
            index += 1
            body.insert(index, _binding(statement))
        elif isinstance(statement, _ast.Assign | _ast.AnnAssign):
            module = provided.get(_target(statement))
            if module and statement.value is not None:
                statement.value = _provided(module, _target(statement), statement)
        elif not isinstance(statement, _ast.FunctionDef | _ast.ClassDef | _ast.AsyncFunctionDef):
            for block in _BLOCKS:
                inner = getattr(statement, block, None)
                if type(inner) is list:
                    _substitute(inner, provided)
        index += 1


def _target(statement: Any) -> str:
    """Return the only name that an assignment binds; an empty text for any other statement."""
    targets = statement.targets if isinstance(statement, _ast.Assign) else [statement.target]
    only = targets[0] if len(targets) == 1 else None
    return only.id if isinstance(only, _ast.Name) else ""


def _binding(function: Any) -> Any:
    """Return a statement that binds the function's name to its proxy."""
    place = {"lineno": function.lineno, "col_offset": function.col_offset}
    target = _ast.Name(id=function.name, ctx=_ast.Store(), **place)
    proxy = _ast.Name(id=slot(function.name), ctx=_ast.Load(), **place)
    return _ast.Assign(targets=[target], value=proxy, **place)


def _provided(module: str, name: str, statement: Any) -> Any:
    """Return an expression for the value that the provided module has under this name."""
    text = "\n" * (statement.lineno - 1) + f"__import__({module!r}).{name}"
    tree: Any = compile(text, "", "eval", _AST_ONLY, dont_inherit=True)
    return tree.body


class StandIns:
    """The course's files of an assignment, compiled once for the stand-in processes of all
    scenarios.
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        self._variants = [by_module_name(files) for files in setup["variants"]]
        self._extra = setup["extra"]
        self._sources = {name: ModuleSource(name, data) for name, data in setup["stand_ins"]}
        self._reference = by_module_name(setup["reference"])
        for source in (*self._sources.values(), *self._reference.values()):
            source.try_to_compile()

    def run(self, job: StandInJob, send: Send, receive: Receive) -> None:
        """Load the modules named in the job, then answer calls until the driver closes the
        channel.
        """
        extra_files = []
        for path, data in self._extra:
            if path in job.provide:
                extra_files.append((path.rsplit("/", 1)[-1], data))
        extra = by_module_name(extra_files)
        sources = {
            **self._sources,
            **{source.filename: source for source in self._reference.values()},
        }
        modules = {name: sources[file] for name, file, _ in job.modules}
        beside = self._reference if job.beside else {}
        library = Library({**extra, **beside, **modules, **self._variants[job.variant]})
        sys.meta_path.insert(0, library)
        import json  # noqa: PLC0415  (before a module of the course may be called so)
        import random  # noqa: PLC0415

        random.seed(job.seed)
        if job.clock:
            stand_still(*job.clock)
        self._terminal = terminal = _StandInTerminal(send, receive, json.loads)
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = terminal  # type: ignore[assignment, misc]
        builtins.input = terminal.ask
        for name in modules:
            __import__(name)
        self._offered = {(name, function) for name, _, names in job.modules for function in names}
        while True:
            self._answer(receive())

    def _answer(self, frame: bytes) -> None:
        """Make the call in `frame`.

        Send its result or exception, and the contents of containers that it changed.
        """
        shared = SharedObjects()
        try:
            kind, body = split(frame)
            request = self._terminal.loads(body)
            module, name = request["call"]
            if kind != ToStandIn.CALL or (module, name) not in self._offered:
                raise MalformedCallError("a call")
            shared.update([list(numbered) for numbered in enumerate(request["objects"])])
            arguments = [shared.unpack(packed) for packed in request["arguments"]]
            keywords = {key: shared.unpack(packed) for key, packed in request["keywords"].items()}
            function = vars(sys.modules[module])[name]
        except (MalformedCallError, KeyError, TypeError, ValueError, AttributeError):
            self._give_up("a call that no stand-in understands")
        before = shared.all_contents()
        outcome = self._outcome(shared, function, arguments, keywords)
        del arguments, keywords  # else they would count for `_is_referred_to`
        try:
            contents = [shared.contents(number) for number in range(len(before))]
            changed = [f"[{n},{new}]" for n, new in enumerate(contents) if new != before[n]]
            added = shared.all_contents(len(before))
        except CannotBePassedError as error:
            self._give_up(f"{name}() leaves {error}")
        changed += [f"[{len(before) + n},{new}]" for n, new in enumerate(added)]
        if _is_referred_to(shared.objects):  # a later change there could not be seen here
            self._give_up(f"{name}() remembers its arguments or results")
        self._terminal.flush()
        self._terminal.send(
            FromStandIn.OUTCOME, "{" + outcome + ',"objects":[' + ",".join(changed) + "]}"
        )

    def _outcome(
        self, shared: SharedObjects, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> str:
        name = function.__name__
        try:
            result = function(*arguments, **keywords)
        except MemoryError:
            _exit(71)
        except BaseException as error:
            try:
                values = shared.pack(error.args)
            except CannotBePassedError as failure:
                self._give_up(f"{name}() raised an exception with {failure}")
            return '"raised":' + quote(type(error).__name__) + ',"arguments":' + values
        try:
            return '"value":' + shared.pack(result)
        except CannotBePassedError as failure:
            self._give_up(f"{name}() returned {failure}")

    def _give_up(self, why: str) -> NoReturn:
        self._terminal.send(FromStandIn.INAPPLICABLE, quote(why))
        _exit(0)


class _StandInTerminal:
    """Standard streams and `input` of a stand-in, which lead to the submission's terminal."""

    encoding = "utf-8"

    def __init__(self, send: Send, receive: Receive, loads: Callable[[bytes], Any]) -> None:
        self.send = send
        self._receive = receive
        self.loads = loads
        self._unsent: list[str] = []
        self._length = 0

    def write(self, text: str) -> int:
        self._unsent.append(text)
        self._length += len(text)
        if self._length > _MAX_UNSENT:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self._unsent:
            self.send(FromStandIn.PRINTED, quote("".join(self._unsent)))
            self._unsent.clear()
            self._length = 0

    def isatty(self) -> bool:
        return True

    def ask(self, prompt: object = "", /) -> str:
        """Ask for a line; replaces `input`."""
        self.flush()
        self.send(FromStandIn.ASKS_FOR_LINE, quote(str(prompt)))
        kind, body = split(self._receive())
        text: str = self.loads(body)
        if kind == ToStandIn.LINE:
            return text
        raise {"EOFError": EOFError, "KeyboardInterrupt": KeyboardInterrupt}.get(text, OSError)


def _is_referred_to(objects: list[Any]) -> bool:
    """Return whether anything outside the call still refers to one of these containers."""
    if not objects or not _others_holding(objects):
        return False
    gc.collect()  # it may have been an exception's frames, which are a cycle
    return _others_holding(objects)


def _others_holding(objects: list[Any]) -> bool:
    asked = tuple(objects)
    known = {id(thing) for thing in objects} | {id(objects), id(asked), id(sys._getframe())}
    return any(id(holder) not in known for holder in gc.get_referrers(*asked))
