"""What studies find out beside marks, as files and pages of a report folder: how strong scenarios
are, where programs with full marks differ, who is alike, evidence of style."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from harness.common import files, serial
from harness.common.escaping import visible_lines
from harness.common.people import connected
from harness.model import study
from harness.model.assignment import SourceFile
from harness.model.plan import Plan
from harness.reporting.html.environment import render
from harness.reporting.view.words import percent

STUDY = "study.html"
SIMILARITY = "similarity.json"
FUZZ = "fuzz.json"
_STUDIES = (SIMILARITY, FUZZ, STUDY)
_MOST_PROGRAMS = 40  # in the matrix: those of the most alike pairs
R = TypeVar("R")
FOLDER = "similarity"
INDEX = "index.html"
MOST_PAGES = 100  # of pairs side by side
_MOST_ROWS = 500  # of pairs on the page; `similarity.json` has all
COLOURS = 8  # of matching parts, in turn; class.css has them
_MOST_LINES = 3000  # of a program on a page

Sources = Mapping[str, tuple[SourceFile, ...]]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How alike two programs are, by their places among the matrix's names."""

    first: int
    second: int
    score: int  # in percent
    page: int  # the number of their page side by side, 0 for none


@dataclass(frozen=True, slots=True)
class Matrix:
    """Who is alike: the cells of pairs below the diagonal, and on it each name."""

    names: tuple[str, ...]
    cells: tuple[MatrixCell, ...]


def write_study(
    folder: Path,
    plan: Plan,
    strength: study.StrengthReport | None,
    similarity: study.SimilarityReport | None = None,
) -> Path | None:
    """Write the page with the study of the scenarios and of the folder's `similarity.json` (whose
    content may be at hand) and `fuzz.json`.

    Return its path; None if there is nothing to show, and then an older page is removed. May raise
    OSError.
    """
    path = folder / STUDY
    similarity = similarity or read_similarity(folder)
    fuzz = _read(study.FuzzReport, folder / FUZZ)
    if strength is None and similarity is None and fuzz is None:
        path.unlink(missing_ok=True)
        return None
    files.write(path, study_page(plan, strength, similarity, fuzz), private=True)
    return path


def read_similarity(folder: Path) -> study.SimilarityReport | None:
    """Return the similar submissions, if a report folder has them."""
    return _read(study.SimilarityReport, folder / SIMILARITY)


def remove_studies(folder: Path) -> bool:
    """Remove all that was found out about a folder's programs; whether there was anything."""
    every = (*(folder / FOLDER).glob("*.html"), *map(folder.joinpath, _STUDIES))
    paths = [each for each in every if each.exists()]
    for path in paths:
        path.unlink()
    return bool(paths)


def study_page(
    plan: Plan,
    strength: study.StrengthReport | None,
    similarity: study.SimilarityReport | None,
    fuzz: study.FuzzReport | None = None,
) -> str:
    """Return the page as HTML, without a script."""
    differing = [
        (", ".join(submission.ids), difference.function, difference.message)
        for submission in (fuzz.submissions if fuzz is not None else ())
        for difference in submission.differences
    ]
    drawn = matrix(similarity) if similarity is not None and similarity.pairs else None
    found = {"strength": strength, "similarity": similarity, "fuzz": fuzz, "matrix": drawn}
    return render("study.html.j2", plan=plan, differing=differing, **found)


