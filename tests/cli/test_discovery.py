"""A command is one file: it is listed, found and has examples in its help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import harness.cli.commands
from harness.cli import SECTIONS, cli, listings
from harness.common.errors import UserError

TOY = '''
import click

from harness.cli.options import click_command

SECTION = "Toys"
SUMMARY = "Say hello."


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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
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


def test_a_new_file_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    monkeypatch.setattr(
        harness.cli.commands, "__path__", [*harness.cli.commands.__path__, str(tmp_path)]
    )
    try:
        assert output("--help").partition("\nToys:\n")[2].split() == ["toy", "Say", "hello."]
        assert output("toy", "Ada") == "Hello Ada\n"
        assert output("toy", "--help").endswith("    harness toy Ada\n    harness toy Grace\n")
    finally:
        sys.modules.pop("harness.cli.commands.toy", None)
