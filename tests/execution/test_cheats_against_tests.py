"""Programs that try to pass a test of the course's that they do not deserve to pass. The right
program passes each test, so that the test itself works."""

from dataclasses import dataclass

import pytest

from harness.assignment.sent_names import sent_names
from harness.execution import Driver
from harness.judging.compare import mismatches
from harness.model.assignment import SourceFile
from harness.model.expectation import Expectation, Expected
from harness.model.observation import CourseTestResult, Observation
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.test import CourseTest
from tests import plans

REFERENCE = """
def name(n): return "Ann"
def number(n):
    total = n + 4000
    return total
def apply(function, n):
    return function(n * 47)
class Work:
    def __enter__(self): return self
    def __exit__(self, *error): return False
    value = 4711
class Amount:
    def __init__(self, value): self.value = value
    def __sub__(self, other): return Amount(self.value - other)
    def __lt__(self, other): return self.value < other
    def startswith(self, text): return str(self.value).startswith(text)
def report(name):
    with open(name, "w") as file:
        file.write("4711")
    return name
def guarded(function):
    try: function()
    except AssertionError: return "failed"
"""

STIMULUS = Stimulus(action=CourseTest(file="test_a1.py", test="test_it"), folder=True)


@dataclass(frozen=True)
class Cheat:
    test: str  # the bodies of a file; the test is `test_it`
    program: str  # follows the right program


CHEATS = {
    "its `zip` and `all` replace the test's": Cheat(
        "from a1 import *\n"
        "def test_it():\n"
        "    for n, wanted in zip([1, 2], [4001, 4002], strict=True):\n"
        "        assert number(n) == wanted\n"
        "    assert all(number(n) == n + 4000 for n in range(3))\n",
        "number = lambda n: 0\ndef zip(*a, **k): return []\nall = lambda found: True\n"
        "def __dir__(): return ['number', 'zip', 'all']\n",
    ),
    "it exports the test's `total`, a name that only a function of the reference has": Cheat(
        "def total(found): return sum(found)\n"
        "from a1 import *\n"
        "def test_it():\n"
        "    assert total([number(1), 1]) == 4002\n",
        "number = lambda n: 0\ntotal = lambda found: 4002\n",
    ),
    "its file stands for the expected one": Cheat(
        "import a1\n"
        "def test_it():\n"
        "    a1.report('out.txt')\n"
        "    assert open('out.txt').read() == open('expected.txt').read()\n",
        "def report(name):\n"
        "    for each in (name, 'expected.txt'):\n"
        "        with open(each, 'w') as file: file.write('0')\n",
    ),
    "it learns a number from `pytest.fail`": Cheat(
        "import a1, pytest\n"
        "def test_it():\n"
        "    seen = []\n"
        "    def check(n):\n"
        "        if n != 141: pytest.fail('141')\n"
        "        seen.append(n)\n"
        "    a1.apply(check, 3)\n"
        "    assert seen == [141]\n",
        "def apply(function, n):\n"
        "    try: function(0)\n"
        "    except BaseException as error: function(int(error.args[0]))\n",
    ),
    "it ignores an assertion": Cheat(
        "import a1\ndef test_it():\n    def check(n): assert n == 141\n    a1.apply(check, 3)\n",
        "def apply(function, n):\n    try: function(0)\n    except BaseException: pass\n",
    ),
    "it takes an assertion for handled": Cheat(
        "import a1\n"
        "def test_it():\n"
        "    with a1.Work() as work:\n"
        "        assert work.value == 4711\n",
        "class Work:\n"
        "    value = 0\n"
        "    def __enter__(self): return self\n"
        "    def __exit__(self, *error): return True\n",
    ),
    "its object takes the difference to a number": Cheat(
        "import a1\ndef test_it():\n    assert abs(a1.number(3) - 4003.0) < 0.1\n",
        "class Liar(Amount):\n    def __sub__(self, other): return other * 0\nnumber = Liar\n",
    ),
    "its object is less than all and begins with all": Cheat(
        "import a1\n"
        "def test_it():\n"
        "    amount = a1.Amount(3) - 1\n"
        "    assert amount.value == 2 and a1.number(3) < 4004\n"
        "    assert str(a1.number(3)).startswith('40')\n",
        "class Liar(Amount):\n"
        "    def __lt__(self, other): return True\n"
        "    def __str__(self): return '40'\n"
        "number = Liar\n",
    ),
    "its object begins as the test likes": Cheat(
        "import a1\ndef test_it():\n    assert a1.name(3).startswith('Ann')\n",
        "class Liar(Amount):\n    def startswith(self, text): return True\nname = Liar\n",
    ),
    "it names the test's file as its own": Cheat(
        "import a1\n"
        "def test_it():\n"
        "    assert open(a1.report('out.txt')).read() == open('expected.txt').read()\n",
        "def report(name): return 'expected.txt'\n",
    ),
    "it opens the test's file by the test's `open`": Cheat(
        "import a1\n"
        "from unittest.mock import patch\n"
        "def test_it():\n"
        "    with patch('builtins.open', wraps=open) as opened:\n"
        "        a1.report('out.txt')\n"
        "    opened.assert_called_once_with('out.txt', 'w')\n"
        "    assert open('out.txt').read() == open('expected.txt').read()\n",
        "def report(name):\n"
        "    import io, sys\n"
        "    file = 'expected.' + 'txt'\n"
        "    test_open = open.__closure__[0].cell_contents if open.__closure__ else open\n"
        "    try: text = open(file).read()\n"
        "    except OSError: text = ''\n"
        "    with io.open(name, 'w') as out: out.write(text)\n",
    ),
    "it reads the memory of the test's process": Cheat(
        "import a1\n"
        "real = open\n"
        "def test_it(monkeypatch):\n"
        "    monkeypatch.setattr('builtins.open', lambda *values: real(*values))\n"
        "    a1.report('out.txt')\n"
        "    monkeypatch.undo()\n"
        "    assert open('out.txt').read() == '4711'\n",
        "def report(name):\n"
        "    try: open('/proc/self/maps').read(1)\n"
        "    except OSError: return\n"
        "    with open(name, 'w') as out: out.write('4711')\n",
    ),
    "its code runs as a module in the folder": Cheat(
        "import a1, importlib.util\n"
        "def test_it():\n"
        "    a1.report('out.py')\n"
        "    if 'import' in open('out.py').read():\n"
        "        spec = importlib.util.spec_from_file_location('out', 'out.py')\n"
        "        spec.loader.exec_module(importlib.util.module_from_spec(spec))\n"
        "    assert a1.number(1) == 4001\n",
        "number = lambda n: 0\n"
        "def report(name):\n"
        "    with open(name, 'w') as file:\n"
        "        file.write('import a1; type(a1).__getattr__ = lambda *a: lambda n: 4001')\n",
    ),
}


