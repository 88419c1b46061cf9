"""Replaces `math`, `random`, `string`, `typing` and `__future__` for a program whose scenarios
share one process.

Each replacement is a new module with only the functions and constants listed here: no submodule,
class or name with an underscore, and nothing can be stored in it. Through the real modules a
program could reach all other modules (`typing.sys.modules`, `random._os`) and keep state
(`math.kept = 1`). Our own code uses the real ones.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any, NoReturn

    _Module = ModuleType
else:
    _Module = type(sys)

_RANDOM = """
    betavariate choice choices expovariate gauss getrandbits lognormvariate normalvariate
    paretovariate randint random randrange sample seed shuffle triangular uniform vonmisesvariate
    weibullvariate
"""
_FORMS = """
    AbstractSet Any AnyStr Callable ClassVar Collection Container DefaultDict Deque Dict Final
    FrozenSet Generator Hashable Iterable Iterator List Literal Mapping MutableMapping
    MutableSequence MutableSet NoReturn Optional Reversible Self Sequence Set Sized SupportsFloat
    SupportsInt SupportsIndex Text TextIO Tuple Type Union
"""
_FEATURES = """
    absolute_import annotations division generator_stop generators nested_scopes print_function
    unicode_literals with_statement
"""
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_WHITESPACE = " \t\n\r\v\f"
_STRING = {
    "ascii_letters": _LOWER + _LOWER.upper(),
    "ascii_lowercase": _LOWER,
    "ascii_uppercase": _LOWER.upper(),
    "digits": _DIGITS,
    "hexdigits": _DIGITS + "abcdefABCDEF",
    "octdigits": "01234567",
    "printable": _DIGITS + _LOWER + _LOWER.upper() + _PUNCTUATION + _WHITESPACE,
    "punctuation": _PUNCTUATION,
    "whitespace": _WHITESPACE,
}


class _AnnotationForm:
    """Stands for a name of `typing` such as `Optional`; every subscript gives the same object."""

    __slots__ = ()

    def __getitem__(self, item: object) -> _AnnotationForm:
        return self

    def __or__(self, other: object) -> _AnnotationForm:
        return self

    __ror__ = __or__


class Facades:
    """The modules to put into `sys.modules` for a shared process, made before it is forked.

    `math` and `random` are replaced if the real ones are loaded. `modules` are the replacements and
    `values` all the objects in them.
    """

    def __init__(self) -> None:
        names: dict[str, dict[str, Any]] = {
            "string": _STRING,
            "typing": {name: _AnnotationForm() for name in _FORMS.split()}
            | {"TYPE_CHECKING": False},
            "__future__": {name: _AnnotationForm() for name in _FEATURES.split()},
        }
        math, self._random = sys.modules.get("math"), sys.modules.get("random")
        if math is not None:
            names["math"] = _listed(math, (name for name in dir(math) if name[:1] != "_"))
        if self._random is not None:
            names["random"] = _listed(self._random, _RANDOM.split())
        self.modules = [self._facade(name, values) for name, values in names.items()]
        self.values = [value for values in names.values() for value in values.values()]

    def report_to(
        self, unavailable: Callable[[str], NoReturn], stored: Callable[[str, str], NoReturn]
    ) -> None:
        """Report forbidden acts from now on.

        `unavailable` is called with the name of a module that the program imports and that is
        neither loaded nor its own. `stored` is called with the names of a replacement module and of
        an attribute that the program sets on it. Both must end the process, because the program
        could catch an exception.
        """
        self._stored = stored
        self._unavailable = unavailable
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: object = None, target: object = None) -> NoReturn:
        """Report the import of a module that is neither loaded nor the program's (part of the
        import protocol).
        """
        self._unavailable(name)

    def install(self) -> None:
        """Put the replacements into `sys.modules`, before the program runs."""
        for module in self.modules:
            sys.modules[module.__name__] = module

    def seed(self, seed: int | bytes) -> None:
        if self._random is not None:
            self._random.seed(seed)

    def draw(self) -> float:
        """Return the next random number.

        It shows whether the program has drawn any since the generator was seeded.
        """
        return self._random.random() if self._random is not None else 0.0

    def _facade(self, name: str, values: dict[str, Any]) -> ModuleType:
        """Return a module object that has these attributes in slots.

        It has no dictionary, so that no statement can change them.
        """

        class Facade(_Module):
            __slots__ = (*values, "__all__")

            def __setattr__(_, attribute: str, value: object) -> None:  # noqa: N805
                self._stored(name, attribute)

            def __delattr__(_, attribute: str) -> None:  # noqa: N805
                self._stored(name, attribute)

        Facade.__name__ = "module"  # as messages about the real one say
        facade = Facade(name)
        space = vars(facade)
        space.clear()
        space["__name__"] = name
        for attribute, value in values.items():
            object.__setattr__(facade, attribute, value)
        object.__setattr__(facade, "__all__", tuple(values))
        return facade


def _listed(real: ModuleType, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(real, name) for name in names if name in vars(real)}
