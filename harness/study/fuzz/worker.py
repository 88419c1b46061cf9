"""Draw one batch of random inputs, run it on the reference and every submission, and compare.

Inputs on which a submission differs are simplified and written as scenarios.
"""

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from multiprocessing.connection import Connection
from typing import Any

from harness.assignment.document import in_quotes
from harness.common.errors import HarnessError, UserError
from harness.execution import (
    AnyDriver,
    Interpreter,
    Runner,
    SharedGroup,
    ShouldRetain,
    decoded,
    has_raised,
    may_share,
)
from harness.grading.engines.worker import worker_process
from harness.grading.machine import create_driver
from harness.grading.observing.answer_key import evaluated_parts, parameters
from harness.grading.observing.running import program_may_share
from harness.grading.observing.shared_process.shared_run import SharingObserver
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

# The files of one program.
Files = tuple[SourceFile, ...]
# A submission's different inputs in one batch that are judged.
_MAX_JUDGED = 40
_LIMITS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.MEMORY_LIMIT})
_OF_OURS = frozenset({VerdictKind.HARNESS_ERROR, VerdictKind.STOPPED_EARLY})


@dataclass(slots=True)
class Prepared:
    """The inputs of a batch, and what the reference did with them, by the input's number.

    The reference ran in shared and in separate processes. `left_out` are the inputs on which it
    raised an exception or reached a limit.
    """

    target: FuzzTarget
    stimuli: Sequence[Stimulus]
    groups: tuple[SharedGroup, ...] = ()
    together: dict[int, bytes] = field(default_factory=dict)
    alone: dict[int, Observation] = field(default_factory=dict)
    left_out: set[int] = field(default_factory=set)


@dataclass(slots=True)
class RunningProgram:
    """A submission or the reference, running in its own server.

    `sharing` is that server if several inputs may run in one process.
    """

    server: Runner
    sharing: SharingObserver | None

    def run_together(
        self, group: SharedGroup, numbers: Sequence[int], should_retain: ShouldRetain
    ) -> Mapping[int, bytes]:
        """Return the retained observations, by number; none if it may not share a process."""
        if self.sharing is not None:
            outcome = self.sharing.observe_together(group, numbers, should_retain)
            if not outcome.refused:
                return outcome.answers
            self.sharing = None
        return {}


class Comparer:
    """The running reference, with which submissions are compared until `stack` is closed."""

    def __init__(
        self, driver: AnyDriver, assignment: Assignment, reference: Files, stack: ExitStack
    ) -> None:
        self._driver = driver
        self._assignment = assignment
        self._sharing: dict[Files, bool] = {}
        self._tool = stack.enter_context(driver.tool(SOURCES, ENTRY))
        self._reference = self.program(reference, stack)

    def program(self, files: Files, stack: ExitStack) -> RunningProgram:
        """Start a submission's program. It runs until `stack` is closed."""
        server = stack.enter_context(self._driver.submission(self._assignment, files))
        if isinstance(server, SharingObserver) and self._may_share(files):
            return RunningProgram(server, sharing=server)
        return RunningProgram(server, sharing=None)

    def observed(self, target: FuzzTarget, stimuli: Sequence[Stimulus]) -> list[Observation]:
        """Return the reference's observations in the order of the stimuli."""
        prepared = self.prepare(target, stimuli)
        arguments = {}
        for group in prepared.groups:
            for number, job in group.jobs.items():
                arguments[number] = job.arguments
        observations = []
        for number, stimulus in enumerate(stimuli):
            observation = None
            data = prepared.together.get(number)
            if data:
                observation = decoded(data, stimulus, target.limits, arguments=arguments[number])
            observations.append(observation or self._alone(prepared, number))
        return observations

    def prepare(self, target: FuzzTarget, stimuli: Sequence[Stimulus]) -> Prepared:
        """Run as many of the stimuli as possible on the reference in shared processes."""
        prepared = Prepared(target, stimuli)
        if self._reference.sharing is None:
            return prepared
        sharing = {}
        for number, stimulus in enumerate(stimuli):
            if may_share(stimulus):
                sharing[number] = stimulus, target.limits
        prepared.groups = self._reference.sharing.group(sharing)
        for group in prepared.groups:
            numbers = sorted(group.jobs)
            answers = self._reference.run_together(group, numbers, lambda number, data: True)
            for number, data in answers.items():
                if has_raised(data):
                    prepared.left_out.add(number)
                else:
                    prepared.together[number] = data
        return prepared

    def differing(self, prepared: Prepared, program: RunningProgram) -> Iterator[int]:
        """Yield the numbers of the inputs that a program fails in its own process, in order.

        Stop early if it has reached several limits, or if very much differs.
        """
        numbers = set(range(len(prepared.stimuli)))
        numbers -= self._equal(prepared, program)
        judged = 0
        for number in sorted(numbers - prepared.left_out):
            verdict = self.verdict(prepared, number, program)
            if verdict is None or verdict.passed or verdict.kind in _OF_OURS:
                continue
            yield number
            judged += 1
            if judged >= _MAX_JUDGED or verdict.kind in _LIMITS:
                return

    def _equal(self, prepared: Prepared, program: RunningProgram) -> set[int]:
        """Return the numbers of the inputs on which a program does the same in shared runs."""
        together = prepared.together
        equal: set[int] = set()
        for group in prepared.groups:
            numbers = sorted(group.jobs.keys() & together.keys())
            if numbers:
                answers = program.run_together(group, numbers, lambda n, data: data == together[n])
                equal.update(answers)
        return equal

    def verdict(self, prepared: Prepared, number: int, program: RunningProgram) -> Verdict | None:
        """Judge a program's behaviour when run by itself.

        Return None, and leave the input out, if the reference does something that no scenario
        could expect."""
        reference = self._alone(prepared, number)
        if not is_expectable(reference):
            prepared.left_out.add(number)
            return None
        target = prepared.target
        stimulus = prepared.stimuli[number]
        stated = target.stated
        # Evaluated parts hold only for the scenario's own draws.
        if evaluated_parts(stated):
            stated = Expected(ignore=stated.ignore, floats=stated.floats)
        # The game goes on.
        if reference.ending is Ending.ASKED_FOR_MORE:
            stated = replace(stated, ends=reference.ending)
        expected = Expectation(
            stated=stated,
            reference=reference,
            parameters=parameters(stimulus, self._assignment),
        )
        observation = program.server.observe(stimulus, target.limits)
        return Judge(expected, stimulus).verdict(observation)

    def _alone(self, prepared: Prepared, number: int) -> Observation:
        if number not in prepared.alone:
            stimulus = prepared.stimuli[number]
            limits = prepared.target.limits
            prepared.alone[number] = self._reference.server.observe(stimulus, limits)
        return prepared.alone[number]

    def _may_share(self, files: Files) -> bool:
        if files not in self._sharing:
            self._sharing[files] = program_may_share(self._tool, self._assignment, files)
        return self._sharing[files]


