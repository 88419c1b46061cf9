"""Attributes of standard modules that share their names with modules.

`random.random` is a function, `statistics.random` is the module. Nothing may be imported when a
file is checked, so the names that are no modules are listed here. The tests compare the lists with
the real modules.
"""

from __future__ import annotations

import sys

NAMES = sys.stdlib_module_names

# Beside a name of the module's own (`copy.copy`), which is never a module.
_VALUES = {
    "ast": frozenset({"keyword", "operator"}),
    "cgitb": frozenset({"html"}),
    "copyreg": frozenset({"pickle"}),
    "datetime": frozenset({"time"}),
    "imaplib": frozenset({"datetime"}),
    "inspect": frozenset({"trace"}),
    "locale": frozenset({"gettext"}),
    "optparse": frozenset({"gettext"}),
    "os": frozenset({"stat"}),
    "pickletools": frozenset({"dis"}),
    "posix": frozenset({"stat"}),
    "pty": frozenset({"select"}),
    "pydoc": frozenset({"html"}),
    "queue": frozenset({"time"}),
    "shutil": frozenset({"copy", "nt"}),
    "site": frozenset({"venv"}),
    "socketserver": frozenset({"time"}),
    "sre_compile": frozenset({"dis"}),
    "ssl": frozenset({"socket"}),
    "stringprep": frozenset({"unicodedata"}),
    "sys": frozenset({"platform"}),
    "typing": frozenset({"io", "re"}),
    "unicodedata": frozenset({"decimal"}),
}

# Modules that are a documented part of another one.
_PARTS = {
    "asyncio": frozenset({"subprocess"}),
    "collections": frozenset({"abc"}),
    "dbm": frozenset({"sqlite3"}),
    "distutils": frozenset({"cmd", "sysconfig"}),
    "importlib": frozenset({"abc"}),
    "os": frozenset({"path"}),
    "wsgiref": frozenset({"types"}),
}

# Modules under names that are no module's.
_OTHER_NAMES = {("enum", "bltns"): "builtins", ("os", "st"): "stat", ("typing", "stdlib_re"): "re"}

# What `from … import *` puts in the place of a built-in.
_HIDES = {
    "ast": frozenset({"Ellipsis", "slice"}),
    "bz2": frozenset({"open"}),
    "codecs": frozenset({"open"}),
    "curses": frozenset({"filter"}),
    "dbm": frozenset({"open"}),
    "enum": frozenset({"property"}),
    "fileinput": frozenset({"input"}),
    "fnmatch": frozenset({"filter"}),
    "gzip": frozenset({"open"}),
    "locale": frozenset({"format", "str"}),
    "lzma": frozenset({"open"}),
    "math": frozenset({"pow"}),
    "operator": frozenset({"abs", "pow"}),
    "os": frozenset({"open"}),
    "re": frozenset({"compile"}),
    "reprlib": frozenset({"repr"}),
    "shelve": frozenset({"open"}),
    "sqlite3": frozenset({"Warning"}),
    "sys": frozenset({"copyright", "exit"}),
    "tarfile": frozenset({"open"}),
    "threading": frozenset({"enumerate"}),
    "wave": frozenset({"open"}),
    "webbrowser": frozenset({"open"}),
}
_NONE: frozenset[str] = frozenset()


def is_part(module: str, name: str) -> bool:
    """Whether `module.name` is a module that is documented as a part of `module`."""
    return name in _PARTS.get(module, _NONE)


def is_value(module: str, name: str) -> bool:
    """Whether a standard `module` holds something under this name that is no module, although
    there is a module of that name."""
    return module == name or name in _VALUES.get(module, _NONE)


def module_named(module: str, name: str) -> str | None:
    """The standard module that `module.name` is by its name (`random._os`: os), or None."""
    plain = name.lstrip("_")
    same_name = next((each for each in (name, plain) if each in NAMES), None)
    return same_name or _OTHER_NAMES.get((module, name))


def hidden_by_star(module: str) -> frozenset[str]:
    """The built-ins that `from module import *` replaces with functions of the module."""
    return _HIDES.get(module, _NONE)
