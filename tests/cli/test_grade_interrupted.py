"""Whatever ends a run, the same command goes on from there and finds the same; where confinement
breaks it is tried again, and never a mark of 0. A folder that is watched. Progress, with an
estimate that may be believed."""

import io
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from rich.console import Console

from harness.cli.commands.grading.grade import QUIET_SECONDS, FolderEntries, stamps_of, watch_folder
from harness.cli.progress import PLAIN_AFTER, RECENT, Pace, listener, rounded, steps
from harness.common.errors import UserError
from harness.model import result
from tests import plans
from tests.cli.conftest import CLASS
from tests.cli.orphans import children, command_line, kill_grading, status
from tests.per_commit import per_commit
from tests.tiny_course import HARNESS, PATIENCE, Course, Terminal, environment, results, rows


def temporary(out: Path) -> Path:
    """A folder of the test's own instead of /tmp, to see what stays in it."""
    folder = out.with_name(f"{out.name}-temporary")
    folder.mkdir(exist_ok=True)
    return folder


def started(course: Course, out: Path) -> Terminal:
    """A run on a terminal, when at least one submission is done and at least one is not."""
    command = ("grade", "class", "--out", out, "--jobs", "1")
    child = course.on_terminal(*command, TMPDIR=str(temporary(out)))
    child.expect(f"[1-{CLASS - 1}]/{CLASS}")
    return child


@pytest.mark.parametrize(
    "how", per_commit(["ctrl-c", signal.SIGTERM, signal.SIGHUP], "ctrl-c"), ids=str
)
def test_an_interrupted_run_is_reported_and_goes_on(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path, how: signal.Signals | str
) -> None:
    child = started(unhurried, tmp_path)
    if isinstance(how, signal.Signals):
        os.kill(child.pid, how)
    else:
        child.sendintr()
    child.expect(f"interrupted after ([1-{CLASS - 1}]) of {CLASS}; run the same command to go on")
    done = int(child.match[1])
    child.assert_ended(130)
    assert list(temporary(tmp_path).iterdir()) == []
    found = results(tmp_path)
    assert found["run"]["complete"] is False
    assert len(found["submissions"]) == len(rows(tmp_path, "submission")) == done
    assert "not complete" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "not complete" in unhurried.ok("show", tmp_path).out
    assert f", {done} graded before" in unhurried.ok("grade", "class", "--out", tmp_path).err
    assert results(tmp_path) == expected


def test_a_killed_run_leaves_no_process_and_goes_on(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(temporary(tmp_path)))
    gone, _ = kill_grading(unhurried, "class", "--out", tmp_path, "--jobs", "2")
    assert list(temporary(tmp_path).iterdir()) == []
    assert gone >= 3  # the run itself and its two workers
    kept = len(rows(tmp_path, "submission"))
    assert 1 <= kept < CLASS
    assert f", {kept} graded before" in unhurried.ok("grade", "class", "--out", tmp_path).err
    assert results(tmp_path) == expected


@pytest.mark.parametrize("workers_there", [0, 1])
def test_a_signal_as_workers_start(unhurried: Course, tmp_path: Path, workers_there: int) -> None:
    run = unhurried.on_terminal("grade", "class", "--out", tmp_path, "--jobs", "2")
    run.expect("layout: ")  # what comes next is the start of the workers
    if workers_there:
        workers(run.pid)
    run.kill(signal.SIGTERM)
    run.assert_ended(130)
    assert "interrupted" in run.before


