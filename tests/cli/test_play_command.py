"""A program played on a real terminal, and recorded; a graded scenario on a terminal again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pexpect
import pytest

import harness.study.playing  # noqa: F401  (loaded here, not in each copy)
from harness.assignment.loading import load
from harness.grading.context import prepare
from tests.tiny_course import Course


@contextmanager
def playing(
    course: Course, *arguments: str | Path, attached: bool = True
) -> Iterator[pexpect.spawn]:
    """`harness play` on a terminal: on one that it makes, or on ours, as on the other side of it
    when it is `attached`, without the start of an interpreter."""
    variables = {"HARNESS_PLAY_ATTACHED": "1"} if attached else {}
    child = course.on_terminal("play", "tiny", *arguments, **variables)
    try:
        yield child
    finally:
        with suppress(OSError):  # a test may have closed it
            child.close(force=True)


def status_of(child: pexpect.spawn) -> int | None:
    """How it ends, once it prints no more."""
    child.expect(pexpect.EOF)
    child.wait()
    status: int | None = child.exitstatus
    return status


def agree(course: Course) -> list[str]:
    """The ids of the recorded scenarios, which the reference passes."""
    specification = load(course.root, "tiny")
    prepare(specification, cache=course.root / ".harness-cache", recall_tier=True)
    return [one.id for one in specification.plan.scenarios if one.id.startswith("recorded/")]


def test_a_game_is_played_and_recorded_and_another_broken_off(course: Course) -> None:
    with playing(
        course, "--set", "LIMIT=3", "--record", "Two amounts, one too large", attached=False
    ) as child:
        child.expect_exact("Amount: ")
        child.sendline("2")
        child.expect_exact("2\r\nAmount: ")
        child.sendline("4")
        child.expect_exact("At most 3 at a time.\r\nAmount: ")
        child.sendline("q")
        child.expect_exact("Bye.")
        child.expect_exact("recorded: 'Two amounts, one too large' with 3 inputs")
        assert status_of(child) == 0
    text = course.path("specs/tiny/recorded.yaml").read_text(encoding="utf-8")
    assert "constants: {LIMIT: 3}" in text
    assert 'input: ["2", "4", "q"]' in text
    transcript = course.path("specs/tiny/gameplay/two_amounts_one_too_large.txt")
    assert transcript.read_text(encoding="utf-8") == (
        "{{ PROMPT }}2\n2\n{{ PROMPT }}4\n{{ TOO_MUCH }}\n{{ PROMPT }}q\nBye.\n"
    )
    with playing(course, "--record", "broken off", attached=False) as child:
        child.expect_exact("Amount: ")
        child.sendline("1")
        child.expect_exact("1\r\nAmount: ")
        child.sendintr()
        child.expect_exact("recorded until it was interrupted: 'broken off' with 1 input")
        assert status_of(child) == 130
    assert agree(course) == ["recorded/two-amounts-one-too-large", "recorded/broken-off"]


def test_a_game_whose_terminal_is_closed_is_kept(course: Course) -> None:
    target = course.path("specs/tiny/recorded.yaml")
    with playing(course, "--record", "closed", attached=False) as child:
        child.expect_exact("Amount: ")
        child.sendline("1")
        child.expect_exact("1\r\nAmount: ")
        os.close(child.child_fd)
        os.waitpid(child.pid, 0)
    assert 'input: ["1"]' in target.read_text(encoding="utf-8")
    assert agree(course) == ["recorded/closed"]


def test_a_submission_is_played(course: Course) -> None:
    program = "print('\\x1b[2Jhello')\nwhile input('? ') != 'q':\n    print('no')\n"
    path = course.write("jo/a1.py", program)
    with playing(course, "--submission", path) as child:
        child.expect_exact("\\x1b[2Jhello")
        child.sendline("a")
        child.expect_exact("no")
        child.sendline("q")
        assert status_of(child) == 0


HELLO = """\
function: hello.py
marks: 4
scenarios:
  - {name: Ada, run: hello.py, input: [Ada], prints: "Name: Hello, Ada\\n"}
"""
TWICE = """\
function: twice.py
marks: 6
scenarios:
  - {name: four, run: twice.py, input: [4], prints: "Number: 8\\n"}
