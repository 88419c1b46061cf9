"""The page that checks in the browser: what is in its folder, and what it does in Chromium."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import indent

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright import sync_api as playwright

from harness.assignment.loading import CACHE, load
from harness.common.errors import UserError
from harness.execution import create_driver
from harness.grading.check import check_submissions, not_here, submitted, without_files
from harness.grading.context import GradingContext, prepare, visible_only
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.assignment import ExtraModules, SourceFile
from harness.model.plan import Specification
from harness.model.result import SubmissionResult
from harness.packaging.handout import student_key, student_plan
from harness.packaging.web import folder as web
from harness.packaging.web.callees_first import callees_first
from harness.packaging.web.checker import _as_checked
from harness.packaging.web.folder import web_folder
from harness.reporting.html.submission_pages import check_results
from harness.results.student_view import student_view
from tests import notebooks
from tests.packaging.given_away import of_program, packed, telling
from tests.packaging.web_page import KEPT, START, Checker, packages_or_skip, served
from tests.per_commit import per_commit
from tests.reporting import test_report_browser
from tests.reporting.pages_read import refusal
from tests.shipped import ROOT, root_of, shipped
from tests.tiny_course import FIXTURE, Course

LIMITED = "limits: {wall_seconds: 1, cpu_seconds: 0.6}\ntime_zone: Europe/Berlin\npolicy:"
PERFECT = (FIXTURE / "submissions/tiny/perfect/a1.py").read_text("utf-8")
SAMPLES = {one.parent.name: one.parent for one in sorted(FIXTURE.glob("submissions/tiny/*/a1.py"))}
Tiny = tuple[Specification, GradingContext]
chromium_here = test_report_browser.chromium_started
MAX_BYTES = 20_000_000
TAG = "cpython-312"  # of the assignment's Python


def made(specification: Specification, context: GradingContext) -> dict[str, bytes]:
    cache = packages_or_skip(specification.plan.assignment.python)
    return web_folder(specification, context, cache)


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A copy of the tiny course, not to be changed."""
    course = Course.copy(FIXTURE, tmp_path_factory.mktemp("web") / "course")
    # What listens to nobody is ended after this time, and two seconds.
    course.edit("specs/tiny/assignment.yaml", "policy:", LIMITED)
    return course


@pytest.fixture(scope="module")
def tiny(limited: Course) -> Tiny:
    specification = load(limited.root, "tiny")
    return specification, prepare(visible_only(specification), cache=limited.root / CACHE)


@pytest.fixture(scope="module")
def site(limited: Course) -> Path:
    """The folder that `harness web` makes of it."""
    cache = packages_or_skip("3.12")
    (limited.root / CACHE).mkdir(exist_ok=True)
    (limited.root / CACHE / "npm").symlink_to(cache / "npm")
    limited.ok("web", "tiny", "-o", limited.path("site"))
    return limited.path("site")


@pytest.fixture(scope="module")
def folder(site: Path) -> dict[str, bytes]:
    return files_below(site)


def files_below(top: Path) -> dict[str, bytes]:
    paths = [path for path in top.rglob("*") if path.is_file()]
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in paths}


def test_the_folder_has_what_a_self_check_has(folder: dict[str, bytes], tiny: Tiny) -> None:
    ours = {name: data for name, data in folder.items() if not name.startswith("pyodide/")}
    assert not telling(ours | packed(folder["checker.zip"]))
    # What must not be in that is not in this either.
    plan = student_plan(tiny[1].specification)
    assert of_program(folder["checker.zip"]) == (plan, student_key(tiny[1], plan))


def test_the_page_asks_for_nothing_from_elsewhere(folder: dict[str, bytes]) -> None:
    page = folder["index.html"].decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ")
    assert "unsafe-inline" not in policy[1]
    assert "connect-src 'self'" in policy[1]
    for name in ("index.html", "page.js", "worker.js", "machine.js", "offline.js", "page.css"):
        assert b"://" not in folder[name].replace(b'location.protocol === "file:"', b""), name
    kept = re.search(r"= \[(\".*?\"), (\[.*?\])\];", folder["offline.js"].decode())
    assert kept is not None
    assert set(json.loads(kept[2])) == {*folder} - {"offline.js"}
    assert sum(map(len, folder.values())) <= MAX_BYTES