@pytest.mark.parametrize("option", per_commit(["--jobs=1", "--thorough"], "--jobs=1"))
def test_after_a_kill_nothing_lives_two_seconds_though_a_program_spins(
    unhurried: Course, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = Course.copy(unhurried.root, tmp_path / "course")
    endless = course.text("reference/tiny/a1.py").replace("\n\n\n", "\nwhile True: pass\n\n\n", 1)
    course.write("spins/s0/a1.py", endless)
    course.edit("specs/tiny/assignment.yaml", "cpu_seconds: 10", "cpu_seconds: 60")
    monkeypatch.setenv("TMPDIR", str(temporary(tmp_path)))
    gone, seconds = kill_grading(course, "spins", "--out", tmp_path / "out", option, spins=True)
    assert gone >= 2
    assert seconds < 2
    assert list(temporary(tmp_path).iterdir()) == []


def test_a_worker_that_dies_is_replaced_and_another_run_is_refused(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path
) -> None:
    child = started(unhurried, tmp_path)
    os.kill(child.pid, signal.SIGSTOP)  # or it may be over before the second has started
    second = unhurried.run("grade", "class", "--out", tmp_path)
    (worker,) = workers(child.pid)
    os.kill(worker, signal.SIGKILL)
    os.kill(child.pid, signal.SIGCONT)
    assert (second.status, second.out) == (2, "")
    assert second.err == (
        f"error: {tmp_path / 'run.sqlite'}: another run is writing these results. "
        "Hint: wait for it or choose another folder with --out\n"
    )
    child.assert_ended(0)
    assert results(tmp_path) == expected


def with_workers_killed(course: Course, *arguments: str | Path) -> tuple[str, int]:
    """Grade while every worker is killed as it starts: what it said, how many there were."""
    run = subprocess.Popen(
        [HARNESS, "grade", *arguments],
        cwd=course.root,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=-1,
    )
    killed: set[int] = set()
    while run.poll() is None:
        for worker in set(workers(run.pid)) - killed:
            os.kill(worker, signal.SIGKILL)
            killed.add(worker)
    assert run.stderr is not None
    complaint = run.stderr.read().decode()
    run.stderr.close()
    assert run.returncode == 3, complaint
    return complaint, len(killed)


def workers(parent: int) -> list[int]:
    """The worker processes of a run, as soon as there is one; none if it ended first. They are
    forked by a process of the run's."""
    deadline = monotonic() + PATIENCE
    while monotonic() < deadline:
        servers = [pid for pid in children(parent) if b"processes.serve" in command_line(pid)]
        found = [worker for server in servers for worker in children(server)]
        if found or status(parent)[0] == "Z":
            return found
        select.select([], [], [], 0.002)
    raise AssertionError("no worker was started")


def base_servers(worker: int) -> list[int]:
    """What confines a worker's submissions: its zygote, or what is wrapped around that."""
    return [pid for pid in children(worker) if b"package.zygote.serve" in command_line(pid)]


def test_a_submission_is_graded_again_if_its_confinement_dies(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path
) -> None:
    run = started(unhurried, tmp_path)
    (worker,) = workers(run.pid)
    (confining,) = base_servers(worker)
    os.kill(confining, signal.SIGKILL)
    run.assert_ended(0)
    assert results(tmp_path) == expected
    assert list(temporary(tmp_path).iterdir()) == []


def test_submissions_that_cannot_be_confined_any_more_get_no_mark(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path, strong_here: bool
) -> None:
    wrapper = shutil.which("bwrap")
    if wrapper is None or not strong_here:
        pytest.skip("no bubblewrap here that could break, or none that works")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "bwrap").symlink_to(wrapper)
    out = tmp_path / "report"
    command = ("grade", "class", "--out", out, "--jobs", "1")
    run = unhurried.on_terminal(*command, PATH=str(tools), TMPDIR=str(temporary(out)))
    run.expect(f"[1-{CLASS - 2}]/{CLASS}")
    os.kill(run.pid, signal.SIGSTOP)  # or it may be over before the tool is gone
    (tools / "bwrap").unlink()
    (worker,) = workers(run.pid)
    for confining in base_servers(worker):
        os.kill(confining, signal.SIGKILL)
    os.kill(run.pid, signal.SIGCONT)
    run.assert_ended(3)
    assert "could not be graded: bubblewrap (bwrap) is not installed" in run.before
    marks = {(entry["status"], entry["mark"]) for entry in results(out)["submissions"]}
    assert marks == {("graded", 6.0), ("harness_error", None)}
    assert list(temporary(out).iterdir()) == []
    (tools / "bwrap").symlink_to(wrapper)
    unhurried.ok("grade", "class", "--out", out)
    assert results(out) == expected


ADA, BOB = str(Path("ada", "a1.py")), str(Path("bob", "a1.py"))
Look = tuple[float, dict[str, tuple[int, int]]]

# What is seen at which second; then which entries are not complete, and whether to grade.
THERE: Look = (0, {ADA: (1, 5)})
SEEN: dict[str, tuple[list[Look], set[str], bool]] = {
    "nothing": ([(0, {})], set(), False),
    "just arrived": ([THERE], {"ada"}, False),
    "still": ([THERE, (QUIET_SECONDS, {ADA: (1, 5)})], set(), True),
    "still growing": ([THERE, (QUIET_SECONDS, {ADA: (1, 9)})], {"ada"}, False),
    "written anew in the same size": ([THERE, (QUIET_SECONDS, {ADA: (2, 5)})], {"ada"}, False),
    "one of two is complete": ([THERE, (QUIET_SECONDS, {ADA: (1, 5), BOB: (1, 5)})], {"bob"}, True),
    "another file": ([THERE, (QUIET_SECONDS, {ADA: (1, 5), ADA + "~": (1, 5)})], {"ada"}, False),
}


