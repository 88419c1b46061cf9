"""What the readers of archive formats share: members, and caps on how much of them is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from harness.intake.files.entries import EntryKind, Refused

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much one archive may hold. The defaults are for one student's."""

    members: int = 1000
    unpacked_bytes: int = 64 * MIB
    name_length: int = 400
    depth: int = 12


@dataclass(slots=True)
class ReadBudget:
    """What may still be read of one archive; bytes are counted when they are decompressed."""

    caps: Caps
    spent: int = 0

    def spend(self, count: int) -> None:
        """Count bytes that were decompressed; Refused when they are too many in all."""
        self.spent += count
        if self.spent > self.caps.unpacked_bytes:
            raise Refused(f"unpacks to more than {self.caps.unpacked_bytes // MIB} MiB")

    def check_members(self, count: int) -> None:
        """Refused when the archive holds too many."""
        if count > self.caps.members:
            raise Refused(f"holds more than {self.caps.members} files")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member, under the name that the archive gives it. `start(n)` gives the first n bytes of
    a FILE, or all where there are fewer; Refused where it cannot be read."""

    name: str
    kind: EntryKind
    start: Callable[[int], bytes]


class ArchiveReader(Protocol):
    """One archive format."""

    def __call__(self, stream: BinaryIO, budget: ReadBudget) -> Iterator[Member]:
        """The members of a seekable stream, in its order; it stays open while they are read.

        Raises Refused (a phrase that follows the archive's name: "is a broken …") for a stream
        that is not what it should be or is more than the budget allows, and nothing else.
        """
