"""A policy rule is one new file: its key is read, and its findings have a title."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from tests.tiny_course import FIXTURE, environment

TOY = """
import ast

from harness.model.policy import PolicyGroup
from harness.policy.rule import Breach, FindingKind, ListSetting, policy_rule

_KIND = FindingKind(name="short_name", title="Short name", group=PolicyGroup.TECHNIQUES)


@policy_rule(90, _KIND, setting=ListSetting(key="letters", description="Letters.", noun="letter"))
def check_names(file):
    names = file.policy.names("letters")
    for visit in file.index.of(ast.arg) if names is not None else ():
        if not names.permits(visit.node.arg):
            yield Breach(visit.node, f"{visit.node.arg} is too short a name")
"""


@pytest.mark.process
def test_a_policy_rule_is_one_file(tmp_path: Path) -> None:
    package = Path(harness.__file__).parent
    shutil.copytree(package, tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "harness" / "policy" / "rules" / "letters.py").write_text(TOY, encoding="utf-8")
    course = tmp_path / "course"
    shutil.copytree(FIXTURE, course)
    (spec,) = (course / "specs").iterdir()
    policy = spec / "policy.yaml"
    policy.write_text(policy.read_text() + "letters: {forbid: [n]}\n", encoding="utf-8")
    program = (course / "reference" / "tiny" / "a1.py").read_text()
    (course / "a1.py").write_text(program + "\n\ndef f(n):\n    return n\n", encoding="utf-8")
    command = ["-c", "from harness.cli import main; main()"]
    done = subprocess.run(
        [sys.executable, *command, "grade", "a1.py", "--assignment", "tiny", "--out", "report"],
        cwd=course,
        env=environment(PYTHONPATH=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (course / "report" / "results.json").exists(), done.stderr
    results = json.loads((course / "report" / "results.json").read_text(encoding="utf-8"))
    (finding,) = results["submissions"][0]["findings"]
    assert (finding["rule"], finding["message"]) == ("short_name", "n is too short a name")
    page = next((course / "report" / "submissions").glob("**/*.html")).read_text(encoding="utf-8")
    assert "Short name" in page
