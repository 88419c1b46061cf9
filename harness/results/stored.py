"""A run's results where they lie: read from the database one at a time, whenever asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from harness.model.errors import UserError
from harness.model.result import RunFacts, SubmissionResult

if TYPE_CHECKING:
    from harness.results.reader import StoreReader


class StoredResults(Sequence[SubmissionResult]):
    """The results of `ids` in this order; none is held, so that a class of thousands takes no more
    room than one submission. `tuple(…)` of it keeps them.

    Reading raises UserError when another run has been written over the one that this was made of.
    """

    def __init__(
        self, ids: Sequence[str], facts: RunFacts, reopen: Callable[[], StoreReader]
    ) -> None:
        self.ids = tuple(ids)
        self._run = (facts.assignment, facts.started)
        self._reopen = reopen

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[SubmissionResult]:
        return self._read(self.ids)

    @overload
    def __getitem__(self, index: int) -> SubmissionResult: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[SubmissionResult, ...]: ...

    def __getitem__(self, index: int | slice) -> SubmissionResult | tuple[SubmissionResult, ...]:
        if isinstance(index, slice):
            return tuple(self._read(self.ids[index]))
        return next(self._read([self.ids[index]]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _read(self, ids: Sequence[str]) -> Iterator[SubmissionResult]:
        with self._reopen() as store:
            facts = store.facts()
            if (facts.assignment, facts.started) != self._run:
                raise _written_over(store)
            for name in ids:
                result = store.whole_result(name)
                if result is None:
                    raise _written_over(store)
                yield result


def _written_over(store: StoreReader) -> UserError:
    return UserError(
        "another run has been written here since these results were asked for",
        place=str(store.path),
        hint="read the run again",
    )
