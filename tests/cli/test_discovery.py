"""What all commands have in common: they are found and listed, start without what they do not use,
print rows a pipe can read, and make no folder for `-o`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from rich.table import Table

import harness.cli.commands
from harness.cli import SECTIONS, cli, listings
from harness.cli.printing import print_result, result_console
from harness.common.errors import UserError
from tests.conftest import Added
from tests.tiny_course import Course, ran

TOY = '''"""Say hello."""

import click

from harness.cli.options import click_command

SECTION = "Toys"


@click_command("toy", "harness toy Ada", "harness toy Grace")
@click.argument("name")
def command(name: str) -> None:
    """Greet NAME."""
    click.echo(f"Hello {name}")
'''
NAMES = [each.name for each in listings()]


def output(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, prog_name="harness", catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_help_lists_all_commands_under_known_sections() -> None:
    folder = Path(harness.cli.commands.__file__).parent
    files = {path.stem.replace("_", "-") for path in folder.glob("[a-z]*.py")}
    assert set(NAMES) == files
    assert {each.section for each in listings()} == set(SECTIONS)
    listed = output("--help").partition("Grading:\n")[2].splitlines()
    assert [line.split()[0] for line in listed if line.startswith("  ")] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_help_ends_with_two_examples(name: str) -> None:
    text = output(name, "--help")
    assert text.startswith(f"Usage: harness {name} ")
    examples = text.partition("  Examples:\n")[2].splitlines()
    assert len(examples) == 2
    assert all(line.startswith("    harness ") for line in examples)
    assert f"harness {name}" in text.partition("  Examples:\n")[2]


def test_the_help_imports_no_command() -> None:
    code = (
        "import sys; from harness.cli import cli; cli.main(['--help'], standalone_mode=False);"
        "print(*sys.modules)"
    )
    done = ran([sys.executable, "-c", code], check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not {f"harness.cli.commands.{name}" for name in NAMES} & loaded
    assert not {"rich", "harness.model", "harness.assignment"} & loaded


def test_no_command_shows_the_help() -> None:
    result = CliRunner().invoke(cli, [], prog_name="harness")
    assert (result.exit_code, result.output) == (2, output("--help"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("grad", "did you mean grade?"),
        ("xport", "did you mean export?"),
        ("zzz", "harness --help lists the commands"),
        ("__init__", "harness --help lists the commands"),
        ("../check", "did you mean check?"),
    ],
)
def test_an_unknown_command_gets_a_suggestion(name: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        output(name)
    assert str(caught.value) == f"there is no command {name!r}. Hint: {hint}"


def test_a_new_file_is_a_command(added: Added) -> None:
    added(harness.cli.commands, "toy", TOY)
    assert output("--help").partition("\nToys:\n")[2].split() == ["toy", "Say", "hello."]
    assert output("toy", "Ada") == "Hello Ada\n"
    assert output("toy", "--help").endswith("    harness toy Ada\n    harness toy Grace\n")


HEAVY = ("jinja2", "multiprocessing", "pydantic", "sqlite3", "yaml", "hypothesis")
AFTER_EACH = "import sys, harness.cli.commands.check; print(*sys.modules); " + (
    "import harness.cli.commands.grade, harness.grading.batch; print(*sys.modules)"
)


def test_check_loads_nothing_that_only_grade_needs_and_that_can_be_loaded() -> None:
    code = [sys.executable, "-c", AFTER_EACH]
    done = ran(code, check=True)
    check, grade = (set(line.split()) for line in done.stdout.splitlines())
    assert check.isdisjoint({*HEAVY, "harness.api", "harness.grading.batch"})
    assert "harness.policy.checking" not in check
    assert {"harness.grading.batch", "multiprocessing", "sqlite3"} <= grade
    assert grade.isdisjoint({"dask", "distributed", "tornado"})  # for a cluster alone


COMMANDS = {
    "export": ["reports/tiny", "--to", "json"],
    "compare": ["reports/tiny", "reports/tiny", "--to", "csv"],
    "handout": ["tiny"],
    "gradescope": ["tiny"],
    "classroom50": ["tiny"],
}


@pytest.mark.parametrize(("command", "arguments"), COMMANDS.items(), ids=COMMANDS)
def test_no_folder_is_made(command: str, arguments: list[str], graded_once: Course) -> None:
    line = "no/where: there is no folder no. Hint: make it first, or name another"
    assert graded_once.refusal(command, *arguments, "-o", "no/where") == line
    assert not graded_once.path("no").exists()


def test_a_pipe_gets_a_row_a_line_and_no_blanks_at_the_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = Table("clause", "what", box=None, show_edge=False)
    table.add_row("3.1", "word " * 60)
    table.add_row("3.2", "short")
    print_result(table)
    result_console().print("a line  ")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["clause", "3.1", "3.2", "a"]
    assert lines[1].count("word") == 60
    assert lines == [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    ("words", "begun", "completed"),
    [
        ([], "simi", ["similarity"]),
        (["grade"], "--req", ["--require-tier"]),
        (["grade", "--require-tier"], "st", ["strong", "standard"]),
    ],
)
def test_a_shell_completes(words: list[str], begun: str, completed: list[str]) -> None:
    found = ShellComplete(cli, {}, "harness", "_HARNESS_COMPLETE").get_completions(words, begun)
    assert sorted(each.value for each in found) == sorted(completed)
