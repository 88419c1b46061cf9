"""Gives a test its files: the folder that it shares with the program, and files that only tests
may read, which exist only in memory.
"""
# Each function stands for one of `os` or `builtins`, with its parameters.
# ruff: noqa: PTH100, PTH103, PTH109, PTH118, PTH119, PTH120

from __future__ import annotations

import builtins
import io
import os
import re
import tempfile
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_ANYBODY = 0o666  # the folder itself keeps all but the two processes out
_ANYBODY_LISTS = 0o777
_TEMPORARY = ".temporary"  # below the folder, made when a test asks for it


_ESCAPED = re.compile(rb"\\u([0-9a-fA-F]{4})")


def _unescaped(found: re.Match[bytes]) -> bytes:
    return chr(int(found[1], 16)).encode("utf-8", "replace")


def _pattern_of(names: Iterable[str]) -> re.Pattern[bytes]:
    """Return a pattern that matches these names as whole words; if there are none, it matches
    nothing.
    """
    words = b"|".join(re.escape(name.encode()) for name in names) or rb"(?!)"
    return re.compile(rb"(?<![\w.-])(?:" + words + rb")(?![\w-])")


class FilesOfTest:
    """Serves files from memory to a test, and shares the files that it writes."""

    def __init__(self, folder: str, texts: Mapping[str, bytes]) -> None:
        self.folder = folder or os.getcwd()
        self._is_shared = bool(folder)
        self._texts = texts
        self._source_of: Callable[[str], str | None] = lambda name: None
        self._written: set[str] = set()  # by the test, below the folder
        self._said: set[str] = set()  # names of the test's files that the program knows or guesses
        self._names = _pattern_of(os.path.basename(name) for name in texts)
        self._is_asked: Callable[[], bool] = lambda: False
        self._open, self._os_open = builtins.open, os.open
        self._mkdir, self._stat, self._listdir = os.mkdir, os.stat, os.listdir

    def install(self, source_of: Callable[[str], str | None], is_asked: Callable[[], bool]) -> None:
        """Replace the functions that open, list and make files.

        `source_of` returns the text of a program's file by its name; `is_asked` returns whether the
        program waits for an answer.
        """
        self._source_of = source_of
        self._is_asked = is_asked
        replaced: dict[str, Any] = {
            "open": self.open_low,
            "mkdir": self.mkdir,
            "stat": self.stat,
            "listdir": self.listdir,
        }
        if self._is_shared:
            os.umask(0)
            os.chdir(self.folder)
            tempfile.tempdir = self.folder
            for name in self._texts:  # the folders in which they would lie
                os.makedirs(os.path.join(self.folder, os.path.dirname(name)), exist_ok=True)
        for name, function in replaced.items():
            setattr(os, name, function)
        setattr(builtins, "open", self.open)  # noqa: B010
        setattr(io, "open", self.open)  # noqa: B010

    def temporary(self) -> Any:
        """Return the folder in which pytest makes `tmp_path`."""
        from pathlib import Path  # noqa: PLC0415

        path = Path(self.folder, _TEMPORARY)
        path.mkdir(exist_ok=True)
        return path

    def open(self, file: Any, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:
        """Replace `open`. A file of the program never takes the place of one of the test's."""
        if "r" not in mode or "+" in mode:
            self._note_written(file)
            return self._open(file, mode, *arguments, **keywords)
        data = self.data_of_test(file)
        if data is None:
            self._check_may_ask(file)
            try:
                return self._open(file, mode, *arguments, **keywords)
            except FileNotFoundError:
                data = self._data_of_program(file)
                if data is None:
                    raise
        raw = io.BytesIO(data)
        if "b" in mode:
            return raw
        return io.TextIOWrapper(raw, keywords.get("encoding") or "utf-8")

    def open_low(self, path: Any, flags: int, mode: int = 0o777, **keywords: Any) -> int:
        """Replace `os.open`: the program gets access to new files."""
        if flags & (os.O_WRONLY | os.O_RDWR):
            self._note_written(path)
        return self._os_open(path, flags, mode | _ANYBODY, **keywords)

    def mkdir(self, path: Any, mode: int = 0o777, **keywords: Any) -> None:
        """Replace `os.mkdir`: the program gets access to the new folder."""
        self._mkdir(path, mode | _ANYBODY_LISTS, **keywords)

    def stat(self, path: Any, **keywords: Any) -> os.stat_result:
        """Replace `os.stat`, also for files in memory."""
        try:
            return self._stat(path, **keywords)
        except FileNotFoundError:
            data = self.data_of_test(path)
            if data is None:
                data = self._data_of_program(path)
            if data is None:
                raise
        return os.stat_result((0o100444, 0, 0, 1, 0, 0, len(data), 0, 0, 0))

    def data_of_test(self, path: Any) -> bytes | None:
        """Return the content of a file of the test.

        Return None for any other file, if the test wrote another file in its place, or if the name
        may come from the program.
        """
        name = self._below(path)
        if name is None or name in self._written or os.path.basename(name) in self._said:
            return None
        return self._texts.get(name)

    def _data_of_program(self, path: Any) -> bytes | None:
        """Return the content of a file of the program; None for any other file."""
        name = self._below(path)
        text = None if name is None else self._source_of(os.path.basename(name))
        return None if text is None else text.encode()

    def is_shared(self, path: Any) -> bool:
        """Return whether a path lies in the folder into which the program may write."""
        return self._is_shared and self._below(path) is not None

    def hear(self, message: bytes) -> None:
        """Note the names of the test's files that occur in a message of the program.

        A test that opened a file by such a name could compare the file with itself, or show it to
        the program.
        """
        if b"\\u" in message:
            message = _ESCAPED.sub(_unescaped, message)
        self._said.update(found.decode() for found in self._names.findall(message))

    def _check_may_ask(self, path: Any) -> None:
        """Raise PermissionError if the program makes the test open a file that the program itself
        cannot see, such as a file about the test's process.
        """
        if self._is_asked() and not isinstance(path, int) and self._below(path) is None:
            raise PermissionError(1, "a program cannot open this file by a test", path)

    def _note_written(self, path: Any) -> None:
        name = self._below(path)
        if name is not None:
            self._written.add(name)

    def _below(self, path: Any) -> str | None:
        """Return a path relative to the folder; None if it lies elsewhere."""
        try:
            whole = os.path.abspath(os.fsdecode(path))
        except (TypeError, ValueError):
            return None
        return whole[len(self.folder) + 1 :] if whole.startswith(self.folder + os.sep) else None

    def listdir(self, path: Any = ".") -> list[Any]:
        """Replace `os.listdir`, also for files in memory."""
        names = self._listdir(path)
        folder = "" if isinstance(path, int | bytes) else self._below(path)
        if folder is None or (not folder and not self._is_shared):
            return names
        head = folder + "/" if folder else ""
        inner = [name[len(head) :] for name in self._texts if name.startswith(head)]
        return sorted({*names, *(name for name in inner if "/" not in name)})
