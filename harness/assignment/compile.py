"""A spec folder compiled into a Specification, every mistake of every file at once."""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from graphlib import CycleError
from pathlib import Path

from harness.assignment import loading
from harness.assignment.document import Document, Problems
from harness.assignment.files import small_files
from harness.assignment.files.assignment import comparisons, manual_slots, read_heading
from harness.assignment.files.fuzzing import fuzz_settings
from harness.assignment.files.policy import read_policy
from harness.assignment.loading import SpecErrors, digest, display_path
from harness.assignment.scenarios.cases import Compiled
from harness.assignment.scenarios.context import Context, slug
from harness.assignment.scenarios.draws import DRAWS, DrawRequest, draw, freeze, load_module
from harness.assignment.scenarios.file import ScenarioFile, counted_points, rescale
from harness.assignment.vocabulary import ProvidedError, Vocabulary, class_names
from harness.common.files import write
from harness.matchers.reading import Refused, nearest
from harness.model.assignment import Assignment, OtherFiles, SourceFile
from harness.model.plan import PLAN_VERSION, Mutant, Plan, Scenario, Specification, in_turn, needed
from harness.model.policy import Policy
from harness.model.stimulus import Stimulus
from harness.model.study import FuzzSettings

_Named = Mapping[str, Sequence[Scenario]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """A compiled assignment."""

    specification: Specification
    requests: dict[str, DrawRequest]  # the draws that it asks for, by their frozen file
    fuzzing: FuzzSettings  # what is drawn beyond them to find differences


def compile_assignment(
    root: Path, assignment_id: str, *, support: Path | None = None, recording: bool = False
) -> Compilation:
    """Read everything below specs/<id> and reference/<id>; SpecErrors, UserError."""
    root = root.resolve()
    folder = loading.spec_folder(root, assignment_id)
    return _Compiler(root=root, folder=folder, support=support, recording=recording).compile()


def record_draws(root: Path, assignment_id: str) -> tuple[Path, ...]:
    """Write the frozen draws of every sample and list of cases, remove those that no scenario asks
    for any more, and return the files' paths. The same request gives the same draws (of one
    Hypothesis version). SpecErrors; UserError where a strategy or generator fails."""
    compilation = compile_assignment(root, assignment_id, recording=True)
    folder = Path(compilation.specification.folder)
    module_of = functools.cache(functools.partial(load_module, folder))
    for name, request in compilation.requests.items():
        run = getattr(module_of(request.function.file), request.function.function)
        write(folder / name, freeze(request, draw(request, run)))
    written = tuple(folder / name for name in compilation.requests)
    for old in {*(folder / DRAWS).glob("*.json")}.difference(written):
        old.unlink()
    return written


@dataclass(slots=True, kw_only=True)
class _Compiler:
    """Reads one spec folder."""

    root: Path
    folder: Path
    support: Path | None
    recording: bool
    problems: Problems = field(default_factory=Problems)
    mutant_problems: Problems = field(default_factory=Problems)  # these stop no grading
    used: set[str] = field(default_factory=set)  # names of files that the plan depends on

    def compile(self) -> Compilation:
        document = self._open(loading.ASSIGNMENT)
        vocabulary = None if document is None else self._vocabulary(document)
        if vocabulary is None:  # without its constants a spec seems full of mistakes
            for path in loading.scenario_files(self.folder, ()) if document else ():
                self._open(path.name)
            raise SpecErrors(self.problems.lines())
        policy = self._open_named(vocabulary, "policy", "policy.yaml")
        plan_policy = None if policy is None else read_policy(policy, vocabulary)
        compiled = self._scenarios(vocabulary)
        assignment = self._assignment(vocabulary, compiled, plan_policy)
        mutants = self._mutants(vocabulary) if vocabulary.reference else ()
        fuzzing = fuzz_settings(vocabulary, compiled)
        self.problems.raise_any()
        plan = Plan(
            version=PLAN_VERSION,
            assignment=assignment,
            scenarios=tuple(compiled.scenarios),
            spec_digest=self._spec_digest(vocabulary, compiled),
            reference_digest=digest((file.name, file.data) for file in vocabulary.reference),
        )
        specification = Specification(
            plan=plan,
            reference=vocabulary.reference,
            mutants=mutants,
            transcripts=tuple(compiled.transcripts),
            folder=str(self.folder),
            mutant_mistakes=self.mutant_problems.lines(),
        )
        return Compilation(specification=specification, requests=compiled.requests, fuzzing=fuzzing)

    def _vocabulary(self, document: Document) -> Vocabulary | None:
        """What assignment.yaml says; None, with mistakes noted, where constants are not known."""
        heading = read_heading(document, self.root, self.folder, self.support)
        if heading is None or len(heading.provided) < len(heading.shape.provided):
            return None
        clauses = self._open_named(heading, "clauses", "clauses.yaml")
        listed = None if clauses is None else small_files.read_clauses(clauses)
        try:
            heading.variants.constants()
        except ProvidedError as error:
            document.add(("provided", heading.shape.provided.index(error.file)), str(error))
            return None
        return replace(heading, clauses=listed)

    def _assignment(
        self, vocabulary: Vocabulary, compiled: Compiled, policy: Policy | None
    ) -> Assignment:
        shape, submission = vocabulary.shape, vocabulary.shape.submission
        extra = self._extra(compiled.provide)
        classes = class_names((*vocabulary.reference, *vocabulary.provided, *extra))
        stimuli = [stimulus for each in compiled.scenarios for stimulus in each.stimuli]
        exempt = self._open_other(loading.EXEMPT, self.problems)
        ids = [scenario.id for scenario in compiled.scenarios]
        return Assignment(
            id=self.folder.name,
            title=shape.title,
            course=shape.course,
            python=shape.python,
            submission_files=submission.file_names,
            laid_as=submission.laid_as or None,
            functionality_marks=shape.functionality_marks,
            limits=vocabulary.limits,
            total_seconds=shape.limits.total_seconds,
            policy=policy,
            clauses=vocabulary.clauses or (),
            functions=vocabulary.functions,
            variants=vocabulary.variants.all(stimulus.constants for stimulus in stimuli),
            extra_files=extra,
            archive=submission.archive if "archive" in submission.model_fields_set else None,
            otherwise=OtherFiles(submission.otherwise),
            time_zone=shape.time_zone,
            packages=tuple(shape.packages),
            isolate_all=shape.isolation == "all",
            compare=comparisons(vocabulary, classes),
            floats_within=vocabulary.floats_within,
            writes_files=any(stimulus.folder for stimulus in stimuli),
            tells_time=any(stimulus.clock for stimulus in stimuli),
            other_names=_in_use(vocabulary.other_names, vocabulary.variants.constants(), stimuli),
            manual=manual_slots(vocabulary),
            late=None if shape.late is None else shape.late.policy(),
            exemptions=() if exempt is None else small_files.read_exemptions(exempt, ids),
            stand_in_files=tuple(compiled.stand_ins[name] for name in sorted(compiled.stand_ins)),
        )

    def _open(self, name: str) -> Document | None:
        """A file that the plan depends on."""
        self.used.add(name)
        return Document.open(self.folder / name, self._display_path(name), self.problems)

    def _open_other(self, name: str, problems: Problems) -> Document | None:
        """Read a file that the plan does not depend on, if it exists."""
        path = self.folder / name
        return Document.open(path, self._display_path(name), problems) if path.is_file() else None

    def _display_path(self, name: str) -> str:
        return display_path(self.root, self.folder / name)

    def _open_named(self, vocabulary: Vocabulary, key: str, default: str) -> Document | None:
        document, name = vocabulary.document, getattr(vocabulary.shape, key)
        if name and self._is_there(name):
            return self._open(name)
        if name:
            document.add((key,), self._not_there(name))
        elif (self.folder / default).is_file():
            what = f"{default} lies here but no key {key} names it"
            document.add((), what, f"write {key}: {default}")
        return None

    def _is_there(self, name: str) -> bool:
        return "/" not in name and (self.folder / name).is_file()

    def _not_there(self, name: str) -> str:
        return f"there is no file {name} in {display_path(self.root, self.folder)}"

    def _mutants(self, vocabulary: Vocabulary) -> tuple[Mutant, ...]:
        """Read the mutants. They concern only the reference and are not part of the plan."""
        document, name = vocabulary.document, vocabulary.shape.mutants
        if name and not self._is_there(name):
            place, label = document.place(("mutants",)), document.label(("mutants",))
            self.mutant_problems.add(place, label, self._not_there(name))
            return ()
        mutants = self._open_other(name or loading.MUTANTS, self.mutant_problems)
        return () if mutants is None else small_files.read_mutants(mutants, vocabulary)

    def _scenarios(self, vocabulary: Vocabulary) -> Compiled:
        compiled = Compiled(recording=self.recording)
        for path in sorted(self.folder.glob("*.yml")):
            what = "this file is not read"
            self.problems.add_to_file(self._display_path(path.name), what, "name it .yaml")
        shape = vocabulary.shape
        named = [shape.policy or "policy.yaml", shape.clauses or "clauses.yaml"]
        named.append(shape.mutants or loading.MUTANTS)
        documents = [self._open(path.name) for path in loading.scenario_files(self.folder, named)]
        files = [ScenarioFile(each, vocabulary, compiled) for each in documents if each]
        for file in files:
            file.read()
        scenarios = share_marks(files, shape.functionality_marks)
        compiled.scenarios += with_needs(scenarios, compiled.needs)
        return compiled

    def _extra(self, names: Iterable[str]) -> tuple[SourceFile, ...]:
        files: dict[str, SourceFile] = {}
        for name in sorted(names):
            short = name.rsplit("/", 1)[-1]
            if short in files:
                what = f"two provided files are named {short}"
                self.problems.add_to_file(self._display_path(name), what)
            files[short] = SourceFile(name=short, data=(self.folder / name).read_bytes())
        return tuple(files.values())

    def _spec_digest(self, vocabulary: Vocabulary, compiled: Compiled) -> str:
        names = {*self.used, *vocabulary.used, *compiled.requests}
        names |= {entry.path for entry in compiled.transcripts}
        paths = [(name, self.folder / name) for name in sorted(names)]
        parts = [(name, path.read_bytes()) for name, path in paths if path.is_file()]
        parts += [(f"provided/{file.name}", file.data) for file in vocabulary.provided]
        parts += [(f"stand-in/{name}", file.data) for name, file in compiled.stand_ins.items()]
        return digest(parts)


def _in_use(
    names: frozenset[str], constants: Mapping[str, object], stimuli: Iterable[Stimulus]
) -> tuple[str, ...]:
    """Return the reference's names that a stimulus uses and nothing else defines."""
    used: set[str] = set()
    for stimulus in stimuli:
        bound = {binding.name for binding in stimulus.bindings}
        used |= set(re.findall(r"[^\W\d]\w*", " ".join(stimulus.source_texts()))) - bound
    return tuple(sorted((names & used) - constants.keys()))


def share_marks(files: Sequence[ScenarioFile], out_of: Fraction) -> list[Scenario]:
    """All scenarios, the files with `marks` worth just those of the assignment's `out_of`; the
    others share the rest by their points, or the last file with `marks` has the mistake."""
    stated = [file for file in files if file.marks]
    given = sum((file.marks for file in stated), Fraction())
    others = (counted_points(file.scenarios) for file in files if not file.marks)
    points, left = sum(others, Fraction()), out_of - given
    # More is given than there is, or of marks left and points to earn them only one exists.
    if stated and (left < 0 or bool(left) != bool(points)):
        what = f"the files' marks add up to {given}, and functionality_marks is {out_of}"
        if left > 0:
            hint = "no other file has scenarios that could earn the rest"
        elif left < 0:
            hint = "they may not be more"
        else:
            hint = "nothing is left for the files without marks"
        stated[-1].document.add(("marks",), what, hint)
    else:
        for file in stated:
            file.scenarios = rescale(file.scenarios, file.marks * (points / left if left else 1))
    return [scenario for file in files for scenario in file.scenarios]


def with_needs(scenarios: Sequence[Scenario], stated: Sequence[Context]) -> Sequence[Scenario]:
    """The scenarios with what they need; a mistake for every name that cannot be needed."""
    functions: dict[str, list[Scenario]] = {}
    ids: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        functions.setdefault(scenario.function, []).append(scenario)
        for name in {scenario.id, scenario.group}:
            ids.setdefault(name, []).append(scenario)
    needs: dict[str, dict[str, None]] = {}
    for context in stated:
        names = needs[context.group] = {}
        for index, name in enumerate(context.own.needs):
            with suppress(Refused):
                names[_needed_name(context, index, name, functions, ids)] = None
    resolved = tuple(replace(each, needs=tuple(needs.get(each.group, ()))) for each in scenarios)
    try:
        list(in_turn(resolved, needed(resolved)))
    except CycleError as error:
        circle: list[str] = error.args[1][::-1]  # each needs the next
        context = next(each for each in stated if each.group == ids[circle[0]][0].group)
        what = f"these scenarios need one another: {' needs '.join(circle)}"
        context.add((*context.at("needs"), 0), what)
    return resolved


def _needed_name(context: Context, index: int, name: str, functions: _Named, ids: _Named) -> str:
    """The function, or the id or group of scenarios, that the name stands for; Refused."""
    loc, own = (*context.at("needs"), index), ids.get(context.group, ())
    if name in functions:
        needed_name, others = name, functions[name]
        if any(one.function == name for one in own):
            what = f"this is a scenario of {name} itself"
            context.refuse(loc, what, "name the scenarios that come first")
    else:
        needed_name = name if name in ids else f"{context.group.partition('/')[0]}/{slug(name)}"
        others = ids.get(needed_name, ())
        if not others:
            what = f"there is no function and no scenario {name!r}"
            context.refuse(loc, what, nearest(name, (*functions, *ids)))
        if needed_name == context.group:
            context.refuse(loc, "a scenario cannot need itself")
        last_open = max(other.visibility.rank for other in others)
        if any(last_open > one.visibility.rank for one in own):
            what = f"{needed_name} is hidden from students who see this scenario"
            context.refuse(loc, what, "make both visible, or need its function")
    if all(other.informational for other in others):
        context.refuse(loc, f"{name} is informational, which touches no marks")
    return needed_name
