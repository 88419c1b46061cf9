"""Changes of a reference, and which of them a small course's scenarios notice."""

from __future__ import annotations

import json

import pytest

from harness.assignment import load
from harness.grading.context import prepare
from harness.grading.engines import FailureJob
from harness.grading.engines.local import search_failures
from harness.model.assignment import SourceFile
from harness.model.submission import Submission
from harness.study.strength import OUTSIDE, changes
from tests.tiny_course import Course

PROGRAM = '''\
"""A module."""

LIMIT: int = 5


class Till:
    def add(self, amount: int | None) -> bool:
        """Whether there is room."""
        return amount < LIMIT


def first(rows):
    for row in rows:
        return True
'''


def lines(operator: str) -> list[tuple[str, int, str]]:
    made = changes((SourceFile(name="a1.py", data=PROGRAM.encode()),))
    return [(each.function, each.line, each.after) for each in made if operator in each.operator]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("NumberReplacer", [(OUTSIDE, 3, "LIMIT: int = 4"), (OUTSIDE, 3, "LIMIT: int = 6")]),
        ("Lt_GtE", [("Till.add", 9, "return amount >= LIMIT")]),
        ("TrueWithFalse", [("first", 14, "return False")]),
        ("ZeroIteration", [("first", 13, "for row in []:")]),
        ("BinaryOperator", []),
        ("_Is", []),
    ],
)
def test_each_place_is_changed_but_no_annotation(
    operator: str, expected: list[tuple[str, int, str]]
) -> None:
    assert lines(operator) == expected


def test_a_change_is_the_whole_file_and_each_text_comes_once() -> None:
    made = changes((SourceFile(name="a1.py", data=PROGRAM.encode()),))
    assert len({each.text for each in made}) == len(made)
    for each in made:
        compile(each.text, each.file, "exec")
        assert each.text.decode().count("\n") == PROGRAM.count("\n")


ENTRY = """\
equivalent:
  - file: a1.py
    function: {function}
    find: {find}
    replace: {replace}
    why: {why}
"""


def test_survivors_reasons_and_what_is_known(course: Course) -> None:
    # Fewer changes in less time: the checks of what is typed are not asked about here.
    course.write("specs/tiny/equivalent.yaml", ENTRY.format(
        function="is_valid", find="return int(amount) > 0", replace="return int(amount) != 0",
        why="digits are never below 0",
    ))  # fmt: skip
    outcome = course.run("strength", "tiny", "--jobs", "2", "--json", "found.json")
    assert outcome.status == 0, outcome.err
    (report,) = json.loads(course.path("found.json").read_text(encoding="utf-8"))
    strengths = {each["function"]: each for each in report["functions"]}
    assert strengths["total"] == {"function": "total", "changes": 3, "noticed": 3, "equivalent": 0}
    assert strengths["is_valid"]["equivalent"] == 1
    left = [one for one in report["outcomes"] if not one["noticed_by"] and not one.get("why")]
    assert "return int(amount) > 1" in [one["after"] for one in left]
    assert "a1.py:13: not noticed in is_valid: NumberReplacer\n" in outcome.out
    assert outcome.out.endswith("; 1 are equivalent\n")
    again = course.run("strength", "tiny", "--json", "again.json")
    assert again.out == outcome.out
    assert course.path("again.json").read_bytes() == course.path("found.json").read_bytes()
    course.write("specs/tiny/equivalent.yaml", ENTRY.format(
        function="total", find="result = 0", replace="result = 1", why="it is said to be so",
    ))  # fmt: skip
    refused = course.run("strength", "tiny")
    assert refused.status == 1
    assert "equivalent.yaml: a1.py, total: `result = 0` as `result = 1`: total/" in refused.out
    assert "notices it" in refused.out


def test_a_reason_must_be_given(course: Course) -> None:
    course.write("specs/tiny/equivalent.yaml", ENTRY.format(
        function="total", find="result = 0", replace="result = 1", why='""',
    ))  # fmt: skip
    outcome = course.run("strength", "tiny")
    assert outcome.status == 2
    assert "equivalent.yaml:6:10: " in outcome.err
    assert "expected a reason, got nothing" in outcome.err


WITH_TOTAL = "from till import *\n\n\ndef total(basket):\n    {body}\n"


def test_a_changed_program_is_limited_as_any_submission(course: Course) -> None:
    course.edit("specs/tiny/assignment.yaml", "functionality_marks: 6", "functionality_marks: 6\n"
                "limits: {cpu_seconds: 0.2, output_kib: 16}")  # fmt: skip
    context = prepare(load(course.root, "tiny"), cache=course.path("cache"), recall_tier=True)
    bodies = (
        "while True: pass",
        "while True: print('x' * 1000)",
        "import os; return os.fork()",
        "return sum(basket)",
    )
    own = frozenset(s.id for s in context.specification.plan.scenarios if s.function == "total")
    jobs = [
        FailureJob(
            submission=Submission(
                id=str(number),
                files=(SourceFile(name="a1.py", data=WITH_TOTAL.format(body=body).encode()),),
                origin="a change",
            ),
            first=own,
            most=2,
        )
        for number, body in enumerate(bodies)
    ]
    found = {job.submission.id: ended for job, ended in search_failures(context, jobs, 1)}
    loops, floods, forks, right = (found[str(number)].scenarios for number in range(4))
    assert len(loops) == 1, "a failure that takes its whole time is the last that is looked for"
    assert set(loops) | set(floods) | set(forks) <= own
    assert floods
    assert forks
    assert right
    assert own.isdisjoint(right), "the other functions are missing"
