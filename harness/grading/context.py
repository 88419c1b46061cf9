"""Prepares grading: finds the interpreter, the confinement tier and the answer key, and collects
facts about the run.
"""

import ast
import builtins
import contextlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path

import harness
from harness.common import serial
from harness.common.errors import UserError
from harness.common.escaping import plain
from harness.common.files import source_digest, write
from harness.common.words import listed
from harness.execution import (
    Interpreter,
    TierTrial,
    has_terminals,
    install,
    machine_slowness,
    pick_cpu,
)
from harness.grading.engines import WorkerSetup
from harness.grading.machine import choose_tier, create_driver, find_interpreter
from harness.grading.observing.answer_key import key_disagreements, made_with, make_key
from harness.grading.observing.setup import GraderSetup
from harness.judging.shown_text import hide_folder_of
from harness.model.assignment import FunctionSignature, SentNames, SourceFile, TestWriting
from harness.model.expectation import KEY_VERSION, AnswerKey
from harness.model.observation import Phase, Tier
from harness.model.plan import Plan, Scenario, Specification, Visibility
from harness.model.policy import FileImports
from harness.model.result import RunFacts
from harness.model.stimulus import statements
from harness.stimuli.suite import SuiteQuestion, SuiteRun
from harness.stimuli.test import CourseTest

_MAX_PROBLEMS = 20  # in one message
_WORD = re.compile(r"\w+")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def recalled_tier(interpreter: Interpreter, cache: Path) -> TierTrial:
    """Return the best tier of this machine, from the last trial if nothing has changed since.

    Trying every forbidden act takes most of a second. The trial is kept in the folder `cache`; one
    that another user could have written is ignored. Raise the errors of `choose_tier`.
    """
    if not has_terminals():
        return choose_tier(interpreter)  # there is nothing to try
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:  # nothing names this start of this kernel
        return choose_tier(interpreter)
    name = sha256("\0".join([boot, *_circumstances(interpreter)]).encode()).hexdigest()
    path = cache / "tiers" / f"{name}.json"
    known = _read(path)
    if known is None:
        known = choose_tier(interpreter)
        # A trial that cannot be stored is repeated the next time.
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for old in path.parent.glob("*.json"):
                old.unlink(missing_ok=True)  # of an earlier start, interpreter or harness
            write(path, serial.dumps(known), private=True)
    return known


def _circumstances(interpreter: Interpreter) -> Iterator[str]:
    """Return everything that may change the outcome of a trial while the machine is not
    restarted.
    """
    yield from os.uname()
    yield f"{os.geteuid()} {os.getegid()}"
    yield f"{interpreter.path} {interpreter.build} {_stamp(interpreter.path)}"
    yield source_digest("execution")
    yield os.environ.get("PATH", "")  # where bubblewrap is looked for
    for program in (Path(folder) / "bwrap" for folder in os.get_exec_path()):
        yield _stamp(program)
    # Capabilities, filters and namespaces of this process: a container has fewer of them.
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        wanted = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp:")
        yield from (line for line in status if line.startswith(wanted))
        yield from sorted(str(entry.readlink()) for entry in Path("/proc/self/ns").iterdir())


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_ino} {found.st_size} {found.st_mtime_ns}"


def _read(path: Path) -> TierTrial | None:
    """Return a trial that this user kept; None if another user could have written it."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            for found in (path.parent.stat(), os.fstat(file.fileno())):
                if found.st_uid != os.geteuid() or found.st_mode & _OTHERS_WRITE:
                    return None
            trial = serial.loads(TierTrial, file.read())
    except (OSError, serial.SerialError):
        return None
    return None if trial.shortcoming else trial


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingContext:
    """Everything needed to grade a submission of one assignment. `secret` is the course's."""

    specification: Specification
    interpreter: Interpreter
    tier: TierTrial
    key: AnswerKey
    secret: bytes
    slowness: float = 1.0  # of this machine, see `machine_slowness`

    def grader_setup(self) -> GraderSetup:
        """Return the setup by which submissions are graded, without the reference."""
        return GraderSetup(
            plan=self.specification.plan,
            key=self.key,
            secret=self.secret,
            slowness=self.slowness,
        )

    def worker_setup(self, grader: GraderSetup) -> WorkerSetup:
        """Return the setup of a worker that never reuses stored observations and returns only
        results."""
        return WorkerSetup(grader=grader, interpreter=self.interpreter, tier=self.tier.tier)


