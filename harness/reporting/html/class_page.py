"""The class page, and for a large class its further pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup, escape

from harness.common.escaping import visible
from harness.common.files import page_name
from harness.model.plan import Plan
from harness.model.result import RunFacts, RunResult, SubmissionResult, SubmissionStatus
from harness.model.stimulus import Limits
from harness.reporting.export.marks_csv import MARKS_CSV
from harness.reporting.html.environment import render, sorting
from harness.reporting.view import figures, words
from harness.reporting.view.figures import GOOD, ClassCauses, FailingCounter

MOST_ROWS = 150  # what a browser shows and sorts at once without a wait
ROWS_A_PAGE = 100
_MOST_FINDINGS = 40
_MOST_CAUSES = 60
IN_VIEW = 10  # of a list; the others are folded
_MOST_WIDE = 8
_MOST_DOUBTFUL = 10


@dataclass(frozen=True, slots=True)
class MarksRow:
    """A submission's row in the class table; a share is None where nothing was graded."""

    id: str
    status: SubmissionStatus
    flagged: bool
    mark: str
    total: str
    shares: tuple[int | None, ...]

    @property
    def page(self) -> str:
        return page_name(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanRow:
    """The last row of the table: the mean mark, and the class's share of each function's points."""

    mark: str
    shares: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsPage:
    """Rows `first` to `last` (from 1) of the table, on a page of their own; the first is the class
    page itself."""

    name: str
    rows: tuple[MarksRow, ...]
    first: int
    last: int


class Overview:
    """A class in numbers, gathered one submission at a time, in the order of their ids. A row a
    submission is held, no verdict is."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.functions = figures.function_names(plan)
        self.rows: list[MarksRow] = []
        self.marks: list[Fraction] = []
        self.out_of: Fraction | None = None
        self.by_hand = False
        self.means = figures.Means(plan.assignment.functionality_marks)
        self.failing = FailingCounter(plan)
        self.findings = figures.Findings()
        self.causes = ClassCauses()

    @classmethod
    def of(cls, run: RunResult, plan: Plan) -> Overview:
        overview = cls(plan)
        for result in run.submissions:
            overview.add(result)
        return overview

    def add(self, result: SubmissionResult) -> None:
        tallies = figures.tallies(result, self.plan)
        shares = {tally.function: figures.share(tally) for tally in tallies}
        row = MarksRow(
            id=result.id,
            status=result.status,
            flagged=result.flagged,
            mark=words.mark_text(result.mark),
            total=words.mark_text(result.total),
            shares=tuple(shares.get(name) for name in self.functions),
        )
        self.rows.append(row)
        if result.mark is not None:
            self.marks.append(result.mark)
        self.out_of = max(self.out_of or result.out_of, result.out_of)
        self.by_hand = self.by_hand or words.is_by_hand(result)
        self.means.add(tallies)
        self.failing.add(result)
        self.findings.add(result)
        self.causes.add(result)

    def pages(self) -> tuple[RowsPage, ...]:
        """The rows as pages: one up to 150 of them, 100 a page beyond."""
        size = len(self.rows) if len(self.rows) <= MOST_ROWS else ROWS_A_PAGE
        starts = range(0, len(self.rows), size) if size else range(1)
        return tuple(
            RowsPage(
                name=f"marks/{number}.html" if number > 1 else "index.html",
                rows=tuple(self.rows[start : start + size]),
                first=start + 1,
                last=min(start + size, len(self.rows)),
            )
            for number, start in enumerate(starts, start=1)
        )


def class_page(run: RunResult, plan: Plan) -> str:
    """The class page as HTML."""
    return first_page(run.facts, Overview.of(run, plan))


def first_page(facts: RunFacts, overview: Overview) -> str:
    """The class page as HTML. Of a large class its table has the first rows, and the script shows
    the others from a text; without a script they are on `further_pages`."""
    out_of = overview.out_of or overview.plan.assignment.functionality_marks
    spread = figures.distribution(overview.marks, out_of)
    states = Counter(row.status for row in overview.rows)
    found = overview.findings.found()
    causes = overview.causes.found()
    means = overview.means.found()
    pages = overview.pages()
    return render(
        "index.html.j2",
        **sorting(),
        plan=overview.plan,
        facts=facts,
        count=len(overview.rows),
        other_python=words.is_other_python(facts),
        spread=spread,
        tallest=max((bar.count for bar in spread.bars), default=1) if spread else 1,
        out_of=out_of,
        states=[(status, states[status]) for status in SubmissionStatus if states[status]],
        flagged=sum(row.flagged for row in overview.rows),
        functions=overview.functions,
        means=means,
        mean_row=mean_row(overview),
        totals=overview.by_hand,
        rows=pages[0].rows,
        pages=pages[1:],
        packed=_packed(overview) if len(pages) > 1 else "",
        marks_csv=MARKS_CSV,
        most_failed=overview.failing.most(),
        in_view=IN_VIEW,
        causes=causes[:_MOST_CAUSES],
        causes_left_out=max(0, len(causes) - _MOST_CAUSES),
        wide=overview.causes.wide()[:_MOST_WIDE],
        for_a_person=overview.causes.for_a_person(),
        doubtful=overview.failing.doubtful()[:_MOST_DOUBTFUL],
        good=words.percent(GOOD, 1),
        findings=found[:_MOST_FINDINGS],
        findings_left_out=max(0, len(found) - _MOST_FINDINGS),
        limits=limits_text(facts.limits),
        prevented=sum(probe.prevented for probe in facts.probes),
    )


def further_pages(overview: Overview) -> Iterator[tuple[str, str]]:
    """The names and the HTML of the table's pages after the first; none of a small class."""
    pages = overview.pages()
    for page in pages[1:]:
        yield (
            page.name,
            render(
                "marks.html.j2",
                plan=overview.plan,
                functions=overview.functions,
                mean_row=mean_row(overview),
                totals=overview.by_hand,
                rows=page.rows,
                page=page,
                pages=pages,
                count=len(overview.rows),
            ),
        )


def mean_row(overview: Overview) -> MeanRow:
    """What the class has in each column of its table on the average."""
    by_function = {mean.function: mean.share for mean in overview.means.found()}
    marks = overview.marks
    return MeanRow(
        mark=words.mark_text(sum(marks, Fraction(0)) / len(marks) if marks else None),
        shares=tuple(by_function.get(name) for name in overview.functions),
    )


def limits_text(limits: Limits) -> str:
    """Limits in one line."""
    return (
        f"{limits.cpu_seconds:g} s of CPU time, {limits.wall_seconds:g} s in total, "
        f"{limits.memory_mib} MiB of memory, {limits.output_kib} KiB of output"
    )


def _packed(overview: Overview) -> Markup:
    # A line a row and a tab between its cells: no name has either once it is made visible. Three
    # thousand rows as text are one node of the page, as a table they are a hundred thousand.
    return Markup("\n").join(escape(_line(row, overview.by_hand)) for row in overview.rows)


def _line(row: MarksRow, totals: bool) -> str:
    cells = [visible(row.id), row.page, words.STATUS[row.status], "1" if row.flagged else ""]
    cells += [row.mark, *([row.total] if totals else [])]
    cells += ["\u2013" if share is None else str(share) for share in row.shares]
    return "\t".join(cells)
