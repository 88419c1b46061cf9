"""`harness grade --watch`: what arrives is graded when it is complete, also after a restart."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pexpect
import pytest

from harness.cli.watching import QUIET_SECONDS, FolderEntries, stamps_of, watch
from harness.common.errors import UserError
from tests.tiny_course import HARNESS, PATIENCE, Course, environment, results

ADA, BOB = str(Path("ada", "a1.py")), str(Path("bob", "a1.py"))
Look = tuple[float, dict[str, tuple[int, int]]]

# What is seen at which second; then which entries are not complete, and whether to grade.
SEEN: dict[str, tuple[list[Look], set[str], bool]] = {
    "nothing": ([(0, {})], set(), False),
    "just arrived": ([(0, {ADA: (1, 5)})], {"ada"}, False),
    "still": ([(0, {ADA: (1, 5)}), (QUIET_SECONDS, {ADA: (1, 5)})], set(), True),
    "still growing": ([(0, {ADA: (1, 5)}), (QUIET_SECONDS, {ADA: (1, 9)})], {"ada"}, False),
    "written anew in the same size": (
        [(0, {ADA: (1, 5)}), (QUIET_SECONDS, {ADA: (2, 5)})],
        {"ada"},
        False,
    ),
    "one is complete, one is not": (
        [(0, {ADA: (1, 5)}), (QUIET_SECONDS, {ADA: (1, 5), BOB: (1, 5)})],
        {"bob"},
        True,
    ),
    "another file in the folder": (
        [(0, {ADA: (1, 5)}), (QUIET_SECONDS, {ADA: (1, 5), ADA + "~": (1, 5)})],
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

    watch(tmp_path, grade, lambda: float(next(clock)), pause)
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

    def started() -> pexpect.spawn:
        return pexpect.spawn(
            str(HARNESS),
            ["grade", "--watch", "inbox", "--assignment", "tiny"],
            cwd=course.root,
            env=environment(TERM="dumb"),
            encoding="utf-8",
            timeout=PATIENCE,
            dimensions=(60, 120),
        )

    def ended(child: pexpect.spawn) -> None:
        child.kill(signal.SIGTERM)
        child.expect(pexpect.EOF)
        child.close()
        assert (child.exitstatus, "Traceback" in child.before) == (130, False)

    def ids() -> list[str]:
        return [each["id"] for each in results(course.report)["submissions"]]

    child = started()
    course.write("inbox/ada/a1.py", right)
    child.expect("Report: ")
    assert ids() == ["ada"]
    course.write("inbox/bob/a1.py", right[:200])
    course.write("inbox/bob/a1.py", right)
    child.expect("Report: ")
    assert ids() == ["ada", "bob"]
    assert {each["mark"] for each in results(course.report)["submissions"]} == {6.0}
    ended(child)
    course.write("inbox/eve/a1.py", right)
    child = started()
    child.expect("2 graded before")
    child.expect("Report: ")
    assert ids() == ["ada", "bob", "eve"]
    ended(child)


def test_a_program_that_loops_is_kept_when_another_arrives(course: Course) -> None:
    right = course.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    endless = right.replace(
        "if not amount.isdigit():", "while True: pass\n    if not amount.isdigit():"
    )
    assert endless != right
    course.edit("specs/tiny/assignment.yaml", "policy:", "limits: {cpu_seconds: 0.2}\npolicy:")
    course.write("inbox/ada/a1.py", endless)
    child = pexpect.spawn(
        str(HARNESS),
        ["grade", "--watch", "inbox", "--assignment", "tiny"],
        cwd=course.root,
        env=environment(TERM="dumb"),
        encoding="utf-8",
        timeout=PATIENCE,
        dimensions=(60, 120),
    )
    child.expect("scenarios stopped early")
    child.expect("Report: ")
    course.write("inbox/bob/a1.py", right)
    child.expect("2 submissions, 1 graded before")
    child.expect("Report: ")
    child.kill(signal.SIGTERM)
    child.expect(pexpect.EOF)
    child.close()


@pytest.mark.parametrize(
    "arguments", [["a", "b"], ["a", "--only", "ada"], ["a", "--fresh"], ["x.py"]]
)
def test_one_folder_is_watched(arguments: list[str], course: Course) -> None:
    for name in ("a", "b"):
        course.write(f"{name}/ada/a1.py", "")
    course.write("x.py", "")
    outcome = course.run("grade", "--watch", *arguments)
    assert outcome.status == 2
    assert "--watch takes one folder, without --only and --fresh" in outcome.err
