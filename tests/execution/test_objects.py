"""Objects of a program's own classes: what is observed of them, whatever their classes do."""

from __future__ import annotations

from dataclasses import replace

from harness.execution import Driver
from harness.model.assignment import ClassComparison, CompareBy
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Stimulus
from harness.stimuli.call import Call
from tests.execution.small_world import QUICK, assignment, call, plain, session, source, values

CLASSES = """
class Plain:
    def __init__(self): self.b, self.a, self._hidden = 1, [2], 3
class Slots:
    __slots__ = ("x", "y")
    def __init__(self): self.x = 1
class Child(Plain):
    def __init__(self): super().__init__(); self.c = Slots()
class Ring:
    def __init__(self): self.me = self
class Many:
    def __init__(self): self.__dict__.update({f"a{n}": n for n in range(100_000)})
class Raising:
    @property
    def value(self): raise ValueError("no")
class Hanging:
    @property
    def value(self):
        while True: pass
class Printing:
    @property
    def value(self):
        print("read")
        return 1
class Asking:
    def __getattribute__(self, name): raise SystemExit("asked")
    def __eq__(self, other): return True
    def __repr__(self): return "Asking at 0xabc"
class Same:
    def __init__(self, n): self.n = n
    def __eq__(self, other): return self.n == other.n
class Other:
    def __init__(self, n): self.n = n
"""
PUBLIC = {
    "Plain()": "Plain(a=[2], b=1)",
    "Slots()": "Slots(x=1)",
    "Child()": "Child(a=[2], b=1, c=Slots(x=1))",
    "[Plain(), {1: Slots()}]": "[Plain(a=[2], b=1), {1: Slots(x=1)}]",
    "Ring()": "Ring(me=...)",
    "Many()": "<too large to compare: more than 20000 attributes>",
    "Asking()": "<Asking object>",
    "Raising()": "<Raising object>",
    "__import__('decimal').Decimal('1.50')": "Decimal('1.50')",
    "__import__('fractions').Fraction(1, 3)": "Fraction(1, 3)",
    "__import__('datetime').date(2024, 5, 6)": "datetime.date(2024, 5, 6)",
    "__import__('collections').deque([1])": "deque([1])",
    "(n for n in range(3))": "generator of [0, 1, 2]",
    "map(str, [1])": "map of ['1']",
}


def watch(
    driver: Driver, stimulus: Stimulus, *compare: ClassComparison, program: str = CLASSES
) -> Observation:
    compared = replace(assignment(), compare=compare)
    with driver.submission(compared, (source(program),)) as server:
        return server.observe(stimulus, QUICK)


def test_public_attributes_are_read_without_the_class(driver: Driver) -> None:
    assert values(driver, CLASSES, PUBLIC) == PUBLIC


def by(name: str, how: CompareBy, *attributes: str) -> ClassComparison:
    return ClassComparison(name=name, how=how, attributes=attributes)


def test_named_attributes_are_asked_of_the_class(driver: Driver) -> None:
    def value(name: str) -> Observation:
        program = f"{CLASSES}\ndef f():\n    return {name}()\n"
        compare = by(name, CompareBy.NAMED, "value")
        return watch(driver, call("f()"), compare, program=program)

    assert plain(value("Raising").value) == "Raising(value=<raises ValueError>)"
    assert value("Hanging").ending is Ending.CPU_LIMIT
    printing = value("Printing")
    assert (plain(printing.value), printing.printed) == ("Printing(value=1)", "read\n")
    assert plain(value("Plain").value) == "Plain(value=<raises AttributeError>)"


def test_a_repr_is_compared_without_addresses(driver: Driver) -> None:
    program = f"{CLASSES}\ndef f():\n    return Asking()\n"
    seen = watch(driver, call("f()"), by("Asking", CompareBy.REPR), program=program)
    assert plain(seen.value) == "Asking(repr='Asking at 0x…')"


EQUAL = {
    ("Same(1)", "Same(1)"): "Same(== Same(1)=True)",
    ("Same(1)", "Same(2)"): "Same(== Same(2)=False)",
    ("Other(1)", "Other(1)"): "Other(== Other(1)=<no __eq__ object>)",
}


def test_the_class_answers_whether_it_is_equal(driver: Driver) -> None:
    functions = tuple(replace(assignment().functions[0], name=name) for name in ("Same", "Other"))
    asked = replace(assignment(), functions=functions)
    with driver.submission(asked, (source(CLASSES),)) as server:
        for (made, other), expected in EQUAL.items():
            seen = server.observe(Stimulus(action=Call(expression=made, equals=other)), QUICK)
            assert plain(seen.value) == expected


def test_data_that_is_expected_is_nowhere_in_the_process(driver: Driver) -> None:
    """A literal that a value is to be equal to is the answer, and is compared outside."""
    program = (
        "import gc\n"
        "def f():\n"
        "    token = 'plu' + 'gh'\n"
        "    held = [thing for thing in gc.get_objects() if isinstance(thing, tuple)]\n"
        "    texts = [part for thing in held for part in thing if isinstance(part, str)]\n"
        "    return [text for text in texts if token in text]\n"
    )
    with driver.submission(assignment(), (source(program),)) as server:
        stimulus = Stimulus(action=Call(expression="f()", equals="['plugh']"))
        assert plain(server.observe(stimulus, QUICK).value) == "[]"


def test_a_session_shows_the_repr_of_objects(driver: Driver) -> None:
    program = f"{CLASSES}\ndef f():\n    return [Asking(), Same(1)]\n"
    seen = watch(driver, session("f()", "f()[1].n"), program=program)
    assert [step.shown for step in seen.steps] == [
        "[Asking at 0x…, <a1.Same object at 0x…>]",
        "",
    ]