def is_expectable(reference: Observation) -> bool:
    """Return whether a scenario may take its expected results from this run of the reference.

    It may if the reference ended normally or waits for more input, and not if it raised an
    exception, failed or reached a limit.
    """
    if reference.ending not in (Ending.ANSWERED, Ending.ASKED_FOR_MORE):
        return False
    if reference.exit_status not in (None, 0):
        return False
    if reference.raised is not None:
        return reference.exit_status == 0
    return not any(step.raised for step in reference.steps)


def scenario_text(target: FuzzTarget, stimulus: Stimulus, reference: Observation) -> str:
    """Return the item for `scenarios:`. It states only that a game goes on; the reference says the
    rest."""
    lines = [f"function: {in_quotes(target.function)}"]
    if target.clauses:
        lines.append(f"clause: [{', '.join(map(in_quotes, target.clauses))}]")
    if stimulus.constants:
        lines.append(_constants_line(stimulus.constants))
    lines += _action_lines(stimulus)
    if stimulus.inputs:
        inputs = ", ".join(in_quotes(typed.text) for typed in stimulus.inputs)
        lines.append(f"input: [{inputs}]")
    if stimulus.seed is not None:
        lines.append(f"seed: {stimulus.seed}")
    if stimulus.clock:
        lines.append(f"clock: {stimulus.clock.time.isoformat()}")
    if reference.ending is Ending.ASKED_FOR_MORE:
        lines.append("ends: asks_for_more")
    digest = sha256("\n".join(lines).encode()).hexdigest()[:8]
    item = [f"  - name: {target.function} differs from the reference ({digest})"]
    item += [f"    {line}" for line in lines]
    return "\n".join(item) + "\n"


def _constants_line(constants: Sequence[Binding]) -> str:
    parts = []
    for constant in constants:
        value = ast.literal_eval(constant.literal)
        # A bare list would be a sweep over its values.
        if isinstance(value, list | tuple):
            value = [value]
        parts.append(f"{constant.name}: {_yaml(value)}")
    return f"constants: {{{', '.join(parts)}}}"


def _action_lines(stimulus: Stimulus) -> list[str]:
    """Return the keys of the action, with the draws in its expression or under `given`."""
    bindings = stimulus.bindings
    keys = dict(stimulus.action.yaml_keys())
    expression = stimulus.action.expression
    if expression and not stimulus.given:
        filled = _with_values(expression, bindings)
        if filled:
            keys[stimulus.action.key] = filled
            bindings = ()
    given = stimulus.given
    for binding in bindings:
        given += f"{binding.name} = {binding.literal}\n"
    lines = []
    if given:
        lines += _block("given", given)
    for key, written in keys.items():
        if isinstance(written, str) and written.endswith("\n"):
            lines += _block(key, written)
        elif written:
            lines.append(f"{key}: {_yaml(written)}")
    return lines


def _block(key: str, text: str) -> list[str]:
    """Return the lines of a YAML block."""
    return [f"{key}: |", *(f"  {line}" for line in text.splitlines())]


