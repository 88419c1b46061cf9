"""Compiles a spec folder into a Specification. The errors of all files are reported together."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from graphlib import CycleError
from pathlib import Path
from typing import Protocol

from harness.assignment import loading
from harness.assignment.document import Document, Loc, Problems
from harness.assignment.files import small_files
from harness.assignment.files.assignment import (
    SubmissionShape,
    comparisons,
    manual_slots,
    read_heading,
)
from harness.assignment.files.fuzzing import fuzz_settings
from harness.assignment.files.policy import read_policy
from harness.assignment.files.reference import check_reference_imports
from harness.assignment.files.tests import data_file_names, handed_out_names, test_file_names
from harness.assignment.loading import SpecErrors, digest, display_path
from harness.assignment.scenarios.cases import Compiled
from harness.assignment.scenarios.draws import DRAWS, DrawRequest, draw, freeze, load_module
from harness.assignment.scenarios.file import ScenarioFile, counted_points, rescale
from harness.assignment.scenarios.reader import ScenarioReader, slug
from harness.assignment.scenarios.suites import SuiteSection
from harness.assignment.scenarios.tests import CourseTestsSection
from harness.assignment.sent_names import sent_names
from harness.assignment.symbols import AssignmentSymbols, ProvidedError, class_names
from harness.common.files import write
from harness.matchers.reading import Refused, nearest
from harness.model.assignment import (
    Assignment,
    Clause,
    Exemption,
    LatePolicy,
    OtherFiles,
    SentNames,
    SourceFile,
)
from harness.model.plan import PLAN_VERSION, Mutant, Plan, Scenario, Specification, in_turn, needed
from harness.model.policy import Policy
from harness.model.stimulus import Stimulus
from harness.model.study import FuzzSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """A compiled assignment."""

    specification: Specification
    requests: dict[str, DrawRequest]  # requested draws, keyed by the file that stores them
    fuzzing: FuzzSettings  # more inputs for `harness fuzz`


def compile_assignment(
    root: Path, assignment_id: str, *, support: Path | None = None, recording: bool = False
) -> Compilation:
    """Read and compile specs/<id> and reference/<id>.

    Raise SpecErrors with all errors, or UserError if the assignment does not exist.
    """
    root = root.resolve()
    folder = loading.spec_folder(root, assignment_id)
    compiler = _Compiler(root=root, folder=folder, support=support, recording=recording)
    return compiler.compile()


def record_draws(root: Path, assignment_id: str) -> tuple[Path, ...]:
    """Write the frozen draws (recorded generated inputs) of every sample and list of cases; return
    the files' paths.

    Files that no scenario uses any more are deleted. With the same Hypothesis version, the same
    request always gives the same draws. Raise SpecErrors, or UserError if a strategy or generator
    fails.
    """
    compilation = compile_assignment(root, assignment_id, recording=True)
    folder = Path(compilation.specification.folder)
    module_of = functools.cache(functools.partial(load_module, folder))
    for name, request in compilation.requests.items():
        module = module_of(request.function.file)
        function = getattr(module, request.function.function)
        draws = draw(request, function)
        write(folder / name, freeze(request, draws))
    written = tuple(folder / name for name in compilation.requests)
    for path in sorted((folder / DRAWS).glob("*.json")):
        if path not in written:
            path.unlink()
    return written


@dataclass(slots=True, kw_only=True)
class _Compiler:
    """Compiles one spec folder."""

    root: Path
    folder: Path
    support: Path | None
    recording: bool
    problems: Problems = field(default_factory=Problems)
    mutant_problems: Problems = field(
        default_factory=Problems
    )  # problems that do not prevent grading
    used: set[str] = field(default_factory=set)  # names of files that the plan depends on

    def compile(self) -> Compilation:
        symbols = self._open_symbols()
        check_reference_imports(symbols, self.root, self.problems)
        policy: Policy | None = None
        policy_file = self._open_named(symbols, "policy", "policy.yaml")
        if policy_file is not None:
            policy = read_policy(policy_file, symbols)
        mutants = self._mutants(symbols)
        suites = SuiteSection(symbols.document, symbols, mutants)
        writing = suites.read()
        compiled = self._scenarios(symbols, suites)
        assignment = self._assignment(symbols, compiled, policy)
        assignment = replace(assignment, test_writing=writing)
        fuzzing = fuzz_settings(symbols, compiled)
        self.problems.raise_any()
        reference = [(file.name, file.data) for file in symbols.reference]
        plan = Plan(
            version=PLAN_VERSION,
            assignment=assignment,
            scenarios=tuple(compiled.scenarios),
            spec_digest=self._spec_digest(symbols, compiled),
            reference_digest=digest(reference),
        )
        specification = Specification(
            plan=plan,
            reference=symbols.reference,
            mutants=_of_programs(symbols, mutants, compiled.scenarios),
            transcripts=tuple(compiled.transcripts),
            folder=str(self.folder),
            mutant_mistakes=self.mutant_problems.lines(),
        )
        return Compilation(specification=specification, requests=compiled.requests, fuzzing=fuzzing)

    def _open_symbols(self) -> AssignmentSymbols:
        """Read assignment.yaml.

        Raise SpecErrors if it or a provided file cannot be read, because without its constants
        every other file would seem full of errors.
        """
        document = self._open(loading.ASSIGNMENT)
        if document is None:
            raise SpecErrors(self.problems.lines())
        symbols = self._symbols(document)
        if symbols is None:
            for path in loading.scenario_files(self.folder, ()):
                self._open(path.name)
            raise SpecErrors(self.problems.lines())
        return symbols

    def _symbols(self, document: Document) -> AssignmentSymbols | None:
        """Return the content of assignment.yaml; None if its constants cannot be read (errors are
        noted).
        """
        heading = read_heading(document, self.root, self.folder, self.support)
        if heading is None or len(heading.provided) < len(heading.shape.provided):
            return None
        clauses: tuple[Clause, ...] | None = None
        clauses_file = self._open_named(heading, "clauses", "clauses.yaml")
        if clauses_file is not None:
            clauses = small_files.read_clauses(clauses_file)
        try:
            heading.variants.constants()
        except ProvidedError as error:
            index = heading.shape.provided.index(error.file)
            document.add(("provided", index), str(error))
            return None
        return replace(heading, clauses=clauses)

    def _assignment(
        self, symbols: AssignmentSymbols, compiled: Compiled, policy: Policy | None
    ) -> Assignment:
        """Return the assignment: the keys of assignment.yaml, and what its other files add."""
        shape = symbols.shape
        extra = self._extra(compiled.provide)
        programs = (*symbols.reference, *symbols.provided)
        classes = class_names((*programs, *extra))
        stimuli = _stimuli_of(compiled)
        late: LatePolicy | None = None
        if shape.late is not None:
            late = shape.late.policy()
        assignment = Assignment(
            id=self.folder.name,
            title=shape.title,
            course=shape.course,
            python=shape.python,
            submission_files=shape.submission.file_names,
            laid_as=shape.submission.laid_as or None,
            functionality_marks=shape.functionality_marks,
            limits=symbols.limits,
            total_seconds=shape.limits.total_seconds,
            policy=policy,
            clauses=symbols.clauses or (),
            functions=symbols.functions,
            variants=symbols.variants.all(stimulus.constants for stimulus in stimuli),
            extra_files=extra,
            time_zone=shape.time_zone,
            packages=tuple(shape.packages),
            isolate_all=shape.isolation == "all",
            compare=comparisons(symbols, classes),
            floats_within=symbols.floats_within,
            manual=manual_slots(symbols),
            late=late,
            exemptions=self._exemptions(compiled),
        )
        assignment = _with_uploads(assignment, shape.submission)
        assignment = _with_scenarios(assignment, symbols, compiled)
        return self._with_tests(assignment, symbols, programs)

    def _with_tests(
        self, assignment: Assignment, symbols: AssignmentSymbols, programs: tuple[SourceFile, ...]
    ) -> Assignment:
        """Return the assignment with the course's tests."""
        test_files = self._test_files(symbols)
        names = SentNames()
        if test_files:
            names = sent_names(programs)
        return replace(
            assignment,
            test_files=test_files,
            handed_out_tests=handed_out_names(symbols.shape.tests),
            sent_names=names,
        )

    def _exemptions(self, compiled: Compiled) -> tuple[Exemption, ...]:
        exempt = self._open_other(loading.EXEMPT, self.problems)
        if exempt is None:
            return ()
        ids = [scenario.id for scenario in compiled.scenarios]
        return small_files.read_exemptions(exempt, ids)

    def _open(self, name: str) -> Document | None:
        """Read a file that the plan depends on."""
        self.used.add(name)
        return Document.open(self.folder / name, self._display_path(name), self.problems)

    def _open_other(self, name: str, problems: Problems) -> Document | None:
        """Read a file that the plan does not depend on, if it exists."""
        path = self.folder / name
        if not path.is_file():
            return None
        return Document.open(path, self._display_path(name), problems)

    def _display_path(self, name: str) -> str:
        return display_path(self.root, self.folder / name)

    def _open_named(self, symbols: AssignmentSymbols, key: str, default: str) -> Document | None:
        document = symbols.document
        name = getattr(symbols.shape, key)
        if name:
            if self._is_there(name):
                return self._open(name)
            document.add((key,), self._not_there(name))
        elif (self.folder / default).is_file():
            what = f"{default} exists, but the key {key} is missing"
            document.add((), what, f"add {key}: {default}")
        return None

    def _is_there(self, name: str) -> bool:
        return "/" not in name and (self.folder / name).is_file()

    def _not_there(self, name: str) -> str:
        return f"the file {name} is missing in {display_path(self.root, self.folder)}"

    def _mutants(self, symbols: AssignmentSymbols) -> tuple[Mutant, ...]:
        """Read the mutants.

        They are not part of the plan, because they only test the scenarios, unless students' tests
        must notice them.
        """
        are_tested = symbols.shape.test_writing is not None
        if not symbols.reference and not are_tested:
            return ()
        problems = self.mutant_problems
        if are_tested:
            problems = self.problems
        document = symbols.document
        stated = symbols.shape.mutants
        name = stated or loading.MUTANTS
        is_needed = bool(stated) or are_tested
        if is_needed and not self._is_there(name):
            loc: Loc = ("mutants",) if stated else ("test_writing",)
            place = document.place(loc)
            label = document.label(loc)
            problems.add(place, label, self._not_there(name))
            return ()
        mutants = self._open_other(name, problems)
        if mutants is None:
            return ()
        if are_tested:
            self.used.add(name)
        return small_files.read_mutants(mutants, symbols)

    def _scenarios(self, symbols: AssignmentSymbols, suites: SuiteSection) -> Compiled:
        compiled = Compiled(recording=self.recording)
        for path in sorted(self.folder.glob("*.yml")):
            what = "files that end in .yml are not read"
            self.problems.add_to_file(
                self._display_path(path.name), what, "rename it to end in .yaml"
            )
        shape = symbols.shape
        named = [shape.policy or "policy.yaml", shape.clauses or "clauses.yaml"]
        named.append(shape.mutants or loading.MUTANTS)
        files: list[ScenarioFile] = []
        for path in loading.scenario_files(self.folder, named):
            document = self._open(path.name)
            if document is not None:
                files.append(ScenarioFile(document, symbols, compiled))
        stated: list[Scenario] = []
        for file in files:
            file.read()
            stated += file.scenarios
        test_files = self._test_files(symbols)
        tests = CourseTestsSection(symbols.document, symbols, test_files)
        tests.read(stated)
        scenarios = share_marks([*files, tests, suites], shape.functionality_marks)
        compiled.scenarios += with_needs(scenarios, compiled.needs)
        return compiled

    def _test_files(self, symbols: AssignmentSymbols) -> tuple[SourceFile, ...]:
        """Return the files listed in `tests:`; note an error for each missing file."""
        files: list[SourceFile] = []
        tests = symbols.shape.tests
        data_names = data_file_names(tests)
        for name in (*test_file_names(tests), *data_names):
            if not (self.folder / name).is_file():
                symbols.document.add(("tests", "files"), self._not_there(name))
                continue
            self.used.add(name)
            # The data comes with each test's stimulus.
            if name not in data_names:
                files.append(self._file(name))
        return tuple(files)

    def _file(self, name: str) -> SourceFile:
        data = (self.folder / name).read_bytes()
        return SourceFile(name=name, data=data)

    def _extra(self, names: Iterable[str]) -> tuple[SourceFile, ...]:
        return tuple(map(self._file, sorted(names)))

    def _spec_digest(self, symbols: AssignmentSymbols, compiled: Compiled) -> str:
        names = {*self.used, *symbols.used, *compiled.requests}
        names.update(entry.path for entry in compiled.transcripts)
        parts: list[tuple[str, bytes]] = []
        for name in sorted(names):
            path = self.folder / name
            if path.is_file():
                parts.append((name, path.read_bytes()))
        for file in symbols.provided:
            shown = f"provided/{file.name}"
            parts.append((shown, file.data))
        for name, file in compiled.stand_ins.items():
            shown = f"stand-in/{name}"
            parts.append((shown, file.data))
        return digest(parts)


