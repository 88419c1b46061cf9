"""`harness new` writes what `harness validate` finds sound; pages of docs/ done as they say."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from harness.assignment.loading import load
from harness.assignment.schema import json_schema
from harness.cli import cli
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.packaging.scaffold import files
from harness.packaging.scaffold.first_scenarios import first_scenarios
from harness.packaging.scaffold.from_tests import from_tests
from tests.cli.walked_page import Walk
from tests.tiny_course import Course

SIZES = """\
import random
def area(base: float, height: float) -> float:
    \"\"\"Half of the product.\"\"\"
    return base * height / 2
def longest(words: list[str], default=None):
    return max(words, key=len, default=default)
def ask():
    return float(input("Base: "))
def main():
    print(area(ask(), ask()))
if __name__ == "__main__":
    main()
"""


BOOKS = """class Book:
    def __init__(self, title: str, pages: int) -> None:
        self.title = title
class Shelf:
    def __init__(self):
        self.books = []
class Plain:
    pass
def longest(shelf: Shelf, book: "Book"):
    return book
def save(shelf: Shelf, name: str):
    with open(name, "w") as file:
        file.write("")
def save_all(shelves):
    save(shelves[0], "a")
"""


def begun(folder: Path, *arguments: str, **references: str) -> tuple[Course, list[str]]:
    """A course with a reference of these files, and what `harness new x` prints there, which says
    nothing on standard error."""
    course = Course(folder)
    for name, text in references.items():
        course.write(f"reference/x/{name}.py", text)
    outcome = course.ok("new", "x", *arguments)
    assert outcome.err == ""
    return course, outcome.out.splitlines()


def assert_sound(course: Course) -> None:
    assert course.ok("validate", "x").out.splitlines()[0] == "x: sound"


def test_from_a_reference_that_is_there(tmp_path: Path) -> None:
    course, said = begun(tmp_path, sizes=SIZES)
    assert said == ["Wrote 6 files into specs/x, submissions/x", "Next: harness validate x"]
    assert_sound(course)
    assert not course.path(".gitignore").exists()  # it is not a repository
    ids = [scenario.id for scenario in load(tmp_path, "x").plan.scenarios]
    assert ids == ["first/area-for-the-first-time", "first/longest-for-the-first-time"]
    there = "specs/x/assignment.yaml: this file already exists. Hint: "
    assert course.refusal("new", "x").startswith(there)


AWKWARD = """\
import random
import sys
from dataclasses import dataclass
def first(words: list[str]) -> str:
    return words[0]
def total(numbers):
    return sum(numbers)
def mean(numbers: list[float]) -> float:
    return sum(numbers) / (len(numbers) * 1.1)
def never(number: int) -> None:
    while number:
        pass
def refuse(number: int) -> None:
    raise ValueError("never right")
def unfinished(number: int) -> None:
    raise NotImplementedError
def leave(number: int) -> None:
    sys.exit(3)
def shout(text: str) -> None:
    print(text.upper())
def asked() -> str:
    return sys.stdin.readline()
def dice() -> int:
    return random.randint(1, 10**9)
def where(number: int) -> int:
    return id([number])
def point() -> "Point":
    return Point(1)
@dataclass
class Point:
    x: int
class Cat:
    def __init__(self, name: str):
        self.name = name
class Dog:
    def __init__(self, name: str):
        if len(name) < 2:
            raise ValueError("too short")
        self.name = name
"""


@pytest.fixture
def short_limit(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new assignment is begun from, with little time for what goes on for ever."""
    template = tmp_path_factory.mktemp("new") / "template"
    shutil.copytree(files._TEMPLATE, template)
    with (template / "assignment.yaml").open("a", encoding="utf-8") as file:
        file.write("limits: {cpu_seconds: 0.1}\n")
    monkeypatch.setattr(files, "_TEMPLATE", template)


