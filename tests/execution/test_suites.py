"""Tests that students hand in, run against programs of the course's: what they notice, and what
they cannot find out."""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import pytest

from harness.execution import Driver
from harness.execution.inside.messages.protocol import MAX_NAME, FromTests
from harness.execution.stand_in_process import StandInUnusableError
from harness.execution.testing.comparison import SuiteRunResult
from harness.execution.testing.conversation import Heard
from harness.execution.testing.handed_in import SuiteObserver
from harness.judging.compare.suite import says_yes
from harness.model.assignment import SourceFile, TestedProgram, TestWriting
from harness.model.observation import CourseTestResult, Ending, Observation, SuiteOutcome
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.suite import SuiteQuestion, SuiteRun
from tests import plans
from tests.per_commit import per_commit

# ruff: noqa: E501
pytestmark = pytest.mark.process
PROGRAM = """
import os
SECRET_NUMBER = 4711
def double(x):
    return x * 2
def first(xs):
    if not xs:
        return None
    return xs[0]
class Box:
    def __init__(self):
        self._hidden = SECRET_NUMBER
        self.shown = 1
    def items(self):
        yield from range(3)
"""
FAULTS = {
    "wrong double": PROGRAM.replace("x * 2", "x ** 2"),
    "wrong first": PROGRAM.replace("[0]", "[-1]"),
}
RIGHT = """
from a1 import double, first
def test_double():
    assert double(3) == 6
def test_two():
    assert double(2) == 4
def test_first():
    assert first([1, 2]) == 1
"""
Ask = Callable[..., Observation]


def _files(text: str, name: str = "a1.py") -> tuple[SourceFile, ...]:
    return (SourceFile(name=name, data=text.encode()),)


PROGRAMS = [TestedProgram(name="the reference", files=_files(PROGRAM))]
PROGRAMS += [TestedProgram(name=name, files=_files(text)) for name, text in FAULTS.items()]
ASSIGNMENT = plans.assignment(
    submission_files=("test_a1.py",),
    writes_files=True,
    test_writing=TestWriting(
        files=("test_a1.py",),
        program_files=("a1.py",),
        public_names=("Box", "double", "first"),
        programs=tuple(PROGRAMS),
    ),
)


@pytest.fixture
def ask(one_driver: Driver) -> Ask:
    def observe(
        tests: str, *questions: tuple[SuiteQuestion, str], seconds: float = 2.0
    ) -> list[Observation]:
        limits = Limits(cpu_seconds=seconds)
        with one_driver.submission(ASSIGNMENT, _files(tests, "test_a1.py")) as submission:
            seen = []
            for question, against in questions:
                action = SuiteRun(question=question, files=("test_a1.py",), against=against)
                seen.append(submission.observe(Stimulus(action=action, folder=True), limits))
            return seen

    return observe


ACCEPTS = (SuiteQuestion.ACCEPTS, "the reference")
DOUBLE = (SuiteQuestion.NOTICES, "wrong double")
FIRST = (SuiteQuestion.NOTICES, "wrong first")
HELPS = (SuiteQuestion.HELPS, "the reference")


def outcomes(seen: list[Observation]) -> list[SuiteOutcome]:
    found = []
    for observation in seen:
        assert observation.ending is Ending.ANSWERED
        assert observation.suite is not None
        found.append(observation.suite)
    return found


def test_good_tests_accept_the_reference_and_notice_the_faults(ask: Ask) -> None:
    tests = RIGHT + "def test_same():\n    assert double(5) == 10\n"
    accepts, double, first, helps = outcomes(ask(tests, ACCEPTS, DOUBLE, FIRST, HELPS))
    assert says_yes(SuiteQuestion.ACCEPTS, accepts)
    assert [test.name for test in double.tests] == ["test_a1.py::test_double"]
    assert [test.name for test in first.tests] == ["test_a1.py::test_first"]
    # 2 ** 2 is 4, too.
    assert helps.useless == ("test_a1.py::test_two",)
    assert helps.alike == (("test_a1.py::test_double", "test_a1.py::test_same"),)


