# ruff: noqa: E501
"""Programs whose objects and files are hostile, or only odd: each ends, is told what is wrong, and
leaves the next submission alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness import load_assignment
from harness.execution import Driver
from harness.grading import Grader, prepare
from harness.model.assignment import SourceFile
from harness.model.result import SubmissionResult
from harness.model.submission import Submission

ASSIGNMENT = """\
title: Boxes
course: Test
python: "3.12"
submission: {files: [a1.py]}
functionality_marks: 4
limits: {cpu_seconds: 0.5, wall_seconds: 5, memory_mib: 128, output_kib: 64}
compare: {Box: [value], Pair: attributes}
"""
SCENARIOS = """\
visible: true
scenarios:
  - {name: a box, function: box, call: box(3)}
  - name: a pair
    function: pair
    call: pair(1, 2)
    limits: {cpu_seconds: 10, memory_mib: 512}
  - name: a report
    function: save
    files: {in.txt: "one\\ntwo\\n"}
    call: save()
    writes: {report.txt: "2 lines\\n"}
  - name: the lines
    function: load
    files: {in.txt: "one\\ntwo\\n"}
    call: load("in.txt")
    writes: unchanged
"""
RIGHT = """\
class Box:
    def __init__(self, value):
        self._value = value
    @property
    def value(self):
        return self._value
class Pair:
    def __init__(self, left, right):
        self.left = left
        self.right = right
def box(value):
    return Box(value)
def pair(left, right):
    return Pair(left, right)
def save():
    with open("report.txt", "w") as report:
        report.write(f"{len(load('in.txt'))} lines\\n")
def load(name):
    with open(name) as file:
        return file.read().splitlines()
"""
BOX, PAIR, SAVE, LOAD = (f"all/{name}" for name in ("a-box", "a-pair", "a-report", "the-lines"))
VALUE = "        return self._value\n"
PAIRED = "        self.right = right\n"
WRITTEN = """    with open("report.txt", "w") as report:
        report.write(f"{len(load('in.txt'))} lines\\n")
