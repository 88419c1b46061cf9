"""The pictures of the docs, of real pages of the class of `harness demo`: `make pictures`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 1100
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
        browser.close()


if __name__ == "__main__":
    main()
