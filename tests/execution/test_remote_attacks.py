"""A side of the conversation between tests and a program that was taken over, and what the other
side refuses it."""

import functools
import json
import queue
import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import pytest

from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.messages.frames import framed
from harness.execution.inside.modules import Library, ModuleSource
from harness.execution.inside.remote.client import RemoteProgram
from harness.execution.inside.remote.guarded import GuardedServer
from harness.execution.inside.remote.values import CannotTravelError, MalformedError
from harness.execution.stand_in_process import StandInProcess, StandInUnusableError
from harness.model.stimulus import Limits
from tests.execution.remote_pair import remote_program

CHEAT = """
def replaces_check(mock):
    mock.assert_called_once_with = lambda *values: None

def says_called(mock):
    mock.called = True

def forgets(mock):
    mock.reset_mock()

def replaces_part(mock):
    class Part:
        def assert_called_with(self, *values):
            return None
    mock.part = Part()

def replaces_method(thing):
    thing.check = lambda: None

def sets_score(thing):
    thing.score = 3
"""


@pytest.fixture
def program() -> Iterator[RemoteProgram]:
    with remote_program(CHEAT) as program:
        yield program


@pytest.mark.parametrize("cheat", ["replaces_check", "says_called", "forgets", "replaces_part"])
def test_a_program_cannot_change_what_a_mock_tells(program: RemoteProgram, cheat: str) -> None:
    a1 = program.module("a1_remote")
    mock = Mock()
    with pytest.raises(AttributeError):
        getattr(a1, cheat)(mock)
    with pytest.raises(AssertionError):
        mock.assert_called_once_with(1)
    with pytest.raises(AssertionError):
        mock.part.assert_called_with(1)


def test_a_program_cannot_replace_a_method_of_a_test(program: RemoteProgram) -> None:
    class Judge:
        score = 0

        def check(self) -> int:
            return self.score

    a1 = program.module("a1_remote")
    judge = Judge()
    with pytest.raises(AttributeError):
        a1.replaces_method(judge)
    for thing in (judge, Mock()):
        a1.sets_score(thing)
        assert thing.score == 3
    assert judge.check() == 3


@pytest.mark.parametrize(
    ("operation", "more"),
    [("get", ["args"]), ("special", ["__repr__", ()]), ("special", ["__str__", ()])],
)
def test_a_program_cannot_ask_a_tests_exception_what_was_expected(
    program: RemoteProgram, operation: str, more: list[Any]
) -> None:
    sent = json.loads(program.export(AssertionError("assert 4 == 5")))
    number = sent[3]
    assert "5" not in repr(sent[:3])
    with pytest.raises(MalformedError):
        program._do(operation, [number, *more])


def _functions_of_test() -> dict[str, Any]:
    def function() -> None:
        """Have the name of this test."""

    class Kind:
        def method(self) -> None:
            """Have the name of this test, too."""

    partial = functools.partial(function, "4711")
    return {
        "function": function,
        "method": Kind().method,
        "class": Kind,
        "object": Kind(),
        "partial": partial,
        "builtin": [].append,
    }


@pytest.mark.parametrize("name", _functions_of_test())
@pytest.mark.parametrize("special", ["__repr__", "__str__", "__format__"])
def test_a_program_cannot_ask_for_the_name_of_a_test(
    program: RemoteProgram, name: str, special: str
) -> None:
    thing = _functions_of_test()[name]
    sent = json.loads(program.export(thing))
    assert special not in sent[4]
    assert "test" not in sent[3]
    with pytest.raises(MalformedError):
        program._do("special", [sent[1], special, ()])


GUARDED = b"""
import enum
SECRET = 4711
def double(x):
    return x * 2
class Name(str):
    pass
class Colour(enum.StrEnum):
    RED = "{0.__globals__}"
"""


@pytest.fixture
def guarded() -> GuardedServer:
    name = "a1_guarded"
    library = Library({name: ModuleSource(f"{name}.py", GUARDED)})
    public = frozenset(("double", "Name", "Colour"))
    messages: queue.Queue[Any] = queue.Queue()
    return GuardedServer(
        library, Sources({f"{name}.py": GUARDED}), messages.put, messages.get, public
    )


@pytest.mark.parametrize("name", ["format", "format_map"])
def test_a_method_that_reads_attributes_is_not_given(guarded: GuardedServer, name: str) -> None:
    space: dict[str, Any] = {}
    exec(GUARDED, space)
    things = [space["Name"], space["Name"]("{0.__globals__}"), *space["Colour"]]
    for thing in things:
        guarded.export(thing)
        method = guarded._do_get(thing, name)
        with pytest.raises(CannotTravelError):
            guarded.export(method)
        guarded.export(guarded._do_get(thing, "upper"))


@pytest.mark.parametrize("special", ["__reduce_ex__", "__deepcopy__", "__getattribute__", 7])
def test_an_object_of_a_test_has_only_known_special_methods(
    guarded: GuardedServer, special: object
) -> None:
    with pytest.raises(MalformedError):
        guarded.resolve(["test", 2, False, "thing", [special]])
    assert guarded.resolve(["test", 4, False, "thing", ["__len__"]]) is not None


class _Talks(StandInProcess):
    """A process that answers each time after a moment, without end."""

    def _hear(self) -> bool:
        time.sleep(0.001)
        self._received.data += framed(b"x")
        return True

    def _is_late(self, waited: float, longest: float) -> bool:
        return waited > longest


def test_a_process_that_always_answers_comes_to_its_limit() -> None:
    process = _Talks(lambda message: None, Limits(cpu_seconds=0, wall_seconds=0.5))
    with pytest.raises(StandInUnusableError) as stopped:
        for _ in range(1000):
            process.next_answer()
    assert stopped.value.is_late
