"""docs/ci-workflow.md: the workflow is YAML, and the commands and options in it exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from harness.cli import cli

DOCS = Path(__file__).parents[2] / "docs"


def workflow() -> dict[Any, Any]:
    text = (DOCS / "ci-workflow.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    loaded: dict[Any, Any] = yaml.safe_load(block)
    return loaded


def harness_commands() -> list[str]:
    steps = [step for job in workflow()["jobs"].values() for step in job["steps"]]
    runs = [step["run"] for step in steps if "run" in step]
    guide = (DOCS / "lecturer-guide.md").read_text(encoding="utf-8")
    guide += (DOCS / "ci-workflow.md").read_text(encoding="utf-8")
    written = re.findall(r"`(harness (?:export|compare|manual|check) [^`]+)`", guide)
    written += re.findall(r"^(harness (?:export|compare|manual)\b.*)$", guide, re.MULTILINE)
    named = (re.sub(r"\$\{\{.*?\}\}", "ID", run) for run in (*runs, *written))
    return [line for line in named if line.startswith("harness ")]


def test_the_workflow_has_what_github_asks_for() -> None:
    found = workflow()
    assert found[True] == ["push", "pull_request"]  # YAML 1.1 takes the key `on` for true
    for job in found["jobs"].values():
        systems = job.get("strategy", {}).get("matrix", {}).get("os", [job["runs-on"]])
        assert all(re.match(r"(ubuntu|macos|windows)-\d+", system) for system in systems)
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])


@pytest.mark.parametrize("line", harness_commands())
def test_a_command_of_the_pages_can_be_read(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reports" / "ID").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    name, *arguments = shlex.split(line)[1:]
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    with command.make_context(name, [*arguments]) as context:
        assert context.params


def test_there_are_such_commands() -> None:
    named = {shlex.split(line)[1] for line in harness_commands()}
    assert named >= {"doctor", "validate", "grade", "export", "compare", "manual", "check"}
