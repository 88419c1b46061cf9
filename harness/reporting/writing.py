"""Writes reports to disk, with a manifest of the pages in each report folder."""

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import metadata
from pathlib import Path, PurePosixPath

from harness.common import files, serial
from harness.common.errors import HarnessError
from harness.common.escaping import encoded
from harness.common.files import source_digest
from harness.model.plan import Plan
from harness.model.result import RunFacts, RunResult, SubmissionResult
from harness.reporting.export.marks_csv import MARKS_CSV, csv_header, csv_row
from harness.reporting.holding import OF_EVERYBODY, hold_back, made_for_all
from harness.reporting.html import submission_pages
from harness.reporting.html.class_page import Overview, first_page, further_pages
from harness.reporting.html.study_pages import STUDY, keep_style_of, read_similarity, read_style
from harness.results.results_json import ResultsText
from harness.results.student_view import student_view

_PAGE_SOURCES = ("common", "judging", "model", "policy", "reporting", "results", "stimuli")
INDEX = "index.html"
RESULTS = "results.json"

_TOP = '<main id="content">\n'
_UNFINISHED = (
    '<div class="box bad"><p><b>This report is not complete, so its marks are not final.</b> It '
    "is being written; if no grading is running, run the same command again.</p></div>\n"
)


def write_reports(
    run: RunResult,
    plan: Plan,
    folder: Path,
    *,
    after_each: Callable[[int], None] = lambda done: None,
) -> Path:
    """Write `results.json`, `marks.csv` and all pages of a run into `folder`; return the path of
    `index.html`.

    Results are read one at a time to save memory, and pages that would not change are not
    rewritten. `after_each` is called with the number of submissions written so far. A submission
    that cannot be displayed is held for review (`harness.reporting.holding`). Files are replaced
    atomically, and the class page says that the report is incomplete until all files are written.
    Raise OSError if the folder cannot be written.
    """
    mark_unfinished(folder)
    writer = _ReportWriter(folder, plan)
    text = ResultsText(run.facts, plan)
    with (
        files.open_atomic(folder / RESULTS) as results,
        files.open_atomic(folder / MARKS_CSV) as marks,
    ):
        results.write(encoded(text.begin()))
        marks.write(encoded(csv_header(plan)))
        for done, (before, result, after) in enumerate(_in_class(run.submissions), start=1):
            in_results, in_marks = writer.rows(result, before, after, text)
            results.write(in_results)
            marks.write(in_marks)
            after_each(done)
        results.write(encoded(text.end()))
    try:
        return writer.index(run.facts)
    except OF_EVERYBODY:
        raise
    except Exception:  # find the submission that causes the error
        _, kept_back = made_for_all(partial(_class_page, plan), run, "its row of the class page")
    if not kept_back:
        raise HarnessError("the class page cannot be made")
    instead = {result.id: result for result in kept_back}
    shown = tuple(instead.get(result.id, result) for result in run.submissions)
    return write_reports(replace(run, submissions=shown), plan, folder, after_each=after_each)


def _class_page(plan: Plan, run: RunResult) -> str:
    overview = Overview(plan)
    for result in run.submissions:
        overview.add(result)
    text = first_page(run.facts, overview)
    for _, page in further_pages(overview):
        text += page
    return text


def mark_unfinished(folder: Path) -> None:
    """Add a note to the class page of an existing report that it is incomplete.

    `write_reports` removes it at the end, so that pages of two runs never look like one report. May
    raise OSError.
    """
    path = folder / INDEX
    with suppress(FileNotFoundError):
        page = path.read_text(encoding="utf-8", errors="replace")
        if _UNFINISHED not in page:
            files.write(path, page.replace(_TOP, _TOP + _UNFINISHED, 1))


PageWriter = Callable[[SubmissionResult], SubmissionResult]


def page_writer(folder: Path, ids: Sequence[str], plan: Plan) -> PageWriter:
    """Return a function, used by worker processes, that writes a submission's two pages into
    `folder`. `ids` lists the class in order.

    The function returns the result, or an error entry if the submission cannot be displayed.
    `write_reports` leaves these pages as they are. May raise OSError.
    """
    writer = _ReportWriter(folder, plan)
    outer = ("", *ids, "")
    near = {name: (outer[at], outer[at + 2]) for at, name in enumerate(ids)}
    return lambda result: writer.submission(result, *near[result.id])


# A submission's text in `results.json` and its line in `marks.csv`.
_Rows = tuple[bytes, bytes]


