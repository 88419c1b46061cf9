"""The packages of an assignment: wheels that stand in a folder here, instead of an index."""

import io
import json
import os
import re
import subprocess
import tarfile
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from harness.assignment.loading import CACHE, load
from harness.common.errors import UserError
from harness.execution import find_interpreter, has_terminals, install, installed_here, try_tier
from harness.execution.confinement import tier_layers
from harness.execution.interpreter import _is_whole
from harness.execution.linux.driver import Driver
from harness.grading.check import check_submissions
from harness.grading.context import GradingContext, prepare
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.observation import Tier
from harness.packaging.handout import classroom50_bundle, handout_zip
from tests.inline import handed_in
from tests.tiny_course import Course, python_here

FACES = "smiling-faces==1.2"
MODULE = b"def face(text):\n    return f'{text} :-)'\n"
TIERS = list(Tier) if has_terminals() else [Tier.PORTABLE]


def wheel(
    folder: Path, name: str, files: Mapping[str, bytes], *, scripts: str = "", requires: str = ""
) -> Path:
    """A wheel of version 1.2 with these modules."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name.replace('-', '_')}-1.2.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    more = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n{needs}".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": scripts.encode(),
    }
    path = folder / f"{name.replace('-', '_')}-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, data in {**files, **more}.items():
            archive.writestr(file, data)
        record = f"{info}/RECORD,,\n"
        for file, data in {**files, **more}.items():
            digest = urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
            record += f"{file},sha256={digest},{len(data)}\n"
        archive.writestr(f"{info}/RECORD", record)
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pip finds wheels, and nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def made(course: Path, cache: Path, reference: bytes | None = None) -> GradingContext:
    """What an assignment with the package is graded with."""
    scenarios = "function: smile\nscenarios:\n  - {name: one, visible: true, call: smile('Ada')}\n"
    settings = f"packages: [{FACES}]\nfunctionality_marks: 2\npolicy: policy.yaml\n"
    policy = {"specs/faces/policy.yaml": "imports: {none: true}\n"}
    Course.small(course, "faces", (reference or RIGHT).decode(), scenarios, settings, **policy)
    return prepare(load(course, "faces"), cache=cache)


RIGHT = b"import faces\n\n\ndef smile(name):\n    return faces.face(name)\n"


@pytest.fixture
def closed_to_others() -> Iterator[None]:
    """What is made is for its owner alone, as in Gradescope's image; programs run as another."""
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.usefixtures("closed_to_others")
@pytest.mark.parametrize("tier", TIERS)
def test_programs_may_import_only_the_packages(tier: Tier, index: Path, tmp_path: Path) -> None:
    wheel(index, "smiling-faces", {"faces/__init__.py": MODULE})
    context = made(tmp_path / "course", tmp_path / "cache")
    if tier is not context.tier.tier:
        trial = try_tier(context.interpreter, tier)
        if trial.shortcoming:
            pytest.skip(trial.shortcoming)
        context = replace(context, tier=trial)
    changes = b"import faces, os\nopen(faces.__file__, 'a').write('pass')\n" + RIGHT
    programs = {"right": RIGHT, "another": b"import numpy\n" + RIGHT, "changes": changes}
    right, another, changing = check_submissions(
        context, [handed_in(text, name) for name, text in programs.items()]
    )
    assert (right.all_passed, right.findings) == (True, ())
    # What keeps it from writing there is the file's own mode, which is nothing to root.
    assert changing.all_passed == (tier is Tier.PORTABLE and os.geteuid() == 0)
    said = another.scenarios[0].verdict.message
    assert said.startswith("a1.py imports numpy, which Python does not have")
    assert [finding.message for finding in another.findings] == [
        "imports numpy, but only faces may be imported"
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives programs a user of their own")
@pytest.mark.parametrize("layers", [(), ("user",)], ids=["as root", "as another user"])
def test_without_confinement_they_are_read_below_a_folder_closed_to_others(
    layers: tuple[str, ...], index: Path, tmp_path: Path
) -> None:
    """And written by root alone."""
    wheel(index, "smiling-faces", {"faces/__init__.py": MODULE, "faces/old.py": MODULE})
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    context = made(closed / "course", closed / "cache")
    inside = RIGHT.replace(
        b"    return faces.face", b"    from faces import old\n    return old.face"
    )
    program = handed_in(inside, "late")
    changing = handed_in(b"import faces, os\nopen(faces.__file__, 'a')\n" + inside, "changing")
    tier, plan = Tier.PORTABLE, context.specification.plan
    with (
        Driver(context.interpreter, tier, layers={*tier_layers(tier), *layers}) as driver,
        Grader(GraderSetup(plan=plan, key=context.key), driver) as grader,
    ):
        assert grader.grade(program).result.all_passed
        assert grader.grade(changing).result.all_passed == (layers == ())


def test_imported_modules_are_there_before_each_scenario_begins(
    index: Path, tmp_path: Path
) -> None:
    """Not they themselves: what their code does at import belongs to a scenario."""
    wheel(index, "smiling-faces", {"faces/__init__.py": b"import csv, html\n" + MODULE})
    context = made(tmp_path / "course", tmp_path / "cache")
    early = b"import sys\nassert 'csv' in sys.modules and 'faces' not in sys.modules\n" + RIGHT
    (result,) = check_submissions(context, [handed_in(early)])
    assert result.all_passed


def test_they_are_installed_once_and_their_digests_are_kept(index: Path, tmp_path: Path) -> None:
    path = wheel(index, "smiling-faces", {"faces.py": MODULE})
    interpreter, cache = find_interpreter("3.12"), tmp_path / "cache"
    told: list[str] = []
    first = install([FACES], interpreter, cache, told.append)
    path.unlink()
    assert install([FACES], interpreter, cache, told.append) == first
    assert first.modules == ("faces",)
    assert told == [f"installing {FACES} for Python {interpreter.version}"]
    (item,) = json.loads((first.folder / "installed.json").read_text("utf-8"))["install"]
    kept = item["download_info"]["archive_info"]["hash"]  # pip 23.0 has no `hashes`
    assert re.fullmatch("sha256=[0-9a-f]{64}", kept)
    with_it = first.added_to(interpreter, [FACES])
    assert with_it.build != interpreter.build
    assert with_it == replace(interpreter, build=with_it.build, library=first.folder)


@pytest.mark.parametrize("change", ["another text", "gone"])
def test_a_changed_file_is_installed_again(change: str, index: Path, tmp_path: Path) -> None:
    wheel(index, "smiling-faces", {"faces.py": MODULE})
    interpreter, cache = find_interpreter("3.12"), tmp_path / "cache"
    told: list[str] = []
    file = install([FACES], interpreter, cache, told.append).folder / "faces.py"
    if change == "gone":
        file.unlink()
    else:
        assert file.stat().st_mode & 0o777 == 0o444
        file.chmod(0o644)
        file.write_text("def face(text):\n    return 'x'\n", "utf-8")
    again = install([FACES], interpreter, cache, told.append)
    assert (again.folder / "faces.py").read_bytes() == MODULE
    assert told[1:] == [f"installing {FACES} for Python {interpreter.version} again: files changed"]


def test_a_row_of_a_wheels_own_record_may_be_outside_and_without_a_digest(tmp_path: Path) -> None:
    info = tmp_path / "one-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: one\nVersion: 1.0\n", "utf-8")
    (info / "RECORD").write_text("/etc/one.pyc,,\n.,,\n", "utf-8")
    assert _is_whole(tmp_path)


