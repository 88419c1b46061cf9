"""Makes scenarios from a course's existing tests (`tests:` in assignment.yaml)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

from harness.assignment.document import Document
from harness.assignment.files.tests import CourseTestsShape
from harness.assignment.scenarios.file import VISIBILITY
from harness.assignment.scenarios.reader import slug
from harness.assignment.scenarios.test_folder import in_folder
from harness.assignment.symbols import AssignmentSymbols
from harness.assignment.test_files import FoundTest, find_tests
from harness.model.assignment import SourceFile
from harness.model.expectation import Expected
from harness.model.plan import Place, Scenario, Visibility, glob
from harness.model.stimulus import Action, Stimulus
from harness.stimuli.test import CourseTest


@dataclass(slots=True)
class CourseTestsSection:
    """Makes the scenarios for `tests:`, and holds their total marks."""

    document: Document
    symbols: AssignmentSymbols
    files: tuple[SourceFile, ...]
    scenarios: list[Scenario] = field(default_factory=list)
    marks: Fraction = Fraction()
    selecting: set[int] = field(
        default_factory=set
    )  # indexes of `select:` entries that matched a test
    left_out: set[str] = field(default_factory=set)  # files with tests that were left out

    def read(self, stated: Sequence[Scenario]) -> None:
        """Add a scenario for each test that no scenario in a file names explicitly."""
        shape: CourseTestsShape | None = self.symbols.shape.tests
        if shape is None:
            return
        unused = dict.fromkeys(shape.leave_out)
        self.marks = shape.marks
        taken: set[str] = set()
        already_stated: set[Action] = set()
        for scenario in stated:
            taken.add(scenario.id)
            already_stated.update(stimulus.action for stimulus in scenario.stimuli)
        for file in self.files:
            if file.name not in shape.files:
                continue
            for found in self._found(file, shape):
                naming = [pattern for pattern in shape.leave_out if _matches(pattern, file, found)]
                for pattern in naming:
                    unused.pop(pattern, None)
                if naming:
                    self.left_out.add(file.name)
                    continue
                action = self._action(file, found, shape)
                scenario = self._scenario(file, found, action, shape)
                test = CourseTest(file=file.name, test=found.test, runner=shape.runner)
                if test in already_stated:
                    continue
                if scenario.id in taken:
                    what = f"two tests make the id {scenario.id}"
                    self.document.add(("tests", "files"), what, "rename one of them")
                taken.add(scenario.id)
                self.scenarios.append(scenario)
        for pattern in unused:
            self.document.add(("tests", "leave_out"), f"no test is called {pattern}")
        self._check_selections(shape)
        self._check_handed_out(shape, (*stated, *self.scenarios))

    def _found(self, file: SourceFile, shape: CourseTestsShape) -> tuple[FoundTest, ...]:
        loc = ("tests", "files", shape.files.index(file.name))
        try:
            found = find_tests(file.name, file.data, shape.runner)
        except (SyntaxError, ValueError) as error:
            self.document.add(loc, f"{file.name} is not Python ({error})")
            return ()
        if not found:
            what = f"{file.name} has no tests for {shape.runner}"
            self.document.add(loc, what, "tests are functions called test_… and classes Test…")
        return found

    def _action(self, file: SourceFile, found: FoundTest, shape: CourseTestsShape) -> CourseTest:
        action = CourseTest(file=file.name, test=found.test, runner=shape.runner)
        if found.index is not None:
            action = replace(action, index=found.index)
        if found.part is not None:
            action = replace(action, part=found.part)
        return action

    def _scenario(
        self, file: SourceFile, found: FoundTest, action: CourseTest, shape: CourseTestsShape
    ) -> Scenario:
        settings = self._settings(file, found, shape)
        stem = _short_names(shape.files)[file.name]
        group = f"{stem}/{slug(found.test or stem)}"
        sweep = ""
        if found.number is not None:
            sweep = f"[{found.number + 1}]"
        of_all = shape.limits.over(self.symbols.limits)
        limits = settings["limits"].over(of_all)
        visibility = VISIBILITY[settings["visible"]]
        title = found.title
        if visibility is not Visibility.VISIBLE:
            title = found.title_without_values
        stimulus = in_folder(Stimulus(action=action), self.symbols)
        path = f"{self.symbols.shown_folder}/{file.name}"
        return Scenario(
            id=group + sweep,
            group=group,
            name=title or file.name,
            function=settings["function"] or self._function(found),
            clauses=tuple(settings["clause"]),
            visibility=visibility,
            points=settings["points"] / found.parts,
            limits=limits,
            stimuli=(stimulus,),
            stated=Expected(),
            place=Place(file=path, line=found.line, column=1),
            hint=settings["hint"].strip(),
            description=settings["description"].strip(),
            informational=settings["informational"],
            extra_credit=settings["extra_credit"],
            shows_hint=settings["visible"] == "hint",
        )

    def _settings(
        self, file: SourceFile, found: FoundTest, shape: CourseTestsShape
    ) -> dict[str, Any]:
        """Return a test's settings.

        Entries of `select:` that match it take precedence (the last one wins), then its decorators,
        then the settings for all tests.
        """
        settings: dict[str, Any] = {name: getattr(shape, name) for name in _OF_ALL}
        settings["function"] = ""
        settings["description"] = found.description
        settings["informational"] = False
        settings["extra_credit"] = False
        if found.decorated.points is not None:
            settings["points"] = found.decorated.points
            if found.decorated.points == 0:
                settings |= {"informational": True, "points": Fraction(1)}
        if found.decorated.visible is not None:
            settings["visible"] = found.decorated.visible
        for index, selection in enumerate(shape.select):
            if _matches(selection.match, file, found):
                self.selecting.add(index)
                stated = selection.model_fields_set - {"match"}
                settings |= {name: getattr(selection, name) for name in stated}
        return settings

    def _function(self, found: FoundTest) -> str:
        """Return the reference's function that a test is about: one that it uses, preferably one
        whose name is part of the test's name; otherwise the file.
        """
        known = [name for name in self.symbols.function_names if "." not in name]
        for names in (found.names, found.names_before):
            used = [name for name in known if name in names]
            named = [name for name in used if name.lower() in found.test.lower()]
            chosen = sorted(named or used, key=len)
            if chosen:
                return chosen[-1]
        return self.symbols.main_file

    def _check_selections(self, shape: CourseTestsShape) -> None:
        """Note errors for selections that match no test, and for unknown functions and clauses."""
        names = [scenario.name for scenario in self.scenarios]
        owners = (*self.symbols.function_names, *self.symbols.file_names)
        for index, selection in enumerate(shape.select):
            loc = ("tests", "select", index)
            if index not in self.selecting:
                what = f"no test is called {selection.match}"
                hint = f"the first is called {names[0]}" if names else ""
                self.document.add((*loc, "match"), what, hint)
            if selection.function and selection.function not in owners:
                what = f"the reference has no function {selection.function}"
                self.document.add((*loc, "function"), what)
            clause_at = (*loc, "clause")
            for clause in selection.clause:
                self.symbols.has_clause(self.document, clause_at, clause)
        for clause in shape.clause:
            self.symbols.has_clause(self.document, ("tests", "clause"), clause)

    def _check_handed_out(self, shape: CourseTestsShape, scenarios: Iterable[Scenario]) -> None:
        """Note an error for each file given to students that contains hidden material."""
        hidden: dict[str, str] = {}
        for scenario in scenarios:
            action = scenario.stimuli[0].action
            is_visible = scenario.visibility is Visibility.VISIBLE
            if isinstance(action, CourseTest) and not is_visible:
                hidden.setdefault(action.file, scenario.name)
        known = (*shape.files, *shape.beside)
        for index, name in enumerate(shape.hand_out):
            loc = ("tests", "hand_out", index)
            if name not in known:
                what = f"{name} is not a file of the tests"
                self.document.add(loc, what, "name it under files or beside, too")
            elif name in hidden:
                what = f"{name} holds a test that is not visible: {hidden[name]}"
                self.document.add(loc, what, "move hidden tests to another file")
            elif name in self.left_out:
                what = f"{name} holds a test that is left out, so perhaps not visible"
                self.document.add(loc, what, "move such tests to another file")


def _short_names(files: Iterable[str]) -> dict[str, str]:
    """Return the first part of the scenarios' ids by test file: its name, with its folders if an
    earlier file has the same name."""
    names: dict[str, str] = {}
    for file in files:
        *folders, name = PurePosixPath(file).with_suffix("").parts
        if name in names.values():
            name = "-".join([*map(slug, folders), name])
        names[file] = name
    return names


_OF_ALL = ("points", "visible", "clause", "hint", "limits")


def _matches(written: str, file: SourceFile, found: FoundTest) -> bool:
    """Return whether a pattern matches a test, by the test's name or by `file::test`."""
    pattern = glob(written)
    names = [found.title or file.name, found.test]
    if "::" in written:
        names.append(f"{file.name}::{found.test}")
    return any(map(pattern.fullmatch, names))
