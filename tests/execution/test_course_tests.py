"""Tests of the course's in their own process, and programs that pass, fail, hang, end or cheat."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.execution import AnyDriver, Driver
from harness.execution.piped import PipedDriver
from harness.model.assignment import SourceFile
from harness.model.observation import CourseTestResult, Ending, Observation
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.test import CourseTest
from tests import plans

TESTS = b"""
import io
import subprocess
import sys
import unittest
from unittest.mock import mock_open, patch

import pytest

import a1
from a1 import double
from helpers import SECRET
from src.a1 import a1 as same_name
from src.a1 import double as of_package

pytestmark = []

def test_package():
    assert of_package(4) == 8
    assert of_package is double
    assert same_name() == 1

@pytest.fixture
def four():
    return 4

@pytest.mark.parametrize("value", [1, 2, 3])
def test_double(value):
    assert double(value) == 2 * value

def test_fixture(four):
    assert double(four) == 8

def test_secret():
    assert a1.guess() == SECRET

def test_input(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda prompt: "Ann")
    a1.greet()
    assert capsys.readouterr().out == "Hello Ann\\n"

def test_stdin(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("Bob\\n"))
    a1.greet()
    assert capsys.readouterr().out == "Name? Hello Bob\\n"

def test_program():
    done = subprocess.run([sys.executable, "a1.py"], input="Eve\\n", text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (0, "Name? Hello Eve\\n")

def test_dice():
    with patch("random.randint", return_value=6):
        assert a1.roll() == 6

def test_open():
    with patch("builtins.open", mock_open(read_data="5")):
        assert a1.read() == 5

def test_call_back():
    assert a1.apply(lambda x: x + 1, 2) == 3

def test_raises():
    a1.fails()

def test_does():
    a1.does()

def test_missing():
    a1.nothing

def test_skipped():
    pytest.skip("not today")

class TestWithUnittest(unittest.TestCase):
    def setUp(self):
        self.expected = 6

    @patch("builtins.print")
    @patch("builtins.input", side_effect=["Kim"])
    def test_greet(self, asked, printed):
        a1.greet()
        printed.assert_called_once_with("Hello", "Kim")

    def test_a_mock_that_returns_no_text(self):
        with patch("builtins.input"):
            assert a1.asks() == 1.0
        with patch("builtins.input", return_value=7):
            assert a1.asks() == 7.0

    def test_sub(self):
        for value in (1, 3):
            with self.subTest(value=value):
                self.assertEqual(double(value), self.expected)
"""
HELPERS = b"SECRET = 4711\n"
PROGRAM = """
import random
def double(x):
    return x * 2
def greet():
    name = input("Name? ")
    print("Hello", name)
def roll():
    return random.randint(1, 6)
def read():
    with open("a.txt") as file:
        return int(file.read())
def apply(f, x):
    return f(x)
def fails():
    return {}["key"]
def guess():
    return 0
def does():
    pass
def a1():
    return 1
def asks():
    return float(input())
if __name__ == "__main__":
    greet()
"""
ASSIGNMENT = plans.assignment(
    test_files=(
        SourceFile(name="test_a1.py", data=TESTS),
        SourceFile(name="helpers.py", data=HELPERS),
    )
)
Run = Callable[..., Observation]


def run_with(driver: AnyDriver, test: str, program: str = PROGRAM, **limits: float) -> Observation:
    stimulus = Stimulus(action=CourseTest(file="test_a1.py", test=test))
    files = (SourceFile(name="a1.py", data=program.encode()),)
    with driver.submission(ASSIGNMENT, files) as submission:
        return submission.observe(stimulus, Limits(**limits))  # type: ignore[arg-type]


@pytest.fixture
def run(one_driver: Driver) -> Run:
    return lambda *what, **limits: run_with(one_driver, *what, **limits)


def result_of(seen: Observation) -> CourseTestResult:
    assert seen.test is not None
    return seen.test.result


PASSES = [
    "test_double", "test_fixture", "test_input", "test_stdin", "test_program", "test_dice",
    "test_open", "test_call_back", "TestWithUnittest::test_greet", "test_package",
    "TestWithUnittest::test_a_mock_that_returns_no_text",
]  # fmt: skip


@pytest.mark.process
@pytest.mark.parametrize("test", PASSES)
def test_a_right_program_passes(run: Run, test: str) -> None:
    seen = run(test)
    assert seen.test is not None
    assert (seen.ending, seen.test.result, seen.test.message) == (
        Ending.ANSWERED,
        CourseTestResult.PASSED,
        "",
    )


@pytest.mark.process
def test_a_wrong_program_fails_with_the_values_and_the_calls(run: Run) -> None:
    seen = run("test_double", PROGRAM.replace("x * 2", "x + 2"))
    assert seen.test is not None
    assert result_of(seen) is CourseTestResult.FAILED
    assert "assert 3 == (2 * 1)" in seen.test.message
    assert seen.test.source == "assert double(value) == 2 * value"
    assert seen.test.calls == (
        "double(1) returned 3",
        "double(2) returned 4",
        "double(3) returned 5",
    )
    assert seen.raised is None


@pytest.mark.process
@pytest.mark.parametrize(
    ("test", "acts"),
    [
        ("test_stdin", "greet() read 'Bob', printed 'Hello Bob\\n', returned None"),
        (
            "test_program",
            "python a1.py with the input 'Eve\\n' printed 'Name? Hello Eve\\n', exit status 0",
        ),
    ],
)
def test_an_act_tells_what_the_program_read_and_printed(run: Run, test: str, acts: str) -> None:
    seen = run(test)
    assert seen.test is not None
    assert seen.test.calls == (acts,)


@pytest.mark.process
def test_an_exception_of_the_program_has_its_own_lines(run: Run) -> None:
    seen = run("test_raises")
    assert result_of(seen) is CourseTestResult.FAILED
    assert seen.raised is not None
    assert seen.raised.type_name == "KeyError"
    assert seen.raised.frames[-1].source.strip() == 'return {}["key"]'
    broken = run("test_double", "def double(:\n")
    assert result_of(broken) is CourseTestResult.FAILED
    assert broken.raised is not None
    assert broken.raised.type_name == "SyntaxError"


@pytest.mark.process
def test_a_test_that_fails_by_itself_blames_no_line_of_the_program(run: Run) -> None:
    assert result_of(run("test_missing")) is CourseTestResult.FAILED
    sub = run("TestWithUnittest::test_sub")
    assert result_of(sub) is CourseTestResult.FAILED
    assert sub.raised is None
    assert result_of(run("test_skipped")) is CourseTestResult.SKIPPED
    assert result_of(run("test_none")) is CourseTestResult.NOT_FOUND


@pytest.mark.process
def test_only_the_asked_for_subtest_decides(one_driver: Driver) -> None:
    files = (SourceFile(name="a1.py", data=PROGRAM.encode()),)
    found = []
    with one_driver.submission(ASSIGNMENT, files) as submission:
        for part in range(3):
            name = "TestWithUnittest::test_sub"
            action = CourseTest(file="test_a1.py", test=name, part=part)
            found.append(result_of(submission.observe(Stimulus(action=action), Limits())))
    # The loop has the values 1 and 3, and expects 6 = double(3).
    assert found == [
        CourseTestResult.FAILED,
        CourseTestResult.PASSED,
        CourseTestResult.NOT_FOUND,
    ]


ENDINGS = {
    "while True: pass": Ending.CPU_LIMIT,
    "import os; os._exit(0)": Ending.ENDED_EARLY,
    "import os; os.kill(os.getpid(), 11)": Ending.ENDED_EARLY,
    "while True: print('x' * 1000)": Ending.OUTPUT_LIMIT,
    "x = [0] * 10**9": Ending.MEMORY_LIMIT,
}


@pytest.mark.process
@pytest.mark.parametrize("text", [name for name in ENDINGS if "kill" not in name])
def test_how_a_program_ends_is_the_verdict(run: Run, text: str) -> None:
    seen = run("test_does", PROGRAM.replace("    pass", f"    {text}"), cpu_seconds=0.5)
    assert seen.ending is ENDINGS[text]
    assert result_of(seen) is CourseTestResult.NOT_ENDED
    assert seen.test is not None
    assert seen.test.calls[-1].startswith("does()")


# Programs that try to pass a test whose answer they do not know.
CHEATS = {
    "equals everything": """
class Any:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
def guess(): return Any()
""",
    "looks for the tests": """
import sys, gc
def guess():
    for module in list(sys.modules.values()):
        found = getattr(module, "SECRET", None)
        if isinstance(found, int): return found
    for thing in gc.get_objects():
        if isinstance(thing, dict) and isinstance(thing.get("SECRET"), int): return thing["SECRET"]
    frame = sys._getframe()
    while frame is not None:
        if "SECRET" in frame.f_globals: return frame.f_globals["SECRET"]
        frame = frame.f_back
    for place in ("test_a1.py", "helpers.py", "/tests/helpers.py"):
        try: return int(open(place).read().split("=")[1])
        except OSError: pass
    return 0
""",
    "replaces assertEqual and assert": """
import builtins, unittest
unittest.TestCase.assertEqual = lambda *a, **k: None
class AssertionError(Exception): pass
builtins.AssertionError = AssertionError
builtins.int = builtins.bool = lambda *a: True
def guess(): return 0
""",
    "ends with success": "import os\ndef guess(): os._exit(0)\n",
    "leaves by exit": "def guess(): raise SystemExit(0)\n",
    "skips": "import unittest\ndef guess(): raise unittest.SkipTest('no')\n",
    "raises outcomes": "class Passed(BaseException): pass\ndef guess(): raise Passed\n",
    "answers for the harness": """
import os, sys
def guess():
    body = b'{"phase":"stimulus","value":["none","None"]}'
    frame = b"A" + body
    data = len(frame).to_bytes(4, "little") + frame
    for number in range(3, 30):
        try: os.write(number, data)
        except OSError: pass
    os._exit(0)
""",
    "says that the test passed": """
import os
def guess():
    for body in (b'O{"result":"passed"}', b'C{"gave":1,"changed":[]}', b'CO{"result":"passed"}'):
        data = len(body).to_bytes(4, "little") + body
        for number in range(3, 30):
            try: os.write(number, data)
            except OSError: pass
    return 0
""",
    "lies about its class": """
class Number:
    @property
    def __class__(self): return int
    def __int__(self): return 4711
    def __index__(self): return 4711
    def __hash__(self): return hash(4711)
    def __sub__(self, other): return 0
def guess(): return Number()
""",
}


@pytest.mark.process
@pytest.mark.parametrize("name", CHEATS)
def test_a_program_that_cheats_does_not_pass(run: Run, name: str) -> None:
    program = f"{PROGRAM}\n{CHEATS[name]}"
    seen = run("test_secret", program)
    assert result_of(seen) is not CourseTestResult.PASSED
    assert result_of(seen) is not CourseTestResult.SKIPPED


@pytest.mark.process
def test_the_programs_process_holds_nothing_of_the_tests(run: Run) -> None:
    """It looks through all its memory, as far as the kernel lets it."""
    seeks = """
def guess():
    found = []
    try:
        for line in open("/proc/self/maps"):
            pass
    except OSError:
        pass
    import gc
    words = [a + b for a, b in (("test_", "secret"), ("47", "11"), ("SEC", "RET"))]
    for thing in gc.get_objects():
        if thing is words or thing is found:
            continue
        text = repr(thing) if type(thing) in (dict, list, tuple) else ""
        if any(word in text for word in words):
            found.append(text)
    raise ValueError(repr(found))
"""
    seen = run("test_secret", f"{PROGRAM}\n{seeks}", cpu_seconds=10.0)
    assert seen.raised is not None
    assert seen.raised.message == "[]"


@pytest.mark.process
def test_tests_run_over_pipes_too(piped_driver: PipedDriver) -> None:
    assert result_of(run_with(piped_driver, "test_stdin")) is CourseTestResult.PASSED
    wrong = run_with(piped_driver, "test_double", PROGRAM.replace("x * 2", "x + 2"))
    assert result_of(wrong) is CourseTestResult.FAILED


@pytest.mark.process
def test_a_test_never_runs_with_functions_of_the_course_in_the_program(one_driver: Driver) -> None:
    from harness.model.stimulus import Substitution  # noqa: PLC0415

    stimulus = Stimulus(
        action=CourseTest(file="test_a1.py", test="test_double"),
        substitutions=(Substitution(name="double"),),
    )
    files = (SourceFile(name="a1.py", data=PROGRAM.encode()),)
    with one_driver.submission(ASSIGNMENT, files) as submission:
        assert submission.observe(stimulus, Limits()).ending is Ending.STAND_IN_INAPPLICABLE


def test_the_texts_of_the_tests_side_are_what_the_process_is_sent() -> None:
    from harness.execution.testing import course as module  # noqa: PLC0415

    folder = Path(module.__file__).parents[1] / "inside" / "remote"
    assert module._sources()["inside.remote.client"] == (folder / "client.py").read_text("utf-8")


FILE_TESTS = b"""
import os
import tempfile
from pathlib import Path

import a1
import pytest

def test_reads_what_the_test_wrote(tmp_path):
    place = tmp_path / "in.txt"
    place.write_text("one\\ntwo\\n")
    assert a1.count_lines(str(place)) == 2
    assert a1.count_lines(place) == 2

def test_writes_what_the_test_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a1.save("out.txt", "hello")
    assert Path("out.txt").read_text() == "hello"
    assert (tmp_path / "out.txt").exists()
    with open("out.txt", "a") as file:
        file.write("\\nmore")
    assert a1.count_lines("out.txt") == 2
    os.remove("out.txt")

def test_makes_folders():
    a1.make("new")
    Path("new/a.txt").write_text("a")
    assert a1.listed("new") == ["a.txt"]

def test_temporary():
    with tempfile.TemporaryDirectory() as folder:
        a1.save(os.path.join(folder, "x"), "1")
        assert os.listdir(folder) == ["x"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("a\\nb")
        file.flush()
        assert a1.count_lines(file.name) == 2

def test_data():
    assert a1.count_lines("words.txt") == 3
    assert a1.count_lines(Path(__file__).parent / "words.txt") == 3
    assert a1.count_lines(os.path.join(os.path.dirname(__file__), "words.txt")) == 3

def test_expected():
    here = Path(__file__).resolve().parent
    assert (here / "expected.txt").exists()
    assert open("expected.txt").read() == "4711\\n"
    assert (here / "expected.txt").read_text() == "4711\\n"
    assert a1.peek(str(here / "expected.txt")) == ""
    assert a1.peek("expected.txt") == ""

def test_source():
    assert "def save" in open("a1.py").read()

def test_plants():
    import pickle
    import sys
    sys.path[:0] = [os.path.dirname(__file__), ".", ""]
    a1.plant("difflib.py", "planted.py")
    with pytest.raises(ImportError):
        import planted
    assert "folder" not in __import__("difflib").__doc__
    assert "difflib.py" in os.listdir(".")
    with pytest.raises(pickle.UnpicklingError):
        pickle.load(open("planted.pickle", "rb"))
    assert not os.path.exists("ran")
    assert pickle.loads(pickle.dumps({"a": [1, {2}]})) == {"a": [1, {2}]}
"""
FILE_PROGRAM = """
import os
def plant(*names):
    for name in names:
        save(name, "'a module in the folder'; open('ran', 'w')")
    with open("planted.pickle", "wb") as file:
        file.write(b"cos\\nmkdir\\n(S'ran'\\ntR.")
def count_lines(path):
    with open(path) as file:
        return len(file.readlines())
def save(path, text):
    with open(path, "w") as file:
        file.write(text)
def make(name):
    os.mkdir(name)
def listed(name):
    return sorted(os.listdir(name))
def peek(name):
    try:
        with open(name) as file:
            return file.read()
    except OSError:
        return ""
"""
FILES_ASSIGNMENT = plans.assignment(
    writes_files=True,
    test_files=(
        SourceFile(name="test_a1.py", data=FILE_TESTS),
        SourceFile(name="expected.txt", data=b"4711\n"),
    ),
)
WORDS = SourceFile(name="words.txt", data=b"a\nb\nc\n")


@pytest.mark.process
@pytest.mark.parametrize(
    "test",
    [
        "reads_what_the_test_wrote",
        "writes_what_the_test_reads",
        "makes_folders",
        "temporary",
        "data",
        "expected",
        "source",
        "plants",
    ],
)
def test_a_test_and_its_program_share_a_folder(one_driver: Driver, test: str) -> None:
    action = CourseTest(file="test_a1.py", test=f"test_{test}")
    stimulus = Stimulus(action=action, folder=True, files=(WORDS,))
    files = (SourceFile(name="a1.py", data=FILE_PROGRAM.encode()),)
    with one_driver.submission(FILES_ASSIGNMENT, files) as submission:
        seen = submission.observe(stimulus, Limits())
    assert seen.test is not None
    assert (seen.ending, seen.test.result, seen.test.message) == (
        Ending.ANSWERED,
        CourseTestResult.PASSED,
        "",
    )
