"""Zip archives whose bytes depend on nothing but what is in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping

_SAME_TIME = (1980, 1, 1, 0, 0, 0)
_FILE, _PROGRAM = 0o100644 << 16, 0o100755 << 16
_UNIX = 3


def zipped(files: Mapping[str, bytes], programs: Collection[str] = ()) -> bytes:
    """An archive of these files by name, sorted, all of one time; `programs` can be started."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name in sorted(files):
            about = zipfile.ZipInfo(name, _SAME_TIME)
            about.create_system = _UNIX
            about.external_attr = _PROGRAM if name in programs else _FILE
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, files[name])
    return whole.getvalue()
