"""Tests that exist become scenarios if these ask for the same, and stay tests otherwise."""

from pathlib import Path
from typing import Any

import pytest

from harness.assignment.loading import load
from harness.common.files import write_bytes
from harness.packaging.scaffold.from_tests import from_tests
from harness.packaging.scaffold.recording.test_file import TestFile

ANY = {"any": True}
HEAD = """\
import io
import subprocess
import sys
import unittest
from unittest.mock import patch
import pytest
import a1
from a1 import double, Account as Box
TWO = 2

@pytest.fixture
def box():
    return Box(3)

"""


def read(text: str, runner: str = "pytest") -> TestFile:
    functions = ("double", "greet", "sort", "Account")
    file = TestFile("test_a1.py", (HEAD + text).encode(), runner, functions, ("a1",))
    file.read()
    return file


def first_form(text: str) -> dict[str, Any]:
    file = read(text)
    assert not file.kept
    return next(file.recorded[0].scenarios[0].forms())


RETURNS = {
    "assert double(1) == 2": {"equals": "2"},
    "assert 2 == a1.double(1)": {"equals": "2"},
    "assert double('a') == 'aa'": "aa",
    "assert double(0) is None": None,
    "assert double(0) is True": True,
    "assert double([1]) == [TWO, TWO * 2]": {"equals": "[2, 4]"},
    "assert double(1.5) == pytest.approx(3, abs=0.1)": {"approx": 3, "within": 0.1},
    "assert abs(double(1.5) - 3) < 0.1": {"approx": 3, "within": 0.1},
    "assert 'a' in double('a')": {"contains": "a"},
    "assert 'b' not in double('a')": {"none_of": [{"contains": "b"}]},
    "x = 3\n    assert double(x) == 6": {"equals": "6"},
}


@pytest.mark.parametrize("text", RETURNS)
def test_an_assertion_about_a_call_states_its_result(text: str) -> None:
    form = first_form(f"def test_x():\n    {text}\n")
    assert form["returns"] == RETURNS[text]
    assert form["call"].startswith("double(")
    assert (form["prints"], form["leaves"]) == (ANY, ANY)