@pytest.mark.usefixtures("short_limit")
def test_exceptions_are_stated_and_incomparable_values_left_out(tmp_path: Path) -> None:
    course, said = begun(tmp_path, x=AWKWARD)
    assert_sound(course)
    text = course.text("specs/x/first.yaml")
    actions = {line.strip() for line in text.splitlines() if line.startswith("    call: ")}
    assert actions == {
        'call: first(["abc"])',
        "call: total([3, 1])",
        "call: mean([2.5])",
        "call: refuse(2)",
        "call: leave(2)",
        'call: shout("a")',
        "call: dice()",
        "call: point()",
        'call: Cat("a")',
        'call: Dog("abc")',
    }
    assert "    call: refuse(2)\n    raises: ValueError\n" in text
    assert "    call: leave(2)\n    raises: SystemExit\n" in text
    assert "    call: dice()\n    seed: 1\n" in text
    left_out = re.findall(r"^# Left out: (\w+)", text, re.MULTILINE)
    assert left_out == ["never", "unfinished", "asked", "where"]
    assert said[1] == (
        "Left out, with the reasons in specs/x/first.yaml: never, unfinished, asked and where"
    )


@pytest.mark.usefixtures("short_limit")
@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "def never(number: int):\n    while True:\n        pass\n",
            "never(2): the reference ran into the limit on CPU time "
            "(limits: {cpu_seconds: 5} allows more)",
        ),
        (
            "LIMIT = 3\n",
            ("the reference has no function or program that runs without input or files"),
        ),
    ],
)
def test_where_nothing_compares_the_rest_is_written(source: str, why: str, tmp_path: Path) -> None:
    course, said = begun(tmp_path, x=source)
    assert said == [
        "Wrote 5 files into specs/x, submissions/x",
        f"No first scenario can be made: {why}",
        "To do: write specs/x/first.yaml, as docs/writing-scenarios.md shows",
        "Next: harness validate x",
    ]
    names = sorted(path.name for path in course.path("specs/x").iterdir())
    assert names == ["assignment.yaml", "clauses.yaml", "mutants.yaml"]


