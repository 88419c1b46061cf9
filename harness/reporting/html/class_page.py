"""The class page, for a large class its further pages, and the pages over a term."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from urllib.parse import quote_from_bytes

from markupsafe import Markup, escape

from harness.common.escaping import visible
from harness.common.files import page_name
from harness.common.words import listed, rounded
from harness.model.plan import Plan
from harness.model.result import RunFacts, SubmissionResult, SubmissionStatus
from harness.model.study import SimilarityReport
from harness.reporting.export.marks_csv import MARKS_CSV
from harness.reporting.html.environment import render, script
from harness.reporting.html.submission_pages import desk_command
from harness.reporting.view import figures, words
from harness.reporting.view.figures import FEWEST_GOOD, GOOD, ClassCauses, FailingCounter
from harness.reporting.view.marks import CountingMark, counting_mark
from harness.results.course import Course, CourseRun, CourseStudent, is_missing
from harness.results.student_view import by_function

MOST_ROWS = 150  # what a browser shows and sorts at once without a wait
ROWS_A_PAGE = 100
_MOST_FINDINGS = 40
_MOST_CAUSES = 60
IN_VIEW = 10  # of a list; the others are folded
_MOST_DOUBTFUL = 10


@dataclass(frozen=True, slots=True)
class MarksRow:
    """A submission's row in the class table; a share is None if nothing was graded."""

    id: str
    name: str  # the student's; empty if it is not known
    status: SubmissionStatus
    flagged: bool
    mark: CountingMark
    functionality: str
    late: str  # how late, or the student's own due time; empty if neither
    shares: tuple[int | None, ...]
    causes: tuple[tuple[str, str], ...] = ()  # functions and rules
    tags: tuple[str, ...] = ()  # the filters that it fits

    @property
    def state(self) -> str:
        return words.STATUS[self.status]


# What the table can be filtered by, and how the page names it.
FILTERS = {
    "attention": "needs attention",
    "flagged": "flagged",
    "late": "late",
    "extended": "has an extension",
    "unmarked": "not fully marked",
}


