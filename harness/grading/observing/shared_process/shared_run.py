"""Runs scenarios of a submission in shared processes, and decides which of their results count.

A program that may share a process has the scenarios of each function of the sheet run one after
another in one process. Only observations that equal the reference's count, and they count as
passed; everything else is observed again in its own process, and that is judged. One of the equal
ones of each function is observed again as well: an audit.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol, runtime_checkable

from harness.execution import (
    SharedGroup,
    SharedOutcome,
    ShouldRetain,
    Sources,
    decoded,
    has_one_form,
    in_one_process,
    may_share,
)
from harness.grading.observing.draws import Observer, StimulusId
from harness.grading.observing.shared_process.question_order import QuestionOrder, order_of
from harness.model.expectation import Answer, AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.stimulus import Limits, Stimulus
from harness.results.reuse import encoded

_WORTH_A_PROCESS = 2  # one stimulus costs less in its own process than in one that is audited
_MAX_DRAW_BYTES = 1 << 14  # of a draw that differs; a larger one is observed in its own process


@runtime_checkable
class SharingObserver(Observer, Protocol):
    """A submission server that can also run many stimuli in one process."""

    @property
    def sources(self) -> Sources:
        """The submission's files."""

    def group(self, wanted: Mapping[int, tuple[Stimulus, Limits]]) -> tuple[SharedGroup, ...]:
        """Pack these stimuli, by number."""

    def observe_together(
        self,
        group: SharedGroup,
        order: Sequence[int],
        should_retain: ShouldRetain = lambda number, data: True,
        most_seconds: float | None = None,
    ) -> SharedOutcome:
        """Run the stimuli of a group with these numbers in one process, for at most so many
        seconds."""


