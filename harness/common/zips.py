"""Zip archives whose bytes depend on their content alone."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

_SAME_TIME = (1980, 1, 1, 0, 0, 0)
_FILE, _PROGRAM = 0o100644 << 16, 0o100755 << 16
_UNIX = 3


def zipped(files: Mapping[str, bytes | Path], programs: Collection[str] = ()) -> bytes:
    """An archive of these files by name, sorted, all of one time; `programs` are executable.

    Content given as a path is read when its turn comes, so that only the archive is held in
    memory. Raises OSError where it cannot be read.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, _SAME_TIME)
            member.create_system = _UNIX
            member.external_attr = _PROGRAM if name in programs else _FILE
            member.compress_type = zipfile.ZIP_DEFLATED
            content = files[name]
            archive.writestr(member, content.read_bytes() if isinstance(content, Path) else content)
    return stream.getvalue()
