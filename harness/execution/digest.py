"""A digest of this room's source, so that stored observations know what made them."""

from __future__ import annotations

import hashlib
from pathlib import Path


def _digest() -> str:
    folder = Path(__file__).parent
    seen = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        seen.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode())
        seen.update(data)
    return seen.hexdigest()


EXECUTION_DIGEST = _digest()
