"""What a student handed in."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from harness.model.plan import SourceFile

# Archives that an assignment may ask for, and that are read.
ARCHIVE_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One student's files, read whole. `problem` is set when they cannot be graded as handed in:
    one sentence, "found X.py, expected a1.py". `origin` is where they lay, for messages."""

    id: str
    files: tuple[SourceFile, ...]
    origin: str
    problem: str = ""
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Hex SHA-256 over the files' names and bytes."""
        digest = sha256()
        for file in self.files:
            digest.update(f"{file.name}\0{len(file.data)}\0".encode())
            digest.update(file.data)
        return digest.hexdigest()