def test_a_test_that_needs_another_before_it_leaves_the_fault_to_others(ask: Ask) -> None:
    tests = """
from a1 import double
seen = []
def test_before():
    seen.append(double(3))
def test_needs_it():
    assert seen == [6]
def test_late():
    assert double(4) == 8
"""
    double, helps = outcomes(ask(tests, DOUBLE, HELPS))
    assert [test.name for test in double.tests] == ["test_a1.py::test_late"]
    assert "test_a1.py::test_needs_it" in double.unsteady
    assert helps.alike == ()


def test_a_fault_shows_only_which_test_noticed_it(ask: Ask) -> None:
    (double,) = outcomes(ask(RIGHT, DOUBLE))
    outcome = double.tests[0].outcome
    assert outcome.result is CourseTestResult.FAILED
    assert (outcome.message, outcome.calls, outcome.source) == ("", (), "")


def test_a_false_alarm_is_named_with_its_call(ask: Ask) -> None:
    tests = RIGHT + "def test_wrong():\n    assert double(1) == 3\n"
    accepts, double = outcomes(ask(tests, ACCEPTS, DOUBLE))
    (failed,) = accepts.failed
    assert failed.name == "test_a1.py::test_wrong"
    assert failed.outcome.calls == ("double(1) returned 2",)
    assert double.tests  # the others still notice it


def test_a_percent_sign_in_a_value_is_shown_as_it_is(ask: Ask) -> None:
    tests = "from a1 import double\ndef test_a():\n    assert double('9%') == '%9'\n"
    (accepts,) = outcomes(ask(tests, ACCEPTS))
    (failed,) = accepts.failed
    assert failed.outcome.type_name == "AssertionError"
    assert "'9%9%' == '%9'" in failed.outcome.message


def test_tests_after_one_that_never_ends_run_all_the_same(ask: Ask) -> None:
    tests = "from a1 import double\ndef test_a():\n    while double(1):\n        pass\n" + RIGHT
    accepts, double = outcomes(ask(tests, ACCEPTS, DOUBLE, seconds=0.2))
    assert [test.outcome.result for test in accepts.failed] == [CourseTestResult.NOT_ENDED]
    assert len(accepts.tests) == 4
    assert double.tests


def test_many_tests_that_never_end_cost_no_more_than_a_few(ask: Ask) -> None:
    endless = "".join(f"def test_{n}():\n    while double(1):\n        pass\n" for n in range(9))
    seen = ask("from a1 import double\n" + endless, ACCEPTS, seconds=0.2)
    (accepts,) = outcomes(seen)
    assert [test.outcome.result for test in accepts.tests] == [CourseTestResult.NOT_ENDED] * 3
    assert 0 < seen[0].cpu_seconds < 9 * 0.2  # it counts in the budget


