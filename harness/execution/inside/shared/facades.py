"""Replacements for a program that shares its process, for `math`, `random`, `string`, `typing` and
`__future__`: new modules, with the functions and constants listed here and nothing else: no
submodule, no name with an underscore, no class, and nothing can be stored in them. The real ones
lead to `sys` and to every module there is (`typing.sys.modules`, `random._os`), and take new
attributes (`math.kept`, `typing.Optional._getitem`). Our own code uses the real ones."""

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
    """A part of annotations; every subscript gives the same object."""

    __slots__ = ()

    def __getitem__(self, item: object) -> _AnnotationForm:
        return self

    def __or__(self, other: object) -> _AnnotationForm:
        return self

    __ror__ = __or__


class Facades:
    """What stands in `sys.modules` for the modules that a program may import; for `math` and
    `random` if the real one is loaded. `modules` are the façades, `values` all that they hold.
    They are made before the process that uses them is forked."""

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
        """Report from now on every import of a module that is neither loaded nor the program's,
        and every attribute stored in a façade.

        The first calls `unavailable` with the module's name, the second `stored` with the names of
        façade and attribute. Both must end the process, because a program could catch an exception.
        """
        self._stored = stored
        self._unavailable = unavailable
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: object = None, target: object = None) -> NoReturn:
        """Report a module that is neither loaded nor the program's (part of the import
        protocol).
        """
        self._unavailable(name)

    def install(self) -> None:
        """Put the façades into `sys.modules`, before anything of the program runs."""
        for module in self.modules:
            sys.modules[module.__name__] = module

    def seed(self, seed: int | bytes) -> None:
        if self._random is not None:
            self._random.seed(seed)

    def draw(self) -> float:
        """Return the generator's next number, which shows whether one was drawn since it was
        seeded.
        """
        return self._random.random() if self._random is not None else 0.0

    def _facade(self, name: str, values: dict[str, Any]) -> ModuleType:
        """Return a module with these attributes in slots.

        It has no dictionary, so no statement can change them.
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
