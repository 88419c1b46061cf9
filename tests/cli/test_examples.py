"""Every command line in a command's help, in the README and in the docs is one that the harness
takes, and is run before a release."""

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import pexpect
import pytest

from harness.assignment.loading import CACHE
from harness.cli import cli, listings
from harness.execution import find_interpreter
from tests.downloads import (
    HandIn,
    blackboard,
    brightspace,
    gradescope,
    moodle,
    program,
    zipped_class,
)
from tests.packaging.web_page import packages_or_skip
from tests.shipped import ROOT
from tests.tiny_course import Course, ran

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(r"^ *```.*?\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    ((?:harness|python -m harness) .*)$", re.MULTILINE)
LINE = re.compile(r"^\s*(?:\$ )?((?:harness|python3? -m harness) .*)$", re.MULTILINE)
CLUSTER = "its scheduler is on another machine; tests/grading/test_dask runs one here"
# These are not run, each for its reason.
NOT_RUN = {
    "harness grade submissions/connect4ish --scheduler tcp://grading.example.edu:8786": CLUSTER,
    "harness grade … --scheduler tls://grading.example.edu:8786 --tls-ca ca.pem --tls-cert "
    "client.pem --tls-key client.key": CLUSTER,
    "harness worker --scheduler tcp://grading.example.edu:8786": CLUSTER,
    "harness worker --scheduler tcp://127.0.0.1:8786 --jobs 4 --require-tier strong": CLUSTER,
    "harness worker --scheduler tls://grading.example.edu:8786 --tls-ca ca.pem --tls-cert "
    "worker.pem --tls-key worker.key": CLUSTER,
}
# What takes minutes for connect4ish is about a small assignment instead.
OF_WEEK_1 = ("strength", "validate")
# These end by themselves after minutes, and sooner with these options.
SHORTENED = {
    "harness fuzz connect4ish": ("--inputs", "20", "--seconds", "1"),
    "harness fuzz connect4ish jo/a1.py --seconds 60": ("--inputs", "20", "--seconds", "1"),
    "harness strength connect4ish --pairs 200 --json strength.json": ("--pairs", "2"),
}
# These end by Ctrl-C, after they have shown this on a terminal.
UNTIL_INTERRUPTED = {
    "harness check a1.py --assignment connect4ish --watch": "visible checks passed",
    "harness grade --watch inbox --assignment connect4ish --out reports/connect4ish": "jo",
    "harness play connect4ish --set BOARD_SIZE=4": "1 2 3 4",
    'harness play connect4ish --record "a win by a removal"': "1 2 3 4",
    'harness play connect4ish --set BOARD_SIZE=4 --record "a win by a removal"': "1 2 3 4",
    "harness review reports/connect4ish": "http://127.0.0.1",
    "harness review reports/connect4ish --part 1/3 --anonymous": "http://127.0.0.1",
    "harness review reports/connect4ish --request mail.txt": "http://127.0.0.1",
}


def help_examples() -> list[str]:
    """The command lines below all commands' help."""
    found = []
    context = click.Context(cli)
    for listing in listings():
        command = cli.get_command(context, listing.name)
        assert command is not None
        assert command.epilog is not None, listing.name
        found += [line.strip() for line in command.epilog.splitlines() if "harness " in line]
    return list(dict.fromkeys(found))


def lines_of(text: str) -> Iterator[str]:
    """The command lines in a page's examples, without their comments."""
    examples = [*FENCED.findall(text), *INDENTED.findall(text)]
    for example in examples:
        joined = example.replace("\\\n", " ")
        for line in LINE.findall(joined):
            command = re.split(r"\s+#|\s+[|>]\s|\s*(?:&&|;)", line)[0]
            yield command.strip()


def all_lines() -> list[str]:
    found = help_examples()
    for page in PAGES:
        found += lines_of(page.read_text("utf-8"))
    return list(dict.fromkeys(found))


EXAMPLES = help_examples()
STUDENTS = ("perfect", "ada", "4711", "jo", "hard_coded_8")
ALL_LINES = all_lines()
# `tests/cli/test_new_command.py` walks this page: it makes the files that its commands are about.
WALKED = list(dict.fromkeys(lines_of((ROOT / "docs/writing-an-assignment.md").read_text("utf-8"))))
RUN = [line for line in ALL_LINES if line not in {*NOT_RUN, *UNTIL_INTERRUPTED, *WALKED}]


def arguments_of(line: str) -> list[str]:
    words = shlex.split(line)
    start = 1 + words.index("harness")
    # An ellipsis stands for the usual arguments.
    return ["submissions/connect4ish" if word == "…" else word for word in words[start:]]