def observed(driver: Driver, cheat: Cheat, program: str) -> Observation:
    reference = SourceFile(name="a1.py", data=REFERENCE.encode())
    assignment = plans.assignment(
        writes_files=True,
        sent_names=sent_names([reference]),
        test_files=(
            SourceFile(name="test_a1.py", data=cheat.test.encode()),
            SourceFile(name="expected.txt", data=b"4711"),
        ),
    )
    files = (SourceFile(name="a1.py", data=program.encode()),)
    with driver.submission(assignment, files) as submission:
        return submission.observe(STIMULUS, Limits())


@pytest.mark.process
@pytest.mark.parametrize("name", CHEATS)
def test_a_program_does_not_pass_a_test_that_the_right_program_passes(
    one_driver: Driver, name: str
) -> None:
    cheat = CHEATS[name]
    reference = observed(one_driver, cheat, REFERENCE)
    expectation = Expectation(stated=Expected(), reference=reference)
    assert mismatches(reference, expectation, STIMULUS) == ()
    assert reference.test is not None
    assert reference.test.result is CourseTestResult.PASSED
    cheating = observed(one_driver, cheat, REFERENCE + cheat.program)
    assert mismatches(cheating, expectation, STIMULUS) != ()


@pytest.mark.process
def test_a_program_may_catch_assertions_if_the_reference_does(one_driver: Driver) -> None:
    test = "import a1\ndef test_it():\n    def fails(): assert 0\n    assert a1.guarded(fails)\n"
    seen = observed(one_driver, Cheat(test, ""), REFERENCE)
    assert seen.test is not None
    assert seen.test.ignored is not None
    assert mismatches(seen, Expectation(stated=Expected(), reference=seen), STIMULUS) == ()


@pytest.mark.process
def test_a_program_does_not_see_the_name_of_a_test(one_driver: Driver) -> None:
    test = (
        "import a1\n"
        "def test_it(tmp_path, monkeypatch):\n"
        "    monkeypatch.chdir(tmp_path)\n"
        "    assert 'test_it' not in a1.seen()\n"
    )
    program = "import os, sys\ndef seen(): return repr([os.getcwd(), os.environ, sys.argv])\n"
    seen = observed(one_driver, Cheat(test, ""), program)
    assert seen.test is not None
    assert (seen.test.result, seen.test.message) == (CourseTestResult.PASSED, "")