def _stimuli_of(compiled: Compiled) -> list[Stimulus]:
    stimuli: list[Stimulus] = []
    for scenario in compiled.scenarios:
        stimuli += scenario.stimuli
    return stimuli


def _with_uploads(assignment: Assignment, submission: SubmissionShape) -> Assignment:
    """Return the assignment with the rules for uploads, which `submission:` states."""
    has_archive = "archive" in submission.model_fields_set
    return replace(
        assignment,
        archive=submission.archive if has_archive else None,
        otherwise=OtherFiles(submission.otherwise),
        extra_modules=submission.extra_modules(),
        takes_notebooks=submission.takes_notebooks,
    )


def _with_scenarios(
    assignment: Assignment, symbols: AssignmentSymbols, compiled: Compiled
) -> Assignment:
    """Return the assignment with what its scenarios need."""
    stimuli = _stimuli_of(compiled)
    constants = symbols.variants.constants()
    stand_ins = sorted(compiled.stand_ins.items())
    return replace(
        assignment,
        writes_files=any(stimulus.folder for stimulus in stimuli),
        tells_time=any(stimulus.clock for stimulus in stimuli),
        other_names=_in_use(symbols.other_names, constants, stimuli),
        stand_in_files=tuple(file for _, file in stand_ins),
    )


