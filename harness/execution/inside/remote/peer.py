"""One side of the conversation between a test and a program.

The sides take turns: the one that asks waits for the result and answers questions of the other side
meanwhile, like nested function calls. A message is a JSON object: `do` and `with` ask for an
operation; `gave` or `raised` is the answer. Each may also have `changed` (see `values.Graph`),
`drop` and additions of one side.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quote

from ..messages.exceptions import BUILTIN_ERRORS
from .values import CannotTravelError, Graph, MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_NAME = 1000  # characters
# Names that one side may ask the other's objects for, beside those without an underscore.
SPECIALS = frozenset((
    "__abs__", "__add__", "__aenter__", "__and__", "__bool__", "__bytes__", "__call__",
    "__ceil__", "__complex__", "__contains__", "__delitem__", "__divmod__", "__enter__", "__eq__",
    "__exit__", "__float__", "__floor__", "__floordiv__", "__format__", "__ge__", "__getitem__",
    "__gt__", "__hash__", "__iadd__", "__iand__", "__ifloordiv__", "__ilshift__", "__imod__",
    "__imul__", "__index__", "__int__", "__invert__", "__ior__", "__ipow__", "__irshift__",
    "__isub__", "__iter__", "__itruediv__", "__ixor__", "__le__", "__len__", "__length_hint__",
    "__lshift__", "__lt__", "__matmul__", "__mod__", "__mul__", "__neg__", "__next__", "__or__",
    "__pos__", "__pow__", "__radd__", "__rand__", "__rdivmod__", "__repr__", "__reversed__",
    "__rfloordiv__", "__rlshift__", "__rmatmul__", "__rmod__", "__rmul__", "__ror__", "__round__",
    "__rpow__", "__rrshift__", "__rshift__", "__rsub__", "__rtruediv__", "__rxor__",
    "__setitem__", "__str__", "__sub__", "__truediv__", "__trunc__", "__xor__",
))  # fmt: skip
# What tests may replace in modules that the program imports too.
REPLACEABLE = {
    "builtins": ("print", "open", "input"),
    "random": (
        "choice", "choices", "randint", "random", "randrange", "sample", "shuffle", "uniform",
    ),
    "time": ("sleep", "time", "monotonic", "perf_counter"),
    "os.path": ("exists", "isfile"),
}  # fmt: skip
# Exceptions of the standard library's that both sides know, by module.
_LIBRARY_ERRORS = {
    "json.decoder": ("JSONDecodeError",),
    "decimal": ("InvalidOperation", "DivisionByZero"),
    "statistics": ("StatisticsError",),
    "csv": ("Error",),
    "_csv": ("Error",),
    "re": ("error",),
    "struct": ("error",),
}


def error_name(kind: type) -> str:
    """Return the name under which both sides know this exception type; an empty text if they do
    not know it.
    """
    if BUILTIN_ERRORS.get(kind.__name__) is kind:
        return kind.__name__
    if kind.__name__ in _LIBRARY_ERRORS.get(kind.__module__, ()):
        return f"{kind.__module__}.{kind.__name__}"
    return ""


def _error_type(name: Any) -> Any:
    if type(name) is not str:
        raise MalformedError("an exception")
    if name in BUILTIN_ERRORS:
        return BUILTIN_ERRORS[name]
    module, _, kind = name.rpartition(".")
    if kind not in _LIBRARY_ERRORS.get(module, ()):
        raise MalformedError("an exception")
    return getattr(__import__(module, fromlist=[kind]), kind)


def packed_error(graph: Graph, arguments: tuple[Any, ...], name: str, number: int) -> str:
    """Return an exception as JSON text.

    `name` is a type that both sides know; `number` is the sender's number for the exception.
    """
    try:
        packed = graph.pack_all(arguments)
    except CannotTravelError:
        packed = "[]"
    return '["error",' + quote(name) + "," + packed + f",{number}]"


def made_error(graph: Graph, plain: list[Any]) -> BaseException:
    """Make the exception that `packed_error` described. Raise MalformedError for other data."""
    if len(plain) != 4:
        raise MalformedError("an exception")
    kind = _error_type(plain[1])
    arguments = graph.unpack_all(plain[2])
    try:
        error: BaseException = kind(*arguments)
    except Exception:  # it needs others, as UnicodeDecodeError does
        error = kind.__new__(kind)
    error.args = tuple(arguments)
    return error


class Peer:
    """One side of the conversation.

    `perform` carries out an operation that the other side asks for.
    """

    def __init__(
        self,
        graph: Graph,
        send: Callable[[str], None],
        receive: Callable[[], Any],
        perform: Callable[[str, list[Any]], Any],
    ) -> None:
        self._graph = graph
        self._send = send
        self._receive = receive
        self._perform = perform

    def request(self, operation: str, *values: Any) -> Any:
        """Ask the other side for an operation; return its result, or raise its exception."""
        self._graph.begin()
        packed = self._graph.pack_all(values)
        self.say('"do":' + quote(operation) + ',"with":' + packed)
        while True:
            message = self.hear()
            if "do" in message:
                self.answer(message)
            elif "raised" in message:
                raise self.raised(message)
            elif "gave" in message:
                return self._graph.unpack(message["gave"])
            else:
                raise MalformedError("a message")

    def answer(self, message: dict[str, Any]) -> None:
        """Carry out the other side's request, and send the outcome."""
        operation = message["do"]
        if type(operation) is not str:
            raise MalformedError("an operation")
        values = self._graph.unpack_all(message.get("with"))
        try:
            result = self._perform(operation, values)
            self._graph.begin()
            head = '"gave":' + self._graph.pack(result)
            self.say(head)
        except (MemoryError, MalformedError):
            raise
        except CannotTravelError as error:
            self.say_raised(ValueError(f"this value cannot be sent to the other process: {error}"))
        except BaseException as error:
            self.say_raised(error)

    def say_raised(self, error: BaseException) -> None:
        """Send an exception instead of a result."""
        self._graph.begin()
        head = '"raised":' + self._graph.pack(error) + self.about(error)
        try:
            self.say(head)
        except CannotTravelError as failure:  # with the changes before it was raised
            self._graph.begin()
            too_large = ValueError(f"this value cannot be sent to the other process: {failure}")
            self._send('{"raised":' + self._graph.pack(too_large) + ',"changed":[]}')

    def say(self, head: str) -> None:
        """Send a message, with this side's changes."""
        changed = self._graph.changes()
        self._send("{" + head + ',"changed":' + changed + self.more() + "}")

    def hear(self) -> dict[str, Any]:
        """Return the next message, with its changes applied."""
        message = self._receive()
        if type(message) is not dict:
            raise MalformedError("a message")
        self.heard(message)
        self._graph.drop(message.get("drop", []))
        self._graph.apply(message.get("changed"))
        return message

    def more(self) -> str:
        """Return additions of this side to every message, as fields of a JSON object."""
        return ""

    def about(self, error: BaseException) -> str:
        """Return additions of this side to an exception's message, as fields of a JSON object."""
        return ""

    def heard(self, message: dict[str, Any]) -> None:
        """Handle the other side's additions to a message."""

    def raised(self, message: dict[str, Any]) -> BaseException:
        """Return the exception in this message. Raise MalformedError if it has none."""
        error = self._graph.unpack(message["raised"])
        if not isinstance(error, BaseException):
            raise MalformedError("an exception")
        return error
