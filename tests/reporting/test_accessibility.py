"""Every kind of page under axe-core: WCAG 2.2 A and AA and best practice, in both schemes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from harness.model.assignment import SourceFile
from harness.model.study import LineRange, MatchedLines, SimilarityReport, SimilarPair
from harness.reporting.html import class_page
from harness.reporting.html.study_pages import study_page, write_similarity
from harness.reporting.two_runs import comparison_page
from harness.reporting.writing import write_reports
from tests.reporting.report_samples import PLAN, RUN
from tests.reporting.test_study_page import ALIKE, STRENGTH
from tests.reporting.test_two_runs import FOUND

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
PAGES = (
    "index.html",
    "marks/2.html",
    "comparison.html",
    "study.html",
    "similarity/index.html",
    "similarity/1.html",
    "submissions/many-faults.html",
    "feedback/many-faults.html",
    "feedback/syntax-error.html",
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
def page(chromium_started: Browser) -> Iterator[Page]:
    with chromium_started.new_page(viewport={"width": 360, "height": 800}) as page:
        yield page


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    with pytest.MonkeyPatch.context() as patched:  # a class page with further ones, of few rows
        patched.setattr(class_page, "MOST_ROWS", 3)
        patched.setattr(class_page, "ROWS_A_PAGE", 3)
        write_reports(RUN, PLAN, folder)
    write_similarity(SIMILAR, PLAN, SOURCES, folder)
    (folder / "study.html").write_text(study_page(PLAN, STRENGTH, ALIKE), encoding="utf-8")
    (folder / "comparison.html").write_text(comparison_page(FOUND), encoding="utf-8")
    return folder


def violations(page: Page, rules: list[str]) -> str:
    """What axe-core finds, as a text; empty for nothing."""
    found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
    return found.generate_report() if found.violations_count else ""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_violation(page: Page, reports: Path, name: str) -> None:
    page.emulate_media(color_scheme="light")
    page.goto((reports / name).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert violations(page, RULES) == ""
    page.emulate_media(color_scheme="dark")
    assert violations(page, ["cat.color"]) == ""


def test_violations_are_found(page: Page) -> None:
    page.goto("about:blank")  # a page's policy would hold for what takes its place
    page.set_content(
        "<html lang=en><title>t</title><main><h1 style='color:#bbb;background:#fff'>faint</h1>"
        "<div role=region aria-label=a>1</div><div role=region aria-label=a>2</div></main>"
    )
    found = violations(page, RULES)
    assert "landmark-unique" in found
    assert "color-contrast" in violations(page, ["cat.color"])
