"""The review page in Chromium, by keys and clicks alone, and what is in the store then."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from playwright import sync_api as playwright
from playwright.sync_api import Page, expect

from harness.model.result import CommandLine
from harness.results.database import StoreReader
from harness.results.store import Store
from harness.review.desk import Desk
from harness.review.server import ReviewServer
from tests.reporting.test_report_browser import DESKTOP, RULES, chromium_started, violations
from tests.review.marked_class import database_of

__all__ = ["chromium_started"]
pytestmark = pytest.mark.process


@contextmanager
def served(folder: Path, count: int) -> Iterator[ReviewServer]:
    """A class of so many, on the page."""
    server = ReviewServer(Desk(database_of(folder, count), who="ann"), folder)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
        server.close()


@pytest.fixture
def new_page(chromium_started: playwright.Browser) -> Iterator[Callable[[], Page]]:
    """A window of its own, at the desk's width; what its page complains of fails the test."""
    complaints: list[str] = []
    with chromium_started.new_context(viewport={"width": DESKTOP, "height": 800}) as context:

        def opened() -> Page:
            page = context.new_page()
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda message: complaints.append(message.text))
            return page

        yield opened
    assert [text for text in complaints if "Failed to load resource" not in text] == []


def enter(page: Page, text: str, key: str = "Enter") -> None:
    page.keyboard.type(text)
    page.keyboard.press(key)


def heading(page: Page, text: str) -> None:
    expect(page.locator("main h1 bdi").first).to_have_text(text)


@contextmanager
def first_of(folder: Path, count: int, new_page: Callable[[], Page]) -> Iterator[Page]:
    """The page at the first submission of a class of so many."""
    with served(folder, count) as server:
        page = new_page()
        page.goto(f"{server.address}&at=1")
        heading(page, "s001")
        yield page


def writing_in(page: Page, slot: str) -> None:
    """Wait until the cursor is in the field for the mark of a slot."""
    field = f"[data-slot={slot}] [name=mark]"
    for _ in range(50):
        if page.evaluate(f"document.activeElement === document.querySelector('{field}')"):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"the cursor is not in the field for the mark of {slot}")


def click_number(page: Page, number: int) -> None:
    """Click the number of a line: it is left of the line's text."""
    item = page.locator(".source ol.own > li").nth(number - 1).bounding_box()
    assert item is not None
    page.mouse.click(item["x"] - 12, item["y"] + item["height"] / 2)


def mark_all(page: Page, count: int) -> None:
    """Mark every submission: those that need a person first, and each in another way."""
    order = [count, *sorted(range(1, count), key=lambda number: number % 3 > 0)]
    for place, number in enumerate(order):
        heading(page, f"s{number:03}")
        if number == count:
            chosen = page.get_by_role("button", name="new.py")
            chosen.click()
            expect(chosen).to_have_attribute("aria-pressed", "true")
        else:
            page.keyboard.type("1" + "2" * (number % 3))  # the second item has three levels
            if number % 2:
                page.keyboard.type("jjc")
                enter(page, f"Say what s{number} does")
            enter(page, "sm1.5")
        if place + 1 < count:
            page.keyboard.type("d" if number % 3 == 0 else "n")
    page.keyboard.type("n")
    expect(page.locator("#said")).to_have_text("everything is marked")
    expect(page.locator("#progress")).to_have_text(f"{count} of {count} done")


LEVELS = (None, Fraction(0), Fraction(1, 2))


def assert_marked(folder: Path, count: int) -> None:
    with StoreReader.read_only(folder / "run.sqlite") as reader:
        run = list(reader.run().submissions)
    for number, found in enumerate(run[:-1], start=1):
        style, report = (part.mark for part in found.manual)
        assert style == 2 + (LEVELS[number % 3] or 0), found.id
        assert report == Fraction(3, 2)
        said = [(each.line, each.text) for each in found.line_comments]
        assert said == ([(2, f"Say what s{number} does")] if number % 2 else [])
        assert found.reviewed == (number % 3 == 0)
    assert [(d.kind.value, d.value) for d in run[-1].decisions] == [("choose", "new.py")]