"""


def test_a_program_of_several_whose_marks_are_all_given_is_played(course: Course) -> None:
    settings = "specs/tiny/assignment.yaml"
    course.edit(settings, "[a1.py]", "[hello.py, twice.py]")
    course.edit(settings, "functionality_marks: 6", "functionality_marks: 10")
    for kind in ("policy", "clauses", "mutants"):
        course.edit(settings, f"{kind}: {kind}.yaml\n", "")
    for path in course.path("specs/tiny").glob("*.yaml"):
        if path.name != "assignment.yaml":
            path.unlink()
    course.write("specs/tiny/hello.yaml", HELLO)
    course.write("specs/tiny/twice.yaml", TWICE)
    course.path("reference/tiny/a1.py").unlink()
    course.write("reference/tiny/hello.py", 'print("Hello,", input("Name: "))\n')
    course.write("reference/tiny/twice.py", 'print(2 * int(input("Number: ")))\n')
    for arguments in ((), ("--run", "thrice.py")):
        with playing(course, *arguments) as child:
            child.expect_exact("give --run one of hello.py, twice.py, till.py")
            assert status_of(child) == 2
    for name in ("the first", "the second"):
        with playing(course, "--run", "twice.py", "--record", name) as child:
            child.expect_exact("Number: ")
            child.sendline("21")
            child.expect_exact("42")
            child.expect_exact(f"recorded: '{name}' with 1 input")
            child.expect_exact("costs no marks")
            assert status_of(child) == 0
    assert agree(course) == ["recorded/the-first", "recorded/the-second"]
    recorded = [one for one in load(course.root, "tiny").plan.scenarios if "recorded/" in one.id]
    assert [(one.function, one.informational) for one in recorded] == [("twice.py", True)] * 2


def test_a_name_that_no_scenario_can_have_is_refused_before_the_game(course: Course) -> None:
    for name, words in (("two amounts", "is there already"), ("---", "neither letter nor digit")):
        with playing(course, "--record", name) as child:
            child.expect_exact(words)
            assert status_of(child) == 2


def test_a_program_that_is_not_there_is_refused(course: Course) -> None:
    with playing(course, "--run", "nope.py") as child:
        child.expect_exact("nope.py is neither a submitted nor a provided file")
        assert status_of(child) == 2


def test_a_terminal_is_needed(course: Course) -> None:
    assert "play needs a terminal" in course.refusal("play", "tiny")


def test_one_submission_is_played_and_not_several(course: Course) -> None:
    with playing(course, "--submission", "submissions/tiny") as child:
        child.expect_exact("this is more than one submission")
        assert status_of(child) == 2


@pytest.mark.parametrize(
    ("scenario", "shown"),
    [
        ("is_valid/a-word", '>>> is_valid("three")\nFalse\n(answered)\n'),
        ("basket/to-the-end", ">>> basket\n[1, 2, 3]\n(answered)\n"),
        ("main/two-amounts", "$ python3 a1.py\n"),
    ],
)
def test_it_shows_the_terminal(graded_once: Course, scenario: str, shown: str) -> None:
    outcome = graded_once.ok("replay", "reports/tiny", "perfect", scenario)
    assert shown in outcome.out


def test_other_files_than_the_graded_ones_are_refused(graded: Course) -> None:
    graded.write("submissions/tiny/perfect/a1.py", "x = 1\n")
    assert "this is not what was graded as perfect" in graded.refusal(
        "replay", "reports/tiny", "perfect", "is_valid/a-word"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reports/tiny", "nobody", "is_valid/a-word"), "no submission 'nobody'"),
        (("reports/tiny", "perfect", "a-word"), "did you mean is_valid/a-word"),
        (("elsewhere", "perfect", "is_valid/a-word"), "there is no run here"),
    ],
)
def test_what_cannot_be_replayed_is_one_line(
    graded_once: Course, arguments: tuple[str, ...], message: str
) -> None:
    assert message in graded_once.refusal("replay", *arguments)


def test_a_file_elsewhere_may_be_named(graded_once: Course, tmp_path: Path) -> None:
    source = graded_once.path("submissions/tiny/perfect/a1.py")
    (tmp_path / "a1.py").write_bytes(source.read_bytes())
    graded_once.ok("replay", "reports/tiny", "perfect", "is_valid/a-word", "--submission", tmp_path)
