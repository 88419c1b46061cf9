"""A batch of a target is drawn, run on the reference and every submission, compared, shrunk, and
printed."""

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from multiprocessing.connection import Connection
from typing import Any

from harness.assignment.document import in_quotes
from harness.common.errors import HarnessError, UserError
from harness.execution import (
    AnyDriver,
    Interpreter,
    Keep,
    Observes,
    SharedGroup,
    create_driver,
    decoded,
    may_share,
)
from harness.grading.engines.worker import worker_process
from harness.grading.observing.answer_key import evaluated_parts, parameters
from harness.grading.observing.running import program_may_share
from harness.grading.observing.shared_run import SharingObserver
from harness.judging.judge import Judge
from harness.model.assignment import Assignment, SourceFile
from harness.model.expectation import Expectation, Expected
from harness.model.observation import Ending, Observation, Tier
from harness.model.stimulus import Binding, Stimulus
from harness.model.study import FuzzDifference, FuzzSettings, FuzzTarget
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind
from harness.policy.sources import ENTRY, SOURCES
from harness.study.fuzz import drawing

Files = tuple[SourceFile, ...]  # of one program
_RAISED = b'"raised":'
_MOST_JUDGED = 40  # of a submission's inputs in one batch that are not the same
_LIMITS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.MEMORY_LIMIT})
_OF_OURS = frozenset({VerdictKind.HARNESS_ERROR, VerdictKind.STOPPED_EARLY})


@dataclass(slots=True)
class Prepared:
    """A batch: its stimuli, and the reference's observations in a shared run and alone, by number.

    `left_out` are the stimuli on which the reference raised an exception or reached a limit."""

    target: FuzzTarget
    stimuli: Sequence[Stimulus]
    groups: tuple[SharedGroup, ...] = ()
    together: dict[int, bytes] = field(default_factory=dict)
    alone: dict[int, Observation] = field(default_factory=dict)
    left_out: set[int] = field(default_factory=set)


@dataclass(slots=True)
class RunningProgram:
    """A submission or the reference, in a server of its own; `sharing` is that server where its
    inputs may share a process."""

    server: Observes
    sharing: SharingObserver | None

    def run_together(
        self, group: SharedGroup, numbers: Sequence[int], keep: Keep
    ) -> Mapping[int, bytes]:
        """Return the observations to keep, by number; none if it may not share a process."""
        if self.sharing is not None:
            outcome = self.sharing.observe_together(group, numbers, keep=keep)
            if not outcome.refused:
                return outcome.seen
            self.sharing = None
        return {}


