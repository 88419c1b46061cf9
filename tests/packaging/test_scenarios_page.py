"""visible-scenarios.txt; the made class of `harness demo`; the harness as a wheel has it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from harness.assignment.loading import load
from harness.cli.commands.grading.demo import command
from harness.common.errors import UserError
from harness.intake.pipeline import read_cohort
from harness.intake.terms import ClassOptions
from harness.packaging.demo import DOWNLOAD, DUE, ID, demo_files
from harness.policy.reading import compiles
from tests.downloads import laid
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
  - {name: one of two errors, function: fail, call: fail(0),
     raises: {one_of: [ValueError, KeyError]}}
  - {name: any error, function: fail, call: fail(1), raises: {any: true, message: {contains: so}}}
  - {name: an error, function: fail, call: fail(2), raises: ValueError}
  - {name: loosely, function: ask, call: ask(), input: [Ada], ignore: case,
     prints: {last_line: {contains: over}}}
  - {name: one turn, function: ask, call: ask(), input: [Bob], turns: {1: {contains: Bob}}}
  - {name: anything, function: ask, call: ask(), input: [Eve], prints: {any: true}}
  - {name: some lines, function: save, call: save("a.txt"), files: {log.txt: "one\\n"},
     writes: {a.txt: {a_line: {contains: last}}, log.txt: {any: true}}}
  - {name: as ours, function: save, call: save("b.txt"), files: {log.txt: "one\\n"},
     writes: {only: [b.txt, log.txt]}}
  - {name: status, function: a1.py, run: a1.py, prints: {contains: usage}, exit: 2}
  - {name: errors, function: near, call: near(6), stderr: "", returns: 3}
  - {name: any errors, function: near, call: near(7), stderr: {any: true}, returns: 3}
  - {name: other errors, function: warn, call: warn(), stderr: "REFERENCE warns\\n"}
"""


def greeting(name: str) -> list[str]:
    shown = f"e.g.   Name? {name}|       REFERENCE greets {name}|       It is over."
    return [f"type   {name}", *shown.split("|")]


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
    "left as is": ["gives  {'b': 2}", "and    leaves its arguments unchanged"],
    "exactly left": ["gives  {'b': 2}", "makes  [2, 1] to [1, 2]"],
    "one of two errors": ["raises ValueError or KeyError"],
    "any error": ['raises an exception, its message: text that contains "so"'],
    "an error": ["raises ValueError"],
    "loosely": [
        *greeting("Ada"),
        'must   print a last line that contains "over"',
        "and    capital and small letters count as the same",
    ],
    "one turn": [
        *greeting("Bob"),
        "must   print this, except",
        '       after input 1 (Bob): text that contains "Bob"',
    ],
    "anything": [*greeting("Eve"), "may    print anything else"],
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
    course = Course.small(
        tmp_path_factory.mktemp("page"),
        "page",
        REFERENCE,
        SCENARIOS.replace("SQUARES", SQUARES),
        "functionality_marks: 1\nclauses: clauses.yaml\nmutants: mutants.yaml\n",
    )
    course.write("specs/page/clauses.yaml", 'clauses: [{id: "1", section: "1", text: All.}]\n')
    course.write("specs/page/mutants.yaml", "mutants: []\n")
    page = packed(handed_out(course.root, "page", course.path("h.zip")))
    found: dict[str, list[str]] = {}
    for block in page["visible-scenarios.txt"].decode().split("\n\n"):
        name, *lines = block.strip("\n").split("\n")
        start = next((i for i, line in enumerate(lines) if line.startswith("  try ")), None)
        if start is not None:
            found[name] = [line[2:] for line in lines[start + 1 :]]
    return found


@pytest.mark.parametrize("name", EXPECTED)
def test_stated_values_are_shown(blocks: dict[str, list[str]], name: str) -> None:
    assert blocks[name] == EXPECTED[name]


FILES = demo_files()


def test_thirty_students_wrote_thirty_programs_which_can_be_read(tmp_path: Path) -> None:
    programs = [data for name, data in FILES.items() if name.endswith(("n.py", "e.py"))]
    assert len(set(programs)) == 31  # with the reference
    assert [compiles(each) for each in programs].count(False) == 1
    folder = laid(FILES, tmp_path)
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
    packages = tracked("harness", "specs", "reference", "submissions", "examples/hangman")
    for name in (*packages, "setup.py", "pyproject.toml", "README.md", "MANIFEST.in"):
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
    ours = tracked("harness")
    assert {name for name in ours if name.endswith((".py", ".j2", ".css", ".js"))} <= there
    shipped = tracked("specs", "reference", "submissions")
    assert {f"harness/shipped/{name}" for name in shipped if Path(name).suffix} <= there
    assert all(name.startswith("harness/") for name in there)


def test_a_copy_of_a_shipped_assignment(installed: Path, tmp_path: Path) -> None:
    made = run(installed, tmp_path, "new", "week5", "--from", "cs112-p4")
    assert (made.returncode, made.stderr) == (0, "")
    names = tracked(*(f"{part}/cs112-p4" for part in ("specs", "reference", "submissions")))
    there = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {name.replace("cs112-p4", "week5") for name in names} == {
        path.relative_to(tmp_path).as_posix() for path in there
    }
    unknown = run(installed, tmp_path, "new", "week6", "--from", "week7")
    assert (unknown.returncode, unknown.stderr) == (
        2,
        "error: no assignment 'week7' comes with the harness. Hint: available: comp1005-a3, "
        "connect4ish, cs112-p4, naughts-crosses\n",
    )


def test_no_shipped_assignment_is_in_a_gradescope_package(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "new", "a1")
    made = run(installed, tmp_path, "gradescope", "a1", "-o", "a1.zip")
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(tmp_path / "a1.zip") as package:
        assert not [name for name in package.namelist() if name.startswith("harness/shipped/")]
