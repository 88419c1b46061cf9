"""Setting up: the interpreter, the tier and the answer key that an assignment is graded with; and
what a run was made with, how confined, and when."""

import ast
import builtins
import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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
    choose_tier,
    create_driver,
    find_interpreter,
    has_terminals,
    install,
    machine_slowness,
    pick_cpu,
)
from harness.grading.engines import WorkerSetup
from harness.grading.observing.answer_key import key_disagreements, made_with, make_key
from harness.grading.observing.setup import GraderSetup
from harness.model.assignment import FunctionSignature
from harness.model.expectation import KEY_VERSION, AnswerKey
from harness.model.observation import Phase, Tier
from harness.model.plan import Plan, Scenario, Specification, Visibility
from harness.model.result import RunFacts
from harness.model.stimulus import statements

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def recalled_tier(interpreter: Interpreter, cache: Path) -> TierTrial:
    """Return the best tier of this machine, from the last trial if nothing has changed since.

    Trying every forbidden act takes most of a second. The trial is kept in the folder `cache`; one
    that another user could have written is not believed. Raise HarnessError as `choose_tier` does.
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
        with contextlib.suppress(OSError):  # what cannot be kept is tried again the next time
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
        """Return the setup of a worker that observes everything anew and returns only results."""
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
    """Find the interpreter, probe the tier, and make (or recall) the answer key. Raises UserError
    when no interpreter serves, the required tier cannot be had, or the reference does not do what
    the scenarios state: a plan that disagrees with itself is not used (`refuse=False` leaves that
    to the caller, who reports it). With `recall_tier` the last trial of the tier will do, where
    nothing has changed since: for marks it is tried anew. That packages are installed is said on
    stderr."""
    specification = with_called_functions(specification)
    interpreter = find_interpreter(specification.plan.assignment.python, python)
    if packages := specification.plan.assignment.packages:
        if cache is None:
            raise UserError("packages need a folder to be kept in", hint="grade with a cache")
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
    problems = key_disagreements(specification.plan, key) if refuse else ()
    if problems:
        lines = "\n".join(map(str, problems[:20]))
        more = f"\n… and {len(problems) - 20} more" if len(problems) > 20 else ""
        what = f"the reference does not do what the scenarios state:\n{lines}{more}"
        raise UserError(what, hint="fix the scenario or the reference, then run harness validate")
    return GradingContext(
        specification=specification,
        interpreter=interpreter,
        tier=tier,
        key=key,
        secret=_recalled_secret(cache),
        slowness=slowness,
    )


def _refuse_unloadable(key: AnswerKey, packages: Sequence[str], modules: Sequence[str]) -> None:
    """Raise UserError if the reference imports something missing.

    Packages and the modules that they provide often have different names.
    """
    seen = [answer.observation for entry in key.scenarios for answer in entry.answers]
    for raised in (each.raised for each in seen if each.phase is Phase.LOADING):
        if raised is not None and raised.type_name == "ModuleNotFoundError":
            what = f"the reference cannot be loaded: {plain(raised.message)}"
            names = listed([each for each in modules if each[0] != "_"]) or "nothing"
            raise UserError(what, hint=f"what {listed(packages)} provides is imported as {names}")


def with_modules_allowed(plan: Plan, modules: Sequence[str]) -> Plan:
    """Return the plan with a policy that lets every file import these modules as well."""
    policy = plan.assignment.policy
    if policy is None:
        return plan
    policy = replace(
        policy,
        imports=policy.imports and policy.imports.allowing(modules),
        file_imports=tuple(
            replace(each, imports=each.imports.allowing(modules)) for each in policy.file_imports
        ),
    )
    return replace(plan, assignment=replace(plan.assignment, policy=policy))


def _recalled_secret(cache: Path | None) -> bytes:
    """Return the secret that decides in which order scenarios run together and which of them also
    run alone.

    All runs of a course share it, so that no new folder and no new file is another draw. Only its
    owner may read it. If none can be kept, only that choice depends on it.
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
    path = cache / "keys" / f"{name}.json" if cache else None
    if path is not None:
        with contextlib.suppress(OSError, serial.SerialError):
            return serial.loads(AnswerKey, path.read_bytes())
    with create_driver(interpreter, tier, cpu=pick_cpu()) as driver:
        key = make_key(specification, driver, slowness)
    # A reference that fell short may have met a busy machine: what it did then is not kept.
    if path is not None and not key_disagreements(plan, key):
        with contextlib.suppress(OSError):  # a cache that cannot be written is not an error
            write(path, serial.dumps(key), private=True)
    return key


def now() -> str:
    """Return the time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def run_facts(context: GradingContext, more_notices: Iterable[str]) -> RunFacts:
    """Return the facts at the start of a run."""
    plan = context.specification.plan
    notices = [context.interpreter.notice] if context.interpreter.notice else []
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
    """Return the assignment and its key with only the parts that a student may see, without
    stand-ins, which are answers. Raise UserError if nothing is left.
    """
    cut = _cut(specification, lambda scenario: scenario.visibility is Visibility.VISIBLE)
    if not cut.plan.scenarios:
        place = cut.plan.assignment.id
        raise UserError("there is no visible scenario to check against", place=place)
    return replace(cut, plan=cut.plan.without_stand_ins())


def isolated(specification: Specification) -> Specification:
    """Return the assignment with an own process for every scenario of every submission."""
    assignment = replace(specification.plan.assignment, isolate_all=True)
    return replace(specification, plan=replace(specification.plan, assignment=assignment))


def with_total_seconds(specification: Specification, seconds: float) -> Specification:
    """Return the assignment with so much time for all runs of a submission together."""
    assignment = replace(specification.plan.assignment, total_seconds=seconds)
    return replace(specification, plan=replace(specification.plan, assignment=assignment))


def without_tags(specification: Specification, tags: Sequence[str]) -> Specification:
    """Return the assignment without the scenarios that carry one of these tags; the points of the
    others make up the whole mark. Raise UserError for a tag that no scenario carries.
    """
    known = {tag for scenario in specification.plan.scenarios for tag in scenario.tags}
    if unknown := [tag for tag in tags if tag not in known]:
        hint = f"there are: {', '.join(sorted(known)) or 'no tags'}"
        raise UserError(f"no scenario has the tag {unknown[0]!r}", hint=hint)
    cut = _cut(specification, lambda scenario: not set(scenario.tags) & set(tags))
    return replace(cut, left_out=tuple(sorted({*specification.left_out, *tags})))


def _cut(specification: Specification, keep: Callable[[Scenario], bool]) -> Specification:
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
    for stimulus in (each for scenario in plan.scenarios for each in scenario.stimuli):
        nodes = _nodes(stimulus.source_texts())
        functions = [node.func for node in nodes if isinstance(node, ast.Call)]
        called |= {f.id for f in functions if isinstance(f, ast.Name)} - _bound(nodes)
    provided = _nodes(file.data for file in plan.assignment.variants[0].files)
    defined = {n.name for n in provided if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    names = sorted(called - _bound(provided) - defined - set(dir(builtins)))
    signatures = tuple(FunctionSignature(name=name, parameters=()) for name in names)
    assignment = replace(plan.assignment, functions=signatures)
    return replace(specification, plan=replace(plan, assignment=assignment))


def _nodes(sources: Iterable[str | bytes]) -> list[ast.AST]:
    """Yield all syntax nodes of these texts, some of which may be data, or for another Python
    version.
    """
    return [node for source in sources for each in statements(source) for node in ast.walk(each)]


def _bound(nodes: Iterable[ast.AST]) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
