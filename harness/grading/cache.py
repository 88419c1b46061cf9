"""Observations and verdicts of earlier runs, by keys made of all that they depend on."""

from __future__ import annotations

from typing import Protocol

from harness.model.observation import Observation
from harness.model.verdict import Verdict


class ResultCache(Protocol):
    """Where earlier observations and verdicts are kept."""

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """What was observed under this key."""

    def verdict(self, key: str) -> Verdict | None:
        """What was judged under this key."""


class EmptyCache:
    """Nothing was ever observed."""

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """Nothing."""
        return None

    def verdict(self, key: str) -> Verdict | None:
        """Nothing."""
        return None
