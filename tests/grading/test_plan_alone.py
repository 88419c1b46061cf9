"""A plan and its key, cut to what is visible, run where the loader's libraries are not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import harness
from harness.common import serial
from harness.grading.context import prepare, visible_only
from harness.model.expectation import AnswerKey
from harness.model.plan import Plan
from tests.tiny_course import Course, ran

PROGRAM = '''
import json, sys
from pathlib import Path


class Absent:
    """Whoever asks for one of these is told that there is none."""

    NAMES = ("yaml", "pydantic", "pydantic_core", "click", "hypothesis", "rich", "jinja2")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.NAMES:
            raise ImportError(f"{name} is not here")


sys.meta_path.insert(0, Absent())
from harness.execution import choose_tier, find_interpreter
from harness.grading.check import check_submissions
from harness.grading.context import GradingContext
from harness.intake.pipeline import read
from harness.common import serial
from harness.model.expectation import AnswerKey
from harness.model.plan import Plan
from harness.model.specification import Specification

folder = Path(sys.argv[1])
plan = serial.loads(Plan, (folder / "plan.json").read_bytes())
key = serial.loads(AnswerKey, (folder / "key.json").read_bytes())
specification = Specification(
    plan=plan, reference=(), mutants=(), transcripts=(), folder=str(folder)
)
interpreter = find_interpreter(plan.assignment.python)
context = GradingContext(
    specification=specification, interpreter=interpreter, tier=choose_tier(interpreter), key=key
)
found = check_submissions(context, read([Path(sys.argv[2])], plan.assignment))
failed = {r.id: [s.scenario_id for s in r.scenarios if not s.verdict.passed] for r in found}
print(json.dumps(failed))
'''


def test_check_from_the_visible_part_alone(course: Course, tmp_path: Path) -> None:
    context = prepare(harness.load_assignment(course.root, "tiny"))
    visible = visible_only(context.specification).plan
    key = context.key.subset(scenario.id for scenario in visible.scenarios)
    (tmp_path / "plan.json").write_text(serial.dumps(visible), encoding="utf-8")
    (tmp_path / "key.json").write_text(serial.dumps(key), encoding="utf-8")
    assert serial.loads(Plan, serial.dumps(visible)) == visible
    assert serial.loads(AnswerKey, serial.dumps(key)) == key
    for name in ("plan.json", "key.json"):
        assert "4711" not in (tmp_path / name).read_text(encoding="utf-8")
    done = ran(
        [sys.executable, "-c", PROGRAM, tmp_path, course.path("submissions/tiny")],
        check=True,
        cwd=tmp_path,
    )
    assert json.loads(done.stdout) == {
        "hard_coded_5": ["is_valid/the-limit-and-one-more[LIMIT=9]"],
        "missing_total": ["total/an-empty-basket"],
        "perfect": [],
        "prints_total": ["main/two-amounts", "total/an-empty-basket"],
        "syntax_error": [scenario.id for scenario in visible.scenarios],
    }
