"""Assert on all that may tell one program from another: messages, reprs, addresses, places."""

import traceback

import pytest

import a1


def looks():
    """Yield texts and numbers about the program, none of which is what it does."""
    yield "repr", (repr(a1.double), str(a1), a1.__file__, a1.__name__)
    yield "address", (hash(a1.double), id(a1.double) % 16, len(dir(a1)))
    for call in (lambda: a1.double(None), lambda: a1.first(None), lambda: a1._CODE):
        try:
            call()
        except Exception as error:
            shown = "".join(traceback.format_exception(error))
            yield type(error).__name__, (str(error), "a1.py" in shown, error.__notes__ if hasattr(error, "__notes__") else 0)


@pytest.mark.parametrize("number", range(5))
def test_look(number):
    _, look = list(looks())[number]
    assert "canary" not in str(look)
    assert "** 2" not in str(look)
    assert "-1" not in str(look)