CODE = {  # by the archive, of one of its modules
    "pyodide/python_stdlib.zip": ("asyncio/events.py", "asyncio/events.pyc"),
    "checker.zip": (
        "harness/packaging/web/checker.py",
        f"harness/packaging/web/__pycache__/checker.{TAG}.pyc",
    ),
}


def test_modules_come_with_their_code_for_this_python(folder: dict[str, bytes], tiny: Tiny) -> None:
    """A browser would compile them at each start."""
    if not tiny[1].interpreter.exact:
        pytest.skip("the assignment's Python is not here")
    for name, (_, code) in CODE.items():
        assert code in packed(folder[name])


@pytest.mark.release
def test_modules_come_as_texts_where_the_python_is_another(tiny: Tiny) -> None:
    specification, context = tiny
    elsewhere = replace(context, interpreter=replace(context.interpreter, version="3.10.1"))
    of_another = made(specification, elsewhere)
    for name, (module, code) in CODE.items():
        assert module in packed(of_another[name])
        assert code not in packed(of_another[name])


def test_both_commands_make_the_same_folder(folder: dict[str, bytes], limited: Course) -> None:
    limited.ok("handout", "tiny", "--web", "-o", limited.path("again"))
    assert files_below(limited.path("again")) == folder
    assert {"index.html", "checker.zip", "provided/till.py", "pyodide/pyodide.js"} <= {*folder}


def with_other(context: GradingContext, **changes: object) -> GradingContext:
    plan = context.specification.plan
    plan = replace(plan, assignment=replace(plan.assignment, **changes))
    return replace(context, specification=replace(context.specification, plan=plan))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"packages": ("numpy",)}, "tiny: it needs numpy, which a browser does not have"),
        (
            {"python": "3.10"},
            ("tiny: no Python 3.10 for browsers is available. Hint: available: 3.11, "),
        ),
    ],
)
def test_a_course_that_no_browser_runs_is_refused(
    changes: dict[str, object], line: str, tiny: Tiny, tmp_path: Path
) -> None:
    said = refusal(web_folder, tiny[0], with_other(tiny[1], **changes), tmp_path)
    assert said.startswith(line)


def test_another_package_and_no_npm_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "npm" / web.EDITOR.archive
    kept.parent.mkdir()
    kept.write_bytes(b"another")
    with pytest.raises(UserError, match=r"it is not prism-code-editor .* build the page again"):
        web.package(web.EDITOR, tmp_path)
    kept.unlink()
    monkeypatch.setenv("PATH", str(kept.parent))
    with pytest.raises(UserError, match=r"npm is needed .* Hint: install Node.js, .* or put "):
        web.package(web.EDITOR, tmp_path)


@pytest.fixture(scope="module")
def tab(chromium_here: playwright.Browser) -> Iterator[playwright.Page]:
    with chromium_here.new_context() as context:
        yield context.new_page()


@pytest.fixture(scope="module")
def checker(tab: playwright.Page, site: Path) -> Iterator[Checker]:
    with served({}, site) as address:
        checker = Checker(tab, address)
        checker.ready()
        yield checker


def natively(context: GradingContext, folder: Path) -> SubmissionResult:
    """What `harness check` finds without the reference, as the page is."""
    plan, python = student_plan(context.specification), context.interpreter
    paths = [*folder.glob("*.py")]
    submission, *_ = submitted(paths, plan.assignment)
    with (
        create_driver(python, context.tier.tier) as driver,
        Grader(GraderSetup(plan=plan, key=student_key(context, plan)), driver) as grader,
    ):
        return without_files(grader.grade(submission).result, not_here(paths, plan.assignment))


def sources(folder: Path) -> list[SourceFile]:
    return [SourceFile(name=name, data=data) for name, data in files_of(folder).items()]


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.py")}


