"""Remove from a cell the lines that only Jupyter understands: magics, shell lines and requests for
help.

The other lines keep their places, so that line numbers are those of the cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Cell magics whose cell is Python all the same, and runs in the notebook's own names.
_PYTHON_CELLS = frozenset({"%%time", "%%capture", "%%prun"})
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<escape>(?:%|!|\?)(?P<text>.*))")
_INSTALL = re.compile(r"(?P<indent>)(?P<escape>(?:pip|conda|mamba) +(?:un)?install\b.*)")
_ASSIGNED = re.compile(r"(?P<target>[ \t]*[\w., \[\]'\"]+?=\s*)(?P<escape>[%!](?P<text>\S.*))")
_HELP = re.compile(r"(?P<indent>[ \t]*)(?P<escape>[\w.]+\?{1,2})\s*")
# A comment, the begin of a text, or a bracket, whichever comes first.
_TOKEN = re.compile(r"""#.*|'{3}|"{3}|'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[\[({\])}]""")
_OPENING, _CLOSING = frozenset("[({"), frozenset("])}")


@dataclass(frozen=True, slots=True)
class PlainCell:
    """A cell's lines as Python, and the lines that were left out, as they were written."""

    lines: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(slots=True)
class _LineReader:
    """The open parts at the beginning of a line: a text of several lines, brackets, a
    continuation."""

    quotes: str = ""
    depth: int = 0
    continued: bool = False

    @property
    def at_statement(self) -> bool:
        return not (self.quotes or self.depth or self.continued)

    def pass_line(self, line: str) -> None:
        """Move past a line of Python."""
        at = 0
        if self.quotes:
            at = self._behind_quotes(line, 0)
        while not self.quotes:
            token = _TOKEN.search(line, at)
            if token is None:
                break
            at = self._take(line, token)
        self.continued = not self.quotes and line.endswith("\\")

    def _take(self, line: str, token: re.Match[str]) -> int:
        """Move past a token; return the position of the next one."""
        found = token.group()
        if found in ('"""', "'''"):
            self.quotes = found
            return self._behind_quotes(line, token.end())
        if found in _OPENING:
            self.depth += 1
        elif found in _CLOSING:
            self.depth = max(0, self.depth - 1)
        return token.end()

    def _behind_quotes(self, line: str, at: int) -> int:
        """Return the end of the open text of several lines, which may also stay open."""
        while at < len(line):
            if line[at] == "\\":
                at += 2
            elif line.startswith(self.quotes, at):
                at += len(self.quotes)
                self.quotes = ""
                return at
            else:
                at += 1
        return len(line)


def plain_cell(lines: list[str]) -> PlainCell:
    """Return the lines of a code cell as Python; every other line becomes a comment or `pass`."""
    first = next((line for line in lines if line.strip()), "")
    is_magic_cell = first.startswith("%%")
    if is_magic_cell and first.split()[0] not in _PYTHON_CELLS:
        return PlainCell(tuple(_comment(line) for line in lines), (first.rstrip(),))
    reader = _LineReader()
    plain: list[str] = []
    left_out: list[str] = []
    for line in lines:
        replaced = _without_escape(line) if reader.at_statement else None
        if replaced is None:
            reader.pass_line(line)
            plain.append(line)
        else:
            plain.append(replaced)
            left_out.append(line.strip())
    return PlainCell(tuple(plain), tuple(left_out))


def _without_escape(line: str) -> str | None:
    """Return the replacement of a line that only Jupyter understands; None for Python."""
    for pattern in (_LINE, _INSTALL, _HELP):
        found = pattern.fullmatch(line)
        if found is not None:
            indent = found["indent"]
            statement = "pass  " if indent else ""  # it may be all there is of a block
            return f"{indent}{statement}{_comment(found['escape'])}"
    found = _ASSIGNED.fullmatch(line)
    if found is not None:
        return f"{found['target']}None  {_comment(found['escape'])}"
    return None


def _comment(line: str) -> str:
    return f"# {line}".rstrip()
