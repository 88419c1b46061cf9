"""A program played on a real terminal, and recorded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pexpect

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
    course.edit("specs/tiny/assignment.yaml", "[a1.py]", "[hello.py, twice.py]")
    course.edit("specs/tiny/assignment.yaml", "functionality_marks: 6", "functionality_marks: 10")
    course.edit("specs/tiny/assignment.yaml", "policy: policy.yaml\n", "")
    course.edit("specs/tiny/assignment.yaml", "clauses: clauses.yaml\n", "")
    course.edit("specs/tiny/assignment.yaml", "mutants: mutants.yaml\n", "")
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


def test_a_terminal_is_needed(course: Course) -> None:
    outcome = course.run("play", "tiny")
    assert outcome.status == 2
    assert "play needs a terminal" in outcome.err