def prepare(
    specification: Specification,
    *,
    python: Path | None = None,
    require: Tier | None = None,
    cache: Path | None = None,
    refuse: bool = True,
    recall_tier: bool = False,
) -> GradingContext:
    """Find the interpreter, probe the tier, and make (or recall) the answer key.

    With `recall_tier`, the last trial of the tier is used if nothing has changed since; for marks
    the tier is tried anew. Installing packages is reported on stderr. Raise UserError if no
    interpreter serves, the required tier is not available, or the reference does not meet the
    scenarios. With `refuse=False` the caller reports such disagreements.
    """
    specification = with_called_functions(specification)
    interpreter = find_interpreter(specification.plan.assignment.python, python)
    hide_folder_of(str(interpreter.path))
    if packages := specification.plan.assignment.packages:
        if cache is None:
            raise UserError("packages need a folder to be installed in", hint="grade with a cache")
        library = install(packages, interpreter, cache, partial(print, file=sys.stderr))
        interpreter = library.added_to(interpreter, packages)
        plan = with_modules_allowed(specification.plan, library.modules)
        specification = replace(specification, plan=plan)
    if recall_tier and cache is not None and require is None:
        tier = recalled_tier(interpreter, cache)
    else:
        tier = choose_tier(interpreter, require)
    slowness = machine_slowness()
    key = _recalled_key(specification, interpreter, tier.tier, cache, slowness)
    if packages:
        _refuse_unloadable(key, packages, library.modules)
    if refuse:
        _refuse_disagreements(specification.plan, key)
    return GradingContext(
        specification=specification,
        interpreter=interpreter,
        tier=tier,
        key=key,
        secret=_recalled_secret(cache),
        slowness=slowness,
    )


def _refuse_disagreements(plan: Plan, key: AnswerKey) -> None:
    """Raise UserError if the reference does not meet the scenarios."""
    problems = key_disagreements(plan, key)
    if not problems:
        return
    lines = [str(problem) for problem in problems[:_MAX_PROBLEMS]]
    if len(problems) > _MAX_PROBLEMS:
        lines.append(f"… and {len(problems) - _MAX_PROBLEMS} more")
    listing = "\n".join(lines)
    what = f"the reference does not meet the scenarios:\n{listing}"
    raise UserError(what, hint="fix the scenario or the reference, then run harness validate")


def _refuse_unloadable(key: AnswerKey, packages: Sequence[str], modules: Sequence[str]) -> None:
    """Raise UserError if the reference imports something missing.

    Packages and the modules that they provide often have different names.
    """
    for entry in key.scenarios:
        for answer in entry.answers:
            raised = answer.observation.raised
            if raised is None or answer.observation.phase is not Phase.LOADING:
                continue
            if raised.type_name == "ModuleNotFoundError":
                what = f"the reference cannot be loaded: {plain(raised.message)}"
                public = [name for name in modules if not name.startswith("_")]
                names = listed(public) or "nothing"
                hint = f"what {listed(packages)} provides is imported as {names}"
                raise UserError(what, hint=hint)


