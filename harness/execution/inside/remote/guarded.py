"""Lets students' tests use the course's program, but only its public names and never its text.

The tests' process is not trusted here. A test may learn only how the program behaves, because the
reference and a program with a fault differ only in that.
"""

from __future__ import annotations

import sys

from ..messages.codec import FUNCTION, mro_of, without_addresses
from .peer import REPLACEABLE, SPECIALS
from .server import ObjectsOfTest, ProgramServer
from .values import CannotTravelError, MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..messages.exceptions import Sources
    from ..modules import Library

_MODULE = type(sys)
_INSIDE = frozenset(
    ("frame", "code", "traceback", "generator", "coroutine", "async_generator")
)  # names of types whose attributes lead to a program's text
# Operations that tests may ask for: each is checked here, or tells nothing of the program's text.
_ALLOWED = (
    "import", "reload", "get", "set", "delete", "call", "special", "content", "names", "attributes",
    "copy", "describe", "signature", "source", "documentation", "replace", "restore", "surround",
    "chdir", "text", "seed", "run", "namespace",
)  # fmt: skip
# Methods of texts, also of the program's own classes of texts and of enumerations of them.
_FORMATTING = ("format", "format_map")
_BUILT_IN_METHODS = (type(str.format), type("".format))
# Operators of which the other operand may be a number or a text that the program's text has.
_OPERATORS = SPECIALS.intersection(
    f"__{prefix}{name}__"
    for prefix in ("", "r", "i")
    for name in (
        "add", "and", "divmod", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow",
        "rshift", "sub", "truediv", "xor", "lt", "le", "gt", "ge", "eq",
    )
)  # fmt: skip
_ANSWERED_ONLY = frozenset(("__contains__", "__format__", "__round__"))  # cannot be left to another
_OF_GENERATORS = frozenset(("send", "throw", "close"))


class _ObjectsOfStudentsTest(ObjectsOfTest):
    """The test's objects as the program sees them. Their operators do not get the program's
    values.

    Otherwise a test could pass its own number object and learn that the program compares `minutes
    <= 15`.
    """

    def _special(self, number: int, name: str) -> Any:
        ask = super()._special(number, name)
        if name not in _OPERATORS and name not in _ANSWERED_ONLY:
            return ask

        def special(thing: Any, *arguments: Any) -> Any:
            others = [value for value in arguments if self.number_of(value) is None]
            if not others or others == [""]:  # as `format` without a format
                return ask(thing, *arguments)
            if name in _OPERATORS:
                return NotImplemented
            raise TypeError(f"{name} of a test's object is not asked with a value of the program's")

        return special


class GuardedServer(ProgramServer):
    """Serves one of the course's programs to a student's tests."""

    def __init__(
        self,
        library: Library,
        sources: Sources,
        send: Callable[[str], None],
        receive: Callable[[], Any],
        public_names: frozenset[str],
    ) -> None:
        super().__init__(library, sources, send, receive)
        self._public = public_names
        self._tests = _ObjectsOfStudentsTest(self.request)
        self._operations = {name: self._operations[name] for name in _ALLOWED}

    def about(self, error: BaseException) -> str:
        """Return no additions: the line that raised the exception is part of the course's text."""
        return ""

    def export(self, thing: Any) -> str:
        kind = type(thing)
        if kind is _MODULE and thing.__name__ not in self._library.sources:
            raise CannotTravelError("a module")
        if kind.__name__ in ("frame", "code", "traceback"):
            raise CannotTravelError("a part of the program's text")
        if kind in _BUILT_IN_METHODS and thing.__name__ in _FORMATTING:
            raise CannotTravelError("a method that reads attributes of what it is given")
        return super().export(thing)

    def _own_thing(self, thing: Any) -> Any:
        """Return the object if the program defines it; otherwise raise MalformedError.

        A method of a text, such as `format`, could read other objects.
        """
        if id(thing) not in self._numbers:
            raise MalformedError("an object")
        return thing

    def _check_name(self, thing: Any, name: Any) -> None:
        """Raise AttributeError unless tests may use this name of the object."""
        self._own_thing(thing)
        if type(name) is not str:
            raise MalformedError("a name")
        kind = type(thing)
        is_public = name[:1] != "_"
        if kind is _MODULE:
            is_public = name in self._public
        elif kind.__name__ in _INSIDE:
            is_public = name in _OF_GENERATORS
        if not is_public:
            owner = thing.__name__ if kind is _MODULE else kind.__name__
            raise AttributeError(f"{owner!r} has no attribute {name!r} for tests")

    def _do_import(self, name: str, again: bool = False) -> Any:
        if type(name) is not str or name not in self._library.sources:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return super()._do_import(name, again)

    def _do_reload(self, module: Any) -> Any:
        return super()._do_reload(self._own_thing(module))

    def _do_get(self, thing: Any, name: str) -> Any:
        self._check_name(thing, name)
        return super()._do_get(thing, name)

    def _do_set(self, thing: Any, name: str, value: Any) -> None:
        self._check_name(thing, name)
        super()._do_set(thing, name, value)

    def _do_delete(self, thing: Any, name: str) -> None:
        self._check_name(thing, name)
        super()._do_delete(thing, name)

    def _do_call(self, thing: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return super()._do_call(self._own_thing(thing), arguments, keywords)

    def _do_special(self, thing: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        self._own_thing(thing)
        if name not in SPECIALS:
            raise AttributeError(name)
        kind = type(thing)
        if name == "__hash__" and getattr(kind, name, None) is object.__hash__:
            return self._number(thing)  # its own would be an address
        result = super()._do_special(thing, name, arguments)
        if name in ("__repr__", "__str__", "__format__") and type(result) is str:
            return without_addresses(result)
        return result

    def _do_content(self, thing: Any) -> Any:
        return super()._do_content(self._own_thing(thing))

    def _do_names(self, thing: Any) -> Any:
        self._own_thing(thing)
        if type(thing) is _MODULE:
            return tuple(sorted(self._public.intersection(vars(thing))))
        return tuple([name for name in super()._do_names(thing) if name[:1] != "_"])

    def _do_attributes(self, thing: Any) -> Any:
        self._own_thing(thing)
        if type(thing) in (_MODULE, FUNCTION) or type in mro_of(type(thing)):
            raise AttributeError("__dict__")
        found = super()._do_attributes(thing)
        return {name: value for name, value in found.items() if str(name)[:1] != "_"}

    def _do_copy(self, thing: Any, deep: bool) -> Any:
        return super()._do_copy(self._own_thing(thing), deep)

    def _do_signature(self, thing: Any) -> Any:
        return super()._do_signature(self._own_thing(thing))

    def _do_documentation(self, thing: Any) -> Any:
        return super()._do_documentation(self._own_thing(thing))

    def _do_source(self, thing: Any) -> str:
        raise OSError("could not get source code")

    def _do_text(self, name: str) -> str | None:
        return None

    def _do_replace(self, module: str, name: str, value: Any) -> None:
        if name not in REPLACEABLE.get(module, ()):
            raise MalformedError("a replacement")
        super()._do_replace(module, name, value)

    def _do_restore(self, module: str, name: str) -> None:
        if (module, name) in self._replaced:
            super()._do_restore(module, name)

    def _do_namespace(self, name: str, run_name: str) -> Any:
        found = super()._do_namespace(name, run_name)
        return {key: found[key] for key in sorted(self._public.intersection(found))}

    def report(self, error: BaseException) -> None:
        """Print only the last line of a traceback; the other lines show the program's text."""
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