def _of_programs(
    symbols: AssignmentSymbols, mutants: tuple[Mutant, ...], scenarios: Iterable[Scenario]
) -> tuple[Mutant, ...]:
    """Return the mutants of submitted files, which scenarios must notice.

    If students' tests must notice them instead, the assignment may have no scenarios for the
    program.
    """
    names = {file.name for file in symbols.reference}
    found = [mutant for mutant in mutants if mutant.file in names]
    if symbols.shape.test_writing is None:
        return tuple(found)
    stated: set[str] = set()
    for scenario in scenarios:
        if not scenario.is_suite:
            stated.update(scenario.clauses)
    return tuple(mutant for mutant in found if mutant.clause in stated)


def _in_use(
    names: frozenset[str], constants: Mapping[str, object], stimuli: Iterable[Stimulus]
) -> tuple[str, ...]:
    """Return the reference's names that a stimulus uses and that nothing else defines."""
    used: set[str] = set()
    for stimulus in stimuli:
        source = " ".join(stimulus.source_texts())
        words = set(re.findall(r"[^\W\d]\w*", source))
        for binding in stimulus.bindings:
            words.discard(binding.name)
        used |= words
    in_use = (names & used) - constants.keys()
    return tuple(sorted(in_use))


class HasMarks(Protocol):
    """A group of scenarios and the marks that they are worth together (0: by their points)."""

    document: Document
    scenarios: list[Scenario]
    marks: Fraction