def _tags(result: SubmissionResult) -> tuple[str, ...]:
    """Return the filters that a submission fits."""
    fits = {
        "attention": any(True for _ in figures.reasons(result)),
        "flagged": result.flagged,
        "late": result.late is not None or result.status is SubmissionStatus.LATE,
        "extended": bool(result.extended_to),
        "unmarked": any(part.mark is None for part in result.manual) and result.mark is not None,
    }
    return tuple(name for name in FILTERS if fits[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsPage:
    """Rows of the table on a page of their own; the first is the class page itself."""

    name: str
    rows: tuple[MarksRow, ...]
    first: int  # the number of the first row, from 1
    last: int


class Overview:
    """A class in numbers, counted by submission in the order of ids; rows are held, no verdicts."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.functions = figures.function_names(plan)
        self.rows: list[MarksRow] = []
        self._marks: list[Fraction] = []  # those that count
        self._functionality: list[Fraction] = []
        self._final = 0  # marks that lack nothing
        self._out_of = self._functionality_of = Fraction(0)
        self.has_totals = False  # somebody's mark that counts is not the functionality mark
        self.pending = 0  # submissions whose causes are still looked for
        self.means = figures.Means(plan.assignment.functionality_marks)
        self.failing = FailingCounter(plan)
        self.causes = ClassCauses()

    def add(self, result: SubmissionResult) -> None:
        tallies = figures.tallies(result, self.plan)
        shares = {tally.function: figures.share(tally) for tally in tallies}
        counting = counting_mark(result)
        row = MarksRow(
            id=result.id,
            name=result.student.name if result.student else "",
            status=result.status,
            flagged=result.flagged,
            mark=counting,
            functionality=words.mark_text(result.mark),
            late=words.late_in_short(result),
            shares=tuple(shares.get(name) for name in self.functions),
            causes=tuple(dict.fromkeys((each.function, each.rule) for each in result.causes)),
            tags=_tags(result),
        )
        has_total = words.has_total(result)
        has_mark = result.mark is not None
        self.means.add(tallies if tallies or not has_mark else by_function(self.plan, result))
        self.failing.add(result)
        self.causes.add(result)
        # Last, when nothing can fail any more: a row that is not complete is not counted.
        self.rows.append(row)
        self.pending += result.pending is not None
        if counting.value is not None:
            self._marks.append(counting.value)
            self._final += counting.is_final
        if result.mark is not None:
            self._functionality.append(result.mark)
        self._out_of = max(self._out_of, result.total_out_of)
        self._functionality_of = max(self._functionality_of, result.out_of)
        self.has_totals = self.has_totals or has_total

    @property
    def marks(self) -> Sequence[Fraction]:
        """The marks that the page shows first, exact."""
        return self._marks if self.has_totals else self._functionality

    @property
    def out_of(self) -> Fraction:
        """What these marks are out of."""
        most = self._out_of if self.has_totals else self._functionality_of
        return most or self.plan.assignment.functionality_marks

    @property
    def mark_name(self) -> str:
        """What these marks are called: only functionality until there is anything else."""
        if not self.has_totals:
            return "Functionality" if self.plan.assignment.manual else "Mark"
        return "Mark" if self._final else "Mark so far"

    def mark_text(self, row: MarksRow) -> str:
        """A row's mark that counts; `so far` if the heading does not say that of all."""
        if not self.has_totals:
            return row.functionality
        is_said = not self._final
        return words.mark_text(row.mark.value) if is_said else row.mark.text

    @property
    def functionality_mean(self) -> Fraction | None:
        marks = self._functionality
        return sum(marks, Fraction(0)) / len(marks) if marks else None

    @property
    def has_names(self) -> bool:
        return any(row.name for row in self.rows)

    @property
    def has_late(self) -> bool:
        return any(row.late for row in self.rows)

    def pages(self) -> tuple[RowsPage, ...]:
        """Return the rows as pages: one up to 150 rows, 100 rows a page beyond."""
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


def first_page(
    facts: RunFacts,
    overview: Overview,
    similarity: SimilarityReport | None = None,
    *,
    has_studies: bool = False,
) -> str:
    """Return the class page as HTML.

    The table of a large class has the first rows, and the script shows the others from a text;
    without a script they are on `further_pages`.
    """
    out_of = overview.out_of
    spread = figures.distribution(overview.marks, out_of)
    states = Counter(row.status for row in overview.rows)
    findings, causes = overview.causes.findings(), overview.causes.causes()
    by_reason = groupby(overview.causes.for_a_person(), lambda tally: tally.kind)
    limits, pages = facts.limits, overview.pages()
    return render(
        "index.html.j2",
        **script("page.js", "sort.js"),
        **_table(overview, pages[0]),
        facts=facts,
        pending=overview.pending,
        other_python=words.is_other_python(facts.python, facts.python_wanted),
        spread=spread,
        tallest=max((bar.count for bar in spread.bars), default=1) if spread else 1,
        states=[(status, states[status]) for status in SubmissionStatus if states[status]],
        # Those that another number counts already are not counted here.
        flagged=sum(row.flagged and row.status is SubmissionStatus.GRADED for row in overview.rows),
        tagged=Counter(tag for row in overview.rows for tag in row.tags),
        filters=FILTERS,
        desk_command=desk_command(overview.plan),
        together=_made_together(overview.rows, causes, overview.causes.places()),
        similarity=similarity,
        has_studies=has_studies,
        ids=frozenset(row.id for row in overview.rows),
        names={row.id: row.name for row in overview.rows},
        same_files=overview.causes.same_files(),
        pages=pages[1:],
        packed=_packed(overview) if len(pages) > 1 else "",
        marks_csv=MARKS_CSV,
        most_failed=overview.failing.most(),
        in_view=IN_VIEW,
        causes=causes[:_MOST_CAUSES],
        causes_left_out=max(0, len(causes) - _MOST_CAUSES),
        reasons=[list(alike) for _, alike in by_reason],
        doubtful=overview.failing.doubtful()[:_MOST_DOUBTFUL],
        good=words.percent(GOOD, 1),
        counted_good=overview.failing.good,
        fewest_good=FEWEST_GOOD,
        findings=findings[:_MOST_FINDINGS],
        findings_left_out=max(0, len(findings) - _MOST_FINDINGS),
        limits=f"{limits.cpu_seconds:g} s of CPU time, {limits.wall_seconds:g} s in total, "
        f"{limits.memory_mib} MiB of memory, {limits.output_kib} KiB of output{_calibrated(facts)}",
        prevented=sum(probe.prevented for probe in facts.probes),
    )


def _calibrated(facts: RunFacts) -> str:
    """Return how limits on CPU time were stretched for this machine; an empty text if they were
    not.
    """
    if facts.slowness == 1:
        return ""
    return f"; CPU time times {facts.slowness:g}, as measured on this machine"


def further_pages(overview: Overview) -> Iterator[tuple[str, str]]:
    """Return the names and the HTML of the table's pages after the first; none for a small
    class.
    """
    pages = overview.pages()
    for page in pages[1:]:
        yield page.name, render("marks.html.j2", **_table(overview, page), page=page, pages=pages)


def _table(overview: Overview, page: RowsPage) -> dict[str, object]:
    """Return the data of the table of marks; its last row is the class's average."""
    means, marks = overview.means.means(), overview.marks
    functionality = overview.functionality_mean
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
        "mean_mark": words.mark_text(sum(marks, Fraction(0)) / len(marks) if marks else None),
        "mean_functionality": words.mark_text(functionality),
        "marked": len(marks),
    }


def _packed(overview: Overview) -> Markup:
    # A line a row and a tab between its cells: no name has either once it is made visible. Three
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


def causes_of(row: MarksRow, places: Mapping[tuple[str, str], int]) -> str:
    """Return the numbers of a row's causes among those of the class."""
    return " ".join(str(at) for at in sorted({places[key] for key in row.causes if key in places}))


_MOST_TOGETHER = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeTogether:
    """A mistake, and how many students made it together with each of the others."""

    number: int  # its place among the causes, from 0
    cause: figures.Tally
    counts: tuple[int, ...]


def _made_together(
    rows: Sequence[MarksRow],
    causes: Sequence[figures.Tally],
    places: Mapping[tuple[str, str], int],
) -> list[MadeTogether]:
    """Return the mistakes that cost most, as a matrix of how many students made both; empty if
    hardly anybody made two."""
    numbers = [at for at, cause in enumerate(causes) if cause.count > 1][:_MOST_TOGETHER]
    made: dict[int, set[int]] = {number: set() for number in numbers}
    for at, row in enumerate(rows):
        for key in row.causes:
            if places.get(key) in made:
                made[places[key]].add(at)
    matrix: list[MadeTogether] = []
    for number in numbers:
        counts = tuple(len(made[number] & made[other]) for other in numbers)
        matrix.append(MadeTogether(number=number, cause=causes[number], counts=counts))
    both = sum(sum(row.counts) - row.counts[at] for at, row in enumerate(matrix))
    return matrix if both > 2 else []


COURSE = "course.html"
STUDENTS = "students"  # the folder of students' pages


def course_page(course: Course, unread: Sequence[str] = ()) -> str:
    """Return the page of all students, for the folder above the runs; `unread`: lines about other
    runs.
    """
    missing = [
        (run, [each for each in course.students if is_missing(each.results[at])])
        for at, run in enumerate(course.runs)
    ]
    helpers = {
        "mark": _mark,
        "page": _page,
        "together": _sum_of_marks,
        **script("page.js", "sort.js"),
    }
    absent = [(run, students) for run, students in missing if students]
    return render("course.html.j2", course=course, unread=unread, missing=absent, **helpers)


def student_page(
    name: str, runs: Sequence[CourseRun], student: CourseStudent, slip_days: int
) -> str:
    """Return the page of one student as HTML.

    It is made only of this student's part of the runs and their assignments' titles. `slip_days` is
    their number in the course.
    """
    results = zip(runs, student.results, strict=True)
    rows = [(run.assignment.title, run.facts.complete, result) for run, result in results]
    marks = {"rows": rows, "mark": _mark, "together": _sum_of_marks(student)}
    marks |= {"name": name, "student": student, "slip_days": slip_days}
    return render("course_student.html.j2", **marks)


def _page(run: CourseRun, result: SubmissionResult) -> str:
    return f"./{quote_from_bytes(os.fsencode(run.path))}/submissions/{page_name(result.id)}"


def _mark(result: SubmissionResult | None) -> str:
    """Return a total, or the reason why there is none."""
    if result is None or is_missing(result):
        return "not handed in"
    if result.total is not None:
        return rounded(result.total)
    if result.excused:
        return "excused"
    waits = [part.slot.title for part in result.manual if part.mark is None]
    if not waits or result.mark is None:
        return words.STATUS[result.status]
    return f"{counting_mark(result).text}, not marked yet: {listed(waits)}"


def _sum_of_marks(student: CourseStudent) -> tuple[str, str]:
    """Return the sum of the existing marks, `13.50 of 20`, also in percent; an empty text if there
    are none.
    """
    got = sum((each.total or Fraction(0) for each in student.marked), Fraction(0))
    of = sum((each.total_out_of for each in student.marked), Fraction(0))
    return (f"{rounded(got)} of {words.number(of)}", rounded(100 * got / of)) if of else ("", "")
