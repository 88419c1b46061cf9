"""What a scenario may do to a submission: the kinds of stimuli, a file each, which says how it is
read from YAML and written there, what of it is run, and how it is worded and drawn. What runs
beside a submission is in `harness.execution.inside.stimuli`, by the same name; a kind that has
nothing there does what a call, a session or a run does, as it is made of."""

from collections.abc import Mapping
from functools import cache

from harness.common.discovery import subclasses
from harness.model.stimulus import Action


@cache
def stimulus_kinds() -> Mapping[str, type[Action]]:
    """All kinds by their keys in YAML, in their order."""
    kinds = subclasses(__name__, __path__, Action, lambda kind: kind.order)  # type: ignore[type-abstract]
    return {kind.key: kind for kind in kinds}


@cache
def action_classes() -> Mapping[str, type[Action]]:
    """All kinds by the names of their classes, as a stored plan names them."""
    return {kind.__name__: kind for kind in stimulus_kinds().values()}
