"""Add tests for scenarios: `pytest specs/<id>` has one per scenario, on the reference or on
`--submission FILE`.

The plugin does nothing outside folders with an `assignment.yaml`: nothing of the harness is
imported before one is collected.
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
    """A spec folder, whose assignment is loaded once and whose selected scenarios run once."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Yield one collector for each YAML file with scenarios."""
        from harness.assignment.loading import load
        from harness.common.errors import UserError

        root = self.path.parent.parent
        try:
            self.specification: Specification = load(root, self.path.name)
        except UserError as error:
            raise self.CollectError(str(error)) from None
        self._results: dict[str, ScenarioResult] | str | None = None
        names = [scenario.place.file for scenario in self.specification.plan.scenarios]
        for name in dict.fromkeys(names):
            path = self.path / Path(name).name
            yield SpecFile.from_parent(self, path=path)

    def result(self, scenario_id: str, selected: frozenset[str]) -> ScenarioResult | str:
        """Return the scenario's result, or the reason why the file could not be graded at all."""
        if self._results is None:
            self._results = self._all_results(selected)
        if isinstance(self._results, str):
            return self._results
        return self._results[scenario_id]

    def _all_results(self, selected: frozenset[str]) -> dict[str, ScenarioResult] | str:
        from harness.common.errors import UserError

        try:
            graded = self._grade(selected)
        except UserError as error:
            return str(error)
        unparsable = graded.unparsable
        if unparsable:
            return f"{unparsable.place}: {unparsable.reason}"
        if graded.problem:
            return graded.problem
        return {result.scenario_id: result for result in graded.scenarios}

    def _grade(self, selected: frozenset[str]) -> SubmissionResult:
        from dataclasses import replace

        from harness.assignment.loading import CACHE
        from harness.common.errors import UserError
        from harness.grading.check import check_submissions
        from harness.grading.context import prepare
        from harness.intake.pipeline import read
        from harness.model.submission import Submission

        plan = self.specification.plan.subset(lambda scenario: scenario.id in selected)
        root = Path(self.specification.folder).parent.parent
        cache = root / CACHE
        selection = replace(self.specification, plan=plan)
        context = prepare(selection, cache=cache, recall_tier=True)
        file: Path | None = self.config.getoption("--submission")
        if file is not None:
            submissions = read((file,), plan.assignment)
        else:
            files = self.specification.reference
            reference = Submission(id="reference", files=files, origin="the reference")
            submissions = (reference,)
        if len(submissions) != 1:
            raise UserError("name one file", place=str(file), hint="--submission a1.py")
        return check_submissions(context, submissions)[0]


class SpecFile(pytest.File):
    """One YAML file of scenarios."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one test for each scenario."""
        folder = self.parent
        assert isinstance(folder, AssignmentFolder)
        for scenario in folder.specification.plan.scenarios:
            file_name = Path(scenario.place.file).name
            if file_name == self.path.name:
                _, _, name = scenario.id.partition("/")
                yield ScenarioItem.from_parent(self, name=name, scenario=scenario, folder=folder)


class ScenarioItem(pytest.Item):
    """One scenario, as a test."""

    def __init__(self, *, scenario: Scenario, folder: AssignmentFolder, **rest: Any) -> None:
        super().__init__(**rest)
        self.scenario = scenario
        self.folder = folder
        self.keywords.update(dict.fromkeys(scenario.tags, True))

    def runtest(self) -> None:
        """Grade all selected scenarios, and raise the explanation if this one failed."""
        selected = set()
        for item in self.session.items:
            if isinstance(item, ScenarioItem) and item.folder is self.folder:
                selected.add(item.scenario.id)
        result = self.folder.result(self.scenario.id, frozenset(selected))
        if isinstance(result, str):
            raise ScenarioFailed(result)
        if not result.verdict.passed:
            from harness.reporting.terminal.tables import explain_scenario

            explanation = explain_scenario(result, self.scenario)
            raise ScenarioFailed(explanation)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> str | Any:
        """Return only the explanation, without a traceback of the harness."""
        if isinstance(excinfo.value, ScenarioFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the scenario's file, its line (from 0) and its id."""
        return self.path, self.scenario.place.line - 1, self.scenario.id


# Students read the name, so it is without "Error".
class ScenarioFailed(Exception):  # noqa: N818
    """A scenario's explanation, as plain text."""
