"""The `--watch` of commands: of `grade` a folder that submissions arrive in, what is complete and
when to grade again; of `check` the files that it was given, whenever one is saved."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path

from harness.common.errors import UserError

QUIET_SECONDS = 3.0
POLL_SECONDS = 1.0
MOST_FILES = 200_000

Stamps = Mapping[str, tuple[int, int]]  # time of change in ns and size, by path below the folder
# How long one look for changes waits; also how long it takes until watching has surely begun.
LOOK_MS = 100


class FolderEntries:
    """Tells complete entries of the folder from those that still change. Pure: times are given.

    An entry (a file or a folder directly inside) is complete when it has been the same for
    `QUIET_SECONDS`, with everything in it.
    """

    def __init__(self) -> None:
        self._entries: dict[str, tuple[float, Stamps]] = {}
        self._graded: dict[str, Stamps] = {}

    def look(self, stamps: Stamps, now: float) -> None:
        """Note what is there at `now` (seconds of a clock that only goes forward)."""
        by_entry: dict[str, dict[str, tuple[int, int]]] = {}
        for path, stamp in stamps.items():
            by_entry.setdefault(path.partition(os.sep)[0], {})[path] = stamp
        self._entries = {
            name: before
            if (before := self._entries.get(name)) is not None and before[1] == inside
            else (now, inside)
            for name, inside in by_entry.items()
        }

    def unsettled(self, now: float) -> frozenset[str]:
        """The entries that are not complete."""
        return frozenset(
            name for name, (since, _) in self._entries.items() if now - since < QUIET_SECONDS
        )

    def has_news(self, now: float) -> bool:
        """Whether something complete was not graded as it is, or something graded is gone."""
        settled = self._complete(now)
        gone = any(name not in self._entries for name in self._graded)
        return gone or any(self._graded.get(name) != inside for name, inside in settled.items())

    def graded(self, now: float) -> None:
        """Note that what is complete at `now` was graded."""
        self._graded = self._complete(now)

    def _complete(self, now: float) -> dict[str, Stamps]:
        unsettled = self.unsettled(now)
        return {
            name: inside for name, (_, inside) in self._entries.items() if name not in unsettled
        }


def stamps_of(folder: Path) -> dict[str, tuple[int, int]]:
    """The files below the folder, links not followed. UserError where it cannot be read, or holds
    more than `MOST_FILES`."""
    stamps: dict[str, tuple[int, int]] = {}

    def failed(error: OSError) -> None:
        if error.filename == str(folder):
            raise UserError(f"cannot be read ({error.strerror})", place=str(folder))

    for where, _, names in os.walk(folder, onerror=failed):
        for name in names:
            path = Path(where, name)
            try:
                status = path.lstat()
            except OSError:
                continue  # gone meanwhile
            stamps[str(path.relative_to(folder))] = (status.st_mtime_ns, status.st_size)
        if len(stamps) > MOST_FILES:
            raise UserError(f"holds more than {MOST_FILES} files", place=str(folder))
    return stamps


def watch(
    folder: Path,
    grade: Callable[[frozenset[str]], object],
    clock: Callable[[], float],
    pause: threading.Event,
) -> None:
    """Call `grade` with the entries to leave out whenever something is new, until `pause` is set.

    At first everything is new: what an earlier run has graded is kept by its report.
    """
    arrivals = FolderEntries()
    while not pause.is_set():
        arrivals.look(stamps_of(folder), clock())
        now = clock()
        if arrivals.has_news(now):
            grade(arrivals.unsettled(now))
            arrivals.graded(now)
        pause.wait(POLL_SECONDS)


def saves(files: Sequence[Path]) -> Iterator[None]:
    """Yield whenever one of `files` was saved, made or removed, or a file directly in one of them
    that is a folder; several changes at once count as one.

    It watches from its call on, also while the caller is busy between two of them.
    UserError without the library that watches.
    """
    try:
        from watchfiles import watch  # noqa: PLC0415  (the extra `watch`)
    except ImportError as error:
        hint = "pip install 'a1-harness[watch]'"
        raise UserError("watching needs watchfiles", place="--watch", hint=hint) from error
    # By both paths: systems differ in whether they report a linked file by its link.
    wanted = {path for file in files for path in (file.absolute(), file.resolve())}
    folders = {path for path in wanted if path.is_dir()}
    # Folders, for many editors save by putting a new file in the old one's place.
    changes = watch(
        *(folders | {path.parent for path in wanted - folders}),
        watch_filter=lambda _, changed: is_save(Path(changed), wanted, folders),
        rust_timeout=LOOK_MS,
        yield_on_timeout=True,
        recursive=False,
    )
    next(changes)  # a generator: this begins
    return (None for changed in changes if changed)


def is_save(changed: Path, wanted: Set[Path], folders: Set[Path]) -> bool:
    """Whether a change of this path is one of a file in `wanted`, or directly in one of `folders`
    and no editor's own file there."""
    of_an_editor = changed.name.startswith(".") or changed.name.endswith("~")
    return changed in wanted or (changed.parent in folders and not of_an_editor)
