"""Renders the results of studies as files and pages of a report folder.

Studies measure the strength of scenarios, find differences between programs with full marks,
compare programs for similarity, and collect evidence about style.
"""

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
_MAX_PROGRAMS = 40  # programs in the matrix
R = TypeVar("R")
FOLDER = "similarity"
INDEX = "index.html"
MAX_PAGES = 100  # pages that show a pair side by side
_MAX_ROWS = 500  # pairs listed on the page; `similarity.json` has all
COLOURS = 8  # colors for matching parts, defined in class.css
_MAX_LINES = 3000  # lines shown of a program

Sources = Mapping[str, tuple[SourceFile, ...]]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The similarity of two programs, identified by their indexes in the matrix."""

    first: int
    second: int
    score: int  # in percent
    page: int  # number of the page that shows both; 0 for none


@dataclass(frozen=True, slots=True)
class Matrix:
    """A triangular matrix of similarities, with names on the diagonal and pairs below it."""

    names: tuple[str, ...]
    cells: tuple[MatrixCell, ...]


def write_study(
    folder: Path,
    plan: Plan,
    strength: study.StrengthReport | None,
    similarity: study.SimilarityReport | None = None,
) -> Path | None:
    """Write the study page; return its path.

    It shows scenario strength, and similarity and fuzzing results from `similarity.json` and
    `fuzz.json`; pass `similarity` if it is in memory. If there is nothing to show, remove an older
    page and return None. May raise OSError.
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
    """Return the similarity report of a report folder; None if it has none."""
    return _read(study.SimilarityReport, folder / SIMILARITY)


def remove_studies(folder: Path) -> bool:
    """Delete all results of studies in a folder; return whether there were any."""
    was_there = False
    for path in (*(folder / FOLDER).glob("*.html"), *map(folder.joinpath, _STUDIES)):
        if path.exists():
            path.unlink()
            was_there = True
    return was_there


def study_page(
    plan: Plan,
    strength: study.StrengthReport | None,
    similarity: study.SimilarityReport | None,
    fuzz: study.FuzzReport | None = None,
) -> str:
    """Return the study page as HTML without JavaScript."""
    differing: list[tuple[str, str, str]] = []
    if fuzz is not None:
        for submission in fuzz.submissions:
            ids = ", ".join(submission.ids)
            for difference in submission.differences:
                differing.append((ids, difference.function, difference.message))
    drawn = None
    if similarity is not None and similarity.pairs:
        drawn = matrix(similarity)
    return render(
        "study.html.j2",
        plan=plan,
        strength=strength,
        similarity=similarity,
        fuzz=fuzz,
        differing=differing,
        matrix=drawn,
    )


def matrix(report: study.SimilarityReport) -> Matrix:
    """Return a matrix of the programs in the most similar pairs, ordered so that groups stay
    together.
    """
    chosen = _most_alike(report)
    names: dict[str, None] = {}  # in order
    for group in report.groups:
        names.update((name, None) for name in group if name in chosen)
    names.update(dict.fromkeys(sorted(chosen)))
    place = {name: number for number, name in enumerate(names)}
    cells: list[MatrixCell] = []
    for row in _pair_rows(report):
        if row.names <= chosen:
            first, second = sorted(place[name] for name in row.names)
            cells.append(MatrixCell(first, second, percent(row.pair.score), row.page))
    return Matrix(tuple(names), tuple(cells))


def _most_alike(report: study.SimilarityReport) -> set[str]:
    """Return the programs of the most similar pairs, as many as fit into the matrix."""
    chosen: set[str] = set()
    for pair in report.pairs:
        more = chosen | {pair.first, pair.second}
        if len(more) > _MAX_PROGRAMS:
            break
        chosen = more
    return chosen