def verdicts_of(result: SubmissionResult) -> dict[str, str]:
    return {each.scenario_id: str(each.verdict.kind) for each in result.scenarios}


@pytest.mark.parametrize("name", per_commit(SAMPLES, "prints_total"))
def test_the_page_finds_what_a_check_finds(checker: Checker, tiny: Tiny, name: str) -> None:
    sample = SAMPLES[name]
    result = natively(tiny[1], sample)
    assert checker.check(files_of(sample)) == verdicts_of(result)
    view = student_view(result, student_plan(tiny[1].specification))
    causes = callees_first(view.causes, sources(sample))
    view = _as_checked(replace(view, causes=causes))
    shown = "const made = document.createElement('div'); made.innerHTML = html; return made"
    expected = checker.page.evaluate(
        f"(html) => (() => {{ {shown}.textContent; }})()", check_results(replace(view, notes=()))
    )
    assert checker.cards == expected
    if name == "prints_total":  # its main fails too, but is innocent
        assert [cause.function for cause in causes] == ["total", "main"]


HOSTILE = {
    "is_valid": "import os; os._exit(0)",
    "add": "import signal; signal.signal(24, signal.SIG_IGN)\nwhile True: pass",
    "total": "import js; js.document.title = 'stolen'",
    "main": "print('x' * 10 ** 7)",
}


def hostile(bodies: Mapping[str, str]) -> dict[str, bytes]:
    """The right program with these statements at the beginning of its functions."""
    text = PERFECT
    for name, body in bodies.items():
        own = indent(body.strip(), "    ")
        text = re.sub(rf'(def {name}\(.*\n    """.*\n)', rf"\g<1>{own}\n", text)
    return {"a1.py": text.encode()}


def test_a_program_harms_only_its_own_verdict(checker: Checker) -> None:
    before = checker.starts
    verdicts = checker.check(hostile(HOSTILE))
    kinds = {name.partition("/")[0]: kind for name, kind in reversed(verdicts.items())}
    assert kinds == {
        "is_valid": "ended_early",
        "basket": "cpu_limit",
        "total": "failed",
        "main": "output_limit",
    }
    assert checker.starts == before, "the loop ended with its worker"
    assert "line 20 of add" in checker.cards
    assert "imports js, which Python does not have" in checker.cards
    assert checker.page.title().startswith("Check your work")
    assert {*checker.check({"a1.py": PERFECT.encode()}).values()} == {"passed"}


def test_a_sleep_counts_where_nobody_waits_for_it(checker: Checker) -> None:
    verdicts = checker.check(
        hostile(
            {
                "is_valid": "import time; from subprocess import _time as real; began = real(); "
                "time.sleep(0.95); assert real() - began < 0.9",
                "total": "import time; time.sleep(0.7); time.sleep(0.7)",
            }
        )
    )
    kinds = {name.partition("/")[0]: kind for name, kind in reversed(verdicts.items())}
    right = {"is_valid": "passed", "basket": "passed"}
    assert kinds == {**right, "total": "timeout", "main": "timeout"}


def test_functions_registered_for_the_programs_end_run(checker: Checker) -> None:
    body = "import atexit, sys, threading; atexit.register({}, 'late')"
    kinds = []
    for function in ("print", "sys.stdout.isatty() and str"):
        verdicts = checker.check(hostile({"main": body.format(function)}))
        kinds.append({kind for name, kind in verdicts.items() if name.startswith("main/")})
    assert kinds == [{"failed"}, {"passed"}]


# Each gives a function of a program the worker's own objects, as `js`, if nothing stops it: by the
# finder of js, and by the core made anew.
WAYS_OUT = {
    "total": """
import gc
gc.unfreeze()
js = next(each for each in gc.get_objects() if type(each).__name__ == "JsFinder").jsproxies["js"]
""",
    "add": """
import _imp, types
core = _imp.create_builtin(types.SimpleNamespace(name="_pyodide_core"))
_imp.exec_builtin(core)
js = core.to_js([]).constructor.constructor("return self")()
""",
}
FORGED = '{"answer": {"html": "forged", "told": "9 of 9", "kind": "good", "verdicts": {}}}'

