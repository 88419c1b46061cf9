"""Patterns over scenario ids."""

from __future__ import annotations

import re


def glob(pattern: str) -> re.Pattern[str]:
    """The pattern to `fullmatch` with: `*` matches anything, all else (brackets too) is itself."""
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)