def marked(folder: Path, page: Page, count: int) -> None:
    with served(folder, count) as server:
        page.goto(server.address)
        heading(page, f"s{count:03}")
        assert server.token not in page.url
        mark_all(page, count)
        assert_marked(folder, count)


def test_five_submissions_are_marked(tmp_path: Path, new_page: Callable[[], Page]) -> None:
    marked(tmp_path, new_page(), 5)


@pytest.mark.release
def test_sixty_submissions_are_marked(tmp_path: Path, new_page: Callable[[], Page]) -> None:
    marked(tmp_path, new_page(), 60)


def test_a_person_can_do_everything_on_the_marking_page(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    """An item that is added, a comment that is offered again, the whole's comment, an override, an
    undo, the list and the keys; and a second window that sees it all."""
    with served(tmp_path, 5) as server:
        page, other = new_page(), new_page()
        page.goto(f"{server.address}&at=1:4")
        heading(page, "s001")
        expect(page.locator("li.current")).to_contain_text("return len(text)")
        enter(page, "cUse a name here.", "Control+Enter")
        expect(page.locator(".remark > bdi")).to_have_text("Use a name here.")
        enter(page, "aTidy", "Tab")
        enter(page, "0.5")
        page.keyboard.type("4")
        tidy = page.get_by_role("button", name="Tidy")
        expect(tidy).to_have_attribute("aria-pressed", "true")
        enter(page, "jcReuse it.")
        page.keyboard.type("lcuse")  # two have it, one begins with it
        heading(page, "s002")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".remark > bdi")).to_have_text("Use a name here.")
        enter(page, "gGood.", "Shift+Enter")
        enter(page, "Go on.")
        enter(page, "o5", "Tab")
        enter(page, "shown in the lab")
        expect(page.locator(".summary")).to_contain_text("override")
        other.goto(f"{server.address}&at=2")
        heading(other, "s002")
        expect(other.get_by_label("Comment on the whole")).to_have_value("Good.\nGo on.")
        page.keyboard.type("u")
        expect(page.locator("#said")).to_have_text("undone: override of s002")
        expect(other.locator(".summary")).not_to_contain_text("override")
        page.keyboard.type("r")
        expect(page.locator("#said")).to_have_text("done again: override of s002")
        page.keyboard.type("u")
        expect(page.locator(".summary")).not_to_contain_text("override")
        with page.expect_popup() as opened:
            page.keyboard.type("p")
        expect(opened.value.get_by_text("Feedback for")).to_be_visible()
        opened.value.close()
        enter(page, "o-1")
        expect(page.locator("#said.bad")).to_have_text("an override needs a reason")
        page.keyboard.press("Escape")
        enter(page, "/needs rev")
        heading(page, "s005")
        assert violations(page, RULES) == ""
        page.keyboard.type("?")
        expect(page.get_by_role("heading", name="Keys")).to_be_visible()
        assert violations(page, RULES) == ""


def test_typed_text_is_stored_before_the_submission_is_left(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    with first_of(tmp_path, 5, new_page) as page:
        page.keyboard.type("sm1.5")  # no Enter
        page.get_by_role("button", name="next submission").click()
        heading(page, "s002")
        page.keyboard.type("jjcSay why")
        page.get_by_role("button", name="next submission").click()
        heading(page, "s004")
        page.go_back()
        heading(page, "s002")
        expect(page.locator(".remark > bdi")).to_have_text("Say why")
        page.keyboard.type("o5")
        page.get_by_role("button", name="previous submission").click()
        expect(page.locator(".wrong")).to_contain_text("Not saved")
        heading(page, "s002")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="previous submission").click()
        heading(page, "s001")
        with StoreReader.read_only(tmp_path / "run.sqlite") as reader:
            first, second = list(reader.run().submissions)[:2]
        assert first.manual[1].mark == Fraction(3, 2)
        assert [each.text for each in second.line_comments] == ["Say why"]
        assert second.override is None