def matrix(report: study.SimilarityReport) -> Matrix:
    """Return the programs of the most similar pairs, those of a group side by side."""
    chosen: set[str] = set()
    for pair in report.pairs:
        if len(chosen | {pair.first, pair.second}) > _MOST_PROGRAMS:
            break
        chosen |= {pair.first, pair.second}
    grouped = [name for group in report.groups for name in group if name in chosen]
    names = list(dict.fromkeys([*grouped, *sorted(chosen)]))
    place = {name: number for number, name in enumerate(names)}
    cells = []
    for row in _pair_rows(report):
        if {row.pair.first, row.pair.second} <= chosen:
            first, second = sorted((place[row.pair.first], place[row.pair.second]))
            cells.append(MatrixCell(first, second, percent(row.pair.score), row.page))
    return Matrix(tuple(names), tuple(cells))


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair as it is listed, and the number of its page side by side, 0 for none."""

    pair: study.SimilarPair
    page: int


@dataclass(frozen=True, slots=True)
class GroupRow:
    """Programs of a group, how alike listed pairs are, and each with the most like it."""

    names: tuple[str, ...]
    lowest: float
    highest: float
    nearest: tuple[PairRow, ...]
    identical: tuple[tuple[str, ...], ...] = ()  # those of the same structure


def _pair_rows(report: study.SimilarityReport) -> list[PairRow]:
    shown = set(report.worth_a_look(MOST_PAGES))
    places = enumerate(report.pairs)
    return [PairRow(pair, place + 1 if place in shown else 0) for place, pair in places]


def listing(report: study.SimilarityReport) -> tuple[tuple[GroupRow, ...], tuple[PairRow, ...]]:
    """Return the groups, and the pairs of programs outside groups."""
    group_of = study.group_by_name(report.groups)
    of_groups: list[list[PairRow]] = [[] for _ in report.groups]
    outside = []
    for row in _pair_rows(report):
        group = group_of.get(row.pair.first, -1)
        if group == group_of.get(row.pair.second, -2):
            of_groups[group].append(row)
        else:
            outside.append(row)
    grouped = (_group_row(*each) for each in zip(report.groups, of_groups, strict=True))
    return tuple(grouped), tuple(outside)


def _group_row(names: tuple[str, ...], rows: list[PairRow]) -> GroupRow:
    scores = [row.pair.score for row in rows]
    nearest: list[PairRow] = []
    shown: set[str] = set()
    for row in rows:
        if not {row.pair.first, row.pair.second} <= shown:
            nearest.append(row)
            shown |= {row.pair.first, row.pair.second}
    return GroupRow(names, min(scores), max(scores), tuple(nearest), _identical(rows))


def _identical(rows: Sequence[PairRow]) -> tuple[tuple[str, ...], ...]:
    """Return the programs whose pairs have the highest score there is, those that are alike
    together."""
    same = [(row.pair.first, row.pair.second) for row in rows if row.pair.score >= 1]
    together: list[tuple[str, ...]] = []
    for places in connected(same):
        names = {name for place in places for name in same[place]}
        together.append(tuple(sorted(names)))
    return tuple(together)


def _read(kind: type[R], path: Path) -> R | None:
    try:
        return serial.loads(kind, path.read_bytes())
    except (OSError, serial.SerialError):
        return None


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of a program."""

    text: str
    block: int  # the number of the match that it belongs to, 0 for none
    begins: bool  # the block, here or again
    is_first: bool  # of the block


def write_similarity(
    report: study.SimilarityReport,
    plan: Plan,
    sources: Sources,
    folder: Path,
    people: Mapping[str, str] | None = None,
) -> Path:
    """Write the page of groups and pairs below `folder`/similarity, whose path is returned, and
    pages of pairs side by side. `people` has the names (or empty texts) of the submissions that
    have a page in this run, by their ids. May raise OSError."""
    place = folder / FOLDER
    for old in place.glob("*.html"):
        old.unlink()
    known = people or {}
    shown = [row for row in _pair_rows(report) if row.page]
    for at, row in enumerate(shown):
        near = NearPairs(
            before=shown[at - 1].page if at else 0,
            after=shown[at + 1].page if at + 1 < len(shown) else 0,
        )
        page = pair_page(row.pair, plan, sources, near, known)
        files.write(place / f"{row.page}.html", page, private=True)
    grouped, outside = listing(report)
    index = render(
        "similarity.html.j2",
        report=report,
        plan=plan,
        groups=grouped,
        outside=outside[:_MOST_ROWS],
        percent=percent,
        people=known,
    )
    files.write(place / INDEX, index, private=True)
    return place / INDEX


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPairs:
    """The pages before and after that of a pair; 0 for none."""

    before: int = 0
    after: int = 0


