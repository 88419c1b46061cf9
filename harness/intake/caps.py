"""Limits for one archive, and the bytes that may still be read of it."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.intake.entries import BACKSLASH, RefusedUpload

MIB = 1024 * 1024
# Told before bytes of a member are handed out: its path, and how many; Refused for too many.
Spend = Callable[[str, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """The limits for one archive; the defaults are for a student's.

    `listed` are the entries that are taken into memory: also folders and ignored files.
    """

    members: int = 1000
    listed: int = 20_000
    unpacked_bytes: int = 64 * MIB
    name_length: int = 400
    depth: int = 12

    def check_members(self, count: int) -> None:
        """Raise Refused for more than there may be."""
        if count > self.members:
            raise RefusedUpload(f"holds more than {self.members} files")


@dataclass(slots=True)
class ReadBudget:
    """The bytes that may still be read of one archive, counted when they are decompressed."""

    caps: Caps
    spent: int = 0

    def spend(self, path: str, count: int) -> None:
        """Count bytes of the member with this path."""
        self.spent += count
        if self.spent > self.caps.unpacked_bytes:
            raise RefusedUpload(f"unpacks to more than {self.caps.unpacked_bytes // MIB} MiB")


class GroupBudgets:
    """The bytes that may still be read of each submission in a class's archive.

    A submission that has used up its budget takes nothing from the others' budgets. `depth` is the
    depth of the submissions' folders.
    """

    def __init__(self, caps: Caps) -> None:
        self.depth = 1
        self._caps = caps
        self._budgets: dict[str, ReadBudget] = {}

    def spend(self, path: str, count: int) -> None:
        """Count bytes of the member with this path."""
        group = group_of(path, self.depth)
        self._budgets.setdefault(group, ReadBudget(self._caps)).spend(path, count)


def group_of(path: str, depth: int) -> str:
    """Return the beginning of a path by which a submission is known, with / between folders."""
    parts = [part for part in path.replace(BACKSLASH, "/").split("/") if part not in ("", ".")]
    return "/".join(parts[:depth])


SUBMISSION_CAPS = Caps()
# A class: `unpacked_bytes` are those of each submission in it.
CLASS_CAPS = Caps(members=200_000, listed=200_000, unpacked_bytes=256 * MIB)
