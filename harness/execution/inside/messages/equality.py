"""Whether a value is equal to what `{equals: …}` gives beside the submission.

Data is never compared here: the parent does that. The submission's own `==` is asked where the
expected value, or a part of it, is an object of one of its classes, and nowhere else: what holds
such objects is read with the methods of its built-in kind.
"""

from __future__ import annotations

from .objects import content, data_kind, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .objects import ObjectEquality

_SEQUENCES = (list, tuple)
_WITHOUT_ORDER = (set, frozenset)
_NUMBERS = (bool, int, float, complex)


def is_data(expected: object) -> bool:
    """Whether the expected value is of built-in kinds of data alone, with all of its parts."""
    kind = type(expected)
    if data_kind(kind) is not kind:
        return False
    if kind in _SEQUENCES or kind in _WITHOUT_ORDER or kind is dict:
        return all(map(is_data, members(expected, kind)))
    return True


def answer(value: object, expected: object, comparison: ObjectEquality) -> object:
    """What `==` says of an object of the program's own; of anything else whether it is equal."""
    kind = type(expected)
    if comparison.is_own(kind):
        return value == expected
    if data_kind(kind) is not kind:  # of the standard library: its own method says it
        return not comparison.is_own(type(value)) and kind.__eq__(expected, value) is True
    base = data_kind(type(value))
    if kind in _NUMBERS and base in _NUMBERS:
        return content(value, base) == expected
    if base is not kind:
        return False
    if kind not in _SEQUENCES and kind not in _WITHOUT_ORDER and kind is not dict:
        return content(value, kind) == expected
    parts, others = members(value, kind), members(expected, kind)
    if len(parts) != len(others):
        return False
    if kind in _SEQUENCES:
        return all(
            answer(part, other, comparison) is True
            for part, other in zip(parts, others, strict=True)
        )
    step = 2 if kind is dict else 1
    left = [parts[at : at + step] for at in range(0, len(parts), step)]
    for at in range(0, len(others), step):
        pair = others[at : at + step]
        for number, own in enumerate(left):
            if all(answer(*both, comparison) is True for both in zip(own, pair, strict=True)):
                del left[number]
                break
        else:
            return False
    return True
