"""The kinds of stimuli: the ways in which a scenario uses a submission, one module for each.

A module defines how its kind is read from and written to YAML, which part of it is run, and how it
is displayed. The code that runs next to a submission is in `harness.execution.inside.stimuli` under
the same name; kinds without such code run as a call, session or program.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from harness.common.discovery import subclasses
from harness.model.stimulus import Action


@cache
def stimulus_kinds() -> Mapping[str, type[Action]]:
    """Return the kinds that a scenario can state, by YAML key, in their order."""
    return {kind.key: kind for kind in _all_kinds() if kind.is_stated}


@cache
def action_classes() -> Mapping[str, type[Action]]:
    """Return all kinds by class name, for reading stored plans."""
    return {kind.__name__: kind for kind in _all_kinds()}


def _all_kinds() -> Sequence[type[Action]]:
    return subclasses(__name__, __path__, Action, lambda kind: kind.order)  # type: ignore[type-abstract]
