"""The reference's calls to its own functions in a scenario: all that these answer to a
submission that runs with them instead of its own (docs/decisions/order-protects-the-hidden.md).
"""

from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from harness.execution import AnyDriver, CallsOf
from harness.model.assignment import Assignment, SourceFile
from harness.model.stimulus import Limits, Stimulus


@dataclass(slots=True, kw_only=True)
class ReferenceCalls:
    """Observes the reference once for each scenario and the names that are substituted there."""

    driver: AnyDriver
    stack: ExitStack  # holds the reference's server from its first use on
    assignment: Assignment
    reference: tuple[SourceFile, ...]
    slowness: float
    _calls_of: CallsOf | None = None
    _known: dict[Stimulus, tuple[str, ...] | None] = field(default_factory=dict)

    def of(self, stimulus: Stimulus, limits: Limits) -> tuple[str, ...] | None:
        """Return digests of its calls of the substituted functions; None if they cannot be
        substituted in the reference itself.
        """
        if all(substitution.provided for substitution in stimulus.substitutions):
            return ()
        if stimulus not in self._known:
            here = replace(limits, cpu_seconds=limits.cpu_seconds * self.slowness)
            self._known[stimulus] = self._opened()(stimulus, here)
        return self._known[stimulus]

    def _opened(self) -> CallsOf:
        if self._calls_of is None:
            opened = self.driver.asked_by(self.assignment, self.reference)
            self._calls_of = self.stack.enter_context(opened)
        return self._calls_of
