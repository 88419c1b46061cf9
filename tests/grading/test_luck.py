"""What differs from run to run is said, and the verdict stays."""

import json
from pathlib import Path

import pytest

from harness.model.verdict import VerdictKind
from tests.tiny_course import Course

REFERENCE = "def f():\n    return 1\n"
SETTINGS = "functionality_marks: 1\n"
SCENARIOS = "function: f\nvisible: true\nscenarios:\n  - {name: a, call: f()}\n"
CHANCE = "import os\n\n\ndef f():\n    return os.urandom(8).hex()\n"
WRONG = "import time\n\n\ndef f():\n    time.time()\n    return 2\n"
SEEDED = "import random\n\n\ndef f():\n    return random.random()\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return Course.small(tmp_path_factory.mktemp("course"), "luck", REFERENCE, SCENARIOS, SETTINGS)


def test_only_what_differs_from_run_to_run_is_flagged(course: Course) -> None:
    results = course.graded("luck", chance=CHANCE, wrong=WRONG, seeded=SEEDED)
    verdicts = {name: result.scenarios[0].verdict for name, result in results.items()}
    assert {each.kind for each in verdicts.values()} == {VerdictKind.FAILED}
    (call,) = verdicts["chance"].differs_by
    assert (call.file, call.line, call.call) == ("a1.py", 5, "os.urandom()")
    assert not verdicts["wrong"].differs_by
    assert not verdicts["seeded"].differs_by
    stored = json.loads((course.path("out") / "results.json").read_text(encoding="utf-8"))
    assert "differs_from_run_to_run" in json.dumps(stored)
    page = course.path("out") / "feedback" / "chance.html"
    assert "os.urandom() in line 5" in _text(page)
    again = course.graded("luck")
    assert again["chance"].scenarios[0].verdict == verdicts["chance"]


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")
