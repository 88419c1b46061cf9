"""What students' tests are about, and a text that nothing of theirs may find."""

_CODE = "canary-5f0c9d2e7ab84c31"


def double(x):
    """Return twice x."""
    if x is None:
        raise TypeError("no number")
    return x * 2


def first(xs):
    """Return the first item."""
    return xs[0]
