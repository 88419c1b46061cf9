"""The lines of a repository's `.gitignore` that keep answers and students out of it."""

from __future__ import annotations

from pathlib import Path

from harness.common.files import write_bytes

_LINES = (".harness-cache/", "reports/")  # the cache holds answers, the reports hold students
_WHY = "# harness: answers of the reference, and students' marks"


def keep_out(base: Path) -> bool:
    """Add what is missing to the `.gitignore` of a course that lies in a repository, and whether
    anything was. What is there stays. Raises OSError where it cannot be written."""
    if not any((folder / ".git").exists() for folder in (base.resolve(), *base.resolve().parents)):
        return False
    path = base / ".gitignore"
    text = path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""
    there = {line.strip().strip("/*") for line in text.splitlines()}
    missing = [line for line in _LINES if line.strip("/") not in there]
    if not missing:
        return False
    before = text if not text or text.endswith("\n") else text + "\n"
    added = "".join(f"{line}\n" for line in (_WHY, *missing))
    write_bytes(path, (before + added).encode("utf-8", "surrogateescape"))
    return True
