"""Assert on the text and the code of the program, in each way that shows it."""

import inspect
import os

import pytest

import a1


def texts():
    """Yield whatever looks like the program's text."""
    yield inspect.getsource(a1.double)
    yield open(a1.__file__).read()
    yield a1.__spec__.loader.get_source("a1")
    yield str(a1.double.__code__.co_consts)
    yield str(a1.double.__globals__["_CODE"])
    yield "{0.__globals__}".format(a1.double)
    yield str(vars(a1))
    for folder, _, files in os.walk("/"):
        if "a1.py" in files:
            yield open(os.path.join(folder, "a1.py")).read()


def found():
    """Return all of it that can be had."""
    parts = []
    ways = texts()
    while True:
        try:
            parts.append(next(ways))
        except StopIteration:
            return parts
        except BaseException as error:
            parts.append(type(error).__name__)
            return parts


@pytest.mark.parametrize("wrong", ["x ** 2", "xs[-1]", "_CODE"])
def test_text(wrong):
    assert not any(wrong in text for text in found())


@pytest.mark.parametrize("way", ["__code__", "__globals__", "__closure__", "__builtins__"])
def test_attribute(way):
    try:
        seen = str(getattr(a1.double, way))
    except AttributeError:
        return
    assert "** 2" not in seen
