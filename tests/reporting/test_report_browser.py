"""The pages in a real browser: Chromium at phone and desktop width, with and without JavaScript;
every kind of page under axe-core: WCAG 2.2 A and AA and best practice, in both schemes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright import sync_api as playwright
from playwright.sync_api import Page

from harness.common.files import write
from harness.model.assignment import SourceFile
from harness.model.explanation.facts import (
    HardCoded,
)
from harness.model.result import RunResult
from harness.model.study import LineRange, MatchedLines, Omitted, SimilarityReport, SimilarPair
from harness.model.verdict import (
    Explanation,
)
from harness.reporting.html import class_page
from harness.reporting.html.class_page import first_page, further_pages
from harness.reporting.html.course_pages import course_page
from harness.reporting.html.study_pages import study_page, write_similarity
from harness.reporting.two_runs import comparison_page
from harness.reporting.writing import write_reports
from tests.reporting.report_samples import (
    FACTS,
    MANY_FAULTS,
    OWN_CODE,
    PERFECT,
    PLAN,
    RUN,
    WIDE_LINE,
    overview,
)
from tests.reporting.test_class_causes import cause
from tests.reporting.test_manual_marks import FOUND
from tests.reporting.test_study_page import ALIKE, STRENGTH, a_course, page_of, pair

FLAGS = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync
    --disable-background-networking --disable-component-update --in-process-gpu
    --renderer-process-limit=1 --js-flags=--no-wasm-inlining
"""


