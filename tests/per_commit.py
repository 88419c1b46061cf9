"""Which cases of a table run on every commit; the others run before a release (`make test-all`)."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def per_commit(cases: Iterable[object], *kept: object) -> list[ParameterSet]:
    """All `cases` as parameters, those that are not `kept` marked `release`. Raises ValueError for
    a kept one that is not a case."""
    every = list(cases)
    unknown = [case for case in kept if case not in every]
    if unknown:
        raise ValueError(f"no such cases: {unknown}")
    return [pytest.param(case, marks=() if case in kept else pytest.mark.release) for case in every]
