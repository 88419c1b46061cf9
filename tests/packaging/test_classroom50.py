"""The bundle for Classroom 50, run as its job runs it: in a checkout, with the standard library."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from harness.packaging import classroom50 as grader
from harness.packaging.classroom50 import output_lines, shared_out
from harness.reporting.github import MAX_BYTES, fenced
from tests.downloads import zipped_class
from tests.packaging.given_away import of_program, packed, telling
from tests.tiny_course import FIXTURE, PATIENCE, PRINTS_TOTAL, Course, ran

Result = tuple[int, dict[str, Any], str]
Graded = Callable[[], Result]
JOB = {
    "CLASSROOM": "cs1-fall",
    "ASSIGNMENT": "till",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "cs1",
    "USERNAME": "ada",
    "SUBMISSION_TAG": "submit/1",
    **{f"{n.upper()}_URL": f"https://example.org/{n}/1" for n in ("commit", "release", "review")},
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    course = Course.copy(FIXTURE, tmp_path_factory.mktemp("course"))
    assert course.ok("classroom50", "tiny", "-o", "bundle").err == ""
    return course.path("bundle")


def graded(bundle: Path, checkout: Path) -> Result:
    """The exit status, result.json, and what was appended to the job's output."""
    output = checkout.parent / "output"
    output.write_text("before=1\n")
    done = ran(
        [sys.executable, "-I", "-S", bundle / "autograder.py"],
        cwd=checkout,
        env={**JOB, "GITHUB_OUTPUT": str(output), "PATH": "/usr/bin:/bin"},
        timeout=PATIENCE,
    )
    found = checkout / "result.json"
    result = json.loads(found.read_text("utf-8")) if found.is_file() else {}
    return done.returncode, result, output.read_text("utf-8").removeprefix("before=1\n")


