"""Which names of a reference's classes a test may pass values to."""

from harness.assignment.sent_names import sent_names
from harness.model.assignment import SentNames, SourceFile


def names_of(text: str) -> SentNames:
    return sent_names([SourceFile(name="a1.py", data=text.encode())])


def test_methods_attributes_and_operators_of_classes_are_sent() -> None:
    found = names_of(
        "class Box:\n"
        "    def __init__(self): self.index = 1\n"
        "    def __mul__(self, n): pass\n"
        "    __rmul__ = __mul__\n"
        "def count(): pass\n"
    )
    assert found.objects is not None
    assert {"index", "__mul__", "__rmul__"} <= set(found.objects)
    assert "count" not in found.objects
    assert set(found.modules) >= {"Box", "count"}


def test_inherited_names_are_sent() -> None:
    assert "append" in (names_of("class Stack(list): pass").objects or ())
    assert "appendleft" in (
        names_of("import collections\nclass D(collections.deque): 0").objects or ()
    )
    ordered = "from functools import total_ordering\n@total_ordering\nclass A:\n  __lt__ = None"
    assert "__ge__" in (names_of(ordered).objects or ())
    assert "__gt__" in (names_of("@dataclass(order=True)\nclass A: pass").objects or ())
    assert names_of("class E(ValueError): pass\nclass F(E): pass").objects == ()


def test_a_class_of_an_unknown_base_allows_all_names() -> None:
    assert names_of("from elsewhere import Base\nclass A(Base): pass").objects is None


def test_variables_of_functions_are_no_names_of_a_module() -> None:
    found = names_of(
        "def f():\n"
        "    global score\n"
        "    score = all = 1\n"
        "class A:\n"
        "    zip = 1\n"
        "    def g(self): index = 2\n"
        "if True:\n"
        "    map = 3\n"
    )
    assert set(found.modules) == {"f", "score", "A", "map"}
    assert set(found.objects or ()) == {"zip", "g"}


def test_star_imported_library_names_count_as_module_names() -> None:
    found = names_of("from math import *\nfrom elsewhere import *\n")
    assert "sqrt" in found.modules
    assert "__name__" not in found.modules
