"""The parts of `make soak`, small; what endless programs cost, by the CPU time that was counted."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.soak import course, kill, load, loop, machine, runs
from harness import load_assignment
from harness.grading.context import GradingContext, prepare
from tests.per_commit import per_commit
from tests.tiny_course import ran

SOAK = [sys.executable, "-m", "benchmarks.soak"]


def soak(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: it takes in the orphans of all that it starts."""
    return ran([*SOAK, *arguments], cwd=course.ROOT)


@pytest.mark.alone
@pytest.mark.release
def test_a_batch_with_hostile_programs_in_it() -> None:
    done = soak("batch", "--count", "40")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "40 submissions, 2 of them hostile" in done.stdout
    assert "Left behind: nothing" in done.stdout
    assert "| batch | process |" in done.stdout  # rows only where it took long enough to sample


@pytest.mark.alone
@pytest.mark.release
def test_kills_and_resumed_runs() -> None:
    done = soak("kill", "--kills", "3", "--students", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 kills" in done.stdout


def test_an_unknown_part_is_refused() -> None:
    done = soak("bach")
    assert done.returncode == 2
    assert "no such part: bach; there are batch, corpus, load, kill, loop" in done.stderr


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class in class/, right, slow and endless programs among it, and its results in out/."""
    folder = course.with_class(tmp_path_factory.mktemp("soak"), 3)
    programs = {
        "right": course.honest_program(),
        "slow": course.slow(0.6),
        "endless": course.endless(),
        "sometimes": course.sometimes(),
        "slow_sometimes": course.sometimes(course.slow(0.6)),
    }
    for name, program in programs.items():
        course.hand_in(folder / "class", name, program)
    runs.grade(folder, folder / "out", "class")
    return folder


@pytest.mark.release
def test_thorough_changes_no_mark(graded: Path) -> None:
    """Right but slow, looping on some inputs only, and both at once: the same verdicts."""
    runs.grade(graded, graded / "thorough", "class", "--thorough")
    for name in ("right", "slow", "sometimes", "slow_sometimes", "s001"):
        assert runs.verdicts(graded / "out", name) == runs.verdicts(graded / "thorough", name)
    assert set(runs.verdicts(graded / "thorough", "endless")) == {"cpu_limit"}
    marks = [
        {entry["id"]: entry["mark"] for entry in runs.results(graded / out)["submissions"]}
        for out in ("out", "thorough")
    ]
    assert marks[0] == marks[1]


@pytest.mark.alone
@pytest.mark.release
def test_the_same_bytes_and_limits_beside_busy_processes(graded: Path) -> None:
    with load.busy_machine(8):
        runs.grade(graded, graded / "loaded", "class")
    assert runs.timeless(graded / "loaded") == runs.timeless(graded / "out")
    assert runs.pages(graded / "loaded") == runs.pages(graded / "out")
    verdicts = {name: runs.verdicts(graded / "loaded", name) for name in ("right", "slow")}
    assert verdicts["slow"] == verdicts["right"]
    assert verdicts["right"].count("passed") == len(verdicts["right"]) - 1  # but for the secret
    assert set(runs.verdicts(graded / "loaded", "endless")) == {"cpu_limit", "stopped_early"}


@pytest.mark.release
def test_an_incomplete_report_is_noticed(graded: Path, tmp_path: Path) -> None:
    whole = kill.Whole.of(graded / "out")
    assert whole.look_at(graded / "out") == "report"
    shutil.copytree(graded / "out", tmp_path / "again")
    index = tmp_path / "again" / "index.html"
    text = index.read_text(encoding="utf-8")
    started = runs.results(tmp_path / "again")["run"]["started"]
    index.write_text(text.replace(started, "another day"), encoding="utf-8")
    with pytest.raises(AssertionError, match="different runs"):
        whole.look_at(tmp_path / "again")
    index.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(AssertionError, match="cut off"):
        whole.look_at(tmp_path / "again")


@pytest.mark.alone
def test_leftovers_on_a_machine_are_noticed(tmp_path: Path) -> None:
    before = machine.Traces.now()
    token = f"soak-{tmp_path.name}"
    left = Path("/dev/shm") / token
    left.write_text("x", encoding="utf-8")
    try:
        assert machine.Traces.now().new_since(before, token) == [str(left)]
    finally:
        left.unlink()
    assert machine.Traces.now().new_since(before, token) == []


SCENARIOS = 200


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    """The small course with its scenarios over and over."""
    found = prepare(load_assignment(course.lay(tmp_path_factory.mktemp("loop")), "hostile"))
    plan = found.specification.plan
    few = plan.scenarios
    many = (replace(few[n % len(few)], id=f"{n}", group=f"{n}") for n in range(SCENARIOS))
    longer = replace(plan, scenarios=tuple(many))
    return replace(found, specification=replace(found.specification, plan=longer))


@pytest.mark.alone  # programs that loop beside it take CPU time of this one's caches
@pytest.mark.parametrize(
    "where", per_commit(["in every function", "while it loads", "everywhere"], "everywhere")
)
def test_looping_everywhere_costs_twenty_limits(context: GradingContext, where: str) -> None:
    assignment = context.specification.plan.assignment
    counted, endings, seconds = loop.measured(context, loop.looping(assignment)[where])
    assert endings["stopped_early"] > SCENARIOS / 2
    assert endings.keys() <= {"cpu_limit", "stopped_early", "answered"}
    assert counted.runs >= SCENARIOS
    assert counted.cpu_seconds <= seconds <= loop.MOST * assignment.limits.cpu_seconds
