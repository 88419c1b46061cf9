"""Renders the class page and, for large classes, more pages with the rest of its table."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from markupsafe import Markup, escape

from harness.common.escaping import visible
from harness.common.files import page_name
from harness.model.plan import Plan
from harness.model.result import RunFacts, SubmissionResult, SubmissionStatus
from harness.model.study import SimilarityReport
from harness.reporting.export.marks_csv import MARKS_CSV
from harness.reporting.html.environment import render, script
from harness.reporting.html.submission_pages import desk_command
from harness.reporting.view import figures, words
from harness.reporting.view.figures import GOOD, MIN_GOOD, ClassCauses, FailingCounter
from harness.reporting.view.marks import CountingMark, counting_mark, unmarked
from harness.reporting.view.noticed import FaultMatrix, faults_of
from harness.results.student_view import FunctionTally, by_function

MAX_ROWS = 150  # browsers display and sort this many rows without delay
ROWS_A_PAGE = 100
_MAX_FINDINGS = 40
_MAX_CAUSES = 60
IN_VIEW = 10  # entries shown in a list; the others are collapsed
_MAX_DOUBTFUL = 10

# A mistake: the function (may be "") and the explanation rule.
_Mistake = tuple[str, str]


@dataclass(frozen=True, slots=True)
class MarksRow:
    """A submission's row in the class table. A function's share is None if nothing was graded."""

    id: str
    name: str  # the student's name; empty if unknown
    status: SubmissionStatus
    flagged: bool
    mark: CountingMark
    functionality: str
    late: str  # how late, or the student's own due time; empty if neither
    shares: tuple[int | None, ...]
    causes: tuple[_Mistake, ...] = ()
    tags: tuple[str, ...] = ()  # the filters that match this row

    @property
    def state(self) -> str:
        return words.STATUS[self.status]


# The table's filters, and their names on the page.
FILTERS = {
    "attention": "needs attention",
    "flagged": "flagged",
    "late": "late",
    "extended": "has an extension",
    "unmarked": "not fully marked",
}


def _tags(result: SubmissionResult) -> Iterator[str]:
    """Yield the table filters that match a submission, in the order of `FILTERS`."""
    if next(figures.reasons(result), None) is not None:
        yield "attention"
    if result.flagged:
        yield "flagged"
    if words.is_late(result):
        yield "late"
    if result.extended_to:
        yield "extended"
    if result.mark is not None and unmarked(result):
        yield "unmarked"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsPage:
    """The table rows on one page. The first page is the class page itself."""

    name: str
    rows: tuple[MarksRow, ...]
    first: int  # number of the first row, counted from 1
    last: int


class Overview:
    """Statistics of a class, counted one submission at a time in the order of ids.

    It keeps table rows but no verdicts, to save memory.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.functions = figures.function_names(plan)
        self.rows: list[MarksRow] = []
        self._marks: list[Fraction] = []  # final marks
        self._functionality: list[Fraction] = []
        self._final = 0  # final marks with no missing part
        self._out_of = Fraction(0)
        self._functionality_of = Fraction(0)
        self.has_totals = False  # some final mark differs from the functionality mark
        self.pending = 0  # submissions without causes yet
        self.means = figures.Means(plan.assignment.functionality_marks)
        self.failing = FailingCounter(plan)
        self.causes = ClassCauses()
        self.faults = FaultMatrix(faults_of(plan))

    def add(self, result: SubmissionResult) -> None:
        tallies = figures.tallies(result, self.plan)
        row = self._row(result, tallies)
        has_total = words.has_total(result)
        if not tallies and result.mark is not None:
            # The submission was not run but has a mark, so it earned nothing for each function.
            tallies = by_function(self.plan, result)
        self.means.add(tallies)
        self.failing.add(result)
        self.causes.add(result)
        self.faults.add(result)
        # Add the row last: if anything above fails, the submission must not be counted.
        self.rows.append(row)
        if result.pending is not None:
            self.pending += 1
        if row.mark.value is not None:
            self._marks.append(row.mark.value)
            self._final += row.mark.is_final
        if result.mark is not None:
            self._functionality.append(result.mark)
        self._out_of = max(self._out_of, result.total_out_of)
        self._functionality_of = max(self._functionality_of, result.out_of)
        self.has_totals = self.has_totals or has_total

    def _row(self, result: SubmissionResult, tallies: Sequence[FunctionTally]) -> MarksRow:
        name = ""
        if result.student is not None:
            name = result.student.name
        shares = {tally.function: figures.share(tally) for tally in tallies}
        mistakes = dict.fromkeys((cause.function, cause.rule) for cause in result.causes)
        return MarksRow(
            id=result.id,
            name=name,
            status=result.status,
            flagged=result.flagged,
            mark=counting_mark(result),
            functionality=words.mark_text(result.mark),
            late=words.late_in_short(result),
            shares=tuple(map(shares.get, self.functions)),
            causes=tuple(mistakes),
            tags=tuple(_tags(result)),
        )

    @property
    def marks(self) -> Sequence[Fraction]:
        """Return the marks used for the statistics at the top of the page, as exact fractions."""
        if self.has_totals:
            return self._marks
        return self._functionality

    @property
    def out_of(self) -> Fraction:
        """Return the maximum of these marks."""
        maximum = self._functionality_of
        if self.has_totals:
            maximum = self._out_of
        return maximum or self.plan.assignment.functionality_marks

    @property
    def mark_name(self) -> str:
        """Return the heading of the mark column: "functionality" unless there are other parts or
        penalties.
        """
        if self.has_totals:
            return "Mark" if self._final else "Mark so far"
        return "Functionality" if self.plan.assignment.manual else "Mark"

    def mark_text(self, row: MarksRow) -> str:
        """Return the final mark for a row, with "so far" unless the column heading says so
        already.
        """
        if not self.has_totals:
            return row.functionality
        if self._final:
            return row.mark.text
        return words.mark_text(row.mark.value)

    @property
    def functionality_mean(self) -> Fraction | None:
        return figures.mean_mark(self._functionality)

    @property
    def has_names(self) -> bool:
        return any(row.name for row in self.rows)

    @property
    def has_late(self) -> bool:
        return any(row.late for row in self.rows)

    def pages(self) -> tuple[RowsPage, ...]:
        """Return the rows split into pages: one page for up to 150 rows, otherwise 100 rows on
        each.
        """
        count = len(self.rows)
        if count <= MAX_ROWS:
            return (self._page("index.html", 0, count),)
        pages: list[RowsPage] = []
        for start in range(0, count, ROWS_A_PAGE):
            name = "index.html"
            if pages:
                name = f"marks/{len(pages) + 1}.html"
            pages.append(self._page(name, start, start + ROWS_A_PAGE))
        return tuple(pages)

    def _page(self, name: str, start: int, stop: int) -> RowsPage:
        rows = tuple(self.rows[start:stop])
        return RowsPage(name=name, rows=rows, first=start + 1, last=start + len(rows))