class Comparer:
    """The reference, ready to be compared with submissions until `stack` is closed."""

    def __init__(
        self, driver: AnyDriver, assignment: Assignment, reference: Files, stack: ExitStack
    ) -> None:
        self._driver = driver
        self._assignment = assignment
        self._sharing: dict[Files, bool] = {}
        self._tool = stack.enter_context(driver.tool(SOURCES, ENTRY))
        self._reference = self.program(reference, stack)

    def program(self, files: Files, stack: ExitStack) -> RunningProgram:
        """A submission's program, until `stack` is closed."""
        server = stack.enter_context(self._driver.submission(self._assignment, files))
        sharing = server if isinstance(server, SharingObserver) and self._may_share(files) else None
        return RunningProgram(server, sharing)

    def observed(self, target: FuzzTarget, stimuli: Sequence[Stimulus]) -> list[Observation]:
        """What the reference does, in the order of the stimuli."""
        prepared = self.prepare(target, stimuli)
        jobs = {number: job for group in prepared.groups for number, job in group.jobs.items()}
        observations = []
        for number, stimulus in enumerate(stimuli):
            observation = None
            if data := prepared.together.get(number):
                arguments = jobs[number].arguments
                observation = decoded(data, stimulus, target.limits, arguments=arguments)
            observations.append(observation or self._alone(prepared, number))
        return observations

    def prepare(self, target: FuzzTarget, stimuli: Sequence[Stimulus]) -> Prepared:
        prepared = Prepared(target, stimuli)
        if self._reference.sharing is None:
            return prepared
        sharing = {n: (s, target.limits) for n, s in enumerate(stimuli) if may_share(s)}
        prepared.groups = self._reference.sharing.group(sharing)
        for group in prepared.groups:
            numbers = sorted(group.jobs)
            answers = self._reference.run_together(group, numbers, lambda number, data: True)
            for number, data in answers.items():
                if _RAISED in data.partition(b"\n")[0]:
                    prepared.left_out.add(number)
                else:
                    prepared.together[number] = data
        return prepared

    def differing(self, prepared: Prepared, program: RunningProgram) -> Iterator[int]:
        """Return the numbers of the inputs that a program fails when run alone, in order.

        Stop early if it has reached several limits, or if very much differs."""
        equal: set[int] = set()
        together = prepared.together
        for group in prepared.groups:
            if numbers := sorted(group.jobs.keys() & together.keys()):
                equal |= program.run_together(group, numbers, lambda n, d: d == together[n]).keys()
        judged = 0
        for number in sorted({*range(len(prepared.stimuli))} - equal - prepared.left_out):
            verdict = self.verdict(prepared, number, program)
            if verdict is None or verdict.passed or verdict.kind in _OF_OURS:
                continue
            yield number
            judged += 1
            if judged >= _MOST_JUDGED or verdict.kind in _LIMITS:
                return

    def verdict(self, prepared: Prepared, number: int, program: RunningProgram) -> Verdict | None:
        """Judge what a program does when run alone.

        Return None, and leave the input out, if the reference does something that no scenario
        could expect."""
        reference = self._alone(prepared, number)
        if not is_expectable(reference):
            prepared.left_out.add(number)
            return None
        target, stimulus = prepared.target, prepared.stimuli[number]
        stated = target.stated
        if evaluated_parts(stated):  # which were evaluated for the scenario's own draws only
            stated = Expected(ignore=stated.ignore, floats=stated.floats)
        if reference.ending is Ending.ASKED_FOR_MORE:  # a game that goes on
            stated = replace(stated, ends=reference.ending)
        expected = Expectation(
            stated=stated,
            reference=reference,
            parameters=parameters(stimulus, self._assignment),
        )
        return Judge(expected, stimulus).verdict(program.server.observe(stimulus, target.limits))

    def _alone(self, prepared: Prepared, number: int) -> Observation:
        if number not in prepared.alone:
            stimulus, limits = prepared.stimuli[number], prepared.target.limits
            prepared.alone[number] = self._reference.server.observe(stimulus, limits)
        return prepared.alone[number]

    def _may_share(self, files: Files) -> bool:
        if files not in self._sharing:
            self._sharing[files] = program_may_share(self._tool, self._assignment, files)
        return self._sharing[files]


def is_expectable(reference: Observation) -> bool:
    """Whether a scenario may expect this of the reference without saying so, but for a game that
    goes on: it does not raise, fail, or run into a limit."""
    raised = reference.raised is not None or any(step.raised for step in reference.steps)
    if reference.raised is not None and reference.exit_status == 0:
        raised = False
    usual = reference.ending in (Ending.ANSWERED, Ending.ASKED_FOR_MORE)
    return usual and not raised and reference.exit_status in (None, 0)


