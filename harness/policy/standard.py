"""Lists attributes of standard modules that have the same names as modules.

`random.random` is a function, but `statistics.random` is the module. A check must not import
anything, so they are listed here; tests compare the lists with the real modules.
"""

import sys

NAMES = sys.stdlib_module_names

# A name equal to the module's own (`copy.copy`) is never a module either.
_VALUES = frozenset(
    """
    ast.keyword ast.operator cgitb.html copyreg.pickle datetime.time imaplib.datetime
    inspect.trace locale.gettext optparse.gettext os.stat pickletools.dis posix.stat pty.select
    pydoc.html queue.time shutil.copy shutil.nt site.venv socketserver.time sre_compile.dis
    ssl.socket stringprep.unicodedata sys.platform typing.io typing.re unicodedata.decimal
    """.split()  # noqa: SIM905
)
# Names of well-known packages, which are theirs.
_OF_PACKAGES = frozenset(
    """
    numpy.array numpy.copy numpy.random numpy.select numpy.trace numpy.typing numpy.linalg.trace
    numpy.ma.array numpy.ma.copy numpy.ma.trace numpy.random.random pandas.array pandas.io
    """.split()  # noqa: SIM905
)
# Modules that are a documented part of another one.
_PARTS = frozenset(
    """
    asyncio.subprocess collections.abc dbm.sqlite3 distutils.cmd distutils.sysconfig
    importlib.abc os.path wsgiref.types
    """.split()  # noqa: SIM905
)
# Modules under names that are not a module's.
_OTHER_NAMES = {"enum.bltns": "builtins", "os.st": "stat", "typing.stdlib_re": "re"}
# Names by which `from … import *` replaces a built-in.
_HIDES = frozenset(
    """
    ast.Ellipsis ast.slice bz2.open codecs.open curses.filter dbm.open enum.property
    fileinput.input fnmatch.filter gzip.open locale.format locale.str lzma.open math.pow
    operator.abs operator.pow os.open re.compile reprlib.repr shelve.open sqlite3.Warning
    sys.copyright sys.exit tarfile.open threading.enumerate wave.open webbrowser.open
    """.split()  # noqa: SIM905
)


def is_part(module: str, name: str) -> bool:
    """Return whether `module.name` is documented as a submodule of `module`."""
    return f"{module}.{name}" in _PARTS


def is_value(module: str, name: str) -> bool:
    """Return whether the standard `module` has an attribute with this name that is not a module."""
    whole = f"{module}.{name}"
    if module not in NAMES:
        return whole in _OF_PACKAGES
    return module == name or whole in _VALUES


def module_named(module: str, name: str) -> str | None:
    """Return the standard module that `module.name` refers to, judging by its name (`random._os`
    is os), or None.
    """
    for candidate in (name, name.lstrip("_")):
        if candidate in NAMES:
            return candidate
    return _OTHER_NAMES.get(f"{module}.{name}")


def hides(module: str, name: str) -> bool:
    """Return whether `from module import *` replaces this built-in."""
    return f"{module}.{name}" in _HIDES
