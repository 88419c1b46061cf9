"""A class marked on the page of `harness review`, in Chromium, by keys alone: how long the page
takes, how many keys are pressed, and whether the store has just what was pressed.

    python -m benchmarks.review reports/connect4ish

marks a copy of that run. No time is for reading: the next key comes as soon as the page shows what
the last one did, or earlier.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from harness.model.plan import ManualSlot
from harness.model.result import SubmissionResult
from harness.results.database import STORE_NAME, StoreReader
from harness.review.desk import Desk
from harness.review.server import ReviewServer

COMMENTS = (
    "Say in the docstring what the function returns.",
    "A loop would be shorter than these repeated lines.",
    "Name this number.",
)
COUNT_KEYS = (
    "addEventListener('keydown', event => { if (event.isTrusted)"
    " window.keysPressed = (window.keysPressed || 0) + 1 }, true)"
)


@dataclass
class Pressed:
    """What was pressed for one submission: items of the rubric by slot, a comment on a line."""

    items: dict[str, set[str]] = field(default_factory=dict)
    comment: str = ""


@contextmanager
def served(folder: Path) -> Iterator[ReviewServer]:
    server = ReviewServer(Desk(folder / STORE_NAME, who="benchmark"), folder)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
        server.close()


def press_rubrics(page: Page, slots: list[ManualSlot], number: int) -> dict[str, set[str]]:
    """Of each rubric some items, others for each submission, in their first level."""
    picked = {}
    for at, slot in enumerate(slots):
        places = [p for p in range(min(9, len(slot.rubric))) if (number + p + at) % 3 == 0]
        picked[slot.id] = {slot.rubric[place].id for place in places}
        page.keyboard.type(("s" if at else "") + ("".join(str(p + 1) for p in places) or "0"))
    return picked


def mark(page: Page, slots: list[ManualSlot], number: int, used: set[str]) -> Pressed:
    """What a tutor presses on one screen: the rubrics, and on every third a comment."""
    pressed = Pressed(items=press_rubrics(page, slots, number))
    if number % 3 == 0 and page.locator(".source .whole ol.own > li").count() >= 5:
        pressed.comment = COMMENTS[number // 3 % len(COMMENTS)]
        page.keyboard.type("jjjjjc")
        if pressed.comment in used:  # a few letters, and Tab takes the one that is offered
            page.keyboard.type(pressed.comment[:5])
            page.keyboard.press("Tab")
        else:
            page.keyboard.type(pressed.comment)
        page.keyboard.press("Enter")
        used.add(pressed.comment)
    needs_person = page.locator("#source .box.warn").count()
    page.keyboard.type("d" if needs_person else "n")
    return pressed


def differs(result: SubmissionResult, pressed: Pressed) -> bool:
    items = {part.slot.id: {item.item for item in part.items} for part in result.manual}
    comments = [each.text for each in result.line_comments]
    return items != pressed.items or comments != ([pressed.comment] if pressed.comment else [])


def measure(folder: Path, chromium: str) -> None:
    with StoreReader.read_only(folder / STORE_NAME) as reader:
        slots = list(reader.plan().assignment.manual)
    pressed: dict[str, Pressed] = {}
    seconds: list[float] = []
    used: set[str] = set()
    with served(folder) as server, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(COUNT_KEYS)
        page.goto(server.address)
        name = page.locator("main h1 bdi").first
        expect(name).to_be_visible()
        count = sum(not row["done"] for row in server.desk.rows())
        while len(pressed) < count:
            begun, shown = time.perf_counter(), name.inner_text()
            pressed[shown] = mark(page, slots, len(pressed) + 1, used)
            if len(pressed) < count:
                expect(name).not_to_have_text(shown)
            seconds.append(time.perf_counter() - begun)
        expect(page.locator("#said")).to_have_text("everything is marked")
        keys = page.evaluate("window.keysPressed")
        browser.close()
    with StoreReader.read_only(folder / STORE_NAME) as reader:
        wrong = [
            r.id for r in reader.run().submissions if r.id in pressed and differs(r, pressed[r.id])
        ]
    seconds.sort()
    print(f"{count} submissions, {keys / count:.1f} keys each")
    print(f"{sum(seconds) / count:.2f} s each, at most {seconds[-1]:.2f}")
    print(f"in the store otherwise than pressed: {', '.join(wrong) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="a report folder")
    options = parser.parse_args()
    program = next(
        (found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None
    )
    if program is None:
        parser.error("no Chromium found")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "run"
        shutil.copytree(options.run, copy)
        measure(copy, program)


if __name__ == "__main__":
    main()