"""


def changed(old: str, new: str) -> str:
    assert RIGHT.count(old) == 1
    return RIGHT.replace(old, new)


def saving(*lines: str) -> str:
    return changed(WRITTEN, "    import os\n" + "".join(f"    {line}\n" for line in lines))


# What fails of each program, with its verdict and a part of what is said.
ODD: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "attributes that cannot be read": (
        changed("class Pair:\n", "class Pair:\n    def __getattribute__(self, name):\n"
                "        if name != '__dict__': raise KeyError(name)\n"
                "        return object.__getattribute__(self, name)\n"),
        {},
    ),
    "attributes that end the program": (
        changed("class Box:\n", "class Box:\n    def __getattribute__(self, name):\n"
                "        raise SystemExit(name)\n"),
        {BOX: ("failed", "Attribute value of the result raises SystemExit when it is read, it should be 3.")},
    ),
    "a property that raises": (changed(VALUE, "        raise ValueError('no')\n"), {BOX: ("failed", "raises ValueError when it is read, it should be 3.")}),
    "a property that hangs": (changed(VALUE, "        while True: pass\n"), {BOX: ("cpu_limit", "box did not end")}),
    "a property that prints": (
        changed(VALUE, "        print('read')\n" + VALUE), {BOX: ("failed", "although nothing should be printed here")}
    ),
    "a property that prints without end": (
        changed(VALUE, "        while True: print('read')\n"), {BOX: ("output_limit", "box printed without end")}
    ),
    "a property that takes all memory": (
        changed(VALUE, "        return 'x' * 10**9\n"), {BOX: ("memory_limit", "box used more memory than is allowed")}
    ),
    "a property that ends the process": (
        changed(VALUE, "        import os; os._exit(0)\n"), {BOX: ("ended_early", "box ended the whole process before giving an answer.")}
    ),
    "an object that holds itself": (
        changed(PAIRED, "        self.right = self\n"), {PAIR: ("failed", "a value that contains itself")}
    ),
    "objects a hundred thousand deep": (
        changed(PAIRED, "        self.right = right\n        for n in range(100_000):\n"
                "            other = object.__new__(Pair)\n            other.left = self.right\n"
                "            other.right = n\n            self.right = other\n"),
        {PAIR: ("failed", "too large to compare (nested more than 100 deep)")},
    ),
    "a million attributes": (
        changed(PAIRED, PAIRED + "        self.__dict__.update({f'a{n}': n for n in range(10**6)})\n"),
        {PAIR: ("failed", "too large to compare (more than 20000 attributes)")},
    ),
    "attributes of odd names": (
        changed(PAIRED, PAIRED + "        self.__dict__['<b>\\n\\x1b[31m'] = 1\n"),
        {PAIR: ("failed", "attribute .<b>\\n\\x1b[31m should not be there.")},
    ),
    "a file of a gigabyte": (
        saving("with open('report.txt', 'wb') as report: report.truncate(2**30)"),
        {SAVE: ("failed", "File too large (line 17")},
    ),
    "a gigabyte in pieces": (
        saving("with open('report.txt', 'w') as report:",
               "    for n in range(1024): report.write('a' * 2**20)"),
        {SAVE: ("failed", "File too large (line 18")},
    ),
    "thousands of files": (
        saving("for n in range(5000): open(f'{n}.txt', 'w').close()"), {SAVE: ("output_limit", "save writes more than 300 files or 4 MiB in its folder")}
    ),
    "a link": (saving("os.symlink('in.txt', 'report.txt')"), {SAVE: ("failed", "PermissionError: [Errno 1] Operation not permitted: 'in.txt' -> 'report.txt'")}),
    "a pipe": (saving("os.mkfifo('report.txt')"), {SAVE: ("failed", "PermissionError")}),
    "a folder where the file should be": (saving("os.mkdir('report.txt')"), {SAVE: ("failed", "The file report.txt is a folder, expected")}),
    "a name with a line's end": (
        saving("open('report.txt\\n\\x1b[31m', 'w').close()"), {SAVE: ("failed", "save writes report.txt\\n\\x1b[31m and not report.txt")}
    ),
    "a file that nobody may read": (
        saving("open('report.txt', 'w').close()", "os.chmod('report.txt', 0)"),
        {SAVE: ("failed", "PermissionError")},
    ),
    "a file left open": (
        saving("global report", "report = open('report.txt', 'w')", "report.write('2 lines\\n')"),
        {SAVE: ("failed", "save does not close report.txt")},
    ),
    "a file that was never written read back": (
        saving("return open('report.txt').read()"), {SAVE: ("failed", "save raised FileNotFoundError")}
    ),
    "the given file removed": (
        changed("        return file.read().splitlines()\n",
                "        text = file.read()\n    import os; os.remove(name)\n"
                "    return text.splitlines()\n"),
        {LOAD: ("failed", "The file in.txt is gone afterwards."), SAVE: ("failed", "The file in.txt is gone afterwards.")},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    folder = tmp_path_factory.mktemp("course")
    for name, text in {
        "specs/boxes/assignment.yaml": ASSIGNMENT,
        "specs/boxes/all.yaml": SCENARIOS,
        "reference/boxes/a1.py": RIGHT,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    context = prepare(load_assignment(folder, "boxes"))
    with (
        Driver(context.interpreter, context.tier.tier) as driver,
        Grader(context.specification.plan, context.key, driver) as grader,
    ):
        yield grader


def graded(grader: Grader, program: str) -> SubmissionResult:
    file = SourceFile(name="a1.py", data=program.encode())
    return grader.grade(Submission(id="s", origin="a1.py", files=(file,))).result


@pytest.mark.parametrize("case", ODD)
def test_it_ends_is_told_what_is_wrong_and_touches_nobody_else(grader: Grader, case: str) -> None:
    program, expected = ODD[case]
    result = graded(grader, program)
    failed = {
        entry.scenario_id: (entry.verdict.kind.value, entry.verdict.message)
        for entry in result.scenarios
        if not entry.verdict.passed
    }
    assert {name: kind for name, (kind, _) in failed.items()} == {
        name: kind for name, (kind, _) in expected.items()
    }
    for name, (_, said) in expected.items():
        assert said in failed[name][1]
    assert graded(grader, RIGHT).mark == 4
