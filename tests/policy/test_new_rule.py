"""A policy rule is one new file: its key is read, and its findings have a title."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from tests.tiny_course import Course, environment

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

CHECK = """
from harness.cli import main
from harness.policy.rules import finding_kind

print(finding_kind("short_name").title, flush=True)
main()
"""


@pytest.mark.process
def test_a_policy_rule_is_one_file(course: Course, tmp_path: Path) -> None:
    package = Path(harness.__file__).parent
    shutil.copytree(package, tmp_path / "harness", ignore=shutil.ignore_patterns("*.pyc.*"))
    (tmp_path / "harness" / "policy" / "rules" / "letters.py").write_text(TOY, encoding="utf-8")
    policy = course.path("specs/tiny/policy.yaml")
    policy.write_text(policy.read_text() + "letters: {forbid: [n]}\n", encoding="utf-8")
    program = course.path("reference/tiny/a1.py").read_text()
    course.write("a1.py", program + "\n\ndef f(n):\n    return n\n")
    done = subprocess.run(
        [sys.executable, "-c", CHECK, "check", "a1.py", "--assignment", "tiny"],
        cwd=course.root,
        env=environment(PYTHONPATH=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    title, finding, *_ = done.stdout.splitlines()
    assert (title, done.stderr) == ("Short name", "")
    assert finding.endswith(": n is too short a name")
