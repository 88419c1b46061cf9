"""List the kinds of stimuli: the ways in which a scenario uses a submission, one file each.

A kind's file says how it is read from YAML and written there, which part of it is run, and how it
is described and drawn. The part that runs beside a submission is in
`harness.execution.inside.stimuli`, by the same name; a kind that has nothing there runs as the
call, session or program that it is made of.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from harness.common.discovery import subclasses
from harness.model.stimulus import Action


@cache
def stimulus_kinds() -> Mapping[str, type[Action]]:
    """Return the kinds that a scenario can state, by their keys in YAML, in their order."""
    return {kind.key: kind for kind in _all_kinds() if kind.is_stated}


@cache
def action_classes() -> Mapping[str, type[Action]]:
    """Return all kinds by the names of their classes, as a stored plan names them."""
    return {kind.__name__: kind for kind in _all_kinds()}


def _all_kinds() -> Sequence[type[Action]]:
    return subclasses(__name__, __path__, Action, lambda kind: kind.order)  # type: ignore[type-abstract]
