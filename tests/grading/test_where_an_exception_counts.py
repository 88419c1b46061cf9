"""Every place where something can raise before, or after, what a scenario states: with the running
program, together and alone. The table of `docs/decisions/where-an-exception-counts.md`."""

from pathlib import Path

import pytest

import harness
from harness.grading.context import isolated
from harness.model.verdict import StandInOutcome, Verdict
from tests.grading import stand_in_course as course
from tests.inline import grade_here
from tests.tiny_course import Course

SETTINGS = "provided: [a1_support.py]\nfunctionality_marks: 10\nlimits: {cpu_seconds: 0.5}\n"
# What is asked about, and what comes before it: `calm` does nothing in the right program.
RIGHT = '''\
"""Raises where the sheet says."""


def calm(value):
    return value


def f(value=None, **named):
    if value == 13:
        raise ValueError("unlucky")
    return value


def ask(value):
    answer = input("? ")
    if answer == "no":
        raise ValueError("unlucky")
    return value


def pieces(value):
    if value == 13:
        raise ValueError("unlucky")
    return [value]


def made(value):
    if value == 13:
        raise ValueError("unlucky")
    return Stack(value)


class Stack:
    def __init__(self, size):
        self.size = calm(size)

    def __eq__(self, other):
        return self.size == other.size

    def put(self, value):
        if value == 13:
            raise ValueError("unlucky")
        return value


class Box:
    def __init__(self):
        self.hidden = 1

    @property
    def stack(self):
        return Stack(1)

    def put(self, value):
        if value == 13:
            raise ValueError("unlucky")
        return value


if __name__ == "__main__":
    answer = input("? ")
    if answer == "no":
        raise ValueError("unlucky")
'''
# None of its functions raises what it should; something beside it raises that instead.
EARLY = '''\
"""Raises, but never where the sheet says."""


def calm(value):
    raise ValueError("unlucky")


def f(value=None, **named):
    return value


def ask(value):
    input("? ")
    input("? ")
    return value


def pieces(value):
    yield value
    raise ValueError("unlucky")


def made(value):
    return Stack(value)


class Stack:
    def __init__(self, size):
        raise ValueError("unlucky")

    def put(self, value):
        return value


class Box:
    def __init__(self):
        self.hidden = 1

    @property
    def stack(self):
        raise ValueError("unlucky")

    @property
    def put(self):
        raise ValueError("unlucky")


if __name__ == "__main__":
    input("? ")
'''
# What is done where ValueError is stated, by name.
RAISES = {
    "given": "given: x = calm(1), call: f(13)",
    "a constructor that is given": "given: s = Stack(1), call: s.put(13)",
    "given with a constant": "given: x = calm(SIZE), call: f(13)",
    "a sweep": "constants: {SIZE: [3, 5]}, given: x = calm(SIZE), call: f(13)",
    "a sweep of an argument": "constants: {SIZE: [3, 5]}, call: f(calm(SIZE) and 13)",
    "draws": "cases: [{n: 1}, {n: 2}], given: x = calm(n), call: f(13)",
    "each draw": "each: true, cases: [{n: 1}, {n: 2}], call: f(calm(n) and 13)",
    "an argument": "call: f(calm(13))",
    "a named argument": "call: f(value=calm(13))",
    "a star": "call: 'f(*[calm(13)])'",
    "two stars": "call: 'f(**{\"value\": calm(13)})'",
    "an object as an argument": "call: f(Stack(1) and 13)",
    "a comprehension as an argument": "call: 'f([x for x in calm([13])][0])'",
    "an attribute in an argument": "given: b = Box(), call: f(b.stack and 13)",
    "what a method is called on": "call: Stack(1).put(13)",
    "a property on the way": "given: b = Box(), call: b.stack.put(13)",
    "the look-up of a method": "given: b = Box(), call: b.put(13)",
    "a chain": "call: Box().stack.put(13)",
    "a method of the class": "call: 'Stack.put(Stack(1), 13)'",
    "a generator": "call: pieces(13)",
    "replies": "given: x = calm(1), replies: talk.refuses, call: ask(1)",
    "typed lines": "given: x = calm(1), input: ['no'], call: ask(1)",
    "a program": "run: a1.py, input: ['no']",
}
# And where something else is.
OTHERS = {
    "given of a session": "given: x = calm(1), session: '>>> y = 1'",
    "an earlier step": r'session: ">>> s = Stack(1)\n>>> s.put(13)\nTRACE"',
    "an earlier call": r'session: ">>> x = calm(1)\n>>> f(13)\nTRACE"',
    "an earlier step of many": r'session: ">>> x = 1\n>>> y = calm(x)\n>>> f(13)\nTRACE"',
    "asking in given": "given: x = ask(1), input: [a], call: ask(1), ends: asks_for_more",
    "asking in an argument": "input: [a], call: ask(ask(1)), ends: asks_for_more",
    "an object to compare with": "call: Stack(1), returns: {equals: Stack(1)}",
}
TRACE = r"Traceback (most recent call last):\nValueError: unlucky"
ROWS = {name: f"{does}, raises: ValueError" for name, does in RAISES.items()} | OTHERS
SCENARIOS = "function: f\nscenarios:\n" + "".join(
    f"  - {{name: {name}, {does.replace('TRACE', TRACE)}}}\n" for name, does in ROWS.items()
)
TALK = "def refuses(printed):\n    yield 'no'\n"

