"""Names the files that systems, editors and tools leave in folders, and installed packages: not
student work.

One rule holds for folders, archives and every platform. It decides for all things in one folder
together, because an environment's folders are known only by their neighbours.
"""

from collections.abc import Iterable

_LEFT_BEHIND = frozenset(
    {
        *("expect.yaml", "__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini"),
        *("site-packages", "node_modules"),
    }
)
# Hidden names that systems, editors and tools make; a student's name may begin with a dot too.
_HIDDEN = frozenset(
    {
        *(".DS_Store", ".Spotlight-V100", ".Trash", ".Trashes", ".TemporaryItems", ".directory"),
        *(".fseventsd", ".localized", ".cache", ".env", ".venv", ".tox", ".nox", ".idea"),
        *(".git", ".gitattributes", ".github", ".gitignore", ".hg", ".svn", ".vscode"),
        *(".harness-cache", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
        ".ipynb_checkpoints",
    }
)
# The file that makes a folder a virtual environment, and what Python makes beside it; a program
# may lie there too, where somebody made the environment in the folder of the work.
ENVIRONMENT = "pyvenv.cfg"
_OF_ENVIRONMENT = frozenset(
    {"bin", "include", "lib", "lib64", "share", "Include", "Lib", "Scripts", ENVIRONMENT}
)


def is_left_behind(name: str) -> bool:
    """Return whether a system or a tool made this file beside students' folders. Other names that
    begin with a dot may be students' files.
    """
    known = name in _LEFT_BEHIND or name in _HIDDEN
    return known or name.startswith("._") or name.endswith(".pyc")


def is_ignored(name: str) -> bool:
    """Return whether a file of this name is ignored in a student's folder, in which all hidden
    files are left out."""
    return name.startswith(".") or is_left_behind(name)


def junk_among(names: Iterable[str]) -> frozenset[str]:
    """Return the names in one student's folder that do not count."""
    everything = frozenset(names)
    junk = frozenset(filter(is_ignored, everything))
    if ENVIRONMENT in everything:
        junk |= everything & _OF_ENVIRONMENT
    return junk


def is_environment(names: Iterable[str]) -> bool:
    """Return whether a folder with these names is only a virtual environment."""
    everything = frozenset(names)
    return ENVIRONMENT in everything and everything == junk_among(everything)
