"""A driver with a deadline: after it nothing new is run, and what was not run is no answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Self

from harness.execution import AnyDriver, Interpreter
from harness.execution.driving import Answers, Observes
from harness.model.observation import Ending, Observation
from harness.model.plan import Assignment, SourceFile
from harness.model.result import Tier
from harness.model.stimulus import Limits, Stimulus

NOT_IN_TIME = Observation(ending=Ending.HARNESS_ERROR, detail="not run: out of time")


class InTime:
    """Like `driver`, until `clock()` is `end`; then `ran_out` is set.

    An observation that never was is a failure of ours: it earns nothing, costs nothing, and leaves
    the submission without a mark.
    """

    def __init__(
        self, driver: AnyDriver, end: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.interpreter: Interpreter = driver.interpreter
        self.tier: Tier = driver.tier
        self.ran_out = False
        self._driver = driver
        self._end = end
        self._clock = clock

    def __enter__(self) -> Self:
        self._driver.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        self._driver.__exit__(kind, error, trace)

    @contextmanager
    def submission(
        self, assignment: Assignment, files: tuple[SourceFile, ...]
    ) -> Iterator[Observes]:
        """The driver's, as long as there is time."""
        with self._driver.submission(assignment, files) as server:
            yield _InTimeServer(server, self)

    def tool(self, sources: Mapping[str, str], entry: str) -> AbstractContextManager[Answers]:
        """The driver's; ours ends by its own limits."""
        return self._driver.tool(sources, entry)

    def is_over(self) -> bool:
        """Whether nothing new may begin."""
        self.ran_out = self.ran_out or self._clock() >= self._end
        return self.ran_out


class _InTimeServer:
    def __init__(self, server: Observes, driver: InTime) -> None:
        self._server = server
        self._driver = driver

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        if self._driver.is_over():
            return NOT_IN_TIME
        return self._server.observe(stimulus, limits)