def with_modules_allowed(plan: Plan, modules: Sequence[str]) -> Plan:
    """Return the plan with a policy that lets every file import these modules as well."""
    policy = plan.assignment.policy
    if policy is None:
        return plan
    imports = policy.imports
    if imports is not None:
        imports = imports.allowing(modules)
    file_imports: list[FileImports] = []
    for rule in policy.file_imports:
        file_imports.append(replace(rule, imports=rule.imports.allowing(modules)))
    policy = replace(policy, imports=imports, file_imports=tuple(file_imports))
    return replace(plan, assignment=replace(plan.assignment, policy=policy))


def _recalled_secret(cache: Path | None) -> bytes:
    """Return the secret that decides the order of scenarios in a shared process, and which of them
    also run in their own.

    All runs of a course share it, so that a new folder or file does not change the order. Only its
    owner may read it. If it cannot be stored, only these choices change.
    """
    made = os.urandom(32)
    if cache is None:
        return made
    path = cache / "audit-key"
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            whole = path.with_suffix(f".{os.getpid()}")
            write(whole, made.hex(), private=True)
            try:
                os.link(whole, path)  # complete from the first moment
            finally:
                whole.unlink()
        return bytes.fromhex(path.read_text("ascii"))
    return made


def _recalled_key(
    specification: Specification,
    interpreter: Interpreter,
    tier: Tier,
    cache: Path | None,
    slowness: float,
) -> AnswerKey:
    plan = specification.plan
    timeless = replace(plan, assignment=replace(plan.assignment, total_seconds=None))
    parts = [
        str(KEY_VERSION),
        plan.spec_digest,
        plan.reference_digest,
        made_with(interpreter, tier, plan),
        serial.dumps(timeless),
    ]
    name = sha256("\n".join(parts).encode()).hexdigest()
    path = None
    if cache is not None:
        path = cache / "keys" / f"{name}.json"
        with contextlib.suppress(OSError, serial.SerialError):
            return serial.loads(AnswerKey, path.read_bytes())
    with create_driver(interpreter, tier, cpu=pick_cpu()) as driver:
        key = make_key(specification, driver, slowness)
    # The machine may have been busy, so do not keep observations of a reference that failed.
    if path is not None and not key_disagreements(plan, key):
        with contextlib.suppress(OSError):  # a cache that cannot be written is not an error
            write(path, serial.dumps(key), private=True)
    return key


