"""A format and a gradebook that are one new file each: nothing else of the package names them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.commands.export import command
from harness.reporting import export
from harness.reporting.export import gradebooks
from tests.tiny_course import Course

TOY_EXPORTER = """
from harness.reporting.export.exporter import text_exporter

EXPORTER = text_exporter(
    "toy", "one id a line", lambda run, plan: "".join(f"{each.id}\\n" for each in run.submissions)
)
"""
TOY_GRADEBOOK = """
from harness.reporting.export.gradebooks.matching import Identity
from harness.reporting.export.gradebooks.platform import Gradebook, GradebookLayout, choose_column


def layout(sheet, column, title):
    titles = dict(enumerate(sheet.rows[0]))
    mark = choose_column(sheet, titles, column, title)
    return GradebookLayout(mark=mark, identity=lambda row: Identity(ids=(row[0],)))


GRADEBOOK = Gradebook(
    name="abacus", title="Abacus", layout=layout, feedback_name=lambda source: f"{source}.html"
)
"""


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The two files, as if they were in the packages' folders."""
    for package, name, text in (
        (export, "toy_lines", TOY_EXPORTER),
        (gradebooks, "abacus", TOY_GRADEBOOK),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    yield
    for name in [name for name in sys.modules if name.endswith((".toy_lines", ".abacus"))]:
        del sys.modules[name]


@pytest.mark.usefixtures("toys")
def test_they_are_found(graded_once: Course, tmp_path: Path) -> None:
    run = CliRunner()
    text = run.invoke(command, ["--help"]).output
    assert "one id a line" in text
    assert "feedback-abacus" in text
    report = str(graded_once.report)
    outcome = run.invoke(command, [report, "--to", "toy"])
    assert outcome.stdout.splitlines()[-2:] == ["prints_total", "syntax_error"]
    book = tmp_path / "book.csv"
    book.write_text("who,A tiny till\nperfect,\n", encoding="utf-8")
    outcome = run.invoke(command, [report, "--to", "abacus", "--gradebook", str(book)])
    assert outcome.stdout.splitlines() == ["who,A tiny till", "perfect,6.00"]


def test_they_are_gone_again() -> None:
    assert not {"toy", "abacus"} & set(export.exporters())


def test_names_are_unique_and_have_a_help_line() -> None:
    known = export.exporters()
    assert list(known) == sorted(known)
    assert all(each.help and "\n" not in each.help for each in known.values())
