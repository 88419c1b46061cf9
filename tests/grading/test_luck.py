"""What differs from run to run is said, and the verdict stays."""

import ast
import json
from pathlib import Path

import pytest

from harness.execution import find_interpreter
from harness.execution.piped import PipedDriver
from harness.model.verdict import VerdictKind
from tests.execution.small_world import ROOMY, assignment, call, plain, source
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


# By a name: what is wrong half of the time or always in another way, and the call that is named.
SOURCES = {
    "system-random": ("from random import SystemRandom", "SystemRandom().randint(2, 3)"),
    "secrets": ("import secrets", "secrets.choice([2, 3])"),
    "time": ("import time", "int(time.time()) % 2 + 2"),
    "weekday": ("from datetime import date", "date.today().weekday() // 4 + 2"),
    "urandom": ("import os", "os.urandom(1)[0] % 2 + 2"),
    "uuid": ("import uuid", "uuid.uuid4().int % 2 + 2"),
    "id": ("", "id(object()) // 4096"),
    "hash": ("", "hash('ada') % 2 + 2"),
    "set": ("", "list({'ada', 'bo'})"),
    "seed": ("import random", "random.seed() or random.randint(2, 3)"),
    "of-numbers": ("", "list({1, 2})[0] + 1"),
    "seeded": ("import random", "random.seed(4) or random.randint(2, 3)"),
}
REPEATABLE = {"of-numbers", "seeded"}


def test_each_source_is_found_by_other_seeds_and_clocks(course: Course) -> None:
    programs = {
        name: f"{imports}\n\n\ndef f():\n    return {value}\n"
        for name, (imports, value) in SOURCES.items()
    }
    results = course.graded("luck", **programs)
    verdicts = {name: results[name].scenarios[0].verdict for name in SOURCES}
    assert {each.kind for each in verdicts.values()} == {VerdictKind.FAILED}
    flagged = {name for name, verdict in verdicts.items() if verdict.differs_by}
    assert flagged == SOURCES.keys() - REPEATABLE


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_a_variation_over_pipes_has_another_seed_and_clock() -> None:
    program = "import time\n\n\ndef f(n):\n    return hash('ada'), int(time.time()) // 86400\n"
    seen: list[str | None] = []
    with PipedDriver(find_interpreter("3.12")) as driver:
        varied = driver.varied(hash_seed=5, clock_offset=40 * 86_400)
        with varied as other:
            for each in (driver, other):
                with each.submission(assignment(), (source(program),)) as server:
                    seen.append(plain(server.observe(call("f(1)"), ROOMY).value))
    (own_hash, own_day), (other_hash, other_day) = (ast.literal_eval(each or "") for each in seen)
    assert own_hash != other_hash
    assert other_day - own_day in (40, 41)
