"""Tests of the course's that are broken, and programs that do their worst to a test: each ends with
one verdict, and the next test is not harmed."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.execution import Driver
from harness.execution.inside.remote.client import RemoteProgram
from harness.execution.inside.remote.values import MalformedError
from harness.model.assignment import SourceFile
from harness.model.observation import CourseTestResult, Ending, Filled, Observation
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.test import CourseTest
from tests import plans

BROKEN = b"""
import pytest
import a1

def test_hangs():
    while True:
        pass

def test_wants_a_fixture(nothing_like_it):
    pass

def test_is_defined_twice():
    assert False

def test_is_defined_twice():
    assert a1.number() == 7

def test_prints_secrets(capsys):
    print("secret 4711")
    assert a1.number() == 7

def test_writes_to_the_program():
    with pytest.raises(OSError):
        open("a1.py", "w")

def test_imports_what_is_missing():
    import numpy_that_is_missing

def test_ends_the_process():
    import os
    os._exit(0)

def test_number():
    assert a1.number() == 7

def test_all():
    assert list(a1.endless()) == []

def test_long():
    assert a1.long() == "x"

def test_is_called(value=1):
    seen = []
    a1.call(seen.append)
    assert seen == [1]

def test_deep():
    assert a1.deep() == []

def test_fills_the_folder():
    for number in range(400):
        open(f"{number}.txt", "w").close()
    assert a1.number() == 7

def test_fills_the_folder_at_its_end():
    a1.number()
    for number in range(400):
        open(f"{number}.txt", "w").close()

def test_fills_the_folder_for_ever():
    a1.number()
    number = 0
    while True:
        number += 1
        open(f"{number}.txt", "w").close()

def test_uses_a_program_that_fills_the_folder():
    a1.fill()
    assert a1.number() == 7
"""
PROGRAM = """
def number(): return 7
def endless():
    while True:
        yield 0
def long(): return "x" * 10**9
def call(function):
    while True:
        function(1)
def fill():
    for number in range(400):
        open(f"{number}.txt", "w").close()
def deep():
    found = []
    for _ in range(100000):
        found = [found]
    return found
