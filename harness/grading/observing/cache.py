"""Observations and verdicts of earlier runs, by keys made of all that they depend on.

A stored observation is used again only by the code that would observe the same. Of our own sources
a key holds all that can change an observation, and nothing else: another hint of `harness doctor`,
or another place to look for an interpreter, makes no submission run again.
"""

from __future__ import annotations

from typing import Protocol

from harness.common.digests import source_digest
from harness.model.observation import Observation
from harness.model.verdict import Verdict

# Every file of `execution` can change what is observed but these. A new file counts unless it is
# named here, so that forgetting one costs time and never a wrong mark.
_NOT_OBSERVING = frozenset(
    {
        "execution/__init__.py",  # names for other packages
        "execution/interpreter.py",  # which interpreter is part of the observation's key
        "execution/scratch.py",  # where temporary folders are made and removed
        "execution/confinement/forbidden_acts.py",  # what the trial of a tier tries
        "execution/confinement/probe.py",  # which tier this machine has; the tier is in the key
        "execution/confinement/remedies.py",  # the hints of `harness doctor`
    }
)
# What the codec's replies are read into.
_MODEL = ("model/observation.py", "model/stimulus.py", "model/values.py")


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


def execution_digest() -> str:
    """The digest of all sources that can change an observation, hexadecimal."""
    return source_digest("execution", *_MODEL, leave_out=_NOT_OBSERVING)


def judging_digest() -> str:
    """The digest of all sources that can change a verdict, hexadecimal."""
    return source_digest("common/escaping.py", "judging", "matchers", "model/values.py")