def test_typed_text_is_stored_after_a_pause(tmp_path: Path, new_page: Callable[[], Page]) -> None:
    with first_of(tmp_path, 2, new_page) as page:
        page.keyboard.type("jjcFirst thought")
        expect(page.locator("#said")).to_have_text("saved")
        page.keyboard.type(", then another")
        page.keyboard.press("Enter")
        expect(page.locator(".remark > bdi")).to_have_text("First thought, then another")
        with StoreReader.read_only(tmp_path / "run.sqlite") as reader:
            (comment,) = next(iter(reader.run().submissions)).line_comments
        assert comment.text == "First thought, then another"


def test_a_line_is_commented_by_mouse(tmp_path: Path, new_page: Callable[[], Page]) -> None:
    with first_of(tmp_path, 2, new_page) as page:
        page.locator(".source ol.own > li").nth(3).click()
        page.get_by_role("button", name="Comment", exact=True).click()
        page.keyboard.type("Here")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator(".remark > bdi")).to_have_text("Here")
        page.get_by_role("button", name="All submissions").click()
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert violations(page, RULES) == ""


def test_a_click_is_for_the_screen_on_which_it_began(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    with first_of(tmp_path, 5, new_page) as page:
        items = page.locator("[data-slot=style] .item")
        items.nth(1).get_by_role("button").last.hover()
        page.mouse.down()
        with page.expect_response("**/do"):
            page.keyboard.type("1")
        page.wait_for_timeout(200)  # the new screen is there, if nothing holds it
        page.mouse.up()
        for item in (items.first, items.nth(1)):
            expect(item.locator("[aria-pressed=true]")).to_have_count(1)


def test_an_unknown_student_is_added_only_when_confirmed(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    with served(tmp_path, 2) as server:
        page = new_page()
        page.goto(f"{server.address}&at=2")
        heading(page, "s002")
        page.get_by_label("Whose is it?").fill("9999")
        page.get_by_role("button", name="Assign to student").click()
        expect(page.locator(".wrong")).to_contain_text("this class has no student '9999'")
        page.get_by_role("button", name="Add 9999 as a new student").click()
        expect(page.locator("#said")).to_have_text("saved")
        with StoreReader.read_only(tmp_path / "run.sqlite") as reader:
            decisions = list(reader.run().submissions)[1].decisions
        assert [(each.kind.value, each.value) for each in decisions] == [("match", "9999")]


def test_the_command_that_applies_a_decision_is_copied_in_light_and_dark(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    with served(tmp_path, 2) as server:
        with Store.open(tmp_path / "run.sqlite") as store:
            again = CommandLine(
                folder="/term", words=("harness", "grade", "in", "--roster", "r.csv")
            )
            store.finish(replace(store.facts(), command=again))
        page = new_page()
        page.goto(f"{server.address}&at=2")
        heading(page, "s002")
        page.get_by_role("button", name="new.py").click()
        expect(page.locator("#held pre.copied")).to_have_text(str(again))
        copy = page.locator("#held .copy")
        copy.click()
        expect(copy).to_have_text("Copied")
        assert violations(page, RULES) == ""
        page.get_by_role("button", name="Light or dark").click()
        expect(page.locator("html")).to_have_attribute("data-scheme", "dark")
        assert violations(page, RULES) == ""


def test_a_key_is_for_the_screen_that_comes(tmp_path: Path, new_page: Callable[[], Page]) -> None:
    """Whoever types faster than the page answers marks what they asked for, and loses no letter."""
    with served(tmp_path, 5) as server:
        page = new_page()
        page.goto(f"{server.address}&at=1")
        heading(page, "s001")
        with server.desk.lock:
            enter(page, "l1cNot so fast")
            heading(page, "s001")
        expect(page.locator(".remark > bdi")).to_have_text("Not so fast")
        heading(page, "s002")
        expect(page.locator("[data-item=names]")).to_have_attribute("aria-pressed", "true")
        with StoreReader.read_only(tmp_path / "run.sqlite") as reader:
            assert {change.submission for _, change in reader.changes()} == {"s002"}


def test_without_the_token_there_is_nothing(tmp_path: Path, new_page: Callable[[], Page]) -> None:
    with served(tmp_path, 2) as server:
        page = new_page()
        page.goto(f"http://127.0.0.1:{server.port}/")
        expect(page.locator("main")).to_contain_text("Open the address")
        assert "s001" not in page.content()


def test_a_second_comment_stores_the_first_one(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    with served(tmp_path, 3) as server:
        page = new_page()
        page.goto(f"{server.address}&at=1:2")
        heading(page, "s001")
        page.keyboard.type("cThe first")
        click_number(page, 4)
        page.get_by_label("Comment on line 4").fill("The second")
        page.keyboard.press("Enter")
        expect(page.locator(".remark > bdi")).to_have_text(["The first", "The second"])


def test_text_that_is_typed_while_a_pause_stores_it_is_kept(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    with first_of(tmp_path, 2, new_page) as page:
        sent: list[playwright.Route] = []

        def hold_first(route: playwright.Route) -> None:
            if sent:
                route.continue_()
            sent.append(route)

        page.route("**/do", hold_first)
        with page.expect_request("**/do"):
            page.keyboard.type("sm1")
        page.keyboard.type(".5")
        sent[0].continue_()
        expect(page.locator("#said")).to_have_text("saved")
        page.unroute("**/do")
        page.keyboard.press("Shift+Tab")
        page.get_by_role("button", name="previous submission").click()
        heading(page, "s002")
        with StoreReader.read_only(tmp_path / "run.sqlite") as reader:
            first = next(iter(reader.run().submissions))
        assert first.manual[1].mark == Fraction(3, 2)


def test_a_stored_draft_can_be_taken_back_and_a_refused_one_stays(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    with first_of(tmp_path, 2, new_page) as page:
        page.keyboard.type("gNot this")
        expect(page.locator("#said")).to_have_text("saved")
        page.keyboard.press("Escape")
        whole = page.get_by_label("Comment on the whole")
        expect(whole).to_have_value("")
        page.keyboard.type("m99")
        expect(page.locator(".wrong")).to_contain_text("not between 0 and 4")
        page.keyboard.press("Shift+Tab")
        page.get_by_role("button", name="previous submission").click()
        heading(page, "s001")
        expect(page.get_by_label("Mark (of 4)")).to_have_value("99")
        writing_in(page, "style")
        with StoreReader.read_only(tmp_path / "run.sqlite") as reader:
            first = next(iter(reader.run().submissions))
        assert (first.comment, first.manual[0].mark) == ("", None)


def test_two_tutors_at_once_lose_nothing(tmp_path: Path, new_page: Callable[[], Page]) -> None:
    """While one writes, the other gives a mark: the text stays, and so does the cursor; the mark
    that replaces another one says so."""
    with served(tmp_path, 2) as server:
        bea = Desk(tmp_path / "run.sqlite", who="bea")
        page = new_page()
        page.goto(f"{server.address}&at=1")
        heading(page, "s001")
        page.keyboard.type("jjcHalf a ")
        bea.do(1, {"do": "mark", "slot": "style", "mark": "3"})
        bea.do(1, {"do": "line", "file": "a1.py", "line": 2, "text": "From Bea"})
        expect(page.locator("#said")).to_contain_text("somebody else")
        page.keyboard.type("sentence")
        page.keyboard.press("Enter")
        expect(page.locator(".remark > bdi")).to_have_text(["From Bea", "Half a sentence"])
        expect(page.get_by_label("Mark (of 4)")).to_have_value("3")
        bea.do(1, {"do": "mark", "slot": "report", "mark": "1"})
        page.keyboard.type("sm")
        writing_in(page, "report")
        page.keyboard.type("2")
        page.keyboard.press("Enter")
        told = "saved; it replaces the newer change by bea"
        expect(page.locator("#said")).to_have_text(told)
        with StoreReader.read_only(tmp_path / "run.sqlite") as reader:
            first = next(iter(reader.run().submissions))
        assert [part.mark for part in first.manual] == [3, 2]
        assert len(first.line_comments) == 2
