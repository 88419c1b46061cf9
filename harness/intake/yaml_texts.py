"""YAML with every scalar read as text: a student number may begin with 0, and "no" be a name.

In a file of its own, for checking a file must not need the parser's library. Put together from the
parser's events: its own way calls itself at each level, and in C that ends the process.
"""

from __future__ import annotations

from typing import Any

import yaml

from harness.intake.layouts.layout import malformed

# The parser in C is many times as fast, and a class's metadata holds every result.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_DEEPEST = 100


def texts(data: bytes, where: str) -> Any:
    """Mappings, lists and strings; None for an empty file. UserError with the line where it is no
    YAML."""
    try:
        return _whole(data.decode("utf-8"), where)
    except UnicodeDecodeError as error:
        raise malformed(where, f"byte {error.start} is not UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or "it is not YAML"
        raise malformed(f"{where}{line}", str(what)) from None


def _whole(text: str, where: str) -> Any:
    builder = _Builder()
    for event in yaml.parse(text, _LOADER):
        if builder.depth > _DEEPEST:
            raise malformed(where, "it is nested too deeply")
        match event:
            case yaml.ScalarEvent():
                builder.add(event.value, event)
            case yaml.SequenceStartEvent():
                builder.begin([], event)
            case yaml.MappingStartEvent():
                builder.begin({}, event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                builder.end()
            case yaml.AliasEvent():
                builder.add(builder.anchors.get(str(event.anchor), ""), None)
            case yaml.DocumentEndEvent():
                break
            case _:
                pass
    return builder.result


class _Builder:
    """Values put into the innermost list or mapping that is open."""

    def __init__(self) -> None:
        self.result: Any = None
        self.anchors: dict[str, Any] = {}
        self._open: list[tuple[Any, list[str]]] = []

    @property
    def depth(self) -> int:
        """How many lists and mappings are open."""
        return len(self._open)

    def begin(self, value: Any, event: yaml.NodeEvent) -> None:
        """A list or mapping, to be filled."""
        self.add(value, event)
        self._open.append((value, []))

    def end(self) -> None:
        """The innermost one is full."""
        self._open.pop()

    def add(self, value: Any, event: yaml.NodeEvent | None) -> None:
        """The next value of the innermost list; of a mapping a key and a value in turn."""
        if event is not None and event.anchor:
            self.anchors[event.anchor] = value
        if not self._open:
            self.result = value
            return
        holder, key = self._open[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif key:
            holder[key.pop()] = value
        else:
            key.append(value if isinstance(value, str) else "")