def share_marks(files: Sequence[HasMarks], out_of: Fraction) -> list[Scenario]:
    """Return all scenarios with points scaled so that each file with `marks` is worth these, out
    of `out_of`.

    The other files share the remaining marks by their points. If that is impossible, an error is
    noted at the last file with `marks`.
    """
    stated: list[HasMarks] = []
    given = Fraction()
    points = Fraction()  # total points of the other files
    for file in files:
        if file.marks:
            stated.append(file)
            given += file.marks
        else:
            points += counted_points(file.scenarios)
    left = out_of - given
    # More is given than there is, or of marks left and points to earn them only one exists.
    if stated and (left < 0 or bool(left) != bool(points)):
        what = f"the files' marks add up to {given}, but functionality_marks is {out_of}"
        if left > 0:
            hint = "raise marks: in a file, because no other file can give out the rest"
        elif left < 0:
            hint = "lower marks: in a file, or raise functionality_marks"
        else:
            hint = "lower marks: in a file, so that some are left for the files without marks:"
        stated[-1].document.add(("marks",), what, hint)
    else:
        points_of_a_mark = points / left if left else Fraction(1)
        for file in stated:
            file.scenarios = rescale(file.scenarios, file.marks * points_of_a_mark)
    scenarios: list[Scenario] = []
    for file in files:
        scenarios += file.scenarios
    return scenarios


