"""YAML with every scalar read as text: a student number may begin with 0, and "no" be a name.

In a file of its own, for checking a file must not need the parser's library.
"""

from __future__ import annotations

from typing import Any

import yaml

from harness.intake.layouts.layout import malformed

# The parser in C is many times as fast, and a class's metadata holds every result.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def texts(data: bytes, where: str) -> Any:
    """Mappings, lists and strings; UserError with the line where it is no YAML."""
    try:
        return yaml.load(data.decode("utf-8"), _LOADER)
    except UnicodeDecodeError as error:
        raise malformed(where, f"byte {error.start} is not UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or "it is not YAML"
        raise malformed(f"{where}{line}", str(what)) from None
    except RecursionError:
        raise malformed(where, "it is nested too deeply") from None