def first_page(
    facts: RunFacts,
    overview: Overview,
    similarity: SimilarityReport | None = None,
    *,
    has_studies: bool = False,
) -> str:
    """Return the class page as HTML.

    For a large class, the table shows the first rows, and the script adds the others from an
    embedded text. Without JavaScript, they are on `further_pages`.
    """
    first, *others = overview.pages()
    packed = Markup("")
    if others:
        packed = _packed(overview)
    names = {row.id: row.name for row in overview.rows}
    return render(
        "index.html.j2",
        **script("tools.js", "page.js", "sort.js"),
        **_table(overview, first),
        **_about_run(facts),
        **_in_numbers(overview),
        **_mistakes(overview),
        **_failing(overview.failing),
        **_faults(overview.faults),
        pages=others,
        packed=packed,
        names=names,
        similarity=similarity,
        has_studies=has_studies,
        same_files=overview.causes.same_files(),
        filters=FILTERS,
        in_view=IN_VIEW,
        desk_command=desk_command(overview.plan),
        marks_csv=MARKS_CSV,
    )


def _about_run(facts: RunFacts) -> dict[str, object]:
    """Return the template data about the run: versions, limits and security probes."""
    prevented = [probe for probe in facts.probes if probe.prevented]
    return {
        "facts": facts,
        "other_python": words.is_other_python(facts.python, facts.python_wanted),
        "limits": _limits(facts),
        "prevented": len(prevented),
    }


def _limits(facts: RunFacts) -> str:
    """Return the limits on one line, with the factor by which CPU time limits were raised for a
    slow machine.
    """
    text = ", ".join(facts.limits.in_words())
    if facts.slowness == 1:
        return text
    return f"{text}; CPU time times {facts.slowness:g}, as measured on this machine"


def _in_numbers(overview: Overview) -> dict[str, object]:
    """Return the template data for the statistics: marks, states, filters, and submissions that
    need attention.
    """
    states: Counter[SubmissionStatus] = Counter()
    tagged: Counter[str] = Counter()
    flagged = 0
    for row in overview.rows:
        states[row.status] += 1
        tagged.update(row.tags)
        # Count flagged submissions only here if no other state counts them.
        if row.flagged and row.status is SubmissionStatus.GRADED:
            flagged += 1
    by_kind = groupby(overview.causes.for_a_person(), lambda tally: tally.kind)
    return {
        "pending": overview.pending,
        "spread": figures.distribution(overview.marks, overview.out_of),
        "states": [(status, states[status]) for status in SubmissionStatus if states[status]],
        "flagged": flagged,
        "tagged": tagged,
        "reasons": [list(alike) for _, alike in by_kind],
    }