@dataclass(frozen=True, slots=True)
class PairRow:
    """A listed pair, with the number of its page (0 for none)."""

    pair: study.SimilarPair
    page: int

    @property
    def names(self) -> set[str]:
        return {self.pair.first, self.pair.second}


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of similar programs, with the similarities of its listed pairs and each program's
    closest match.
    """

    names: tuple[str, ...]
    lowest: float
    highest: float
    nearest: tuple[PairRow, ...]
    identical: tuple[tuple[str, ...], ...] = ()  # programs with the same structure


def _pair_rows(report: study.SimilarityReport) -> list[PairRow]:
    shown = set(report.worth_a_look(MAX_PAGES))
    rows: list[PairRow] = []
    for place, pair in enumerate(report.pairs):
        page = place + 1 if place in shown else 0
        rows.append(PairRow(pair, page))
    return rows


def listing(report: study.SimilarityReport) -> tuple[tuple[GroupRow, ...], tuple[PairRow, ...]]:
    """Return the groups, and the pairs of programs that are not in a group."""
    group_of = study.group_by_name(report.groups)
    of_groups: list[list[PairRow]] = [[] for _ in report.groups]
    outside: list[PairRow] = []
    for row in _pair_rows(report):
        group = group_of.get(row.pair.first)
        if group is not None and group == group_of.get(row.pair.second):
            of_groups[group].append(row)
        else:
            outside.append(row)
    grouped = map(_group_row, report.groups, of_groups)
    return tuple(grouped), tuple(outside)


def _group_row(names: tuple[str, ...], rows: list[PairRow]) -> GroupRow:
    scores = [row.pair.score for row in rows]
    nearest: list[PairRow] = []
    shown: set[str] = set()
    for row in rows:
        if not row.names <= shown:
            nearest.append(row)
            shown |= row.names
    return GroupRow(names, min(scores), max(scores), tuple(nearest), _identical(rows))


def _identical(rows: Sequence[PairRow]) -> tuple[tuple[str, ...], ...]:
    """Return the sets of programs that all have the highest possible similarity to each other."""
    same = [(row.pair.first, row.pair.second) for row in rows if row.pair.score >= 1]
    together: list[tuple[str, ...]] = []
    for places in connected(same):
        names: set[str] = set()
        for place in places:
            names.update(same[place])
        together.append(tuple(sorted(names)))
    return tuple(together)


def _read(kind: type[R], path: Path) -> R | None:
    try:
        return serial.loads(kind, path.read_bytes())
    except (OSError, serial.SerialError):
        return None


@dataclass(frozen=True, slots=True)
class PairLine:
    """One line of a program on a pair's page."""

    text: str
    block: int  # number of the match that contains this line; 0 for none
    begins: bool  # the block, here or again
    is_first: bool  # of the block


def write_similarity(
    report: study.SimilarityReport,
    plan: Plan,
    sources: Sources,
    folder: Path,
    people: Mapping[str, str] | None = None,
) -> Path:
    """Write the page of groups and pairs in `folder`/similarity, and a page for each pair; return
    the first page's path.

    `people` maps submission ids to names (or "") for submissions that have a page in this run. May
    raise OSError.
    """
    place = folder / FOLDER
    for old in place.glob("*.html"):
        old.unlink()
    known = people or {}
    shown = [row for row in _pair_rows(report) if row.page]
    # Pages link to the previous and the next page; 0 for none.
    numbers = [0, *(row.page for row in shown), 0]
    for row, before, after in zip(shown, numbers, numbers[2:], strict=False):
        near = NearPairs(before=before, after=after)
        page = pair_page(row.pair, plan, sources, near, known)
        files.write(place / f"{row.page}.html", page, private=True)
    grouped, outside = listing(report)
    index = render(
        "similarity.html.j2",
        report=report,
        plan=plan,
        groups=grouped,
        outside=outside[:_MAX_ROWS],
        percent=percent,
        people=known,
    )
    files.write(place / INDEX, index, private=True)
    return place / INDEX


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPairs:
    """Numbers of the previous and the next pair's page; 0 for none."""

    before: int = 0
    after: int = 0


def pair_page(
    pair: study.SimilarPair,
    plan: Plan,
    sources: Sources,
    near: NearPairs = NearPairs(),
    people: Mapping[str, str] | None = None,
) -> str:
    """Return two programs side by side as HTML, with common parts marked."""
    first = _lines(sources[pair.first], [match.first for match in pair.matches])
    second = _lines(sources[pair.second], [match.second for match in pair.matches])
    blocks_of_first = _blocks(first)
    blocks_of_second = _blocks(second)
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


