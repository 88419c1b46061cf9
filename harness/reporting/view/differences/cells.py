"""The lines of one side of a comparison, and which of their characters are marked: the first that
differs, or the items of two values, written as Python, that differ."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from difflib import SequenceMatcher

LINE_END = "¬"
NO_LINE_END = "(no line end)"
MISSING = "(missing)"
NOTHING_PRINTED = "(nothing printed)"
NOTHING = "(nothing)"
EMPTY_FILE = "(empty)"

Span = tuple[int, int]
Spans = tuple[Span, ...]

_WIDEST = 400
_BEFORE_MARK = 60
_LONGEST = 1000  # characters of one line
_DEEPEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One side of a row.

    `note` replaces the text where this side has no such line. `mark` is the index of
    the first differing character, the text's length when the text stops too soon, None for no
    mark. `marks` are the items of a value that differ, as [start, stop). `cut_before` and
    `cut_after` say that text is left out there. With `signs`, blanks are shown as signs. `end` is
    the sign of the line's end, empty where none is shown.
    """

    text: str = ""
    note: str = ""
    mark: int | None = None
    marks: Spans = ()
    cut_before: bool = False
    cut_after: bool = False
    signs: bool = False
    end: str = ""


class Column:
    """The lines of one side. `unended` is the index of a last line without a line end, `nothing`
    what is said where there is no line at all."""

    def __init__(self, lines: list[str | None], nothing: str) -> None:
        self.lines = lines
        self._nothing = nothing
        self.unended: int | None = None
        self._silent = False

    def fold_last_end(self) -> None:
        """Treat the lines as printed text: the empty line after the last line end is none."""
        there = [i for i in range(len(self.lines)) if self.has(i)]
        if there and self.lines[there[-1]] == "":
            self.lines[there[-1]] = None
        elif there:
            self.unended = there[-1]
        self._silent = all(line is None for line in self.lines)

    def has(self, index: int) -> bool:
        """Whether this side has the line."""
        return self.lines[index] is not None

    def differs(self, other: Column, index: int) -> bool:
        """Whether the two lines or their ends differ."""
        return self.lines[index] != other.lines[index] or self._ends_differ(other, index)

    def _ends_differ(self, other: Column, index: int) -> bool:
        both = self.has(index) and other.has(index)
        return both and (index == self.unended) is not (index == other.unended)

    def cell(
        self, index: int, other: Column, at: int, *, mark: bool, marks: Spans, signs: bool
    ) -> Cell:
        """The cell of a line, whose first difference is at the index `at`."""
        text = self.lines[index]
        if text is None:
            return Cell(note=self._nothing if self._silent else MISSING)
        lacks_end = index == self.unended and self._ends_differ(other, index)
        end = NO_LINE_END if lacks_end else LINE_END
        return cell_of(text, at, mark=mark, marks=marks, signs=signs, end=end)


def cell_of(
    text: str,
    at: int = 0,
    *,
    mark: bool = False,
    marks: Spans = (),
    signs: bool = False,
    end: str = "",
) -> Cell:
    """A line as a cell; of a long one the part around `at`, the first difference."""
    start = max(0, at - _BEFORE_MARK) if len(text) > _WIDEST else 0
    stop = min(len(text), start + _WIDEST)
    ends_here = mark and at == stop == len(text)
    inside = [(max(a, start) - start, min(b, stop) - start) for a, b in marks]
    return Cell(
        text=text[start:stop],
        mark=at - start if mark else None,
        marks=tuple(span for span in inside if span[0] < span[1]),
        cut_before=start > 0,
        cut_after=stop < len(text),
        signs=signs,
        end=end if stop == len(text) and (signs or ends_here) else "",
    )


def are_texts(expected: str | None, actual: str | None) -> bool:
    """Whether both are texts, written as Python: those differ by character, and not by item."""
    sides = (expected or "").strip(), (actual or "").strip()
    return all(side.startswith(("'", '"')) for side in sides)


def item_spans(expected: str | None, actual: str | None) -> tuple[Spans, Spans]:
    """The characters of each side, as [start, stop), that make up the items that differ; nothing
    where a side is no Python value of one line, or where both are texts."""
    if expected is None or actual is None or are_texts(expected, actual):
        return (), ()
    left, right = _parsed(expected), _parsed(actual)
    if left is None or right is None:
        return (), ()
    return _spans(expected, actual, _differing(left, right, _DEEPEST))


def _parsed(line: str) -> ast.expr | None:
    text = line.strip().removesuffix(",")
    if not text or len(line) > _LONGEST or not line.isascii():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


_Pair = tuple[ast.expr | None, ast.expr | None]


def _differing(left: ast.expr, right: ast.expr, deepest: int) -> list[_Pair]:
    """The innermost pairs that differ; an item that only one side has is paired with nothing."""
    alike = isinstance(left, (ast.List, ast.Tuple)) and type(left) is type(right)
    if not alike or not deepest:
        return [(left, right)]
    assert isinstance(left, (ast.List, ast.Tuple))
    assert isinstance(right, (ast.List, ast.Tuple))
    ours, theirs = [_key(item) for item in left.elts], [_key(item) for item in right.elts]
    found: list[_Pair] = []
    if len(ours) == len(theirs):
        for one, other, key, other_key in zip(left.elts, right.elts, ours, theirs, strict=True):
            if key != other_key:
                found += _differing(one, other, deepest - 1)
        return found
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            found += [(item, None) for item in left.elts[i1:i2]]
            found += [(None, item) for item in right.elts[j1:j2]]
    return found


def _key(node: ast.expr) -> str:
    return ast.unparse(node)


def _spans(expected: str, actual: str, pairs: list[_Pair]) -> tuple[Spans, Spans]:
    before = [len(line) - len(line.lstrip()) for line in (expected, actual)]
    found: tuple[list[Span], list[Span]] = ([], [])
    for pair in pairs:
        for node, at, spans in zip(pair, before, found, strict=True):
            if node is not None and node.end_col_offset is not None:
                spans.append((at + node.col_offset, at + node.end_col_offset))
    return tuple(found[0]), tuple(found[1])