# A program may write where scenarios have a folder; what else it could leave for the next one ends
# it early.
LEAVES_NOTHING = """
import os
os.mkdir("/folder/sub")
with open("/folder/sub/new", "w") as file:
    file.write("text" * 2 ** 18)  # the largest that a file may be
os.chmod("/folder/sub/new", 0o600)
def append(path, data):
    with open(path, "ab", 0) as file:
        file.write(data)
for function, *given in (
    (os.unlink, "/dev/answers"), (os.rename, "/dev/questions", "/dev/mine"), (os.mkdir, "/dev/sub"),
    (os.utime, "/tmp", (5, 5)), (os.chmod, "/tmp", 0o777), (os.chown, "/tmp", 1, 1),
    (open, "/dev/new", "w"), (open, "/proc/new", "w"), (open, "/tmp/new", "w"),
    (os.symlink, "/folder", "/dev/link"), (append, "/folder/sub/new", b"more"),
    (os.truncate, "/folder/sub/new", 2 ** 21), (os.unlink, "/folder/sub/new"),
):
    try:
        function(*given)
    except OSError:
        continue
    if given != ["/folder/sub/new"]:
        os._exit(0)
"""


def test_no_way_leads_out_of_the_interpreter_or_to_the_next_scenario(checker: Checker) -> None:
    send = f"js.postMessage(js.JSON.parse({FORGED!r}))"
    texts = {name: way + send for name, way in WAYS_OUT.items()} | {"is_valid": LEAVES_NOTHING}
    verdicts = checker.check(hostile(texts))
    passed = {name.partition("/")[0] for name, kind in verdicts.items() if kind == "passed"}
    assert passed == {"is_valid"}
    assert checker.status == "4 of 7 visible checks passed."


def test_files_that_are_not_programs_are_reported(checker: Checker) -> None:
    assert checker.check({"a1.docx": b"x = 1"}) == {}
    assert checker.status.startswith("a1.docx: this is not a folder, an archive or a .py file")
    empty = checker.check({"a1.ipynb": b'{"cells": []}'})
    assert {*empty.values()} == {"unreadable"}
    assert "a1.ipynb has no code cells" in checker.cards
    read = checker.check({"a1.ipynb": notebooks.notebook(notebooks.code(PERFECT))})
    assert {*read.values()} == {"passed"}
    large = checker.check({"a1.py": b"#" * 600_000})
    assert {*large.values()} == {"unreadable"}
    assert "a1.py is larger than 512 KiB" in checker.cards


@pytest.fixture
def played(checker: Checker) -> Iterator[playwright.Page]:
    """The page while an example is played in the terminal, which has typed nothing yet."""
    checker.check({"a1.py": PERFECT.replace("print(BYE)", "print('Bye')").encode()})
    checker.page.get_by_role("button", name="Run example 1 in a terminal").click()
    checker.page.get_by_text("The example now types 3.").wait_for(timeout=START)
    yield checker.page
    checker.page.get_by_role("button", name="Close").click()


def test_an_example_is_played_by_hand(played: playwright.Page) -> None:
    played.get_by_role("button", name="Type the example's next line").click()
    played.get_by_text("The example now types 4.").wait_for(timeout=START)
    played.get_by_label("Type a line").fill("q")
    played.get_by_role("button", name="Enter").click()
    played.get_by_text("The program has ended.").wait_for(timeout=START)
    assert played.locator("#screen").inner_text().endswith("Bye\n\n[The program has ended.]")

    assert not played.get_by_role("button", name="Type the example's next line").is_visible()


