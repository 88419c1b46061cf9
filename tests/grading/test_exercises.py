"""What public collections of exercises ask for, each as a small assignment: its reference is sound,
a correct program of another style passes, and a wrong one fails the scenarios that are about it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.assignment.loading import load
from harness.common.errors import UserError
from harness.grading.context import GradingContext, prepare
from harness.grading.validation.validate import validate
from harness.model.result import SubmissionResult
from tests.inline import grader_of, handed_in, inline_engine
from tests.tiny_course import Course


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A reference, its scenarios and what assignment.yaml says of them; right programs, and wrong
    ones with the names of the scenarios that they fail."""

    reference: str
    scenarios: str
    settings: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    right: tuple[str, ...] = ()
    wrong: Mapping[str, str] = field(default_factory=dict)


BOX = """\
class Box:
    def __init__(self, number):
        self.number = number
        self.uses = 0
    def use(self):
        return self.number
"""
EXERCISES = {
    "an object that is left out": Exercise(
        reference=BOX + "def use(box, number):\n    return number\n",
        scenarios="""\
function: use
scenarios:
  - {name: argument, given: "b = Box(3)", call: "use(b, 3)", leaves: {box: {any: true}}}
  - name: variable
    leaves: {b: {any: true}}
    session: |
      >>> b = Box(3)
      >>> use(b, 4)
      4
""",
        right=(BOX + "def use(box, number):\n    box.uses += 1\n    return number\n",),
        wrong={BOX + "def use(box, number):\n    return 3\n": "variable"},
    ),
    "an object of which the class counts": Exercise(
        reference=BOX + "def make(number):\n    return [Box(number)]\n",
        scenarios="function: make\nscenarios:\n  - {name: one, call: make(3)}\n",
        settings="compare: {Box: none}\n",
        right=("class Box:\n    pass\ndef make(number):\n    return [Box()]\n",),
        wrong={
            "class Crate:\n    pass\ndef make(number):\n    return [Crate()]\n": "one",
            BOX + "def make(number):\n    return [Box(number), Box(number)]\n": "one",
        },
    ),
    "a class of a provided file": Exercise(
        reference="def wrapped(lines):\n    return lines\n",
        scenarios="""\
function: wrapped
scenarios:
  - {name: one, call: "wrapped(Lines(['a', 'b']))"}
""",
        settings="provided: [lines.py]\ncompare: {Lines: [lines]}\n",
        files={
            "reference/e/lines.py": "class Lines:\n"
            "    def __init__(self, lines):\n        self.lines = lines\n"
        },
        right=("def wrapped(lines):\n    lines.seen = True\n    return lines\n",),
        wrong={"def wrapped(lines):\n    lines.lines = []\n    return lines\n": "one"},
    ),
    "a class that is made by a call": Exercise(
        reference="from collections import namedtuple\n"
        'Point = namedtuple("Point", "x y")\n'
        "def origin():\n    return Point(0, 0)\n",
        scenarios="function: origin\nscenarios:\n  - {name: one, call: origin()}\n",
        settings="compare: {Point: attributes}\n",
        wrong={
            "from collections import namedtuple\n"
            'Point = namedtuple("Point", "x y")\n'
            "def origin():\n    return Point(0, 1)\n": "one"
        },
    ),
    "constants of the submission": Exercise(
        reference='BLACK = "B"\nWHITE, _HIDDEN = "W", 1\n'
        "def other(color):\n    return WHITE if color == BLACK else BLACK\n",
        scenarios="""\
function: other
scenarios:
  - {name: black, call: other(BLACK)}
  - name: white
    session: |
      >>> other(WHITE) == BLACK
      True
  - {name: imported, given: from a1 import BLACK, call: other(BLACK)}
  - {name: bound, call: "other(BLACK)", cases: [{BLACK: W}]}
""",
        right=(
            "BLACK, WHITE = 'B', 'W'\n"
            "def other(color):\n    return {BLACK: WHITE, WHITE: BLACK}[color]\n",
        ),
        wrong={
            "WHITE = 'W'\ndef other(color):\n    return 'W' if color == 'B' else 'B'\n": (
                "black white imported"
            ),
            "BLACK = 'X'\nWHITE = 'W'\ndef other(color):\n"
            "    return WHITE if color == BLACK else BLACK\n": "black imported bound",
        },
    ),
    "methods and types as values": Exercise(
        reference="def chosen(number):\n    return [str.upper, 'x'.join, int][number]\n"
        "def applied(function, items):\n    return [function(item) for item in items]\n",
        scenarios="""\
function: chosen
scenarios:
  - {name: method, call: chosen(0)}
  - {name: bound method, call: chosen(1)}
  - {name: type, call: chosen(2)}
  - {name: applied, function: applied, call: "applied(str.upper, ['a'])"}
  - {name: converted, function: applied, call: "applied(int, ['1'])"}
""",
        right=(
            "def chosen(number):\n    return (str.upper, 'y'.join, int)[number]\n"
            "def applied(function, items):\n    return list(map(function, items))\n",
        ),
        wrong={
            "def chosen(number):\n    return [bytes.upper, b'x'.join, float][number]\n"
            "def applied(function, items):\n    return list(map(function, items))\n": (
                "method bound-method type"
            )
        },
    ),
    "a fixed today": Exercise(
        reference="from datetime import date\n"
        "def minutes(born):\n    days = date.today() - date.fromisoformat(born)\n"
        "    return days.days * 24 * 60\n",
        scenarios="""\
function: minutes
scenarios:
  - {name: a year ago, call: 'minutes("2025-03-01")', returns: 525600}
  - {name: leap years, clock: [2000-03-01, 2001-03-01], call: 'minutes("1999-03-01")'}
  - name: its own day
    cases:
      - {clock: 2025-03-02, returns: 1440}
      - {clock: 2025-03-03, returns: 2880}
    call: minutes("2025-03-01")
""",
        settings="time_zone: Australia/Brisbane\nclock: 2026-03-01T12:00\n",
        right=(
            "import datetime\n"
            "def minutes(born):\n    day = datetime.datetime.strptime(born, '%Y-%m-%d')\n"
            "    return (datetime.datetime.now() - day).days * 1440\n",
            "import time\n"
            "def minutes(born):\n    then = time.mktime(time.strptime(born, '%Y-%m-%d'))\n"
            "    return int(time.time() - then) // 86400 * 1440\n",
        ),
        wrong={
            "from datetime import date\n"
            "def minutes(born):\n    year, _, _ = map(int, born.split('-'))\n"
            "    return (date.today().year - year) * 365 * 24 * 60\n": "leap-years its-own-day",
            "def minutes(born):\n    return 525600\n": "leap-years its-own-day",
        },
    ),
    "what chance and order decide": Exercise(
        reference="import random\n"
        "def lengths(words):\n    return {word: len(word) for word in set(words)}\n"
        "def roll():\n    return random.randint(1, 6)\n",
        scenarios="""\
function: lengths
scenarios:
  - {name: order, call: "lengths(['a', 'bb', 'ccc', 'dddd'])"}
  - {name: one of, function: roll, call: roll(), returns: {one_of: [1, 2, 3, 4, 5, 6]}}
  - {name: a type, function: roll, call: roll(), returns: {type: int}}
  - {name: anything, function: roll, call: print(roll()), prints: {any: true}, returns: null}
  - {name: seed of nought, function: roll, call: roll(), seed: 0}
""",
        right=(
            "import random\n"
            "def lengths(words):\n    return {word: len(word) for word in reversed(words)}\n"
            "def roll():\n    return random.randint(1, 6)\n",
        ),
        wrong={
            "def lengths(words):\n    return {word: 1 for word in words}\n"
            "def roll():\n    return 7\n": "order one-of seed-of-nought",
        },
    ),
    "lists and generators of tuples": Exercise(
        reference="def pairs(counts):\n    return [*counts.items()]\n"
        "def each(counts):\n    yield from counts.items()\n",
        scenarios="""\
function: pairs
scenarios:
  - name: any order
    call: 'pairs({"a": 1, "b": 2})'
    returns: {python: '[("b", 2), ("a", 1)]', unordered: true}
  - name: yielded
    function: each
    call: 'each({"a": 1, "b": 2})'
    returns: {python: '[("a", 1), ("b", 2)]', yields: true}
""",
        right=(
            "def pairs(counts):\n    return sorted(counts.items(), reverse=True)\n"
            "def each(counts):\n    for key in counts:\n        yield key, counts[key]\n",
        ),
        wrong={
            "def pairs(counts):\n    return [[*pair] for pair in counts.items()]\n"
            "def each(counts):\n    return [*counts.items()]\n": "any-order yielded",
            "def pairs(counts):\n    return [*counts.items()] * 2\n"
            "def each(counts):\n    yield from sorted(counts.items())[::-1]\n": (
                "any-order yielded"
            ),
        },
    ),
    "exceptions of one's own": Exercise(
        reference="class BankError(Exception):\n    pass\n"
        "class NoMoney(BankError):\n    pass\n"
        "def pay(amount):\n    raise NoMoney('no money')\n",
        scenarios="""\
function: pay
scenarios:
  - {name: any of ours, call: pay(1), raises: {any: true, is_a: BankError}}
  - {name: this one, call: pay(1), raises: {type: NoMoney, is_a: BankError, message: no money}}
  - {name: any error, call: pay(1), raises: {any: true, is_a: Exception}}
""",
        right=(
            "class BankError(Exception):\n    pass\nclass Poor(BankError):\n    pass\n"
            "class NoMoney(Poor):\n    pass\n"
            "def pay(amount):\n    raise NoMoney('no money')\n",
        ),
        wrong={
            "class NoMoney(Exception):\n    pass\n"
            "def pay(amount):\n    raise NoMoney('no money')\n": "any-of-ours this-one",
            "class BankError(Exception):\n    pass\n"
            "def pay(amount):\n    raise BankError('no money')\n": "this-one",
            "class BankError(BaseException):\n    pass\nclass Exception(BankError):\n    pass\n"
            "class NoMoney(Exception):\n    pass\n"
            "def pay(amount):\n    raise NoMoney('no money')\n": "any-error",
        },
    ),
    "a callable that a session binds": Exercise(
        reference=BOX + "def adder(number):\n    return lambda other: other + number\n",
        scenarios="""\
function: adder
scenarios:
  - name: left out
    leaves: {add: {any: true}, Crate: {any: true}, get: {any: true}, box: {any: true}}
    session: |
      >>> add = adder(3)
      >>> Crate = Box
      >>> box = Crate(1)
      >>> get = box.use
      >>> add(get())
      4
""",
        right=(BOX + "def adder(n):\n    def add(m):\n        return n + m\n    return add\n",),
        wrong={BOX + "def adder(n):\n    return lambda m: n\n": "left-out"},
    ),
}


