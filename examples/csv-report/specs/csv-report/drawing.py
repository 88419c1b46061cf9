"""Rows and sales as nobody thinks of them, for `harness fuzz`."""

from hypothesis import strategies as st

_PRODUCT = st.text(alphabet="aB \"',;\né7", max_size=4)
_NUMBER = st.one_of(
    st.integers(-2, 1000).map(str),
    st.decimals(-1, 100, places=2).map(str),
    st.text(alphabet="0123-+._ e,", max_size=4),
)
# Quarters are exact, so that sums do not depend on their order.
_PRICE = st.integers(0, 40).map(lambda number: number / 4)
_SALE = st.tuples(_PRODUCT, st.integers(1, 9), _PRICE)
_SALES = st.lists(_SALE, max_size=6)


def any_row():
    """Return the fields of right lines and of others."""
    three = st.tuples(_PRODUCT, _NUMBER, _NUMBER).map(list)
    fields = st.one_of(three, st.lists(_NUMBER, max_size=4))
    return st.fixed_dictionaries({"fields": fields, "line": st.integers(1, 99)})


def any_sales():
    """Return sales, often of the same product."""
    return st.fixed_dictionaries({"sales": _SALES})


def any_sales_and_count():
    """Return sales, and how many are asked for."""
    return st.fixed_dictionaries({"sales": _SALES, "count": st.integers(0, 4)})