STEPS = {
    "setUp": (
        "class TestX(unittest.TestCase):\n    def setUp(self):\n        self.box = Box(1)\n"
        "    def test_x(self):\n        self.box.put(2)\n        self.assertEqual(self.box.n, 3)\n",
        ["self_box = Account(1)", "self_box.put(2)", "self_box.n"],
    ),
    "fixture": (
        "def test_x(box):\n    box.n += 1\n    assert box.n == 4\n",
        ["box = Account(3)", "box.n += 1", "box.n"],
    ),
    "a list that is changed": (
        "def test_x():\n    xs = [2, 1]\n    a1.sort(xs)\n    assert xs == [1, 2]\n",
        ["xs = [2, 1]", "sort(xs)", "xs"],
    ),
    "loop": (
        "def test_x():\n    for x, y in [(1, 2), (2, 4)]:\n        assert double(x) == y\n",
        ["double(1)", "double(2)"],
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_statements_of_a_test_become_steps(name: str) -> None:
    text, sources = STEPS[name]
    file = read(text)
    assert not file.kept
    assert [step.source for step in file.recorded[0].scenarios[0].steps] == sources


def test_exceptions_are_stated_with_derived_classes_and_messages() -> None:
    form = first_form(
        "def test_x():\n    with pytest.raises(ValueError, match='below') as error:\n"
        "        double(-1)\n    assert str(error.value) == 'below zero'\n"
    )
    assert form["raises"] == {"any": True, "is_a": "ValueError", "message": "below zero"}
    form = first_form(
        "class TestX(unittest.TestCase):\n    def test_x(self):\n"
        "        with self.assertRaises(ValueError) as error:\n            double(-1)\n"
        "        self.assertEqual(type(error.exception), ValueError)\n"
    )
    assert form["raises"] == {"type": "ValueError"}


PRINTS = {
    "def test_x(capsys):\n    a1.greet()\n    assert capsys.readouterr().out == 'Hi\\n'\n": "Hi\n",
    "def test_x(capsys):\n    a1.greet()\n    out = capsys.readouterr().out.strip()\n"
    "    assert out == 'Hi'\n": {"matches": r"\A\s*Hi\s*\Z"},
    "@patch('sys.stdout', new_callable=io.StringIO)\ndef test_x(out):\n    a1.greet()\n"
    "    assert 'Hi' in out.getvalue()\n": {"contains": "Hi"},
}


@pytest.mark.parametrize("text", PRINTS)
def test_captured_output_is_stated(text: str) -> None:
    form = first_form(text)
    assert form["prints"] == PRINTS[text]
    assert (form["returns"], form["stderr"]) == (ANY, ANY)


def test_patched_input_is_typed() -> None:
    text = "@patch('builtins.input', side_effect=['a', 'b'])\ndef test_x(asked):\n    a1.greet()\n"
    form = first_form(text)
    assert (form["input"], form["reads"], form["prompts"]) == (["a", "b"], ANY, ANY)


def test_a_run_of_the_program_is_a_run() -> None:
    form = first_form(
        "def test_x():\n    done = subprocess.run([sys.executable, 'a1.py', '-x'], input='1\\n',\n"
        "        text=True, capture_output=True)\n    assert done.returncode == 2\n"
        "    assert 'usage' in done.stderr\n"
    )
    assert form == {
        "run": "a1.py",
        "argv": ["-x"],
        "stdin": "1\n",
        "prints": ANY,
        "stderr": {"contains": "usage"},
        "exit": 2,
    }


def test_each_set_of_parameters_is_a_scenario() -> None:
    text = "@pytest.mark.parametrize('x, y', [(1, 2), (2, 4)])\ndef test_x(x, y):\n"
    file = read(text + "    assert double(x) == y\n")
    forms = [next(scenario.forms()) for scenario in file.recorded[0].scenarios]
    assert [form["returns"] for form in forms] == [{"equals": "2"}, {"equals": "4"}]


def test_numbers_of_a_range_are_sets_of_parameters() -> None:
    text = "@pytest.mark.parametrize('x', range(1, 6, 2))\ndef test_x(x):\n"
    file = read(text + "    assert double(x) == x + 2\n")
    calls = [next(scenario.forms())["call"] for scenario in file.recorded[0].scenarios]
    assert calls == ["double(1)", "double(3)", "double(5)"]


def test_examples_of_a_doctest_are_a_session() -> None:
    text = b">>> from a1 import double\n>>> double(2)\n4\n"
    file = TestFile("README.md", text, "pytest", ("double",), ("a1",))
    file.read()
    form = next(file.recorded[0].scenarios[0].forms())
    assert form["session"] == ">>> double(2)\n4"


def test_docstrings_of_one_name_stay_tests() -> None:
    text = b"class A:\n    def area(self):\n        '\\n>>> 1\\n1\\n'\n"
    text += text.replace(b"A", b"B")
    file = TestFile("a2.py", text, "doctest", ("A", "B"), ("a1",))
    file.read()
    assert not file.recorded
    assert [(kept.test, kept.why) for kept in file.kept] == [("area", "2 docstrings have its name")]


# Each would lose something, or tell the program what is expected.
STAY = {
    "def test_x():\n    assert double(2) > 3\n": "compares by Gt",
    "def test_x():\n    assert double(2) == double(1) * 2\n": "no plain value",
    "def test_x():\n    assert isinstance(double(2), int)\n": "isinstance",
    "def test_x():\n    assert all(x > 1 for x in double([2]))\n": "it uses all",
    "def test_x():\n    assert double([y for y in (1, 2)]) == 1\n": "computed by the test",
    "def test_x():\n    assert double(helper(2)) == 4\n": "helper",
    "def test_x():\n    if double(2):\n        assert True\n": "statement if",
    "def test_x(tmp_path):\n    assert double(2) == 4\n": "fixture tmp_path",
    "def test_x(monkeypatch):\n    monkeypatch.setattr('random.randint', lambda a, b: 1)\n"
    "    assert double(2) == 4\n": "random.randint",
    "@patch('builtins.input', side_effect=['a'])\ndef test_x(asked):\n    a1.greet()\n"
    "    asked.assert_called()\n": "how asked was called",
    "def test_x():\n    assert 1 == 1\n": "does not use the program",
    "def test_x():\n    assert a1._hidden() == 1\n": "private",
    "@pytest.mark.parametrize('x', range(TWO))\ndef test_x(x):\n"
    "    assert double(x) == 1\n": "computed",
    "def test_x(capsys):\n    a1.greet()\n    double(1)\n"
    "    assert 'x' in capsys.readouterr().out\n": "several calls",
}


@pytest.mark.parametrize("text", STAY)
def test_a_test_stays_one_with_the_reason(text: str) -> None:
    file = read(text)
    assert not file.recorded
    assert STAY[text] in file.kept[0].why


PROGRAM = b"""\
def double(x): return x * 2
def greet():
    print("Hi", input("Name? "))
"""
TESTS = b"""\
from a1 import double, greet
def test_double():
    assert double(2) == 4
def test_more():
    assert double(2) > 3
def test_wrong():
    assert double(2) == 5
def test_greet(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: "Ann")
    greet()
    assert "Hi Ann" in capsys.readouterr().out
"""


@pytest.mark.process
def test_recorded_scenarios_hold_for_the_reference_and_the_others_stay_tests(
    tmp_path: Path,
) -> None:
    write_bytes(tmp_path / "old" / "a1.py", PROGRAM)
    write_bytes(tmp_path / "old" / "test_a1.py", TESTS)
    begun = from_tests("w1", tmp_path / "old", None, record=True)
    assert (begun.recorded, begun.tests) == (2, 2)
    assert any("test_wrong" in note and "5" in note for note in begun.notes)
    assert any("test_more" in note and "Gt" in note for note in begun.notes)
    for name, data in begun.files.items():
        write_bytes(tmp_path / "course" / name, data)
    plan = load(tmp_path / "course", "w1").plan
    assert sorted(scenario.id for scenario in plan.scenarios) == [
        "test_a1/test-more",
        "test_a1/test-wrong",
        "test_a1_recorded/test-double",
        "test_a1_recorded/test-greet",
    ]
    assert begun.files["specs/w1/mutants.yaml"].count(b"NotImplementedError") == 2


@pytest.mark.process
def test_two_files_of_one_name_are_recorded_into_two_files(tmp_path: Path) -> None:
    write_bytes(tmp_path / "old" / "a1.py", PROGRAM)
    for folder in ("", "tests/", "test/"):
        test = b"from a1 import double\ndef test_double(): assert double(2) == 4\n"
        write_bytes(tmp_path / "old" / f"{folder}test_a1.py", test)
    begun = from_tests("w1", tmp_path / "old", None, record=True)
    assert (begun.recorded, begun.notes) == (3, ())
    for name, data in begun.files.items():
        write_bytes(tmp_path / "course" / name, data)
    plan = load(tmp_path / "course", "w1").plan
    assert len(plan.scenarios) == 3
