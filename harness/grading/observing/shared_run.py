"""Runs scenarios of a submission in shared processes, and decides which of their results count.

A program that may share a process has the scenarios of each function of the sheet run one after
another in one process. Only observations that equal the reference's count, and they count as
passed; everything else is observed again in its own process, and that is judged. One of the equal
ones of each function is observed again as well: an audit.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Protocol, runtime_checkable

from harness.execution import (
    Keep,
    SharedGroup,
    SharedOutcome,
    Sources,
    decoded,
    has_one_form,
    may_share,
)
from harness.grading.observing.running import SAYS_NOTHING_ALONE, Observer
from harness.judging.judge import Judge
from harness.model.expectation import AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Limits, Stimulus
from harness.model.verdict import VerdictKind
from harness.results.reuse import encoded

JudgeOf = Callable[[Scenario, int], Judge]  # of the draw of this index
_WORTH_A_PROCESS = 2  # one stimulus costs less in its own process than in one that is audited
_LARGEST_DRAW = 1 << 14  # bytes of a draw that differs; a larger one is observed in its own process
_SHORTEST_TOLD = 8  # characters; shorter texts occur in many others by chance


@runtime_checkable
class SharingObserver(Observer, Protocol):
    """A submission server that can also run many stimuli in one process."""

    @property
    def sources(self) -> Sources:
        """The submission's files."""

    def group(self, wanted: Mapping[int, tuple[Stimulus, Limits]]) -> tuple[SharedGroup, ...]:
        """These stimuli packed, by number."""

    def observe_together(
        self,
        group: SharedGroup,
        order: Sequence[int],
        keep: Keep = lambda number, data: True,
        most_seconds: float | None = None,
    ) -> SharedOutcome:
        """Run these numbers of a group in one process, for so many seconds at most."""