@dataclass(slots=True)
class _Needable:
    """The scenarios that `needs:` can name: by function, id or group."""

    functions: dict[str, list[Scenario]] = field(default_factory=dict)
    ids: dict[str, list[Scenario]] = field(default_factory=dict)

    @classmethod
    def among(cls, scenarios: Sequence[Scenario]) -> _Needable:
        named = cls()
        for scenario in scenarios:
            named.functions.setdefault(scenario.function, []).append(scenario)
            for name in {scenario.id, scenario.group}:
                named.ids.setdefault(name, []).append(scenario)
        return named


def with_needs(
    scenarios: Sequence[Scenario], stated: Sequence[ScenarioReader]
) -> Sequence[Scenario]:
    """Return the scenarios with their needs filled in; note an error for each name that cannot be
    needed.
    """
    named = _Needable.among(scenarios)
    needs: dict[str, dict[str, None]] = {}
    for reader in stated:
        names = needs[reader.group] = {}
        for index, name in enumerate(reader.shape.needs):
            with suppress(Refused):
                names[_needed_name(reader, index, name, named)] = None
    resolved: list[Scenario] = []
    for scenario in scenarios:
        names_needed = tuple(needs.get(scenario.group, ()))
        resolved.append(replace(scenario, needs=names_needed))
    try:
        list(in_turn(resolved, needed(resolved)))
    except CycleError as error:
        circle: list[str] = error.args[1][::-1]  # ids in which each scenario needs the next
        first, *_ = named.ids[circle[0]]
        reader = next(other for other in stated if other.group == first.group)
        in_words = " needs ".join(circle)
        reader.add((*reader.at("needs"), 0), f"these scenarios need each other: {in_words}")
    return resolved


def _needed_name(reader: ScenarioReader, index: int, name: str, named: _Needable) -> str:
    """Return the function, or the id or group of scenarios, that a name in `needs:` means.

    Note an error and raise Refused if there is none.
    """
    loc = (*reader.at("needs"), index)
    of_this = named.ids.get(reader.group, [])
    if name in named.functions:
        if name in [scenario.function for scenario in of_this]:
            what = f"this is a scenario of {name} itself"
            reader.refuse(loc, what, "name the scenarios that come first")
        needed_name = name
        others = named.functions[name]
    else:
        needed_name, others = _needed_scenarios(reader, loc, name, named)
        last_open = max(other.visibility.rank for other in others)
        if any(last_open > scenario.visibility.rank for scenario in of_this):
            what = f"{needed_name} is hidden from students who see this scenario"
            reader.refuse(loc, what, "make both visible, or need its function")
    if all(other.informational for other in others):
        reader.refuse(loc, f"{name} is informational, so it cannot affect marks")
    return needed_name


def _needed_scenarios(
    reader: ScenarioReader, loc: Loc, name: str, named: _Needable
) -> tuple[str, list[Scenario]]:
    """Return the id or group that a name in `needs:` means, with its scenarios.

    Note an error and raise Refused if there are none, or if the name means the scenario itself.
    """
    needed_name = name
    if name not in named.ids:
        stem, _, _ = reader.group.partition("/")
        needed_name = f"{stem}/{slug(name)}"
    if needed_name not in named.ids:
        what = f"{name!r} is neither a function nor a scenario"
        reader.refuse(loc, what, nearest(name, (*named.functions, *named.ids)))
    if needed_name == reader.group:
        reader.refuse(loc, "a scenario cannot need itself")
    return needed_name, named.ids[needed_name]