def now() -> str:
    """Return the current UTC time as ISO 8601, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def run_facts(context: GradingContext, more_notices: Iterable[str]) -> RunFacts:
    """Return the facts at the start of a run."""
    plan = context.specification.plan
    notices: list[str] = []
    if context.interpreter.notice:
        notices.append(context.interpreter.notice)
    if context.specification.left_out:
        tags = ", ".join(context.specification.left_out)
        notices.append(f"graded without the scenarios tagged {tags}")
    return RunFacts(
        assignment=plan.assignment.id,
        started=now(),
        finished="",
        complete=False,
        harness=harness.__version__,
        python=context.interpreter.version,
        python_wanted=plan.assignment.python,
        interpreter=str(context.interpreter.path),
        tier=context.tier.tier,
        probes=context.tier.probes,
        limits=plan.assignment.limits,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        input_mechanism=context.tier.input_mechanism,
        not_prevented=context.tier.not_prevented,
        slowness=context.slowness,
        notices=(*notices, *more_notices),
    )


def visible_only(specification: Specification) -> Specification:
    """Return the assignment and its key with only the parts that a student may see. Stand-ins are
    removed, because they are answers. Raise UserError if nothing is left.
    """
    visible = _only(specification, lambda scenario: scenario.visibility is Visibility.VISIBLE)
    if not visible.plan.scenarios:
        place = visible.plan.assignment.id
        raise UserError("no scenario is visible, so there is nothing to check", place=place)
    return replace(visible, plan=visible.plan.without_stand_ins())


def for_students(specification: Specification) -> Specification:
    """Return the visible part of the assignment for self-checks. It has only those of the course's
    tests whose files are handed out, and runs a student's own tests only on the student's own
    program. Raise UserError if nothing is left.
    """
    stated = with_handed_out_tests(visible_only(with_own_tests(specification)))
    hint = "state some visible scenarios in YAML, or name files of visible tests in hand_out"
    return _not_empty(stated, "no scenario is visible and no visible test is handed out", hint)


def for_browser(specification: Specification) -> Specification:
    """Return the visible part of the assignment for a browser, which has no second process in which
    tests could run. Raise UserError if nothing is left.
    """
    stated = without_tests(visible_only(with_own_tests(specification)))
    hint = "state some visible scenarios in YAML"
    if specification.plan.assignment.test_writing is not None:
        hint = "hand out the self-check (harness handout): it runs students' tests on their program"
    return _not_empty(stated, "only tests are visible, and a browser cannot run them", hint)


def _not_empty(specification: Specification, problem: str, hint: str) -> Specification:
    if not specification.plan.scenarios:
        place = specification.plan.assignment.id
        raise UserError(problem, place=place, hint=hint)
    return specification


def with_own_tests(specification: Specification) -> Specification:
    """Return the assignment with a question that every student may ask at home: whether their tests
    pass on their own program. Where grading does not ask it, it has no points, and the program's
    files are added to those that are handed in."""
    plan = specification.plan
    writing = plan.assignment.test_writing
    questions = [scenario for scenario in plan.scenarios if scenario.is_suite]
    if writing is None or not questions or any(map(_is_about_own_program, questions)):
        return specification
    asked = _about_own_program(questions[0])
    handed_in = plan.assignment.submission_files
    files = tuple(dict.fromkeys((*writing.program_files, *handed_in)))
    known = {file.name for file in specification.reference}
    program = writing.programs[0].files
    at_home = tuple(name for name in files if name not in handed_in)
    assignment = replace(
        plan.assignment, submission_files=files, laid_as=None, only_at_home=at_home
    )
    return replace(
        specification,
        plan=replace(plan, assignment=assignment, scenarios=(*plan.scenarios, asked)),
        reference=(*[file for file in program if file.name not in known], *specification.reference),
    )


def _about_own_program(like: Scenario) -> Scenario:
    """Return the question about the student's own program, made from another about the tests."""
    (stimulus,) = like.stimuli
    assert isinstance(stimulus.action, SuiteRun)
    action = replace(stimulus.action, question=SuiteQuestion.ACCEPTS_OWN, against="")
    scenario_id = f"tests/{action.question.value}"
    return replace(
        like,
        id=scenario_id,
        group=scenario_id,
        name="your tests pass on your own program",
        stimuli=(replace(stimulus, action=action),),
        clauses=(),
        hint="",
        shows_hint=False,
        visibility=Visibility.VISIBLE,
        points=Fraction(),
        informational=False,
    )


def _is_about_own_program(scenario: Scenario) -> bool:
    action = scenario.stimuli[0].action
    return isinstance(action, SuiteRun) and action.question is SuiteQuestion.ACCEPTS_OWN


def with_handed_out_tests(specification: Specification) -> Specification:
    """Return the assignment and its key with only those of the course's tests whose files are
    handed out. Students' tests are run only on the student's own program: the reference and its
    faults stay with the course."""
    handed_out = specification.plan.assignment.handed_out_tests

    def is_for_students(scenario: Scenario) -> bool:
        action = scenario.stimuli[0].action
        if isinstance(action, CourseTest):
            return action.file in handed_out
        return not scenario.is_suite or _is_about_own_program(scenario)

    shown = _only(specification, is_for_students)
    assignment = shown.plan.assignment
    files = tuple(file for file in assignment.test_files if file.name in handed_out)
    shown_assignment = replace(
        assignment,
        test_files=files,
        sent_names=_names_in(files, assignment.sent_names),
        test_writing=_for_own_program(assignment.test_writing),
    )
    return replace(shown, plan=replace(shown.plan, assignment=shown_assignment))


