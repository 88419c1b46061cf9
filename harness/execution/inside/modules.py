"""Imports modules from bytes in memory, before anything on `sys.path`: our modules and the
student's files. Also imports, ahead of a scenario, the modules that these files will import.
"""

from __future__ import annotations

import _sitebuiltins
import builtins
import gc
import marshal
import os
import sys
import warnings
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import PathFinder

from .cells import compile_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CodeType, ModuleType
    from typing import Any

MODULE: type[ModuleType] = type(sys)
_AST_ONLY = 0x400  # a flag of `compile`
_BUILTINS = builtins.__dict__  # the interpreter's, not our private copy of it


class ModuleSource:
    """A module's source bytes, the file name that errors show, and its code once it is compiled.

    If the module was a notebook, `cell_ends` has the last line of each cell.
    """

    def __init__(
        self, filename: str, data: bytes, package: bool = False, code: CodeType | None = None
    ) -> None:
        self.filename = filename
        self.data = data
        self.package = package
        self.code = code
        self.cell_ends: tuple[int, ...] = ()

    def compiled(self) -> CodeType:
        """Return the code, compiled at most once.

        Raise SyntaxError or ValueError if the text cannot be compiled.
        """
        if self.code is None and self.cell_ends:
            self.code = compile_tree(self.tree(), self.filename, self.cell_ends)
        elif self.code is None:
            self.code = compile(self.data, self.filename, "exec", dont_inherit=True, optimize=0)
        return self.code

    def tree(self) -> Any:
        """Return the syntax tree. Raise as `compiled` does."""
        return compile(self.data, self.filename, "exec", _AST_ONLY, dont_inherit=True)

    def try_to_compile(self) -> None:
        """Compile now.

        If the text cannot be compiled, do nothing: the program that imports it gets the error.
        """
        try:
            self.compiled()
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            self.code = None

    def packed(self) -> bytes:
        """Return the compiled code as bytes for `unpack` in another process; empty if the text
        does not compile.
        """
        self.try_to_compile()
        return b"" if self.code is None else marshal.dumps(self.code)

    def unpack(self, packed: bytes) -> None:
        """Set the code from the bytes that `packed` returned."""
        if packed:
            self.code = marshal.loads(packed)


class Library:
    """A finder and loader for `sys.meta_path` that holds sources by module name."""

    def __init__(self, sources: dict[str, ModuleSource]) -> None:
        self.sources = sources
        self.program = ""  # the module that runs as `__main__`
        self._hidden: frozenset[str] = frozenset()
        self._specs: dict[str, ModuleSpec] = {}
        for name, source in sources.items():
            spec = ModuleSpec(name, self, origin=source.filename, is_package=source.package)  # type: ignore[arg-type]
            spec.has_location = True
            self._specs[name] = spec

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return None if name in self._hidden else self._specs.get(name)

    def hide(self, names: frozenset[str]) -> None:
        """Hide the modules of these names until `reveal`."""
        self._hidden = names

    def reveal(self) -> None:
        """Let the hidden modules be found again, also in place of modules of Python's with the
        same names.
        """
        for name in self._hidden:
            sys.modules.pop(name, None)
        self._hidden = frozenset()

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, so that the import system makes an ordinary module (part of the import
        protocol).
        """

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = _BUILTINS
        exec(self.sources[module.__name__].compiled(), module.__dict__)

    def get_source(self, name: str) -> str:
        """Return a module's text, for `inspect` and `traceback` (part of the import protocol)."""
        if name == "__main__":
            name = self.program
        return self.sources[name].data.decode("utf-8-sig", "replace")

    def load(self, name: str) -> ModuleType:
        """Import the module `name` by running its body. Faster than an import statement."""
        module = self.blank(name)
        sys.modules[name] = module
        try:
            exec(self.sources[name].compiled(), module.__dict__)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        return sys.modules.get(name, module)

    def blank(self, name: str) -> ModuleType:
        """Return an empty module of this library; its body has not run yet."""
        source = self.sources[name]
        module = MODULE(name)
        module.__dict__["__builtins__"] = _BUILTINS
        module.__file__ = source.filename
        module.__spec__ = self._specs[name]
        module.__loader__ = self  # type: ignore[assignment]
        module.__package__ = ""
        return module


def by_module_name(files: Iterable[tuple[str, bytes]]) -> dict[str, ModuleSource]:
    """Return the Python files among `files`, by the names under which programs import them."""
    return {name[:-3]: ModuleSource(name, data) for name, data in files if name.endswith(".py")}


# Modules that an interpreter imports before it looks into the program's folder.
_ALREADY_IMPORTED = frozenset({
    "_collections_abc", "_sitebuiltins", "abc", "codecs", "encodings", "genericpath", "io", "nt",
    "ntpath", "os", "posix", "posixpath", "site", "stat", "zipimport",
})  # fmt: skip


def is_never_found(name: str) -> bool:
    """Return whether Python finds its own module of this name before a file beside the program, as
    for `sys` or `time`.
    """
    return name in sys.builtin_module_names or name in _ALREADY_IMPORTED


