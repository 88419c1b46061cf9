"""Tells how to install the packages that an optional command needs."""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata

_DISTRIBUTION = "a1-harness"
_IN_EXTRA = re.compile(r"\bextra\s*==\s*['\"](?P<extra>[\w-]+)['\"]")


def install_command(extra: str) -> str:
    """Return a command that installs the packages of `extra` beside this program.

    It names the packages, not the extra: the extra can only be installed by somebody who knows
    the file or folder that this program was installed from.
    """
    python = shlex.quote(sys.executable)
    packages = [shlex.quote(name) for name in _packages(extra)]
    return f"{python} -m pip install {' '.join(packages)}"


def _packages(extra: str) -> list[str]:
    """Return the requirements of an extra, such as `flask>=3.1`."""
    found: list[str] = []
    for requirement in metadata.requires(_DISTRIBUTION) or ():
        package, _, marker = requirement.partition(";")
        condition = _IN_EXTRA.search(marker)
        if condition is not None and condition["extra"] == extra:
            found.append(package.strip())
    return found
