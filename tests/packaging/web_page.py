"""A page that checks in the browser: made, served by a file server that knows little, and used."""

import functools
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright import sync_api as playwright

from harness.assignment.loading import CACHE
from harness.common.errors import UserError
from harness.packaging.web.folder import EDITOR, PYODIDE, package
from tests.downloads import laid
from tests.shipped import ROOT, one_at_a_time

KEPT = ROOT / CACHE  # where npm's packages are kept for all tests
START = 240_000  # milliseconds for Pyodide to start beside other tests
CHECK = 240_000


def packages_or_skip(python: str) -> Path:
    """The cache with what a page needs; where npm cannot fetch it, the test is skipped."""
    with one_at_a_time(KEPT / "npm.lock"):
        for pin in (EDITOR, PYODIDE[python]):
            try:
                package(pin, KEPT)
            except UserError as error:
                pytest.skip(str(error))
    return KEPT


class PlainServer(SimpleHTTPRequestHandler):
    """Has no headers of its own, and takes what is new to it for bytes."""

    extensions_map: ClassVar[dict[str, str]] = {  # type: ignore[misc]
        ".html": "text/html",
        ".js": "text/javascript",
        ".css": "text/css",
        "": "application/octet-stream",
    }

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Let a browser go away in the middle of a file."""
        try:
            super().copyfile(source, outputfile)
        except ConnectionError:
            self.close_connection = True


@contextmanager
def served(files: Mapping[str, bytes], folder: Path) -> Iterator[str]:
    laid(dict(files), folder)
    handler = functools.partial(PlainServer, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Checker:
    """A tab with such a page. `requests` are the addresses that it asked for, `said` what its
    console said, `starts` how often Python was started."""

    page: playwright.Page
    address: str
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    starts: int = 0

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("worker", self._started)
        self.page.goto(self.address)

    def _started(self, _worker: object) -> None:
        self.starts += 1

    @property
    def status(self) -> str:
        return self.page.locator("#status").inner_text()

    @property
    def cards(self) -> str:
        """What stands below the editor, as text."""
        return str(self.page.evaluate("document.getElementById('results').textContent"))

    def ready(self) -> None:
        self.page.locator("#check:not([disabled]), #status.bad").first.wait_for(timeout=START)
        assert not self.status.startswith("Python does not start"), self.status

    def check(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """Drop these files, the others not begun, check, and give the verdicts by scenario."""
        self.ready()
        if any(name.endswith(".py") for name in files):
            stubs = dict(self.page.evaluate("self.ASSIGNMENT.files"))
            files = {name: text.encode() for name, text in stubs.items()} | dict(files)
        self.page.evaluate("document.getElementById('status').textContent = ''")
        given = [
            {"name": name, "mimeType": "application/octet-stream", "buffer": data}
            for name, data in files.items()
        ]
        self.page.set_input_files("#open", given)
        self.page.locator("#status:not(:empty)").wait_for()
        if self.status.startswith("Loaded"):
            self.page.click("#check")
        self.page.locator("#check:not([disabled])").wait_for(timeout=CHECK)
        return self.page.evaluate("document.getElementById('results').verdicts") or {}
