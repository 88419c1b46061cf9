"""Names that a browser, a platform or a file manager gives the second copy of a file. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

# a1 (1).py and a1(1).py (browsers), a1-2.py (platforms), a1 copy.py and a1 copy 2.py (macOS),
# a1 - Copy.py and a1 - Copy (2).py (Windows).
_MARK = re.compile(
    r"(?: ?\([0-9]{1,3}\)|-[0-9]{1,3}| copy(?: [0-9]{1,3})?| - Copy(?: \([0-9]{1,3}\))?)\Z"
)
_ENDING = re.compile(r"(?:\.tar)?\.[^.]+\Z")


def original_name(name: str, expected: Collection[str]) -> str | None:
    """The one of `expected` that `name` is a copy of; None for these names themselves, and for
    any other."""
    found = _ENDING.search(name)
    if name in expected or found is None:
        return None
    stem, ending = name[: found.start()], found.group()
    while (mark := _MARK.search(stem)) is not None:  # a copy may be copied again
        stem = stem[: mark.start()]
        if stem + ending in expected:
            return stem + ending
    return None