def course_of(root: Path, exercise: Exercise) -> Course:
    settings = "functionality_marks: 1\n" + exercise.settings
    texts = (exercise.reference, exercise.scenarios, settings)
    return Course.small(root, "e", *texts, **exercise.files)


def results_of(course: Course, programs: Iterable[str]) -> list[SubmissionResult]:
    """Of each program in turn."""
    named = {f"s{number:02}": program for number, program in enumerate(programs)}
    return [*course.graded("e", **named).values()]


def context_of(root: Path) -> GradingContext:
    """What the programs of the course's only assignment are graded with."""
    with inline_engine():
        return prepare(load(root, "e"), refuse=False)


def failures(context: GradingContext, *programs: str) -> list[str]:
    """The names of the scenarios that each program fails."""
    failed_by: list[str] = []
    reference = context.specification.reference
    with grader_of(context, reference=reference, slowness=context.slowness) as grader:
        for program in programs:
            failed: dict[str, None] = {}
            for entry in grader.grade(handed_in(program)).result.scenarios:
                if not entry.verdict.passed:
                    failed[entry.scenario_id.removeprefix("all/").partition("[")[0]] = None
            failed_by.append(" ".join(failed))
    return failed_by


def problems(context: GradingContext) -> list[str]:
    """What `harness validate` finds, but that scenarios name no clause."""
    with inline_engine():
        report = validate(context, (), jobs=1)
    return [each.message for each in report.problems if each.check != "coverage"]


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_of_the_world(name: str, tmp_path: Path) -> None:
    exercise = EXERCISES[name]
    course_of(tmp_path, exercise)
    context = context_of(tmp_path)
    assert problems(context) == []
    right = (exercise.reference, *exercise.right)
    expected = [""] * len(right) + [*exercise.wrong.values()]
    assert failures(context, *right, *exercise.wrong) == expected