def test_time_that_is_over_costs_every_fault_whatever_their_order(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    run = SuiteObserver._run

    def counted(self: SuiteObserver, *arguments: Any, **options: Any) -> SuiteRunResult:
        made.append("")
        if len(made) == last:
            self._waited = inf
        return run(self, *arguments, **options)

    def in_order(self: SuiteObserver, faults: Iterable[str]) -> list[str]:
        return [self._reference, self._reference, *faults]

    monkeypatch.setattr(SuiteObserver, "_run", counted)
    monkeypatch.setattr(SuiteObserver, "_shuffled", in_order)
    last = 0
    assert all(outcome.tests for outcome in outcomes(ask(RIGHT, DOUBLE, FIRST)))
    last = len(made)  # the run against the last fault, which would be noticed there
    made.clear()
    assert not any(outcome.tests for outcome in outcomes(ask(RIGHT, DOUBLE, FIRST)))


def test_tests_with_long_names_are_told_apart(ask: Ask) -> None:
    tests = """
import pytest
from a1 import double
@pytest.mark.parametrize("text", ["x" * 300 + "a", "x" * 300 + "b"])
def test_long(text):
    assert double(text) == text + text
"""
    (accepts,) = outcomes(ask(tests, ACCEPTS))
    assert len(accepts.tests) == 2
    assert accepts.failed == ()


# Messages that ours would not write: each ends the run as an attempt to cheat.
FORGED = [
    (FromTests.CALLED, b'[1e999, "f()"]'),
    (FromTests.CALLED, b'["1", "f()"]'),
    (FromTests.CALLED, b"7"),
    (FromTests.BEGINS, b"7"),
    (FromTests.CAME_OUT, b"[]"),
    (FromTests.CAME_OUT, b'"passed"'),
    (FromTests.CAME_OUT, b'{"name": "t", "result": "perfect"}'),
    (FromTests.CAME_OUT, b'{"name": "t", "result": ["passed"]}'),
    (FromTests.CAME_OUT, b'{"name": "t", "result": "failed", "line": 1e999}'),
    (FromTests.CAME_OUT, b'{"name": "t", "result": "failed", "line": 1' + b"0" * 4000 + b"}"),
    (FromTests.CAME_OUT, b'{"name": "t", "result": "failed", "message": 1}'),
    (FromTests.CAME_OUT, b"{"),
    (FromTests.OUTCOME, b"[" * 100_000),
    (b"?", b"1"),
]


@pytest.mark.parametrize(("kind", "body"), FORGED)
def test_a_forged_message_of_the_tests_is_tampering(kind: bytes, body: bytes) -> None:
    with pytest.raises(StandInUnusableError) as refused:
        Heard(files=()).hear(kind, body)
    assert refused.value.ending is Ending.TAMPERED


def test_a_test_that_comes_out_twice_is_tampering_and_endless_words_are_cut() -> None:
    heard = Heard(files=())
    for _ in range(100):
        heard.hear(FromTests.CALLED, b'[1, "' + b"x" * 900 + b'"]')
    came_out = b'{"name": "t", "result": "passed"}'
    heard.hear(FromTests.CAME_OUT, came_out)
    assert len(heard.tests[0].outcome.calls[0]) <= 2 * MAX_NAME
    with pytest.raises(StandInUnusableError):
        heard.hear(FromTests.CAME_OUT, came_out)


# Tests that would earn marks without testing anything.
NOTHING = {
    "asserts nothing": "def test_a():\n    double(3)\n    first([1, 2])\n",
    "compares with itself": "def test_a():\n    assert double(3) == double(3)\n",
    "a coin": "import random\ndef test_a():\n    double(3)\n    assert random.random() < 0.7\n",
    "fills the folder": "def test_a():\n    for n in range(400):\n        open(str(n), 'w').close()\n",
    "always fails": "def test_a():\n    assert False\n",
    "is skipped": "import pytest\ndef test_a():\n    pytest.skip()\n",
    "leaves": "import os\ndef test_a():\n    os._exit(0)\n",
    "replaces what is tested": "import a1\ndef test_a():\n    a1.double = len\n    assert a1.double([]) == 0\n",
    "reads the source": "import inspect, a1\ndef test_a():\n    assert '* 2' in inspect.getsource(a1.double)\n",
    "opens the file": "def test_a():\n    assert '* 2' in open('a1.py').read()\n",
    "reads the code": "import a1\ndef test_a():\n    assert a1.double.__code__.co_code\n",
    "reads the globals": "import a1\ndef test_a():\n    assert a1.double.__globals__['SECRET_NUMBER']\n",
    "formats": "import a1\ndef test_a():\n    assert '{0.__globals__}'.format(a1.double)\n",
    "reads another name": "import a1\ndef test_a():\n    assert a1.SECRET_NUMBER\n",
    "uses its modules": "import a1\ndef test_a():\n    assert a1.os.getpid()\n",
    "reads a private attribute": "import a1\ndef test_a():\n    assert a1.Box()._hidden\n",
    "reads a frame": "import a1\ndef test_a():\n    assert a1.Box().items().gi_frame.f_globals\n",
    "replaces what it may not": "import sys, a1\ndef test_a():\n    a1.double(1)\n    sys.settrace(lambda *a: 1 / 0)\n    a1.double(2)\n",
    "looks at the traceback": "import a1\ndef test_a():\n    try:\n        a1.double(None)\n    except TypeError as error:\n        while error.__traceback__:\n            assert 'a1' not in error.__traceback__.tb_frame.f_code.co_filename.split('_')[-1:]\n            error.__traceback__ = error.__traceback__.tb_next\n",
    "knows the run by a test left out": "import pytest\ndef test_a():\n    pytest.skip()\ndef names(request):\n    return [item.name for item in request.session.items]\ndef test_b(request):\n    assert 'test_a' in names(request) or len(names(request)) == 1\ndef test_c(request):\n    assert 'test_a' in names(request) or len(names(request)) == 1\n",
    "knows the run by its number": "import os, pytest\n@pytest.mark.parametrize('number', range(2, 60))\ndef test_a(number, request):\n    assert os.getpid() - os.getppid() < number or len(request.session.items) == 1\n",
    "asks with its own number": "class Spy(int):\n    told = []\n    def __mul__(self, other):\n        Spy.told.append(other)\n        return 0\n    def __eq__(self, other):\n        Spy.told.append(other)\n        return True\n    __hash__ = None\ndef test_a():\n    double(Spy(3))\n    assert Spy.told == [2]\n",
    "many coins": "import os, pytest\n@pytest.mark.parametrize('number', range(300))\ndef test_a(number, request):\n    assert os.urandom(1)[0] > 90 or len(request.session.items) == 1\n",
}


KEPT = [
    "asserts nothing",
    "a coin",
    "knows the run by a test left out",
    "reads the source",
    "reads the globals",
    "reads a frame",
    "asks with its own number",
]


@pytest.mark.parametrize("name", per_commit(NOTHING, *KEPT))
def test_tests_that_test_nothing_earn_nothing(ask: Ask, name: str) -> None:
    seen = ask("from a1 import double, first\n" + NOTHING[name], ACCEPTS, DOUBLE, FIRST)
    accepts, *noticed = outcomes(seen)
    assert not says_yes(SuiteQuestion.RUNS, accepts)
    assert not says_yes(SuiteQuestion.ACCEPTS, accepts)
    assert [outcome.tests for outcome in noticed] == [(), ()]


def test_names_texts_and_addresses_are_the_same_for_every_program(ask: Ask) -> None:
    tests = """
import a1
def test_a():
    box = a1.Box()
    told = (sorted(vars(box)), dir(a1), repr(box), str(a1.double), a1.__file__, hash(box) < 1000)
    assert told == (['shown'], ['Box', 'double', 'first'], '<a1.Box object at 0x…>', 'double', 'a1.py', True)
"""
    accepts, *_ = outcomes(ask(tests, ACCEPTS))
    assert accepts.failed == ()


FILES_THAT_DO_NOT_LOAD = {
    "def test_a(:\n": "SyntaxError",
    "import nothing_like_it\n": "ModuleNotFoundError",
    "x = " + "(" * 1000 + ")" * 1000 + "\n": "Error",
}


@pytest.mark.parametrize("text", FILES_THAT_DO_NOT_LOAD)
def test_a_file_that_does_not_load_gives_a_reason(ask: Ask, text: str) -> None:
    (accepts,) = outcomes(ask(text, ACCEPTS))
    assert accepts.tests == ()
    assert FILES_THAT_DO_NOT_LOAD[text] in accepts.not_loaded
    assert not says_yes(SuiteQuestion.RUNS, accepts)
