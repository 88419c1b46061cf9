"""How much one archive may hold, and what may still be read of it."""

from dataclasses import dataclass

from harness.intake.entries import Refused

MIB = 1024 * 1024
# Any member counts, also ignored ones: each is an object in memory.
MOST_MEMBERS = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much one archive may hold. The defaults are for one student's."""

    members: int = 1000
    unpacked_bytes: int = 64 * MIB
    name_length: int = 400
    depth: int = 12

    def check_members(self, count: int) -> None:
        """Raise Refused for more than there may be."""
        if count > self.members:
            raise Refused(f"holds more than {self.members} files")


@dataclass(slots=True)
class ReadBudget:
    """What may still be read of one archive; bytes are counted when they are decompressed."""

    caps: Caps
    spent: int = 0

    def spend(self, count: int) -> None:
        self.spent += count
        if self.spent > self.caps.unpacked_bytes:
            raise Refused(f"unpacks to more than {self.caps.unpacked_bytes // MIB} MiB")


SUBMISSION_CAPS = Caps()
# A class, not a submission: bytes that are read from it are still counted.
CLASS_CAPS = Caps(members=200_000, unpacked_bytes=4096 * MIB)