def test_an_expression_that_fails_is_a_mistake_of_the_scenarios(tmp_path: Path) -> None:
    scenarios = "function: f\nscenarios:\n  - {name: one, call: f(), returns: {python: 1 / 0}}\n"
    course_of(tmp_path, Exercise(reference="def f():\n    return 1\n", scenarios=scenarios))
    said = r"1 / 0 has no value with the reference \(division by zero\)"
    with pytest.raises(UserError, match=said):
        prepare(load(tmp_path, "e"), refuse=False)


def test_a_failure_before_an_expression_is_not_its_mistake(tmp_path: Path) -> None:
    scenarios = "function: f\nscenarios:\n  - {name: one, call: f(), returns: {python: '[1]'}}\n"
    program = "name = input()\ndef f():\n    return [1]\n"
    course_of(tmp_path, Exercise(reference=program, scenarios=scenarios))
    said = r"the reference does not load \(asked for more input .*\), so \[1\] has no value"
    with pytest.raises(UserError, match=said):
        prepare(load(tmp_path, "e"), refuse=False)
    asks = scenarios.replace("call:", "at_load: [Ann], call:")
    course_of(tmp_path, Exercise(reference=program, scenarios=asks))
    assert problems(context_of(tmp_path)) == []


TESTS = "from plates import is_valid\ndef test_it():\n    assert is_valid('CS50')\n"
RUN_TESTS = """\
import a1
failed = False
for name in dir(a1):
    if name.startswith("test_"):
        try:
            getattr(a1, name)()
        except Exception:
            failed = True
print("failed" if failed else "passed")
"""