@pytest.fixture(scope="module")
def chromium_started() -> Iterator[playwright.Browser]:
    """Chromium, started by the first test that looks at a page in it; without it the test is
    skipped, which `.ci/run` does not let pass."""
    found = [*filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))]
    if not found:
        pytest.skip("no Chromium found; on Debian and Ubuntu: apt-get install -y chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found[0], args=FLAGS.split())
        yield browser
        browser.close()


def rows_a_page(count: int) -> AbstractContextManager[object]:
    return patch.multiple(class_page, MAX_ROWS=count, ROWS_A_PAGE=count)


PAGES = [
    "index.html",
    "submissions/many-faults.html",
    "submissions/perfect.html",
    "feedback/many-faults.html",
    "feedback/own-code.html",
    "feedback/syntax-error.html",
]
PHONE, LATER_PHONE, DESKTOP, NARROWEST = 360, 390, 1280, 320
MAX_PAGES = {"feedback": 4, "submissions": 4, "index.html": 6}  # of A4
SCREEN = 844  # pixels of a phone's height
PAGE_WIDTH = "document.documentElement.scrollWidth"


@dataclass(frozen=True, slots=True)
class Browser:
    """A tab that runs pages' scripts and one that runs none: opening a tab costs most."""

    scripted: Page
    plain: Page


@pytest.fixture(scope="module")
def browser(chromium_started: playwright.Browser) -> Iterator[Browser]:
    without = chromium_started.new_context(java_script_enabled=False)
    with chromium_started.new_context() as scripted, without:
        yield Browser(scripted.new_page(), without.new_page())


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    long_name = replace(MANY_FAULTS, id="a-very-" + "long-" * 20 + "name")
    run = RunResult(facts=FACTS, submissions=(*RUN.submissions, OWN_CODE, long_name))
    return write_reports(run, PLAN, tmp_path_factory.mktemp("reports")).parent


LOOKS = Explanation(rule="hard_coded_size", facts=HardCoded(number=8, constant="SIZE", size=4))
HARD_CODED = replace(cause("win", "", "2"), explanation=LOOKS)
GOT = cause("draw", "wrong_value", "1", "got 3")
WITH_CAUSES = RunResult(
    facts=FACTS,
    submissions=(
        replace(PERFECT, id="ada", causes=(HARD_CODED, replace(HARD_CODED, function="main"))),
        replace(PERFECT, id="bob", causes=(HARD_CODED, GOT)),
        replace(PERFECT, id="cyd", causes=(GOT,)),
        replace(PERFECT, id="dan"),
    ),
)


@pytest.fixture(scope="module")
def causes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = tmp_path_factory.mktemp("causes") / "index.html"
    write(page, first_page(FACTS, overview(WITH_CAUSES, PLAN)))
    return page


class Opened:
    """A page, what its console said and what it asked the network for."""

    def __init__(
        self, browser: Browser, path: Path, *, width: int, dark: bool = False, script: bool = True
    ) -> None:
        self.page = browser.scripted if script else browser.plain
        self.look(width=width, dark=dark)
        self.said: list[str] = []
        self.requests: list[str] = []
        self.listeners: dict[Any, Callable[..., None]] = {
            "console": lambda message: self.said.append(message.text),
            "pageerror": lambda error: self.said.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
        }
        for event, listener in self.listeners.items():
            self.page.on(event, listener)
        self.page.goto(path.as_uri())

    @property
    def names(self) -> list[str]:
        """Those of the rows that are seen."""
        rows = self.page.locator("#marks tbody tr:visible th")
        return [text.strip() for text in rows.all_inner_texts()]

    @property
    def status(self) -> str:
        return self.page.get_by_role("status").inner_text()

    def show_only(self, text: str) -> None:
        self.page.get_by_label("Find in").fill(text)

    def follow(self, name: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=name).click()

    def look(self, *, width: int, dark: bool = False) -> None:
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(media="screen", color_scheme="dark" if dark else "light")

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.goto("about:blank")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_is_quiet_and_short(browser: Browser, reports: Path, name: str) -> None:
    shades = []
    kind = name.partition("/")[0]
    with Opened(browser, reports / name, width=PHONE) as opened:
        for width in (NARROWEST, PHONE, DESKTOP):
            opened.look(width=width, dark=width == PHONE)
            assert opened.page.evaluate(PAGE_WIDTH) <= width
            shades.append(opened.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (opened.said, opened.requests) == ([], [(reports / name).as_uri()])
        opened.look(width=LATER_PHONE)
        if kind == "feedback":
            below = opened.page.locator(".below").first.bounding_box()
            assert below and below["y"] <= 3 * SCREEN
        opened.page.emulate_media(media="print")
        printed = re.findall(rb"/Type\s*/Page\b", opened.page.pdf(format="A4"))
    assert 1 <= len(printed) <= MAX_PAGES[kind]
    light, dark = "rgb(251, 251, 250)", "rgb(21, 24, 27)"
    assert shades == [light, dark, light]


def test_the_class_table_is_used_by_keyboard_and_mouse(browser: Browser, reports: Path) -> None:
    with Opened(browser, reports / "index.html", width=DESKTOP) as opened:
        page, before = opened.page, opened.names
        for key in ("Tab", "Tab", "Enter", "Tab"):
            page.keyboard.press(key)
        assert page.evaluate("!!document.activeElement.closest('#rows tr:first-child')")
        mark = page.get_by_role("button", name="Mark")
        mark.focus()
        assert mark.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
        page.keyboard.press("Enter")
        assert (opened.names[0], opened.names[-1]) == ("our-fault", "perfect")
        assert page.locator("#marks th[aria-sort=ascending]").inner_text().startswith("Mark")
        mark.click()
        assert opened.names[0] == "perfect"
        page.get_by_role("button", name="Submission").click()
        assert opened.names == sorted(before, key=str.casefold)
        page.get_by_role("link", name="many-faults").first.click()
        assert page.locator("h1").inner_text() == "many-faults"
        page.get_by_role("link", name="The student's page").click()
        assert "Feedback for many-faults" in page.locator("header").first.inner_text()


def test_the_class_table_filters(browser: Browser, reports: Path) -> None:
    with Opened(browser, reports / "index.html", width=PHONE) as opened:
        opened.show_only("UNREAD")
        assert (opened.names, opened.status) == (["syntax-error", "wrong-name"], "2 of 8")
        opened.show_only("nobody")
        assert opened.status == "none"
        shown = opened.page.locator("#marks tbody td").inner_text()
        assert shown == "No submission matches \u201cnobody\u201d."


def test_the_class_table_filters_by_cause(browser: Browser, causes: Path) -> None:
    with Opened(browser, causes, width=PHONE) as opened:
        assert opened.page.evaluate(PAGE_WIDTH) <= PHONE
        opened.look(width=DESKTOP)
        assert opened.page.evaluate(PAGE_WIDTH) <= DESKTOP
        page, choice = opened.page, opened.page.get_by_label("Mistake")
        offered = choice.locator("option").all_inner_texts()
        assert offered == ["any", "main, win: a size is hard-coded to 8", "draw: got 3"]
        choice.select_option(offered[1])
        assert (opened.names, opened.status) == (["ada", "bob"], "2 of 4")
        choice.select_option(offered[2])
        assert opened.names == ["bob", "cyd"]
        opened.show_only("cy")
        assert opened.names == ["cyd"]
        opened.show_only("ada")
        assert opened.status == "none"
        page.goto("about:blank")
        page.go_back()
        assert opened.status == "none"
        opened.show_only("")
        assert opened.names == ["bob", "cyd"]
        assert opened.said == []


def test_filters_and_order_reach_the_pages_of_submissions(browser: Browser, reports: Path) -> None:
    with Opened(browser, reports / "index.html", width=DESKTOP) as opened:
        page = opened.page
        whole = len(opened.names)
        page.get_by_label("Loses marks in").select_option("check_input")
        assert 0 < len(opened.names) < whole
        page.get_by_role("button", name="Show all").click()
        page.get_by_label("State or problem").select_option("flagged")
        assert all("flagged" in row for row in page.locator("#rows tr").all_inner_texts())
        # A count above the table shows its submissions.
        for state in page.locator(".states a").all():
            state.click()
            count, _, _ = state.inner_text().partition(" ")
            assert opened.names
            if state.get_attribute("data-state"):
                assert len(opened.names) == int(count)
        page.get_by_role("button", name="Show all").click()
        page.locator("#marks th[data-kind=mark] small").click()  # the whole cell sorts
        page.locator("#marks th[data-kind=mark] small").click()
        order = opened.names
        with page.expect_navigation():
            page.get_by_role("link", name=order[1], exact=True).first.click()
        for by, expected in (("ArrowRight", order[2]), ("ArrowLeft", order[1])):
            with page.expect_navigation():
                page.keyboard.press(by)
            assert page.locator("h1").inner_text() == expected
        assert opened.said == []


def test_a_link_to_a_line_opens_and_light_and_dark_is_kept(browser: Browser, kinds: Path) -> None:
    with Opened(browser, kinds / "submissions/own-code.html", width=DESKTOP) as opened:
        page = opened.page
        page.get_by_role("button", name="Light or dark").click()
        dark = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(dark) == "rgb(21, 24, 27)"
        page.reload()
        assert page.evaluate(dark) == "rgb(21, 24, 27)"
        page.evaluate("sessionStorage.clear()")
        last = page.locator(".fix").last
        page.evaluate("location.hash = document.querySelector('.fix:last-of-type .anchor').id")
        last.locator(".anchor").first.wait_for(state="attached")
        assert last.evaluate("card => card.open")
        assert opened.said == []


def test_of_a_large_class_the_script_filters_by_cause(browser: Browser, causes: Path) -> None:
    large = causes.with_name("large.html")
    with rows_a_page(1):
        write(large, first_page(FACTS, overview(WITH_CAUSES, PLAN)))
    with Opened(browser, large, width=DESKTOP) as opened:
        opened.page.get_by_label("Mistake").select_option("draw: got 3")
        assert (opened.names, opened.status) == (["bob"], "1\u20131 of 2")


def test_the_class_table_is_as_it_was_left_after_back(browser: Browser, thousands: Path) -> None:
    with Opened(browser, thousands, width=DESKTOP) as opened:
        page = opened.page
        page.get_by_role("button", name="Submission").click()
        page.get_by_role("button", name="Submission").click()
        opened.show_only("student-2")
        page.get_by_role("button", name="Later").click()
        before = opened.names, opened.status
        assert before[0][0] == "student-2899"
        page.evaluate("scrollTo(0, 300)")
        page.goto("about:blank")
        page.go_back()
        assert (opened.names, opened.status) == before
        assert page.get_by_label("Find in").input_value() == "student-2"
        assert page.evaluate("scrollY") == 300
        assert page.locator("#marks th[aria-sort=descending]").inner_text().startswith("Submission")
        assert opened.said == []


def test_clickable_elements_are_large_enough(browser: Browser, reports: Path) -> None:
    small = (
        "[...document.querySelectorAll('a:not(.skip), button, summary, input')]"
        ".filter(e => !e.closest('p:not(.pages p):not(.crumb)') && e.checkVisibility())"
        ".map(e => [e.textContent, e.getBoundingClientRect()])"
        ".filter(([text, box]) => box.height < 24 || box.width < 24).map(([text]) => text)"
    )
    for name in PAGES[:2]:
        with Opened(browser, reports / name, width=PHONE) as opened:
            assert opened.page.evaluate(small) == [], name


@pytest.mark.parametrize("name", PAGES)
def test_all_is_readable_without_javascript(browser: Browser, reports: Path, name: str) -> None:
    with Opened(browser, reports / name, width=DESKTOP, script=False) as without:
        plain = without.page.locator("main").inner_text()
        assert without.page.locator("button, input").count() == 0
    with Opened(browser, reports / name, width=DESKTOP) as opened:
        with_script = opened.page.locator("main").inner_text()
    added = r"(?s)Find in names or states.*?[0-9]+ submissions"  # what the script offers
    assert plain.split() == re.sub(added, "", with_script).split()


def test_folded_parts_open_without_javascript(browser: Browser, reports: Path) -> None:
    page_path = reports / "submissions" / "perfect.html"
    with Opened(browser, page_path, width=PHONE, script=False) as opened:
        inside = opened.page.locator("details li").first
        assert not inside.is_visible()
        opened.page.get_by_text("What passes").click()
        opened.page.locator("details details > summary").first.click()
        assert inside.is_visible()


STUDENTS = [name for name in PAGES if name.startswith("feedback/")]
OPEN_ALL = "for (each of document.querySelectorAll('details')) each.open = true"


def test_only_what_scrolls_is_reached_by_keyboard(browser: Browser, reports: Path) -> None:
    scrolling = """
      [...document.querySelectorAll("main *")].filter(e =>
        ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
        && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1)
      ).map(e => e.outerHTML.slice(0, 200))
    """
    focusable = (
        "[...document.querySelectorAll('main [tabindex]')].map(e => e.outerHTML.slice(0, 200))"
    )
    found = []
    for name in PAGES:
        with Opened(browser, reports / name, width=NARROWEST) as opened:
            opened.page.evaluate(OPEN_ALL)
            assert opened.page.evaluate(focusable) == opened.page.evaluate(scrolling), name
            found += opened.page.evaluate(scrolling)
            opened.look(width=DESKTOP)
            assert set(opened.page.evaluate(scrolling)) <= set(found), name
    assert {each.partition(" ")[0] for each in found} == {"<pre", "<ol", "<div"}


def test_code_is_not_broken(browser: Browser, reports: Path) -> None:
    # A line of code has as many boxes as the lines that it is shown in.
    broken = """
      [...document.querySelectorAll("ol.own li, pre:not(.talk, .keys)")].filter(e => {
        const range = document.createRange();
        range.selectNodeContents(e);
        const tops = [...range.getClientRects()].map(box => Math.round(box.top / 8));
        return new Set(tops).size > e.textContent.trimEnd().split("\\n").length;
      }).map(e => e.textContent)
    """
    for name, width in product(STUDENTS, (NARROWEST, DESKTOP)):
        with Opened(browser, reports / name, width=width) as opened:
            opened.page.evaluate(OPEN_ALL)
            assert opened.page.evaluate(broken) == [], (name, width)


def test_copied_text_can_be_pasted(browser: Browser, reports: Path) -> None:
    selected = """e => {
      getSelection().selectAllChildren(e);
      return getSelection().toString().replace(/\\n$/, "");
    }"""
    with Opened(browser, reports / "feedback/own-code.html", width=PHONE) as opened:
        page = opened.page
        page.evaluate(OPEN_ALL)
        assert page.locator("pre.keys").evaluate(selected) == "r-1\n\nr4"
        (first, *_) = page.locator("pre:not(.talk, .keys)").all()
        assert first.evaluate(selected) == "\n".join(
            ("board = ['----', '--XO', '----', '---X']", "display_board(board)")
        )
        assert page.locator("ol.own li.match").evaluate(selected).rstrip() == WIDE_LINE
        # What a sign is drawn for is a space, and what is drawn is not a text.
        marked = page.locator(".lines .differs").first
        assert marked.evaluate(selected).strip("\n") == " 1 2 3 4 "
        assert "\u00b7" not in page.locator("details .lines").first.inner_text()
        drawn = "e => getComputedStyle(e, '::before').content"
        assert page.locator(".lines .differs i").first.evaluate(drawn) == '"\u00b7"'


def test_the_first_card_is_open_and_keys_open_the_others(browser: Browser, reports: Path) -> None:
    with Opened(browser, reports / "feedback/own-code.html", width=PHONE, script=False) as opened:
        page = opened.page
        seen = [each.is_visible() for each in page.locator(".fix > :nth-child(2)").all()]
        assert seen == [True, False, False]
        for number in (1, 2):
            page.locator(".fix > summary").nth(number).focus()
            page.keyboard.press("Enter")
        assert all(each.is_visible() for each in page.locator(".fix h4").all())


def test_on_paper_nothing_is_cut_off(browser: Browser, reports: Path) -> None:
    with Opened(browser, reports / "feedback" / "many-faults.html", width=700) as opened:
        opened.page.emulate_media(media="print")
        cut = opened.page.evaluate(
            "[...document.querySelectorAll('pre, .cells, .scroll')]"
            ".filter(e => e.scrollWidth > e.clientWidth + 1).length"
        )
        assert cut == 0
        assert opened.page.locator("details.printed tr").first.bounding_box() is not None
        assert opened.page.locator("details.below:not(.printed)").first.bounding_box() is None
        assert opened.page.pdf().startswith(b"%PDF")


def test_every_thing_to_fix_is_printed_whole_and_no_button_is(
    browser: Browser, reports: Path
) -> None:
    with Opened(browser, reports / "feedback/own-code.html", width=DESKTOP) as opened:
        opened.page.emulate_media(media="print")
        for parts in (".fix > ol.own", ".fix .says"):
            assert all(each.is_visible() for each in opened.page.locator(parts).all())
        assert not any(each.is_visible() for each in opened.page.locator(".tool").all())


@pytest.fixture(scope="module")
def thousands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of 3,000, of whom every other one and 13 flagged ones fail much."""
    some = (replace(PERFECT, flagged=False), replace(MANY_FAULTS, flagged=False))
    many = tuple(
        replace(some[i % 2], id=f"student-{i:04d}", flagged=i % 250 == 99) for i in range(3000)
    )
    folder = tmp_path_factory.mktemp("thousands")
    numbers = overview(RunResult(facts=FACTS, submissions=many), PLAN)
    for name, html in (("index.html", first_page(FACTS, numbers)), *further_pages(numbers)):
        write(folder / name, html)
    return folder / "index.html"


def test_a_class_of_thousands_is_a_small_page(browser: Browser, thousands: Path) -> None:
    assert thousands.stat().st_size < 500_000
    with Opened(browser, thousands, width=PHONE) as opened:
        assert opened.page.evaluate("document.querySelectorAll('*').length") < 3000
        assert opened.page.evaluate(PAGE_WIDTH) <= PHONE
        assert (opened.said, opened.requests) == ([], [thousands.as_uri()])


def test_thousands_sort_filter_and_turn_pages(browser: Browser, thousands: Path) -> None:
    with Opened(browser, thousands, width=DESKTOP) as opened:
        earlier, later, mark = (
            opened.page.get_by_role("button", name=name) for name in ("Earlier", "Later", "Mark")
        )
        assert opened.status == "1\u2013100 of 3,000"
        assert earlier.is_disabled()
        later.click()
        assert (opened.names[0], opened.status) == ("student-0100", "101\u2013200 of 3,000")
        mark.click()
        assert opened.names[:2] == ["student-0001", "student-0003"]
        mark.click()
        assert opened.names[:2] == ["student-0000", "student-0002"]
        opened.show_only("2999")
        assert opened.names == ["student-2999"]
        assert later.is_disabled()
        opened.show_only("flagged")
        assert (len(opened.names), opened.status) == (12, "1\u201312 of 12")
        opened.show_only("nobody")
        assert (opened.names, opened.status) == ([], "none")


def test_rows_made_by_the_script_are_those_of_the_table(browser: Browser, thousands: Path) -> None:
    rows = "[...document.querySelectorAll('#marks tbody tr')].map(row => row.outerHTML)"
    with Opened(browser, thousands, width=DESKTOP) as opened:
        ours = opened.page.evaluate(rows)
        opened.show_only("student")
        assert opened.page.evaluate(rows) == ours
        assert "flagged" in ours[99]


def test_thousands_without_javascript_are_on_pages(browser: Browser, thousands: Path) -> None:
    with Opened(browser, thousands, width=DESKTOP, script=False) as opened:
        assert (len(opened.names), opened.names[-1]) == (100, "student-0099")
        opened.follow("2901\u20133000")
        assert (len(opened.names), opened.names[-1]) == (100, "student-2999")
        link = opened.page.get_by_role("link", name="student-2999").get_attribute("href")
        assert link == "../submissions/student-2999.html"
        opened.follow("101\u2013200")
        assert opened.names[0] == "student-0100"
        opened.follow("All submissions")
        assert opened.page.url == thousands.as_uri()


RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
KINDS = (
    "index.html",
    "marks/2.html",
    "comparison.html",
    "course.html",
    "course-student.html",
    "study.html",
    "similarity/index.html",
    "similarity/1.html",
    *PAGES[1:],
)
SOURCES = {
    name: (SourceFile(name="a1.py", data=f"def f(x):\n    return {name} + x\n".encode()),)
    for name in ("ada", "bob")
}
LINES = LineRange(file=0, first=1, last=2)
PAIR = SimilarPair(
    first="ada", second="bob", score=0.9, matches=(MatchedLines(first=LINES, second=LINES),)
)
SIMILAR = SimilarityReport(compared=2, pairs=(PAIR,), groups=(("ada", "bob"),))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    with rows_a_page(3):
        write_reports(replace(RUN, submissions=(*RUN.submissions, OWN_CODE)), PLAN, folder)
    write_similarity(SIMILAR, PLAN, SOURCES, folder)
    (folder / "study.html").write_text(study_page(PLAN, STRENGTH, ALIKE), encoding="utf-8")
    (folder / "comparison.html").write_text(comparison_page(FOUND), encoding="utf-8")
    found = a_course()
    write(folder / "course.html", course_page(found, ["a run that cannot be read"]))
    write(folder / "course-student.html", page_of(found, "4711"))
    return folder


def test_the_page_of_a_course_sorts_filters_and_fits(browser: Browser, kinds: Path) -> None:
    with Opened(browser, kinds / "course.html", width=DESKTOP) as opened:
        opened.page.get_by_role("button", name="A1").click()
        order = [name.partition(",")[0] for name in opened.names]
        assert order == ["Eve Müller", "Ada Lovelace", "Bob"]
        opened.show_only("47")
        assert opened.status == "2 of 3"
        opened.show_only("nobody")
        shown = opened.page.locator("#marks tbody td").inner_text()
        assert shown == "No student matches \u201cnobody\u201d."
        assert opened.said == []
    for name, width in product(("course.html", "course-student.html"), (NARROWEST, DESKTOP)):
        with Opened(browser, kinds / name, width=width) as opened:
            assert opened.page.evaluate(PAGE_WIDTH) <= width


def test_the_page_of_a_large_class_has_four_screens(browser: Browser, tmp_path: Path) -> None:
    grouped = tuple(
        tuple(f"group-{n}-student-{m:02}" for m in range(26 if n < 3 else 3)) for n in range(30)
    )
    pairs = [pair(*both, 0.8) for names in grouped for both in combinations(names, 2)]
    pairs += [pair(f"one-{n}", f"two-{n}", 0.5) for n in range(700)]
    sources = {name: SOURCES["ada"] for each in pairs for name in (each.first, each.second)}
    report = SimilarityReport(
        compared=900,
        pairs=tuple(pairs),
        groups=grouped,
        omitted=tuple(Omitted(id=f"empty-{n}", reason="nothing of it") for n in range(40)),
        cut=0.3,
        by_tokens=tuple(f"group-3-student-{m:02}" for m in range(20)),
    )
    write_similarity(report, PLAN, sources, tmp_path)
    with Opened(browser, tmp_path / "similarity/index.html", width=DESKTOP) as opened:
        assert opened.page.evaluate("document.documentElement.scrollHeight") <= 4 * 800
        assert violations(opened.page, RULES) == ""
        assert "group-29" not in opened.page.inner_text("main")
        opened.page.evaluate(OPEN_ALL)
        assert "group-29" in opened.page.inner_text("main")


def violations(page: Page, rules: list[str]) -> str:
    """What axe-core finds, as a text; empty for nothing."""
    found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
    return found.generate_report() if found.violations_count else ""


@pytest.mark.parametrize("name", [name for name in KINDS if name not in STUDENTS])
def test_a_page_has_no_violation(browser: Browser, kinds: Path, name: str) -> None:
    with Opened(browser, kinds / name, width=PHONE) as opened:
        opened.page.evaluate(OPEN_ALL)
        assert violations(opened.page, RULES) == ""
        opened.look(width=PHONE, dark=True)
        assert violations(opened.page, ["cat.color"]) == ""


@pytest.mark.parametrize("name", STUDENTS)
def test_a_students_page_has_none_at_any_width(browser: Browser, kinds: Path, name: str) -> None:
    with Opened(browser, kinds / name, width=LATER_PHONE) as opened:
        opened.page.evaluate(OPEN_ALL)
        for width in (LATER_PHONE, DESKTOP):
            opened.look(width=width)
            assert violations(opened.page, RULES) == "", width
        opened.look(width=LATER_PHONE, dark=True)
        assert violations(opened.page, ["cat.color"]) == ""


def test_violations_are_found(browser: Browser) -> None:
    page = browser.scripted  # at about:blank: a page's policy would hold for what takes its place
    page.set_content(
        "<html lang=en><title>t</title><main><h1 style='color:#bbb;background:#fff'>faint</h1>"
        "<div role=region aria-label=a>1</div><div role=region aria-label=a>2</div></main>"
    )
    assert "landmark-unique" in violations(page, RULES)
    assert "color-contrast" in violations(page, ["cat.color"])
