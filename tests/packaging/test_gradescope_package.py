"""What is in autograder.zip."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest

from harness.packaging.gradescope.settings import Tree
from tests.packaging.autograder_tree import SCHEMA, unpack
from tests.tiny_course import Course, ran

ROOT = Path(__file__).parents[2]
FILES = ROOT / "harness" / "packaging" / "gradescope" / "files"
PROGRAMS = ("setup.sh", "run_autograder")


def test_its_files_lie_at_the_root_and_the_programs_can_be_started(package: Path) -> None:
    with zipfile.ZipFile(package) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        for name in PROGRAMS:
            text = archive.read(name)
            assert text.startswith(b"#!/usr/bin/env bash\n")
            assert b"\r" not in text
    assert {name for name, mode in modes.items() if mode & 0o111} == set(PROGRAMS)
    assert {name for name in modes if "/" not in name} == {
        *PROGRAMS,
        *("requirements.txt", "python-version"),
        *("settings.json", "specification.json", "fallback.json"),
    }
    assert {name.split("/")[0] for name in modes if "/" in name} == {"harness"}
    assert not [name for name in modes if "__pycache__" in name or name.endswith(".pyc")]


def test_the_same_course_makes_the_same_bytes(course: Course, package: Path) -> None:
    path = course.path("again.zip")
    assert course.run("gradescope", "tiny", "-o", path, PYTHONHASHSEED="1").status == 0
    assert path.read_bytes() == package.read_bytes()


def test_it_carries_no_mutants_and_no_path_of_the_lecturers(package: Path, tmp_path: Path) -> None:
    unpack(package, tmp_path / "source")
    specification = Tree(tmp_path).specification()
    assert (specification.mutants, specification.transcripts) == ((), ())
    assert specification.folder == ""
    assert [file.name for file in specification.reference] == ["a1.py"]


def test_it_runs_on_what_requirements_name_alone(package: Path, tmp_path: Path) -> None:
    unpack(package, tmp_path)
    code = (
        "import importlib.metadata as m, sys; import harness.packaging.gradescope.run, harness;"
        "import harness.execution.linux.pexpect_terminal;"
        "import harness.execution.confinement.layers.seccomp as s; s.Seccomp().unavailable();"
        "names = {n.partition('.')[0] for n in sys.modules}; of = m.packages_distributions();"
        "print(harness.__file__, *{d for n in names for d in of.get(n, ())})"
    )
    done = ran([sys.executable, "-P", "-c", code], env={"PYTHONPATH": str(tmp_path)}, check=True)
    place, *used = done.stdout.split()
    assert place == str(tmp_path / "harness" / "__init__.py")
    named = {line.partition("==")[0] for line in pinned()}
    beside = {"a1-harness", "setuptools"}  # how this environment was made
    assert set(used) - beside == named


def pinned() -> list[str]:
    return (FILES / "requirements.txt").read_text("ascii").splitlines()


def test_what_it_pins_is_what_is_tested_here() -> None:
    assert set(pinned()) <= set((ROOT / "constraints.txt").read_text("ascii").splitlines())
    for line in pinned():
        name, _, version = line.partition("==")
        assert metadata.version(name) == version


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_are_sound_shell(name: str) -> None:
    subprocess.run(["bash", "-n", FILES / name], check=True)


def test_setup_names_no_host() -> None:
    for path in FILES.iterdir():
        assert "://" not in path.read_text("utf-8")


def test_the_schema_is_one_and_refuses_what_the_platform_would() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    valid = jsonschema.Draft202012Validator(SCHEMA).is_valid
    assert valid({"score": 3.5})
    assert valid({"tests": [{"name": "a", "number": "1.1", "status": "passed"}]})
    spoiled: list[dict[str, object]] = [
        {},
        {"output": "no score and no tests"},
        {"score": "3"},
        {"score": 1, "visibility": "never"},
        {"score": 1, "scores": 1},
        {"tests": [{"number": 1.1}]},
        {"tests": [{"status": "ok"}]},
        {"tests": [{"output": "\x1b[31m"}]},
        {"tests": [{"output": "a\r\n"}]},
    ]
    assert [plain for plain in spoiled if valid(plain)] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "nothing"),
        (["tiny", "--hidden-visibility", "never"], "never"),
        (["tiny", "--time-limit", "5"], "5 is not in the range"),
        (["tiny", "-o", "no/such/folder/a.zip"], ""),
    ],
)
def test_what_cannot_be_built_is_one_line(course: Course, arguments: list[str], said: str) -> None:
    course.write("no", "a file where a folder should be")
    assert said in course.refusal("gradescope", *arguments)
    assert not list(course.root.glob("*.zip"))


def test_options_reach_the_package(course: Course, tmp_path: Path) -> None:
    arguments = ("--hidden-visibility", "hidden", "--time-limit", "1200")
    assert course.run("gradescope", "tiny", *arguments).status == 0
    unpack(course.path("autograder.zip"), tmp_path / "source")
    settings = Tree(tmp_path).settings()
    assert (settings.hidden, settings.stop_after, settings.end_after) == ("hidden", 840, 1020)


def test_a_stray_setup_fails_loudly(package: Path, tmp_path: Path) -> None:
    """Where apt can do nothing and the Python that is named is another, no image is made."""
    unpack(package, tmp_path / "source")
    tools = tmp_path / "bin"
    tools.mkdir()
    apt = tools / "apt-get"
    apt.write_text("#!/bin/sh\nexit 0\n")
    apt.chmod(0o755)
    done = ran(
        [tmp_path / "source" / "setup.sh"],
        env={
            "PATH": f"{tools}:/usr/bin:/bin",
            "AUTOGRADER_ROOT": str(tmp_path),
            "PYTHON_FOR_GRADING": "/bin/false",
        },
    )
    assert done.returncode == 1
    assert done.stderr == (
        "setup.sh: STOP: PYTHON_FOR_GRADING=/bin/false is no Python 3.12 with venv\n"
    )
    assert not (tmp_path / "source" / "interpreter").exists()