"""
ASSIGNMENT = plans.assignment(
    test_files=(
        SourceFile(name="test_a1.py", data=BROKEN),
        SourceFile(name="test_empty.py", data=b""),
        SourceFile(name="test_fails.py", data=b"raise ValueError('at import')\ndef test_x(): pass"),
        SourceFile(name="test_text.py", data=b"def test_x(:"),
    )
)
WITH_FOLDER = replace(ASSIGNMENT, writes_files=True)
Run = Callable[..., Observation]
PASSED, FAILED = CourseTestResult.PASSED, CourseTestResult.FAILED
NOT_ENDED, NOT_FOUND = CourseTestResult.NOT_ENDED, CourseTestResult.NOT_FOUND


@pytest.fixture
def run(one_driver: Driver) -> Run:
    def run(test: str, file: str = "test_a1.py", *, folder: bool = False) -> Observation:
        stimulus = Stimulus(action=CourseTest(file=file, test=test), folder=folder)
        assignment = WITH_FOLDER if folder else ASSIGNMENT
        files = (SourceFile(name="a1.py", data=PROGRAM.encode()),)
        with one_driver.submission(assignment, files) as submission:
            return submission.observe(stimulus, Limits(cpu_seconds=1.0))

    return run


TESTS = [
    ("test_wants_a_fixture", "test_a1.py", FAILED, "fixture 'nothing_like_it' not found"),
    ("test_is_defined_twice", "test_a1.py", PASSED, ""),
    ("test_prints_secrets", "test_a1.py", PASSED, ""),
    ("test_writes_to_the_program", "test_a1.py", PASSED, ""),
    ("test_imports_what_is_missing", "test_a1.py", FAILED, "numpy_that_is_missing"),
    ("test_x", "test_empty.py", NOT_FOUND, ""),
    ("test_x", "test_fails.py", FAILED, "at import"),
    ("test_x", "test_text.py", FAILED, "invalid syntax"),
    ("test_deep", "test_a1.py", FAILED, "cannot be sent"),
]


@pytest.mark.process
@pytest.mark.parametrize(("test", "file", "result", "words"), TESTS)
def test_a_broken_test_has_one_verdict(
    run: Run, test: str, file: str, result: CourseTestResult, words: str
) -> None:
    seen = run(test, file)
    assert seen.test is not None
    assert seen.test.result is result
    assert words in seen.test.message
    assert "4711" not in repr(seen)
    assert run("test_number").test.result is PASSED  # type: ignore[union-attr]


@pytest.mark.process
@pytest.mark.parametrize("test", ["test_ends_the_process", "test_long", "test_is_called"])
def test_a_test_that_does_not_come_to_its_end_fails(run: Run, test: str) -> None:
    seen = run(test)
    assert seen.test is not None
    assert seen.test.result is NOT_ENDED or "cannot be sent" in seen.test.message
    assert run("test_number").test.result is PASSED  # type: ignore[union-attr]


@pytest.mark.process
@pytest.mark.release
@pytest.mark.parametrize("test", ["test_hangs", "test_all"])
def test_a_test_that_never_ends_is_ended(run: Run, test: str) -> None:
    seen = run(test)
    assert seen.ending in (Ending.CPU_LIMIT, Ending.MEMORY_LIMIT)
    assert run("test_number").test.result is PASSED  # type: ignore[union-attr]


FILLING = {
    "test_fills_the_folder": Ending.OUTPUT_LIMIT,
    "test_fills_the_folder_at_its_end": Ending.OUTPUT_LIMIT,
    "test_fills_the_folder_for_ever": Ending.OUTPUT_LIMIT,
    "test_uses_a_program_that_fills_the_folder": None,
}


@pytest.mark.process
@pytest.mark.parametrize("test", FILLING)
def test_only_the_process_that_fills_the_folder_is_blamed(run: Run, test: str) -> None:
    seen = run(test, folder=True)
    assert seen.ending is Ending.OUTPUT_LIMIT
    assert seen.output_limit is not None
    assert seen.output_limit.filled is Filled.FOLDER
    assert seen.test is not None
    assert seen.test.stopped_by is FILLING[test]


# What a program may send instead of an answer, as text.
FORGED = {
    "nothing": "null",
    "a list": "[]",
    "no outcome": "{}",
    "an unknown operation": '{"do":"eval","with":["1"],"changed":[]}',
    "an unknown number": '{"do":"call","with":[99,["tuple",[]],{}],"changed":[]}',
    "a number of ours that does not exist": '{"gave":["test",98],"changed":[]}',
    "an unknown class": '{"gave":["error","os.system",[],1],"changed":[]}',
    "an error that is none": '{"raised":1,"changed":[]}',
    "a library value that is none": '{"gave":["library","os.path","x"],"changed":[]}',
    "a container that nobody knows": '{"gave":["same",77],"changed":[]}',
    "a container of ours": '{"gave":1,"changed":[[2,["list",[1],null]]]}',
    "changes of another form": '{"gave":1,"changed":{}}',
    "a huge range": '{"gave":["range",[1,2,3,4]],"changed":[]}',
    "a set of lists": '{"gave":["same",1],"changed":[[1,["set",[["same",1]],null]]]}',
    "output that is none": '{"gave":1,"changed":[],"said":[1]}',
    "deep": '{"gave":' + '["tuple",[' * 300 + "1" + "]]" * 300 + ',"changed":[]}',
    "a private attribute": '{"do":"set","with":[2,"__class__",1],"changed":[]}',
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_answer_is_refused(name: str) -> None:
    said: list[str] = []

    def hear() -> Any:
        if len(said) > 3:
            raise MalformedError("it goes on")
        return json.loads(FORGED[name])

    program = RemoteProgram(said.append, hear)
    with pytest.raises((MalformedError, RecursionError)):
        program.request("import", "a1")
