"""What a scenario may do to a submission: a file each, which binds its `StimulusKind`."""

from collections.abc import Mapping, Set
from functools import cache

from harness.assignment.scenarios.context import Context
from harness.assignment.scenarios.stimulus import StimulusKind
from harness.common.discovery import extensions
from harness.common.words import listed
from harness.matchers.reading import Refused

_CLASHES = (
    ("stdin", "input", "what is piped in is no terminal"),
    ("replies", "input", "a generator of replies types all input"),
    ("returns", "raises", "a call that raises returns nothing"),
)
_SHOWN = frozenset({"returns", "prints", "turns", "transcript", "raises"})  # by a session too
_OF_THE_SCREEN = frozenset({"prints", "turns", "transcript"})


@cache
def stimulus_kinds() -> Mapping[str, StimulusKind]:
    """All kinds by their names, in their order."""
    kinds = extensions(__name__, __path__, StimulusKind, lambda kind: kind.order)
    return {kind.name: kind for kind in kinds}


def kind_of(context: Context) -> StimulusKind:
    """The kind of the scenario's one stimulus; Refused for none or several."""
    kinds = stimulus_kinds()
    stated = [name for name in kinds if context.states(name)]
    if len(stated) == 1:
        return kinds[stated[0]]
    what = f"expected exactly one of {listed(kinds, 'or')}, got {' and '.join(stated) or 'none'}"
    if stated:
        hint = "make one scenario of each"
        context.add((*context.loc, stated[1]), what, hint, key=True)
    elif not context.broken:
        context.add(context.loc, what)
    raise Refused


def check_takes(context: Context, kind: StimulusKind) -> None:
    """Mistakes for the keys that the stimulus cannot show or that rule each other out."""
    kinds = stimulus_kinds().values()
    for key in {key for other in kinds for key in other.takes}:
        if context.states(key) and key not in kind.takes:
            owners = listed((other.name for other in kinds if key in other.takes), "or")
            hint = kind.elsewhere if key in _SHOWN else ""
            hint = hint or f"it belongs to {owners}"
            context.add(context.at(key), f"a {kind.name} has no {key}", hint, key=True)
    for one, other, what in _CLASHES:
        if context.states(one) and context.states(other):
            context.add(context.at(other), what, f"keep one of {one} and {other}", key=True)


def ruled_out(kind: StimulusKind, stated: Set[str]) -> set[str]:
    """The keys that the stimulus cannot show, and those that do not go with the stated ones."""
    keys = {key for other in stimulus_kinds().values() for key in other.takes} - {*kind.takes}
    for one, other, _ in _CLASHES:
        keys |= {one} if other in stated else set()
        keys |= {other} if one in stated else set()
    return keys | (_OF_THE_SCREEN - stated) if stated & _OF_THE_SCREEN else keys
