"""visible-scenarios.txt says what is stated; the reference's own outcome only for all else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.given_away import handed_out, packed
from tests.tiny_course import Course

SQUARES = ", ".join(str(number**2) for number in range(40))
REFERENCE = """\
import sys


def near(number):
    return 3


def squares():
    return [number**2 for number in range(40)]


def table(words):
    words.sort()
    return {"b": 2}


def warn():
    print("REFERENCE warns", file=sys.stderr)


def fail(kind):
    raise ValueError("REFERENCE says so")


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


def ask():
    name = input("Name? ")
    print("REFERENCE greets", name)
    print("It is over.")


def save(name):
    with open(name, "w") as file:
        file.write("REFERENCE line\\nlast line\\n")
    with open("log.txt", "a") as file:
        file.write("two\\n")


if __name__ == "__main__":
    print("REFERENCE: usage")
    sys.exit(2)
"""

SCENARIOS = """\
clause: "1"
visible: true
scenarios:
  - {name: one of, function: near, call: near(3), returns: {one_of: [3, 4]}}
  - {name: many, function: near, call: near(5), returns: {one_of: [3, 4, 5, 6, 7, 8, 9, 10]}}
  - {name: any order, function: squares, call: squares(), returns: {unordered: [SQUARES]}}
  - {name: equal data, function: table, call: 'table([])', returns: {equals: "{'b': 2}"}}
  - {name: equal object, function: Point, call: Point(1), returns: {equals: Point(1)}}
  - {name: any, function: near, call: near(4), returns: {any: true}}
  - {name: cases, function: near, cases: [{n: 1, returns: {type: int}}, {n: 2}], call: near(n)}
  - {name: left, function: table, call: 'table(["b", "a"])', leaves: {words: {any: true}}}
  - {name: left as is, function: table, call: 'table([1])', leaves: unchanged}
  - {name: exactly left, function: table, call: 'table([2, 1])', leaves: {words: [1, 2]}}
  - name: one of two errors
    function: fail
    call: fail(0)
    raises: {one_of: [ValueError, KeyError]}
  - {name: any error, function: fail, call: fail(1), raises: {any: true, message: {contains: so}}}
  - {name: an error, function: fail, call: fail(2), raises: ValueError}
  - name: loosely
    function: ask
    call: ask()
    input: [Ada]
    prints: {last_line: {contains: over}}
    ignore: case
  - name: one turn
    function: ask
    call: ask()
    input: [Bob]
    turns: {1: {contains: Bob}}
  - name: anything
    function: ask
    call: ask()
    input: [Eve]
    prints: {any: true}
  - name: some lines
    function: save
    call: save("a.txt")
    files: {log.txt: "one\\n"}
    writes: {a.txt: {a_line: {contains: last}}, log.txt: {any: true}}
  - name: as ours
    function: save
    call: save("b.txt")
    files: {log.txt: "one\\n"}
    writes: {only: [b.txt, log.txt]}
  - {name: status, function: a1.py, run: a1.py, prints: {contains: usage}, exit: 2}
  - {name: errors, function: near, call: near(6), stderr: "", returns: 3}
  - {name: any errors, function: near, call: near(7), stderr: {any: true}, returns: 3}
  - {name: other errors, function: warn, call: warn(), stderr: "REFERENCE warns\\n"}
"""

EXPECTED = {
    "one of": ["gives  one of 3, 4"],
    "many": ["gives  one of 3, 4, 5, 6, 7, 8, 9, 10"],
    "any order": [f"gives  [{SQUARES}] in any order"],
    "equal data": ["gives  a value that is equal (==) to {'b': 2}"],
    "equal object": ["gives  an object that is equal (==) to Point(1)"],
    "any": ["gives  any value"],
    "cases": ["       (and 1 more like it)", "gives  an int"],
    "left": ["gives  {'b': 2}", "leaves words: any value"],
    "left as is": ["gives  {'b': 2}", "and    leaves what it is given unchanged"],
    "exactly left": ["gives  {'b': 2}", "makes  [2, 1] to [1, 2]"],
    "one of two errors": ["raises ValueError or KeyError"],
    "any error": ['raises an exception, its message: text that contains "so"'],
    "an error": ["raises ValueError"],
    "loosely": [
        "type   Ada",
        "e.g.   Name? Ada",
        "       REFERENCE greets Ada",
        "       It is over.",
        'must   print a last line that contains "over"',
        "and    capital and small letters count as the same",
    ],
    "one turn": [
        "type   Bob",
        "e.g.   Name? Bob",
        "       REFERENCE greets Bob",
        "       It is over.",
        "must   print this, except",
        '       after input 1 (Bob): text that contains "Bob"',
    ],
    "anything": [
        "type   Eve",
        "e.g.   Name? Eve",
        "       REFERENCE greets Eve",
        "       It is over.",
        "may    print anything else",
    ],
    "some lines": [
        "gives  None",
        'leaves a.txt: a line that contains "last"',
        "leaves log.txt: anything",
    ],
    "as ours": [
        "gives  None",
        "leaves b.txt:",
        "         REFERENCE line",
        "         last line",
        "leaves log.txt:",
        "         one",
        "         two",
        "and    leaves all other files unchanged",
    ],
    "status": [
        "e.g.   REFERENCE: usage",
        'must   print text that contains "usage"',
        "and    ends with exit status 2",
    ],
    "errors": ["stderr nothing", "gives  3"],
    "any errors": ["stderr anything", "gives  3"],
    "other errors": ["stderr REFERENCE warns", "gives  None"],
}


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The page's lines after what is tried, by the scenario's name."""
    course = Course(tmp_path_factory.mktemp("page"))
    course.write("reference/page/a1.py", REFERENCE)
    course.write(
        "specs/page/assignment.yaml",
        'title: Page\ncourse: C\npython: "3.12"\nsubmission: {files: [a1.py]}\n'
        "functionality_marks: 1\nclauses: clauses.yaml\nmutants: mutants.yaml\n",
    )
    course.write("specs/page/clauses.yaml", 'clauses: [{id: "1", section: "1", text: All.}]\n')
    course.write("specs/page/mutants.yaml", "mutants: []\n")
    course.write("specs/page/all.yaml", SCENARIOS.replace("SQUARES", SQUARES))
    page = packed(handed_out(course.root, "page", Path(course.root / "h.zip")))
    found: dict[str, list[str]] = {}
    for block in page["visible-scenarios.txt"].decode().split("\n\n"):
        name, *lines = block.strip("\n").split("\n")
        start = next((i for i, line in enumerate(lines) if line.startswith("  try ")), None)
        if start is not None:
            found[name] = [line[2:] for line in lines[start + 1 :]]
    return found


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_stated_is_told(blocks: dict[str, list[str]], name: str) -> None:
    assert blocks[name] == EXPECTED[name]
