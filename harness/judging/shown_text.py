"""Removes memory addresses and internal paths from a program's output before it is shown.

Every verdict, and so every page, is made from an observation that passed through
`without_internals`. Values are compared earlier, unchanged.
"""

import re
from itertools import chain
from typing import TypeVar

from harness.judging.change_parts import change_parts
from harness.model.values import Value

T = TypeVar("T")

_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]+")
# A path or another word. Internal paths contain none of the excluded characters.
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
    # Pythons in a home folder, whose path would reveal the account's name: pyenv's, uv's, that of
    # python.org's installer, and any other.
    r"|[/\\]\.pyenv(?:[/\\]pyenv-win)?[/\\]versions[/\\][^/\\]{1,80}(?:[/\\]bin(?=[/\\]python3))?"
    r"|[/\\]uv[/\\]python[/\\]cpython-[^/\\]{1,80}(?:[/\\]bin(?=[/\\]python3))?"
    r"|[/\\]Programs[/\\]Python[/\\]Python3[0-9]{1,3}(?:[/\\]Lib(?:[/\\]site-packages)?)?"
    r"|(?:[/\\](?:home|Users)[/\\][^/\\]{1,80}|(?<![\w./\\-])/root)"
    r"(?:[/\\][^/\\]{1,80}){0,6}[/\\](?:bin|Scripts)(?=[/\\]python3)"
    # A Python in the folder in which it was compiled.
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
_hidden_folders: set[str] = set()  # folders of Pythons in home folders that this process uses


def hide_folder_of(executable: str) -> None:
    """From now on, shorten paths in the folder of this Python if it is below a home folder.

    `sys.prefix` is that folder.
    """
    found = _PYTHON_IN_FOLDER.fullmatch(executable)
    if found and _HOME.match(found["folder"]):
        _hidden_folders.add(found["folder"])


def without_internals(thing: T) -> T:
    """Return a copy for display in which every object address, which differs from run to run, is
    `0x…`, and internal paths are shortened to file names.

    Internal are Python's library, the folders in which programs run, and the harness's own code. Do
    not compare such copies: a scenario may require an address.
    """

    def change(part: object) -> object:
        if type(part) is str:
            return without_paths(_ADDRESS.sub("0x…", part))
        if isinstance(part, Value) and not _holds_internals(part):
            return part
        return None

    return change_parts(thing, change)


def _holds_internals(value: Value) -> bool:
    """Return whether a value contains an address or an internal path.

    This is checked first because most values have none and may be large.
    """
    return any(_has_internals(part.text) for part in value.parts())


def _has_internals(text: str) -> bool:
    return " at 0x" in text or _has_sign(text)


def _has_sign(text: str) -> bool:
    signs = chain(_SIGNS, _hidden_folders)
    return any(sign in text for sign in signs)


def without_paths(text: str) -> str:
    """Return the text without internal paths. Takes linear time."""
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
    if below[:1] not in ("", "/", "\\"):  # a longer folder name with the same beginning
        return word
    return below[1:] or _SHORT
