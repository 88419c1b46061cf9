"""Pages of docs/ done as they say: writing-an-assignment.md in an empty folder, ci-workflow.md."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from harness.assignment.schema import json_schema
from harness.cli import cli
from tests.cli.walked_page import Walk

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("writing-an-assignment.md", "writing-scenarios.md", "lecturer-guide.md")
SHAPES = json_schema()["$defs"]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The page walked to its end: every command exits and prints as the page shows."""
    walk = Walk(DOCS / "writing-an-assignment.md", tmp_path_factory.mktemp("an-assignment"))
    walk.walk()
    return walk


@pytest.mark.release
def test_the_page_makes_every_kind_of_file(walked: Walk) -> None:
    made = {path for path in walked.made if not path.startswith("submissions/")}
    assert made == {
        "reference/guessing/guess.py",
        "reference/guessing/rules.py",
        *(
            f"specs/guessing/{name}"
            for name in (
                "assignment.yaml",
                "clauses.yaml",
                "guesses.py",
                "hint.yaml",
                "is_valid.yaml",
                "main.yaml",
                "mutants.yaml",
                "play.yaml",
                "policy.yaml",
            )
        ),
    }


@pytest.mark.release
def test_the_page_takes_every_step(walked: Walk) -> None:
    used = [command.split()[1] for command in walked.commands if command.startswith("harness ")]
    assert list(dict.fromkeys(used)) == ["validate", "record", "grade", "show", "check"]


@pytest.mark.release
def test_the_samples_have_the_marks_they_should(walked: Walk) -> None:
    found = json.loads((walked.folder / "reports/guessing/results.json").read_text("utf-8"))
    assert found["run"]["complete"]
    assert {entry["id"]: entry["mark"] for entry in found["submissions"]} == {
        "another_style": 10.0,
        "half_finished": 2.0,
        "hard_coded_20": 8.5,
    }


@pytest.mark.release
def test_the_scenarios_are_tests_too(walked: Walk) -> None:
    done = walked.shell("pytest specs/guessing -p no:cacheprovider")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_every_key_of_the_language_is_on_a_page(shape: str) -> None:
    pages = "".join((DOCS / name).read_text(encoding="utf-8") for name in PAGES)
    missing = [
        key
        for key in SHAPES[shape].get("properties", {})
        if not re.search(rf"(?<![\w-]){re.escape(key)}(:|`)", pages)
    ]
    assert missing == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        there = page.parent / name if name else page
        assert there.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, target


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


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
