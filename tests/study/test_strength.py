"""Changes of a reference, and which of them a small course's scenarios notice."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest

from harness.assignment.loading import load
from harness.common.words import percent
from harness.grading.context import prepare
from harness.grading.engines import FailureJob
from harness.grading.engines.local import search_failures
from harness.model.assignment import SourceFile
from harness.model.study import (
    ChangeOutcome,
    ClauseStrength,
    Equivalent,
    FunctionStrength,
    PairOutcome,
)
from harness.study.strength import OUTSIDE, Change, changes, combine, pairs, report
from tests.inline import handed_in
from tests.marking.marking_plan import plan, scenario
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


def changes_of(program: str) -> tuple[Change, ...]:
    return changes((SourceFile(name="a1.py", data=program.encode()),))


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
    outcomes = [each.outcome for each in changes_of(PROGRAM) if operator in each.outcome.operator]
    assert [(each.function, each.line, each.after) for each in outcomes] == expected


def test_a_change_is_the_whole_file_and_each_text_comes_once() -> None:
    made = changes_of(PROGRAM)
    assert len({each.text for each in made}) == len(made)
    for each in made:
        compile(each.text, "a1.py", "exec")
        assert each.text.decode().count("\n") == PROGRAM.count("\n")


ENTRY = """\
equivalent:
  - file: a1.py
    function: {function}
    find: {find}
    replace: {replace}
    why: {why}
"""


def test_an_exception_of_a_module_is_passed_over() -> None:
    program = "import json\ndef f(text):\n    try:\n        return json.loads(text) + 1\n"
    program += "    except (json.JSONDecodeError, TypeError):\n        return 0\n"
    made = changes_of(program)
    assert b"json.loads(text) - 1" in {change.text.splitlines()[3].strip()[7:] for change in made}


def reason(course: Course, function: str, find: str, replace: str, why: str) -> None:
    text = ENTRY.format(function=function, find=find, replace=replace, why=why)
    course.write("specs/tiny/equivalent.yaml", text)


def test_survivors_reasons_and_what_is_known(course: Course) -> None:
    # Fewer changes in less time: the checks of what is typed are not asked about here.
    before, after = "return int(amount) > 0", "return int(amount) != 0"
    reason(course, "is_valid", before, after, "digits are never below 0")
    outcome = course.ok("strength", "tiny", "--jobs", "2", "--json", "found.json")
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
    reason(course, "total", "result = 0", "result = 1", "it is said to be so")
    refused = course.run("strength", "tiny")
    assert refused.status == 1
    assert "equivalent.yaml: a1.py, total: `result = 0` as `result = 1`: total/" in refused.out
    assert "notices it" in refused.out


def test_a_reason_must_be_given(course: Course) -> None:
    reason(course, "total", "result = 0", "result = 1", '""')
    line = course.refusal("strength", "tiny")
    assert "equivalent.yaml:6:10: " in line
    assert "expected a reason, got nothing" in line


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
    programs = [handed_in(WITH_TOTAL.format(body=body), body) for body in bodies]
    jobs = [FailureJob(submission=program, first=own, most=2) for program in programs]
    found = {job.submission.id: ended for job, ended in search_failures(context, jobs, 1)}
    loops, floods, forks, right = (found[body].scenarios for body in bodies)
    assert len(loops) == 1, "a failure that takes its whole time is the last that is looked for"
    assert set(loops) | set(floods) | set(forks) <= own
    assert floods
    assert forks
    assert right
    assert own.isdisjoint(right), "the other functions are missing"


ORIGINAL = SourceFile(name="a1.py", data=b"one\ntwo\nthree\n")


def outcome(
    function: str, *noticed_by: str, before: str = "b", why: str = "", line: int = 1
) -> ChangeOutcome:
    return ChangeOutcome(
        file="a1.py", function=function, line=line, operator="o", before=before, after="a",
        noticed_by=noticed_by, why=why,
    )  # fmt: skip


def change(line: int, text: bytes, function: str = "f") -> Change:
    return Change(outcome(function, line=line), text)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (b"ONE\ntwo\nthree\n", b"one\ntwo\nTHREE\n", b"ONE\ntwo\nTHREE\n"),
        (b"ONE\ntwo\nthree\n", b"Eins\ntwo\nthree\n", None),
        (b"ONE\ntwo\nthree\n", b"one\ntwo\n", None),
    ],
)
def test_two_changes_of_other_lines_are_put_together(
    first: bytes, second: bytes, both: bytes | None
) -> None:
    assert combine(ORIGINAL, change(1, first), change(3, second)) == both


def test_pairs_are_of_one_function_and_functions_take_turns() -> None:
    long = [change(line, b"%d" % line) for line in range(1, 9)]
    short = [change(line, b"%d" % line, "g") for line in (20, 21, 21)]
    found = pairs([*long, *short], range(11), 4)
    assert found == pairs([*long, *short], range(11), 4)
    assert len(found) == 4
    assert {(8, 9), (8, 10)} <= set(found), "both pairs of the short function"
    assert all(second < 8 for first, second in found if first < 8)
    assert pairs(long, [0, 3], 4) == ((0, 3),), "of those among which to choose"


equivalent = partial(Equivalent, file="a1.py", function="g", after="a", why="so it is")


def test_what_a_report_counts() -> None:
    scenarios = [scenario(name) for name in ("f/one", "f/two", "g/one", "g/other")]
    scenarios[2] = replace(scenarios[2], clauses=("5",))
    scenarios.append(scenario("g/told", informational=True))
    found = report(
        plan(*scenarios),
        [
            outcome("f", "f/one", "f/two"),
            outcome("f", "g/one"),
            outcome("g"),
            outcome("g", before="same", why="so it is"),
        ],
        [PairOutcome(first=0, second=1, noticed_by=("f/two",))],
        [equivalent(before="same")],
    )
    assert found.functions == (
        FunctionStrength(function="f", changes=2, noticed=2, equivalent=0),
        FunctionStrength(function="g", changes=2, noticed=0, equivalent=1),
    )
    assert found.clauses == (
        ClauseStrength(clause="4.1", scenarios=3, noticed=1),
        ClauseStrength(clause="5", scenarios=1, noticed=1),
    )
    assert str(found.figures) == "66.6 % of 3 single-fault changes"
    assert (found.needed, found.spare) == (("f/two", "g/one"), ("f/one", "g/other"))
    assert [each.function for each in found.survivors] == ["g"]
    assert not found.mistakes


def test_a_reason_for_what_is_noticed_or_is_not_there_is_a_mistake() -> None:
    found = report(
        plan(scenario("g/one")),
        [outcome("g", "g/one", before="seen", why="so it is")],
        [],
        [equivalent(before="seen"), equivalent(before="gone")],
    )
    assert found.mistakes == (
        "a1.py, g: `gone` as `a`: there is no such change",
        "a1.py, g: `seen` as `a`: g/one notices it",
    )


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [(0, 0, "0.0"), (999, 1000, "99.9"), (9999, 10000, "99.9"), (5, 5, "100.0")],
)
def test_a_share_is_never_rounded_up(part: int, whole: int, said: str) -> None:
    assert percent(part, whole) == said
