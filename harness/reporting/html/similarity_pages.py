"""The pages about similarity in a class: the pairs, and each of the first side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.common import files
from harness.common.escaping import visible_lines
from harness.model.assignment import SourceFile
from harness.model.plan import Plan
from harness.model.study.reports import LineRange, SimilarityReport, SimilarPair
from harness.reporting.html.environment import render

FOLDER = "similarity"
INDEX = "index.html"
MOST_PAGES = 50  # of pairs side by side
_MOST_LINES = 3000  # of a program on a page

Sources = Mapping[str, tuple[SourceFile, ...]]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of a program; `block` is the number of the match that it belongs to, 0 for none,
    and `begins` whether it is the first line of it."""

    number: int
    text: str
    block: int
    begins: bool


def write_similarity(report: SimilarityReport, plan: Plan, sources: Sources, folder: Path) -> Path:
    """Write the page of pairs and a page for each of the first 50 below `folder`/similarity;
    return the path of the first. Raises OSError where the folder cannot be written."""
    place = folder / FOLDER
    for old in place.glob("*.html"):
        old.unlink()
    shown = report.pairs[:MOST_PAGES]
    for number, pair in enumerate(shown, start=1):
        files.write(place / f"{number}.html", pair_page(pair, plan, sources), private=True)
    index = render(
        "similarity.html.j2", report=report, plan=plan, pages=len(shown), percent=percent
    )
    files.write(place / INDEX, index, private=True)
    return place / INDEX


def pair_page(pair: SimilarPair, plan: Plan, sources: Sources) -> str:
    """Two programs beside each other, what they have in common marked, as HTML."""
    first = _lines(sources[pair.first], [match.first for match in pair.matches])
    second = _lines(sources[pair.second], [match.second for match in pair.matches])
    return render(
        "similar_pair.html.j2",
        plan=plan,
        percent=percent(pair.score),
        sides=[(pair.first, first), (pair.second, second)],
    )


def percent(score: float) -> int:
    """A score from 0 to 1 in whole percent."""
    return round(100 * min(score, 1.0))


def _lines(program: tuple[SourceFile, ...], ranges: list[LineRange]) -> list[list[SourceLine]]:
    """The lines of each file, those in a range with its number, from 1, in the order of matches."""
    left = _MOST_LINES
    found = []
    for at, file in enumerate(program):
        blocks = {
            line: number
            for number, lines in reversed(list(enumerate(ranges, start=1)))
            if lines.file == at
            for line in range(lines.first, min(lines.last, _MOST_LINES) + 1)
        }
        text = visible_lines(file.data.decode("utf-8-sig", "replace"))
        lines = [
            SourceLine(
                number, line, block := blocks.get(number, 0), block != blocks.get(number - 1, 0)
            )
            for number, line in enumerate(text.splitlines()[:left], start=1)
        ]
        left -= len(lines)
        found.append(lines)
    return found