def _blocks(lines_of_files: Sequence[Sequence[PairLine]]) -> set[int]:
    """Return the numbers of the matches on these lines; 0 is for lines outside all matches."""
    blocks: set[int] = set()
    for lines in lines_of_files:
        blocks.update(line.block for line in lines)
    return blocks


def _lines(source: tuple[SourceFile, ...], ranges: list[study.LineRange]) -> list[list[PairLine]]:
    """Return the lines of each file.

    Lines in a matching range carry the number of the match, counted from 1.
    """
    lines_left = _MAX_LINES
    lines_of_files: list[list[PairLine]] = []
    begun = {0}
    for at, file in enumerate(source):
        blocks = _block_by_line(at, ranges)
        text = visible_lines(file.data.decode("utf-8-sig", "replace"))
        lines: list[PairLine] = []
        for number, line in enumerate(text.splitlines()[:lines_left], start=1):
            block = blocks.get(number, 0)
            begins = block != blocks.get(number - 1, 0)
            lines.append(PairLine(line, block, begins, block not in begun))
            begun.add(block)
        lines_left -= len(lines)
        lines_of_files.append(lines)
    return lines_of_files


def _block_by_line(file: int, ranges: Sequence[study.LineRange]) -> dict[int, int]:
    """Return, for each line of one file, the number of the first range that contains it."""
    blocks: dict[int, int] = {}
    for number, lines in enumerate(ranges, start=1):
        if lines.file != file:
            continue
        last = min(lines.last, _MAX_LINES)
        for line in range(lines.first, last + 1):
            blocks.setdefault(line, number)
    return blocks


STYLE = "style.json"
_NAMED = 3  # items of each kind in a cell


def write_style(report: study.StyleReport, folder: Path) -> Path:
    """Write the style evidence into a report folder. Pages written later show it."""
    path = folder / STYLE
    files.write(path, serial.dumps(report) + "\n", private=True)
    return path


def read_style(folder: Path) -> dict[str, study.StyleEvidence]:
    """Return the style evidence, keyed by submission digest; empty if there is none."""
    report = _read(study.StyleReport, folder / STYLE)
    if report is None:
        return {}
    return {submission.source_digest: submission.evidence for submission in report.submissions}


def keep_style_of(folder: Path, digests: Collection[str]) -> None:
    """Delete the evidence of all submissions except these.

    This is needed when a student's data is deleted.
    """
    report = _read(study.StyleReport, folder / STYLE)
    if report is None:
        return
    kept = tuple(
        submission for submission in report.submissions if submission.source_digest in digests
    )
    if len(kept) < len(report.submissions):
        write_style(study.StyleReport(submissions=kept), folder)


def style_in_words(evidence: study.StyleEvidence) -> str:
    """Return the evidence on one line, for a table cell."""
    parts: list[str] = []
    if evidence.findings:
        rules = Counter(finding.rule for finding in evidence.findings)
        named = [f"{rule} {count}" for rule, count in rules.most_common(_NAMED)]
        parts.append(f"ruff {evidence.found} ({', '.join(named)})")
    if evidence.longest:
        longest = evidence.longest[0]
        parts.append(f"longest function {longest.name} with {longest.count} lines")
    if evidence.undocumented:
        parts.append(f"no docstring: {_names(evidence.undocumented)}")
    if evidence.numbers:
        parts.append(f"unnamed numbers: {_names(evidence.numbers)}")
    if evidence.repeated:
        lines = [f"line {block.line}" for block in evidence.repeated[:_NAMED]]
        parts.append(f"repeated blocks: {', '.join(lines)}")
    if evidence.missing:
        parts.append(f"not examined: {evidence.missing}")
    return "; ".join(parts)


def _names(places: tuple[study.CodeElement, ...]) -> str:
    names = ", ".join(place.name for place in places[:_NAMED])
    more = len(places) - _NAMED
    if more > 0:
        names += f" and {more} more"
    return names
