"""Attributes of standard modules that share their names with modules: `random.random` is a
function, `statistics.random` is the module. Nothing may be imported when a file is checked, so they
are listed here, and the tests compare the lists with the real modules."""

import sys

NAMES = sys.stdlib_module_names

# Beside a name of the module's own (`copy.copy`), which is never a module.
_VALUES = frozenset(
    """
    ast.keyword ast.operator cgitb.html copyreg.pickle datetime.time imaplib.datetime
    inspect.trace locale.gettext optparse.gettext os.stat pickletools.dis posix.stat pty.select
    pydoc.html queue.time shutil.copy shutil.nt site.venv socketserver.time sre_compile.dis
    ssl.socket stringprep.unicodedata sys.platform typing.io typing.re unicodedata.decimal
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
# What `from … import *` puts in the place of a built-in.
_HIDES = frozenset(
    """
    ast.Ellipsis ast.slice bz2.open codecs.open curses.filter dbm.open enum.property
    fileinput.input fnmatch.filter gzip.open locale.format locale.str lzma.open math.pow
    operator.abs operator.pow os.open re.compile reprlib.repr shelve.open sqlite3.Warning
    sys.copyright sys.exit tarfile.open threading.enumerate wave.open webbrowser.open
    """.split()  # noqa: SIM905
)


def is_part(module: str, name: str) -> bool:
    """Whether `module.name` is a module that is documented as a part of `module`."""
    return f"{module}.{name}" in _PARTS


def is_value(module: str, name: str) -> bool:
    """Whether what a standard `module` has under this name of a module is not a module."""
    return module == name or f"{module}.{name}" in _VALUES


def module_named(module: str, name: str) -> str | None:
    """The standard module that `module.name` is by its name (`random._os`: os), or None."""
    same_name = next((each for each in (name, name.lstrip("_")) if each in NAMES), None)
    return same_name or _OTHER_NAMES.get(f"{module}.{name}")


def hides(module: str, name: str) -> bool:
    """Whether `from module import *` puts something of the module in place of this built-in."""
    return f"{module}.{name}" in _HIDES
