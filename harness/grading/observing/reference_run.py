"""The reference's observations, made together where it may share a process.

The walls, the shared process and the audit are those of a submission (`shared_run`). What has no
canonical form, and what was not seen together, is observed alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.execution import CPU_SHARE, AnyDriver, ToolFailed, decoded, may_share
from harness.grading.observing.looping import LOWEST_FACTOR, LOWEST_SECONDS
from harness.grading.observing.running import Observer, read_program
from harness.grading.observing.shared_run import SharingObserver
from harness.model.observation import Observation
from harness.model.plan import Assignment, SourceFile
from harness.model.stimulus import Call, Limits, Stimulus, called_function
from harness.policy import ENTRY, SOURCES

Asked = tuple[Stimulus, Limits]
_MOST_SECONDS = LOWEST_SECONDS / LOWEST_FACTOR
_BRIEF = _MOST_SECONDS / CPU_SHARE


class ReferenceObserver:
    """Answers with what was seen together, else observes."""

    def __init__(self, server: Observer, seen: dict[Stimulus, Observation]) -> None:
        self._server = server
        self._seen = seen

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """The outcome of one stimulus under these limits."""
        seen = self._seen.get(stimulus)
        return self._server.observe(stimulus, limits) if seen is None else seen


def observe_reference(
    driver: AnyDriver,
    server: Observer,
    assignment: Assignment,
    reference: tuple[SourceFile, ...],
    asked: Iterable[Asked],
) -> ReferenceObserver:
    """An observer of the reference that has already seen together whatever of this may be."""
    seen: dict[Stimulus, Observation] = {}
    if isinstance(server, SharingObserver) and _may_share(driver, assignment, reference):
        shared = {stimulus: limits for stimulus, limits in asked if may_share(stimulus)}
        seen = _observe_together(server, shared)
        if not _holds_alone(server, seen, shared):
            seen = {}
    return ReferenceObserver(server, seen)


def _may_share(
    driver: AnyDriver, assignment: Assignment, reference: tuple[SourceFile, ...]
) -> bool:
    try:
        with driver.tool(SOURCES, ENTRY) as tool:
            sharing = read_program(tool, assignment, reference).sharing
    except ToolFailed:
        return False
    return sharing is not None and sharing.allowed


def _observe_together(
    server: SharingObserver, asked: dict[Stimulus, Limits]
) -> dict[Stimulus, Observation]:
    # How long it took is measured alone only, and limits of looping submissions follow from it:
    # what runs here may take so little only, and counts as if it had taken all of that.
    brief = {
        number: (stimulus, replace(limits, cpu_seconds=min(limits.cpu_seconds, _BRIEF)))
        for number, (stimulus, limits) in enumerate(asked.items())
    }
    seen: dict[Stimulus, Observation] = {}
    for group in server.group(brief):
        group.cpu_seconds = max(asked[brief[number][0]].cpu_seconds for number in group.jobs)
        outcome = server.observe_together(group, sorted(group.jobs))
        if outcome.refused:
            return {}
        for number, data in outcome.seen.items():
            stimulus, limits = brief[number]
            observation = decoded(data, stimulus, limits, arguments=group.jobs[number].arguments)
            if observation is not None:
                seen[stimulus] = replace(observation, cpu_seconds=_MOST_SECONDS)
    return seen


def _holds_alone(
    server: Observer, seen: dict[Stimulus, Observation], asked: dict[Stimulus, Limits]
) -> bool:
    """Whether one stimulus of each function and set of constants does alone what it did."""
    chosen: dict[object, Stimulus] = {}
    for stimulus in seen:
        action = stimulus.action
        called = called_function(action.expression) if isinstance(action, Call) else type(action)
        chosen.setdefault((called, stimulus.constants), stimulus)
    return all(server.observe(each, asked[each]) == seen[each] for each in chosen.values())
