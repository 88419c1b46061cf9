"""What makes stored observations and verdicts stale: a change of what can change them."""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path

import harness
from tests.tiny_course import ran

PACKAGE = Path(harness.__file__).parent

CHANGES = {
    # file: (observations are stale, verdicts are stale)
    "execution/inside/messages/codec.py": (True, False),
    "execution/protocol/jobs.py": (True, False),
    "execution/linux/monitor.py": (True, False),
    "execution/piped/monitor.py": (True, False),
    "execution/confinement/__init__.py": (True, False),
    "execution/confinement/layers/seccomp.py": (True, False),
    "model/values.py": (True, True),
    "model/expectation.py": (True, True),
    "common/words.py": (True, True),
    "execution/confinement/probe.py": (False, False),
    "execution/confinement/forbidden_acts.py": (False, False),
    "execution/interpreter.py": (False, False),
    "judging/judge.py": (False, True),
    "judging/__init__.py": (False, True),
    "matchers/__init__.py": (False, True),
    "common/escaping.py": (True, True),
    "reporting/html/class_page.py": (False, False),
    "cli/commands/doctor.py": (False, False),
}

PROGRAM = """
import sys
from pathlib import Path
import harness
from harness.common.files import source_digest
from harness.results.reuse import execution_digest, judging_digest

def digests():
    source_digest.cache_clear()
    return execution_digest(), judging_digest()

before = digests()
for name in sys.argv[1:]:
    path = Path(harness.__file__).parent / name
    text = path.read_text()
    path.write_text(text + "# changed\\n")
    after = digests()
    path.write_text(text)
    print(name, *(int(a != b) for a, b in zip(before, after)))
    assert digests() == before
"""


def test_what_can_change_an_observation_or_a_verdict_makes_it_stale(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    done = ran(
        [sys.executable, "-P", "-c", PROGRAM, *CHANGES],
        env={"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        check=True,
    )
    found = {}
    for line in done.stdout.splitlines():
        name, observations, verdicts = line.split()
        found[name] = (observations == "1", verdicts == "1")
    assert found == CHANGES


def test_what_judging_is_made_of_is_in_its_digest() -> None:
    packages = {
        node.module.split(".")[1]
        for path in (PACKAGE / "judging").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness.")
    }
    source = (PACKAGE / "results" / "reuse.py").read_text(encoding="utf-8")
    named = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    assert packages <= named
