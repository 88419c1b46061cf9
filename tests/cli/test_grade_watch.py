"""`harness grade --watch`: what arrives is graded when it is complete, also after a restart."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.commands.grade import QUIET_SECONDS, FolderEntries, stamps_of, watch_folder
from harness.common.errors import UserError
from tests.tiny_course import Course, results

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
    "one is complete, one is not": (
        [THERE, (QUIET_SECONDS, {ADA: (1, 5), BOB: (1, 5)})],
        {"bob"},
        True,
    ),
    "another file in the folder": (
        [THERE, (QUIET_SECONDS, {ADA: (1, 5), ADA + "~": (1, 5)})],
        {"ada"},
        False,
    ),
}


@pytest.mark.parametrize(("looks", "unsettled", "news"), SEEN.values(), ids=SEEN)
def test_what_is_complete(looks: list[Look], unsettled: set[str], news: bool) -> None:
    arrivals = FolderEntries()
    for now, stamps in looks:
        arrivals.look(stamps, now)
    assert (arrivals.unsettled(now), arrivals.has_news(now)) == (unsettled, news)


def test_what_was_graded_is_no_news() -> None:
    arrivals = FolderEntries()
    first, second = {ADA: (1, 5)}, {ADA: (2, 5)}
    news = []
    for now, stamps in enumerate([first] * 5 + [second] * 5 + [{}]):
        arrivals.look(stamps, now)
        news.append(arrivals.has_news(now))
        if news[-1]:
            arrivals.graded(now)
    at = int(QUIET_SECONDS)
    assert [index for index, each in enumerate(news) if each] == [at, 5 + at, 10]


def test_it_looks_until_it_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text("x")
    clock = iter(range(0, 1000, 2))
    pause = threading.Event()
    pause.wait = lambda timeout=None: False  # type: ignore[method-assign]
    left_out: list[frozenset[str]] = []

    def grade(unsettled: frozenset[str]) -> None:
        left_out.append(unsettled)
        pause.set()

    watch_folder(tmp_path, grade, lambda: float(next(clock)), pause)
    assert left_out == [frozenset()]


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "loop").symlink_to(tmp_path)
    (tmp_path / "class" / "a1.py").write_text("x")
    assert set(stamps_of(tmp_path / "class")) == {"a1.py"}
    with pytest.raises(UserError):
        stamps_of(tmp_path / "nowhere")


def test_a_folder_that_is_watched(course: Course) -> None:
    right = course.path("reference/tiny/a1.py").read_text(encoding="utf-8")
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
def test_what_is_there_is_kept_when_another_arrives(
    restarted: bool, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a program that loops, and also after a new start."""
    right = course.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    check = "if not amount.isdigit():"
    course.edit("specs/tiny/assignment.yaml", "policy:", "limits: {cpu_seconds: 0.1}\npolicy:")
    course.write("inbox/ada/a1.py", right.replace(check, f"while True: pass\n    {check}"))
    arriving = [("bob", right), ("eve", right)]

    def watch(folder: Path, grade: Callable[[frozenset[str]], object], *_: object) -> None:
        grade(frozenset())
        while arriving and not restarted:
            course.write(f"inbox/{arriving[0][0]}/a1.py", arriving.pop(0)[1])
            grade(frozenset())

    monkeypatch.setattr("harness.cli.commands.grade.watch_folder", watch)
    command = ("grade", "--watch", "inbox", "--assignment", "tiny")
    told = course.run(*command).err
    while arriving:
        course.write(f"inbox/{arriving[0][0]}/a1.py", arriving.pop(0)[1])
        told += course.run(*command).err
    assert "scenarios stopped early" in told
    assert "tiny: 2 submissions, 1 graded before" in told
    assert "tiny: 3 submissions, 2 graded before" in told
    assert marks(course).keys() == {"ada", "bob", "eve"}


def test_one_folder_is_watched(course: Course) -> None:
    for name in ("a/ada/a1.py", "b/ada/a1.py", "x.py"):
        course.write(name, "")
    for arguments in (["a", "b"], ["a", "--only", "ada"], ["a", "--fresh"], ["x.py"]):
        assert "--watch takes one folder, without --only and --fresh" in course.refusal(
            "grade", "--watch", *arguments
        )
