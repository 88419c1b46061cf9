"""Modules that a student hands in beside the files asked for: taken, left out, or refused."""

from pathlib import Path

import pytest

from harness.intake.entries import MAX_FILE_BYTES
from harness.model.assignment import Assignment, ExtraModules, ExtraUse, ProvidedVariant, SourceFile
from harness.model.submission import Submission
from tests import plans
from tests.downloads import NOON, HandIn, canvas, gradescope, laid, moodle, zipped_class
from tests.intake.cohorts import cohort

SUPPORT = SourceFile(name="support.py", data=b"SIZE = 8\n")
EVERY = ExtraModules(allow=("*.py",))


def taking(extra: ExtraModules, **changes: object) -> Assignment:
    provided = ProvidedVariant(constants=(), files=(SUPPORT,))
    return plans.assignment(id="a1", variants=(provided,), extra_modules=extra, **changes)


def read(folder: Path, files: dict[str, str], assignment: Assignment) -> Submission:
    laid({f"ada/{name}": text.encode() for name, text in files.items()}, folder)
    (found,) = cohort(folder, assignment).submissions
    return found


def names(found: Submission) -> list[str]:
    return [file.name for file in found.files]


USES = {
    "util.py": ExtraUse.ALLOW,
    "größe.py": ExtraUse.ALLOW,
    "random.py": ExtraUse.ALLOW,  # Python finds it before its own, too
    "a1.py": ExtraUse.IGNORE,
    "A1.py": ExtraUse.IGNORE,
    "support.py": ExtraUse.IGNORE,  # never in the place of a provided one
    "Support.PY": ExtraUse.IGNORE,
    "support.py ": ExtraUse.IGNORE,
    "my-util.py": ExtraUse.IGNORE,  # no import statement names it
    "ﬁle.py": ExtraUse.IGNORE,  # a ligature, which Python reads as two letters
    "__main__.py": ExtraUse.IGNORE,
    "__init__.py": ExtraUse.IGNORE,
    "util.pyc": ExtraUse.IGNORE,
    "a.b.py": ExtraUse.IGNORE,
    "../util.py": ExtraUse.IGNORE,
    "ut\ud800il.py": ExtraUse.IGNORE,
    "ut\nil.py": ExtraUse.IGNORE,
    ".py": ExtraUse.IGNORE,
}


@pytest.mark.parametrize(("name", "use"), USES.items(), ids=ascii)
def test_only_names_of_modules_are_taken(name: str, use: ExtraUse) -> None:
    assert taking(EVERY).use_of_extra(name) is use


def test_the_first_list_of_patterns_that_fits_decides() -> None:
    asked = taking(ExtraModules(allow=("util*.py",), refuse=("u*.py",)))
    assert asked.use_of_extra("util_2.py") is ExtraUse.ALLOW
    assert asked.use_of_extra("ugly.py") is ExtraUse.REFUSE
    assert asked.use_of_extra("other.py") is ExtraUse.IGNORE


def test_allowed_modules_are_files_of_the_submission(tmp_path: Path) -> None:
    files = {"a1.py": "1", "util.py": "2", "support.py": "3", "my-notes.py": "4", "b.txt": "5"}
    found = read(tmp_path, files, taking(EVERY))
    assert (names(found), found.problem) == (["a1.py", "util.py"], "")
    assert found.not_taken == ("my-notes.py", "support.py")


def test_a_module_changes_what_the_submission_is(tmp_path: Path) -> None:
    one = read(tmp_path / "one", {"a1.py": "1", "util.py": "2"}, taking(EVERY))
    other = read(tmp_path / "other", {"a1.py": "1", "util.py": "3"}, taking(EVERY))
    ignored = read(tmp_path / "other", {"a1.py": "1"}, taking(ExtraModules()))
    assert len({one.digest, other.digest, ignored.digest}) == 3


def test_a_refused_module_is_named(tmp_path: Path) -> None:
    asked = taking(ExtraModules(refuse=("*.py",)))
    found = read(tmp_path, {"a1.py": "1", "util.py": "2"}, asked)
    assert not found.files
    assert "util.py" in found.problem
    assert "a1.py" in found.problem


def test_a_provided_file_handed_in_is_not_a_refused_module(tmp_path: Path) -> None:
    asked = taking(ExtraModules(refuse=("*.py",)))
    found = read(tmp_path, {"a1.py": "1", "support.py": "2"}, asked)
    assert (names(found), found.problem) == (["a1.py"], "")


COPIES = {
    "a copy's mark alone": ({"util-1.py": "2"}, ["a1.py", "util.py"], False),
    "the same twice": ({"util.py": "2", "util (1).py": "2"}, ["a1.py", "util.py"], False),
    "two that differ": ({"util.py": "2", "util (1).py": "3"}, [], True),
    "only numbered ones": ({"part-1.py": "2", "part-2.py": "3"}, ["a1.py"], False),
}


@pytest.mark.parametrize(("beside", "taken", "held"), COPIES.values(), ids=COPIES)
def test_copies_of_a_module_are_never_guessed_between(
    beside: dict[str, str], taken: list[str], held: bool, tmp_path: Path
) -> None:
    found = read(tmp_path, {"a1.py": "1", **beside}, taking(EVERY))
    assert (names(found), found.withheld is not None) == (taken, held)


def test_a_module_that_cannot_be_read_is_left_out_with_a_note(tmp_path: Path) -> None:
    large = "#" * (MAX_FILE_BYTES + 1)
    found = read(tmp_path, {"a1.py": "1", "util.py": large}, taking(EVERY))
    assert names(found) == ["a1.py"]
    assert any("util.py" in note for note in found.notes)


def test_modules_are_bounded_together(tmp_path: Path) -> None:
    files = {f"m{number}.py": "#" * 500_000 for number in range(5)}
    found = read(tmp_path, {"a1.py": "1", **files}, taking(EVERY))
    assert not found.files
    assert "KiB" in found.problem


def test_modules_lie_beside_a_file_of_any_name(tmp_path: Path) -> None:
    asked = taking(EVERY, submission_files=("a1.py",), laid_as="a1.py")
    found = read(tmp_path, {"a1.py": "1", "util.py": "2"}, asked)
    assert names(found) == ["a1.py", "util.py"]


HANDED = [HandIn(id="101", name="Ada Ek", files=(("a1.py", b"1"), ("util.py", b"2")), at=NOON)]


@pytest.mark.parametrize("platform", [canvas, gradescope, moodle], ids=lambda each: each.__name__)
def test_every_platform_takes_them(platform: object, tmp_path: Path) -> None:
    packed = zipped_class(platform(HANDED), tmp_path / "class.zip")  # type: ignore[operator]
    (found,) = cohort(packed, taking(EVERY)).submissions
    assert names(found) == ["a1.py", "util.py"]