def pair_page(
    pair: study.SimilarPair,
    plan: Plan,
    sources: Sources,
    near: NearPairs = NearPairs(),
    people: Mapping[str, str] | None = None,
) -> str:
    """Return two programs beside each other as HTML, with their common parts marked."""
    first = _lines(sources[pair.first], [match.first for match in pair.matches])
    second = _lines(sources[pair.second], [match.second for match in pair.matches])
    blocks_of_first = {line.block for lines in first for line in lines}
    blocks_of_second = {line.block for lines in second for line in lines}
    sides = [(pair.first, first, blocks_of_second), (pair.second, second, blocks_of_first)]
    return render(
        "similar_pair.html.j2",
        plan=plan,
        percent=percent(pair.score),
        colours=COLOURS,
        sides=sides,
        matches=sorted(blocks_of_first & blocks_of_second - {0}),
        before=near.before,
        after=near.after,
        people=people or {},
    )


def _lines(source: tuple[SourceFile, ...], ranges: list[study.LineRange]) -> list[list[SourceLine]]:
    """Return the lines of each file; those in a range have its number, from 1, in the order of
    matches.
    """
    left = _MOST_LINES
    lines_of_files = []
    begun = {0}
    for at, file in enumerate(source):
        blocks = {
            line: number
            for number, lines in reversed(list(enumerate(ranges, start=1)))
            if lines.file == at
            for line in range(lines.first, min(lines.last, _MOST_LINES) + 1)
        }
        text = visible_lines(file.data.decode("utf-8-sig", "replace"))
        lines = []
        for number, line in enumerate(text.splitlines()[:left], start=1):
            block = blocks.get(number, 0)
            begins = block != blocks.get(number - 1, 0)
            lines.append(SourceLine(line, block, begins, block not in begun))
            begun.add(block)
        left -= len(lines)
        lines_of_files.append(lines)
    return lines_of_files


STYLE = "style.json"
_NAMED = 3  # of each kind, in a cell


def write_style(report: study.StyleReport, folder: Path) -> Path:
    """Keep it beside a run; pages written from then on show it."""
    path = folder / STYLE
    files.write(path, serial.dumps(report) + "\n", private=True)
    return path


def read_style(folder: Path) -> dict[str, study.StyleEvidence]:
    """Return the evidence by the digests of submissions; empty if none was gathered."""
    report = _read(study.StyleReport, folder / STYLE)
    return {each.source_digest: each.evidence for each in report.submissions} if report else {}


def keep_style_of(folder: Path, digests: Collection[str]) -> None:
    """Remove the evidence of everybody else: of a student who is forgotten, nothing is left."""
    if report := _read(study.StyleReport, folder / STYLE):
        left = tuple(each for each in report.submissions if each.source_digest in digests)
        if len(left) < len(report.submissions):
            write_style(study.StyleReport(submissions=left), folder)


def style_in_words(evidence: study.StyleEvidence) -> str:
    """Return the evidence on one line, for a cell of a table."""
    parts = []
    if evidence.findings:
        rules = Counter(each.rule for each in evidence.findings).most_common(_NAMED)
        named = ", ".join(f"{rule} {count}" for rule, count in rules)
        parts.append(f"ruff {evidence.found} ({named})")
    if evidence.longest:
        longest = evidence.longest[0]
        parts.append(f"longest function {longest.name} with {longest.count} lines")
    if evidence.undocumented:
        parts.append(f"no docstring: {_names(evidence.undocumented)}")
    if evidence.numbers:
        parts.append(f"unnamed numbers: {_names(evidence.numbers)}")
    if evidence.repeated:
        again = ", ".join(f"line {block.line}" for block in evidence.repeated[:_NAMED])
        parts.append(f"repeated blocks: {again}")
    if evidence.missing:
        parts.append(f"not looked at: {evidence.missing}")
    return "; ".join(parts)


def _names(places: tuple[study.CodeElement, ...]) -> str:
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return ", ".join(each.name for each in places[:_NAMED]) + more
