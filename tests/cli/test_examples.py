"""Every command line in a command's help, in the README and in the docs is one that the harness
takes; those of the help are run before a release."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from harness.cli import cli, listings
from tests.downloads import HandIn, gradescope, program, zipped_class
from tests.shipped import ROOT
from tests.tiny_course import Course

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(r"^ *```.*?\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    ((?:harness|python -m harness) .*)$", re.MULTILINE)
LINE = re.compile(r"^\s*(?:\$ )?((?:harness|python3? -m harness) .*)$", re.MULTILINE)
# These are not run in a test, each for its reason.
NOT_RUN = {
    "harness check a1.py --assignment connect4ish --watch": "it runs until it is interrupted",
    "harness course reports --student ada@uni.example": "its class has no addresses",
    "harness import-transcript game.txt --to specs/connect4ish/gameplay.yaml": "as below",
    "harness import-transcript four.txt --to specs/connect4ish/main.yaml --set BOARD_SIZE=4": (
        "it needs a recorded game, with no {{ NAME }} in it; tests/study has such"
    ),
    "harness export reports/connect4ish --to canvas --gradebook Grades.csv -o import.csv": (
        "it needs a gradebook of this class; tests/reporting has such"
    ),
    "harness doctor --python 3.13 -v": "not every machine has Python 3.13",
    "harness fuzz connect4ish": "it searches for minutes",
    "harness fuzz connect4ish jo/a1.py --seconds 60": "it searches for a minute",
    "harness play connect4ish --set BOARD_SIZE=4": "a person plays",
    'harness play connect4ish --record "a win by a removal"': "a person plays",
    "harness review reports/connect4ish": "it serves until it is interrupted",
    "harness review reports/connect4ish --part 1/3 --anonymous": "the same",
    "harness strength connect4ish": "it tries all changes of the reference, for minutes",
    "harness strength connect4ish --pairs 200 --json strength.json": "the same",
    "harness validate": "it validates all assignments; `make validate` does",
    "harness validate connect4ish --no-samples --strength": "as strength",
    "harness web connect4ish -o site": "it fetches packages from npm",
    "harness web week1 week2 -o public_html/checks": "the same",
    "harness worker --scheduler tcp://grading.example.edu:8786": "it needs a cluster",
    "harness worker --scheduler tcp://127.0.0.1:8786 --jobs 4 --require-tier strong": "the same",
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
STUDENTS = ("perfect", "ada", "4711", "jo")
ALL_LINES = all_lines()


def arguments_of(line: str) -> list[str]:
    words = shlex.split(line)
    start = 1 + words.index("harness")
    # An ellipsis stands for the usual arguments.
    return ["submissions/connect4ish" if word == "…" else word for word in words[start:]]


def test_there_are_examples_in_every_help_and_in_the_docs() -> None:
    assert len(EXAMPLES) > len(listings())
    assert len(ALL_LINES) > len(EXAMPLES)
    assert set(NOT_RUN) <= set(EXAMPLES)


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


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course in which the examples can be run, with two runs of connect4ish."""
    root = tmp_path_factory.mktemp("examples")
    for name in ("specs", "reference"):
        shutil.copytree(ROOT / name / "connect4ish", root / name / "connect4ish")
    samples = ROOT / "submissions" / "connect4ish"
    for student in STUDENTS:
        target = root / "submissions" / "connect4ish" / student
        shutil.copytree(samples / "upper_case_wrong", target)
        (target / "expect.yaml").unlink(missing_ok=True)
    shutil.copy(samples / "perfect" / "a1.py", root / "submissions/connect4ish/perfect/a1.py")
    shutil.copytree(root / "submissions/connect4ish/jo", root / "jo")
    shutil.copy(root / "jo" / "a1.py", root / "a1.py")
    made = Course(root)
    _lay_other_files(made, root)
    for out in ("reports/connect4ish", "reports/before", "reports/after"):
        made.run("grade", "submissions/connect4ish", "--out", out)
    return made


def _lay_other_files(course: Course, root: Path) -> None:
    """Write what the examples name beside submissions and runs: a download, a gradebook, texts."""
    (root / "public_html").mkdir()
    files = program((root / "a1.py").read_text("utf-8"))
    # The whole class: a report of it is not replaced by one of a part.
    handed_in = [HandIn(id=student, name=student, files=files) for student in STUDENTS]
    zipped_class(gradescope(handed_in), root / "download.zip")
    course.write("mail.txt", "Subject: Your mark\n\n{summary}\n")


@pytest.mark.release
@pytest.mark.parametrize("line", [line for line in EXAMPLES if line not in NOT_RUN])
def test_every_example_of_the_help_works(course: Course, line: str) -> None:
    outcome = course.run(*arguments_of(line))
    assert (outcome.status in (0, 1), outcome.err) == (True, outcome.err), line
