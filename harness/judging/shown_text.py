"""The shown part of a program's own texts: everything but addresses and internal paths.

Every verdict, and with it every view, is made of an observation that passed through
`without_internals`. Values are compared before that, as they are.
"""

import re
from itertools import chain
from typing import TypeVar

from harness.judging.change_parts import change_parts
from harness.model.values import Value

T = TypeVar("T")

_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]+")
# A path, or another word. What ends it cannot be in one of the internal paths.
_WORD = re.compile(r"[^\s'\"()<>,;]+")
# The folders of Python's library, also as a confined process reaches them, those in which
# programs run, and those of an account's own Python. The texts are a program's: each part is
# bounded.
_FOLDERS = re.compile(
    r"/proc/(?:self|[0-9]{1,10})/fd/[0-9]{1,10}(?![^/])"
    r"|[/\\][Ll]ib[/\\]python3\.?[0-9]{1,3}t?(?:\.zip)?(?:[/\\](?:site-packages|lib-dynload))?"
    r"|[/\\]Python3[0-9]{1,3}[/\\]Lib(?:[/\\]site-packages)?"
    r"|[/\\]harness-(?:scenario|unlocked)-[^/\\]{1,80}"
    r"(?:[/\\](?:empty|files(?:[/\\][0-9a-f]{16})?))?"
    # Where an account has its own Python, whose name the page would tell: pyenv's, uv's, that of
    # python.org's installer, and any other below a home.
    r"|[/\\]\.pyenv(?:[/\\]pyenv-win)?[/\\]versions[/\\][^/\\]{1,80}(?:[/\\]bin(?=[/\\]python3))?"
    r"|[/\\]uv[/\\]python[/\\]cpython-[^/\\]{1,80}(?:[/\\]bin(?=[/\\]python3))?"
    r"|[/\\]Programs[/\\]Python[/\\]Python3[0-9]{1,3}(?:[/\\]Lib(?:[/\\]site-packages)?)?"
    r"|(?:[/\\](?:home|Users)[/\\][^/\\]{1,80}|(?<![\w./\\-])/root)"
    r"(?:[/\\][^/\\]{1,80}){0,6}[/\\](?:bin|Scripts)(?=[/\\]python3)"
    # Where a Python was built from its sources.
    r"|[/\\]Python-3\.[0-9]{1,3}\.[0-9]{1,3}(?:(?:a|b|rc)[0-9]{1,2})?(?![^/\\])"
)
_PYTHON_IN_FOLDER = re.compile(r"(?P<folder>.+?)(?:[/\\](?:bin|Scripts))?[/\\][^/\\]+")
_HOME = re.compile(r"(?:[A-Za-z]:)?[/\\](?:home|Users)[/\\][^/\\]+|/root")
_OURS = re.compile(r"(?<![\w./\\-])inside/(?:[a-z_]{1,40}/){0,3}[a-z_]{1,40}\.py")
_SIGNS = (
    *("/proc/", "ython3", "harness-scenario-", "harness-unlocked-", "inside/"),
    *(".pyenv", "cpython-", "ython-3."),
)
_SHORT = "…"
_hidden_folders: set[str] = set()  # of the Pythons in accounts' homes that this process uses


def hide_folder_of(executable: str) -> None:
    """Shorten from now on paths in the folder of this Python, if it is below a home, under whatever
    name: `sys.prefix` is this folder."""
    found = _PYTHON_IN_FOLDER.fullmatch(executable)
    if found and _HOME.match(found["folder"]):
        _hidden_folders.add(found["folder"])


def without_internals(thing: T) -> T:
    """Return the same with `0x…` instead of every address of an object, which differs from run to
    run, and with only the names of files in Python's library, in the folders in which programs run
    and in our own code. Only for display: a scenario may require an address."""

    def change(part: object) -> object:
        if type(part) is str:
            return without_paths(_ADDRESS.sub("0x…", part))
        if isinstance(part, Value) and not _holds_internals(part):
            return part
        return None

    return change_parts(thing, change)


def _holds_internals(value: Value) -> bool:
    """Return whether a value, which may be large, holds an address or internal path: most do
    not.
    """
    return any(_has_internals(part.text) for part in value.parts())


def _has_internals(text: str) -> bool:
    return " at 0x" in text or _has_sign(text)


def _has_sign(text: str) -> bool:
    signs = chain(_SIGNS, _hidden_folders)
    return any(sign in text for sign in signs)


def without_paths(text: str) -> str:
    """Return the text without internal paths, in time that is linear in it."""
    if not _has_sign(text):
        return text
    return _WORD.sub(_shortened, text)


def _shortened(found: re.Match[str]) -> str:
    word = found[0]
    if not _has_sign(word):
        return word
    word = _OURS.sub(_SHORT, word)
    ends = [folder.end() for folder in _FOLDERS.finditer(word)]
    for folder in _hidden_folders:
        if folder in word:
            ends.append(word.rindex(folder) + len(folder))
    ends.sort()
    if not ends:
        return word
    below = word[ends[-1] :]
    if below[:1] not in ("", "/", "\\"):  # another name that only begins so
        return word
    return below[1:] or _SHORT