def _mistakes(overview: Overview) -> dict[str, object]:
    """Return the template data about the most frequent causes and code issues."""
    causes = overview.causes.causes()
    findings = overview.causes.findings()
    places = overview.causes.places()
    return {
        "causes": causes[:_MAX_CAUSES],
        "causes_left_out": max(0, len(causes) - _MAX_CAUSES),
        "findings": findings[:_MAX_FINDINGS],
        "findings_left_out": max(0, len(findings) - _MAX_FINDINGS),
        "together": _made_together(overview.rows, causes, places),
    }


def _failing(failing: FailingCounter) -> dict[str, object]:
    """Return the template data about the scenarios that fail most often, and those that may be
    wrong.
    """
    return {
        "most_failed": failing.most(),
        "doubtful": failing.doubtful()[:_MAX_DOUBTFUL],
        "good": words.percent(GOOD, 1),
        "counted_good": failing.good,
        "min_good": MIN_GOOD,
    }


def _faults(faults: FaultMatrix) -> dict[str, object]:
    """Return the template data about the faults that students' tests should notice."""
    students = faults.by_student(MAX_ROWS)
    return {
        "faults": faults.by_fault() if students else (),
        "testers": students,
        "testers_left_out": faults.count - len(students),
    }


def further_pages(overview: Overview) -> Iterator[tuple[str, str]]:
    """Yield (file name, HTML) for each table page after the first."""
    pages = overview.pages()
    for page in pages[1:]:
        yield page.name, render("marks.html.j2", **_table(overview, page), page=page, pages=pages)


def _table(overview: Overview, page: RowsPage) -> dict[str, object]:
    """Return the template data for the table of marks. The last row has the class's averages."""
    means = overview.means.means()
    return {
        "plan": overview.plan,
        "count": len(overview.rows),
        "functions": overview.functions,
        "totals": overview.has_totals,
        "named": overview.has_names,
        "late": overview.has_late,
        "mark_name": overview.mark_name,
        "mark_of": overview.mark_text,
        "out_of": overview.out_of,
        "rows": page.rows,
        "places": overview.causes.places(),
        "causes_of": causes_of,
        "worths": figures.worths(overview.plan),
        "means": means,
        "mean_shares": {mean.function: mean.share for mean in means},
        "mean_mark": words.mark_text(figures.mean_mark(overview.marks)),
        "mean_functionality": words.mark_text(overview.functionality_mean),
        "marked": len(overview.marks),
    }


def _packed(overview: Overview) -> Markup:
    # One line for each row, with tabs between cells (escaped names contain neither). Three
    # thousand rows as text are one node of the page, as a table they are a hundred thousand.
    places = overview.causes.places()
    lines: list[str] = []
    for row in overview.rows:
        cells = [page_name(row.id), causes_of(row, places), " ".join(row.tags), visible(row.id)]
        if overview.has_names:
            cells.append(visible(row.name))
        cells.append(overview.mark_text(row))
        if overview.has_totals:
            cells.append(row.functionality)
        cells.append(row.state)
        if overview.has_late:
            cells.append(visible(row.late))
        for share in row.shares:
            cells.append("\u2013" if share is None else str(share))
        lines.append("\t".join(cells))
    return escape("\n".join(lines))


def causes_of(row: MarksRow, places: Mapping[_Mistake, int]) -> str:
    """Return the row's causes as numbers in the class's list of causes."""
    numbers = {places[mistake] for mistake in row.causes if mistake in places}
    return " ".join(map(str, sorted(numbers)))


_MAX_TOGETHER = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeTogether:
    """A mistake, with the number of students who made it together with each other mistake."""

    number: int  # index in the list of causes
    cause: figures.Tally
    counts: tuple[int, ...]


def _made_together(
    rows: Sequence[MarksRow], causes: Sequence[figures.Tally], places: Mapping[_Mistake, int]
) -> list[MadeTogether]:
    """Return a matrix that counts, for the most expensive mistakes, the students who made both.

    It is empty if hardly any student made two of them.
    """
    frequent = [number for number, cause in enumerate(causes) if cause.count > 1]
    frequent = frequent[:_MAX_TOGETHER]
    made_by: dict[int, set[int]] = {number: set() for number in frequent}  # row indexes
    for at, row in enumerate(rows):
        for mistake in row.causes:
            number = places.get(mistake)
            if number is not None and number in made_by:
                made_by[number].add(at)
    matrix: list[MadeTogether] = []
    made_two = 0
    for number in frequent:
        counts = tuple(len(made_by[number] & made_by[other]) for other in frequent)
        matrix.append(MadeTogether(number=number, cause=causes[number], counts=counts))
        made_two += sum(counts) - len(made_by[number])
    if made_two <= 2:
        return []
    return matrix
