"""Every row of the table of what works in a test (docs/how-to/port-your-tests.md), tried in two
processes."""

import re
from pathlib import Path

import pytest

from harness.assignment.sent_names import sent_names
from harness.execution import Driver
from harness.model.assignment import SourceFile
from harness.model.observation import CourseTestResult
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.test import CourseTest
from tests import plans

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "port-your-tests.md"
PROGRAM = '''
"""A shop."""
import random, time, sys
LIMIT = 3
class Error(ValueError): pass
class Account:
    def __init__(self, value=0): self._value = value
    def save(self): return "saved"
    @property
    def value(self): return self._value
    def __add__(self, other): return Account(self._value + other._value)
    def __mul__(self, factor): return Account(self._value * factor)
    def __eq__(self, other): return isinstance(other, Account) and other._value == self._value
    def __iter__(self): return iter([self._value])
    def __enter__(self): return self
    def __exit__(self, *error): return None
def helper(x): return x + 1
def f(items, end=None):
    """Add an item."""
    items.append(end)
    return items
def uses_helper(x): return helper(x)
def fails(): raise Error("no")
def leaves(): raise SystemExit(2)
def greet():
    name = input("Name? ")
    print("Hello", name)
    time.sleep(0)
def reads(path):
    with open(path) as file: return file.read()
def writes(path, text):
    with open(path, "w") as file: file.write(text)
def apply(function, x): return function(x)
def catches(function, kind):
    try: function()
    except kind: return "caught"
def roll(): return random.randint(1, 6)
if __name__ == "__main__":
    greet() if len(sys.argv) < 2 else print(sys.argv[1])
'''
HEAD = """
import copy, importlib, importlib.util, inspect, io, multiprocessing, os, pickle, random, runpy
import subprocess, sys, tempfile, threading, unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import Mock, mock_open, patch
import pytest
import a1
"""
# By the beginning of the row's first cell: the body of a test that passes.
ROWS = {
    "calls, keyword arguments": "assert a1.f([1], end=2) == [1, 2] and a1.LIMIT == 3",
    "a list that a call changes": "x = []; assert a1.f(x, 1) is x and x == [1]",
    "classes, instances, properties": (
        "x = a1.Account(2)\n    with x: assert (x + x).value == 4 and list(x) == [2]\n"
        "    assert isinstance(x, a1.Account) and type(x).__name__ == 'Account' and x._value == 2"
    ),
    "`pytest.raises(a1.Error)`": (
        "with pytest.raises(a1.Error, match='no'): a1.fails()\n"
        "    with pytest.raises(SystemExit) as found: a1.leaves()\n"
        "    assert found.value.code == 2"
    ),
    "`capsys`, `redirect_stdout`": (
        "with patch('builtins.input', return_value='Al'):\n"
        "        with redirect_stdout(io.StringIO()) as out: a1.greet()\n"
        "        with patch('sys.stdout', io.StringIO()) as other: a1.greet()\n"
        "        a1.greet()\n"
        "    assert out.getvalue() == other.getvalue() == capsys.readouterr().out == 'Hello Al\\n'"
    ),
    '`monkeypatch.setattr("builtins.input", …)`': (
        "monkeypatch.setattr('builtins.input', lambda prompt: 'Bo')\n    a1.greet()\n"
        "    monkeypatch.undo()\n    monkeypatch.setattr('sys.stdin', io.StringIO('Cy\\n'))\n"
        "    a1.greet()\n    assert capsys.readouterr().out == 'Hello Bo\\nName? Hello Cy\\n'"
    ),
    '`patch("builtins.print")`': (
        "with patch('builtins.print') as said, patch('builtins.input', return_value='x'):\n"
        "        a1.greet()\n    said.assert_called_once_with('Hello', 'x')\n"
        "    with patch('builtins.open', mock_open(read_data='7')): assert a1.reads('x') == '7'"
    ),
    '`patch("a1.helper")`': (
        "with patch('a1.helper', return_value=9): assert a1.uses_helper(1) == 9\n"
        "    with patch.object(a1.Account, 'save', lambda self: 'no'):\n"
        "        assert a1.Account().save() == 'no'\n"
        "    with patch('random.randint', return_value=4), patch('time.sleep'):\n"
        "        assert a1.roll() == 4"
    ),
    "functions and mocks as arguments": (
        "assert a1.apply(lambda x: x + 1, 1) == 2\n"
        "    mock = Mock(return_value=3); assert a1.apply(mock, 1) == 3"
    ),
    "`random.seed(1)`": "random.seed(1); x = a1.roll(); random.seed(1); assert a1.roll() == x",
    "`subprocess.run(": (
        "done = subprocess.run([sys.executable, 'a1.py'], input='Di\\n', text=True,\n"
        "        capture_output=True)\n    assert done.stdout == 'Name? Hello Di\\n'\n"
        "    assert subprocess.check_output([sys.executable, 'a1.py', 'x']) == b'x\\n'\n"
        "    assert subprocess.getoutput('./a1.py -x') == '-x'\n"
        "    assert subprocess.getoutput('./a1.py < data.txt') == 'Name? Hello data'\n"
        "    assert runpy.run_path('a1.py')['LIMIT'] == 3\n"
        "    with pytest.raises(FileNotFoundError): subprocess.run(['ls'])"
    ),
    "`from a1 import *`": (
        "names = {}; exec('from a1 import *', names)\n    assert names['helper'](1) == 2"
    ),
    "`importlib.import_module": (
        "assert importlib.import_module('src.a1') is a1\n"
        "    spec = importlib.util.spec_from_file_location('a1', 'a1.py')\n"
        "    module = importlib.util.module_from_spec(spec)\n"
        "    spec.loader.exec_module(module)\n    assert module.helper(1) == 2"
    ),
    "`importlib.reload(a1)`": (
        "assert importlib.reload(a1).LIMIT == 3 and 'x + 1' in inspect.getsource(a1.helper)\n"
        "    assert list(inspect.signature(a1.f).parameters) == ['items', 'end']\n"
        "    x = a1.Account(1); assert copy.deepcopy(x) == x"
    ),
    "`tmp_path`, `tempfile`": (
        "a1.writes(tmp_path / 'x', 'y'); assert (tmp_path / 'x').read_text() == 'y'\n"
        "    monkeypatch.chdir(tmp_path); assert a1.reads('x') == 'y'\n"
        "    with tempfile.TemporaryDirectory() as name:\n"
        "        a1.writes(name + '/z', '1'); assert os.listdir(name) == ['z']"
    ),
    "files beside the tests": (
        "assert a1.reads('data.txt') == 'data' and Path('expected.txt').read_text() == 'secret'\n"
        "    with pytest.raises(FileNotFoundError): a1.reads('expected.txt')"
    ),
    '`open("a1.py")` in a test': "assert 'LIMIT = 3' in open('a1.py').read()",
    "fixtures, `conftest.py`": "assert three == a1.LIMIT == pytest.approx(3.0)",
    "parameters that are computed": "assert a1.helper(number) == number + 1",
    "`x * 2`, `x < 5`": (
        "assert (a1.Account(2) * 3).value == 6\n"
        "    with pytest.raises(TypeError): a1.Account(2) < 5"
    ),
    "`x == 5` where": "assert (a1.Account(5) == 5) is False and a1.Account(5) == a1.Account(5)",
    "a class in the test that derives": (
        "with pytest.raises(TypeError, match='cannot derive'):\n        class Own(a1.Account): pass"
    ),
    "`pickle.load` of": (
        "a1.writes('x', 'I1\\n.'); assert pickle.load(open('x', 'rb')) == 1\n"
        "    a1.writes('x', 'cos\\ngetcwd\\n(tR.')\n"
        "    with pytest.raises(pickle.UnpicklingError): pickle.load(open('x', 'rb'))"
    ),
    "`pickle` of": (
        "with pytest.raises(TypeError): pickle.dumps(a1.Account())\n"
        "    with pytest.raises(OSError): multiprocessing.Queue()"
    ),
    "`vars(a1)`, `dataclasses": "assert 'helper' not in vars(a1) and a1.helper(1) == 2",
    "a class of exceptions of the test's": (
        "class Own(Exception): pass\n    def raises(): raise Own\n"
        "    with pytest.raises(TypeError): a1.catches(raises, Own)\n"
        "    def fails(): raise ValueError\n    assert a1.catches(fails, ValueError) == 'caught'"
    ),
    "plugins of pytest": "with pytest.raises(ImportError): import hypothesis",
}
FIXTURES = ("capsys", "monkeypatch", "tmp_path", "three", "number")
CONFTEST = b"import pytest\n@pytest.fixture\ndef three(): return 3\n"