@dataclass(slots=True, kw_only=True)
class SharedStimulus:
    """A stimulus that may share a process, its name in the plan (`id`), and the reference's
    observation. `expected` is the reply of such a process that shows it, from the first time on.

    The one with the least `lot` of a function is in the audit."""

    scenario: Scenario
    index: int
    reference: Observation
    lot: bytes
    arguments: int | None = None
    expected: bytes | None = None
    id: StimulusId = field(init=False)

    def __post_init__(self) -> None:
        self.id = StimulusId(self.scenario.id, self.index)

    @property
    def stimulus(self) -> Stimulus:
        """Return the draw itself."""
        return self.scenario.stimuli[self.index]

    def is_equal(self, data: bytes) -> bool:
        """Return whether a reply, not the `expected` one, shows that the program did the same as
        the reference."""
        limits = self.scenario.limits
        if decoded(data, self.stimulus, limits, arguments=self.arguments) != self.reference:
            return False
        self.expected = data
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferingDraw:
    """A draw of a sample that differed from the reference in the shared run."""

    entry: SharedStimulus
    data: bytes
    sources: Sources  # the submission's files

    def observation(self) -> Observation | None:
        """Return the observation; None if the reply does not show it."""
        entry, limits = self.entry, self.entry.scenario.limits
        return decoded(
            self.data,
            entry.stimulus,
            limits,
            arguments=entry.arguments,
            raised_in=self.sources,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRunResult:
    """The result of the shared run of a submission. `refused` says why there was none; `not_plain`,
    whether that is an object of the program that might change unseen.

    The observations are the reference's: `passed` of the stimuli that did the same, `differs` of
    those that did not. `audit` has one of `passed` for each function. `draws` are those of
    `differs` that belong to a sample."""

    refused: str = ""
    not_plain: bool = False
    passed: Mapping[StimulusId, Observation] = field(default_factory=dict)
    differs: Mapping[StimulusId, Observation] = field(default_factory=dict)
    audit: frozenset[StimulusId] = frozenset()
    draws: Mapping[StimulusId, DifferingDraw] = field(default_factory=dict)


@dataclass(slots=True)
class _RepliesOfRun:
    """Sorts the replies of shared processes as they arrive."""

    entries: Mapping[int, SharedStimulus]
    equal: list[SharedStimulus] = field(default_factory=list)
    other: list[SharedStimulus] = field(default_factory=list)

    def should_retain(self, number: int, data: bytes) -> bool:
        """Sort the reply of the stimulus with this number; return whether it is needed later."""
        entry = self.entries[number]
        if data == entry.expected or entry.is_equal(data):
            self.equal.append(entry)
            return False
        self.other.append(entry)
        return entry.scenario.is_sample and len(data) <= _MAX_DRAW_BYTES


def _retain_nothing(number: int, data: bytes) -> bool:
    return False


class SharedRuns:
    """The stimuli of a plan that may share a process, packed once; `key` is the reference's.

    `secret` is the course's: with the plan it orders the scenarios and chooses those of the audit,
    the same for every program and every run. Nobody who does not know it can tell which places are
    not audited."""

    def __init__(self, plan: Plan, key: AnswerKey | None, secret: bytes) -> None:
        self._plan = plan
        self._key = key
        self._secret = secret
        self._entries: dict[int, SharedStimulus] = {}
        self._groups: tuple[SharedGroup, ...] | None = None
        self._digests: dict[str, str] = {}

    def expected_digests(self, server: Observer) -> Mapping[str, str]:
        """Return, by id, a digest of the reference's observations of each scenario whose stimuli
        may all share a process.
        """
        if isinstance(server, SharingObserver):
            self._prepare(server)
        return self._digests

    def run(
        self,
        server: Observer,
        scenarios: Iterable[Scenario],
        later: Collection[str] = frozenset(),
    ) -> SharedRunResult:
        """Run these scenarios. Functions with more scenarios among the ids `later` are audited
        then."""
        if not isinstance(server, SharingObserver):
            return SharedRunResult(refused="this machine runs programs over pipes")
        if self._key is None:
            return SharedRunResult(refused="no reference to compare with")
        groups = self._prepare(server)
        wanted = {scenario.id for scenario in scenarios}
        replies = _RepliesOfRun(self._entries)
        draws: dict[StimulusId, DifferingDraw] = {}
        for group in groups:
            numbers = self._numbers_of(group, wanted)
            if len(numbers) < _WORTH_A_PROCESS:
                continue
            outcome = self._run_group(server, group, numbers, replies)
            if outcome.refused:
                reason = self._reason(outcome)
                return SharedRunResult(refused=reason, not_plain=outcome.not_plain)
            for number, data in outcome.answers.items():
                entry = self._entries[number]
                draw = DifferingDraw(entry=entry, data=data, sources=server.sources)
                draws[entry.id] = draw
        return SharedRunResult(
            passed=_references(replies.equal),
            differs=_references(replies.other),
            audit=self._choose_audit(replies.equal, self._shared_later(groups, later)),
            draws=draws,
        )

    def _numbers_of(self, group: SharedGroup, scenarios: Collection[str]) -> list[int]:
        """Return the numbers in a group that belong to the scenarios with these ids, in the
        group's order."""
        entries = self._entries
        return [number for number in group.jobs if entries[number].scenario.id in scenarios]

    def _run_group(
        self,
        server: SharingObserver,
        group: SharedGroup,
        numbers: list[int],
        replies: _RepliesOfRun,
    ) -> SharedOutcome:
        outcome = server.observe_together(group, numbers, replies.should_retain)
        if outcome.changed_by is None:
            return outcome
        # Again in the plan's order, only for the reason: it must not depend on the secret.
        again = server.observe_together(group, sorted(numbers), _retain_nothing)
        return again if again.refused else outcome

    def _reason(self, outcome: SharedOutcome) -> str:
        if outcome.changed_by is None:
            return outcome.refused
        changed_by = self._entries[outcome.changed_by].scenario.id
        return f"{outcome.refused} was changed by {changed_by}"

    def _choose_audit(
        self, equal: Iterable[SharedStimulus], put_off: Collection[str]
    ) -> frozenset[StimulusId]:
        """Choose one stimulus of each function that is not put off."""
        candidates = [entry for entry in equal if entry.scenario.function not in put_off]
        return frozenset(entry.id for entry in _least_of_each_function(candidates))

    def _shared_later(
        self, groups: Iterable[SharedGroup], later: Collection[str]
    ) -> frozenset[str]:
        """Return the functions with scenarios of the ids `later` that will share a process."""
        found: set[str] = set()
        for group in groups:
            functions: set[str] = set()
            parts: Counter[Visibility] = Counter()
            for number in self._numbers_of(group, later):
                scenario = self._entries[number].scenario
                functions.add(scenario.function)
                parts[scenario.visibility] += 1
            if parts and max(parts.values()) >= _WORTH_A_PROCESS:
                found |= functions
        return frozenset(found)

    def functions_of(self, audit: Collection[StimulusId]) -> frozenset[str]:
        """Return the functions of these stimuli."""
        functions: set[str] = set()
        for entry in self._entries.values():
            if entry.id in audit:
                functions.add(entry.scenario.function)
        return frozenset(functions)

    def chosen_for_audit(self, scenarios: Collection[Scenario]) -> tuple[Scenario, ...]:
        """Return one scenario of each function, chosen by the secret."""
        wanted = {scenario.id for scenario in scenarios}
        entries = [entry for entry in self._entries.values() if entry.scenario.id in wanted]
        return tuple(entry.scenario for entry in _least_of_each_function(entries))

    def _prepare(self, server: SharingObserver) -> tuple[SharedGroup, ...]:
        if self._groups is not None:
            return self._groups
        shareable = self._shareable()
        asked: dict[int, tuple[Stimulus, Limits]] = {}
        for number, entry in shareable.items():
            asked[number] = (entry.stimulus, entry.scenario.limits)
        groups: list[SharedGroup] = []
        for packed in _by_process(server.group(asked), shareable):
            groups += self._processes(packed, shareable)
        self._groups = tuple(groups)
        self._digest_references()
        return self._groups

    def _shareable(self) -> dict[int, SharedStimulus]:
        """Return the stimuli that may share a process, by their numbers in the plan's order."""
        shareable: dict[int, SharedStimulus] = {}
        answers: dict[str, tuple[Answer, ...]] = {}
        if self._key is not None:
            answers = {entry.scenario_id: entry.answers for entry in self._key.scenarios}
        for scenario in self._plan.scenarios:
            if scenario.faster_than:  # its time is measured in its own process
                continue
            pairs = zip(scenario.stimuli, answers.get(scenario.id, ()), strict=False)
            for index, (stimulus, answer) in enumerate(pairs):
                if may_share(stimulus):
                    number = len(shareable)
                    shareable[number] = SharedStimulus(
                        scenario=scenario,
                        index=index,
                        reference=answer.observation,
                        lot=self._draw("audit", number),
                    )
        return shareable

    def _digest_references(self) -> None:
        references = _references(self._entries.values())
        for scenario in self._plan.scenarios:
            ids = [StimulusId(scenario.id, index) for index in range(len(scenario.stimuli))]
            if all(id_ in references for id_ in ids):
                observations = tuple(references[id_] for id_ in ids)
                self._digests[scenario.id] = sha256(encoded(observations)).hexdigest()

    def _processes(
        self, group: SharedGroup, shareable: Mapping[int, SharedStimulus]
    ) -> Iterator[SharedGroup]:
        """Yield the group in the processes in which it is asked, so that no question shows a later
        answer.
        """
        left: dict[int, SharedStimulus] = {}
        for number, job in group.jobs.items():
            entry = shareable[number]
            if has_one_form(entry.reference, entry.stimulus):
                entry.arguments = job.arguments
                left[number] = entry
        while len(left) >= _WORTH_A_PROCESS:
            order = _order_by_function(left, group)
            order.then.sort(key=lambda number: self._draw("order", number))
            # Those with the same constants beside each other.
            order.then.sort(
                key=lambda number: self._draw("constants", group.jobs[number].selection)
            )
            numbers = [*order.first, *order.then]
            for number in numbers:
                self._entries[number] = left.pop(number)
            yield group.only(numbers)

    def _draw(self, purpose: str, of: object) -> bytes:
        """Return a number that only the holder of the secret knows."""
        text = f"{self._plan.spec_digest}\0{purpose}\0{of}"
        return hmac.digest(self._secret, text.encode(), "sha256")


def _order_by_function(left: Mapping[int, SharedStimulus], group: SharedGroup) -> QuestionOrder:
    """Order the questions about each function; other functions' answers in them do not
    count, see `_by_process`."""
    functions: dict[str, dict[int, SharedStimulus]] = {}
    for number, entry in left.items():
        functions.setdefault(group.jobs[number].about, {})[number] = entry
    whole = QuestionOrder()
    for entries in functions.values():
        order = order_of(entries)
        whole.first += order.first
        whole.then += order.then
    return whole


def _by_process(
    groups: Iterable[SharedGroup], entries: Mapping[int, SharedStimulus]
) -> Iterator[SharedGroup]:
    """Yield the questions of one process after another.

    One is asked all visible scenarios: there another function's
    answers are not secret. Everything else is asked in a process for each function.
    """
    shown: list[SharedGroup] = []
    others: list[SharedGroup] = []
    for group in groups:
        visible: list[int] = []
        hidden: list[int] = []
        for number in group.jobs:
            is_visible = entries[number].scenario.visibility is Visibility.VISIBLE
            if is_visible:
                visible.append(number)
            else:
                hidden.append(number)
        if visible:
            shown.append(group.only(visible))
        others.append(group.only(hidden))
    if shown:
        yield in_one_process(shown)
    yield from others


def _references(entries: Iterable[SharedStimulus]) -> dict[StimulusId, Observation]:
    return {entry.id: entry.reference for entry in entries}


def _least_of_each_function(entries: Iterable[SharedStimulus]) -> Iterable[SharedStimulus]:
    """Return the stimulus with the least lot of each function."""
    greatest_first = sorted(entries, key=lambda entry: entry.lot, reverse=True)
    least: dict[str, SharedStimulus] = {}
    for entry in greatest_first:
        least[entry.scenario.function] = entry
    return least.values()