def scenario_text(target: FuzzTarget, stimulus: Stimulus, reference: Observation) -> str:
    """Return the item for `scenarios:`. It states only that a game goes on; the reference says the
    rest."""
    lines = [f"function: {in_quotes(target.function)}"]
    if target.clauses:
        lines.append(f"clause: [{', '.join(map(in_quotes, target.clauses))}]")
    if stimulus.constants:
        values = ((each.name, ast.literal_eval(each.literal)) for each in stimulus.constants)
        # A list would be a sweep over its values.
        lists = ((name, [v] if isinstance(v, list | tuple) else v) for name, v in values)
        named = ", ".join(f"{name}: {_yaml(value)}" for name, value in lists)
        lines.append(f"constants: {{{named}}}")
    bindings = stimulus.bindings
    keys = dict(stimulus.action.yaml_keys())
    expression = stimulus.action.expression
    if expression and not stimulus.given and (filled := _with_values(expression, bindings)):
        keys[stimulus.action.key], bindings = filled, ()
    if given := stimulus.given + "".join(f"{each.name} = {each.literal}\n" for each in bindings):
        lines += ["given: |", *(f"  {line}" for line in given.splitlines())]
    for key, written in keys.items():
        if isinstance(written, str) and written.endswith("\n"):
            lines += [f"{key}: |", *(f"  {line}" for line in written.splitlines())]
        elif written:
            lines.append(f"{key}: {_yaml(written)}")
    if stimulus.inputs:
        lines.append(f"input: [{', '.join(in_quotes(each.text) for each in stimulus.inputs)}]")
    if stimulus.seed is not None:
        lines.append(f"seed: {stimulus.seed}")
    if stimulus.clock:
        lines.append(f"clock: {stimulus.clock.time.isoformat()}")
    if reference.ending is Ending.ASKED_FOR_MORE:
        lines.append("ends: asks_for_more")
    digest = sha256("\n".join(lines).encode()).hexdigest()[:8]
    first = f"  - name: {target.function} differs from the reference ({digest})"
    return "\n".join([first, *(f"    {line}" for line in lines)]) + "\n"


def _with_values(expression: str, bindings: tuple[Binding, ...]) -> str | None:
    """The call with the draws in it; None where a value would no longer be one object."""
    tree = ast.parse(expression, mode="eval")
    values = {each.name: ast.parse(each.literal, mode="eval").body for each in bindings}
    uses = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    if any(uses[name] != 1 for name in values):
        return None
    return ast.unparse(_Filled(values).visit(tree))


class _Filled(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def _yaml(value: Any) -> str:
    if isinstance(value, str):
        return in_quotes(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_yaml, value))}]"
    return json.dumps(value)


BATCH = 250  # draws
GAMES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a worker is started with."""

    settings: FuzzSettings
    assignment: Assignment
    reference: tuple[SourceFile, ...]
    submissions: tuple[Submission, ...]
    interpreter: Interpreter
    tier: Tier
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A batch of a target by their numbers, for the submissions of these digests."""

    target: int
    batch: int
    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitResult:
    """What a batch found, by the submissions' digests, and how many inputs were compared."""

    unit: Unit
    inputs: int
    left_out: int
    found: dict[str, FuzzDifference]


def batch_size(target: FuzzTarget) -> int:
    """How many inputs are drawn at a time."""
    return GAMES if target.prompts else BATCH


