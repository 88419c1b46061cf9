"""A scenario's files: which were left open, and standard input that is piped."""

from __future__ import annotations

import gc
import io

_MOST = 20
_LONGEST = 200
_WRITERS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


def left_open(*, finish: bool) -> list[str]:
    """The names of files that are still open for writing. With `finish` their text is written, as
    the interpreter does at the end of a program; a function leaves it unwritten."""
    names: list[str] = []
    for thing in gc.get_objects():
        kind = type(thing)
        if not any(kind is writer for writer in _WRITERS) or thing.closed:
            continue
        name = getattr(thing, "name", None)
        if type(name) is not str or name[:1] == "<" or not thing.writable():
            continue
        if finish:
            try:
                thing.flush()
            except (OSError, ValueError):  # as at the end of a program, nobody hears of it
                continue
        if name not in names and len(names) < _MOST:
            names.append(name[:_LONGEST])
    return sorted(names)


def piped(text: str) -> io.TextIOWrapper:
    """A standard input that is no terminal."""
    return io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8")
