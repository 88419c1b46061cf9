"""visible-scenarios.txt says what is stated; the reference's own outcome only for all else. The
made class of `harness demo`. The harness as a wheel has it: outside the clone, in a course's own
folder.
"""

import ast
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from harness.assignment.loading import load
from harness.cli.commands.demo import command
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.intake.pipeline import read_cohort
from harness.intake.terms import ClassOptions
from harness.packaging.demo import DOWNLOAD, DUE, ID, demo_files
from tests.intake.cohorts import by_id
from tests.packaging.given_away import handed_out, packed
from tests.shipped import ROOT
from tests.tiny_course import PATIENCE, Course, environment, ran

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


class Label(Point):
    def __repr__(self):
        return f"Label {self.x}"


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
  - name: objects
    function: Point
    session: |
      >>> Point(1)
      <a1.Point object at 0x…>
      >>> [Label(2)]
      [Label 2]
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
    "objects": [
        "       [Label(2)]",
        "then   >>> Point(1)",
        "       Point(x=1)",
        "then   >>> [Label(2)]",
        "       [Label 2]",
    ],
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


FILES = demo_files()
PROGRAMS = [data.decode() for name, data in FILES.items() if name.endswith(("n.py", "e.py"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("demo")
    for name, data in FILES.items():
        write_bytes(root / name, data)
    return root


def parses(program: str) -> bool:
    try:
        ast.parse(program)
    except SyntaxError:
        return False
    return True


def test_thirty_students_wrote_thirty_programs_and_one_is_no_python() -> None:
    reference, *programs = PROGRAMS
    assert len({reference, *programs}) == 31
    assert [parses(each) for each in programs].count(False) == 1


def test_the_course_can_be_loaded_and_the_class_read(folder: Path) -> None:
    assignment = load(folder, ID).plan.assignment
    class_ = by_id(read_cohort((folder / DOWNLOAD,), assignment, ClassOptions(due=DUE)))
    assert len(class_) == 30
    late = {each.student.name: each.late for each in class_.values() if each.student and each.late}
    costs = {name: None if at.begun is None else at.begun.count for name, at in late.items()}
    assert costs == {"Cleo Larsen": None, "Emil Okafor": 1, "Jona Larsen": 2, "Gwen Okafor": 3}
    assert [each.problem for each in class_.values() if each.problem] == [
        "found game.py, expected hangman.py"
    ]


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UserError, match=r"the folder is not empty\. Hint: name another"):
        command.main([str(tmp_path)], standalone_mode=False)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def tracked(*paths: str) -> list[str]:
    done = ran(["git", "ls-files", "-z", *paths], cwd=ROOT, check=True)
    return [name for name in done.stdout.split("\0") if name]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel puts among the modules."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in (
        *tracked("harness", "specs", "reference", "submissions", "examples/hangman"),
        *BUILD_FILES,
    ):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_py", "--build-lib", target],
        cwd=source,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    return target


BUILD_FILES = ("setup.py", "pyproject.toml", "README.md", "MANIFEST.in")


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command of the installed package, found before the clone's."""
    program = "import sys; from harness.cli import main; sys.argv[0] = 'harness'; main()"
    return ran(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=environment(PYTHONPATH=str(installed)),
        timeout=PATIENCE * 2,
    )


def test_everything_and_nothing_else_is_in_it(installed: Path) -> None:
    there = {path.relative_to(installed).as_posix() for path in installed.rglob("*.*")}
    packed = {name for name in tracked("harness") if not name.endswith(".typed")}
    assert {name for name in packed if name.endswith((".py", ".j2", ".css", ".js"))} <= there
    shipped = tracked("specs", "reference", "submissions")
    shipped = [name for name in shipped if not Path(name).name.startswith(".")]
    assert {f"harness/shipped/{name}" for name in shipped if Path(name).suffix} <= there
    assert all(name.startswith("harness/") for name in there)


def test_a_copy_of_a_shipped_assignment(installed: Path, tmp_path: Path) -> None:
    made = run(installed, tmp_path, "new", "week5", "--from", "cs112-p4")
    assert (made.returncode, made.stderr) == (0, "")
    for part in ("specs", "reference", "submissions"):
        names = [name.split("/", 2)[2] for name in tracked(f"{part}/cs112-p4")]
        assert sorted(names) == sorted(
            path.relative_to(tmp_path / part / "week5").as_posix()
            for path in (tmp_path / part / "week5").rglob("*")
            if path.is_file()
        )
    unknown = run(installed, tmp_path, "new", "week6", "--from", "week7")
    assert (unknown.returncode, unknown.stderr) == (
        2,
        "error: no assignment 'week7' comes with the harness. Hint: there are: comp1005-a3, "
        "connect4ish, cs112-p4, naughts-crosses\n",
    )


def test_no_shipped_assignment_is_in_a_gradescope_package(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "new", "a1")
    made = run(installed, tmp_path, "gradescope", "a1", "-o", "a1.zip")
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(tmp_path / "a1.zip") as package:
        assert not [name for name in package.namelist() if name.startswith("harness/shipped/")]
