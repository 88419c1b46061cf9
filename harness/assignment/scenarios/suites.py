"""Makes scenarios from `test_writing:` in assignment.yaml: questions about the tests that students
submit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from harness.assignment.document import Document
from harness.assignment.files.test_writing import TestWritingShape
from harness.assignment.scenarios.file import VISIBILITY
from harness.assignment.scenarios.reader import slug
from harness.assignment.symbols import AssignmentSymbols, defined_in, other_names
from harness.model.assignment import SourceFile, TestedProgram, TestWriting
from harness.model.expectation import Expected
from harness.model.plan import Mutant, Scenario
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.suite import SuiteQuestion, SuiteRun

REFERENCE = "the reference"
_CPU_SECONDS = 5.0
_NAMES = {
    SuiteQuestion.RUNS: "the tests can be run",
    SuiteQuestion.ACCEPTS: "the tests accept a correct program",
    SuiteQuestion.ACCEPTS_OWN: "the tests accept the program beside them",
    SuiteQuestion.COVERS: "the tests run enough of a correct program",
    SuiteQuestion.HELPS: "each test notices a fault of its own",
}


@dataclass(slots=True)
class SuiteSection:
    """Makes the scenarios for `test_writing:`."""

    document: Document
    symbols: AssignmentSymbols
    mutants: tuple[Mutant, ...]
    scenarios: list[Scenario] = field(default_factory=list)
    marks: Fraction = Fraction()
    documented: tuple[str, ...] = ()

    def read(self) -> TestWriting | None:
        """Add the scenarios and return the data needed to run them.

        Return None if students submit no tests; if that is a mistake, note an error.
        """
        shape = self.symbols.shape.test_writing
        handed_in = tuple(self.symbols.shape.submission.tests)
        files = handed_in
        if shape is not None and shape.doctests:
            self.documented = tuple(self.symbols.shape.submission.files)
            files += self.documented
        if not self._is_whole(shape, files) or shape is None:
            return None
        self._add_questions(shape, files)
        self._add_faults(shape, files)
        self._add_question_of_each(shape, files)
        self._add_coverage(shape, files)
        program = self.symbols.tested_program
        programs = [TestedProgram(name=REFERENCE, files=program)]
        for number, mutant in enumerate(self.mutants):
            changed = mutant.written_into(program)
            clause = mutant.clause if shape.visible is True else ""
            name = _program_name(number)
            tested = TestedProgram(name=name, files=changed, clause=clause, why=mutant.why)
            programs.append(tested)
        return TestWriting(
            files=handed_in,
            documented_files=self.documented,
            program_files=tuple(file.name for file in program),
            public_names=self._public_names(shape, program),
            programs=tuple(programs),
        )

    def _public_names(
        self, shape: TestWritingShape, program: Sequence[SourceFile]
    ) -> tuple[str, ...]:
        """Return the names that tests may use; note an error for one that the program lacks."""
        public = set(_public_names(program))
        for index, name in enumerate(shape.names):
            if name not in public:
                what = f"the program defines no public name {name}"
                hint = f"it defines {', '.join(sorted(public))}"
                self.document.add(("test_writing", "names", index), what, hint)
        return tuple(sorted(shape.names or public))

    def _is_whole(self, shape: TestWritingShape | None, files: tuple[str, ...]) -> bool:
        """Return whether students submit tests and earn points for them; note an error if only one
        of these is true.
        """
        if shape is None:
            if files:
                what = "tests are handed in, but they have no points"
                hint = 'add test_writing: {accepts: 1, notices: {"2.1": 2}}'
                self.document.add(("submission", "tests"), what, hint)
            return False
        if not files:
            what = "no tests are handed in"
            hint = "write submission: {tests: [test_a1.py]}, or doctests: true"
            self.document.add(("test_writing",), what, hint)
            return False
        has_program = bool(self.symbols.shape.submission.files)
        if shape.accepts_own is not None and not has_program:
            what = "no program is handed in beside the tests"
            self.document.add(("test_writing", "accepts_own"), what, "leave accepts_own out")
        return bool(self.symbols.tested_program)

    def _add_questions(self, shape: TestWritingShape, files: tuple[str, ...]) -> None:
        points_of = {
            SuiteQuestion.RUNS: shape.runs,
            SuiteQuestion.ACCEPTS: shape.accepts,
            SuiteQuestion.ACCEPTS_OWN: shape.accepts_own,
        }
        for clause in shape.clause:
            self.symbols.has_clause(self.document, ("test_writing", "clause"), clause)
        for question, points in points_of.items():
            if points is None:
                continue
            against = REFERENCE
            if question is SuiteQuestion.ACCEPTS_OWN:
                against = ""
            action = SuiteRun(question=question, files=files, against=against)
            name = _NAMES[question]
            scenario = self._scenario(shape, action, name, points=points, key=question.value)
            self._add_of_all(shape, scenario)

    def _add_faults(self, shape: TestWritingShape, files: tuple[str, ...]) -> None:
        counts = _counts(self.mutants)
        for clause in shape.notices:
            loc = ("test_writing", "notices", clause)
            is_listed = self.symbols.has_clause(self.document, loc, clause)
            if is_listed and clause not in counts:
                what = f"no mutant is against clause {clause}, so no test can notice it"
                self.document.add(loc, what, "add one to mutants.yaml")
        for clause in shape.hints:
            if clause not in shape.notices:
                loc = ("test_writing", "hints", clause)
                self.document.add(loc, f"clause {clause} is not under notices")
        numbers: dict[str, int] = {}
        for index, mutant in enumerate(self.mutants):
            clause = mutant.clause
            if clause not in shape.notices:
                continue
            number = numbers.get(clause, 0) + 1
            numbers[clause] = number
            against = _program_name(index)
            action = SuiteRun(
                question=SuiteQuestion.NOTICES, files=files, against=against, breaks=clause
            )
            name = f"the tests notice a fault against {self._clause_in_words(clause)}"
            count = counts[clause]
            if count > 1:
                name += f" ({number} of {count})"
            points = shape.notices[clause] / count
            key = f"notices-{slug(clause)}-{number}"
            scenario = self._scenario(shape, action, name, points=points, key=key)
            hint = shape.hints.get(clause, "").strip()
            scenario = replace(scenario, clauses=(clause,), hint=hint)
            self.scenarios.append(scenario)

    def _add_question_of_each(self, shape: TestWritingShape, files: tuple[str, ...]) -> None:
        """Add the question which tests find no fault. It costs no marks."""
        action = SuiteRun(question=SuiteQuestion.HELPS, files=files, against=REFERENCE)
        name = _NAMES[SuiteQuestion.HELPS]
        scenario = self._scenario(shape, action, name, points=Fraction(1), key="helps")
        scenario = replace(scenario, informational=True, shows_hint=False)
        self.scenarios.append(scenario)

    def _add_coverage(self, shape: TestWritingShape, files: tuple[str, ...]) -> None:
        """Add the question whether the tests run enough of the reference's lines."""
        stated = shape.coverage
        if stated is None:
            return
        action = SuiteRun(
            question=SuiteQuestion.COVERS,
            files=files,
            against=REFERENCE,
            statements=_percent(stated.statements),
            branches=_percent(stated.branches),
        )
        name = _NAMES[SuiteQuestion.COVERS]
        scenario = self._scenario(shape, action, name, points=stated.points, key="covers")
        self._add_of_all(shape, scenario)

    def _add_of_all(self, shape: TestWritingShape, scenario: Scenario) -> None:
        """Add a scenario about all of the tests, which students see."""
        clauses = tuple(shape.clause)
        visible = VISIBILITY[True]
        scenario = replace(scenario, clauses=clauses, visibility=visible, shows_hint=False)
        self.scenarios.append(scenario)

    def _clause_in_words(self, clause: str) -> str:
        for known in self.symbols.clauses or ():
            if known.id == clause:
                return f"§{clause}: {known.text}"
        return f"§{clause}"

    def _scenario(
        self, shape: TestWritingShape, action: SuiteRun, name: str, *, points: Fraction, key: str
    ) -> Scenario:
        scenario_id = f"tests/{key}"
        base = _for_all_tests(self.symbols.limits)
        limits = shape.limits.over(base)
        action = replace(action, documented=self.documented)
        stimulus = Stimulus(action=action, folder=True)
        return Scenario(
            id=scenario_id,
            group=scenario_id,
            name=name,
            function=action.files[0],
            clauses=(),
            visibility=VISIBILITY[shape.visible],
            points=points,
            limits=limits,
            stimuli=(stimulus,),
            stated=Expected(),
            place=self.document.place(("test_writing",)),
            shows_hint=shape.visible == "hint",
        )


def _for_all_tests(limits: Limits) -> Limits:
    """Return the limits for a program while all tests of a suite run."""
    cpu_seconds = max(limits.cpu_seconds, _CPU_SECONDS)
    return replace(limits, cpu_seconds=cpu_seconds)


def _percent(share: Fraction | None) -> int:
    """Return a fraction as whole percent, rounded up; 0 for None."""
    if share is None:
        return 0
    return ceil(100 * share)


def _program_name(number: int) -> str:
    return f"fault {number + 1}"


def _counts(mutants: Sequence[Mutant]) -> Mapping[str, int]:
    return Counter(mutant.clause for mutant in mutants)


def _public_names(files: Sequence[SourceFile]) -> Iterator[str]:
    """Yield the top-level names in the files that do not start with an underscore."""
    for name in defined_in(files):
        if not name.startswith("_"):
            yield name
    for file in files:
        yield from other_names(file)
