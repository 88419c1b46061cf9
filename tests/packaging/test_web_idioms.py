"""In the browser, programs use Python's own objects as under plain Python; `idioms.txt` of the
tests of execution has the programs, and where they are prevented."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright import sync_api as playwright

from harness.assignment.loading import CACHE, load
from harness.execution import find_interpreter
from harness.grading.context import prepare, visible_only
from harness.model.observation import Ending, Observation, Raised, Turn
from harness.packaging.web.folder import web_folder
from tests.execution.idioms import LINES, Idiom, difference, idioms, plain
from tests.packaging.web_page import START, packages_or_skip, served
from tests.reporting import test_report_browser
from tests.tiny_course import FIXTURE, Course

chromium_here = test_report_browser.chromium_started
TOOLS = ("idioms_worker.js", "idioms_inside.py")
PYTHON = "3.12"
_START_WORKER = """() => new Promise((done) => {
    self.worker = new Worker("idioms_worker.js", { type: "module" });
    worker.onmessage = ({ data }) => done(data);
})"""
_OBSERVE = """(job) => new Promise((done) => {
    worker.onmessage = ({ data }) => done(data);
    worker.postMessage(job);
})"""


@dataclass(frozen=True)
class BrowserWorker:
    """A tab with a worker that observes programs as that of `harness web` does."""

    page: playwright.Page

    def observe(self, idiom: Idiom, *, piped: bool) -> Observation:
        job = {
            "program": idiom.program,
            "folder": idiom.folder,
            "lines": list(LINES),
            "piped": piped,
        }
        seen = json.loads(self.page.evaluate(_OBSERVE, job))
        raised = None
        if seen["raised"] is not None:
            type_name, message = seen["raised"]
            raised = Raised(type_name=type_name, message=message)
        return Observation(
            ending=Ending(seen["ending"]),
            detail=seen["detail"],
            turns=(Turn(printed=seen["screen"]),),
            exit_status=seen["status"],
            raised=raised,
        )


@pytest.fixture(scope="module")
def worker(
    chromium_here: playwright.Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserWorker]:
    folder = tmp_path_factory.mktemp("idioms")
    course = Course.copy(FIXTURE, folder / "course")
    specification = load(course.root, "tiny")
    context = prepare(visible_only(specification), cache=course.root / CACHE)
    files = web_folder(specification, context, packages_or_skip(PYTHON))
    for name in TOOLS:
        files[name] = Path(__file__).with_name(name).read_bytes()
    with served(files, folder / "site") as address, chromium_here.new_context() as tab:
        page = tab.new_page()
        page.set_default_timeout(START)
        page.goto(f"{address}visible-scenarios.txt")
        assert page.evaluate(_START_WORKER) == "ready"
        yield BrowserWorker(page)


@pytest.mark.release
def test_every_idiom_behaves_in_a_browser_as_in_plain_python(
    worker: BrowserWorker, tmp_path: Path
) -> None:
    python = find_interpreter(PYTHON)
    found = {}
    for number, idiom in enumerate(idioms()):
        for piped in (False, True):
            if not idiom.runs("browser", piped=piped):
                continue
            folder = tmp_path / f"{number}{piped}"
            folder.mkdir()
            expected = plain(python, idiom, folder, piped=piped)
            if said := difference(expected, worker.observe(idiom, piped=piped)):
                found[idiom.name, piped] = said
    assert found == {}, "\n".join(f"{name}: {said}" for name, said in found.items())
