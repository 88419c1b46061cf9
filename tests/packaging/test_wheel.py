"""The harness as a wheel has it: outside the clone, in a course's own folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.shipped import ROOT
from tests.tiny_course import PATIENCE, environment, ran


def tracked(*paths: str) -> list[str]:
    done = ran(["git", "ls-files", "-z", *paths], cwd=ROOT, check=True)
    return [name for name in done.stdout.split("\0") if name]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel puts among the modules."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in (*tracked("harness", "specs", "reference", "submissions"), *BUILD_FILES):
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