def _with_values(expression: str, bindings: tuple[Binding, ...]) -> str | None:
    """Return the call with the draws in it; None if a value would no longer be one object."""
    tree = ast.parse(expression, mode="eval")
    values = {}
    for binding in bindings:
        values[binding.name] = ast.parse(binding.literal, mode="eval").body
    uses = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    for name in values:
        if uses[name] != 1:
            return None
    return ast.unparse(_ValuesFilledIn(values).visit(tree))


class _ValuesFilledIn(ast.NodeTransformer):
    """Replaces names in an expression by values."""

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


# Draws in a batch.
BATCH = 250
# Games in a batch.
GAMES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The data that a worker process gets when it starts."""

    settings: FuzzSettings
    assignment: Assignment
    reference: tuple[SourceFile, ...]
    submissions: tuple[Submission, ...]
    interpreter: Interpreter
    tier: Tier
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A batch of a target, both given by number, for the submissions with these digests."""

    target: int
    batch: int
    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitResult:
    """The differences of a batch by the submissions' digests, and how many inputs were compared."""

    unit: Unit
    inputs: int
    left_out: int
    found: dict[str, FuzzDifference]


def batch_size(target: FuzzTarget) -> int:
    """Return how many inputs of a target make a batch."""
    if target.prompts:
        return GAMES
    return BATCH


class Worker:
    """Processes batches with one driver until `stack` is closed."""

    def __init__(self, setup: Setup, stack: ExitStack, cpu: int | None = None) -> None:
        self._setup = setup
        self._code = drawing.CourseCode(setup.settings.folder)
        self._drawers: dict[int, drawing.Drawer] = {}
        self._submissions = {submission.digest: submission for submission in setup.submissions}
        variants = dict.fromkeys((*setup.assignment.variants, *setup.settings.variants))
        assignment = replace(setup.assignment, variants=tuple(variants))
        driver = stack.enter_context(create_driver(setup.interpreter, setup.tier, cpu=cpu))
        self._comparer = Comparer(driver, assignment, setup.reference, stack)

    def run(self, unit: Unit) -> UnitResult:
        """Draw and compare one batch. Raise UserError if the course's own code fails."""
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
                # A strategy that uses chance has no simpler draws than those of the batch.
                first = min((stimuli[number] for number in differing), key=_size)
                if target.prompts:
                    smallest = self._shortest_game(target, first, program)
                else:
                    smallest = self._simplest_draw(target, first, program, drawer, seed)
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
        settled = []
        for game, observation in zip(different, run(different), strict=True):
            if self._is_settled(game, observation):
                settled.append(game)
        return settled

    def _is_settled(self, game: Stimulus, observation: Observation) -> bool:
        """Return whether the sheet defines the output of this game."""
        inputs = [typed.text for typed in game.inputs]
        known = {"typed": inputs, "printed": observation.printed}
        return all(self._code.holds(assume, known) for assume in self._setup.settings.assume)

    def _shortest_game(
        self, target: FuzzTarget, first: Stimulus, program: RunningProgram
    ) -> Stimulus:
        def differs(game: Stimulus) -> Stimulus | None:
            (observation,) = self._comparer.observed(target, [game])
            if observation.reads < len(game.inputs):
                game = replace(game, inputs=game.inputs[: observation.reads])
            if self._is_settled(game, observation) and self._fails(target, game, program):
                return game
            return None

        return drawing.shorten_game(first, differs)

    def _simplest_draw(
        self,
        target: FuzzTarget,
        first: Stimulus,
        program: RunningProgram,
        drawer: drawing.Drawer,
        seed: int,
    ) -> Stimulus:
        def differs(draw: drawing.Draw) -> bool:
            return self._fails(target, replace(target.stimulus, bindings=draw), program)

        draw = drawer.shrunk(seed, BATCH, first.bindings, differs)
        return replace(target.stimulus, bindings=draw)

    def _fails(self, target: FuzzTarget, stimulus: Stimulus, program: RunningProgram) -> bool:
        verdict = self._comparer.verdict(Prepared(target, [stimulus]), 0, program)
        return verdict is not None and not verdict.passed

    def _difference(
        self, target: FuzzTarget, stimulus: Stimulus, program: RunningProgram, drawn: int
    ) -> FuzzDifference:
        prepared = Prepared(target, [stimulus])
        verdict = self._comparer.verdict(prepared, 0, program)
        if verdict is None or verdict.passed:
            raise HarnessError(f"{target.id}: a difference could not be reproduced")
        return FuzzDifference(
            target=target.id,
            function=target.function,
            message=verdict.message,
            scenario=scenario_text(target, stimulus, prepared.alone[0]),
            drawn=drawn,
        )


def _size(stimulus: Stimulus) -> int:
    size = len(stimulus.inputs)
    for binding in stimulus.bindings:
        size += len(binding.literal)
    return size


def main(descriptor: int, parent: int) -> None:
    """Process the batches that the main process sends."""
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
            # Some kinds of this error cannot be sent.
            except HarnessError as error:
                connection.send(HarnessError(str(error)))