def test_a_program_is_run_without_an_example(checker: Checker) -> None:
    """With lines of its own, and none is proposed."""
    page = checker.page
    checker.check({"a1.py": b"print('Hello, ' + input('Name? '))\n"})
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_label("Type a line").fill("Ada")
    page.get_by_role("button", name="Enter").click()
    page.get_by_text("The program has ended.").wait_for(timeout=START)
    assert page.locator("#screen").inner_text().startswith("Name? Ada\nHello, Ada\n")
    assert not page.get_by_role("button", name="Type the example's next line").is_visible()
    page.get_by_role("button", name="Close").click()


def test_a_new_check_clears_the_last_one_and_shows_a_mistake_in_the_editor(
    checker: Checker,
) -> None:
    page = checker.page
    page.set_viewport_size({"width": 1280, "height": 844})
    checker.check(files_of(FIXTURE / "submissions/tiny/prints_total"))
    functions = page.locator("#functions li")
    assert functions.all_inner_texts()[0].startswith("✓ is_valid ")
    assert functions.filter(has_text="✗ total").count() == 1
    program, results = page.locator("#work").bounding_box(), page.locator("#found").bounding_box()
    assert program and results
    assert program["x"] + program["width"] <= results["x"]
    page.locator("#editor textarea").fill("def total(:\n    pass\n")
    page.keyboard.press("Control+Enter")
    playwright.expect(functions).to_have_count(0)
    page.locator("#check:not([disabled])").wait_for(timeout=START)
    assert page.evaluate("document.activeElement.selectionStart") == len("def total(")


@pytest.mark.release
def test_axe_finds_nothing_while_an_example_is_played(played: playwright.Page) -> None:
    assert Axe().run(played).response["violations"] == []


@pytest.mark.parametrize("scheme", per_commit(["light", "dark"], "light"))
@pytest.mark.parametrize("width", per_commit([390, 1280], 390))
def test_the_page_fits_and_axe_finds_nothing(checker: Checker, width: int, scheme: str) -> None:
    page = checker.page
    if "to fix" not in checker.cards:
        checker.check(files_of(FIXTURE / "submissions/tiny/prints_total"))
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert Axe().run(page).response["violations"] == []


@pytest.mark.release
def test_a_computation_that_hears_nothing_ends_with_its_worker(checker: Checker) -> None:
    """And the rest goes on."""
    endless = "import itertools; return sum(itertools.repeat(0))"
    verdicts = checker.check(hostile({"total": endless}))
    failed = {name: kind for name, kind in verdicts.items() if kind != "passed"}
    assert failed == dict.fromkeys(("total/an-empty-basket", "main/two-amounts"), "cpu_limit")


def test_written_text_is_there_again_without_a_network(checker: Checker) -> None:
    page = checker.page
    page.set_input_files("#open", FIXTURE / "submissions/tiny/perfect/a1.py")
    page.get_by_text("Loaded a1.py.").wait_for()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    assert checker.said == []
    own = checker.address
    assert {url.partition(":")[0] for url in checker.requests if not url.startswith(own)} == {
        "blob"
    }
    page.context.set_offline(True)
    page.reload()
    page.locator("#editor textarea").wait_for()
    assert page.locator("#editor textarea").input_value() == PERFECT
    asked = "fetch('pyodide/pyodide.asm.wasm').then((answer) => answer.arrayBuffer())"
    assert page.evaluate(f"{asked}.then((bytes) => bytes.byteLength)") > 8_000_000
    page.context.set_offline(False)


@pytest.mark.release
def test_modules_beside_the_program_are_checked_and_kept(
    tiny: Tiny, tab: playwright.Page, tmp_path: Path
) -> None:
    context = with_other(tiny[1], extra_modules=ExtraModules(allow=("*.py",)))
    specification = replace(tiny[0], plan=context.specification.plan)
    program = PERFECT.replace("result += amount", "result = more(result, amount)")
    program = program.replace("from till", "from sums import more\nfrom till")
    module = b"def more(one, other):\n    return one + other\n"
    with served(made(specification, context), tmp_path) as address:
        checker = Checker(tab, address)
        verdicts = checker.check({"a1.py": program.encode(), "sums.py": module})
        assert set(verdicts.values()) == {"passed"}, checker.cards
        tab.reload()
        tab.get_by_role("button", name="sums.py").wait_for()
        checker.ready()
        tab.click("#check")
        tab.locator("#results :text('passed')").first.wait_for(timeout=START)
        assert set(tab.evaluate("document.getElementById('results').verdicts").values()) == {
            "passed"
        }


