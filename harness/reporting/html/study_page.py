"""The page of what is found out beside marks: how strong the scenarios are, who is alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.common import files, serial
from harness.common.escaping import shorten
from harness.model.plan import Plan
from harness.model.study import SimilarityReport, StrengthReport
from harness.reporting.html.environment import render
from harness.reporting.html.similarity_pages import MOST_PAGES, percent

STUDY = "study.html"
SIMILARITY = "similarity.json"
_MOST_PROGRAMS = 40  # in the matrix: those of the most alike pairs
_CELL = 18  # units of the matrix's drawing
_LABEL = 150  # units for a name
_LONGEST_LABEL = 22  # characters


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How alike two programs are, in percent, at a place of the drawing; `page` is the number of
    their page side by side, 0 for none."""

    x: int
    y: int
    first: str
    second: str
    score: int
    page: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """The drawing of who is alike: names with the middle of their row, and the cells. In units."""

    names: tuple[tuple[str, str, int], ...]
    cells: tuple[MatrixCell, ...]
    left: int
    cell: int
    size: int


def write_study(folder: Path, plan: Plan, strength: StrengthReport | None) -> Path | None:
    """Write the page of a report folder, from what was measured of the scenarios and from the
    folder's own `similarity.json`; return its path, None where there is nothing to show (an older
    page goes then). Raises OSError where the folder cannot be written."""
    path = folder / STUDY
    similarity = _similarity(folder)
    if strength is None and similarity is None:
        path.unlink(missing_ok=True)
        return None
    files.write(path, study_page(plan, strength, similarity), private=True)
    return path


def study_page(
    plan: Plan, strength: StrengthReport | None, similarity: SimilarityReport | None
) -> str:
    """The page as HTML, without a script."""
    return render(
        "study.html.j2",
        plan=plan,
        strength=strength,
        similarity=similarity,
        matrix=matrix(similarity) if similarity is not None and similarity.pairs else None,
    )


def matrix(report: SimilarityReport) -> Matrix:
    """The programs of the most alike pairs, those of a group beside each other."""
    chosen: set[str] = set()
    for pair in report.pairs:
        if len(chosen | {pair.first, pair.second}) > _MOST_PROGRAMS:
            break
        chosen |= {pair.first, pair.second}
    grouped = [name for group in report.groups for name in group if name in chosen]
    names = list(dict.fromkeys([*grouped, *sorted(chosen)]))
    place = {name: number for number, name in enumerate(names)}
    cells = []
    for number, pair in enumerate(report.pairs, start=1):
        if pair.first in place and pair.second in place:
            row, column = sorted((place[pair.first], place[pair.second]))
            cells.append(
                MatrixCell(
                    x=_LABEL + _CELL * row,
                    y=_CELL * column,
                    first=names[row],
                    second=names[column],
                    score=percent(pair.score),
                    page=number if number <= MOST_PAGES else 0,
                )
            )
    return Matrix(
        names=tuple(
            (name, shorten(name, _LONGEST_LABEL), _CELL * number + _CELL - 5)
            for number, name in enumerate(names)
        ),
        cells=tuple(cells),
        left=_LABEL,
        cell=_CELL,
        size=_CELL * len(names),
    )


def _similarity(folder: Path) -> SimilarityReport | None:
    try:
        return serial.loads(SimilarityReport, (folder / SIMILARITY).read_bytes())
    except (OSError, serial.SerialError):
        return None
