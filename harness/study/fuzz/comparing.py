"""Runs inputs on the reference and on a submission, each confined as in a grading run.

Many inputs run together where a program may share a process; whatever is not the same byte
for byte is observed again alone and judged as a scenario would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace

from harness.execution import AnyDriver, Keep, Observes, SharedGroup, ToolFailed, decoded, may_share
from harness.grading import SharingObserver, parameters, python_expressions, read_program
from harness.judging import Judge
from harness.model.assignment import Assignment, SourceFile
from harness.model.expectation import Expectation, Expected
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Stimulus
from harness.model.study.fuzzing import FuzzTarget
from harness.model.verdict import Verdict, VerdictKind
from harness.policy import ENTRY, SOURCES

_RAISED = b'"raised":'
_MOST_JUDGED = 40  # of a submission's inputs in one batch that are not the same
_LIMITS = frozenset({VerdictKind.CPU_LIMIT, VerdictKind.TIMEOUT, VerdictKind.MEMORY_LIMIT})
_OF_OURS = frozenset({VerdictKind.HARNESS_ERROR, VerdictKind.STOPPED_EARLY})


@dataclass(slots=True)
class Prepared:
    """A batch: its stimuli by number, what the reference did in a shared run, in canonical form,
    and alone. `left_out` are those on which it raised or met a limit."""

    target: FuzzTarget
    stimuli: dict[int, Stimulus]
    groups: tuple[SharedGroup, ...] = ()
    together: dict[int, bytes] = field(default_factory=dict)
    alone: dict[int, Observation] = field(default_factory=dict)
    left_out: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """An input that a submission fails, alone, and the verdict on it."""

    number: int
    stimulus: Stimulus
    verdict: Verdict


class RunningProgram:
    """A submission or the reference, in a server of its own. `together`: its inputs may share a
    process."""

    def __init__(self, server: Observes, *, together: bool) -> None:
        self.server = server
        self.together = together and isinstance(server, SharingObserver)

    def run_together(self, group: SharedGroup, numbers: Sequence[int]) -> Mapping[int, bytes]:
        """What it did, by number; nothing where it may not share a process after all."""
        return self._run(group, numbers, lambda number, data: True)

    def same_together(
        self, group: SharedGroup, numbers: Sequence[int], expected: Mapping[int, bytes]
    ) -> set[int]:
        """The numbers of what it did as expected; the rest is looked at and not kept."""
        return set(self._run(group, numbers, lambda number, data: data == expected[number]))

    def _run(self, group: SharedGroup, numbers: Sequence[int], keep: Keep) -> Mapping[int, bytes]:
        if not self.together or not isinstance(self.server, SharingObserver):
            return {}
        outcome = self.server.observe_together(group, numbers, keep=keep)
        if outcome.refused:
            self.together = False
            return {}
        return outcome.seen


class Comparer(AbstractContextManager["Comparer"]):
    """The reference of an assignment, ready to be compared with submissions."""

    def __init__(
        self, driver: AnyDriver, assignment: Assignment, reference: tuple[SourceFile, ...]
    ) -> None:
        self._driver = driver
        self._assignment = assignment
        self._files = reference
        self._stack = ExitStack()
        self._sharing: dict[tuple[SourceFile, ...], bool] = {}

    def __enter__(self) -> Comparer:
        self._tool = self._stack.enter_context(self._driver.tool(SOURCES, ENTRY))
        self._reference = self.program(self._files, self._stack)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def program(self, files: tuple[SourceFile, ...], stack: ExitStack) -> RunningProgram:
        """A submission's program, until `stack` is closed."""
        server = stack.enter_context(self._driver.submission(self._assignment, files))
        return RunningProgram(server, together=self._may_share(files))

    def observed(self, target: FuzzTarget, stimuli: Sequence[Stimulus]) -> list[Observation]:
        """What the reference does, in the order of the stimuli."""
        prepared = self.prepare(target, stimuli)
        observations = []
        for number, stimulus in prepared.stimuli.items():
            observation = None
            if number in prepared.together:
                arguments = next(
                    group.jobs[number].arguments
                    for group in prepared.groups
                    if number in group.jobs
                )
                data = prepared.together[number]
                observation = decoded(data, stimulus, target.limits, arguments=arguments)
            observations.append(
                observation if observation is not None else self._alone(prepared, number)
            )
        return observations

    def prepare(self, target: FuzzTarget, stimuli: Sequence[Stimulus]) -> Prepared:
        """A batch, run on the reference."""
        prepared = Prepared(target, dict(enumerate(stimuli)))
        server = self._reference.server
        if not (self._reference.together and isinstance(server, SharingObserver)):
            return prepared
        sharing = {n: (s, target.limits) for n, s in prepared.stimuli.items() if may_share(s)}
        prepared.groups = server.group(sharing)
        for group in prepared.groups:
            answers = self._reference.run_together(group, sorted(group.jobs))
            for number, data in answers.items():
                if _RAISED in data.partition(b"\n")[0]:
                    prepared.left_out.add(number)
                else:
                    prepared.together[number] = data
        return prepared

    def differing(self, prepared: Prepared, program: RunningProgram) -> Iterator[Differing]:
        """Inputs on which a program fails, in the order of their numbers. It is not asked on and on
        once it has run into limits, or where very much is not the same."""
        equal: set[int] = set()
        for group in prepared.groups:
            numbers = sorted(group.jobs.keys() & prepared.together.keys())
            if numbers:
                equal |= program.same_together(group, numbers, prepared.together)
        suspects = [n for n in prepared.stimuli if n not in equal and n not in prepared.left_out]
        judged = 0
        for number in suspects:
            verdict = self.verdict(prepared, number, program)
            if verdict is None or verdict.passed or verdict.kind in _OF_OURS:
                continue
            yield Differing(number=number, stimulus=prepared.stimuli[number], verdict=verdict)
            judged += 1
            if judged >= _MOST_JUDGED or verdict.kind in _LIMITS:
                return

    def verdict(self, prepared: Prepared, number: int, program: RunningProgram) -> Verdict | None:
        """What a program does alone, judged; None, and the input is left out, where the reference
        itself does what no scenario could expect."""
        reference = self._alone(prepared, number)
        if not fit(reference):
            prepared.left_out.add(number)
            return None
        target, stimulus = prepared.target, prepared.stimuli[number]
        expected = Expectation(
            stated=stated(target, reference),
            reference=reference,
            parameters=parameters(stimulus, self._assignment),
            within=self._assignment.floats_within,
        )
        observation = program.server.observe(stimulus, target.limits)
        return Judge(expected, stimulus).verdict(observation)

    def _alone(self, prepared: Prepared, number: int) -> Observation:
        if number not in prepared.alone:
            stimulus, limits = prepared.stimuli[number], prepared.target.limits
            prepared.alone[number] = self._reference.server.observe(stimulus, limits)
        return prepared.alone[number]

    def _may_share(self, files: tuple[SourceFile, ...]) -> bool:
        if files not in self._sharing:
            try:
                sharing = read_program(self._tool, self._assignment, files).sharing
            except ToolFailed:
                sharing = None
            self._sharing[files] = sharing is not None and sharing.allowed
        return self._sharing[files]


def fit(reference: Observation) -> bool:
    """Whether a scenario may expect this of the reference without saying so, but for a game that
    goes on: it does not raise, fail, or run into a limit."""
    raised = reference.raised is not None or any(step.raised for step in reference.steps)
    if reference.raised is not None and reference.exit_status == 0:
        raised = False
    usual = reference.ending in (Ending.ANSWERED, Ending.ASKED_FOR_MORE)
    return usual and not raised and reference.exit_status in (None, 0)


def stated(target: FuzzTarget, reference: Observation) -> Expected:
    """What a scenario of this input states: what its target does, and that a game goes on."""
    own = target.stated
    if python_expressions(own):  # which were evaluated for the scenario's own draws only
        own = Expected(ignore=own.ignore)
    ends = reference.ending if reference.ending is Ending.ASKED_FOR_MORE else own.ends
    return replace(own, ends=ends)