def test_a_package_that_is_not_named_is_told_before_anything_is_written(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.write("reference/x/x.py", "import nowhere.inside\n\n\ndef f(n: int):\n    return 1\n")
    assert course.refusal("new", "x") == (
        "the reference imports nowhere, which is neither a module of Python nor a file beside "
        "it. Hint: if it is a package, harness new x --package nowhere==VERSION"
    )
    assert not course.path("specs").exists()


def test_an_assignment_made_without_scenarios_is_sound_with_one(tmp_path: Path) -> None:
    course, _ = begun(tmp_path, x="def ask(text): return input(text)\n")
    validated = course.run("validate", "x")
    assert (validated.status, validated.err) == (1, "")
    scenario = '  - {name: one, clause: x.py, call: ask("> "), input: [a]}\n'
    course.write("specs/x/first.yaml", f"function: ask\nscenarios:\n{scenario}")
    mutant = "{clause: x.py, file: x.py, find: input(text), replace: text, why: It asks nothing.}"
    course.write("specs/x/mutants.yaml", f"mutants:\n  - {mutant}\n")
    assert_sound(course)


def test_every_file_gets_a_skeleton(tmp_path: Path) -> None:
    course, _ = begun(tmp_path, "--file", "greeting.py", "--file", "guess.py")
    assert_sound(course)
    plan = load(tmp_path, "x").plan
    assert plan.assignment.submission_files == ("greeting.py", "guess.py")
    assert [each.function for each in plan.scenarios] == ["greeting.py", "guess.py"]


def test_a_reference_of_scripts_is_begun_and_what_is_left_is_told(tmp_path: Path) -> None:
    course, said = begun(
        tmp_path,
        greeting='name = input("Name: ")\nprint(f"Hello {name}.")\n',
        lines="def main():\n    print(open('a').read())\n\n\nmain()\n",
        stars="for length in 1, 2, 3:\n    print(length * '*')\n",
    )
    assert said == [
        "Wrote 8 files into specs/x, submissions/x",
        "To do in specs/x/first.yaml: add the input (or files) of greeting.py and lines.py",
        "Next: harness validate x",
    ]
    validated = course.fails("validate", "x")
    assert "first/greeting-py-for-the-first-time: the reference asked for more" in validated.out
    assert "stars-py-for-the-first-time: " not in validated.out
    assert "survives" not in validated.out
    scenarios = course.text("specs/x/first.yaml").replace("input: []", "input: [Ada]", 1)
    course.write("specs/x/first.yaml", scenarios)
    functions = [each.function for each in load(tmp_path, "x").plan.scenarios]
    assert functions == ["greeting.py", "lines.py", "stars.py"]
    course.edit("specs/x/first.yaml", "    input: []", '    files: {a: "text\\n"}\n    input: []')
    assert_sound(course)


@pytest.mark.parametrize(
    ("source", "actions"),
    [
        (SIZES, ["call: area(1.5, 1.5)", "call: longest([])"]),
        ("def f(a, b: str, *rest, c=1): return a", []),
        ("def f(a, b: str, *rest, c=1):\n    return a", ['call: f(2, "a")']),
        ("def _f():\n    return 1", []),
        ("print('x')\n", ["run: x.py"]),
        ("print(input())\n", ["run: x.py"]),
        ("def f():\n    return input()\n\n\nprint(f())\n", ["run: x.py"]),
        (BOOKS, ['call: Book("a", 2)', "call: Shelf()", 'call: longest(Shelf(), Book("a", 2))']),
        ('"""Only words."""\nX = 1\n', []),
        ("def main():\n    print(1)\n\n\nmain()\n", ["run: x.py"]),
    ],
)
def test_first_scenarios_have_calls_that_can_be_asked_at_once(
    source: str, actions: list[str]
) -> None:
    assert [first.action for first in first_scenarios("x.py", source.encode())] == actions


def test_text_that_is_not_python_is_refused_with_its_place() -> None:
    with pytest.raises(UserError, match=r"^x\.py: this is not Python \("):
        first_scenarios("x.py", b"def")


REFUSED = {
    "../a1": "'../a1' cannot be an id. Hint: use lower-case letters, ",
    "A1": "'A1' cannot be an id",
    "a1 --file ../x.py": "'../x.py' cannot be a Python file",
    "a1 --from tiny --file x.py": "--file is for a new reference",
    "a1 --package x==1": "--package needs an existing reference, in reference/a1. Hint: without",
    "a1 --from tiny": "no assignment 'tiny' comes with the",
}


@pytest.mark.parametrize(("arguments", "line"), REFUSED.items(), ids=REFUSED)
def test_refused(arguments: str, line: str, tmp_path: Path) -> None:
    assert Course(tmp_path).refusal("new", *arguments.split()).startswith(line)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_inside_a_course_is_told_whose_the_files_are(course: Course) -> None:
    below = course.path("below")
    below.mkdir()
    outcome = course.ok("new", "sizes", cwd=below)
    assert f" of the course {course.root.resolve()}\n" in outcome.out
    assert "To start a course in this folder instead, add --root .\n" in outcome.out
    assert "of the course" not in course.ok("new", "sizes", "--root", ".", cwd=below).out
    assert (below / "specs" / "sizes" / "assignment.yaml").is_file()


@pytest.mark.parametrize("below", [".", "course"])
def test_in_a_repository(tmp_path: Path, below: str) -> None:
    (tmp_path / ".git").mkdir()
    base = tmp_path / below
    base.mkdir(exist_ok=True)
    Course(base).ok("new", "a1", "--root", base)
    assert (base / ".gitignore").read_text().splitlines()[-2:] == [".harness-cache/", "reports/"]


def test_existing_files_stay_and_nothing_is_reported_twice(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / ".gitignore"
    path.write_text("*.log\n/reports")
    Course(tmp_path).ok("new", "a1", "--root", tmp_path)
    once = path.read_text()
    assert once.startswith("*.log\n/reports\n")
    assert once.endswith(".harness-cache/\n")
    assert "\nreports/" not in once
    Course(tmp_path).ok("new", "a2", "--root", tmp_path)
    assert path.read_text() == once


DOCS = Path(__file__).parents[2] / "docs"
GUIDES = [*sorted((DOCS / "get-started").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]
PAGES = [DOCS / "writing-an-assignment.md", DOCS / "writing-scenarios.md", *GUIDES]
SHAPES = json_schema()["$defs"]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The page walked to its end: every command exits and prints as the page shows."""
    walk = Walk(DOCS / "writing-an-assignment.md", tmp_path_factory.mktemp("an-assignment"))
    walk.walk()
    return walk


@pytest.mark.release
def test_the_page_makes_every_kind_of_file_and_takes_every_step(walked: Walk) -> None:
    made = {path for path in walked.made if not path.startswith("submissions/")}
    specs = ["assignment", "clauses", "hint", "is_valid", "main", "mutants", "play", "policy"]
    assert made == {
        *("reference/guessing/guess.py", "reference/guessing/rules.py"),
        *("specs/guessing/guesses.py", *(f"specs/guessing/{name}.yaml" for name in specs)),
    }
    used = [command.split()[1] for command in walked.commands if command.startswith("harness ")]
    assert list(dict.fromkeys(used)) == ["validate", "record", "grade", "show", "check"]


@pytest.mark.release
def test_the_samples_have_the_marks_they_should(walked: Walk) -> None:
    found = json.loads((walked.folder / "reports/guessing/results.json").read_text("utf-8"))
    assert found["run"]["complete"]
    assert {entry["id"]: entry["mark"] for entry in found["submissions"]} == {
        "another_style": 10.0,
        "half_finished": 2.0,
        "hard_coded_20": 8.5,
    }


@pytest.mark.release
def test_the_scenarios_are_tests_too(walked: Walk) -> None:
    done = walked.shell("pytest specs/guessing -p no:cacheprovider")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_every_key_of_the_language_is_on_a_page(shape: str) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    keys = SHAPES[shape].get("properties", {})
    missing = [each for each in keys if not re.search(rf"(?<![\w-]){re.escape(each)}(:|`)", pages)]
    assert missing == []


def workflow() -> dict[Any, Any]:
    text = (DOCS / "ci-workflow.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    return dict(yaml.safe_load(block))


def harness_commands() -> list[str]:
    steps = [step for job in workflow()["jobs"].values() for step in job["steps"]]
    runs = [step["run"] for step in steps if "run" in step]
    pages = [*GUIDES, DOCS / "ci-workflow.md"]
    guide = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    written = re.findall(r"`(harness (?:export|compare|manual|check) [^`]+)`", guide)
    written += re.findall(r"^(harness (?:export|compare|manual)\b.*)$", guide, re.MULTILINE)
    named = (re.sub(r"\$\{\{.*?\}\}", "ID", run) for run in (*runs, *written))
    return [line for line in named if line.startswith("harness ")]


def parameters(name: str, *arguments: str) -> dict[str, Any]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    with command.make_context(name, [*arguments]) as context:
        return context.params


@pytest.mark.parametrize("line", harness_commands())
def test_a_command_can_be_read(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reports" / "ID").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert parameters(*shlex.split(line)[1:])


@pytest.mark.parametrize("option", ["-o", "--out", "--output"])
def test_all_commands_name_their_output_alike(option: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    others = ("compare . .", "handout x", "web x", "classroom50 x")
    for line in ("grade .", "export . --to csv", *others):
        assert path in parameters(*line.split(), option, str(path)).values()


def test_the_workflow_has_what_github_asks_for_and_pages_name_commands() -> None:
    found = workflow()
    assert found[True] == ["push", "pull_request"]  # YAML 1.1 takes the key `on` for true
    for job in found["jobs"].values():
        systems = job.get("strategy", {}).get("matrix", {}).get("os", [job["runs-on"]])
        assert all(re.match(r"(ubuntu|macos|windows)-\d+", system) for system in systems)
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    named = {shlex.split(line)[1] for line in harness_commands()}
    assert named >= {"doctor", "validate", "grade", "export", "compare", "manual", "check"}


OLD_TESTS = """\
import pytest
from src.a1 import add
from helpers import TWO

@pytest.mark.parametrize("x", [1, 2])
def test_add(x):
    assert add(x, TWO) == x + 2
"""


def old_tests(tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    (folder / "tests").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "src" / "a1.py").write_text("def add(x, y):\n    return x + y\n")
    (folder / "tests" / "test_a1.py").write_text(OLD_TESTS)
    (folder / "tests" / "helpers.py").write_text("TWO = 2\n")
    (folder / "tests" / "data.csv").write_text("1,2\n")
    return folder


def test_tests_that_exist_become_an_assignment(tmp_path: Path) -> None:
    begun = from_tests("w1", old_tests(tmp_path), None)
    assert sorted(begun.files) == [
        "reference/w1/a1.py",
        "specs/w1/assignment.yaml",
        "specs/w1/tests/helpers.py",
        "specs/w1/tests/test_a1.py",
    ]
    assert begun.tests == 2
    assert "data.csv" in begun.notes[0]
    for name, data in begun.files.items():
        write_bytes(tmp_path / "course" / name, data)
    plan = load(tmp_path / "course", "w1").plan
    assert [each.id for each in plan.scenarios] == ["test_a1/test-add[1]", "test_a1/test-add[2]"]


TMC_TEST = """\
import unittest
from tmc import points
from tmc.utils import load_module

@points("1.smile")
class SmileTest(unittest.TestCase):
    def test_smile(self):
        module = load_module("src.smile")
        assert open("test/words.txt").read() == open("expected.txt").read()
"""


def test_a_layout_of_tmc_keeps_its_folders_and_modules(tmp_path: Path) -> None:
    texts = {
        "src/smile.py": "print(':-)')\nopen('own.csv')\n",
        "src/own.csv": "1",
        "test/test_smile.py": TMC_TEST,
        "test/words.txt": "a",
        "expected.txt": "a",
        "README.txt": "read me",
        "tmc/__init__.py": "from .points import points",
        "tmc/points.py": "def points(*names): return lambda thing: thing",
    }
    for name, text in texts.items():
        write_bytes(tmp_path / name, text.encode())
    begun = from_tests("w1", tmp_path, None)
    assert "reference/w1/smile.py" in begun.files
    stated = begun.files["specs/w1/assignment.yaml"].decode()
    assert "files: [test/test_smile.py]" in stated
    assert "beside: [tmc/__init__.py, tmc/points.py, expected.txt]" in stated
    assert "data: [src/own.csv, test/words.txt]" in stated
    assert "README.txt" in begun.notes[-1]


def test_a_reference_is_called_as_the_tests_import_it(tmp_path: Path) -> None:
    folder = old_tests(tmp_path)
    solution = folder / "src" / "a1.py"
    solution.rename(folder / "solution.py")
    with pytest.raises(UserError, match=r"no solution for these tests was found \(a1\.py\)"):
        from_tests("w1", folder, None)
    begun = from_tests("w1", folder, folder / "solution.py")
    assert "reference/w1/a1.py" in begun.files


AUTOGRADING = """{"tests": [
 {"name": "greets", "setup": "", "run": "python3 hello.py", "input": "Ann\\n",
  "output": "Hello Ann", "comparison": "included", "timeout": 10, "points": 2},
 {"name": "whole", "run": "python hello.py", "input": "Bo", "output": "Name? Hello Bo",
  "comparison": "exact", "points": 1},
 {"name": "whole", "run": "python3 hello.py -x", "input": "Bo", "output": "^Name",
  "comparison": "regex"},
 {"name": "runs", "run": "python3 hello.py", "input": "Bo", "output": ""},
 {"name": "piped", "run": "echo Bo | python3 hello.py", "output": "Bo"},
 {"name": "by pytest", "run": "pytest"}
]}"""
CHECK50 = """
import check50

@check50.check()
def exists():
    \"\"\"hello.py exists\"\"\"
    check50.exists("hello.py")

@check50.check(exists)
def greets():
    \"\"\"greets Ann\"\"\"
    check50.run("python3 hello.py").stdin("Ann").stdout("Hello Ann").exit(0)

@check50.check(exists)
def pattern():
    check50.run("python3 hello.py").stdin("Bo").stdout("Name.*").stdout("Bo", regex=False).exit()

@check50.check(exists)
def computes():
    for name in ["a", "b"]:
        check50.run("python3 hello.py").stdin(name).stdout(name)
"""
HELLO = b"name = input('Name? ')\nprint('Hello', name)\n"


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        (
            ".github/classroom/autograding.json",
            AUTOGRADING,
            ["hello_runs/greets", "hello_runs/runs", "hello_runs/whole", "hello_runs/whole-2"],
        ),
        ("__init__.py", CHECK50, ["hello_runs/greets-ann", "hello_runs/pattern"]),
    ],
)
def test_checks_of_programs_become_scenarios(
    tmp_path: Path, name: str, text: str, ids: list[str]
) -> None:
    write_bytes(tmp_path / "old" / name, text.encode())
    write_bytes(tmp_path / "old" / "hello.py", HELLO)
    begun = from_tests("w1", tmp_path / "old", None)
    assert len([note for note in begun.notes if note.startswith("Left out: ")]) == 1
    for file, data in begun.files.items():
        write_bytes(tmp_path / "course" / file, data)
    plan = load(tmp_path / "course", "w1").plan
    assert sorted(scenario.id for scenario in plan.scenarios) == ids


@pytest.mark.parametrize("name", ["no", "1", "1_000", "a: b", "größe"])
def test_programs_have_any_names(tmp_path: Path, name: str) -> None:
    tests = [{"name": "greets", "run": f"python3 '{name}.py'", "output": "Hi"}]
    text = json.dumps({"tests": tests})
    write_bytes(tmp_path / "old/.github/classroom/autograding.json", text.encode())
    write_bytes(tmp_path / "old" / f"{name}.py", b"print('Hi')\n")
    begun = from_tests("w1", tmp_path / "old", None)
    for file, data in begun.files.items():
        write_bytes(tmp_path / "course" / file, data)
    (scenario,) = load(tmp_path / "course", "w1").plan.scenarios
    assert scenario.clauses == (name,)


OTTER = b"""OK_FORMAT = True

test = {
    "name": "q1", "points": 3,
    "suites": [{"cases": [
        {"code": ">>> double(2)\\n4", "hidden": False, "locked": False},
        {"code": ">>> double(3)\\n6", "hidden": True, "points": 0},
        {"code": "no examples"},
    ]}],
}
"""


def test_tests_of_otter_are_texts_with_examples(tmp_path: Path) -> None:
    write_bytes(tmp_path / "old" / "tests" / "q1.py", OTTER)
    write_bytes(tmp_path / "old" / "a1.py", b"def double(x):\n    return x * 2\n")
    begun = from_tests("w1", tmp_path / "old", tmp_path / "old" / "a1.py")
    assert begun.files["specs/w1/tests/q1_1.txt"] == b">>> double(2)\n4\n"
    assert "Left out: tests/q1.py, case 3: it has no examples" in begun.notes
    for file, data in begun.files.items():
        write_bytes(tmp_path / "course" / file, data)
    first, second = load(tmp_path / "course", "w1").plan.scenarios
    assert (first.name, first.points, first.visibility.value) == ("tests/q1_1.txt", 1, "visible")
    assert (second.informational, second.visibility.value) == (True, "hidden")


WORKFLOW = b"""
jobs:
  run-autograding-tests:
    steps:
      - uses: actions/checkout@v4
      - uses: classroom-resources/autograding-io-grader@v1
        with:
          test-name: greets
          command: python3 hello.py
          input: Ann
          expected-output: Hello Ann
          comparison-method: included
          max-score: 2
      - uses: classroom-resources/autograding-command-grader@v1
        with: {test-name: whole, command: ruff check, max-score: 1}
"""


def test_a_workflow_of_classroom_has_checks_of_programs(tmp_path: Path) -> None:
    write_bytes(tmp_path / "old" / ".github" / "workflows" / "classroom.yml", WORKFLOW)
    write_bytes(tmp_path / "old" / "hello.py", HELLO)
    begun = from_tests("w1", tmp_path / "old", None)
    assert [note.partition(":")[0] for note in begun.notes] == ["Left out"]
    for file, data in begun.files.items():
        write_bytes(tmp_path / "course" / file, data)
    [scenario] = load(tmp_path / "course", "w1").plan.scenarios
    assert (scenario.id, scenario.points) == ("hello_runs/greets", 2)


def test_a_folder_without_tests_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no test files"):
        from_tests("w1", tmp_path, None)


def test_examples_in_a_text_or_in_the_solution_are_tests(tmp_path: Path) -> None:
    example = b">>> from fib import fib\n>>> fib(2)\n1\n"
    write_bytes(tmp_path / "text" / "README.md", example)
    write_bytes(tmp_path / "text" / "fib.py", b"def fib(n): return n - 1\n")
    assert "reference/w1/fib.py" in from_tests("w1", tmp_path / "text", None).files
    write_bytes(
        tmp_path / "own" / "fib.py", b'def fib(n):\n    """\n    >>> fib(2)\n    1\n    """\n'
    )
    begun = from_tests("w1", tmp_path / "own", None)
    assert b"runner: doctest" in begun.files["specs/w1/assignment.yaml"]
    assert begun.tests == 1


def test_a_test_file_that_is_not_python_is_named(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a1.py", b"x = 1\n")
    write_bytes(tmp_path / "test_a1.py", b"import a1\ndef test_x(:\n")
    with pytest.raises(UserError, match="test file is not Python") as caught:
        from_tests("w1", tmp_path, None)
    assert caught.value.place == "test_a1.py:2"