def test_there_are_examples_in_every_help_and_in_the_docs() -> None:
    assert len(EXAMPLES) > len(listings())
    assert len(ALL_LINES) > len(EXAMPLES)
    assert {*NOT_RUN, *SHORTENED, *UNTIL_INTERRUPTED} <= set(ALL_LINES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where every folder and file exists whose existence an option checks while it is read."""
    for name in ("public_html",):
        (tmp_path / name).mkdir()
    for name in ("ca.pem", "worker.pem", "worker.key", "client.pem", "client.key"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_line_is_one_that_the_harness_takes(folder: Path) -> None:
    refused = {}
    for line in ALL_LINES:
        arguments = arguments_of(line)
        if not arguments or arguments[0].startswith("-"):
            continue
        try:
            name, command, rest = cli.resolve_command(click.Context(cli), list(arguments))
            assert command is not None
            if not {"--help", "-h"} & set(rest):
                command.make_context(name, rest)
        except Exception as error:
            refused[line] = f"{type(error).__name__}: {error}"
    assert refused == {}


GAMES = {"game.txt": (8, "a1\nq\nn\n"), "four.txt": (4, "a1\na2\nq\nn\n")}  # size, typed lines
DUE = "2024-09-24T17:00+10:00"
# The downloads of the guide, each as its platform lays it out.
DOWNLOADS = {
    "CS1-A1-4711.zip": moodle,
    "assignment_4100_export.zip": gradescope,
    "A1 Download Sep 25.zip": brightspace,
    "gradebook.zip": blackboard,
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course in which the examples can be run, with runs of connect4ish."""
    root = tmp_path_factory.mktemp("examples")
    for name in ("specs", "reference"):
        shutil.copytree(ROOT / name / "connect4ish", root / name / "connect4ish")
    made = Course(root)
    samples = ROOT / "submissions" / "connect4ish"
    for student in STUDENTS:
        sample = student if (samples / student).is_dir() else "upper_case_wrong"
        shutil.copytree(samples / sample, root / "submissions" / "connect4ish" / student)
        (root / "submissions" / "connect4ish" / student / "expect.yaml").unlink(missing_ok=True)
    shutil.copytree(root / "submissions/connect4ish/jo", root / "jo")
    shutil.copy(root / "jo" / "a1.py", root / "a1.py")
    _lay_other_files(made)
    roster = ("--roster", "roster.csv")
    for out in ("reports/connect4ish", "reports/before", "reports/after", "before"):
        made.ok("grade", "submissions/connect4ish", "--out", out, *roster)
    shutil.copytree(root / "reports/connect4ish", root / "OTHER/connect4ish")
    return made


def _lay_other_files(course: Course) -> None:
    """Write what the examples name beside submissions and runs: downloads, tables, games, texts."""
    for name in ("public_html", "inbox/jo", "elsewhere"):
        course.path(name).mkdir(parents=True)
    shutil.copy(course.path("a1.py"), course.path("inbox/jo/a1.py"))
    files = program(course.text("a1.py"))
    # The whole class: a report of it is not replaced by one of a part.
    handed_in = [HandIn(id=student, name=student, files=files) for student in STUDENTS]
    for name in ("download.zip", "submissions.zip"):
        zipped_class(gradescope(handed_in), course.path(name))
    # Platforms name people by numbers of their own.
    numbered = [replace(one, id=str(7001 + n)) for n, one in enumerate(handed_in)]
    for name, laid_out in DOWNLOADS.items():
        zipped_class(laid_out(numbered), course.path(name))
    ids = [f"{student},{student}@uni.example\n" for student in STUDENTS]
    course.write("roster.csv", "id,email\n" + "".join(ids))
    course.write("extensions.csv", "id,due\n4711,2024-09-27T17:00+10:00\n")
    rows = [f'"{student}",{student},s{student},{student},T1,\n' for student in STUDENTS]
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Connect 4 (ish) (71)\n"
    course.write("Grades.csv", f"{head}    Points Possible,,,,,10\n{''.join(rows)}")
    course.write("mail.txt", "Subject: Your mark\n\n{summary}\n")
    for name, (size, typed) in GAMES.items():
        course.write(name, _game(course, size, typed))
    _new_assignments(course)


def _game(course: Course, size: int, typed: str) -> str:
    """A game of the reference as a person sees it: what is typed follows its prompt."""
    played = course.path("played")
    played.mkdir(exist_ok=True)
    for path in course.path("reference/connect4ish").glob("*.py"):
        text = re.sub(r"BOARD_SIZE = \d+", f"BOARD_SIZE = {size}", path.read_text("utf-8"))
        (played / path.name).write_text(text, "utf-8")
    echo = "import builtins, runpy\nread = builtins.input\ndef ask(prompt=''):\n"
    echo += "    line = read(prompt)\n    print(line)\n    return line\n"
    echo += "builtins.input = ask\nrunpy.run_path('a1.py', run_name='__main__')\n"
    return ran([sys.executable, "-c", echo], cwd=played, input=typed, check=True).stdout


def _new_assignments(course: Course) -> None:
    """Make small assignments, some of them with days that students may be late."""
    for name in ("week1", "week2", "a2", "a3"):
        course.ok("new", name)
    for name in ("a2", "a3"):
        course.append(f"specs/{name}/assignment.yaml", "late: {slip_days: 3}\ntime_zone: UTC\n")
    shutil.copytree(course.path("specs/a2"), course.path("specs/a0"))
    shutil.copytree(course.path("reference/a2"), course.path("reference/a0"))
    shutil.copytree(course.path("submissions/a2"), course.path("submissions/a0"))
    (program_file,) = course.path("reference/a3").glob("*.py")
    files = program(program_file.read_text("utf-8"), program_file.name)
    handed_in = [HandIn(id=student, name=student, files=files) for student in STUDENTS]
    packed = zipped_class(gradescope(handed_in), course.path("a3.zip"))
    for name in ("a0", "a2"):
        out = ("--out", f"reports/{'a1' if name == 'a0' else name}")
        course.ok("grade", packed, "--assignment", name, "--due", "2024-10-01T17:00", *out)


@pytest.fixture
def copied(course: Course, tmp_path: Path) -> Course:
    return Course.copy(course.root, tmp_path / "course")


def _ready(course: Course, arguments: list[str]) -> None:
    """Do what a page or help has done before this command, or skip what this machine cannot do."""
    if arguments[0] == "web":
        packages = packages_or_skip("3.12")
        course.path(CACHE).mkdir(exist_ok=True)
        shutil.rmtree(course.path(CACHE) / "npm", ignore_errors=True)
        (course.path(CACHE) / "npm").symlink_to(packages / "npm")
    if "harness-demo/reports/hangman" in arguments:
        course.ok("demo")
    if arguments[0] == "manual" and "style.csv" in arguments:
        course.ok("export", "reports/connect4ish", "--to", "manual-marks", "-o", "style.csv")
    if "--watch" in arguments or not DOWNLOADS.keys().isdisjoint(arguments):
        shutil.rmtree(course.path("reports"))
    if "--request" in arguments:
        page = course.text("reports/connect4ish/feedback/hard_coded_8.html")
        link = re.search(r"harness:connect4ish/[^\s<]*", page)
        assert link is not None
        course.write("mail.txt", f"Please look again at my work.\n{link[0]}\n")
    if arguments[0] == "new" and course.path(f"specs/{arguments[1]}").exists():
        shutil.rmtree(course.path(f"specs/{arguments[1]}"))
        shutil.rmtree(course.path(f"reference/{arguments[1]}"))
        shutil.rmtree(course.path(f"submissions/{arguments[1]}"))
    if "3.13" in arguments and not find_interpreter("3.13").exact:
        pytest.skip("there is no such Python here")


@pytest.mark.release
@pytest.mark.parametrize("line", RUN)
def test_every_command_line_works(copied: Course, line: str) -> None:
    arguments = arguments_of(line)
    if arguments[0] in OF_WEEK_1:
        arguments = ["week1" if word == "connect4ish" else word for word in arguments]
        shutil.rmtree(copied.path("specs/connect4ish"))
    _ready(copied, arguments)
    outcome = copied.run(*arguments, *SHORTENED.get(line, ()))
    finds_something = arguments[0] in {"check", "compare", "fuzz"}
    assert outcome.status in ((0, 1) if finds_something else (0,)), (outcome.out, outcome.err)


@pytest.mark.release
@pytest.mark.parametrize("line", UNTIL_INTERRUPTED)
def test_every_command_that_waits_is_ended_by_ctrl_c(copied: Course, line: str) -> None:
    _ready(copied, arguments_of(line))
    page = copied.on_terminal(*arguments_of(line), BROWSER="true %s", TERM="xterm")
    page.expect_exact(UNTIL_INTERRUPTED[line])
    page.sendintr()
    page.expect(pexpect.EOF)
    page.close()
    assert "Traceback" not in page.before
    assert page.exitstatus in (0, 130), page.before