@pytest.fixture
def graded_here(bundle: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Graded:
    """The same of what the bundle holds, in this process."""
    plan, key = of_program((bundle / "grader.pyz").read_bytes())
    output = checkout.parent / "output"
    for name, value in {**JOB, "GITHUB_OUTPUT": str(output)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(checkout)

    def run() -> Result:
        output.unlink(missing_ok=True)
        status = grader.main(lambda: (plan, key))
        result = json.loads((checkout / "result.json").read_text("utf-8"))
        return status, result, output.read_text("utf-8")

    return run


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    return folder


def sample(name: str, checkout: Path) -> None:
    shutil.copy(FIXTURE / "submissions" / "tiny" / name / "a1.py", checkout)


def test_every_field_of_the_result(bundle: Path, checkout: Path) -> None:
    sample("prints_total", checkout)
    status, result, output = graded(bundle, checkout)
    assert (status, output) == (0, "status=failure\nsummary=5 of 7 checks passed\n")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", result.pop("datetime"))
    tests = result.pop("tests")
    assert result == {
        "schema": "classroom50/result/v1",
        "classroom": "cs1-fall",
        "assignment": "till",
        "assignment_type": "individual",
        "owner": "cs1",
        "submission": "submit/1",
        "commit": "https://example.org/commit/1",
        "release": "https://example.org/release/1",
        "review": "https://example.org/review/1",
        "score": 430,
        "max-score": 600,
    }
    assert len(tests) == 7
    assert all(set(t) == {"test-name", "passed", "score", "max-score"} for t in tests)
    assert all(type(t["score"]) is type(t["max-score"]) is int for t in tests)
    assert all(t["score"] == t["max-score"] * t["passed"] for t in tests)
    assert (sum(t["score"] for t in tests), sum(t["max-score"] for t in tests)) == (430, 600)
    body = (checkout / "release-body.md").read_text("utf-8")
    assert "| `total` | 0 of 1 |" in body
    assert PRINTS_TOTAL in body
    assets = list((checkout / "classroom50-release-assets").iterdir())
    assert [path.name for path in assets] == ["feedback.html"]
    assert PRINTS_TOTAL in assets[0].read_text("utf-8")


def test_a_right_program_and_again(checkout: Path, graded_here: Graded) -> None:
    sample("perfect", checkout)
    for _ in range(2):
        status, result, output = graded_here()
        assert (status, result["score"], result["max-score"]) == (0, 600, 600)
        assert output == "status=success\nsummary=7 of 7 checks passed\n"


@pytest.mark.parametrize("text", [None, "def f(:\n"])
def test_unread_files_have_no_points(text: str | None, checkout: Path, graded_here: Graded) -> None:
    if text is not None:
        (checkout / "a1.py").write_text(text)
    status, result, output = graded_here()
    assert (status, result["score"], result["max-score"]) == (0, 0, 600)
    assert output.startswith("status=failure\n")


def test_a_link_in_place_of_a_result_is_not_followed(checkout: Path, graded_here: Graded) -> None:
    sample("perfect", checkout)
    other = checkout.parent / "other"
    other.write_text("mine")
    (checkout / "result.json").symlink_to(other)
    assert graded_here()[0] == 0
    assert other.read_text() == "mine"


def test_folders_in_place_of_results_are_replaced(checkout: Path, graded_here: Graded) -> None:
    sample("perfect", checkout)
    for name in ("result.json", "release-body.md"):
        (checkout / name / "x").mkdir(parents=True)
    (checkout / "classroom50-release-assets").write_text("")
    status, result, _ = graded_here()
    assert (status, result["score"]) == (0, 600)


def test_a_grader_that_fails_reports_it(bundle: Path, checkout: Path) -> None:
    broken = checkout.parent / "bundle"
    shutil.copytree(bundle, broken)
    files = packed((bundle / "grader.pyz").read_bytes())
    zipped_class(files | {"harness/packaging/key.json": b"{}"}, broken / "grader.pyz")
    sample("perfect", checkout)
    (checkout / "result.json").write_text('{"score": 600}')  # handed in
    status, result, output = graded(broken, checkout)
    assert (status, result) == (1, {})
    assert output.startswith("status=error\nsummary=the autograder failed: ")


def test_hidden_scenarios_only_with_a_warning(course: Course) -> None:
    outcome = course.ok("classroom50", "tiny", "-o", "bundle", "--with-hidden")
    assert outcome.err.startswith("warning: students can read the hidden ")
    files = packed(course.path("bundle/grader.pyz").read_bytes())
    assert b"4711" in files["harness/packaging/plan.json"]


def test_nothing_hidden_is_in_it_and_its_bytes_stay(bundle: Path, course: Course) -> None:
    files = packed((bundle / "grader.pyz").read_bytes())
    data = {name: text for name, text in files.items() if not name.endswith(".py")}
    assert data.keys() == {"harness/packaging/key.json", "harness/packaging/plan.json"}
    assert not telling(files)
    course.ok("classroom50", "tiny", "-o", "bundle")
    for name in ("autograder.py", "grader.pyz"):
        assert course.path(f"bundle/{name}").read_bytes() == (bundle / name).read_bytes()


@pytest.mark.parametrize(
    ("weights", "total", "shares"),
    [
        ([1, 1, 1], 100, [34, 33, 33]),
        ([1, 2], 9, [3, 6]),
        ([0, 1], 5, [0, 5]),
        ([], 5, []),
        ([0, 0], 5, [0, 0]),
        ([Fraction(1, 3)] * 7, 600, [86, 86, 86, 86, 86, 85, 85]),
        ([1] * 5, 3, [1, 1, 1, 0, 0]),
    ],
)
def test_points_are_shared_out(weights: list[Fraction], total: int, shares: list[int]) -> None:
    assert shared_out([Fraction(each) for each in weights], total) == shares


def test_an_output_is_two_lines_whatever_is_in_it() -> None:
    status, summary = output_lines("failure", "a\nstatus=success\r\x00b").splitlines()
    assert status == "status=failure"
    assert summary.startswith("summary=a")


@pytest.mark.parametrize("text", ["a", "```\n# b", "`````", "a\n````text\n"])
def test_a_text_cannot_end_its_block(text: str) -> None:
    opening, *inside, closing = fenced(text).split("\n")
    assert opening == f"{closing}text"
    assert not [line for line in inside if closing in line]
    assert "\n".join(inside) == text.strip("\n")
    assert len(fenced("ü" * MAX_BYTES).encode()) < MAX_BYTES + 100
