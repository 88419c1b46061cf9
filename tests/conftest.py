import compileall
import gc
import os
import signal
import sys
import zoneinfo
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

import harness
from harness.execution import Interpreter, TierTrial, choose_tier, find_interpreter, speed, try_tier
from harness.grading import machine
from harness.model.observation import Tier
from harness.packaging.program_file import needed_files
from harness.reporting.html.environment import environment
from tests.inline import DRIVERS, GradedPrograms
from tests.shipped import one_at_a_time
from tests.tiny_course import FIXTURE, Course

collect_ignore = ["fixtures"]  # an assignment for tests to use, not a suite of its own
TESTS = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Compile the harness once: hundreds of commands and workers are started, each of which would
    compile it anew where PYTHONDONTWRITEBYTECODE is set. Tests side by side have a core each, so
    that none starts more workers than there is room for."""
    # Whatever this machine's speed is: what a run finds must not differ from the next one's.
    os.environ.setdefault(speed.VARIABLE, "1")
    if hasattr(config, "workerinput"):  # of pytest-xdist
        if sys.platform == "linux":
            cores = sorted(os.sched_getaffinity(0))
            number = int(config.workerinput["workerid"].removeprefix("gw"))
            os.sched_setaffinity(0, {cores[number % len(cores)]})
    else:
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in a background job of a shell
            signal.signal(signal.SIGINT, signal.default_int_handler)  # programs would inherit it
        compileall.compile_dir(Path(harness.__file__).parent, quiet=2, workers=0)
        with patch("sys.dont_write_bytecode", new=False):
            pages = environment()
            for name in pages.list_templates(["j2"]):
                pages.get_template(name)


@pytest.fixture(scope="session", autouse=True)
def _found_out_once() -> Iterator[None]:
    """What comes out the same in every run of this process: an interpreter and a trial of a tier
    (the tests of these look anew), and which files of the harness a program needs. Drivers live
    on."""
    tier = cache(choose_tier)
    with (
        DRIVERS,
        machine.find_interpreter.replaced_by(cache(find_interpreter)),
        machine.choose_tier.replaced_by(lambda of, require=None: tier(of, require)),
        needed_files.replaced_by(cache(needed_files.original)),
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def programs_graded_once() -> Iterator[None]:
    """Grade each program once under the same plan and answer key, however many tests hand it in."""
    with GradedPrograms().used():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of thousands of tests is garbage: looking for it takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slowest package comes first, so that a parallel run does not end with it alone."""
    items.sort(key=lambda item: not item.path.is_relative_to(TESTS / "soak"))


@pytest.fixture(scope="session")
def graded_once(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The tiny course after `harness grade`; not to be changed. The first process that needs it
    grades it for all that run side by side."""
    base = tmp_path_factory.getbasetemp()
    course = Course((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "graded-once")
    done = course.root.with_suffix(".done")
    with one_at_a_time(course.root.with_suffix(".lock")):
        if not done.exists():
            Course.copy(FIXTURE, course.root)
            course.ok("grade", "submissions/tiny")
            checked = course.run("check", "submissions/tiny/perfect")  # keeps the tier's trial
            assert checked.status == 0
            done.touch()
    return course


@pytest.fixture
def graded(graded_once: Course, tmp_path: Path) -> Course:
    """A copy of one's own of the graded course, report and all."""
    return Course.copy(graded_once.root, tmp_path / "course")


@pytest.fixture
def course(graded_once: Course, tmp_path: Path) -> Course:
    """A copy of one's own without a report; what was compiled is kept."""
    return Course.copy(graded_once.root, tmp_path / "course", reports=False)


Added = Callable[[ModuleType, str, str], Path]


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Added]:
    """Adds a module, of this name and text, to a package for one test, as if it lay in its folder.
    What the package had found before is forgotten."""
    names: list[str] = []
    packages: list[ModuleType] = []

    def forget() -> None:
        for found in (each for package in packages for each in vars(package).values()):
            if hasattr(found, "cache_clear"):
                found.cache_clear()

    def add(package: ModuleType, name: str, text: str) -> Path:
        folder = tmp_path / "added" / package.__name__
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        if str(folder) not in package.__path__:
            monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
        names.append(f"{package.__name__}.{name}")
        packages.append(package)
        forget()
        return folder / f"{name}.py"

    yield add
    for name in names:
        sys.modules.pop(name, None)
    forget()


TryTier = Callable[[Interpreter, Tier], TierTrial]


@pytest.fixture(scope="session")
def try_once() -> TryTier:
    """`try_tier`, which comes out the same each time: each is tried when it is first asked for."""
    return cache(try_tier)


@pytest.fixture(scope="session")
def why_not_strong(try_once: TryTier) -> str:
    """Why this machine does not offer the strong tier, empty where it does."""
    return try_once(find_interpreter("3.12"), Tier.STRONG).shortcoming


@pytest.fixture(scope="session")
def strong_here(why_not_strong: str) -> bool:
    """Whether this machine offers the strong tier."""
    return not why_not_strong


@pytest.fixture
def tier(request: pytest.FixtureRequest, why_not_strong: str) -> Tier:
    """The tier that a test is parametrised with, indirectly, where this machine offers it."""
    wanted: Tier = request.param
    if request.param == "best":
        wanted = Tier.STANDARD if why_not_strong else Tier.STRONG
    if wanted is Tier.STRONG and why_not_strong:
        pytest.skip(f"no strong tier here: {why_not_strong}")
    return wanted


@pytest.fixture
def no_zones(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No time zone is known, as on Windows and in small containers."""
    for name in [each for each in sys.modules if each.startswith("tzdata.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tzdata", None)
    zoneinfo.reset_tzpath(())
    zoneinfo.ZoneInfo.clear_cache()
    yield
    zoneinfo.reset_tzpath()
