"""Texts that a student controls, through every command and export: none acts on a terminal, on a
reader's eye, on Rich, or on a spreadsheet."""

import io
import re
import shutil
import zipfile
from dataclasses import replace

import pexpect
import pytest

from harness.grading import machine
from harness.reporting.export import exporters
from tests.conftest import TryTier
from tests.downloads import HandIn, gradescope, laid, program
from tests.hostile.hostile_attempt import HERE
from tests.hostile.hostile_stage import honest_program
from tests.tiny_course import Course

ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
MARKS = "\x1b[45m\x1b]8;;http://x\x07\u202e\x9b2J[bold red]"
# What a terminal is sent by us holds colours, but not this one, no link and no movement.
ACTING_ON_A_TERMINAL = re.compile("\x1b\\[45m|\x1b\\]8|\x1b\\[2J|[\u202e\u2066\x9b\x07]")
FORMULA = re.compile(r'(?:^|,)"?[=@+-](?![\d.]+(?:,|$))', re.MULTILINE)
MARKED_UP = (HERE / "marks_up_everything" / "a1.py").read_text("utf-8")
NAME = "=Eve" + MARKS.replace("\x9b", "")  # which YAML cannot hold


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class with such names and programs, graded twice: into `out`, and into `again` with one
    program changed."""
    root = tmp_path_factory.mktemp("texts")
    shutil.copytree(HERE / "course", root / "course", ignore=shutil.ignore_patterns("suites"))
    course = Course(root / "course")
    eve = HandIn(id="s1", name=NAME, email=f"eve{NAME}@x.edu", files=program(MARKED_UP))
    syntax = f"def total(numbers):\n    return '{MARKS}\n"
    kim = HandIn(id=f"s2{NAME}", name="=1+1", email="k@x.edu", files=program(syntax))
    lee = HandIn(id="s3", name="Lee", email="l@x.edu", files=program(MARKED_UP, f"b{MARKS[:9]}.py"))
    better = replace(eve, files=program(honest_program()))
    laid(gradescope([eve, kim, lee]), course.root / "class")
    laid(gradescope([better, kim, lee]), course.root / "changed")
    for folder, out in (("class", "out"), ("changed", "again")):
        outcome = course.ok("grade", folder, "--out", out)
        course.write(f"{out}.said", outcome.out + outcome.err)
    return course


def quiet(text: str) -> None:
    found = ACTING.search(text)
    assert found is None, text[max(0, found.start() - 200) : found.end()].encode("unicode_escape")


COMMANDS = [
    ("show", "out"),
    ("compare", "out", "again"),
    ("doctor",),
    ("check", f"bad{MARKS[:9]}.py"),
    ("check", "bad.py", "--format", "github"),
    ("replay", "out", "s1", "values/greeting"),
    ("export", "out", "--to", "nothing[bold]"),
    ("show", f"no{MARKS[:9]}"),
    ("grade", f"class{MARKS[:9]}"),
]


def test_the_output_of_grading_is_inert(course: Course) -> None:
    for name in ("out.said", "again.said"):
        quiet(course.path(name).read_text("utf-8"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: repr(" ".join(command)))
def test_the_output_of_a_command_is_inert(
    course: Course, command: tuple[str, ...], try_once: TryTier
) -> None:
    for name in ("bad.py", f"bad{MARKS[:9]}.py"):
        course.write(name, MARKED_UP)
    with machine.try_tier.replaced_by(try_once):
        outcome = course.run(*command)
    assert "Traceback" not in outcome.err
    assert outcome.out + outcome.err
    quiet(outcome.out + outcome.err)


def test_markup_is_shown_as_it_stands(course: Course) -> None:
    assert "[bold red]" in course.run("show", "out").out


@pytest.mark.parametrize("command", [("show", "out"), ("compare", "out", "again")])
def test_output_to_a_terminal_has_no_acting_characters(
    course: Course, command: tuple[str, ...]
) -> None:
    child = course.on_terminal(*command, TERM="xterm-256color")
    child.expect(pexpect.EOF)
    child.close()
    assert child.before
    assert ACTING_ON_A_TERMINAL.search(child.before) is None


@pytest.mark.parametrize("form", sorted(exporters()))
def test_an_export(course: Course, form: str) -> None:
    target = course.path(f"export-{form}")
    outcome = course.run("export", "out", "--to", form, "-o", target)
    assert "Traceback" not in outcome.err
    quiet(outcome.out + outcome.err)
    assert target.exists() or outcome.status == 2
    if not target.exists():
        return
    data = target.read_bytes()
    texts = [data]
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                quiet(name)
            texts = [archive.read(name) for name in archive.namelist()]
    for text in texts:
        quiet(text.decode("utf-8-sig").replace("\r\n", "\n"))
    if target.read_bytes()[:2] != b"PK" and b"," in data.splitlines()[0]:
        assert not FORMULA.search(data.decode("utf-8-sig"))


def test_pages_and_tables_of_the_report(course: Course) -> None:
    paths = [path for path in course.path("out").rglob("*") if path.suffix in (".html", ".csv")]
    assert len(paths) > 5
    for path in paths:
        quiet(path.name)
        quiet(path.read_text("utf-8-sig").replace("\r\n", "\n"))
