"""The pictures of the docs, of real pages of the class of `harness demo`: `make pictures`."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 1100
DESK = "desk.png"
# By the picture's name: the page below the report, and how much of it is shown.
PAGES = {
    "class-report.png": ("index.html", 1150),
    "feedback.png": ("feedback/1010.html", 860),
    "similarity.png": ("similarity/1.html", 860),
}


def main() -> None:
    """Grade the class, and take each picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as browsers:
        harness = Path(sys.executable).with_name("harness")
        subprocess.run([harness, "demo", "demo"], cwd=folder, check=True, capture_output=True)
        names = ("chromium", "chromium-browser", "google-chrome")
        program = next(filter(None, map(shutil.which, names)))
        browser = browsers.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, (address, height) in PAGES.items():
            page = browser.new_page(viewport={"width": WIDTH, "height": height})
            page.goto((Path(folder) / "demo/reports/hangman" / address).as_uri())
            page.screenshot(path=IMAGES / name)
            print(IMAGES / name)
        desk(browser, harness, Path(folder) / "demo/reports/hangman")
        browser.close()


def desk(browser: Browser, harness: Path, report: Path) -> None:
    """Take a picture of the page for marking, with a picked item and a comment on a line."""
    command = [harness, "review", report, "--no-browser", "--who", "ann", "--at", "1010"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        address = next(filter(None, (re.search(r"http://\S+", line) for line in started.stdout)))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address[0])
        page.locator("main h1 bdi").first.wait_for()
        page.keyboard.type("1jjjjjjjjc")
        page.locator(".editor textarea").fill("No need to count: letter in letters says it.")
        page.keyboard.press("Enter")
        page.locator(".remark").wait_for()
        page.screenshot(path=IMAGES / DESK)
        print(IMAGES / DESK)
        started.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