def test_tests_of_students_are_run_with_several_programs_of_one_name(tmp_path: Path) -> None:
    scenarios = """\
function: a1.py
scenarios:
  - {name: right, run: run_tests.py, provide: [run_tests.py, right/plates.py], prints: "passed\\n"}
  - {name: zero, run: run_tests.py, provide: [run_tests.py, zero/plates.py], prints: "failed\\n"}
"""
    right = "def is_valid(plate):\n    return plate[2:3] != '0'\n"
    files = {
        "specs/e/run_tests.py": RUN_TESTS,
        "specs/e/right/plates.py": right,
        "specs/e/zero/plates.py": right.replace("!= '0'", "!= ''"),
    }
    reference = TESTS + "    assert not is_valid('CS05')\n"
    course_of(tmp_path, Exercise(reference=reference, scenarios=scenarios, files=files))
    context = context_of(tmp_path)
    assert problems(context) == []
    another = reference.replace("from plates import is_valid", "from plates import *")
    wrong = reference.replace("'CS50'", "'CS05'")
    assert failures(context, another, TESTS, wrong) == ["", "zero", "right"]


FRACTIONS = "from fractions import Fraction\ndef f(n):\n    return Fraction(1, n)\n"
SQUARES = "def f(n):\n    return [i * i for i in range(n)]\n"
TOLD = {
    "an object of Python's own": (
        FRACTIONS,
        "Fraction(1, 3)",
        "given: from fractions import Fraction",
    ),
    "with such an object": (
        FRACTIONS,
        "[a]",
        'given: "from fractions import Fraction; a = Fraction(1)"',
    ),
    "data that is computed": (SQUARES, "[n * n for n in range(3)]", ""),
    "a name of a case": (SQUARES, "told", "cases: [{told: [0, 1, 4]}]"),
    "what the program computes": (SQUARES, "f(3)", ""),
}


@pytest.mark.parametrize("case", TOLD)
def test_expected_equality_is_sent_only_for_the_programs_objects(case: str, tmp_path: Path) -> None:
    """The text is in the process, and so is `==` of a class of Python's, which can be changed."""
    reference, expression, more = TOLD[case]
    scenarios = (
        "function: f\nscenarios:\n  - name: one\n    call: f(3)\n"
        f'    returns: {{equals: "{expression}"}}\n    {more}\n'
    )
    course_of(tmp_path, Exercise(reference=reference, scenarios=scenarios))
    said = rf"equals: {re.escape(expression)} is not an object of the program's own class"
    with pytest.raises(UserError, match=said):
        prepare(load(tmp_path, "e"), refuse=False)


def test_a_wrong_constant_is_not_an_unchanged_argument(tmp_path: Path) -> None:
    exercise = EXERCISES["constants of the submission"]
    results = results_of(course_of(tmp_path, exercise), exercise.wrong)
    explanations = [result.scenarios[0].verdict.explanation for result in results]
    assert [explanation and explanation.rule for explanation in explanations] == [
        "missing_function",
        "wrong_value_afterwards",
    ]


def test_differences_from_run_to_run_are_shown_with_their_cause(tmp_path: Path) -> None:
    Course.small(
        tmp_path,
        "e",
        "import random\ndef roll():\n    return random.randint(1, 6)\n"
        "def listed(words):\n    return list(set(words))\n",
        "function: roll\nscenarios:\n  - {name: chance, call: roll()}\n"
        "  - {name: order, function: listed, call: \"listed(['a', 'bb', 'ccc', 'dddd'])\"}\n",
        "functionality_marks: 1\n",
    )
    assert problems(context_of(tmp_path)) == [
        "all/chance has another outcome with another random seed. Hint: state one (seed: 1), or "
        "leave random results open",
        "all/order has another outcome with another hash seed, clock, folder or order. Hint: if "
        "the time matters, state clock: 2026-03-01",
    ]
