"""`pytest specs/<id>`: one test a scenario, and nothing of ours in anybody else's tests."""

import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from tests.tiny_course import PATIENCE, PRINTS_TOTAL, Course, environment, ran

pytest_plugins = ["pytester"]
PLAIN = ("-p", "no:cacheprovider", "-o", "addopts=")
WRONG = "submissions/tiny/prints_total/a1.py"
PytestIn = Callable[..., pytest.RunResult]


@pytest.fixture
def pytest_in(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> PytestIn:
    """Runs pytest in a folder, in this process and with no plugin but ours, which is much quicker:
    that it is found where it is installed is seen where pytest is started."""

    def run(folder: Path, *arguments: str | Path) -> pytest.RunResult:
        with chdir(folder), monkeypatch.context() as changed:
            changed.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            return pytester.runpytest_inprocess("-p", "harness.pytest_plugin", *PLAIN, *arguments)

    return run


def started_in(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", *PLAIN, *arguments]
    done = ran(command, cwd=folder, env=environment(), timeout=PATIENCE)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_reference_passes_one_item_a_scenario(course: Course, pytest_in: PytestIn) -> None:
    assert "13 passed" in started_in(course.root, "specs/tiny", "-v")
    listed = pytest_in(course.root, "specs/tiny", "--collect-only", "-q").outlines
    assert listed[:4] == [
        "specs/tiny/basket.yaml::to-the-end",
        "specs/tiny/basket.yaml::hidden-canary-xanthippe",
        "specs/tiny/is_valid.yaml::a-whole-number",
        "specs/tiny/is_valid.yaml::a-word",
    ]
    files = dict.fromkeys(line.split("/")[2].partition(".")[0] for line in listed[:13])
    assert [*files] == ["basket", "is_valid", "main", "total"]


def test_a_submission_fails_readably_where_it_was_chosen(
    course: Course, pytest_in: PytestIn
) -> None:
    outcome = pytest_in(course.root, "specs/tiny", "--submission", WRONG)
    assert outcome.ret == 1
    assert "5 failed, 8 passed" in outcome.stdout.str()
    assert PRINTS_TOTAL in outcome.stdout.str()
    for ours in ("Traceback", "pytest_plugin", "ScenarioFailed", "runtest", ".py:1"):
        assert ours not in outcome.stdout.str()
    node = "specs/tiny/is_valid.yaml::a-word"
    assert "1 passed" in pytest_in(course.root, node, "--submission", WRONG).stdout.str()
    chosen = pytest_in(course.root, "specs/tiny", "-k", "basket", "--submission", WRONG)
    assert "2 failed, 2 passed, 9 deselected" in chosen.stdout.str()


def test_an_ungraded_submission_has_a_reason_in_each_item(
    course: Course, pytest_in: PytestIn
) -> None:
    file = "submissions/tiny/syntax_error/a1.py"
    outcome = pytest_in(course.root, "specs/tiny/total.yaml", "--submission", file)
    assert outcome.ret == 1
    assert "2 failed" in outcome.stdout.str()
    assert outcome.stdout.str().count("\na1.py:33: syntax error: expected ':'\n") == 2
    missing = pytest_in(course.root, "specs/tiny/total.yaml", "--submission", "nowhere.py")
    assert "\nnowhere.py: no such file or folder. Hint: " in missing.stdout.str()
    assert "Traceback" not in missing.stdout.str()


def test_a_spec_with_mistakes_is_an_error_with_lines(course: Course, pytest_in: PytestIn) -> None:
    course.edit("specs/tiny/total.yaml", "returns: 0", "return: 0")
    outcome = pytest_in(course.root, "specs/tiny")
    assert outcome.ret == 2
    assert "specs/tiny/total.yaml:7:5: return: " in outcome.stdout.str()
    assert "Traceback" not in outcome.stdout.str()
    assert "pytest_plugin" not in outcome.stdout.str()


def test_the_plugin_is_inert_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("scenarios: []\n", encoding="utf-8")
    (tmp_path / "test_plain.py").write_text(
        "import sys\n\n\ndef test_plain():\n"
        "    ours = {name for name in sys.modules if name.partition('.')[0] == 'harness'}\n"
        "    assert ours == {'harness', 'harness.pytest_plugin'}\n",
        encoding="utf-8",
    )
    assert "1 passed" in started_in(tmp_path)