def _for_own_program(writing: TestWriting | None) -> TestWriting | None:
    """Return it without the course's programs and their names."""
    if writing is None:
        return None
    return replace(writing, programs=(), public_names=None)


def _names_in(files: Iterable[SourceFile], names: SentNames) -> SentNames:
    """Return only the names that these files contain, and operators: others would tell how the
    reference is written."""
    words = {word for file in files for word in _WORD.findall(file.data.decode("utf-8", "replace"))}
    objects = names.objects
    if objects is not None:
        objects = tuple(name for name in objects if name in words or name.startswith("__"))
    modules = tuple(name for name in names.modules if name in words)
    return SentNames(objects=objects, modules=modules)


def without_tests(specification: Specification) -> Specification:
    """Return the assignment and its key without the course's tests, without questions about
    submitted tests, and without the files of both."""
    return _only(specification, lambda scenario: not scenario.is_test and not scenario.is_suite)


def isolated(specification: Specification) -> Specification:
    """Return the assignment changed so that every scenario runs in its own process."""
    assignment = replace(specification.plan.assignment, isolate_all=True)
    return replace(specification, plan=replace(specification.plan, assignment=assignment))


def with_total_seconds(specification: Specification, seconds: float | None) -> Specification:
    """Return the assignment with this time limit for all runs of a submission together; None:
    with its own."""
    if seconds is None:
        return specification
    assignment = replace(specification.plan.assignment, total_seconds=seconds)
    return replace(specification, plan=replace(specification.plan, assignment=assignment))


def without_tags(specification: Specification, tags: Sequence[str]) -> Specification:
    """Return the assignment without the scenarios that carry one of these tags; the others share
    all marks. Raise UserError for a tag that no scenario carries.
    """
    known: set[str] = set()
    for scenario in specification.plan.scenarios:
        known.update(scenario.tags)
    for tag in tags:
        if tag not in known:
            hint = f"available: {', '.join(sorted(known)) or 'no tags'}"
            raise UserError(f"no scenario has the tag {tag!r}", hint=hint)
    others = _only(specification, lambda scenario: set(scenario.tags).isdisjoint(tags))
    return replace(others, left_out=tuple(sorted({*specification.left_out, *tags})))


def _only(specification: Specification, keep: Callable[[Scenario], bool]) -> Specification:
    """Return the assignment with only the scenarios for which `keep` is true."""
    plan = specification.plan.subset(keep)
    kept = {scenario.id for scenario in plan.scenarios}
    transcripts = tuple(t for t in specification.transcripts if t.scenario_id in kept)
    return replace(specification, plan=plan, transcripts=transcripts)


def with_called_functions(specification: Specification) -> Specification:
    """Return the same assignment.

    If no reference tells which functions there are, every name counts that a stimulus calls and
    nothing else defines. Their parameters stay unknown.
    """
    plan = specification.plan
    if specification.reference or plan.assignment.functions:
        return specification
    called: set[str] = set()
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            called |= _called(_nodes(stimulus.source_texts()))
    provided = _nodes(file.data for file in plan.assignment.variants[0].files)
    defined = _bound(provided) | set(dir(builtins))
    for node in provided:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
    names = sorted(called - defined)
    signatures = tuple(FunctionSignature(name=name, parameters=()) for name in names)
    assignment = replace(plan.assignment, functions=signatures)
    return replace(specification, plan=replace(plan, assignment=assignment))


def _nodes(sources: Iterable[str | bytes]) -> list[ast.AST]:
    """Return all syntax nodes of these texts, some of which may be data, or for another Python
    version.
    """
    nodes: list[ast.AST] = []
    for source in sources:
        for statement in statements(source):
            nodes += ast.walk(statement)
    return nodes


def _called(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that the code calls without assigning them."""
    called: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
    return called - _bound(nodes)


def _bound(nodes: Iterable[ast.AST]) -> set[str]:
    bound: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
    return bound
