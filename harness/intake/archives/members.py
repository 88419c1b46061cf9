"""The names in an archive, as far as they can be read, within bounds of memory.

If a submission of a class's archive has far too many files, only a part is kept and a person must
look at it; the others are read. Files that tools leave behind are not listed one by one.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.intake.caps import Caps, group_of
from harness.intake.entries import Entry, EntryKind, RefusedUpload
from harness.intake.junk import is_left_behind

_KEPT = 500  # entries of a submission that has most of those that are too many
_SHARE = 40  # who has less than this part of an archive is not to blame for its size
_SEPARATORS = re.compile(r"[/\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The entries, with paths as names; `broken` says why the archive may have more of them.

    `depth` is the depth of the submissions' folders in a class's archive: 2 if all are in one
    folder.
    """

    entries: tuple[Entry, ...]
    broken: str = ""
    depth: int = 1


def collected(members: Iterator[Entry], caps: Caps, *, is_class: bool) -> Members:
    """Take in the members until one cannot be read. Refused for more than the caps allow, if no
    single submission of a class is to blame, and for an archive broken from its beginning."""
    collection = _Collection(caps, is_class=is_class)
    broken = ""
    try:
        for entry in members:
            collection.add(entry)
    except _TooMany:
        raise RefusedUpload(f"holds more than {caps.listed} files") from None
    except RefusedUpload as refusal:
        if not collection.entries:
            raise
        broken = str(refusal)
    return Members(entries=tuple(collection.with_faults()), broken=broken, depth=collection.depth())


class _TooMany(Exception):  # noqa: N818  (not an error, an answer)
    """Nobody's entries can be left out."""


class _Collection:
    def __init__(self, caps: Caps, *, is_class: bool) -> None:
        self.entries: list[Entry] = []
        self._caps = caps
        self._is_class = is_class
        self._folders_left_out: set[str] = set()
        self._crowded: dict[str, int] = {}  # by group: how many entries it has

    def add(self, entry: Entry) -> None:
        left_out = _folder_left_out(entry.name)
        if left_out:
            if left_out in self._folders_left_out:
                return
            self._folders_left_out.add(left_out)
            entry = Entry(name=left_out, kind=EntryKind.FOLDER)
        for depth in (1, 2):
            group = group_of(entry.name, depth)
            if group in self._crowded:
                self._crowded[group] += 1
                return
        self.entries.append(entry)
        if len(self.entries) > self._caps.listed:
            self._thin_out()

    def depth(self) -> int:
        tops: set[str] = set()
        for entry in self.entries:
            top = group_of(entry.name, 1)
            if not is_left_behind(top):
                tops.add(top)
        return 2 if len(tops) == 1 else 1

    def with_faults(self) -> Iterator[Entry]:
        """Yield the entries.

        If a submission's entries were removed, its others state the reason.
        """
        for entry in self.entries:
            groups = [group_of(entry.name, depth) for depth in (1, 2)]
            count = next((self._crowded[group] for group in groups if group in self._crowded), 0)
            fault = f"{count} files in one submission" if count else entry.fault
            yield replace(entry, fault=fault)

    def _thin_out(self) -> None:
        """Remove most entries of the submission that has the most entries."""
        depth = self.depth()
        counts = Counter(group_of(entry.name, depth) for entry in self.entries)
        largest, count = counts.most_common(1)[0]
        if count <= self._caps.listed // _SHARE or not self._is_class:
            raise _TooMany
        self._crowded[largest] = count
        kept = 0
        entries = []
        for entry in self.entries:
            if group_of(entry.name, depth) == largest:
                kept += 1
                if kept > min(_KEPT, self._caps.listed // _SHARE):
                    continue
            entries.append(entry)
        self.entries = entries


def _folder_left_out(path: str) -> str:
    """Return the path of the first folder above that a tool made; empty for none."""
    start = 0
    for separator in _SEPARATORS.finditer(path):
        if is_left_behind(path[start : separator.start()]):
            return path[: separator.end()]
        start = separator.end()
    return ""
