"""Create the files of a new assignment: from the template, from an assignment that comes with the
harness, or from a reference (the course's solution).

The first scenarios of a reference are generated and tried. If the reference raises an exception,
the scenario expects it. Scenarios whose results cannot be compared are left out, with the reason.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from harness.assignment.loading import available
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.grading.context import GradingContext
from harness.grading.observing.answer_key import CheckName
from harness.grading.validation.report import ValidationReport
from harness.grading.validation.validate import validate
from harness.judging.not_taken import missing_module
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Phase
from harness.packaging.scaffold.first_scenarios import First, class_names, first_scenarios
from harness.packaging.scaffold.parts import clauses_file, mutants_file
from harness.packaging.scaffold.trying import prepared

_TEMPLATE = Path(__file__).parent / "template"
_SPEC_FILES = ("assignment", "clauses", "mutants", "is_valid", "main", "total")
_SAMPLES = {
    "another_style": "fails: []\nmark: [10, 10]\n",
    "accepts_zero": 'fails: ["is_valid/below-the-lowest"]\n'
    'explains: ["is_valid returned True instead of False"]\n',
}
_HEAD = "# Each expects the reference's output and results.\nscenarios:\n"
_OWN = "Put your own solution here: every submission is compared with it."
_MAX_REASONS = 3
_PACKAGE = Path(__file__).parents[2]
_PARTS = ("specs", "reference", "submissions")
_NOT_COPIED = {"__pycache__", ".ruff_cache"}
_MAX_ROUNDS = 5
# The cache holds answers, the reports hold students.
_KEPT_OUT = (".harness-cache/", "reports/")
_WHY = "# harness: answers of the reference, and students' marks"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A call or run that cannot become a scenario, and the reason."""

    first: First
    reason: str
    missing_module: str = ""  # the one that the reference imports in vain

    def __str__(self) -> str:
        return f"{self.first.action.partition(': ')[2]}: {' '.join(self.reason.split())}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The generated scenarios of a new assignment.

    `floats` is true if some results are computed floats.
    """

    firsts: tuple[First, ...]
    left_out: tuple[LeftOut, ...] = ()
    floats: bool = False
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The files of an assignment created from its reference."""

    files: dict[str, bytes]
    # The programs whose input or files a person must add.
    unfinished: tuple[str, ...]
    # The functions without a first scenario.
    left_out: tuple[str, ...]
    # Says why nothing has a first scenario.
    without: tuple[str, ...]


def from_template(assignment_id: str, file: str) -> dict[str, bytes]:
    """Return the files of a small example assignment, by path below the course's root.

    It has a reference, scenarios, mutants and sample submissions.
    """
    filled = partial(_filled, assignment_id=assignment_id, file=file)
    spec = f"specs/{assignment_id}"
    submissions = f"submissions/{assignment_id}"
    files = {f"reference/{assignment_id}/{file}": filled("reference.py.txt")}
    for name in _SPEC_FILES:
        files[f"{spec}/{name}.yaml"] = filled(f"{name}.yaml")
    for sample, expected in _SAMPLES.items():
        files[f"{submissions}/{sample}/{file}"] = filled(f"{sample}.py.txt")
        files[f"{submissions}/{sample}/expect.yaml"] = expected.encode()
    return files


def of_several(assignment_id: str, names: Sequence[str]) -> dict[str, bytes]:
    """Return the files of an assignment that has several programs, each with one line of code."""
    reference = {}
    for name in names:
        reference[name] = f'"""{_OWN}"""\n\nprint("Hello from {name}")\n'.encode()
    return _whole(assignment_id, reference, _draft(reference))


def from_reference(
    assignment_id: str, reference: Mapping[str, bytes], packages: Sequence[str], cache: Path
) -> Begun:
    """Generate an assignment from the course's solution.

    Each class, each program and each function that needs no input or files gets a clause, a
    scenario and a mutant. The reference is added as a sample. Scenarios with a problem in `harness
    validate` are left out.

    `reference` has its Python files by name. It is run with these packages, which are installed
    below the folder `cache`. If no scenario can be generated, return all other files. Raise
    UserError if a file is not Python or imports a missing module.
    """
    draft = replace(_draft(reference), packages=tuple(packages))
    asking = [first for first in draft.firsts if first.asks]
    complete = [first for first in draft.firsts if not first.asks]
    sound = replace(draft, firsts=tuple(complete))
    if complete:
        sound = _tried(assignment_id, reference, sound, cache)
    by_name = {first.name: first for first in (*sound.firsts, *asking)}
    firsts = []
    for first in draft.firsts:
        if first.name in by_name:
            firsts.append(by_name[first.name])
    sound = replace(sound, firsts=tuple(firsts))
    without: tuple[str, ...] = ()
    if not firsts:
        without = _why_nothing(assignment_id, sound.left_out)
    return Begun(
        files=_begun(assignment_id, reference, sound),
        unfinished=tuple(first.name for first in asking),
        left_out=tuple(entry.first.name for entry in sound.left_out),
        without=without,
    )


