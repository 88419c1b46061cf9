"""A spec folder compiled into a Specification, every mistake of every file at once."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from harness.assignment.document import Document, Problems
from harness.assignment.files.assignment import Heading, comparisons, manual_slots, read_heading
from harness.assignment.files.fuzzing import fuzz_settings
from harness.assignment.files.policy import read_policy
from harness.assignment.files.small_files import read_clauses, read_exemptions, read_mutants
from harness.assignment.loading import (
    ASSIGNMENT,
    EXEMPT,
    MUTANTS,
    REFERENCE,
    scenario_files,
    shown,
    spec_folder,
)
from harness.assignment.scenarios.cases import Compiled
from harness.assignment.scenarios.draws import DrawRequest, draw, freeze, load_module
from harness.assignment.scenarios.file import ScenarioFile, WeightedFile, weighted, with_needs
from harness.assignment.vocabulary import (
    ProvidedError,
    Variants,
    Vocabulary,
    defined_in,
    public_functions,
)
from harness.common.files import write
from harness.model.plan import (
    PLAN_VERSION,
    Assignment,
    Clause,
    Exemption,
    OtherFiles,
    Plan,
    SourceFile,
)
from harness.model.policy import Policy
from harness.model.specification import Mutant, Specification
from harness.model.study import FuzzSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """A compiled assignment, the draws that it asks for by their frozen file, and what is drawn
    beyond them to find differences."""

    specification: Specification
    requests: dict[str, DrawRequest]
    fuzzing: FuzzSettings


def compile_assignment(
    root: Path, assignment_id: str, *, support: Path | None, recording: bool
) -> Compilation:
    """Read everything below specs/<id> and reference/<id>; SpecErrors, UserError."""
    problems = Problems()
    folder = spec_folder(root, assignment_id)
    compiler = _Compiler(root, folder, problems, support=support, recording=recording)
    found = compiler.compile(assignment_id)
    problems.raise_any()
    assert found is not None
    return found


def load_for_fuzzing(root: Path, assignment_id: str) -> tuple[Specification, FuzzSettings]:
    """An assignment and what is drawn beyond its scenarios; SpecErrors, UserError as `load`."""
    compilation = compile_assignment(root.resolve(), assignment_id, support=None, recording=False)
    return compilation.specification, compilation.fuzzing


def record_draws(root: Path, assignment_id: str) -> tuple[Path, ...]:
    """Write the frozen draws of every sample and list of cases, and return the files' paths.

    The same request gives the same draws (of one Hypothesis version). Draws that no scenario asks
    for any more are removed. Raises SpecErrors, or UserError when a strategy or generator fails.
    """
    root = root.resolve()
    compilation = compile_assignment(root, assignment_id, support=None, recording=True)
    folder = Path(compilation.specification.folder)
    written: list[Path] = []
    modules: dict[str, ModuleType] = {}
    for name, request in compilation.requests.items():
        file = request.function.file
        module = modules[file] = modules.get(file) or load_module(folder, file)
        path = folder / name
        text = freeze(request, draw(request, getattr(module, request.function.function)))
        write(path, text)
        written.append(path)
    for old in (folder / "draws").glob("*.json"):
        if old not in written:
            old.unlink()
    return tuple(written)


class _Compiler:
    """Reads one spec folder; `files` gathers the bytes that the plan depends on."""

    def __init__(
        self, root: Path, folder: Path, problems: Problems, *, support: Path | None, recording: bool
    ) -> None:
        self.root = root
        self.folder = folder
        self.problems = problems
        self.mutant_problems = Problems()  # these stop no grading
        self.support = support
        self.recording = recording
        self.used: set[str] = set()

    def compile(self, assignment_id: str) -> Compilation | None:
        document = self._open(self.folder / ASSIGNMENT)
        if document is None:
            return None
        heading = read_heading(document, self.root, assignment_id, self.support)
        # Without its constants a spec seems full of mistakes.
        if heading is None or len(heading.provided) < len(heading.shape.provided):
            self._only_shapes()
            return None
        clauses = self._clauses(heading)
        variants = Variants(heading.provided, heading.shape.submission.file_names)
        try:
            constants = variants.constants()
        except ProvidedError as error:
            index = heading.shape.provided.index(error.file)
            document.add(("provided", index), str(error))
            self._only_shapes()
            return None
        policy = self._policy(heading, clauses, constants)
        vocabulary = self._vocabulary(heading, clauses, variants)
        compiled = self._scenarios(heading, vocabulary)
        assignment = self._assignment(assignment_id, heading, vocabulary, compiled)
        mutants = self._mutants(heading, clauses) if vocabulary.has_reference else ()
        fuzzing = fuzz_settings(document, heading.shape.fuzz, vocabulary, compiled)
        if len(self.problems):
            return None
        plan = Plan(
            version=PLAN_VERSION,
            assignment=replace(assignment, policy=policy),
            scenarios=tuple(compiled.scenarios),
            spec_digest=self._spec_digest(heading, compiled),
            reference_digest=digest((file.name, file.data) for file in heading.reference),
        )
        specification = Specification(
            plan=plan,
            reference=heading.reference,
            mutants=mutants,
            transcripts=tuple(compiled.transcripts),
            folder=str(self.folder),
            mutant_mistakes=self.mutant_problems.lines(),
        )
        return Compilation(specification=specification, requests=compiled.requests, fuzzing=fuzzing)

    def _vocabulary(
        self, heading: Heading, clauses: tuple[Clause, ...] | None, variants: Variants
    ) -> Vocabulary:
        return Vocabulary(
            folder=self.folder,
            shown_folder=shown(self.root, self.folder),
            reference_folder=self.root / REFERENCE / self.folder.name,
            reference=heading.reference,
            submission_files=heading.shape.submission.file_names,
            provided=tuple(file.name for file in heading.provided),
            has_reference=bool(heading.reference),
            functions=public_functions(heading.reference),
            clauses=clauses,
            limits=heading.limits,
            variants=variants,
            patterns=heading.shape.patterns,
            floats_within=heading.floats_within,
        )

    def _assignment(
        self, assignment_id: str, heading: Heading, vocabulary: Vocabulary, compiled: Compiled
    ) -> Assignment:
        """The assignment, but for its policy."""
        shape, submission = heading.shape, heading.shape.submission
        classes = [each.name for each in vocabulary.functions if each.is_class]
        known = [*classes, *defined_in(heading.provided, (ast.ClassDef,))]
        stimuli = [stimulus for each in compiled.scenarios for stimulus in each.stimuli]
        return Assignment(
            id=assignment_id,
            title=shape.title,
            course=shape.course,
            python=shape.python,
            submission_files=submission.file_names,
            laid_as=submission.laid_as or None,
            functionality_marks=shape.functionality_marks,
            limits=heading.limits,
            policy=None,
            clauses=vocabulary.clauses or (),
            functions=vocabulary.functions,
            variants=vocabulary.variants.all(stimulus.constants for stimulus in stimuli),
            extra_files=self._extra(compiled.provide),
            archive=submission.archive if "archive" in submission.model_fields_set else None,
            otherwise=OtherFiles(submission.otherwise),
            time_zone=shape.time_zone,
            isolate_all=shape.isolation == "all",
            compare=comparisons(heading, known if vocabulary.has_reference else None),
            floats_within=heading.floats_within,
            writes_files=any(stimulus.folder for stimulus in stimuli),
            manual=manual_slots(heading, vocabulary.clauses),
            exemptions=self._exemptions([scenario.id for scenario in compiled.scenarios]),
            stand_in_files=tuple(compiled.stand_ins[name] for name in sorted(compiled.stand_ins)),
        )

    def _open(self, path: Path) -> Document | None:
        """A file that the plan depends on."""
        self.used.add(path.name)
        return Document.open(path, shown(self.root, path), self.problems)

    def _only_shapes(self) -> None:
        for path in scenario_files(self.folder, ()):
            self._open(path)

    def _named(self, heading: Heading, key: str, default: str) -> Document | None:
        name = getattr(heading.shape, key)
        if not name:
            if (self.folder / default).is_file():
                hint = f"write {key}: {default}"
                what = f"{default} lies here but no key {key} names it"
                heading.document.add((), what, hint)
            return None
        if "/" in name or not (self.folder / name).is_file():
            what = f"there is no file {name} in {shown(self.root, self.folder)}"
            heading.document.add((key,), what)
            return None
        return self._open(self.folder / name)

    def _clauses(self, heading: Heading) -> tuple[Clause, ...] | None:
        document = self._named(heading, "clauses", "clauses.yaml")
        return None if document is None else read_clauses(document)

    def _policy(
        self, heading: Heading, clauses: tuple[Clause, ...] | None, constants: Iterable[str]
    ) -> Policy | None:
        document = self._named(heading, "policy", "policy.yaml")
        if document is None:
            return None
        submission = heading.shape.submission
        submitted = (submission.laid_as,) if submission.laid_as else submission.file_names
        return read_policy(document, clauses, submitted, heading.provided, constants)

    def _mutants(self, heading: Heading, clauses: tuple[Clause, ...] | None) -> tuple[Mutant, ...]:
        """The mutants: about the reference alone, and no part of the plan."""
        named = heading.shape.mutants
        path = self.folder / (named or MUTANTS)
        if named and ("/" in named or not path.is_file()):
            what = f"there is no file {named} in {shown(self.root, self.folder)}"
            place = heading.document.place(("mutants",))
            self.mutant_problems.add(place, heading.document.label(("mutants",)), what)
            return ()
        if not path.is_file():
            return ()
        document = Document.open(path, shown(self.root, path), self.mutant_problems)
        return () if document is None else read_mutants(document, heading.reference, clauses)

    def _exemptions(self, scenario_ids: Sequence[str]) -> tuple[Exemption, ...]:
        path = self.folder / EXEMPT
        if not path.is_file():
            return ()
        document = Document.open(path, shown(self.root, path), self.problems)
        return () if document is None else read_exemptions(document, scenario_ids)

    def _scenarios(self, heading: Heading, vocabulary: Vocabulary) -> Compiled:
        whole = Compiled(recording=self.recording)
        files: list[WeightedFile] = []
        for odd in sorted(self.folder.glob("*.yml")):
            file = shown(self.root, odd)
            self.problems.add_to_file(file, "this file is not read", "name it .yaml")
        named = (
            heading.shape.policy or "policy.yaml",
            heading.shape.clauses or "clauses.yaml",
            heading.shape.mutants or MUTANTS,
        )
        for path in scenario_files(self.folder, named):
            document = self._open(path)
            if document is None:
                continue
            files.append(ScenarioFile(document, vocabulary, whole).read())
        marked = weighted(files, heading.shape.functionality_marks)
        whole.scenarios += with_needs(marked, whole.needs)
        return whole

    def _extra(self, names: Iterable[str]) -> tuple[SourceFile, ...]:
        found: dict[str, SourceFile] = {}
        for name in sorted(names):
            short = name.rsplit("/", 1)[-1]
            if short in found:
                file = shown(self.root, self.folder / name)
                self.problems.add_to_file(file, f"two provided files are named {short}")
            found[short] = SourceFile(name=short, data=(self.folder / name).read_bytes())
        return tuple(found.values())

    def _spec_digest(self, heading: Heading, compiled: Compiled) -> str:
        names = {*self.used, *compiled.requests, *compiled.provide, *compiled.data_files}
        names |= {entry.path for entry in compiled.transcripts}
        there = [name for name in sorted(names) if (self.folder / name).is_file()]
        parts = [(name, (self.folder / name).read_bytes()) for name in there]
        parts += [(f"provided/{file.name}", file.data) for file in heading.provided]
        parts += [(f"stand-in/{name}", file.data) for name, file in compiled.stand_ins.items()]
        return digest(parts)


def digest(parts: Iterable[tuple[str, bytes]]) -> str:
    """Hex SHA-256 over names and bytes, unambiguous about where each ends."""
    whole = hashlib.sha256()
    for name, data in parts:
        label = name.encode("utf-8")
        whole.update(b"%d %d\n" % (len(label), len(data)))
        whole.update(label)
        whole.update(data)
    return whole.hexdigest()
