"""`pytest specs/<id>`: one test per scenario, on the reference or on `--submission FILE`.

Inert outside folders with an `assignment.yaml`: nothing of the harness is imported before one
is collected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from harness.model.plan import Scenario, Specification
    from harness.model.result import ScenarioResult, SubmissionResult


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--submission`."""
    text = "the file that `pytest specs/<id>` tests (default: the reference)"
    group = parser.getgroup("harness", "grading harness")
    group.addoption("--submission", type=Path, default=None, metavar="FILE", help=text)


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take over folders that hold an assignment."""
    if (path / "assignment.yaml").is_file():
        folder: pytest.Collector = AssignmentFolder.from_parent(parent, path=path)
        return folder
    return None


class AssignmentFolder(pytest.Directory):
    """A spec folder: loads the assignment once and grades the selected scenarios once."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One collector for each YAML file with scenarios."""
        from harness.assignment.loading import load
        from harness.common.errors import UserError

        try:
            self.specification: Specification = load(self.path.parent.parent, self.path.name)
        except UserError as error:
            raise self.CollectError(str(error)) from None
        self._results: dict[str, ScenarioResult] | str | None = None
        for name in dict.fromkeys(s.place.file for s in self.specification.plan.scenarios):
            yield SpecFile.from_parent(self, path=self.path / Path(name).name)

    def result(self, scenario_id: str, selected: frozenset[str]) -> ScenarioResult | str:
        """The scenario's outcome, or why the file could not be graded at all."""
        from harness.common.errors import UserError

        if self._results is None:
            try:
                graded = self._grade(selected)
            except UserError as error:
                self._results = str(error)
            else:
                self._results = graded.problem or {s.scenario_id: s for s in graded.scenarios}
                if wrong := graded.unparsable:
                    self._results = f"{wrong.place}: {wrong.reason}"
        return self._results if isinstance(self._results, str) else self._results[scenario_id]

    def _grade(self, selected: frozenset[str]) -> SubmissionResult:
        from dataclasses import replace

        from harness.assignment.loading import CACHE
        from harness.common.errors import UserError
        from harness.grading.check import check_submissions
        from harness.grading.context import prepare
        from harness.intake.pipeline import read
        from harness.model.submission import Submission

        plan = self.specification.plan.subset(lambda scenario: scenario.id in selected)
        cache = Path(self.specification.folder).parent.parent / CACHE
        context = prepare(replace(self.specification, plan=plan), cache=cache, recall_tier=True)
        file: Path | None = self.config.getoption("--submission")
        if file is not None:
            submissions = read((file,), plan.assignment)
        else:
            files = self.specification.reference
            submissions = (Submission(id="reference", files=files, origin="the reference"),)
        if len(submissions) != 1:
            raise UserError("name one file", place=str(file), hint="--submission a1.py")
        return check_submissions(context, submissions)[0]


class SpecFile(pytest.File):
    """One YAML file of scenarios."""

    def collect(self) -> Iterator[pytest.Item]:
        folder = self.parent
        assert isinstance(folder, AssignmentFolder)
        for scenario in folder.specification.plan.scenarios:
            if Path(scenario.place.file).name == self.path.name:
                name = scenario.id.partition("/")[2]
                yield ScenarioItem.from_parent(self, name=name, scenario=scenario, folder=folder)


class ScenarioItem(pytest.Item):
    """One scenario, as a test."""

    def __init__(self, *, scenario: Scenario, folder: AssignmentFolder, **rest: Any) -> None:
        super().__init__(**rest)
        self.scenario = scenario
        self.folder = folder
        self.keywords.update(dict.fromkeys(scenario.tags, True))

    def runtest(self) -> None:
        selected = frozenset(
            item.scenario.id
            for item in self.session.items
            if isinstance(item, ScenarioItem) and item.folder is self.folder
        )
        outcome = self.folder.result(self.scenario.id, selected)
        if isinstance(outcome, str):
            raise ScenarioFailed(outcome)
        if not outcome.verdict.passed:
            from harness.reporting.terminal.tables import explain_scenario

            raise ScenarioFailed(explain_scenario(outcome, self.scenario))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> str | Any:
        """Return only the explanation, without a traceback of the harness."""
        if isinstance(excinfo.value, ScenarioFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, self.scenario.place.line - 1, self.scenario.id


class ScenarioFailed(Exception):  # noqa: N818  (it is what the student reads)
    """A scenario's explanation, as plain text."""
