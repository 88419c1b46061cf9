"""A student's own lines with their syntax in colour."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from harness.reporting.html.inert import code
from harness.reporting.view.shown_causes import OwnLine

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# Our classes by the beginning of Pygments' short names of token types.
_CLASSES = (
    ("k", "k"), ("ow", "k"), ("s", "s"), ("c", "c"), ("m", "n"), ("nf", "f"), ("nc", "f"),
)  # fmt: skip


@cache
def _lexer() -> Lexer:
    from pygments.lexers.python import PythonLexer  # noqa: PLC0415  (pages without causes need none)

    return PythonLexer()


@cache
def _class_of(kind: str) -> str:
    return next((name for start, name in _CLASSES if kind.startswith(start)), "")


def source_lines(lines: Sequence[str]) -> list[Markup]:
    """Python lines as HTML, each inert, keywords, texts, comments and numbers in spans."""
    from pygments.token import STANDARD_TYPES  # noqa: PLC0415

    found: list[list[tuple[str, str]]] = [[]]  # of each line the runs of one class
    for _, kind, text in _lexer().get_tokens_unprocessed("\n".join(lines)):
        name = _class_of(STANDARD_TYPES.get(kind, ""))
        for number, part in enumerate(text.split("\n")):
            if number:
                found.append([])
            if found[-1] and found[-1][-1][0] == name:
                part = found[-1].pop()[1] + part  # noqa: PLW2901
            found[-1].append((name, part))
    return [Markup("".join(_shown(*run) for run in line)) for line in found]


def _shown(name: str, text: str) -> str:
    shown = str(code(text))
    return f'<span class="{name}">{shown}</span>' if name and text else shown


def numbered(lines: Sequence[OwnLine]) -> list[tuple[OwnLine, Markup]]:
    """The lines of a program, each with its HTML."""
    return list(zip(lines, source_lines([line.text for line in lines]), strict=True))