@pytest.mark.parametrize(("looks", "unsettled", "news"), SEEN.values(), ids=SEEN)
def test_a_folder_is_complete_once_it_no_longer_changes(
    looks: list[Look], unsettled: set[str], news: bool
) -> None:
    arrivals = FolderEntries()
    for now, stamps in looks:
        arrivals.look(stamps, now)
    assert (arrivals.unsettled(now), arrivals.has_news(now)) == (unsettled, news)


def test_graded_submissions_are_not_new() -> None:
    arrivals = FolderEntries()
    news = []
    for now, stamps in enumerate([{ADA: (1, 5)}] * 5 + [{ADA: (2, 5)}] * 5 + [{}]):
        arrivals.look(stamps, now)
        if arrivals.has_news(now):
            news.append(now)
            arrivals.graded(now)
    assert news == [QUIET_SECONDS, 5 + QUIET_SECONDS, 10]


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "loop").symlink_to(tmp_path)
    (tmp_path / "class" / "a1.py").write_text("x")
    assert set(stamps_of(tmp_path / "class")) == {"a1.py"}
    with pytest.raises(UserError):
        stamps_of(tmp_path / "nowhere")


def test_a_folder_that_is_watched(course: Course) -> None:
    right = course.text("reference/tiny/a1.py")
    course.path("inbox").mkdir()
    command = ("grade", "--watch", "inbox", "--assignment", "tiny")
    child = course.on_terminal(*command, TERM="dumb")
    for number, name in enumerate(("ada", "bob"), 1):
        course.write(f"inbox/{name}/a1.py", right[:200])
        course.write(f"inbox/{name}/a1.py", right)
        child.expect("Report: ")
        assert marks(course) == dict.fromkeys(("ada", "bob")[:number], 6.0)
    child.kill(signal.SIGTERM)
    child.assert_ended(130)


def marks(course: Course) -> dict[str, float]:
    return {each["id"]: each["mark"] for each in results(course.report)["submissions"]}


@pytest.mark.parametrize("restarted", [False, True])
def test_existing_results_are_kept_when_another_arrives(restarted: bool, course: Course) -> None:
    """Also a program that loops, and also after a new start."""
    right = course.text("reference/tiny/a1.py")
    check = "if not amount.isdigit():"
    course.edit("specs/tiny/assignment.yaml", "policy:", "limits: {cpu_seconds: 0.1}\npolicy:")
    course.write("inbox/ada/a1.py", right.replace(check, f"while True: pass\n    {check}"))
    arriving = [("bob", right), ("eve", right)]

    def watch(folder: Path, grade: Callable[[frozenset[str]], object], *_: object) -> None:
        grade(frozenset())
        while arriving and not restarted:
            course.write(f"inbox/{arriving[0][0]}/a1.py", arriving.pop(0)[1])
            grade(frozenset())

    command = ("grade", "--watch", "inbox", "--assignment", "tiny")
    with watch_folder.replaced_by(watch):
        told = course.run(*command).err
        while arriving:
            course.write(f"inbox/{arriving[0][0]}/a1.py", arriving.pop(0)[1])
            told += course.run(*command).err
    assert "scenarios stopped early" in told
    assert "tiny: 2 submissions, 1 graded before" in told
    assert "tiny: 3 submissions, 2 graded before" in told
    assert marks(course).keys() == {"ada", "bob", "eve"}


FACTS = plans.facts(assignment="tiny")
DONE = result.SubmissionGraded(
    result=result.SubmissionResult(
        id="ada", status=result.SubmissionStatus.GRADED, mark=Fraction(6), out_of=Fraction(6)
    )
)


