from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.reporting.chromium import FLAGS, chromium


@pytest.fixture(scope="session")
def chromium_started() -> Iterator[Browser]:
    """Chromium, started by the first test that looks at a page in it."""
    program = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()