def _why_nothing(assignment_id: str, left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Return the reasons why no scenario could be generated.

    Raise UserError if the reference imports a missing module.
    """
    for entry in left_out:
        module = entry.missing_module
        if module:
            problem = (
                f"the reference imports {module}, which is neither a module of Python nor a file "
                "beside it"
            )
            hint = f"if it is a package, harness new {assignment_id} --package {module}==VERSION"
            raise UserError(problem, hint=hint)
    if not left_out:
        return ("the reference has no function or program that runs without input or files",)
    return tuple(str(entry).removesuffix(".") for entry in left_out[:_MAX_REASONS])


def _draft(reference: Mapping[str, bytes]) -> Draft:
    """Return the generated scenarios. If two have the same id, keep only the first."""
    firsts: dict[str, First] = {}
    left_out: list[LeftOut] = []
    for file, data in reference.items():
        for first in first_scenarios(file, data):
            key = re.sub(r"[\W_]+", "", first.name.lower())
            if firsts.setdefault(key, first) is not first:
                reason = f"{firsts[key].name} of {firsts[key].file} already has this name"
                left_out.append(LeftOut(first=first, reason=reason))
    return Draft(firsts=tuple(firsts.values()), left_out=tuple(left_out))


def _whole(assignment_id: str, reference: Mapping[str, bytes], draft: Draft) -> dict[str, bytes]:
    """Return all files of the new assignment, including the reference, by path."""
    files = _begun(assignment_id, reference, draft)
    for name, data in reference.items():
        files[f"reference/{assignment_id}/{name}"] = data
    return files


def _begun(assignment_id: str, reference: Mapping[str, bytes], draft: Draft) -> dict[str, bytes]:
    spec = f"specs/{assignment_id}"
    sample = f"submissions/{assignment_id}/reference"
    firsts = draft.firsts
    clauses = [first.name for first in firsts] or list(reference)
    files = {
        f"{spec}/assignment.yaml": _assignment_file(assignment_id, reference, draft),
        f"{spec}/clauses.yaml": clauses_file(clauses),
        f"{spec}/mutants.yaml": mutants_file(firsts),
        f"{sample}/expect.yaml": b"fails: []\nmark: [10, 10]\n",
    }
    if firsts:
        first_file = _HEAD + "".join(map(_scenario, firsts))
        for entry in draft.left_out:
            first_file += f"# Left out: {entry}\n"
        files[f"{spec}/first.yaml"] = first_file.encode()
    for name, data in reference.items():
        files[f"{sample}/{name}"] = data
    return files


def _assignment_file(assignment_id: str, reference: Mapping[str, bytes], draft: Draft) -> bytes:
    text = _filled("assignment.yaml", assignment_id, ", ".join(reference))
    classes: list[str] = []
    for data in reference.values():
        classes += class_names(data)
    if classes:
        compared = ", ".join(f"{name}: attributes" for name in classes)
        text += f"compare: {{{compared}}}\n".encode()
    if draft.packages:
        text += f"packages: [{', '.join(draft.packages)}]\n".encode()
    if draft.floats:
        text += b"floats: {within: 0.000001}\n"
    return text


def _scenario(first: First) -> str:
    key, _, text = first.action.partition(": ")
    # YAML would read this as a mapping.
    if ": " in text:
        text = f"'{text}'"
    scenario = (
        f"  - name: {first.name} for the first time\n    function: {first.name}\n"
        f'    clause: "{first.name}"\n    visible: true\n    {key}: {text}\n'
    )
    if first.raises:
        scenario += f"    raises: {first.raises}\n"
    if first.seeded:
        scenario += "    seed: 1\n"
    if first.asks:
        scenario += "    input: []  # the typed lines; files: the files that it reads\n"
    return scenario


def _filled(name: str, assignment_id: str, file: str) -> bytes:
    text = string.Template((_TEMPLATE / name).read_text(encoding="utf-8"))
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    title = assignment_id.replace("-", " ").title()
    return text.substitute(title=title, file=file, python=python).encode()


def shipped() -> tuple[str, ...]:
    """Return the ids of the assignments that come with the harness; empty if they are not
    installed.
    """
    return available(_root())


def copied(source: str, assignment_id: str) -> dict[str, bytes]:
    """Copy a shipped assignment and rename it to `assignment_id`. Return its files by path below
    the course's root.

    Raise UserError if no assignment `source` comes with the harness.
    """
    if source not in shipped():
        problem = f"no assignment {source!r} comes with the harness"
        raise UserError(problem, hint=f"available: {', '.join(shipped()) or 'none'}")
    files: dict[str, bytes] = {}
    for part in _PARTS:
        folder = _root() / part / source
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and not _NOT_COPIED & set(inside.parts):
                files[f"{part}/{assignment_id}/{inside.as_posix()}"] = path.read_bytes()
    return files


def _root() -> Path:
    """Return the folder of the shipped assignments: in the installed package, or in the source
    tree.
    """
    packed = _PACKAGE / "shipped"
    if packed.is_dir():
        return packed
    return _PACKAGE.parent


def _tried(assignment_id: str, reference: Mapping[str, bytes], draft: Draft, cache: Path) -> Draft:
    """Return only the scenarios with which `harness validate` finds no problem.

    Raise the same errors as `prepare`.
    """

    def answered(draft: Draft) -> GradingContext:
        files = _whole(assignment_id, reference, draft)
        return prepared(files, assignment_id, cache if draft.packages else None)

    draft = _with_arguments(draft, answered)
    before = None
    for _ in range(_MAX_ROUNDS):
        if not draft.firsts or draft == before:
            break
        context = answered(draft)
        ids = [scenario.id for scenario in context.specification.plan.scenarios]
        before = draft
        report = validate(context, (), jobs=1)
        draft = _without_problems(draft, report, context.key, ids)
    return draft


def _with_arguments(draft: Draft, answered: Callable[[Draft], GradingContext]) -> Draft:
    """Change the arguments of calls on which the reference raises an exception.

    If no other arguments are better, keep the call.
    """
    chosen: dict[str, First] = {}
    waiting = draft.firsts
    attempt = 0
    while waiting:
        attempts = tuple(first.attempt(attempt) for first in waiting)
        raised = _raised(answered(replace(draft, firsts=attempts)).key)
        for first, name in zip(attempts, raised, strict=True):
            # The exception of the first attempt is stated if no other arguments are better.
            if not name or attempt == 0:
                chosen[first.name] = replace(first, raises=name)
        attempt += 1
        still_waiting = []
        for first, name in zip(waiting, raised, strict=True):
            if name and attempt <= len(first.others):
                still_waiting.append(first)
        waiting = tuple(still_waiting)
    return replace(draft, firsts=tuple(chosen.values()))


def _raised(key: AnswerKey) -> list[str]:
    """Return the name of the exception with which each scenario ends; empty if it ends
    otherwise.
    """
    names = []
    for entry in key.scenarios:
        observation = entry.answers[0].observation
        name = ""
        has_answered = observation.ending is Ending.ANSWERED
        if observation.raised and has_answered and observation.phase is Phase.STIMULUS:
            name = observation.raised.type_name
        names.append(name)
    return names


def _without_problems(
    draft: Draft, report: ValidationReport, key: AnswerKey, ids: Sequence[str]
) -> Draft:
    """Remove the scenarios in which `harness validate` found a problem.

    If the result of a scenario differs from run to run, first try the scenario with a random seed.
    """
    firsts: list[First] = []
    left_out = list(draft.left_out)
    for first, scenario_id in zip(draft.firsts, ids, strict=True):
        found = dict(_problems(first, scenario_id, report))
        if found.keys() == {CheckName.REPEAT} and not first.seeded:
            firsts.append(replace(first, seeded=True))
        elif not found:
            firsts.append(first)
        else:
            module = _missing_module(key, scenario_id)
            reason = next(iter(found.values()))
            left_out.append(LeftOut(first=first, reason=reason, missing_module=module))
    has_floats = any(problem.check is CheckName.FLOATS for problem in report.problems)
    floats = draft.floats or has_floats
    return replace(draft, firsts=tuple(firsts), left_out=tuple(left_out), floats=floats)


def _missing_module(key: AnswerKey, scenario_id: str) -> str:
    """Return the name of the missing module that the reference imports in a scenario; empty if
    there is none.
    """
    for answer in key.answers(scenario_id):
        module = missing_module(answer.observation)
        if module:
            return module
    return ""


def _problems(
    first: First, scenario: str, report: ValidationReport
) -> Iterator[tuple[CheckName, str]]:
    """Yield each check of `harness validate` that found a problem in this scenario, with the
    reason.
    """
    for problem in report.problems:
        if problem.check is not CheckName.FLOATS and problem.scenario == scenario:
            yield problem.check, problem.reason
    for mutant in report.mutants:
        if mutant.clause == first.name and not mutant.killed_by:
            yield CheckName.MUTANTS, "it behaves like a function that is not written yet"


def keep_out(base: Path) -> bool:
    """Add the harness's folders to the `.gitignore` of a course, if the course is in a repository.

    Existing lines stay. Return whether lines were missing. Raise OSError if the file cannot be
    written.
    """
    folder = base.resolve()
    if not any((parent / ".git").exists() for parent in (folder, *folder.parents)):
        return False
    path = base / ".gitignore"
    text = ""
    if path.exists():
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    present = {line.strip().strip("/*") for line in text.splitlines()}
    missing = [line for line in _KEPT_OUT if line.strip("/") not in present]
    if not missing:
        return False
    if text and not text.endswith("\n"):
        text += "\n"
    for line in (_WHY, *missing):
        text += f"{line}\n"
    write_bytes(path, text.encode("utf-8", "surrogateescape"))
    return True