@dataclass
class Clock:
    """Time that passes when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


# Of how many, how many were done in how many seconds each, what is left then, and in words.
PACES: list[tuple[int, list[tuple[int, float]], float | None, str]] = [
    (1000, [(4, 2.0)], None, ""),  # there is no rate yet
    (1000, [(5, 2.0)], 1990.0, "about 33 min left"),
    (1000, [(100, 10.0), (RECENT, 1.0)], 850.0, "about 14 min left"),  # the recent rate
    (20, [(10, 1.0)], 10.0, "about 10 s left"),
    (20, [(10, 1.0), (0, 10.0)], 20.0, "about 20 s left"),  # it grows while nothing is done
    (0, [], 0.0, ""),
    (2, [(2, 1.0)], 0.0, ""),
]


@pytest.mark.parametrize(("total", "done", "left", "text"), PACES)
def test_the_time_left_is_estimated(
    total: int, done: list[tuple[int, float]], left: float | None, text: str
) -> None:
    clock = Clock()
    pace = Pace(total, clock)
    for count, seconds in done:
        for _ in range(count):
            clock.now += seconds
            pace.done()
        clock.now += 0 if count else seconds
    assert (pace.remaining(), pace.text()) == (left, text)


def test_an_estimate_is_rounded_to_its_precision() -> None:
    exact = (0, 44, 56, 12 * 60 + 20, 89 * 60, 94 * 60, 2 * 3600 + 60, 7800)
    said = ["10 s", "40 s", "1 min", "12 min", "89 min", "1 h 30 min", "2 h", "2 h 10 min"]
    assert [rounded(seconds) for seconds in exact] == said


def test_plain_lines_come_every_so_often_and_say_what_is_left() -> None:
    clock, out = Clock(), io.StringIO()
    with listener(Console(file=out, width=30), clock) as show:
        show(result.RunStarted(facts=FACTS, total=300, kept=200))
        for number in range(100):
            clock.now += PLAIN_AFTER if number == 9 else 1.0
            show(DONE)
            if number == 98:
                show(result.WorstLeft(submissions=1, seconds=60.0))
        show(result.CausesBegun(total=26))
        for _ in range(26):
            clock.now += 1.0
            show(result.CausesFound(result=DONE.result))
        show(result.RunFinished(facts=FACTS))
        show(result.ReportsWritten(done=100, total=300))
        show(result.ReportsWritten(done=500, total=600))
    lines = out.getvalue().splitlines()
    assert "300 submissions, 200 graded before" in lines[0]
    assert lines[1:] == [
        "210 of 300 graded, about 6 min left",
        "225 of 300 graded, about 3 min left",
        "250 of 300 graded, about 1 min left",
        "275 of 300 graded, about 20 s left",
        "300 of 300 graded",
        "all marks are ready; now looking for causes in 26 submissions",
        "25 of 26 searched for causes, about 10 s left",
        "26 of 26 searched for causes",
        "500 of 600 reports written",
    ]


def test_the_highest_possible_mark_is_shown_until_the_last_mark() -> None:
    clock, out = Clock(), io.StringIO()
    with listener(Console(file=out, width=200), clock) as show:
        show(result.RunStarted(facts=FACTS, total=50, kept=0))
        show(result.WorstLeft(submissions=50, seconds=3000.0))
        for number in range(48):
            clock.now += 1.0
            show(DONE)
            show(result.WorstLeft(submissions=49 - number, seconds=60.0 * (49 - number)))
            if number == 40:
                show(result.SlowLeft(submissions=2, seconds=90.0, most_seconds=240.0, others=7))
                clock.now += PLAIN_AFTER
        for left in (2, 1):
            slow = result.SlowLeft(submissions=left, seconds=60.0 * left, most_seconds=120.0 * left)
            show(slow)
            show(result.WorstLeft(submissions=left, seconds=120.0 * left))
            clock.now += 1.0
            show(DONE)
        show(result.SlowLeft(submissions=0, seconds=0.0, most_seconds=0.0))
        show(result.WorstLeft(submissions=0, seconds=0.0))
    assert out.getvalue().splitlines()[1:] == [
        "25 of 50 graded, about 20 s left, at most 26 min in all",
        "42 of 50 graded, about 10 s left, then 2 slow ones: about 2 min, at most 9 min in all",
        "48 of 50 graded, 2 slow ones to go on with: about 2 min, at most 4 min",
        "49 of 50 graded, 1 slow one to go on with: about 1 min, at most 2 min",
        "50 of 50 graded",
    ]


def test_a_bar_on_a_terminal_counts_what_was_kept_and_times_what_was_not() -> None:
    clock, out = Clock(), io.StringIO()
    console = Console(file=out, width=120, force_terminal=True, color_system=None)
    with listener(console, clock) as show:
        show(result.RunStarted(facts=FACTS, total=1000, kept=900))
        for _ in range(10):
            clock.now += 6.0
            show(DONE)
    assert "910/1000" in out.getvalue()
    assert "about 9 min left" in out.getvalue()
    out.truncate(0)
    with steps(console, clock) as tell:
        for done in range(11):
            clock.now += 6.0
            tell("programs", done, 100)
    assert all(each in out.getvalue() for each in ("programs", "10/100", "about 9 min left"))


def test_steps_are_lines_every_half_minute_and_each_step_has_its_own_pace() -> None:
    clock, out = Clock(), io.StringIO()
    with steps(Console(file=out, width=100), clock, lines=True) as tell:
        tell("making the changes", 0, 0)
        for done in range(101):
            clock.now += 1.0
            tell("programs", done, 200)
        clock.now += PLAIN_AFTER
        tell("pairs", 0, 10)
    assert out.getvalue().splitlines() == [
        "29 of 200 programs, about 3 min left",
        "59 of 200 programs, about 2 min left",
        "89 of 200 programs, about 2 min left",
        "0 of 10 pairs",
    ]