class _ReportWriter:
    def __init__(self, folder: Path, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self._manifest = Manifest(folder)
        self._style = read_style(folder)
        self._digests: set[str] = set()
        self._overview = Overview(plan)
        # Besides its result, every page depends on our source code and the template engine.
        made_with: list[str] = []
        for name in ("jinja2", "markupsafe"):
            made_with.append(f"{name} {metadata.version(name)}")
        made_with.append(source_digest(*_PAGE_SOURCES, suffixes=(".py", ".j2", ".css", ".js")))
        made_with.append(serial.dumps(plan))
        self._made_with = sha256(encoded("\0".join(made_with)))

    def rows(self, result: SubmissionResult, before: str, after: str, text: ResultsText) -> _Rows:
        """Write a submission's pages, count it in the statistics, and return its texts for the two
        files.
        """
        shown = self.submission(result, before, after)
        try:
            rows = self._counted(shown, text)
        except OF_EVERYBODY:
            raise
        except Exception as error:
            instead = hold_back(result, "its row", error)
            return self._counted(self.submission(instead, before, after), text)
        return rows

    def _counted(self, result: SubmissionResult, text: ResultsText) -> _Rows:
        rows = encoded(text.submission(result)), encoded(csv_row(result, self._plan))
        self._overview.add(result)
        return rows

    def submission(self, result: SubmissionResult, before: str, after: str) -> SubmissionResult:
        """Write a submission's two pages unless they are up to date. `before` and `after` are the
        neighbors' ids (may be "").

        Return the result, or an error entry if a page cannot be made.
        """
        try:
            self._write_pages(result, before, after)
        except OF_EVERYBODY:
            raise
        except Exception as error:
            lecturers, students = _page_paths(result.id)
            instead = hold_back(result, f"its page ({lecturers} or {students})", error)
            self._write_pages(instead, before, after)
            return instead
        return result

    def _write_pages(self, result: SubmissionResult, before: str, after: str) -> None:
        digest = self._made_with.copy()
        digest.update(encoded(serial.dumps(result)))
        made_from = digest.hexdigest()
        lecturers, students = _page_paths(result.id)
        if not self._manifest.is_current(students, made_from):
            page = submission_pages.feedback_page(student_view(result, self._plan))
            self._manifest.write(students, page, made_from)
        digest.update(encoded(f"\0{before}\0{after}"))
        self._digests.add(result.source_digest)
        style = self._style.get(result.source_digest)
        if style is not None:
            digest.update(encoded(serial.dumps(style)))
        made_from = digest.hexdigest()
        if not self._manifest.is_current(lecturers, made_from):
            page = submission_pages.submission_page(result, self._plan, before, after, style=style)
            self._manifest.write(lecturers, page, made_from)

    def index(self, facts: RunFacts) -> Path:
        """Write the other table pages and then the class page, and delete obsolete pages.

        Return the class page's path.
        """
        keep_style_of(self._folder, self._digests)
        pages: set[str] = set()
        for name, page in further_pages(self._overview):
            self._manifest.write(name, page)
            pages.add(name)
        if facts.complete:
            for row in self._overview.rows:
                pages.update(_page_paths(row.id))
            self._manifest.keep_only(pages)
        index = self._folder / INDEX
        similarity = read_similarity(self._folder)
        has_studies = (self._folder / STUDY).is_file()
        page = first_page(facts, self._overview, similarity, has_studies=has_studies)
        files.write(index, page)
        return index


def _in_class(results: Iterable[SubmissionResult]) -> Iterator[tuple[str, SubmissionResult, str]]:
    """Yield each result with the ids before and after it.

    Only two results are in memory at once.
    """
    before = ""
    for current, following in itertools.pairwise(itertools.chain(results, [None])):
        if current is None:
            return
        after = ""
        if following is not None:
            after = following.id
        yield before, current, after
        before = current.id


def _page_paths(submission_id: str) -> tuple[str, str]:
    name = files.page_name(submission_id)
    return f"submissions/{name}", f"feedback/{name}"


MANIFEST = "pages.txt"
_TEMPORARY = re.compile(r"\..+\.([0-9]{1,9})\.tmp")
_PAGE = re.compile(r"(?:submissions|feedback|marks)/[A-Za-z0-9][A-Za-z0-9._-]*\.html")


class Manifest:
    """A list of the pages in a report folder, with digests.

    A page is listed before it is written, so that a later run can delete it. Afterwards its digests
    are added, so that an unchanged page is not written again. Methods may raise OSError.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / MANIFEST
        self._digests: dict[str, str] = {}  # for each page, the digest of its data and of its file
        with suppress(FileNotFoundError):
            for line in self._path.read_text(encoding="ascii", errors="replace").splitlines():
                page, _, digests = line.partition(" ")
                if _PAGE.fullmatch(page):
                    self._digests[page] = digests

    def is_current(self, page: str, made_from: str) -> bool:
        """Return whether the file is unchanged since it was written from data with the digest
        `made_from`.
        """
        with suppress(OSError):
            data = (self._folder / page).read_bytes()
            return self._digests.get(page) == _digests(made_from, data)
        return False

    def write(self, page: str, text: str, made_from: str = "") -> None:
        data = encoded(text)
        self._note(page, "")
        files.write_bytes(self._folder / page, data)
        if made_from:
            self._note(page, _digests(made_from, data))

    def keep_only(self, keep: set[str]) -> None:
        """Delete all other pages, and temporary files left by killed runs."""
        folders = {self._folder}
        folders.update((self._folder / page).parent for page in keep)
        for folder in folders:
            _remove_abandoned(folder)
        for page in sorted(self._digests.keys() - keep):
            (self._folder / PurePosixPath(page)).unlink(missing_ok=True)
        self._digests = {page: self._digests.get(page, "") for page in sorted(keep)}
        files.write(self._path, "".join(map(_line, self._digests, self._digests.values())))

    def _note(self, page: str, digests: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._digests[page] = digests
        with self._path.open("a", encoding="ascii") as manifest:
            manifest.write(_line(page, digests))


def _remove_abandoned(folder: Path) -> None:
    """Delete temporary files whose process no longer exists."""
    for path in folder.glob(".*.tmp"):
        owner = _TEMPORARY.fullmatch(path.name)
        if owner is None:
            continue
        try:
            os.kill(int(owner[1]), 0)
        except ProcessLookupError:
            path.unlink(missing_ok=True)
        except (
            OSError,
            OverflowError,
        ):  # the process belongs to another user, or the number is invalid
            continue


def _digests(made_from: str, data: bytes) -> str:
    return f"{made_from} {sha256(data).hexdigest()}"


def _line(page: str, digests: str) -> str:
    return f"{page} {digests}".rstrip() + "\n"
