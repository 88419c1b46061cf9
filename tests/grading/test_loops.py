"""The loop that does not end is named, by what a confined process says and the text agrees to."""

from __future__ import annotations

from dataclasses import replace

import pytest

import harness
from harness.grading.check import check_submissions
from harness.grading.context import prepare
from harness.model.observation import Tier
from harness.model.policy import Loop, Outline
from harness.model.verdict import VerdictKind
from tests.inline import handed_in
from tests.tiny_course import Course

SETTINGS = "functionality_marks: 3\nlimits: {cpu_seconds: 0.3}\n"
REFERENCE = "def one(n):\n    return n\ndef two(n):\n    return n\ndef three(n):\n    return n\n"
SCENARIOS = """\
scenarios:
  - {name: a, function: one, visible: true, call: one(3)}
  - {name: b, function: two, visible: true, call: two(3)}
  - {name: c, function: three, visible: true, call: three(3)}
"""
ENDLESS = """\
def one(n):
    total = 0
    while total < n:
        for step in range(50):
            n += 1
    return n
def helper(rows):
    return [row for row in rows]
def two(n):
    rows = [n]
    for row in rows:
        try:
            rows[0] = helper(rows[:3])[0]
            rows.append(row)
            total = len(rows)
        except BaseException:
            pass
    return n
def three(n):
    while True:
        print("again", n)
"""
OTHERS = '''\
def one(n):
    while n:
        n = one_step(n)
    return n
def one_step(n):
    for i in range(10):
        n += 1
    return n
def two(n):
    import sys
    sys.settrace(None)
    while n: n += 1
def three(n):
    import os
    body = b'A{"loop":"a1.py:1-1"}'
    for channel in range(3, 30):
        try:
            os.write(channel, len(body).to_bytes(4, "little") + body)
        except OSError:
            pass
    os._exit(0)
'''  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    folder = tmp_path_factory.mktemp("course")
    return Course.small(folder, "loops", REFERENCE, SCENARIOS, SETTINGS)


def test_loops_are_named(course: Course) -> None:
    endless, others = course.graded("loops", endless=ENDLESS, others=OTHERS).values()
    said = {cause.function: (cause.message, cause.line) for cause in endless.causes}
    assert said["one"] == ("one did not end: the loop in line 3 of one does not end.", 3)
    assert said["two"] == ("two did not end: the loop in line 11 of two does not end.", 11)
    assert said["three"][0].endswith('"again 3". The loop in line 20 of three does not end.')
    said = {cause.function: (cause.message, cause.line) for cause in others.causes}
    assert said["one"] == ("one did not end: the loop in line 2 of one does not end.", 2)
    assert said["two"] == ("two did not end: the loop in line 12 of two does not end.", 12)
    # Nobody asked where it loops: such an answer is no answer, and earns nothing.
    kinds = {each.scenario_id: each.verdict.kind for each in others.scenarios}
    assert kinds["all/c"] is VerdictKind.TAMPERED
    assert others.mark == 0
    assert others.flagged


@pytest.mark.release
def test_a_loop_is_named_without_confinement(course: Course) -> None:
    context = prepare(harness.load_assignment(course.root, "loops"), recall_tier=True)
    portable = replace(context, tier=replace(context.tier, tier=Tier.PORTABLE))
    program = handed_in(REFERENCE.replace("return n", "while n: pass", 1))
    (result,) = check_submissions(portable, [program])
    (cause,) = result.causes
    assert cause.message == "one did not end: the loop in line 2 of one does not end."


INNERMOST = [("a.py", 5, 6, 5), ("a.py", 4, 6, 3), ("a.py", 1, 2, 0), ("b.py", 5, 6, 0)]


@pytest.mark.parametrize(("file", "first", "last", "line"), [*INNERMOST, ("a.py", 6, 12, 0)])
def test_the_innermost_loop(file: str, first: int, last: int, line: int) -> None:
    loops = (Loop(file="a.py", first=3, last=9), Loop(file="a.py", first=5, last=7))
    found = Outline(loops=loops).loop_around(file, first, last)
    assert (found.first if found else 0) == line
