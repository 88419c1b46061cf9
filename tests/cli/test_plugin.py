"""`pytest specs/<id>`: one test a scenario, and nothing of ours in anybody else's tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.tiny_course import PATIENCE, Course, Outcome, environment

FILES = ["basket.yaml", "is_valid.yaml", "main.yaml", "total.yaml"]


def pytest_in(folder: Path, *arguments: str | Path) -> Outcome:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts=", *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_the_reference_passes_one_item_a_scenario(course: Course) -> None:
    outcome = pytest_in(course.root, "specs/tiny", "-v")
    assert outcome.status == 0, outcome.out
    assert "13 passed" in outcome.out
    listed = pytest_in(course.root, "specs/tiny", "--collect-only", "-q").out.splitlines()
    assert listed[:4] == [
        "specs/tiny/basket.yaml::to-the-end",
        "specs/tiny/basket.yaml::hidden-canary-xanthippe",
        "specs/tiny/is_valid.yaml::a-whole-number",
        "specs/tiny/is_valid.yaml::a-word",
    ]
    assert list(dict.fromkeys(line.split("/")[2].split(":")[0] for line in listed[:13])) == FILES


def test_a_submission_fails_readably(course: Course) -> None:
    file = "submissions/tiny/prints_total/a1.py"
    outcome = pytest_in(course.root, "specs/tiny", "--submission", file)
    assert outcome.status == 1
    assert "5 failed, 8 passed" in outcome.out
    assert "total printed 0 instead of returning it." in outcome.out
    for ours in ("Traceback", "pytest_plugin", "ScenarioFailed", "runtest", ".py:1"):
        assert ours not in outcome.out


def test_only_what_was_chosen_is_run(course: Course) -> None:
    file = "submissions/tiny/prints_total/a1.py"
    node = "specs/tiny/is_valid.yaml::a-word"
    assert "1 passed" in pytest_in(course.root, node, "--submission", file).out
    chosen = pytest_in(course.root, "specs/tiny", "-k", "basket", "--submission", file)
    assert "2 failed, 2 passed, 9 deselected" in chosen.out


def test_a_file_that_cannot_be_graded_says_why_in_each_item(course: Course) -> None:
    file = "submissions/tiny/syntax_error/a1.py"
    outcome = pytest_in(course.root, "specs/tiny/total.yaml", "--submission", file)
    assert outcome.status == 1
    assert "2 failed" in outcome.out
    assert outcome.out.count("\na1.py:33: syntax error: expected ':'\n") == 2
    missing = pytest_in(course.root, "specs/tiny/total.yaml", "--submission", "nowhere.py")
    assert "\nnowhere.py: there is no such file or folder. Hint: " in missing.out
    assert "Traceback" not in missing.out


def test_a_spec_with_mistakes_is_an_error_with_their_lines(course: Course) -> None:
    course.edit("specs/tiny/total.yaml", "returns: 0", "return: 0")
    outcome = pytest_in(course.root, "specs/tiny")
    assert outcome.status == 2
    assert "specs/tiny/total.yaml:7:5: return: " in outcome.out
    assert "Traceback" not in outcome.out
    assert "pytest_plugin" not in outcome.out


def test_inert_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("scenarios: []\n", encoding="utf-8")
    (tmp_path / "test_plain.py").write_text(
        "import sys\n\n\ndef test_plain():\n"
        "    ours = {name for name in sys.modules if name.partition('.')[0] == 'harness'}\n"
        "    assert ours == {'harness', 'harness.pytest_plugin'}\n",
        encoding="utf-8",
    )
    outcome = pytest_in(tmp_path)
    assert outcome.status == 0, outcome.out
    assert "1 passed" in outcome.out