class Worker:
    """Works on batches with one driver, until `stack` is closed."""

    def __init__(self, setup: Setup, stack: ExitStack, cpu: int | None = None) -> None:
        self._setup = setup
        self._code = drawing.CourseCode(setup.settings.folder)
        self._drawers: dict[int, drawing.Drawer] = {}
        self._submissions = {each.digest: each for each in setup.submissions}
        variants = dict.fromkeys((*setup.assignment.variants, *setup.settings.variants))
        assignment = replace(setup.assignment, variants=tuple(variants))
        driver = stack.enter_context(create_driver(setup.interpreter, setup.tier, cpu=cpu))
        self._comparer = Comparer(driver, assignment, setup.reference, stack)

    def run(self, unit: Unit) -> UnitResult:
        """Draw and compare. UserError where the course's own code fails."""
        target = self._setup.settings.targets[unit.target]
        if unit.target not in self._drawers:
            self._drawers[unit.target] = drawing.Drawer(target, self._setup.settings, self._code)
        drawer = self._drawers[unit.target]
        seed = drawing.batch_seed(self._setup.seed, target.id, unit.batch)
        if target.prompts:
            stimuli = self._games(target, drawer, seed)
        else:
            draws = drawer.batch(seed, BATCH, twice=unit.batch == 0)
            stimuli = [replace(target.stimulus, bindings=draw) for draw in draws]
        prepared = self._comparer.prepare(target, stimuli)
        differences: dict[str, FuzzDifference] = {}
        for digest in unit.digests:
            with ExitStack() as stack:
                program = self._comparer.program(self._submissions[digest].files, stack)
                differing = list(self._comparer.differing(prepared, program))
                if not differing:
                    continue
                # Strategies that throw dice have no simpler draws but those drawn already.
                first = min((stimuli[number] for number in differing), key=_size)
                if target.prompts:
                    smallest = self._shortest(target, first, program)
                else:
                    fails = partial(self._fails_with, target, program)
                    draw = drawer.shrunk(seed, BATCH, first.bindings, fails)
                    smallest = replace(target.stimulus, bindings=draw)
                drawn = unit.batch * batch_size(target) + differing[0] + 1
                differences[digest] = self._difference(target, smallest, program, drawn)
        left_out = len(prepared.left_out)
        inputs = len(stimuli) - left_out
        return UnitResult(unit=unit, inputs=inputs, left_out=left_out, found=differences)

    def _games(self, target: FuzzTarget, drawer: drawing.Drawer, seed: int) -> list[Stimulus]:
        closing = [self._code.lines(prompt.closing) for prompt in target.prompts]

        def run(stimuli: Sequence[Stimulus]) -> list[Observation]:
            return self._comparer.observed(target, stimuli)

        games = drawing.play_games(target, drawer.typings(seed, GAMES), closing, run)
        different = list(dict.fromkeys(games))
        if not self._setup.settings.assume:
            return different
        played = zip(different, run(different), strict=True)
        return [game for game, observation in played if self._is_settled(game, observation)]

    def _is_settled(self, game: Stimulus, observation: Observation) -> bool:
        typed = [each.text for each in game.inputs]
        known = {"typed": typed, "printed": observation.printed}
        return all(self._code.holds(assume, known) for assume in self._setup.settings.assume)

    def _shortest(self, target: FuzzTarget, first: Stimulus, program: RunningProgram) -> Stimulus:
        def differs(game: Stimulus) -> Stimulus | None:
            (observation,) = self._comparer.observed(target, [game])
            if observation.reads < len(game.inputs):
                game = replace(game, inputs=game.inputs[: observation.reads])
            settled = self._is_settled(game, observation)
            return game if settled and self._fails(target, game, program) else None

        return drawing.shorten_game(first, differs)

    def _fails_with(self, target: FuzzTarget, program: RunningProgram, draw: drawing.Draw) -> bool:
        return self._fails(target, replace(target.stimulus, bindings=draw), program)

    def _fails(self, target: FuzzTarget, stimulus: Stimulus, program: RunningProgram) -> bool:
        verdict = self._comparer.verdict(Prepared(target, [stimulus]), 0, program)
        return verdict is not None and not verdict.passed

    def _difference(
        self, target: FuzzTarget, stimulus: Stimulus, program: RunningProgram, drawn: int
    ) -> FuzzDifference:
        prepared = Prepared(target, [stimulus])
        verdict = self._comparer.verdict(prepared, 0, program)
        if verdict is None or verdict.passed:
            raise HarnessError(f"{target.id}: a difference did not show again")
        return FuzzDifference(
            target=target.id,
            function=target.function,
            message=verdict.message,
            scenario=scenario_text(target, stimulus, prepared.alone[0]),
            drawn=drawn,
        )


def _size(stimulus: Stimulus) -> int:
    return sum(len(each.literal) for each in stimulus.bindings) + len(stimulus.inputs)


def main(descriptor: int, parent: int) -> None:
    """The side of a process that is sent batches."""
    worker_process(descriptor, parent, _serve)


def _serve(connection: Connection, setup: Setup, cpu: int | None) -> None:
    with ExitStack() as stack:
        worker: Worker | None = None
        while True:
            unit: Unit = connection.recv()
            try:
                worker = worker or Worker(setup, stack, cpu)
                connection.send(worker.run(unit))
            except UserError as error:
                connection.send(error)
            except HarnessError as error:  # some kinds cannot be sent
                connection.send(HarnessError(str(error)))