# In place of the course of two files: a put that raises, and a shop that lets it.
RAISING_PUT = "def put(tins, tin, amount):\n    raise ValueError(tin)\n"
OF_A_STAND_IN = {
    "specs/pair/bank.yaml": (
        "function: put\nscenarios:\n  - {name: a, call: 'put([], 1, 1)', raises: ValueError}\n"
    ),
    "specs/pair/shop.yaml": (
        "function: fill\nstand_in: {bank.py: stand_in_bank.py}\n"
        "given: |\n  import shop\n  x = shop.ready()\nscenarios:\n"
        "  - {name: a, call: shop.fill(), raises: ValueError}\n"
    ),
    "specs/pair/stand_in_bank.py": RAISING_PUT.replace("tin)", "0)"),
    "reference/pair/bank.py": RAISING_PUT,
    "reference/pair/shop.py": (
        "import bank\n\n\ndef ready():\n    return 0\n\n\ndef fill():\n    bank.put([], 9, 1)\n"
    ),
}


def graded(root: Path, *, alone: bool) -> dict[str, dict[str, list[Verdict]]]:
    """The verdicts of each submission by the scenario's name."""
    loaded = harness.load_assignment(root, "raising")
    if alone:
        loaded = isolated(loaded)
    run = grade_here(loaded, root / "in", root / f"out-{alone}")
    names = {each.id: each.name for each in loaded.plan.scenarios}
    verdicts: dict[str, dict[str, list[Verdict]]] = {}
    for submission in run.submissions:
        by_name = verdicts.setdefault(submission.id, {})
        for entry in submission.scenarios:
            by_name.setdefault(names[entry.scenario_id], []).append(entry.verdict)
    return verdicts


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {
        "specs/raising/talk.py": TALK,
        "reference/raising/a1_support.py": "SIZE = 3\n",
        "in/right/a1.py": RIGHT,
        "in/early/a1.py": EARLY,
        "in/loading/a1.py": RIGHT + "\nelse:\n    raise ValueError('unlucky')\n",
    }
    folder = tmp_path_factory.mktemp("raising")
    return Course.small(folder, "raising", RIGHT, SCENARIOS, SETTINGS, **files).root


@pytest.mark.parametrize("alone", [False, True])
def test_nothing_else_passes_for_what_is_stated(root: Path, alone: bool) -> None:
    verdicts = graded(root, alone=alone)
    assert set(verdicts["right"]) == set(ROWS)
    for name in ROWS:
        assert all(each.passed for each in verdicts["right"][name]), name
        assert not any(each.passed for each in verdicts["early"][name]), name
        is_loaded = name != "a program"
        assert any(each.passed for each in verdicts["loading"][name]) != is_loaded, name


def test_what_the_courses_function_raises_counts_where_it_was_called(tmp_path: Path) -> None:
    """With a stand-in in place of the student's bank.py: raised in `given:` or in the call."""
    course.write(tmp_path, OF_A_STAND_IN)
    for student, calls in {"early": "    bank.put([], 9, 1)", "right": "    return 0"}.items():
        shop = f"import bank\n\n\ndef ready():\n{calls}\n\n\ndef fill():\n"
        shop += "    bank.put([], 9, 1)\n" if student == "right" else "    return 1\n"
        course.hand_in(tmp_path, student, {"bank.py": "def put(*_):\n    pass\n", "shop.py": shop})
    loaded = harness.load_assignment(tmp_path, "pair")
    early, right = grade_here(loaded, tmp_path / "submissions/pair", tmp_path / "out").submissions
    early, right = (
        next(entry.verdict for entry in each.scenarios if entry.scenario_id == "shop/a")
        for each in (early, right)
    )
    assert (early.stand_in, right.stand_in) == (StandInOutcome.FAILED, StandInOutcome.PASSED)
    assert early.message.startswith("What comes first raised ValueError")
