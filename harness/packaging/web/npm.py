"""What the page needs from the npm registry: pinned by version and by the digest of the archive,
fetched by npm once, and kept in the course's cache."""

from __future__ import annotations

import base64
import hashlib
import io
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.common.errors import UserError
from harness.common.files import write_bytes

_PATIENCE = 600.0  # seconds for a download
_LARGEST = 64 * 1024 * 1024  # bytes of a package, unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A package's archive: `sha512` as npm writes it."""

    name: str
    version: str
    sha512: str

    @property
    def archive(self) -> str:
        return f"{self.name}-{self.version}.tgz"


# The Pyodide whose Python is the one of an assignment.
PYODIDE = {
    python: Pin(name="pyodide", version=version, sha512=digest)
    for python, version, digest in (
        (
            "3.11",
            "0.25.1",
            "y0nJ/fLA3bxD2iZRzvVTbP2O+wp4Ewm2wThfV4HF0BytQ6hsoqTJFLNY4usLOcCVBrK8TTWqFqrmsVPzHe4rsw==",
        ),
        (
            "3.12",
            "0.27.7",
            "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA==",
        ),
        (
            "3.13",
            "0.28.3",
            "rtCsyTU55oNGpLzSVuAd55ZvruJDEX8o6keSdWKN9jPeBVSNlynaKFG7eRqkiIgU7i2M6HEgYtm0atCEQX3u4A==",
        ),
        (
            "3.14",
            "314.0.7",
            "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
        ),
    )
}
EDITOR = Pin(
    name="prism-code-editor",
    version="5.4.0",
    sha512="8y4SdQxwHa/lnxIbFf2w8N2D1OwxcskDRw774ov4XEEa1e5alqqrAZk08YXgaxisc1RuJdFbCTI+4tU3Plljqw==",
)


def package(pin: Pin, cache: Path) -> dict[str, bytes]:
    """The files of a package by their paths in it. UserError where it can be neither found below
    `cache` nor fetched, or is not the one that was pinned."""
    kept = cache / "npm" / pin.archive
    if not kept.is_file():
        write_bytes(kept, _fetched(pin, kept))
    data = kept.read_bytes()
    if not _is_pinned(pin, data):
        hint = "remove it and make the page again"
        raise UserError(f"it is not {pin.name} {pin.version}", place=str(kept), hint=hint)
    return _unpacked(data)


def _is_pinned(pin: Pin, data: bytes) -> bool:
    return base64.b64encode(hashlib.sha512(data).digest()).decode() == pin.sha512


def _fetched(pin: Pin, kept: Path) -> bytes:
    what = f"{pin.name}@{pin.version}"
    hint = f"install Node.js, which has npm, or put {pin.archive} into {kept.parent} yourself"
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", what, "--pack-destination", folder, "--silent"]
        try:
            done = subprocess.run(
                command, capture_output=True, cwd=folder, timeout=_PATIENCE, check=False
            )
        except FileNotFoundError:
            raise UserError(f"npm is needed to fetch {what}, once", hint=hint) from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"npm did not fetch {what}: {error}", hint=hint) from None
        archive = Path(folder, pin.archive)
        if done.returncode or not archive.is_file():
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise UserError(f"npm did not fetch {what}: {''.join(said)[:200]}", hint=hint)
        data = archive.read_bytes()
    if not _is_pinned(pin, data):
        raise UserError(f"what npm fetched as {what} is not what was pinned")
    return data


def _unpacked(data: bytes) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive:
            if member.isfile() and sum(map(len, files.values())) + member.size <= _LARGEST:
                content = archive.extractfile(member)
                assert content is not None
                files[member.name.partition("/")[2]] = content.read()
    return files