@dataclass(slots=True, kw_only=True)
class SharedStimulus:
    """A stimulus that may share a process, and what the reference did; what is reported of that,
    once that is known. Among a function's, the one with the least `lot` is in the audit."""

    scenario: Scenario
    index: int
    stimulus: Stimulus
    reference: Observation
    lot: bytes
    arguments: int | None = None
    expected: bytes = b""

    def is_equal(self, data: bytes) -> bool:
        """Return whether the report shows that it did the same as the reference."""
        limits = self.scenario.limits
        if data != self.expected:
            if decoded(data, self.stimulus, limits, arguments=self.arguments) != self.reference:
                return False
            self.expected = data
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What the shared run of a submission found. `refused` says why there was none. `passed` are
    the reference's observations by the identity of the stimulus that showed them, `differs` the
    reference's of those that showed something else, `audit` one of each function. `draws` are those
    of `differs` that belong to a sample."""

    refused: str = ""
    passed: Mapping[int, Observation] = field(default_factory=dict)
    differs: Mapping[int, Observation] = field(default_factory=dict)
    audit: frozenset[int] = frozenset()
    draws: Mapping[int, DifferingDraw] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferingDraw:
    """A draw of a sample that did not do in the shared run what the reference does."""

    entry: SharedStimulus
    data: bytes
    sources: Sources  # the submission's files

    def observation(self) -> Observation | None:
        """Return the observation; None if the report does not show it."""
        entry, limits = self.entry, self.entry.scenario.limits
        return decoded(
            self.data,
            entry.stimulus,
            limits,
            arguments=entry.arguments,
            raised_in=self.sources,
        )


class SharedRuns:
    """The stimuli of a plan that may share a process, packed once; `key` is the reference's.
    `secret` is the course's: with the plan it orders the scenarios and chooses those of the audit,
    the same for every program and every run. What a program could do at the places that are not
    looked at must not pay."""

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
    ) -> Together:
        """Run these; functions of which scenarios with the ids `later` share a process as well are
        audited then."""
        if not isinstance(server, SharingObserver):
            return Together(refused="this machine runs programs over pipes")
        if self._key is None:
            return Together(refused="there is no reference to compare with")
        groups = self._prepare(server)
        wanted = {id(stimulus) for scenario in scenarios for stimulus in scenario.stimuli}
        equal: dict[int, SharedStimulus] = {}
        other: dict[int, SharedStimulus] = {}
        draws: dict[int, DifferingDraw] = {}

        def keep(number: int, data: bytes) -> bool:
            """Look at what was seen of a stimulus; True if it is needed later."""
            entry = self._entries[number]
            if entry.is_equal(data):
                equal[number] = entry
                return False
            other[number] = entry
            return entry.scenario.is_sample and len(data) <= _LARGEST_DRAW

        for group in groups:
            numbers = [n for n in group.jobs if id(self._entries[n].stimulus) in wanted]
            if len(numbers) < _WORTH_A_PROCESS:
                continue
            outcome = server.observe_together(group, numbers, keep)
            if outcome.changed_by is not None:
                # Again in the plan's order, only for the reason: it must not depend on the secret.
                again = server.observe_together(group, sorted(numbers), lambda number, data: False)
                outcome = again if again.refused else outcome
            if outcome.refused:
                by = outcome.changed_by
                changed = "" if by is None else f" was changed by {self._entries[by].scenario.id}"
                return Together(refused=outcome.refused + changed)
            for number, data in outcome.seen.items():
                entry = self._entries[number]
                draws[id(entry.stimulus)] = DifferingDraw(
                    entry=entry, data=data, sources=server.sources
                )
        least_last = sorted(equal.values(), key=lambda entry: entry.lot, reverse=True)
        put_off = self._shared_later(groups, later)
        audited = {
            entry.scenario.function: id(entry.stimulus)
            for entry in least_last
            if entry.scenario.function not in put_off
        }
        return Together(
            passed={id(entry.stimulus): entry.reference for entry in equal.values()},
            differs={id(entry.stimulus): entry.reference for entry in other.values()},
            audit=frozenset(audited.values()),
            draws=draws,
        )

    def _shared_later(
        self, groups: Iterable[SharedGroup], later: Collection[str]
    ) -> frozenset[str]:
        """Return the functions with scenarios of the ids `later` that will share a process."""
        found: set[str] = set()
        for group in groups:
            entries = [self._entries[number] for number in group.jobs]
            coming = [entry.scenario for entry in entries if entry.scenario.id in later]
            parts = Counter(scenario.visibility for scenario in coming)
            if any(count >= _WORTH_A_PROCESS for count in parts.values()):
                found.update(scenario.function for scenario in coming)
        return frozenset(found)

    def functions_of(self, audit: Collection[int]) -> frozenset[str]:
        """Return the functions of the stimuli with these identities."""
        entries = self._entries.values()
        return frozenset(one.scenario.function for one in entries if id(one.stimulus) in audit)

    def chosen_for_audit(self, scenarios: Collection[Scenario]) -> tuple[Scenario, ...]:
        """Return one of these scenarios of each function, chosen by the secret."""
        wanted = {scenario.id for scenario in scenarios}
        entries = [entry for entry in self._entries.values() if entry.scenario.id in wanted]
        entries.sort(key=lambda entry: entry.lot, reverse=True)
        least_of = {entry.scenario.function: entry.scenario for entry in entries}
        return tuple(least_of.values())

    def _prepare(self, server: SharingObserver) -> tuple[SharedGroup, ...]:
        if self._groups is not None:
            return self._groups
        shareable: dict[int, SharedStimulus] = {}
        known = self._key.scenarios if self._key else ()
        answers = {entry.scenario_id: entry.answers for entry in known}
        for scenario in self._plan.scenarios:
            if scenario.faster_than:  # what it takes is measured in a process of its own
                continue
            pairs = zip(scenario.stimuli, answers.get(scenario.id, ()), strict=False)
            for index, (stimulus, answer) in enumerate(pairs):
                if may_share(stimulus):
                    number = len(shareable)
                    shareable[number] = SharedStimulus(
                        scenario=scenario,
                        index=index,
                        stimulus=stimulus,
                        reference=answer.observation,
                        lot=self._draw("audit", number),
                    )
        asked = {n: (each.stimulus, each.scenario.limits) for n, each in shareable.items()}
        packed = server.group(asked)
        self._groups = tuple(each for group in packed for each in self._processes(group, shareable))
        seen = {id(each.stimulus): each.reference for each in self._entries.values()}
        for scenario in self._plan.scenarios:
            if all(id(stimulus) in seen for stimulus in scenario.stimuli):
                observations = tuple(seen[id(stimulus)] for stimulus in scenario.stimuli)
                self._digests[scenario.id] = sha256(encoded(observations)).hexdigest()
        return self._groups

    def _processes(
        self, group: SharedGroup, shareable: Mapping[int, SharedStimulus]
    ) -> Iterator[SharedGroup]:
        """Yield the group in the processes in which it is asked, so that no question shows a later
        answer.
        """
        entries: dict[int, SharedStimulus] = {}
        for number, job in group.jobs.items():
            entry = shareable[number]
            if has_one_form(entry.reference, entry.stimulus):
                entry.arguments = job.arguments
                entries[number] = entry
        while len(entries) >= _WORTH_A_PROCESS:
            first, then = _in_order(entries)
            then.sort(key=lambda number: self._draw("order", number))
            # Those with the same constants beside each other.
            then.sort(key=lambda number: self._draw("constants", group.jobs[number].selection))
            order = [*first, *then]
            self._entries |= {number: entries.pop(number) for number in order}
            yield replace(group, jobs={number: group.jobs[number] for number in order})

    def _draw(self, what: str, of: object) -> bytes:
        """Return a number that only the holder of the secret knows."""
        text = f"{self._plan.spec_digest}\0{what}\0{of}"
        return hmac.digest(self._secret, text.encode(), "sha256")


def _in_order(entries: Mapping[int, SharedStimulus]) -> tuple[list[int], list[int]]:
    """The numbers whose answers another's question shows, which are asked first and in this order,
    and those that may be asked in any. What an earlier question shows is in neither: a program
    that remembers what it was asked would have it from there, in whatever way it remembers."""
    questions = {number: _question(entry.stimulus) for number, entry in entries.items()}
    together = "\0".join(questions.values())
    first: list[int] = []
    then: list[int] = []
    asked = ""
    for number, entry in entries.items():
        answers = [a for a in _answers(entry.reference) if len(a) >= _SHORTEST_TOLD]
        if not any(together.count(a) > questions[number].count(a) for a in answers):
            then.append(number)
        elif not any(answer in asked for answer in answers):
            first.append(number)
            asked += "\0" + questions[number]
    return first, then


def _question(stimulus: Stimulus) -> str:
    action = stimulus.action
    texts = action.argv if action.program else stimulus.source_texts()
    named = (binding.literal for binding in (*stimulus.bindings, *stimulus.constants))
    typed = (each.text for each in stimulus.inputs)
    return "\0".join((*texts, *named, *typed)).translate(_UNTOLD)


def _answers(observation: Observation) -> set[str]:
    texts = ["".join(turn.printed for turn in observation.turns)]
    if observation.value is not None:
        texts.append(observation.value.source())
    if observation.arguments != observation.arguments_before:
        texts += [argument.source() for argument in observation.arguments]
    for step in observation.steps:
        texts += [step.printed, "" if step.value is None else step.value.source()]
    texts += [variable.value.source() for variable in observation.variables]
    return {text.translate(_UNTOLD) for text in texts}


_UNTOLD = str.maketrans("", "", "'\" \n\t\\")  # what a spelling may leave out or put in


class CheckedObserver:
    """Answers with what the shared run found equal, else observes; and checks the shared run.

    `refuted` is what showed that the program depends on what ran before: a stimulus that alone does
    what the reference does though it did not in the shared run, or one of the audit that alone does
    not. The identities of the stimuli that are answered from the shared run are added to `taken`.

    One failing draw decides about a sample, and is observed in its own process. Draws that come
    after it and failed in the shared run as well, by the judges of `judge_of`, are answered from
    there: they are counted and explain, and no mark depends on them.
    """

    def __init__(
        self, server: Observer, together: Together, taken: set[int], judge_of: JudgeOf | None
    ) -> None:
        self._server = server
        self._together = together
        self._taken = taken
        self._judge_of = judge_of
        self._failed_alone: set[str] = set()
        self.refuted: Stimulus | None = None

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        together, key = self._together, id(stimulus)
        passed = together.passed.get(key)
        if passed is not None and key not in together.audit:
            self._taken.add(key)
            return passed
        draw = together.draws.get(key)
        if draw is not None and draw.entry.scenario.id in self._failed_alone:
            failure = draw.observation()
            if failure is not None and self._fails(draw, failure):
                self._taken.add(key)
                return failure
        seen = self._server.observe(stimulus, limits)
        if draw is not None and self._fails(draw, seen):
            self._failed_alone.add(draw.entry.scenario.id)
        if seen == passed:
            self._taken.add(key)
            return passed
        if passed is None:
            wrong = seen == together.differs.get(key)
        else:
            wrong = seen.ending not in SAYS_NOTHING_ALONE
        if wrong and self.refuted is None:
            self.refuted = stimulus
        return seen

    def _fails(self, draw: DifferingDraw, seen: Observation) -> bool:
        if self._judge_of is None:
            return False
        judge = self._judge_of(draw.entry.scenario, draw.entry.index)
        return judge.kind(seen) is VerdictKind.FAILED