@pytest.mark.release
def test_a_site_opened_from_a_folder_tells_what_to_do(tab: playwright.Page, site: Path) -> None:
    tab.goto((site / "index.html").as_uri())
    assert "Put the folder on a web space" in tab.locator("#status").inner_text()


@pytest.mark.release
def test_a_site_without_webassembly_or_storage_tells_what_to_do(
    chromium_here: playwright.Browser, folder: dict[str, bytes], tmp_path: Path
) -> None:
    files = {name: data for name, data in folder.items() if not name.startswith("pyodide/")}
    with served(files, tmp_path) as address, chromium_here.new_context() as context:
        page = context.new_page()
        page.add_init_script("delete self.WebAssembly")
        page.goto(address)
        assert "This browser has no WebAssembly" in page.locator("#status").inner_text()
        page = context.new_page()
        broken = "get() { throw new DOMException('none') }"
        page.add_init_script(f"Object.defineProperty(self, 'localStorage', {{ {broken} }})")
        page.goto(address)
        page.get_by_text("This browser keeps nothing").wait_for()


@pytest.mark.release
@pytest.mark.parametrize("python", web.PYODIDE)
def test_every_python_checks(python: str, tiny: Tiny, tab: playwright.Page, tmp_path: Path) -> None:
    context = with_other(tiny[1], python=python)
    specification = replace(tiny[0], plan=context.specification.plan)
    with served(made(specification, context), tmp_path) as address:
        checker = Checker(tab, address)
        for sample in SAMPLES.values():
            expected = verdicts_of(natively(context, sample))
            assert checker.check(files_of(sample)) == expected, sample.name
        verdicts = checker.check(hostile({"is_valid": LEAVES_NOTHING}))
        failed = {name for name, kind in verdicts.items() if kind != "passed"}
        assert failed == {"main/two-amounts"}, checker.cards  # which calls it twice


ASSIGNMENTS = sorted(path.name for path in (ROOT / "specs").iterdir())
EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/specs"))


@pytest.mark.release
@pytest.mark.parametrize("assignment_id", [*ASSIGNMENTS, *EXAMPLES])
def test_all_samples_have_the_verdicts_of_a_check(
    assignment_id: str, tab: playwright.Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table of verdicts, a line an assignment or example: every sample, as `harness check`
    finds it and as the page does."""
    specification = shipped(assignment_id)
    context = prepare(visible_only(specification), cache=KEPT, recall_tier=True)
    above = root_of(assignment_id) / "submissions"
    if (above / assignment_id).is_dir():
        above /= assignment_id
    samples = sorted({path.parent for path in above.glob("*/*.py")})
    assert samples
    if packages := specification.plan.assignment.packages:
        with pytest.raises(UserError, match=f"it needs {packages[0]}, which a browser does not"):
            made(specification, context)
        pytest.skip("what it needs is not in a browser, which harness web says")
    verdicts, wrong = 0, {}
    with served(made(specification, context), tmp_path / "site") as address:
        checker = Checker(tab, address)
        for sample in samples:
            paths = [*sample.glob("*.py")]
            assignment = context.specification.plan.assignment
            (result,) = check_submissions(context, submitted(paths, assignment))
            expected = verdicts_of(without_files(result, not_here(paths, assignment)))
            found = checker.check(files_of(sample))
            verdicts += len(expected)
            if found != expected:
                pairs = {name: (kind, found.get(name)) for name, kind in expected.items()}
                wrong[sample.name] = {n: pair for n, pair in pairs.items() if pair[0] != pair[1]}
    same = f"{len(samples) - len(wrong)} of {len(samples)} samples have the verdicts of a check"
    with capsys.disabled():
        print(f"\n{assignment_id}: {same}, {verdicts} verdicts")
    assert wrong == {}
