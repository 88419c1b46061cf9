"""Lists, trees and numbers as nobody thinks of them, for `harness fuzz`."""

from hypothesis import strategies as st

_NUMBER = st.one_of(
    st.integers(-9, 9), st.sampled_from([0.5, -0.25, 2.0, 1e-7, 3e20])
)
_NESTED = st.recursive(
    st.lists(_NUMBER, max_size=3),
    lambda inner: st.lists(st.one_of(_NUMBER, inner), max_size=4),
    max_leaves=8,
)


def _tree(names):
    """A tree of these names, the first at the top; no two are equal."""
    tree = {}
    places = [tree]
    for name, place in names:
        below = {}
        places[place % len(places)][name] = below
        places.append(below)
    return tree


_NAMES = st.lists(
    st.tuples(st.text(alphabet="aBé 1", max_size=2), st.integers(0, 9)),
    max_size=8,
    unique_by=lambda pair: pair[0],
)


def any_nested():
    """Return nested lists, empty ones and deep ones among them."""
    return st.fixed_dictionaries({"nested": _NESTED})


def any_tree():
    """Return trees in which every name is there once."""
    return st.fixed_dictionaries({"tree": _NAMES.map(_tree)})


def any_tree_and_name():
    """Return trees, and a name that is often in them."""
    name = st.text(alphabet="aBé 1", max_size=2)
    return st.fixed_dictionaries({"tree": _NAMES.map(_tree), "name": name})


def any_power():
    """Return a base of which powers are exact, and an exponent."""
    base = st.sampled_from([0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0])
    return st.fixed_dictionaries(
        {"base": base, "exponent": st.integers(-40, 40)}
    )


def any_tower():
    """Return a small tower and three pegs."""
    pegs = st.permutations(["A", "B", "C", "left"])
    return st.fixed_dictionaries({"disks": st.integers(0, 6), "pegs": pegs})