# Modules of the standard library that do nothing when imported.
_USEFUL = frozenset({
    "bisect", "collections", "copy", "csv", "datetime", "dataclasses", "decimal", "enum",
    "fractions", "functools", "heapq", "html", "itertools", "json", "math", "operator", "pathlib",
    "random", "re", "statistics", "string", "textwrap", "time", "typing", "unicodedata",
})  # fmt: skip
_SPACES = bytes.maketrans(b",.;:", b"    ")


def import_useful(submitted: dict[str, ModuleSource], setup: dict[str, Any]) -> None:
    """Import the modules that a submission will probably import, and those whose clocks are
    replaced.
    """
    sources = [source.data for source in submitted.values()]
    sources += [data for _, data in setup["provided"]]
    words = _importing(sources)
    if setup["packages"]:
        words |= _importing(_sources_of(words - sys.stdlib_module_names - submitted.keys()))
    if setup["tells_time"] or any(b"sleep" in data for data in sources):
        words |= {"datetime", "time"}
    for name in sorted(_USEFUL & words):
        __import__(name)


# Packages that take long to import, in this order, and do nothing else then.
_PACKAGES = ("numpy", "numpy.random", "pandas")
_ONE_THREAD = "OPENBLAS_NUM_THREADS"  # a thread would not live on in a forked process


def import_packages() -> None:
    """Import the assignment's packages that take long to import, once for all submissions."""
    os.environ[_ONE_THREAD] = "1"
    for name in _PACKAGES:
        if PathFinder.find_spec(name.partition(".")[0]) is not None:
            try:
                __import__(name)
            except Exception:  # the program that imports it gets the error
                break
    for name, use in (("numpy", _use_numpy), ("pandas", _use_pandas)):
        package = sys.modules.get(name)
        if package is not None:
            for _ in range(_USES):
                use(package)
    gc.collect()


_USES = 12  # more often than the interpreter waits before it specialises code


# Otherwise every process would repeat the work of a package's first use.
def _use_numpy(numpy: Any) -> None:
    grid = numpy.array([[1.0, 2.0], [3.0, 4.0]])
    numpy.sum(grid * 2 + 1)
    grid.mean(axis=0)
    numpy.arange(3)[numpy.zeros(3) == 0]


def _use_pandas(pandas: Any) -> None:
    pandas.Series([1.5, 2, 3]).sum()
    table = pandas.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 3]})
    table[table["b"] > 1].sort_values("b")
    table.groupby("a")["b"].mean()
    table.merge(table, on="a")
    repr(table)


def _importing(sources: Iterable[bytes]) -> set[str]:
    """Return the words on lines that may be imports. A wrong word only costs time."""
    words: set[str] = set()
    for data in sources:
        for line in data.translate(_SPACES).splitlines():
            if b"import" in (parts := line.split()):
                words.update(word.decode("ascii", "replace") for word in parts)
    return words


def _sources_of(names: Iterable[str]) -> Iterator[bytes]:
    """Return the sources of modules on the path, without running them."""
    for name in filter(str.isidentifier, names):
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            with open(spec.origin, "rb") as file:  # noqa: PTH123  (pathlib is large)
                yield file.read()


def load_tool(modules: dict[str, bytes], entry: str) -> Callable[[str], str]:
    """Return one of our trusted functions.

    `entry` is "package.module:name"; `modules` has compiled code by module name.
    """
    sys.meta_path.insert(0, Library(code_sources(modules)))
    module, _, function = entry.partition(":")
    __import__(module)
    tool: Callable[[str], str] = getattr(sys.modules[module], function)
    return tool


def code_sources(modules: dict[str, bytes]) -> dict[str, ModuleSource]:
    """Return these modules of ours, given as compiled code by name, as module sources."""
    packages = {name.rpartition(".")[0] for name in modules}
    sources: dict[str, ModuleSource] = {}
    for name, data in modules.items():
        code = marshal.loads(data)
        sources[name] = ModuleSource(code.co_filename, b"", name in packages, code)
    return sources


def load_tests(setup: dict[str, Any]) -> Any:
    """Return an assignment's tests, ready to run one by one, or a submission's tests."""
    sys.meta_path.insert(0, Library(code_sources(setup["pytest"])))
    name = "inside.remote.suite"
    __import__(name)
    if setup["are_handed_in"]:
        return sys.modules[name].StudentSuite(setup)
    return sys.modules[name].CourseTestSuite(setup)


def hide_ours() -> None:
    """Hide our own modules, so that a submission may have modules of the same names."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "inside"]:
        del sys.modules[name]


def _is_no_folder(place: str) -> bool:
    """Return whether this entry of `sys.path` is empty or the standard library's zip archive,
    which need not exist.
    """
    return not os.path.isdir(place)  # noqa: PTH112  (pathlib is not loaded here)


def begin_path_with_a_folder() -> None:
    """Put a folder first in `sys.path`, as Python does for a program that a person starts."""
    sys.path[:] = sorted(sys.path, key=_is_no_folder)


def complete_interpreter() -> None:
    """Add `exit`, `quit` and `help`, which normally `site` adds, and keep warnings off the
    terminal.
    """
    warnings.simplefilter("ignore")
    end_key = "Ctrl-D (i.e. EOF)"
    builtins.quit = _sitebuiltins.Quitter("quit", end_key)
    builtins.exit = _sitebuiltins.Quitter("exit", end_key)
    builtins.help = _sitebuiltins._Helper()