def test_no_pip_of_the_current_folder_is_run(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a submission's, which somebody checks."""
    wheel(index, "smiling-faces", {"faces.py": MODULE})
    (tmp_path / "pip.py").write_text("raise SystemExit('taken for pip')\n")
    monkeypatch.chdir(tmp_path)
    run = subprocess.run

    def without_its_own(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        if command[1:4] == ["-I", "-m", "pip"]:  # then ours serves
            return subprocess.CompletedProcess(command, 1, "", "No module named pip")
        return run(command, **more)

    monkeypatch.setattr(subprocess, "run", without_its_own)
    found = install([FACES], find_interpreter("3.12"), tmp_path / "cache", [].append)
    assert found.modules == ("faces",)


def test_a_command_of_a_package_is_not_kept(index: Path, tmp_path: Path) -> None:
    scripts = "[console_scripts]\npython = faces:face\n"
    wheel(index, "smiling-faces", {"faces.py": MODULE}, scripts=scripts)
    library = install([FACES], find_interpreter("3.12"), tmp_path / "cache", lambda line: None)
    assert not (library.folder / "bin").exists()


@pytest.mark.parametrize("kind", ["missing", "source", "site", "yanked", "offline", "exclude"])
def test_an_unavailable_package_is_one_error_line(
    kind: str, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = wheel(tmp_path / "other", "smiling-faces", {"faces.py": MODULE})
    wanted, said = [FACES], f"{FACES} has no wheel for Python {python_here()}"
    if kind == "source":
        with tarfile.open(index / "smiling-faces-1.2.tar.gz", "w:gz") as archive:
            archive.add(whole, "smiling-faces-1.2/setup.py")
    elif kind == "site":
        wheel(index, "smiling-faces", {"faces.py": MODULE, "sitecustomize.py": b""})
        said = "one of them contains sitecustomize, which Python runs at every start"
    elif kind == "yanked":
        page = tmp_path / "simple" / "smiling-faces" / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text(f'<a href="{whole.as_uri()}" data-yanked="bad">{whole.name}</a>', "utf-8")
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
        said = "smiling-faces was withdrawn by its authors"
    elif kind == "offline":
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
        said = "no package index answers"
    elif kind == "exclude":
        wheel(index, "smiling-faces", {"faces.py": MODULE}, requires="sad-faces==1.1")
        wheel(index, "sad-faces", {"sad.py": b""})
        wanted, said = [FACES, "sad-faces==1.2"], "they need different versions of the same package"
    cache = tmp_path / "cache"
    with pytest.raises(UserError) as error:
        install(wanted, find_interpreter("3.12"), cache, lambda line: None)
    named = ", ".join(wanted)
    assert str(error.value).startswith(f"packages: {named} cannot be installed: {said}")
    assert error.value.hint
    assert list((cache / "packages").iterdir()) == []


def test_a_self_check_names_the_package_to_install() -> None:
    assert installed_here([]) is None
    with pytest.raises(UserError, match=f"needs {FACES}: it is not installed") as error:
        installed_here([FACES])
    assert error.value.hint.endswith(f"-m pip install {FACES}")
    from importlib import metadata  # noqa: PLC0415

    assert installed_here([f"jinja2=={metadata.version('jinja2')}"]).modules == ("jinja2",)
    with pytest.raises(UserError, match="jinja2==0: version 3"):
        installed_here(["jinja2==0"])


def test_the_handout_names_the_packages_to_install(index: Path, tmp_path: Path) -> None:
    wheel(index, "smiling-faces", {"faces.py": MODULE})
    context = made(tmp_path / "course", tmp_path / "cache")
    with zipfile.ZipFile(io.BytesIO(handout_zip(context.specification, context))) as handout:
        (name,) = (each for each in handout.namelist() if each.endswith("README.txt"))
        readme = handout.read(name).decode()
    assert f"\n  python3 -m pip install {FACES}\n" in readme
    assert "Nothing else has to be installed." in readme
    assert classroom50_bundle(context)["requirements.txt"] == f"{FACES}\n".encode()


def test_the_doctor_shows_whether_the_packages_are_there(index: Path, tmp_path: Path) -> None:
    wheel(index, "smiling-faces", {"faces.py": MODULE})
    made(tmp_path / "course", tmp_path / "course" / CACHE)
    course = Course(tmp_path / "course")
    doctor = ("doctor", "--python", python_here())
    assert f"packages of faces: {FACES} (installed)" in course.ok(*doctor).out
    course.edit("specs/faces/assignment.yaml", "1.2]", "1.3]")
    said = course.ok(*doctor).out
    assert (
        "packages of faces: smiling-faces==1.3 (not installed yet: the first run installs them)"
        in said
    )


def test_a_package_that_is_imported_by_another_name_is_told(index: Path, tmp_path: Path) -> None:
    wheel(index, "smiling-faces", {"faces.py": MODULE})
    wrong = RIGHT.replace(b"import faces", b"import smiling_faces as faces")
    with pytest.raises(UserError) as error:
        made(tmp_path / "course", tmp_path / "cache", reference=wrong)
    assert str(error.value) == (
        "the reference cannot be loaded: No module named 'smiling_faces'. "
        "Hint: what smiling-faces==1.2 provides is imported as faces"
    )


def test_an_assignment_is_begun_from_a_reference_with_them(index: Path, tmp_path: Path) -> None:
    wheel(index, "smiling-faces", {"faces.py": MODULE})
    course = Course(tmp_path / "course")
    course.write("reference/x/x.py", RIGHT.decode().replace("(name)", "(name: str)", 1))
    assert "reference imports faces," in course.refusal("new", "x")
    said = course.ok("new", "x", "--package", FACES)
    assert said.out.startswith("Wrote 6 files into specs/x, submissions/x")
    assert f"installing {FACES} for Python" in said.err
    assert course.ok("validate", "x").out.splitlines()[0] == "x: sound"