def _test(number: int, body: str) -> str:
    names = [name for name in FIXTURES if re.search(rf"\b{name}\b", body)]
    head = "@pytest.mark.parametrize('number', range(9))\n" if "number" in names else ""
    return f"{head}def test_{number}({', '.join(names)}):\n    {body}\n"


def test_every_row_has_a_test() -> None:
    _, _, table = PAGE.read_text("utf-8").partition("| in a test | works |")
    rows = [line[2:] for line in table.partition("\n\n")[0].splitlines()[2:]]
    begins = [[row for row in rows if row.startswith(begin)] for begin in ROWS]
    assert all(len(found) == 1 for found in begins)
    assert len(rows) == len(ROWS)


@pytest.mark.process
def test_each_row_agrees_with_the_table(one_driver: Driver) -> None:
    tests = HEAD + "\n".join(_test(number, body) for number, body in enumerate(ROWS.values()))
    program = SourceFile(name="a1.py", data=PROGRAM.encode())
    assignment = plans.assignment(
        writes_files=True,
        sent_names=sent_names([program]),
        test_files=(
            SourceFile(name="test_a1.py", data=tests.encode()),
            SourceFile(name="conftest.py", data=CONFTEST),
            SourceFile(name="expected.txt", data=b"secret"),
        ),
    )
    data = SourceFile(name="data.txt", data=b"data")
    wrong: dict[str, str] = {}
    with one_driver.submission(assignment, (program,)) as submission:
        for number, row in enumerate(ROWS):
            action = CourseTest(file="test_a1.py", test=f"test_{number}")
            stimulus = Stimulus(action=action, folder=True, files=(data,))
            seen = submission.observe(stimulus, Limits())
            assert seen.test is not None
            if seen.test.result is not CourseTestResult.PASSED:
                wrong[row] = f"{seen.ending} {seen.test.type_name} {seen.test.message}"
    assert wrong == {}
